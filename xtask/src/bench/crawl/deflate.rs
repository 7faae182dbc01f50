//! Bytes of text to a deflate stream (RFC 1951), faster than a library, and within a third of the size that one makes.
//!
//! It knows what it packs: matches are looked for only where a word starts, and the Huffman codes are those of a sample of the
//! same language instead of the text's own. What a reader would get wrong: that makes it no worse here, and useless elsewhere.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The shortest match that is worth its distance, and the longest that can be written.
const LEAST_MATCH: usize = 4;
const MOST_MATCH: usize = 258;

/// How far back a match may lie.
const WINDOW: usize = 32_768;

/// The table of the last place of each word: this many bits of its hash.
const PLACE_BITS: u32 = 13;

/// The symbol after the last byte of a block, and how many symbols there are with the codes of lengths.
const END: usize = 256;
const SYMBOL_COUNT: usize = 286;

/// No code has more bits, so that four of them fit beside what is pending. Fifteen would be allowed.
const MOST_BITS: u8 = 13;

/// The extra bits of each code of a length or distance, and the first value of each (RFC 1951, 3.2.5).
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// How many codes of distances there are: two for each power of two.
const DISTANCE_COUNT: usize = 30;

/// The order in which the lengths of the codes of lengths are written (RFC 1951, 3.2.7).
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A code with its number of bits.
type Code = (u16, u8);

/// The codes that one language is packed with.
pub(super) struct Codes {
    /// Of bytes, of the end, and of lengths from 257 on.
    symbols: Box<[Code; SYMBOL_COUNT]>,
    distances: Vec<Code>,
    /// The code of each length, and the extra bits after it.
    lengths: Vec<(Code, Code)>,
    /// What a block begins with, bit by bit.
    start: Vec<Code>,
}

/// A part of a text as it is packed.
enum Piece<'a> {
    Bytes(&'a [u8]),
    Match { length: usize, distance: usize },
}

impl Codes {
    /// Codes for texts that are like this one.
    pub(super) fn for_sample(sample: &[u8]) -> Self {
        // Everything must have a code, however rare it is.
        let (mut symbols, mut distances) = (vec![1_u32; SYMBOL_COUNT], vec![1_u32; DISTANCE_COUNT]);
        Places::new().cut(sample, |piece| match piece {
            Piece::Bytes(bytes) => bytes.iter().for_each(|byte| symbols[usize::from(*byte)] += 64),
            Piece::Match { length, distance } => {
                symbols[257 + length_code(length)] += 64;
                distances[distance_code(distance).0] += 64;
            }
        });
        let (symbol_bits, distance_bits) = (code_lengths(&symbols), code_lengths(&distances));
        let symbols = codes(&symbol_bits);
        let lengths = (0..=MOST_MATCH).map(|length| {
            let code = length_code(length.max(3));
            let (first, extra) = LENGTHS[code];
            (symbols[257 + code], ((length.max(3) as u16) - first, extra))
        });
        Self {
            lengths: lengths.collect(),
            start: block_start(&symbol_bits, &distance_bits),
            distances: codes(&distance_bits),
            symbols: symbols.into_boxed_slice().try_into().expect("each symbol has a code"),
        }
    }
}

/// Packs texts one after the other.
pub(super) struct Packer {
    places: Places,
}

impl Packer {
    pub(super) fn new() -> Self {
        Self { places: Places::new() }
    }

    /// Appends a text as a stream of one block.
    pub(super) fn pack(&mut self, text: &[u8], codes: &Codes, out: &mut Vec<u8>) {
        // A byte takes thirteen bits at most; the start of a block some 200 bytes.
        let start = out.len();
        out.resize(start + 2 * text.len() + 1_024, 0);
        let mut bits = Bits { out: &mut out[start..], written: 0, pending: 0, count: 0 };
        codes.start.iter().for_each(|code| bits.write(*code));
        self.places.cut(text, |piece| match piece {
            Piece::Bytes(bytes) => {
                let (fours, rest) = bytes.as_chunks::<4>();
                for four in fours {
                    four.iter().for_each(|byte| bits.push(codes.symbols[usize::from(*byte)]));
                    bits.flush();
                }
                rest.iter().for_each(|byte| bits.push(codes.symbols[usize::from(*byte)]));
                bits.flush();
            }
            Piece::Match { length, distance } => {
                let (code, extra) = codes.lengths[length];
                let (place, rest, rest_bits) = distance_code(distance);
                // With extra bits of five and thirteen at most: 44.
                for code in [code, extra, codes.distances[place], (rest, rest_bits)] {
                    bits.push(code);
                }
                bits.flush();
            }
        });
        bits.write(codes.symbols[END]);
        bits.write((0, 7));
        let end = start + bits.written;
        out.truncate(end);
    }
}

