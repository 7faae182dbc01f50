//! Decodes a body with a given Content-Encoding.
//!
//! Note that `None` from [`unpack`] is not an error. It means that the body was never compressed, or no longer is,
//! which is true for a large part of a crawl.

use std::io::{self, BufRead, Read};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::skipped::{RECORD_LIMIT, SkipReason};

/// A supported Content-Encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Gzip,
    /// Zlib according to the standard, raw deflate by many servers.
    Deflate,
    Brotli,
    Zstd,
}

/// Maximum window of Zstandard over HTTP: 8 MB (RFC 9659). A few bytes can request this much memory.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Size to which every body may be decompressed: larger pages are rare, and this takes a fraction of a second.
const FREE: usize = 8 << 20;

/// Above that, the maximum compression ratio. A single layer of Deflate cannot exceed it; Brotli and Zstandard can
/// reach a hundred thousand, for useless content.
const RATIO: usize = 1000;

/// Number of bytes examined to recognize plain text.
const PLAIN_SAMPLE: usize = 1024;

impl Coding {
    /// The coding with this name in a header; none for `identity` and unknown words.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        match name.trim_ascii().to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => Some(Self::Gzip),
            b"deflate" | b"x-deflate" => Some(Self::Deflate),
            b"br" => Some(Self::Brotli),
            b"zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The coding that the first bytes indicate, if any: servers confuse gzip and deflate.
    fn shown_by(body: &[u8]) -> Option<Self> {
        match body {
            [0x1F, 0x8B, 8, ..] => Some(Self::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The name for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "brotli",
            Self::Zstd => "zstd",
        }
    }
}

/// Maximum decompressed size of a body in all its layers, computed from its size before the first was decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    packed: usize,
    longest: usize,
}

impl Bound {
    /// For a body of `packed` bytes, in a record limited to `longest`.
    pub(super) fn new(packed: usize, longest: usize) -> Self {
        Self { packed, longest }
    }

    fn most(self) -> usize {
        self.longest.min(FREE.max(self.packed.saturating_mul(RATIO)))
    }

    /// Reason why a body that exceeds the limit is not read.
    fn reason(self, coding: Coding) -> SkipReason {
        let Self { packed, longest } = self;
        let (name, most) = (coding.name(), self.most());
        if most == longest {
            let text = format!("the {name} body unpacks to more than {most} bytes, {RECORD_LIMIT}");
            return SkipReason::RecordLimit(text);
        }
        format!("the {name} body of {packed} bytes unpacks to more than {most}, as only a decompression bomb does")
            .into()
    }
}

/// Decompresses `body`, unless it is not compressed. For a truncated or damaged body, returns the data before the
/// damage.
///
/// # Errors
///
/// If nothing can be decompressed, or more than `bound` allows.
pub(super) fn unpack(named: Coding, body: &[u8], bound: Bound) -> Result<Option<Vec<u8>>, SkipReason> {
    let most = bound.most();
    let coding = match (Coding::shown_by(body), named) {
        (Some(shown), _) => shown,
        // These two can always be recognized.
        (None, Coding::Gzip | Coding::Zstd) => return Ok(None),
        // These cannot, and plain text can look like them: a Brotli stream whose first byte is `n` is empty.
        (None, _) if body.is_empty() || is_plain(body) => return Ok(None),
        (None, named) => named,
    };
    let mut unpacked = Vec::new();
    let outcome = match coding {
        Coding::Gzip => read(MultiGzDecoder::new(body), most, &mut unpacked),
        Coding::Deflate if is_zlib(body) => read(ZlibDecoder::new(body), most, &mut unpacked),
        Coding::Deflate => read(DeflateDecoder::new(body), most, &mut unpacked),
        #[cfg(feature = "web")]
        Coding::Brotli => read_brotli(body, most, &mut unpacked),
        #[cfg(not(feature = "web"))]
        Coding::Brotli => return Err(super::NOT_BUILT.into()),
        Coding::Zstd => read_zstd(body, most, &mut unpacked),
    };
    if unpacked.len() > most {
        return Err(bound.reason(coding));
    }
    match outcome {
        Err(error) if unpacked.is_empty() => Err(format!("the {} body is damaged: {error}", coding.name()).into()),
        _ => Ok(Some(unpacked)),
    }
}

/// Reads one byte more than `most`, so that the caller notices an excess.
fn read(decoder: impl Read, most: usize, unpacked: &mut Vec<u8>) -> io::Result<()> {
    decoder.take((most as u64).saturating_add(1)).read_to_end(unpacked).map(drop)
}

/// Reads a Brotli stream with a window of at most 16 MB, as in HTTP.
#[cfg(feature = "web")]
fn read_brotli(body: &[u8], most: usize, unpacked: &mut Vec<u8>) -> io::Result<()> {
    // The decoder also supports the extension for large windows, which starts like this and requests up to a gigabyte.
    if body[0] & 0x7F == 0x11 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its window is larger than HTTP allows"));
    }
    read(brotli::Decompressor::new(body, 4096), most, unpacked)
}

/// Reads concatenated Zstandard frames.
fn read_zstd(body: impl BufRead, most: usize, unpacked: &mut Vec<u8>) -> io::Result<()> {
    let mut decoder = zstd::Decoder::with_buffer(body)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    read(decoder, most, unpacked)
}

