//! Writes one output file: entries of an input file, in order, in its format and compression.
//!
//! Bytes are copied, not serialized again: runs of adjacent entries at once, and gzip members without decompressing
//! them.

use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;

use super::Annotation;
use crate::compression::{Compression, Packer};
use crate::error::{Error, Result};
use crate::format::{Format, unpacked_extension};
use crate::input::shelf::{Place, Shelf, Store};
use crate::parquet::write_rows;
use crate::read::{FileKind, Parser, Settings};

/// An entry to be written, with notes if it gets any.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Location of the entry.
    pub place: Place,
    /// Number of the entry in its file, counted from 1.
    pub position: u64,
    /// Its notes.
    pub annotation: Option<Annotation>,
}

/// Number of bytes rendered at a time: also the unit of independent compression.
const PIECE: u64 = 1 << 20;

/// Minimum bytes of entries processed together.
const TOGETHER: u64 = 16 << 20;

/// The name of an annotated file: formats without room for notes become JSONL.
pub fn annotated_name(name: &str, format: Format) -> String {
    if format.has_room_for_notes() { name.to_owned() } else { format!("{name}.jsonl") }
}

/// Writes entries of an input file to output files.
#[derive(Clone, Copy, Debug)]
pub struct FileWriter<'a> {
    /// The entries.
    pub shelf: &'a Shelf,
    /// The settings for reading them.
    pub settings: &'a Settings,
    /// Number of the input file.
    pub file: u32,
    /// Its format.
    pub kind: &'a FileKind,
    /// True if its entries get notes.
    pub is_annotated: bool,
}

