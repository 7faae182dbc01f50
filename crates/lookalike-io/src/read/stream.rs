//! A file, unpacked and cut into chunks, one after the other.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use super::chunk::{Chunk, ChunkStore, Damage};
use super::members::{Member, MemberReader};
use super::wet;
use crate::compression::{Compression, buffered};
use crate::discover::{InputFile, Origin};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::place::Store;

/// How many bytes a chunk has about, unpacked: enough to make handing it over cheap, few enough to stay in the cache.
const CHUNK: usize = 1 << 20;

/// How many bytes tell the format of a file.
const START: usize = 4096;

/// A file that is being read.
pub struct Stream {
    file: u32,
    shown: PathBuf,
    format: Format,
    compression: Compression,
    source: Source,
    /// Bytes that were read, and belong to the next chunk.
    ahead: Vec<u8>,
    /// Where they lie in the unpacked file.
    offset: u64,
    members: Vec<Member>,
    number: u32,
    /// How many packed bytes went into chunks so far.
    packed_bytes: u64,
    at_end: bool,
    damage: Option<Damage>,
}

enum Source {
    /// Can be read again at any place.
    Plain(File),
    /// Can be read again a member at a time, if entries keep to members.
    Gzip(Box<MemberReader>),
    /// Cannot.
    Other(Box<dyn Read + Send>),
}

impl Stream {
    /// Opens file number `file` of the input.
    ///
    /// # Errors
    ///
    /// When it cannot be opened or read.
    pub fn open(file: u32, input: &InputFile) -> Result<Self> {
        let shown = input.shown();
        let unreadable = Error::unreadable(&shown);
        let opened = match &input.origin {
            Origin::Path(path) => File::open(path).and_then(Opened::file),
            Origin::Pipe(path) => File::open(path).and_then(Opened::pipe),
            Origin::Stdin => Opened::pipe(io::stdin()),
        };
        let Opened { source, compression, start } = opened.map_err(unreadable)?;
        let mut stream = Self {
            file,
            shown,
            format: Format::Text,
            compression,
            source,
            ahead: start,
            offset: 0,
            members: Vec::new(),
            number: 0,
            packed_bytes: 0,
            at_end: false,
            damage: None,
        };
        stream.read_to(START)?;
        stream.format = Format::of(&input.name, &stream.ahead);
        Ok(stream)
    }

    /// What the file is made of.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How the file is packed.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Fills `chunk` with the next part of the file. False when there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read. (Damaged content is no error: it comes with the last chunk.)
    pub fn next(&mut self, chunk: &mut Chunk) -> Result<bool> {
        if self.at_end
            && self.ahead.is_empty()
            && (self.number > 0 || self.damage.is_none() && self.format != Format::Text)
        {
            return Ok(false);
        }
        let mut size = CHUNK;
        let end = loop {
            self.read_to(size)?;
            let end = self.cut(chunk);
            if end > 0 || self.at_end {
                break end;
            }
            size *= 2;
        };
        // What follows the last whole entry of a damaged file is a part of one, and lost.
        let kept = if self.at_end { self.ahead.len() } else { end };
        chunk.file = self.file;
        chunk.number = self.number;
        chunk.format = self.format;
        chunk.damage = if self.at_end { self.damage.take() } else { None };
        chunk.bytes.clear();
        chunk.bytes.extend_from_slice(&self.ahead[kept..]);
        std::mem::swap(&mut chunk.bytes, &mut self.ahead);
        chunk.bytes.truncate(end);
        chunk.store = self.store(end as u64, chunk);
        chunk.packed_bytes = self.count_packed(kept);
        self.offset += kept as u64;
        self.number += 1;
        Ok(true)
    }

    /// Reads until `size` bytes are ahead, or the file ends.
    fn read_to(&mut self, size: usize) -> Result<()> {
        let Some(most) = size.checked_sub(self.ahead.len()).filter(|most| *most > 0 && !self.at_end) else {
            return Ok(());
        };
        let read = |reader: &mut dyn Read, bytes: &mut Vec<u8>| {
            reader.take(most as u64).read_to_end(bytes).map(|count| count == most)
        };
        let result = match &mut self.source {
            Source::Plain(file) => read(file, &mut self.ahead),
            Source::Gzip(reader) => reader.read(&mut self.ahead, most, &mut self.members),
            Source::Other(reader) => read(reader, &mut self.ahead),
        };
        match result {
            Ok(more) => {
                self.at_end = !more;
                if matches!(&self.source, Source::Gzip(reader) if reader.has_rubbish()) {
                    let reason = "what follows the gzip data here is not gzip, and was passed over".to_owned();
                    self.damage = Some(Damage { reason, is_loss: false });
                }
            }
            // The system has a number for its own errors; a decoder's have none.
            Err(source) if self.compression == Compression::None || source.raw_os_error().is_some() => {
                return Err(Error::Unreadable { path: self.shown.clone(), cause: source });
            }
            Err(error) => {
                self.at_end = true;
                let name = self.compression.name();
                let reason = format!("the {name} data is damaged or cut short here ({error}): the rest is lost");
                self.damage = Some(Damage { reason, is_loss: true });
            }
        }
        Ok(())
    }

