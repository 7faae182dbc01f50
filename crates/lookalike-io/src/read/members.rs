//! Gzip members: crawls pack each record by itself, so that one can be unpacked, or copied, without the others.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use crate::compression::buffered;

/// One member: where it lies packed, and where its content lies in the unpacked stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) packed_start: u64,
    pub(super) packed_end: u64,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Unpacks a gzip stream and notes its members.
///
/// A member that lies in the buffer as a whole, as records of crawls do, is unpacked at once, which takes half the time; all others
/// and all that are damaged are unpacked as streams.
pub(super) struct MemberReader {
    /// Reads on from the start of a member; none inside of one.
    between: Option<Counted>,
    /// Inside of a member.
    decoder: GzDecoder<Counted>,
    whole: WholeMembers,
    /// The present member, with its end not yet known.
    member: Member,
    ended: bool,
    has_rubbish: bool,
    /// Why a member could not be unpacked, when another one follows.
    damage: Option<io::Error>,
}

impl MemberReader {
    /// Of what lies in its file from `position` on.
    pub(super) fn new(packed: impl Read + Send + 'static, position: u64) -> Self {
        let reader = Counted { reader: Some(buffered(Box::new(packed))), position, back: ([0; 4], 0) };
        Self {
            between: Some(reader),
            decoder: GzDecoder::new(Counted::default()),
            whole: WholeMembers::default(),
            member: Member { packed_start: position, packed_end: position, start: 0, end: 0 },
            ended: false,
            has_rubbish: false,
            damage: None,
        }
    }

    /// Whether something follows the last member that is not gzip.
    pub(super) fn has_rubbish(&self) -> bool {
        self.has_rubbish
    }

    /// Why a member could not be unpacked to its end, if that was so since this was asked the last time.
    pub(super) fn take_damage(&mut self) -> Option<io::Error> {
        self.damage.take()
    }

    /// How many packed bytes were read.
    pub(super) fn position(&self) -> u64 {
        self.between.as_ref().unwrap_or_else(|| self.decoder.get_ref()).position
    }

    /// Appends about `most` bytes to `bytes`, and members that came to their end to `members`. False at the end.
    pub(super) fn read(&mut self, bytes: &mut Vec<u8>, most: usize, members: &mut Vec<Member>) -> io::Result<bool> {
        let mut left = most;
        while left > 0 && !self.ended {
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
                self.decoder.reset(reader);
            }
            let before = bytes.len();
            let result = Read::take(&mut self.decoder, left as u64).read_to_end(bytes);
            // What came before the damage is good, and counts.
            let count = bytes.len() - before;
            self.member.end += count as u64;
            left -= count;
            match result {
                Ok(_) if left == 0 => break,
                Ok(_) => {
                    let reader = std::mem::take(self.decoder.get_mut());
                    self.end_member(reader, members)?;
                }
                // The system has a number for its own errors; a decoder's have none.
                Err(error) if error.raw_os_error().is_some() || is_far(&error) => return Err(error),
                Err(error) => {
                    if !self.find_member()? {
                        self.ended = true;
                        return Err(error);
                    }
                    self.damage.get_or_insert(error);
                }
            }
        }
        Ok(!self.ended)
    }

    /// Goes on to where another member may start: crawls have one a record, and only one of them is damaged.
    fn find_member(&mut self) -> io::Result<bool> {
        let mut seen = [0; 4];
        let mut reader = std::mem::take(self.decoder.get_mut());
        loop {
            let bytes = reader.fill_buf()?;
            let Some(next) = bytes.first() else {
                self.between = Some(reader);
                return Ok(false);
            };
            // Deflate data, and no flag that is not defined. (RFC 1952, 2.3)
            if let [0x1F, 0x8B, 0x08, flags] = seen
                && flags & 0xE0 == 0
            {
                break;
            }
            seen = [seen[1], seen[2], seen[3], *next];
            reader.consume(1);
        }
        reader.put_back(seen);
        self.start_member(reader);
        Ok(true)
    }

    fn end_member(&mut self, mut reader: Counted, members: &mut Vec<Member>) -> io::Result<()> {
        self.member.packed_end = reader.position;
        members.push(self.member);
        let follows = reader.fill_buf()?;
        // Tapes and block devices fill up with zeros, which gzip itself passes over; other bytes are worth a word.
        if follows.first() != Some(&0x1F) {
            self.ended = true;
            self.has_rubbish = follows.first().is_some_and(|byte| *byte != 0);
        }
        self.start_member(reader);
        Ok(())
    }

    fn start_member(&mut self, reader: Counted) {
        let (packed_start, start) = (reader.position, self.member.end);
        self.member = Member { packed_start, packed_end: packed_start, start, end: start };
        self.between = Some(reader);
    }
}

/// Unpacks members that are all there.
struct WholeMembers {
    inflater: libdeflater::Decompressor,
    /// Where they are unpacked to.
    room: Vec<u8>,
    length: usize,
}

/// The longest member that is unpacked at once, unpacked.
const LONGEST_WHOLE: usize = 1 << 20;

impl Default for WholeMembers {
    fn default() -> Self {
        Self { inflater: libdeflater::Decompressor::new(), room: Vec::new(), length: 0 }
    }
}

impl WholeMembers {
    /// Unpacks the member at the start of `packed`, and says how long it is. None if it is not all there, too long, or damaged.
    fn unpack(&mut self, packed: &[u8]) -> Option<usize> {
        /// A header without anything, and no content.
        const SHORTEST: usize = 18;
        /// Checksum and length, which every member ends with.
        const TRAILER: usize = 8;
        if packed.len() < SHORTEST {
            return None;
        }
        self.room.resize(LONGEST_WHOLE, 0);
        self.length = self.inflater.gzip_decompress(packed, &mut self.room).ok()?;
        // The library checks how a member ends, and does not say where. Another place with the same eight bytes before it is as
        // likely as another text with the same hash.
        let sum = libdeflater::crc32(self.unpacked());
        let mut trailer = [0; TRAILER];
        trailer[..4].copy_from_slice(&sum.to_le_bytes());
        trailer[4..].copy_from_slice(&(self.length as u32).to_le_bytes());
        let first = SHORTEST - TRAILER;
        memchr::memmem::find(&packed[first..], &trailer).map(|at| first + at + TRAILER)
    }

    fn unpacked(&self) -> &[u8] {
        &self.room[..self.length]
    }
}

/// Whether an error is of the way to the data, and not of the data.
pub(super) fn is_far(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<crate::Error>)
}

/// A reader that knows how far it is. Without a reader it is at its end.
#[derive(Default)]
struct Counted {
    reader: Option<BufReader<Box<dyn Read + Send>>>,
    position: u64,
    /// Bytes that were read too far, and how many of them are still to be read again.
    back: ([u8; 4], usize),
}

impl Counted {
    /// The last four bytes that were read are read again.
    fn put_back(&mut self, bytes: [u8; 4]) {
        self.position -= 4;
        self.back = (bytes, 4);
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
        if self.back.1 > 0 {
            return Ok(&self.back.0[4 - self.back.1..]);
        }
        self.reader.as_mut().map_or(Ok(&[]), BufRead::fill_buf)
    }

    fn consume(&mut self, count: usize) {
        self.position += count as u64;
        // Never more than `fill_buf` gave, which is from one of the two.
        if self.back.1 > 0 {
            self.back.1 -= count;
        } else if let Some(reader) = &mut self.reader {
            reader.consume(count);
        }
    }
}
