//! Writes text records of a crawl (WET), each as a separate gzip member, or uncompressed.
//!
//! The headers are those of Common Crawl's files, in the same order.

use std::io::Write;

use anyhow::Result;
use libdeflater::{CompressionLvl, Compressor};

use super::tongue::Tongue;
use crate::bench::corpora::dice::Dice;

/// Compression of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bench) enum Packing {
    /// Each record is a gzip member.
    Members,
    /// Uncompressed.
    Plain,
}

impl Packing {
    /// The extension of such files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Members => "warc.wet.gz",
            Self::Plain => "warc.wet",
        }
    }
}

/// Header fields of a page's record.
pub(super) struct Heading<'a> {
    /// The address.
    pub(super) uri: String,
    /// The language.
    pub(super) tongue: &'a Tongue,
}

/// Writes records to a file.
pub(super) struct RecordWriter<W> {
    out: W,
    packing: Packing,
    packer: Compressor,
    record: Vec<u8>,
    packed: Vec<u8>,
}

impl<W: Write> RecordWriter<W> {
    /// Starts a file with the record that describes it.
    pub(super) fn new(out: W, packing: Packing, name: &str, dice: &mut Dice) -> Result<Self> {
        let mut writer = Self {
            out,
            packing,
            packer: Compressor::new(CompressionLvl::default()),
            record: Vec::new(),
            packed: Vec::new(),
        };
        let about = "Software-Info: lookalike bench\r\nExtracted-Date: Mon, 16 Nov 2026 00:00:00 GMT\r\n\
                     robots: none was asked\r\nisPartOf: BENCH-2026-47\r\ndescription: A made crawl of hosts that do not exist\r\n";
        write!(
            writer.record,
            "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2026-11-16T00:00:00Z\r\nWARC-Filename: {name}\r\n\
             WARC-Record-ID: {}\r\nContent-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n{about}\r\n\r\n",
            record_id(dice),
            about.len()
        )?;
        writer.write_record()?;
        Ok(writer)
    }

    /// Appends the record of a page.
    pub(super) fn page(&mut self, heading: &Heading<'_>, text: &[u8], dice: &mut Dice) -> Result<()> {
        let (day, hour, minute, second) = (1 + dice.below(15), dice.below(24), dice.below(60), dice.below(60));
        self.record.clear();
        write!(
            self.record,
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {}\r\n\
             WARC-Date: 2026-11-{day:02}T{hour:02}:{minute:02}:{second:02}Z\r\nWARC-Record-ID: {}\r\n\
             WARC-Refers-To: {}\r\nWARC-Identified-Content-Language: {}\r\nContent-Type: text/plain\r\n\
             Content-Length: {}\r\n\r\n",
            heading.uri,
            record_id(dice),
            record_id(dice),
            heading.tongue.code,
            text.len()
        )?;
        self.record.extend_from_slice(text);
        self.record.extend_from_slice(b"\r\n\r\n");
        self.write_record()
    }

    fn write_record(&mut self) -> Result<()> {
        if self.packing == Packing::Plain {
            return Ok(self.out.write_all(&self.record)?);
        }
        let most = self.packer.gzip_compress_bound(self.record.len());
        if self.packed.len() < most {
            self.packed.resize(most, 0);
        }
        let count = self.packer.gzip_compress(&self.record, &mut self.packed)?;
        Ok(self.out.write_all(&self.packed[..count])?)
    }

    /// Returns the underlying writer.
    pub(super) fn into_inner(self) -> W {
        self.out
    }
}

fn record_id(dice: &mut Dice) -> String {
    let (high, low) = (dice.roll(), dice.roll());
    format!(
        "<urn:uuid:{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}>",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFF,
        low >> 48 & 0xFFF,
        low & 0xFFFF_FFFF_FFFF
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::{GzDecoder, MultiGzDecoder};

    use super::*;

    #[test]
    fn each_record_is_a_member_of_its_own_and_says_its_length() {
        let tongue = Tongue::plain();
        let heading = Heading { uri: "https://www.host-1.example/".to_owned(), tongue: &tongue };
        let mut dice = Dice::new(1);
        let mut writer = RecordWriter::new(Vec::new(), Packing::Members, "a.warc.wet.gz", &mut dice).unwrap();
        writer.page(&heading, "Größe\n".as_bytes(), &mut dice).unwrap();
        let packed = writer.into_inner();

        let mut first = String::new();
        GzDecoder::new(&packed[..]).read_to_string(&mut first).unwrap();
        assert!(first.contains("WARC-Type: warcinfo") && first.ends_with("\r\n\r\n\r\n"), "{first}");
        let mut all = String::new();
        MultiGzDecoder::new(&packed[..]).read_to_string(&mut all).unwrap();
        let page = all.strip_prefix(&first).unwrap();
        assert!(
            page.starts_with("WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: https://www.host-1.example/\r\n")
        );
        assert!(page.ends_with("Content-Type: text/plain\r\nContent-Length: 8\r\n\r\nGröße\n\r\n\r\n"), "{page}");
    }
}
