//! Parses the header of a gzip member of any length. (RFC 1952, 2.3)
//!
//! The decoder rejects names and comments over 64 kB, which the format allows and `gzip` reads. Headers are therefore
//! parsed here incrementally, and the decoder gets one without optional fields.

use std::io::{self, BufRead, Read};

use flate2::Crc;

/// A header without optional fields.
pub(super) const LENGTH: usize = 10;

/// Offset of the flags.
const FLAGS: usize = 3;

const HAS_SUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Parses a header, and returns it without optional fields.
///
/// # Errors
///
/// If it ends too early, or has a wrong checksum. Other errors are left to the decoder.
pub(super) fn read(reader: &mut impl BufRead) -> io::Result<[u8; LENGTH]> {
    let mut summed = Summed { reader, sum: Crc::new() };
    let mut header = [0; LENGTH];
    summed.read_exact(&mut header)?;
    if !header.starts_with(&[0x1F, 0x8B]) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "invalid gzip header"));
    }
    let flags = header[FLAGS];
    if flags & HAS_EXTRA != 0 {
        let mut length = [0; 2];
        summed.read_exact(&mut length)?;
        summed.read_exact(&mut vec![0; u16::from_le_bytes(length).into()])?;
    }
    for field in [HAS_NAME, HAS_COMMENT] {
        if flags & field != 0 {
            summed.pass_text()?;
        }
    }
    if flags & HAS_SUM != 0 {
        let mut stated = [0; 2];
        let sum = summed.sum.sum() as u16;
        summed.read_exact(&mut stated)?;
        if u16::from_le_bytes(stated) != sum {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the gzip header has another checksum"));
        }
    }
    header[FLAGS] = flags & RESERVED;
    Ok(header)
}

/// Reads, and computes a checksum.
struct Summed<'r, R> {
    reader: &'r mut R,
    sum: Crc,
}

impl<R: BufRead> Summed<'_, R> {
    /// Skips a zero-terminated string.
    fn pass_text(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.reader.fill_buf()?;
            if bytes.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let end = memchr::memchr(0, bytes);
            let count = end.map_or(bytes.len(), |end| end + 1);
            self.sum.update(&bytes[..count]);
            self.reader.consume(count);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

impl<R: Read> Read for Summed<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }
}
