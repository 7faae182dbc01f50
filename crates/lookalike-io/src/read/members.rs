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
pub(super) struct MemberReader {
    decoder: GzDecoder<Counted>,
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
        let member = Member { packed_start: position, packed_end: position, start: 0, end: 0 };
        Self { decoder: GzDecoder::new(reader), member, ended: false, has_rubbish: false, damage: None }
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
        self.decoder.get_ref().position
    }

    /// Appends up to `most` bytes to `bytes`, and members that came to their end to `members`. False at the end.
    pub(super) fn read(&mut self, bytes: &mut Vec<u8>, most: usize, members: &mut Vec<Member>) -> io::Result<bool> {
        let mut left = most;
        while left > 0 && !self.ended {
            let before = bytes.len();
            let result = Read::take(&mut self.decoder, left as u64).read_to_end(bytes);
            // What came before the damage is good, and counts.
            let count = bytes.len() - before;
            self.member.end += count as u64;
            left -= count;
            match result {
                Ok(_) if left == 0 => break,
                Ok(_) => self.end_member(members)?,
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
        let reader = self.decoder.get_mut();
        loop {
            let bytes = reader.fill_buf()?;
            let Some(next) = bytes.first() else { return Ok(false) };
            // Deflate data, and no flag that is not defined. (RFC 1952, 2.3)
            if let [0x1F, 0x8B, 0x08, flags] = seen
                && flags & 0xE0 == 0
            {
                break;
            }
            seen = [seen[1], seen[2], seen[3], *next];
            reader.consume(1);
        }
        let mut reader = std::mem::take(self.decoder.get_mut());
        reader.put_back(seen);
        let (packed_start, start) = (reader.position, self.member.end);
        self.member = Member { packed_start, packed_end: packed_start, start, end: start };
        self.decoder.reset(reader);
        Ok(true)
    }

    fn end_member(&mut self, members: &mut Vec<Member>) -> io::Result<()> {
        self.member.packed_end = self.position();
        members.push(self.member);
        let (packed_start, start) = (self.member.packed_end, self.member.end);
        self.member = Member { packed_start, packed_end: packed_start, start, end: start };
        let follows = self.decoder.get_mut().fill_buf()?;
        // Tapes and block devices fill up with zeros, which gzip itself passes over; other bytes are worth a word.
        if follows.first() == Some(&0x1F) {
            let reader = std::mem::take(self.decoder.get_mut());
            self.decoder.reset(reader);
        } else {
            self.ended = true;
            self.has_rubbish = follows.first().is_some_and(|byte| *byte != 0);
        }
        Ok(())
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
