//! Gzip members: crawls compress each record separately, so that one can be decompressed or copied without the others.
//!
//! Reading continues wherever another member follows: after zeros, after bytes that are not gzip, and after a damaged
//! member. Skipped bytes are reported, except for zeros at the end, with which tapes are padded.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use super::member_header;
use crate::compression::buffered;

/// One member: its range in the file, and the range of its content in the decompressed stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) packed_start: u64,
    pub(super) packed_end: u64,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Decompresses a gzip stream and records its members.
///
/// A member that is completely in the buffer, like most records of crawls, is decompressed at once, which takes half
/// the time; all others, and all damaged ones, are decompressed as streams.
pub(super) struct MemberReader {
    /// The reader at the start of a member; none inside one.
    between: Option<Counted>,
    /// The decoder inside a member.
    decoder: GzDecoder<Counted>,
    whole: WholeMembers,
    /// The current member, whose end is not known yet.
    member: Member,
    ended: bool,
    /// Skipped or damaged data that has not been reported.
    damage: Option<String>,
}

impl MemberReader {
    /// Reads a file from `position` on.
    pub(super) fn new(packed: impl Read + Send + 'static, position: u64) -> Self {
        let reader = Counted { reader: Some(buffered(Box::new(packed))), position, back: Back::default() };
        Self {
            between: Some(reader),
            decoder: GzDecoder::new(Counted::default()),
            whole: WholeMembers::default(),
            member: Member { packed_start: position, packed_end: position, start: 0, end: 0 },
            ended: false,
            damage: None,
        }
    }

    /// Takes the description of data that was skipped or damaged since the last call.
    pub(super) fn take_damage(&mut self) -> Option<String> {
        self.damage.take()
    }

    /// Number of compressed bytes read.
    pub(super) fn position(&self) -> u64 {
        self.between.as_ref().unwrap_or_else(|| self.decoder.get_ref()).position
    }

    /// Appends about `most` bytes to `bytes`, and completed members to `members`. Returns false at the end.
    pub(super) fn read(
        &mut self,
        bytes: &mut Vec<u8>,
        most: usize,
        members: &mut VecDeque<Member>,
    ) -> io::Result<bool> {
        let mut left = most;
        while left > 0 && !self.ended {
            let mut header = Ok(());
            if let Some(mut reader) = self.between.take() {
                if let Some(packed) = self.whole.unpack(reader.fill_buf()?) {
                    reader.consume(packed);
                    bytes.extend_from_slice(self.whole.unpacked());
                    let count = self.whole.unpacked().len();
                    self.member.end += count as u64;
                    left = left.saturating_sub(count);
                    self.end_member(reader, members)?;
                    continue;
                }
                header = member_header::read(&mut reader).map(|plain| reader.put_back(&plain));
                self.decoder.reset(reader);
            }
            let before = bytes.len();
            let result = header.and_then(|()| Read::take(&mut self.decoder, left as u64).read_to_end(bytes));
            // Data before the damage is valid, and counts.
            let count = bytes.len() - before;
            self.member.end += count as u64;
            left -= count;
            match result {
                Ok(_) if left == 0 => break,
                Ok(_) => {
                    let reader = std::mem::take(self.decoder.get_mut());
                    self.end_member(reader, members)?;
                }
                // System errors have a number; those of a decoder have none.
                Err(error) if error.raw_os_error().is_some() || is_far(&error) => return Err(error),
                Err(error) => {
                    let reader = std::mem::take(self.decoder.get_mut());
                    let Some(reader) = self.find_member(reader)? else {
                        self.ended = true;
                        return Err(error);
                    };
                    self.tell(format!("the gzip data is damaged near here ({error}): some of it is lost"));
                    self.start_member(reader);
                }
            }
        }
        Ok(!self.ended)
    }

    /// Finds the next possible start of a member; none if there is none.
    fn find_member(&mut self, mut reader: Counted) -> io::Result<Option<Counted>> {
        let mut seen = [0; 4];
        loop {
            // Deflate data, without undefined flags. (RFC 1952, 2.3)
            if let [0x1F, 0x8B, 0x08, flags] = seen
                && flags & 0xE0 == 0
            {
                reader.put_back(&seen);
                return Ok(Some(reader));
            }
            let bytes = reader.fill_buf()?;
            let Some(next) = bytes.first() else {
                self.between = Some(reader);
                return Ok(None);
            };
            if seen[1..].contains(&0x1F) {
                seen = [seen[1], seen[2], seen[3], *next];
                reader.consume(1);
            } else {
                let before = memchr::memchr(0x1F, bytes).unwrap_or(bytes.len());
                seen = [0, 0, 0, if before < bytes.len() { 0x1F } else { 0 }];
                let count = bytes.len().min(before + 1);
                reader.consume(count);
            }
        }
    }