impl FileWriter<'_> {
    /// Writes entries to `writer`: runs of adjacent ones, in order. Returns the number of entries with a field that a
    /// note replaced.
    ///
    /// # Errors
    ///
    /// If a run cannot be read, an entry cannot be read again, or the output cannot be written; `path` is named then.
    pub fn write<E: From<Error>>(
        &self,
        mut runs: impl Iterator<Item = std::result::Result<Vec<Written>, E>>,
        path: &Path,
        writer: &mut (impl Write + Send),
    ) -> std::result::Result<u64, E> {
        if self.kind.format == Format::Parquet {
            let (mut rows, mut notes) = (Vec::new(), Vec::new());
            for run in runs {
                for entry in run? {
                    rows.push(entry.position - 1);
                    notes.extend(entry.annotation);
                }
            }
            return Ok(self.write_rows(&rows, self.is_annotated.then_some(&notes), path, writer)?);
        }
        let (mut is_first, mut entries, mut replaced) = (true, Vec::new(), 0);
        loop {
            let mut size = 0;
            let mut is_last = true;
            for run in runs.by_ref() {
                let run = run?;
                size += run.iter().map(|entry| u64::from(entry.place.length)).sum::<u64>();
                entries.extend(run);
                if size >= TOGETHER {
                    is_last = false;
                    break;
                }
            }
            replaced += self.write_entries(&entries, is_first, is_last, path, writer)?;
            if is_last {
                return Ok(replaced);
            }
            is_first = false;
            entries.clear();
        }
    }

    /// Writes entries that are all available, and are the first or the last, or both or neither. Returns the number
    /// with a field that a note replaced.
    fn write_entries(
        &self,
        entries: &[Written],
        is_first: bool,
        is_last: bool,
        path: &Path,
        writer: &mut (impl Write + Send),
    ) -> Result<u64> {
        let unwritable = || Error::unwritable(path);
        let is_list = self.kind.format == Format::JsonList;
        if entries.is_empty() {
            let nothing: &[u8] = match (is_first, is_list) {
                // An empty file is not valid JSON, but an empty list is. It is not valid gzip either, which needs a
                // header.
                (true, _) if is_list || self.is_json_by_name() => b"[]\n",
                (true, _) => b"",
                (false, true) => b"\n]\n",
                (false, false) => return Ok(0),
            };
            let nothing = self.compression().encode(nothing.to_vec()).map_err(unwritable())?;
            return writer.write_all(&nothing).map(|()| 0).map_err(unwritable());
        }
        let pieces = pieces(entries);
        if pieces.iter().all(|piece| self.is_copied(piece)) {
            let mut buffer = Vec::new();
            for piece in pieces {
                writer.write_all(self.copy(piece, &mut buffer)?).map_err(unwritable())?;
            }
            return Ok(0);
        }
        let pieces: Vec<(usize, &[Written])> = pieces.into_iter().enumerate().collect();
        let last = pieces.len() - 1;
        let mut replaced = 0;
        // A few pieces are rendered in parallel, then written in order, so they use little memory.
        for some in pieces.chunks(2 * rayon::current_num_threads()) {
            let render = |(number, piece): &(usize, &[Written])| {
                if self.is_copied(piece) {
                    let mut bytes = Vec::new();
                    self.copy(piece, &mut bytes)?;
                    return Ok((bytes, 0));
                }
                let mut rendered = Rendered::new(self.compression()).map_err(unwritable())?;
                let replaced = self.render(piece, is_first && *number == 0, path, &mut rendered)?;
                if is_last && *number == last && is_list {
                    rendered.bytes.extend_from_slice(b"\n]\n");
                }
                Ok((rendered.finish().map_err(unwritable())?, replaced))
            };
            for (bytes, count) in some.par_iter().map(render).collect::<Result<Vec<_>>>()? {
                writer.write_all(&bytes).map_err(unwritable())?;
                replaced += count;
            }
        }
        Ok(replaced)
    }

    /// The compression of the output: none if it was converted to JSONL.
    fn compression(&self) -> Compression {
        if self.is_annotated && !self.kind.format.has_room_for_notes() {
            return Compression::None;
        }
        self.kind.compression
    }

    /// True if a piece is copied from its store to the output without parsing.
    fn is_copied(&self, piece: &[Written]) -> bool {
        let is_as_wanted = self.compression() == Compression::None || piece[0].place.store == Store::Member;
        // In these formats, the bytes between two entries belong to neither.
        let stands_alone = !matches!(self.kind.format, Format::JsonList | Format::JsonValues);
        is_as_wanted && stands_alone && !self.is_annotated
    }

    /// Reads the bytes of a piece from their store, into a buffer that may be longer.
    fn copy<'b>(&self, piece: &[Written], buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        let size: usize = piece.iter().map(|entry| entry.place.length as usize).sum();
        buffer.resize(size.max(buffer.len()), 0);
        let mut rest = &mut buffer[..size];
        // Adjacent entries are read at once.
        for run in piece.chunk_by(|left, right| left.place.offset + u64::from(left.place.length) == right.place.offset)
        {
            let length = run.iter().map(|entry| entry.place.length as usize).sum();
            let (bytes, after) = rest.split_at_mut(length);
            self.shelf.read_raw(run[0].place, bytes)?;
            rest = after;
        }
        Ok(&buffer[..size])
    }

    /// Appends the entries of a piece with their notes; returns the number with a field that a note replaced.
    fn render(&self, piece: &[Written], is_first: bool, path: &Path, rendered: &mut Rendered) -> Result<u64> {
        let mut parser = Parser::new(self.settings);
        let mut buffer = Vec::new();
        let mut replaced = 0;
        for (at, entry) in piece.iter().enumerate() {
            let bytes = &mut rendered.bytes;
            match self.kind.format {
                Format::JsonList if is_first && at == 0 => bytes.extend_from_slice(b"[\n"),
                Format::JsonList => bytes.extend_from_slice(b",\n"),
                // A record without a note is copied as a gzip member.
                Format::Warc if entry.annotation.is_none() && entry.place.store == Store::Member => {
                    rendered.packed.extend_from_slice(self.copy(std::slice::from_ref(entry), &mut buffer)?);
                    continue;
                }
                _ => {}
            }
            self.shelf.read(entry.place, &mut buffer)?;
            match (&entry.annotation, &self.kind.table) {
                (Some(annotation), _) if self.kind.format.has_room_for_notes() => {
                    replaced += u64::from(annotation.write(self.kind, &buffer, bytes));
                }
                (Some(annotation), _) => {
                    let document = parser.document(self.kind, &buffer).ok_or_else(|| self.changed())?;
                    annotation.write_document(&self.id(entry.position), &document, bytes);
                }
                (None, _) if self.is_annotated && !self.kind.format.has_room_for_notes() => {}
                (None, Some(table)) if self.is_annotated && !is_blank(&buffer) => {
                    Annotation::write_header(table, &buffer, bytes);
                }
                (None, _) => bytes.extend_from_slice(&buffer),
            }
            if self.kind.format == Format::JsonValues {
                bytes.push(b'\n');
            }
            if self.kind.format.is_packed_by_entry() && self.compression() != Compression::None {
                rendered.pack().map_err(Error::unwritable(path))?;
            }
        }
        Ok(replaced)
    }

    /// True if readers of the output will take it for one JSON value because of its name.
    fn is_json_by_name(&self) -> bool {
        let is_json = matches!(self.kind.format, Format::Jsonl | Format::JsonValues);
        is_json && unpacked_extension(&self.shelf.files()[self.file as usize].name).as_deref() == Some("json")
    }

    /// The id of a document that has none of its own.
    fn id(&self, position: u64) -> String {
        self.kind.format.id(&self.shelf.files()[self.file as usize].name, position)
    }

    fn changed(&self) -> Error {
        Error::Changed { path: self.shelf.files()[self.file as usize].shown() }
    }

    fn write_rows(
        &self,
        rows: &[u64],
        notes: Option<&Vec<Annotation>>,
        path: &Path,
        writer: &mut (impl Write + Send),
    ) -> Result<u64> {
        let input = self.shelf.open(self.file)?;
        let shown = self.shelf.files()[self.file as usize].shown();
        write_rows(input, rows, notes.map(Vec::as_slice), writer).map_err(|error| error.with_paths(shown, path))
    }
}

/// True if these are only line ends.
fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// A rendered piece: the compressed part, and the part still to be compressed.
struct Rendered {
    bytes: Vec<u8>,
    packed: Vec<u8>,
    packer: Packer,
}

impl Rendered {
    fn new(compression: Compression) -> io::Result<Self> {
        Ok(Self { bytes: Vec::new(), packed: Vec::new(), packer: Packer::new(compression)? })
    }

    /// Compresses the pending part independently, so that the following data can be decompressed without it.
    fn pack(&mut self) -> io::Result<()> {
        self.packer.pack(&self.bytes, &mut self.packed)?;
        self.bytes.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<Vec<u8>> {
        if matches!(self.packer, Packer::Plain) {
            return Ok(self.bytes);
        }
        if !self.bytes.is_empty() {
            self.pack()?;
        }
        Ok(self.packed)
    }
}

/// Splits entries into pieces of about [`PIECE`] bytes, each from one store.
fn pieces(entries: &[Written]) -> Vec<&[Written]> {
    let mut size = 0;
    entries
        .chunk_by(|left, right| {
            size += u64::from(left.place.length);
            let same = size + u64::from(right.place.length) <= PIECE && left.place.store == right.place.store;
            if !same {
                size = 0;
            }
            same
        })
        .collect()
}
