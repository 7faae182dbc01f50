//! Hashes the words of a run of text with non-ASCII characters.
//!
//! Most words are hashed in place, in a copy of the text whose ASCII letters are lowercase already: other capitals that
//! keep their number of bytes are overwritten there. A word may turn out not to fit, because of a mark that composes
//! with its last letter. Then the part already read goes to a [`WordWriter`], which takes characters one by one.

use super::ascii::{BLOCK, Block};
use super::character::{Character, Class, Kind, character, class, known_class};
use super::tokenize::TokenSink;
use super::unit;
use crate::hash::{Hasher, SHORT, token_hash};

/// The hash of the token from `start` to `end` in a lower-case copy that has room for a short token after it.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called for every word")]
pub(super) fn hash_in_place(hasher: &mut Hasher, lower: &[u8], start: usize, end: usize) -> u64 {
    match lower[start..].first_chunk() {
        Some(bytes) if end - start <= SHORT => hasher.hash_or_note_short(bytes, end - start),
        _ => hasher.hash_or_note(&lower[start..end]),
    }
}

/// Text being split into words: a piece, its lowercase copy, and the position of the piece in the text.
pub(super) struct Words<'a, S> {
    pub(super) hasher: &'a mut Hasher,
    pub(super) piece: &'a str,
    pub(super) lower: &'a mut [u8],
    pub(super) offset: usize,
    /// Room for a word that does not fit.
    pub(super) word: &'a mut String,
    pub(super) sink: &'a mut S,
}

impl<S: TokenSink> Words<'_, S> {
    /// Gives the words from `start` to `end` to the sink. No word reaches over either.
    #[inline]
    pub(super) fn read(&mut self, start: usize, end: usize) {
        let bytes = self.piece.as_bytes();
        let mut at = start;
        // Start of the word in progress; there is none if this equals `at`.
        let mut word = start;
        let mut is_alone = false;
        // Where the last mark ended that may have to change places with another one.
        let mut ordered = usize::MAX;
        while at < end {
            let (code, length) = decode(bytes, at);
            let mut class = if length == 1 { Class::LETTER } else { class(code) };
            if class == Class::OTHER_LETTER || class == Class::OTHER_ALONE {
                overwrite(self.lower, code, at);
                class = if class == Class::OTHER_ALONE { Class::ALONE } else { Class::LETTER };
            }
            match class {
                Class::LETTER => {
                    if is_alone {
                        self.end(word, at);
                        word = at;
                        is_alone = false;
                    }
                }
                Class::ALONE => {
                    self.end(word, at);
                    word = self.read_lone_letters(at, end);
                    at = word;
                    is_alone = true;
                }
                Class::MARK => word = if word == at { at + length } else { word },
                Class::ORDERED_MARK if ordered != at => {
                    word = if word == at { at + length } else { word };
                    ordered = at + length;
                }
                Class::OTHER => {
                    self.end(word, at);
                    word = at + length;
                    is_alone = false;
                }
                _ => {
                    at = self.read_slowly(word, is_alone, at, start, end);
                    word = at;
                    is_alone = false;
                    continue;
                }
            }
            at += length;
        }
        self.end(word, at);
    }

    /// Reads letters of three bytes that stand by themselves, the first of them at `at`, and says where the last one
    /// starts: marks may follow that.
    #[inline]
    fn read_lone_letters(&mut self, mut at: usize, end: usize) -> usize {
        const LENGTH: usize = 3;
        if self.lower[at] & 0xF0 != 0xE0 {
            return at;
        }
        while at + 2 * LENGTH <= end
            && let Some(bytes) = self.lower[at..].first_chunk::<SHORT>()
            && bytes[LENGTH] & 0xF0 == 0xE0
            && known_class(three_bytes(bytes[3], bytes[4], bytes[5])) == Class::ALONE
        {
            let start = self.offset + at;
            self.sink.token(self.hasher.hash_or_note_short(bytes, LENGTH), start, start + LENGTH);
            at += LENGTH;
        }
        at
    }

    /// Gives the word from `start` to `end` to the sink, if there is one.
    #[inline]
    pub(super) fn end(&mut self, start: usize, end: usize) {
        if start < end {
            self.sink.token(hash_in_place(self.hasher, self.lower, start, end), self.offset + start, self.offset + end);
        }
    }

    /// Reads on until no word is in progress, and returns that position. The word starts at `word`, and the character
    /// at `at` does not fit; nothing before `start` matters.
    #[cold]
    fn read_slowly(&mut self, word: usize, is_alone: bool, at: usize, start: usize, end: usize) -> usize {
        let text = &self.piece[..end];
        // The character that does not fit may compose with the text before it: a letter, and at most one mark since.
        let mut from = at;
        while let Some(before) = text[start..from].chars().next_back() {
            from -= before.len_utf8();
            if !character(before).reorders {
                break;
            }
        }
        let kept = std::str::from_utf8(&self.lower[word.min(from)..from]).unwrap_or_default();
        let mut writer = WordWriter::new(&mut *self.hasher, &mut *self.word, &mut *self.sink);
        writer.word.push_str(kept);
        (writer.start, writer.end) = (self.offset + word, self.offset + from);
        // A lone letter with marks: only a single character has its hash in the table.
        writer.alone = (is_alone && !kept.is_empty()).then(|| token_hash(kept.as_bytes()));
        let mut at = from;
        while at < end {
            at = unit::piece(text, at, self.offset, &mut |character, start, end| writer.push(character, start, end));
            if text[at..].chars().next().is_none_or(|c| class(c as u32).ends_a_word()) {
                break;
            }
        }
        writer.end();
        at
    }
}

