//! The decompressed bytes of an open file, with information about its compression.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::members::{Member, MemberReader};
use crate::compression::{Compression, buffered};
use crate::error::{Error, Result};
use crate::input::discover::{InputFile, Origin};

/// Number of bytes needed to detect the format of a file.
pub(super) const START: usize = 4096;

/// An open file.
pub(super) struct Source {
    pub(super) compression: Compression,
    reader: Reader,
}

enum Reader {
    /// Can be read again at any offset.
    Plain(Box<dyn Read + Send>),
    /// Can be read again by member if it is a file, and entries do not cross members.
    Gzip { reader: Box<MemberReader>, is_file: bool },
    /// Cannot be read again.
    Other { unpacked: Box<dyn Read + Send>, packed_bytes: Arc<AtomicU64> },
}

impl Reader {
    fn gzip(packed: impl Read + Send + 'static, position: u64, is_file: bool) -> Self {
        Self::Gzip { reader: Box::new(MemberReader::new(packed, position)), is_file }
    }
}

impl Source {
    /// Opens a file of the input.
    pub(super) fn open(input: &InputFile, window_log: u32) -> Result<Self> {
        let again = |file| Self::again(file, window_log);
        let unreadable = || Error::unreadable(input.shown());
        match &input.origin {
            Origin::Path(path) => File::open(path).and_then(again).map_err(unreadable()),
            Origin::Remote(file) => Self::again(file.open()?, window_log).map_err(unreadable()),
            Origin::Pipe(path) => File::open(path).and_then(|pipe| Self::once(pipe, window_log)).map_err(unreadable()),
            Origin::Stdin => Self::once(io::stdin(), window_log).map_err(unreadable()),
            Origin::Held(_) => Ok(Self::nothing()),
        }
    }

    /// For a file that cannot be read.
    pub(super) fn nothing() -> Self {
        Self { compression: Compression::None, reader: Reader::Plain(Box::new(io::empty())) }
    }

    /// Opens a byte range of an input file.
    pub(super) fn open_part(input: &InputFile, bytes: &Range<u64>) -> Result<Self> {
        let open = || {
            let Origin::Path(path) = &input.origin else {
                return Err(io::Error::other("not a file, to be read in parts"));
            };
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(bytes.start))?;
            let mut part = file.take(bytes.end - bytes.start);
            let start = start(&mut part)?;
            let compression = Compression::of(&start);
            let part = io::Cursor::new(start).chain(part);
            let reader = match compression {
                Compression::Gzip => Reader::gzip(part, bytes.start, true),
                _ => Reader::Plain(Box::new(part)),
            };
            Ok(Self { compression, reader })
        };
        open().map_err(Error::unreadable(input.shown()))
    }

    /// For a file that can be read again later, from the middle.
    fn again(mut file: impl Read + Send + 'static, window_log: u32) -> io::Result<Self> {
        let start = start(&mut file)?;
        let compression = Compression::of(&start);
        let file = io::Cursor::new(start).chain(file);
        match compression {
            Compression::None => Ok(Self { compression, reader: Reader::Plain(Box::new(file)) }),
            Compression::Gzip => Ok(Self { compression, reader: Reader::gzip(file, 0, true) }),
            Compression::Zstd => Ok(Self::unpacked(file, compression, window_log)),
        }
    }

    /// For a source that cannot.
    fn once(mut pipe: impl Read + Send + 'static, window_log: u32) -> io::Result<Self> {
        let start = start(&mut pipe)?;
        let compression = Compression::of(&start);
        let pipe = io::Cursor::new(start).chain(pipe);
        match compression {
            Compression::Gzip => Ok(Self { compression, reader: Reader::gzip(pipe, 0, false) }),
            _ => Ok(Self::unpacked(pipe, compression, window_log)),
        }
    }

    fn unpacked(packed: impl Read + Send + 'static, compression: Compression, window_log: u32) -> Self {
        let packed_bytes = Arc::new(AtomicU64::new(0));
        let counted = Counted { reader: packed, count: Arc::clone(&packed_bytes) };
        // Data that cannot be decompressed at all is damaged from its first byte.
        let unpacked =
            compression.decode(buffered(counted), window_log).unwrap_or_else(|error| Box::new(Failed(Some(error))));
        Self { compression, reader: Reader::Other { unpacked, packed_bytes } }
    }

    /// For bytes that were decompressed and changed by the caller.
    pub(super) fn of_reader(unpacked: Box<dyn Read + Send>, compression: Compression) -> Self {
        Self { compression, reader: Reader::Other { unpacked, packed_bytes: Arc::default() } }
    }

    /// True if the bytes are those of a file that can be read again.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.reader, Reader::Plain(_))
    }

    /// Appends up to `most` bytes to `bytes`, and completed gzip members to `members`. Returns false at the end.
    pub(super) fn read(
        &mut self,
        bytes: &mut Vec<u8>,
        most: usize,
        members: &mut VecDeque<Member>,
    ) -> io::Result<bool> {
        match &mut self.reader {
            Reader::Gzip { reader, is_file } => {
                let more = reader.read(bytes, most, members)?;
                if !*is_file {
                    members.clear();
                }
                Ok(more)
            }
            Reader::Plain(reader) | Reader::Other { unpacked: reader, .. } => {
                reader.take(most as u64).read_to_end(bytes).map(|count| count == most)
            }
        }
    }

    /// Takes the description of data that was skipped or damaged, if reading continues after it.
    pub(super) fn take_damage(&mut self) -> Option<String> {
        if let Reader::Gzip { reader, .. } = &mut self.reader { reader.take_damage() } else { None }
    }

    /// Number of compressed bytes read so far, if it differs from the number of bytes read.
    pub(super) fn packed_bytes(&self) -> Option<u64> {
        match &self.reader {
            Reader::Plain(_) => None,
            Reader::Gzip { reader, .. } => Some(reader.position()),
            Reader::Other { packed_bytes, .. } => Some(packed_bytes.load(Relaxed)),
        }
    }
}

/// Reads the first bytes.
pub(super) fn start(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(START as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns an error once, and then the end.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

struct Counted<R> {
    reader: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(bytes)?;
        self.count.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}
