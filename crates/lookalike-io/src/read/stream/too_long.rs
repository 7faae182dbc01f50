//! Entries that are too long to be read: given up, and passed over to where the next one starts.

use super::{CHUNK, End, Stream};
use crate::error::Result;
use crate::format::Format;
use crate::read::cut::Cut;
use crate::read::source::START;
use crate::read::warc;
use crate::skipped::{RECORD_LIMIT, SkipReason};

/// What unpacks to this many times its size inside of one entry that is too long already was packed for no good.
const BOMB: u64 = 100;

impl Stream {
    /// Gives up an entry that is too long.
    pub(super) fn cut_off(&mut self, cut: &mut Cut) {
        cut.clear();
        self.cut(true, cut);
        if cut.end > 0 {
            return;
        }
        // Its bytes are nobody's.
        let reason = SkipReason::too_long(self.settings.longest);
        match self.kind.format {
            // Nobody can tell where the next one would start.
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

    /// Reads on to where the next entry starts, and forgets what lies before.
    pub(super) fn skip(&mut self) -> Result<()> {
        // What is ahead was unpacked before.
        let unpacked_start = self.offset + self.ahead.len() as u64;
        let packed_start = self.source.packed_bytes();
        self.is_skipping = false;
        // An end that two runs of bytes share is seen in the second.
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