/// Overwrites a letter in place with its folded form, which has the same length.
fn overwrite(lower: &mut [u8], code: u32, at: usize) {
    let folded = char::from_u32(code).map_or('\0', |c| character(c).folded);
    let mut bytes = [0; 4];
    let bytes = folded.encode_utf8(&mut bytes).as_bytes();
    lower[at..at + bytes.len()].copy_from_slice(bytes);
}

/// The code of the character that starts at `at`, and its length in bytes. The text is UTF-8, so nothing is missing.
#[inline]
fn decode(bytes: &[u8], at: usize) -> (u32, usize) {
    let next = |i: usize| bytes.get(at + i).copied().unwrap_or(0);
    match bytes[at] {
        first @ 0..0x80 => (u32::from(first), 1),
        first @ 0x80..0xE0 => (two_bytes(first, next(1)), 2),
        first @ 0xE0..0xF0 => (three_bytes(first, next(1), next(2)), 3),
        first => {
            let low = |i: usize| u32::from(next(i) & 0x3F);
            (u32::from(first & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4)
        }
    }
}

/// The code of a character of two bytes.
#[inline]
fn two_bytes(first: u8, second: u8) -> u32 {
    u32::from(first & 0x1F) << 6 | u32::from(second & 0x3F)
}

/// The code of a character of three bytes.
#[inline]
fn three_bytes(first: u8, second: u8, third: u8) -> u32 {
    u32::from(first & 0x0F) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F)
}

/// Looks at the characters of a piece that are not ASCII. Those of plain words become bits of `words`, those of no word
/// become nothing, and what stays in `wide` needs a closer look. Scripts without spaces are left to [`Words::read`] as
/// they are.
pub(super) fn classify(lower: &mut [u8], blocks: &mut [Block]) {
    let Some(first) = blocks.iter().position(|block| block.wide != 0) else { return };
    let at = first * BLOCK + blocks[first].wide.trailing_zeros() as usize;
    if class(decode(lower, at).0) == Class::ALONE {
        return;
    }
    // What a character that started in the block before left over to this one: all its bytes, those of a word, those in
    // doubt.
    let (mut begun, mut words_begun, mut wide_begun) = (0, 0, 0);
    // Whether the last byte of the block before is of a word.
    let mut before = 0;
    // Where the last mark ended that may have to change places with another one.
    let mut ordered = usize::MAX;
    for (start, block) in (0..).step_by(BLOCK).zip(blocks).skip(first) {
        let mut left = block.wide & !begun;
        let (mut words, mut wide) = (block.words | words_begun, wide_begun);
        (begun, words_begun, wide_begun) = (0, 0, 0);
        // Letters that become others are overwritten when all of the block was read.
        let mut others = 0_u64;
        // There is room for the rest of the last character: see `words_of_piece`.
        let Some(bytes) = lower[start..].first_chunk::<{ BLOCK + SHORT }>() else { return };
        while left != 0 {
            let bit = left.trailing_zeros() as usize % BLOCK;
            // Most characters, by constants.
            let (first, second) = (bytes[bit], bytes[bit + 1]);
            if first < 0xE0 && known_class(two_bytes(first, second)) == Class::LETTER {
                words |= 0b11 << bit;
                begun = u64::from(bit == BLOCK - 1);
                words_begun = begun;
                left &= left - 1;
                left &= left.wrapping_sub(1);
                continue;
            }
            let (code, length) = decode(bytes, bit);
            let all = (1_u64 << length) - 1;
            let (bits, over) = (all << bit, all >> 1 >> (BLOCK - 1 - bit));
            left &= !bits;
            begun = over;
            let class = class(code);
            let is_word = match class {
                Class::LETTER => true,
                Class::OTHER_LETTER => {
                    others |= 1 << bit;
                    true
                }
                Class::MARK | Class::ORDERED_MARK => {
                    let follows_a_letter = if bit == 0 { before } else { words >> (bit - 1) & 1 } == 1;
                    let is_second = class == Class::ORDERED_MARK && ordered == start + bit;
                    if class == Class::ORDERED_MARK {
                        ordered = start + bit + length;
                    }
                    follows_a_letter && !is_second
                }
                _ => false,
            };
            if is_word {
                (words, words_begun) = (words | bits, over);
            } else if class != Class::OTHER {
                (wide, wide_begun) = (wide | bits, over);
            }
        }
        while others != 0 {
            let at = start + others.trailing_zeros() as usize;
            overwrite(lower, decode(lower, at).0, at);
            others &= others - 1;
        }
        *block = Block { words, wide };
        before = words >> (BLOCK - 1);
    }
}

