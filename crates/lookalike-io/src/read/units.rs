//! Large files are read in several units at once: lines by ranges of bytes, gzip at its members, Parquet by row groups.
//!
//! Units are cut by content, never by threads, and each is a unit of work that a resumed run need not repeat. A gzip
//! file is searched for the three bytes at the start of a member, which also occur elsewhere by chance. The file is cut
//! only if a complete member follows that decompresses to a record, and is followed by another member or the end. Only
//! text files of crawls (WET) are cut: a crawl of pages may contain a page that is itself a crawl, whose members are
//! stored in it unchanged. Text never contains these bytes.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use flate2::bufread::{GzDecoder, MultiGzDecoder};

use super::Settings;
use super::source::{START, start};
use crate::compression::{BUFFER, Compression, buffered};
use crate::error::{Error, Result};
use crate::file_system::read_exact_at;
use crate::format::Format;
use crate::input::discover::{InputFile, Origin};
use crate::parquet::row_groups;

/// Approximate size of a unit in bytes, before decompression.
pub const UNIT_BYTES: u64 = 64 << 20;

/// A file, or a part of it that is read separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Number of the input file.
    pub file: u32,
    /// Number of the unit in the file.
    pub number: u32,
    /// The part of the file.
    pub(super) part: Part,
}

/// The part of a file in a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// These bytes, still compressed, of a file of this format.
    Bytes(Range<u64>, Format),
    /// These row groups.
    Groups(Range<usize>),
}

impl Unit {
    /// The unit of a whole file.
    pub fn whole(file: u32) -> Self {
        Self { file, number: 0, part: Part::Whole }
    }
}

/// The units of all files, in order, of about `unit_bytes` bytes each.
///
/// # Errors
///
/// If a large file cannot be read.
pub fn units(files: &[InputFile], settings: &Settings, unit_bytes: u64) -> Result<Vec<Unit>> {
    let mut units = Vec::with_capacity(files.len());
    for (file, input) in (0..).zip(files) {
        let parts = match &input.origin {
            Origin::Path(path) if input.bytes > 2 * unit_bytes => match File::open(path) {
                Ok(open) => parts(&open, input, settings, unit_bytes).map_err(Error::unreadable(path))?,
                // A file that cannot be opened is reported when it is read.
                Err(_) => vec![Part::Whole],
            },
            _ => vec![Part::Whole],
        };
        units.extend((0..).zip(parts).map(|(number, part)| Unit { file, number, part }));
    }
    Ok(units)
}

fn parts(file: &File, input: &InputFile, settings: &Settings, unit_bytes: u64) -> io::Result<Vec<Part>> {
    let first = start(&mut &*file)?;
    let compression = Compression::of(&first);
    let unpacked = match compression {
        Compression::Gzip => {
            let mut unpacked = Vec::new();
            // Data that cannot be decompressed is reported when it is read.
            let _ = GzDecoder::new(&*first).take(START as u64).read_to_end(&mut unpacked);
            unpacked
        }
        Compression::None => first,
        Compression::Zstd => return Ok(vec![Part::Whole]),
    };
    let format = Format::of(&input.name, &unpacked, settings);
    let next: fn(&File, u64, u64) -> io::Result<Option<u64>> = match (compression, format) {
        (Compression::None, Format::Parquet) => {
            let count = row_groups(file.try_clone()?).unwrap_or(0);
            // A file that cannot be read has one unit, which reports the error.
            let groups = (input.bytes / unit_bytes).clamp(1, count.max(1) as u64) as usize;
            let edge = |at: usize| at * count / groups;
            return Ok((0..groups).map(|at| Part::Groups(edge(at)..edge(at + 1))).collect());
        }
        (Compression::None, Format::Jsonl | Format::Lines) if !super::cut::is_utf16(&unpacked) => next_line,
        (Compression::Gzip, Format::Warc) if is_wet(file) => next_member,
        _ => return Ok(vec![Part::Whole]),
    };
    let mut edges = vec![0];
    let mut wanted = unit_bytes;
    while wanted + unit_bytes / 2 < input.bytes {
        let Some(edge) = next(file, wanted, input.bytes)? else { break };
        edges.push(edge);
        wanted = edge + unit_bytes;
    }
    edges.push(input.bytes);
    Ok(edges.windows(2).map(|edges| Part::Bytes(edges[0]..edges[1], format)).collect())
}

