//! Entries that are too long to be read: skips them up to the start of the next entry.

use super::{CHUNK, End, Stream};
use crate::error::Result;
use crate::format::Format;
use crate::read::cut::Cut;
use crate::read::source::START;
use crate::read::warc;
use crate::skipped::{RECORD_LIMIT, SkipReason};

/// Compression ratio within an entry that is already too long from which it counts as a decompression bomb.
const BOMB: u64 = 100;

impl Stream {
    /// Skips an entry that is too long.
    pub(super) fn cut_off(&mut self, cut: &mut Cut) {
        cut.clear();
        self.cut(true, cut);
        if cut.end > 0 {
            return;
        }
        // Its bytes belong to no entry.
        let reason = SkipReason::too_long(self.settings.longest);
        match self.kind.format {
            // The start of the next one cannot be determined.
            Format::JsonList | Format::JsonValues => {
                cut.push(
                    0..0,
                    Some(SkipReason::RecordLimit(format!("{reason}; the rest of the file is lost with it"))),
                );
                self.end = End::Reached;
            }
            Format::Text | Format::Html => {
                cut.push(0..0, Some(reason));
                self.end = End::Reached;
            }
            _ => {
                cut.push(0..0, Some(reason));
                self.is_skipping = true;
            }
        }
    }

    /// Reads up to the start of the next entry, and drops the bytes before.
    pub(super) fn skip(&mut self) -> Result<()> {
        // The buffered bytes were decompressed before.
        let unpacked_start = self.offset + self.ahead.len() as u64;
        let packed_start = self.source.packed_bytes();
        self.is_skipping = false;
        // A terminator across two buffers is found in the second.
        let pattern: &[u8] = match self.kind.format {
            Format::Warc => warc::NEXT,
            Format::Paragraphs => b"\n\n",
            _ => b"\n",
        };
        loop {
            let found = memchr::memmem::find(self.ahead.as_slice(), pattern);
            let known = match found {
                // A record starts after the line end, a paragraph after two.
                Some(at) => at + if self.kind.format == Format::Warc { 1 } else { pattern.len() },
                None if self.at_end() => self.ahead.len(),
                None => self.ahead.len().saturating_sub(pattern.len() - 1),
            };
            self.ahead.consume(known);
            self.offset += known as u64;
            if found.is_some() || self.at_end() {
                return Ok(());
            }
            if let (Some(start), Some(now)) = (packed_start, self.source.packed_bytes())
                && (self.offset + self.ahead.len() as u64).saturating_sub(unpacked_start)
                    > BOMB * (now - start).max(START as u64)
            {
                let longest = self.settings.longest;
                self.give_up(SkipReason::RecordLimit(format!(
                    "unpacks to more than {BOMB} times its size in one entry of more than {longest} bytes, {RECORD_LIMIT}: \
                     cut off, the rest is lost"
                )));
                return Ok(());
            }
            self.read_to(CHUNK)?;
        }
    }
}