/// Where each word was seen last.
struct Places {
    last: Vec<u32>,
    /// The place of the text's first byte: what was seen before it belongs to another text.
    start: usize,
}

impl Places {
    fn new() -> Self {
        // From 1 on, so that 0 is before every text.
        Self { last: vec![0; 1 << PLACE_BITS], start: 1 }
    }

    /// Cuts a text into pieces.
    #[inline]
    fn cut<'a>(&mut self, text: &'a [u8], mut each: impl FnMut(Piece<'a>)) {
        if self.start + text.len() > u32::MAX as usize {
            *self = Self::new();
        }
        let start = self.start;
        let (mut place, mut plain) = (0, 0);
        while let Some(word) = text.get(place..place + 8) {
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes were taken"));
            let slot = ((word as u32).wrapping_mul(0x9E37_79B1) >> (32 - PLACE_BITS)) as usize;
            let seen = self.last[slot] as usize;
            self.last[slot] = (start + place) as u32;
            if seen >= start && start + place - seen <= WINDOW {
                let seen = seen - start;
                let length = shared_length(text, seen, place);
                if length >= LEAST_MATCH {
                    if plain < place {
                        each(Piece::Bytes(&text[plain..place]));
                    }
                    each(Piece::Match { length, distance: place - seen });
                    place += length;
                    plain = place;
                    continue;
                }
            }
            // To the next word: after a blank, or after the three bytes of a character of a script without blanks.
            place += if word as u8 >= 0xE0 { 3 } else { blank_within(word) };
        }
        self.start += text.len();
        if plain < text.len() {
            each(Piece::Bytes(&text[plain..]));
        }
    }
}

/// How many of eight bytes come before the end of the first blank, or all of them (Mycroft's test for a zero byte).
#[inline]
fn blank_within(word: u64) -> usize {
    let zeros = word ^ 0x2020_2020_2020_2020;
    let found = zeros.wrapping_sub(0x0101_0101_0101_0101) & !zeros & 0x8080_8080_8080_8080;
    (found.trailing_zeros() as usize / 8 + 1).min(8)
}

/// How many bytes at two places of a text are the same.
#[inline]
fn shared_length(text: &[u8], seen: usize, place: usize) -> usize {
    let most = MOST_MATCH.min(text.len() - place);
    let mut length = 0;
    while length + 8 <= most {
        let [one, other] = [seen, place].map(|place| {
            let bytes = &text[place + length..place + length + 8];
            u64::from_le_bytes(bytes.try_into().expect("eight bytes were taken"))
        });
        if one != other {
            return length + (one ^ other).trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    while length < most && text[seen + length] == text[place + length] {
        length += 1;
    }
    length
}

/// Bits that become bytes, the lowest first.
struct Bits<'a> {
    out: &'a mut [u8],
    written: usize,
    pending: u64,
    count: u32,
}

impl Bits<'_> {
    /// Takes a code; the caller sees to it that no more than 64 bits are pending.
    #[inline]
    fn push(&mut self, (code, bits): Code) {
        self.pending |= u64::from(code) << self.count;
        self.count += u32::from(bits);
    }

    /// Writes all whole bytes: eight at once, of which the next time those are written over that are not whole.
    #[inline]
    fn flush(&mut self) {
        self.out[self.written..self.written + 8].copy_from_slice(&self.pending.to_le_bytes());
        let whole = self.count / 8;
        self.written += whole as usize;
        self.pending >>= whole * 8;
        self.count %= 8;
    }

    fn write(&mut self, code: Code) {
        self.push(code);
        self.flush();
    }
}

/// Which of the codes of lengths a length has.
fn length_code(length: usize) -> usize {
    LENGTHS.partition_point(|(first, _)| usize::from(*first) <= length) - 1
}

/// The code of a distance, and its extra bits with their number: the power of two, and the bit after the highest.
#[inline]
fn distance_code(distance: usize) -> (usize, u16, u8) {
    let distance = distance - 1;
    if distance < 4 {
        return (distance, 0, 0);
    }
    let power = distance.ilog2();
    let extra = power - 1;
    (2 * power as usize + (distance >> extra & 1), (distance & ((1 << extra) - 1)) as u16, extra as u8)
}