/// True if the body starts with a valid zlib header. (RFC 1950, 2.2)
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..] if method & 0x0F == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31))
}

/// True if `body` starts with text: UTF-8, or a legacy charset that starts with markup, without control characters.
///
/// Compressed bytes look random: a dozen of them are text by chance once in a million times.
fn is_plain(body: &[u8]) -> bool {
    let sample = &body[..body.len().min(PLAIN_SAMPLE)];
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if sample.iter().any(is_control) {
        return false;
    }
    // The sample may cut the last character.
    let is_utf8 = std::str::from_utf8(sample).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 || sample.trim_ascii_start().starts_with(b"<")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const MOST: Bound = Bound { packed: 1 << 20, longest: 1 << 20 };

    /// "Once upon a time" in Brotli, by the reference encoder.
    const BROTLI: [u8; 20] = [
        0x8B, 0x07, 0x80, 0x4F, 0x6E, 0x63, 0x65, 0x20, 0x75, 0x70, 0x6F, 0x6E, 0x20, 0x61, 0x20, 0x74, 0x69, 0x6D,
        0x65, 0x03,
    ];

    fn page() -> Vec<u8> {
        (0..30_000)
            .flat_map(|number: u32| format!("<p>word {}", number.wrapping_mul(2_654_435_761)).into_bytes())
            .collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_coding_is_undone() {
        let page = page();
        for (coding, packed) in [
            (Coding::Gzip, gzip(&page)),
            (Coding::Gzip, [gzip(&page[..100]), gzip(&page[100..])].concat()),
            (Coding::Gzip, [gzip(&page), b"\r\n".to_vec()].concat()),
            (Coding::Deflate, zlib(&page)),
            (Coding::Deflate, raw(&page)),
            (Coding::Deflate, gzip(&page)),
            (Coding::Zstd, zstd::bulk::compress(&page, 3).unwrap()),
        ] {
            assert_eq!(unpack(coding, &packed, MOST).as_ref(), Ok(&Some(page.clone())), "{coding:?}");
        }
        assert_eq!(unpack(Coding::Brotli, &BROTLI, MOST), Ok(Some(b"Once upon a time".to_vec())));
    }

    #[test]
    fn a_body_that_is_plain_stays_as_it_is() {
        for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd] {
            for plain in
                [&b"<html>"[..], b"now and then", b"Frankly,", b"", b"\r\n<p>caf\xE9 <p>", "d\u{e9}j\u{e0}".as_bytes()]
            {
                assert_eq!(unpack(coding, plain, MOST), Ok(None), "{coding:?} of {plain:?}");
            }
        }
    }

    #[test]
    fn a_body_cut_short_gives_what_came() {
        let page = page();
        for (coding, packed) in [
            (Coding::Gzip, gzip(&page)),
            (Coding::Deflate, zlib(&page)),
            (Coding::Deflate, raw(&page)),
            (Coding::Zstd, zstd::stream::encode_all(&page[..], 1).unwrap()),
        ] {
            let unpacked = unpack(coding, &packed[..packed.len() / 2], MOST).unwrap().unwrap();
            assert!(unpacked.len() > 1000 && page.starts_with(&unpacked), "{coding:?}: {}", unpacked.len());
        }
    }

    #[test]
    fn a_body_damaged_from_its_start_gives_a_reason() {
        let mut packed = gzip(&page());
        packed[10..40].fill(0xFF);
        let reason = unpack(Coding::Gzip, &packed, MOST).unwrap_err();
        assert!(reason.text().starts_with("the gzip body is damaged: "), "{reason}");
        let reason = unpack(Coding::Brotli, &[0x11, 0x1E, 0, 0, 0xFF], MOST).unwrap_err();
        assert_eq!(reason.text(), "the brotli body is damaged: its window is larger than HTTP allows");
    }

    #[test]
    fn a_bomb_does_not_go_off() {
        let zeros = vec![0; 10 << 20];
        for (coding, packed) in [
            (Coding::Gzip, gzip(&zeros)),
            (Coding::Deflate, raw(&zeros)),
            (Coding::Zstd, zstd::stream::encode_all(&zeros[..], 1).unwrap()),
        ] {
            let reason = unpack(coding, &packed, MOST).unwrap_err();
            assert!(reason.text().contains("more than 1048576 bytes, the longest"), "{reason}");
        }
        let most = |longest| Bound::new(1 << 20, longest);
        assert!(unpack(Coding::Gzip, &gzip(&zeros), most(zeros.len())).is_ok());
        assert!(unpack(Coding::Brotli, &BROTLI, most(15)).is_err());
    }

    #[test]
    fn a_body_unpacks_to_no_more_than_a_thousand_times_its_size() {
        let zeros = vec![0; FREE + 1];
        let packed = zstd::stream::encode_all(&zeros[..], 1).unwrap();
        let bound = Bound::new(packed.len(), 256_000_000);
        let reason = unpack(Coding::Zstd, &packed, bound).unwrap_err();
        let expected = format!(
            "the zstd body of {} bytes unpacks to more than {FREE}, as only a decompression bomb does",
            packed.len()
        );
        assert_eq!(reason.text(), expected);
        assert!(unpack(Coding::Zstd, &zstd::stream::encode_all(&zeros[1..], 1).unwrap(), bound).is_ok());
        assert!(unpack(Coding::Zstd, &packed, Bound::new(FREE / RATIO + 1, 256_000_000)).is_ok());
    }
}