/// Maximum distance to the next line or member: beyond that, the file is not cut.
const SEARCHED: u64 = 64 << 20;

/// Number of bytes examined at a time.
const WINDOW: u64 = 1 << 20;

/// The first line that starts at `from` or after it.
fn next_line(file: &File, from: u64, bytes: u64) -> io::Result<Option<u64>> {
    let mut window = Vec::new();
    for start in (from - 1..bytes.min(from + SEARCHED)).step_by(WINDOW as usize) {
        window.resize((bytes - start).min(WINDOW) as usize, 0);
        read_exact_at(file, &mut window, start)?;
        if let Some(at) = memchr::memchr(b'\n', &window) {
            let next = start + at as u64 + 1;
            return Ok((next < bytes).then_some(next));
        }
    }
    Ok(None)
}

/// True if the first records of a crawl are texts, and not pages.
fn is_wet(file: &File) -> bool {
    let mut unpacked = Vec::new();
    // Data that cannot be decompressed is reported when it is read.
    let _ = MultiGzDecoder::new(buffered(At { file, at: 0 })).take(WINDOW).read_to_end(&mut unpacked);
    let types = memchr::memmem::find_iter(&unpacked, b"\nWARC-Type: ").map(|at| &unpacked[at + 12..]);
    let mut types = types.filter(|kind| !kind.starts_with(b"warcinfo"));
    types.next().is_some_and(|kind| kind.starts_with(b"conversion"))
}

/// The first member with a record that starts at `from` or after it.
fn next_member(file: &File, from: u64, bytes: u64) -> io::Result<Option<u64>> {
    /// Gzip, and deflate inside. (RFC 1952, 2.3)
    const MAGIC: &[u8] = &[0x1F, 0x8B, 0x08];
    let mut window = Vec::new();
    // Fake members may have been planted: they must not cost more than real ones.
    let mut left = SEARCHED;
    for start in (from..bytes.min(from + SEARCHED)).step_by(WINDOW as usize) {
        // A start across two windows is found in the first.
        window.resize((bytes - start).min(WINDOW + MAGIC.len() as u64) as usize, 0);
        read_exact_at(file, &mut window, start)?;
        for at in memchr::memmem::find_iter(&window, MAGIC) {
            let at = start + at as u64;
            let Err(unpacked) = unpacked_record(file, at, bytes, left) else { return Ok(Some(at)) };
            // Each attempt reads at least a buffer.
            let Some(rest) = left.checked_sub(unpacked.max(BUFFER as u64)) else { return Ok(None) };
            left = rest;
        }
    }
    Ok(None)
}

/// Checks that a complete member with a record starts here, followed by another member or the end of the file. If not,
/// returns the number of bytes decompressed to find out, up to `most`.
fn unpacked_record(file: &File, at: u64, bytes: u64, most: u64) -> std::result::Result<(), u64> {
    let mut decoder = GzDecoder::new(buffered(At { file, at }));
    let mut unpacked = [0; 5];
    if decoder.read_exact(&mut unpacked).is_err() || &unpacked != b"WARC/" {
        return Err(0);
    }
    // The end is reached only if the checksum is right.
    let mut counted = Counted { reader: &mut decoder, count: 0 };
    let is_whole = io::copy(&mut Read::take(&mut counted, most), &mut io::sink()).is_ok();
    let count = counted.count;
    let reader = decoder.get_ref();
    let end = reader.get_ref().at - reader.buffer().len() as u64;
    let mut next = [0; 2];
    let mut follows = || end == bytes || read_exact_at(file, &mut next, end).is_ok() && next == [0x1F, 0x8B];
    if is_whole && count < most && follows() { Ok(()) } else { Err(count) }
}

/// Counts the bytes read, even before an error.
struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(bytes)?;
        self.count += count as u64;
        Ok(count)
    }
}

/// Reads a file from an offset, independently of other readers.
struct At<'f> {
    file: &'f File,
    at: u64,
}

impl Read for At<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.file.metadata()?.len();
        let count = (length.saturating_sub(self.at)).min(bytes.len() as u64) as usize;
        read_exact_at(self.file, &mut bytes[..count], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
