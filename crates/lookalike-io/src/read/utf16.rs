//! Converts UTF-16, as exported by spreadsheets, to UTF-8 while reading.

use std::collections::VecDeque;
use std::io::{self, Read};

use encoding_rs::{Decoder, Encoding, UTF_8};

use super::source::Source;

/// Number of bytes decoded at a time.
const TOGETHER: usize = 64 << 10;

/// A source of UTF-8. It begins with `start`, which was already read from `source`.
pub(super) fn decoded(source: Source, start: Vec<u8>) -> Source {
    let compression = source.compression;
    // By its byte order mark.
    let encoding = Encoding::for_bom(&start).map_or(UTF_8, |(encoding, _)| encoding);
    let decoder = encoding.new_decoder_with_bom_removal();
    let reader = Utf16 { source, decoder, coded: start, text: String::new(), taken: 0, at_end: false };
    Source::of_reader(Box::new(reader), compression)
}

struct Utf16 {
    source: Source,
    decoder: Decoder,
    /// Bytes that were read and not yet decoded.
    coded: Vec<u8>,
    /// Decoded text, of which the first `taken` bytes have been returned.
    text: String,
    taken: usize,
    at_end: bool,
}

impl Read for Utf16 {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() && !(self.at_end && self.coded.is_empty()) {
            if !self.at_end {
                self.at_end = !self.source.read(&mut self.coded, TOGETHER, &mut VecDeque::new())?;
            }
            self.text.clear();
            self.taken = 0;
            let most = self.decoder.max_utf8_buffer_length(self.coded.len()).unwrap_or(0);
            self.text.reserve(most);
            let (_, read, _) = self.decoder.decode_to_string(&self.coded, &mut self.text, self.at_end);
            self.coded.drain(..read);
        }
        let count = bytes.len().min(self.text.len() - self.taken);
        bytes[..count].copy_from_slice(&self.text.as_bytes()[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}