/// Puts characters together to words.
pub(super) struct WordWriter<'a, S> {
    hasher: &'a mut Hasher,
    word: &'a mut String,
    start: usize,
    end: usize,
    /// The open word is one character of a script without spaces, and this is its hash as long as no mark follows.
    alone: Option<u64>,
    sink: &'a mut S,
}

impl<'a, S: TokenSink> WordWriter<'a, S> {
    /// Creates a writer without a word in progress; `word` is its buffer.
    pub(super) fn new(hasher: &'a mut Hasher, word: &'a mut String, sink: &'a mut S) -> Self {
        word.clear();
        Self { hasher, word, start: 0, end: 0, alone: None, sink }
    }

    #[inline]
    pub(super) fn push(&mut self, character: &Character, start: usize, end: usize) {
        match character.kind {
            Kind::Letter => {
                if self.alone.is_some() {
                    self.end();
                }
                if self.word.is_empty() {
                    self.start = start;
                }
            }
            Kind::Alone => {
                self.end();
                self.start = start;
                self.alone = Some(character.hash);
            }
            // The text after a lone letter's marks must still start a new word, so the word stays `alone`.
            Kind::Mark if !self.word.is_empty() => {}
            Kind::Mark | Kind::Space | Kind::Other | Kind::Complex => return self.end(),
        }
        self.word.push(character.folded);
        self.end = end;
    }

    #[inline]
    pub(super) fn end(&mut self) {
        if !self.word.is_empty() {
            let hash = match self.alone {
                Some(hash) if self.hasher.is_fixed() && self.is_one_character() => hash,
                _ => self.hasher.hash_or_note(self.word.as_bytes()),
            };
            self.sink.token(hash, self.start, self.end);
            self.word.clear();
        }
        self.alone = None;
    }

    /// Extends the word in progress to `end`: the text in between was left out.
    pub(super) fn stretch(&mut self, end: usize) {
        if !self.word.is_empty() {
            self.end = end;
        }
    }

    fn is_one_character(&self) -> bool {
        self.word.chars().nth(1).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_decoded() {
        for c in '\0'..=char::MAX {
            let mut bytes = [0; 4];
            let length = c.encode_utf8(&mut bytes).len();
            assert_eq!(decode(&bytes, 0), (c as u32, length), "{c:?}");
        }
    }

    #[test]
    fn characters_that_lie_across_blocks_are_of_one_word() {
        for (character, before) in
            ["я", "Я", "é", "한", "ａ", "𐐨", "𐐀"].iter().flat_map(|c| (55..68).map(move |n| (c, n)))
        {
            let mut lower = format!("{:before$}{}", "", character.repeat(9)).into_bytes();
            let end = lower.len();
            lower.resize(end.next_multiple_of(BLOCK) + SHORT, 0);
            let mut blocks = vec![Block::default(); lower.len() / BLOCK];
            super::super::ascii::scalar(&lower.clone(), &mut lower, &mut blocks);
            classify(&mut lower, &mut blocks);
            let is_word = |at: usize| blocks[at / BLOCK].words >> (at % BLOCK) & 1 == 1;
            let words: Vec<usize> = (0..blocks.len() * BLOCK).filter(|at| is_word(*at)).collect();
            // A full-width letter becomes one of a single byte, so that it needs a closer look.
            let expected: Vec<usize> = if *character == "ａ" { Vec::new() } else { (before..end).collect() };
            assert_eq!(words, expected, "{character} at {before}");
        }
    }
}