    /// Records the completed member, and continues with the next one, or to the end.
    fn end_member(&mut self, mut reader: Counted, members: &mut VecDeque<Member>) -> io::Result<()> {
        self.member.packed_end = reader.position;
        members.push_back(self.member);
        let zeros = reader.pass_zeros()?;
        match reader.fill_buf()?.first() {
            Some(0x1F) if zeros == 0 => {}
            Some(0x1F) => self.tell(format!("{zeros} zero bytes between gzip members here were passed over")),
            None => self.ended = true,
            Some(_) => {
                let start = reader.position - zeros;
                let Some(found) = self.find_member(reader)? else {
                    self.tell("what follows the gzip data here is not gzip, and was passed over".to_owned());
                    self.ended = true;
                    return Ok(());
                };
                reader = found;
                let count = reader.position - start;
                self.tell(format!("{count} bytes between gzip members here are not gzip, and were passed over"));
            }
        }
        self.start_member(reader);
        Ok(())
    }

    /// Earlier damage that has not been reported explains more.
    fn tell(&mut self, damage: String) {
        self.damage.get_or_insert(damage);
    }

    fn start_member(&mut self, reader: Counted) {
        let (packed_start, start) = (reader.position, self.member.end);
        self.member = Member { packed_start, packed_end: packed_start, start, end: start };
        self.between = Some(reader);
    }
}

/// Decompresses members that are completely available.
struct WholeMembers {
    inflater: libdeflater::Decompressor,
    /// Output buffer.
    room: Vec<u8>,
    length: usize,
}

/// Maximum decompressed size of a member that is decompressed at once.
const LONGEST_WHOLE: usize = 1 << 20;

impl Default for WholeMembers {
    fn default() -> Self {
        Self { inflater: libdeflater::Decompressor::new(), room: Vec::new(), length: 0 }
    }
}

impl WholeMembers {
    /// Decompresses the member at the start of `packed`, and returns its length. None if it is too long or damaged, or
    /// if its end cannot be determined: then it must be read as a stream.
    fn unpack(&mut self, packed: &[u8]) -> Option<usize> {
        /// An empty header, and no content.
        const SHORTEST: usize = 18;
        /// Checksum and length, with which every member ends.
        const TRAILER: usize = 8;
        /// Start of the next member.
        const MAGIC: &[u8] = &[0x1F, 0x8B, 0x08];
        let end = SHORTEST + memchr::memmem::find(packed.get(SHORTEST..)?, MAGIC)?;
        let packed = &packed[..end];
        self.room.resize(LONGEST_WHOLE, 0);
        self.length = self.inflater.gzip_decompress(packed, &mut self.room).ok()?;
        // The library checks the end of a member, but does not return its position. The last eight bytes are now known,
        // and if they do not occur before `end`, that is the end.
        let sum = libdeflater::crc32(self.unpacked());
        let mut trailer = [0; TRAILER];
        trailer[..4].copy_from_slice(&sum.to_le_bytes());
        trailer[4..].copy_from_slice(&(self.length as u32).to_le_bytes());
        (memchr::memmem::find(packed, &trailer)? == end - TRAILER).then_some(end)
    }

    fn unpacked(&self) -> &[u8] {
        &self.room[..self.length]
    }
}

/// True if an error is of the connection, and not of the data.
pub(super) fn is_far(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<crate::Error>)
}

/// A reader that counts its position. Without an underlying reader it is at its end.
#[derive(Default)]
struct Counted {
    reader: Option<BufReader<Box<dyn Read + Send>>>,
    position: u64,
    back: Back,
}

/// Bytes to be read again: the last ones, this many.
#[derive(Default)]
struct Back {
    bytes: [u8; member_header::LENGTH],
    left: usize,
}

impl Back {
    fn bytes(&self) -> &[u8] {
        &self.bytes[self.bytes.len() - self.left..]
    }
}

impl Counted {
    /// Skips zeros, and returns their number.
    fn pass_zeros(&mut self) -> io::Result<u64> {
        let start = self.position;
        loop {
            let bytes = self.fill_buf()?;
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            if zeros == 0 {
                return Ok(self.position - start);
            }
            self.consume(zeros);
        }
    }

