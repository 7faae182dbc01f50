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
}

impl MemberReader {
    pub(super) fn new(packed: impl Read + Send + 'static) -> Self {
        let reader = Counted { reader: Some(buffered(Box::new(packed))), position: 0 };
        let member = Member { packed_start: 0, packed_end: 0, start: 0, end: 0 };
        Self { decoder: GzDecoder::new(reader), member, ended: false, has_rubbish: false }
    }

    /// Whether something follows the last member that is not gzip.
    pub(super) fn has_rubbish(&self) -> bool {
        self.has_rubbish
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
            result?;
            if count == left {
                break;
            }
            left -= count;
            self.end_member(members)?;
        }
        Ok(!self.ended)
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

/// A reader that knows how far it is. Without a reader it is at its end.
#[derive(Default)]
struct Counted {
    reader: Option<BufReader<Box<dyn Read + Send>>>,
    position: u64,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.as_mut().map_or(Ok(0), |reader| reader.read(bytes))?;
        self.position += count as u64;
        Ok(count)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.as_mut().map_or(Ok(&[]), BufRead::fill_buf)
    }

    fn consume(&mut self, count: usize) {
        self.position += count as u64;
        if let Some(reader) = &mut self.reader {
            reader.consume(count);
        }
    }
}