    /// Where the whole entries of what is ahead end. WET records are noted in the chunk.
    fn cut(&self, chunk: &mut Chunk) -> usize {
        chunk.records.clear();
        let is_whole = self.at_end && self.damage.as_ref().is_none_or(|damage| !damage.is_loss);
        match self.format {
            Format::Jsonl if is_whole => self.ahead.len(),
            Format::Jsonl => memchr::memrchr(b'\n', &self.ahead).map_or(0, |end| end + 1),
            Format::Text => {
                if self.at_end {
                    self.ahead.len()
                } else {
                    0
                }
            }
            Format::Wet => {
                chunk.records = wet::records(&self.ahead, is_whole);
                chunk.records.last().map_or(0, |record| record.all.end)
            }
        }
    }

    /// Where the first `end` bytes ahead, now in `chunk`, can be read again.
    fn store(&mut self, end: u64, chunk: &Chunk) -> ChunkStore {
        let end = self.offset + end;
        match self.source {
            Source::Plain(_) => ChunkStore::At(Store::File, self.offset),
            Source::Other(_) => ChunkStore::Unspooled,
            Source::Gzip(_) => {
                let count = self.members.partition_point(|member| member.end <= end);
                let members: Vec<Member> =
                    self.members.drain(..count).filter(|member| member.start < member.end).collect();
                let alike = |(record, member): (&wet::RecordRange, &Member)| {
                    [record.all.start, record.all.end].map(|at| self.offset + at as u64) == [member.start, member.end]
                };
                if self.format == Format::Wet
                    && chunk.records.len() == members.len()
                    && chunk.records.iter().zip(&members).all(alike)
                    && members.iter().all(|member| member.packed_end - member.packed_start < u64::from(u32::MAX))
                {
                    let place =
                        |member: &Member| (member.packed_start, (member.packed_end - member.packed_start) as u32);
                    ChunkStore::Members(members.iter().map(place).collect())
                } else {
                    ChunkStore::Unspooled
                }
            }
        }
    }

    /// The packed bytes since the last chunk, for progress.
    fn count_packed(&mut self, unpacked: usize) -> u64 {
        match &self.source {
            Source::Gzip(reader) => {
                let position = reader.position();
                position - std::mem::replace(&mut self.packed_bytes, position)
            }
            Source::Plain(_) | Source::Other(_) => unpacked as u64,
        }
    }
}

/// A file whose compression is known.
struct Opened {
    source: Source,
    compression: Compression,
    /// Bytes that had to be read to know it, of a plain file.
    start: Vec<u8>,
}

impl Opened {
    fn file(mut file: File) -> io::Result<Self> {
        let mut start = Vec::new();
        Read::take(&mut file, START as u64).read_to_end(&mut start)?;
        let compression = Compression::of(&start);
        if compression == Compression::None {
            return Ok(Self { source: Source::Plain(file), compression, start });
        }
        Self::packed(io::Cursor::new(start).chain(file), compression)
    }

    fn pipe(mut pipe: impl Read + Send + 'static) -> io::Result<Self> {
        let mut start = Vec::new();
        pipe.by_ref().take(START as u64).read_to_end(&mut start)?;
        let compression = Compression::of(&start);
        match compression {
            Compression::None => Ok(Self { source: Source::Other(Box::new(pipe)), compression, start }),
            // Members of a pipe cannot be read again.
            _ => Self::unpacked(io::Cursor::new(start).chain(pipe), compression),
        }
    }

    fn packed(packed: impl Read + Send + 'static, compression: Compression) -> io::Result<Self> {
        if compression == Compression::Gzip {
            let source = Source::Gzip(Box::new(MemberReader::new(packed)));
            return Ok(Self { source, compression, start: Vec::new() });
        }
        Self::unpacked(packed, compression)
    }

    fn unpacked(packed: impl Read + Send + 'static, compression: Compression) -> io::Result<Self> {
        let source = Source::Other(compression.decode(buffered(packed))?);
        Ok(Self { source, compression, start: Vec::new() })
    }
}