    /// Puts bytes back, in place of as many that were read last.
    fn put_back(&mut self, bytes: &[u8]) {
        self.position -= bytes.len() as u64;
        self.back.left = bytes.len();
        let start = self.back.bytes.len() - bytes.len();
        self.back.bytes[start..].copy_from_slice(bytes);
    }
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let ahead = self.fill_buf()?;
        let count = ahead.len().min(bytes.len());
        bytes[..count].copy_from_slice(&ahead[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.back.left > 0 {
            return Ok(self.back.bytes());
        }
        self.reader.as_mut().map_or(Ok(&[]), BufRead::fill_buf)
    }

    fn consume(&mut self, count: usize) {
        self.position += count as u64;
        // Never more than `fill_buf` returned, which is from one of the two.
        if self.back.left > 0 {
            self.back.left -= count;
        } else if let Some(reader) = &mut self.reader {
            reader.consume(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;

    use super::*;

    /// A piece of a file.
    #[derive(Clone, Debug)]
    enum Piece {
        Member {
            content: Vec<u8>,
            level: u32,
            extra: Vec<u8>,
        },
        /// A stored member that contains its own last eight bytes.
        OwnTrailer,
        Zeros(usize),
        Rubbish(Vec<u8>),
    }

    fn member(content: &[u8], level: u32, extra: &[u8]) -> Vec<u8> {
        let builder = if extra.is_empty() { GzBuilder::new() } else { GzBuilder::new().extra(extra).filename("name") };
        let mut encoder = builder.write(Vec::new(), Compression::new(level));
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// Content whose last eight bytes are its own checksum and length: constructed backwards from an arbitrary
    /// checksum, since four more bytes can produce any checksum.
    fn content_with_its_own_trailer() -> Vec<u8> {
        // The length is known in advance; the last four bytes make the checksum 0.
        let mut content = b"0123 ".repeat(4);
        content.extend([0; 4]);
        content.extend(((content.len() + 4 + 6 + 4) as u32).to_le_bytes());
        content.extend(b"behind");
        let mut wanted = 0xFFFF_FFFF_u32;
        let table: Vec<u32> = (0..256_u32)
            .map(|byte| (0..8).fold(byte, |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 }))
            .collect();
        // Four steps back from the register that gives 0, then forwards from the one after the text.
        let mut indices = [0; 4];
        for index in indices.iter_mut().rev() {
            *index = table.iter().position(|entry| entry >> 24 == wanted >> 24).unwrap();
            wanted = (wanted ^ table[*index]) << 8;
        }
        let mut register = !libdeflater::crc32(&content);
        for index in indices {
            content.push((register ^ index as u32) as u8);
            register = register >> 8 ^ table[index];
        }
        assert_eq!(libdeflater::crc32(&content), 0);
        content
    }

    /// The data read from a file, and the reported damage; an error if the rest is lost.
    fn read(file: Vec<u8>) -> (Vec<u8>, VecDeque<Member>, Vec<String>, bool) {
        let mut reader = MemberReader::new(io::Cursor::new(file), 0);
        let (mut bytes, mut members, mut told) = (Vec::new(), VecDeque::new(), Vec::new());
        loop {
            let more = reader.read(&mut bytes, 1000, &mut members);
            told.extend(reader.take_damage());
            match more {
                Ok(true) => {}
                Ok(false) => return (bytes, members, told, false),
                Err(_) => return (bytes, members, told, true),
            }
        }
    }

    fn pieces() -> impl Strategy<Value = Vec<Piece>> {
        let content = prop_oneof![
            Just(Vec::new()),
            proptest::collection::vec(any::<u8>(), 1..200),
            (1..5000_usize).prop_map(|length| b"some words ".repeat(length)),
            // As in a page that is itself compressed.
            Just(member(b"inside", 6, b"")),
        ];
        let plain = (content, 0..=9_u32, prop_oneof![Just(Vec::new()), Just(b"BC\x02\0\x1B\0".to_vec())]);
        let piece = prop_oneof![
            8 => plain.prop_map(|(content, level, extra)| Piece::Member { content, level, extra }),
            1 => Just(Piece::OwnTrailer),
            1 => (1..600_usize).prop_map(Piece::Zeros),
            // Nothing that could be the start of a member, whose cost is tested elsewhere.
            1 => proptest::collection::vec(1..0x1F_u8, 1..600).prop_map(Piece::Rubbish),
        ];
        proptest::collection::vec(piece, 0..8)
    }

    proptest! {
        #[test]
        fn every_member_is_read_and_whatever_is_passed_over_is_told(pieces in pieces()) {
            // A file that does not start with a member is not recognized as gzip.
            let mut file = member(b"first", 6, b"");
            let mut content = b"first".to_vec();
            let mut passed_over = false;
            let (mut zeros, mut count) = (false, 1);
            for piece in &pieces {
                match piece {
                    Piece::Member { content: bytes, level, extra } => {
                        file.extend(member(bytes, *level, extra));
                        content.extend(bytes);
                        passed_over |= zeros;
                        count += 1;
                    }
                    Piece::OwnTrailer => {
                        file.extend(member(&content_with_its_own_trailer(), 0, b""));
                        content.extend(content_with_its_own_trailer());
                        passed_over |= zeros;
                        count += 1;
                    }
                    Piece::Zeros(length) => {
                        file.extend(vec![0; *length]);
                        zeros = true;
                    }
                    Piece::Rubbish(bytes) => {
                        file.extend(bytes);
                        passed_over = true;
                    }
                }
            }
            let (bytes, members, told, is_lost) = read(file.clone());
            prop_assert_eq!(bytes, &*content);
            prop_assert_eq!(members.len(), count);
            prop_assert_eq!(!told.is_empty(), passed_over, "{:?}", told);
            prop_assert!(!is_lost);
            for member in members {
                let packed = &file[member.packed_start as usize..member.packed_end as usize];
                let mut unpacked = Vec::new();
                GzDecoder::new(packed).read_to_end(&mut unpacked).unwrap();
                prop_assert_eq!(unpacked, &content[member.start as usize..member.end as usize]);
            }
        }
    }

    #[test]
    fn a_member_that_contains_its_own_trailer_does_not_end_there() {
        let content = content_with_its_own_trailer();
        let packed = member(&content, 0, b"");
        let trailer = &packed[packed.len() - 8..];
        assert!(memchr::memmem::find(&content, trailer).is_some(), "the case is what it says");
        let file = [packed.clone(), member(b"next", 6, b"")].concat();
        let (bytes, members, told, _) = read(file);
        assert_eq!(bytes, [content, b"next".to_vec()].concat());
        assert_eq!((members[0].packed_end, told), (packed.len() as u64, Vec::new()));
    }

    #[test]
    fn names_comments_and_extra_fields_of_any_length_are_read() {
        let long = |byte: u8| vec![byte; 200_000];
        let named = |extra: Vec<u8>| {
            let builder = GzBuilder::new().filename(long(b'n')).comment(long(b'c')).extra(extra);
            let mut encoder = builder.write(Vec::new(), Compression::new(6));
            encoder.write_all(b"content").unwrap();
            encoder.finish().unwrap()
        };
        let files = [named(vec![0; 65_535]), with_header_sum(&named(b"BC\x02\0\x1B\0".to_vec()), 0)];
        for named in files {
            // Before another member, and at the end.
            let file = [member(b"first ", 6, b""), named.clone(), member(b" next ", 6, b""), named.clone()].concat();
            let (bytes, members, told, is_lost) = read(file);
            assert_eq!((bytes, told, is_lost), (b"first content next content".to_vec(), Vec::new(), false));
            assert_eq!(members[1].packed_end - members[1].packed_start, named.len() as u64);
        }
        // A wrong checksum is damage, and affects only this member.
        let file = [with_header_sum(&named(Vec::new()), 1), member(b"next", 6, b"")].concat();
        let (bytes, _, told, is_lost) = read(file);
        assert_eq!((bytes, told.len(), is_lost), (b"next".to_vec(), 1, false));
        // A name that never ends is a truncated member.
        let (bytes, _, _, is_lost) = read([member(b"first", 6, b""), named(Vec::new())[..150_000].to_vec()].concat());
        assert_eq!((bytes, is_lost), (b"first".to_vec(), true));
    }

    /// Adds a checksum to a header that ends with a comment, off by `wrong`.
    fn with_header_sum(member: &[u8], wrong: u16) -> Vec<u8> {
        let content = memchr::memmem::find(member, b"c\0").unwrap() + 2;
        let mut header = member[..content].to_vec();
        header[3] |= 2;
        let sum = (libdeflater::crc32(&header) as u16).wrapping_add(wrong);
        [&header, &sum.to_le_bytes()[..], &member[content..]].concat()
    }

    #[test]
    fn members_of_usual_crawls_are_unpacked_at_once() {
        let file: Vec<u8> = (0..3).flat_map(|_| member(&b"some words ".repeat(400), 6, b"")).collect();
        let mut whole = WholeMembers::default();
        assert_eq!(whole.unpack(&file), Some(file.len() / 3));
        assert_eq!(whole.unpacked().len(), 4400);
    }
}