/// The bits of the best code for each count (Huffman 1952), or nearly so where one would be too long.
fn code_lengths(counts: &[u32]) -> Vec<u8> {
    let mut counts = counts.to_vec();
    loop {
        let lengths = huffman_lengths(&counts);
        if lengths.iter().all(|length| *length <= MOST_BITS) {
            return lengths;
        }
        // Flatter counts have shorter codes, which are not quite the best.
        counts.iter_mut().for_each(|count| *count = count.div_ceil(2));
    }
}

fn huffman_lengths(counts: &[u32]) -> Vec<u8> {
    let mut parents = vec![0; 2 * counts.len() - 1];
    let mut heap: BinaryHeap<_> =
        counts.iter().copied().enumerate().map(|(node, count)| Reverse((count, node))).collect();
    for parent in counts.len()..parents.len() {
        let mut sum = 0;
        for _ in 0..2 {
            let Reverse((count, node)) = heap.pop().expect("each parent takes two and gives one");
            parents[node] = parent;
            sum += count;
        }
        heap.push(Reverse((sum, parent)));
    }
    let root = parents.len() - 1;
    let depth = |mut node: usize| -> u8 {
        let mut depth = 0;
        while node != root {
            node = parents[node];
            depth += 1;
        }
        depth
    };
    (0..counts.len()).map(depth).collect()
}

/// The codes of these lengths (RFC 1951, 3.2.2), each turned round, since a stream has the lowest bit first.
fn codes(lengths: &[u8]) -> Vec<Code> {
    let mut next = [0_u16; 16];
    for bits in 1..16 {
        let shorter = lengths.iter().filter(|length| usize::from(**length) == bits - 1 && bits > 1).count() as u16;
        next[bits] = (next[bits - 1] + shorter) << 1;
    }
    let code = |length: &u8| {
        let code = next[usize::from(*length)];
        next[usize::from(*length)] += 1;
        // What does not occur has no bits.
        (code.reverse_bits().checked_shr(16 - u32::from(*length)).unwrap_or(0), *length)
    };
    lengths.iter().map(code).collect()
}

/// The header of a last block with its own codes (RFC 1951, 3.2.7); code lengths are written without runs.
fn block_start(symbols: &[u8], distances: &[u8]) -> Vec<Code> {
    // Four bits for each of the sixteen lengths: better codes would save some 30 bytes a text.
    let length_lengths: Vec<u8> = (0..19).map(|length| if length < 16 { 4 } else { 0 }).collect();
    let length_codes = codes(&length_lengths);
    let mut start = vec![(1, 1), (2, 2), (symbols.len() as u16 - 257, 5), (distances.len() as u16 - 1, 5), (15, 4)];
    start.extend(LENGTH_ORDER.map(|length| (u16::from(length_lengths[length]), 3)));
    start.extend(symbols.iter().chain(distances).map(|length| length_codes[usize::from(*length)]));
    start
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;

    use super::super::super::dice::Dice;
    use super::super::tongue::Tongue;
    use super::*;

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        DeflateDecoder::new(packed).read_to_end(&mut text).unwrap();
        text
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let tongue = Tongue::plain();
        let mut packer = Packer::new();
        let mut dice = Dice::new(1);
        let mut texts = vec![Vec::new(), b"a".to_vec(), b"na na na na na na na".to_vec(), vec![b' '; 1_000]];
        // Bytes of all kinds, which the codes were not made for.
        texts.push((0..5_000).map(|_| dice.roll() as u8).collect());
        let mut long = Vec::new();
        tongue.write_text(300_000, &mut dice, &mut long);
        texts.push(long);
        for text in &texts {
            let mut packed = Vec::new();
            packer.pack(text, &tongue.codes, &mut packed);
            assert!(unpacked(&packed) == *text, "{} bytes", text.len());
        }
    }

    #[test]
    fn it_packs_nearly_as_well_as_a_library() {
        for tongue in [Tongue::plain(), Tongue::of_script("Cyrillic", "rus"), Tongue::of_script("Chinese", "zho")] {
            let mut text = Vec::new();
            tongue.write_text(9_000, &mut Dice::new(2), &mut text);
            let mut packed = Vec::new();
            Packer::new().pack(&text, &tongue.codes, &mut packed);
            let mut library = flate2::read::DeflateEncoder::new(&text[..], flate2::Compression::new(6));
            let library_bytes = library.read_to_end(&mut Vec::new()).unwrap();
            assert!(packed.len() * 10 < library_bytes * 13, "{}: {} and {library_bytes}", tongue.code, packed.len());
        }
    }
}
