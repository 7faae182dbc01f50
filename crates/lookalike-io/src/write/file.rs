//! One output file: entries of an input file, in their order, in its format and compression.
//!
//! Bytes are copied, not made again: runs of neighbouring entries at once, and gzip members without unpacking them.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::Annotation;
use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::format::{FileKind, Format, unpacked_extension};
use crate::parquet::write_rows;
use crate::place::{Place, Shelf, Store};
use crate::read::{Parser, Settings};

/// An entry to be written, with a note if it gets one.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Where it lies.
    pub place: Place,
    /// Which entry of its file it is, counted from 1.
    pub position: u64,
    /// What is said of it.
    pub annotation: Option<Annotation>,
}

/// How many bytes are rendered at once: also the size of what is compressed by itself.
const PIECE: u64 = 1 << 20;

/// How many bytes of entries are looked at together, at least.
const TOGETHER: u64 = 16 << 20;

/// The name of an annotated file: what has no room for notes turns into JSONL.
pub fn annotated_name(name: &str, format: Format) -> String {
    if format.has_room_for_notes() { name.to_owned() } else { format!("{name}.jsonl") }
}

/// Writes entries of an input file to output files.
#[derive(Clone, Copy, Debug)]
pub struct FileWriter<'a> {
    /// Where the entries are.
    pub shelf: &'a Shelf,
    /// How they were read.
    pub settings: &'a Settings,
    /// Which of the input files.
    pub file: u32,
    /// What it is.
    pub kind: &'a FileKind,
    /// Whether its entries get notes.
    pub is_annotated: bool,
}

impl FileWriter<'_> {
    /// Writes entries to `writer`: runs of neighbours, in order.
    ///
    /// # Errors
    ///
    /// When a run cannot be had, an entry cannot be read again, or the output cannot be written; `path` is named then.
    pub fn write<E: From<Error>>(
        &self,
        mut runs: impl Iterator<Item = std::result::Result<Vec<Written>, E>>,
        path: &Path,
        writer: &mut (impl Write + Send),
    ) -> std::result::Result<(), E> {
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
        let (mut is_first, mut entries) = (true, Vec::new());
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
            self.write_entries(&entries, is_first, is_last, path, writer)?;
            if is_last {
                return Ok(());
            }
            is_first = false;
            entries.clear();
        }
    }

    /// Writes entries that are all there, and are the first or the last, or both or neither.
    fn write_entries(
        &self,
        entries: &[Written],
        is_first: bool,
        is_last: bool,
        path: &Path,
        writer: &mut (impl Write + Send),
    ) -> Result<()> {
        let unwritable = || Error::unwritable(path);
        let is_list = self.kind.format == Format::JsonList;
        if entries.is_empty() {
            let nothing: &[u8] = match (is_first, is_list) {
                // No bytes are no JSON, and a list of nothing is. And they are no gzip file: an empty one has a header.
                (true, _) if is_list || self.is_json_by_name() => b"[]\n",
                (true, _) => b"",
                (false, true) => b"\n]\n",
                (false, false) => return Ok(()),
            };
            let nothing = self.compression().encode(nothing.to_vec()).map_err(unwritable())?;
            return writer.write_all(&nothing).map_err(unwritable());
        }
        let pieces = pieces(entries);
        if pieces.iter().all(|piece| self.is_copied(piece)) {
            let mut buffer = Vec::new();
            return pieces.iter().try_for_each(|piece| {
                let bytes = self.copy(piece, &mut buffer)?;
                writer.write_all(bytes).map_err(unwritable())
            });
        }
        let pieces: Vec<(usize, &[Written])> = pieces.into_iter().enumerate().collect();
        let last = pieces.len() - 1;
        // A few pieces are rendered in parallel, then written in order; so the memory they take stays small.
        for some in pieces.chunks(2 * rayon::current_num_threads()) {
            let render = |(number, piece): &(usize, &[Written])| {
                let mut bytes = Vec::new();
                if self.is_copied(piece) {
                    return self.copy(piece, &mut bytes).map(<[u8]>::to_vec);
                }
                self.render(piece, is_first && *number == 0, &mut bytes)?;
                if is_last && *number == last && is_list {
                    bytes.extend_from_slice(b"\n]\n");
                }
                self.compression().encode(bytes).map_err(unwritable())
            };
            for bytes in some.par_iter().map(render).collect::<Result<Vec<_>>>()? {
                writer.write_all(&bytes).map_err(unwritable())?;
            }
        }
        Ok(())
    }

    /// How the output is packed: what turned into JSONL is not.
    fn compression(&self) -> Compression {
        if self.is_annotated && !self.kind.format.has_room_for_notes() {
            return Compression::None;
        }
        self.kind.compression
    }

    /// Whether a piece goes from its store to the output without being looked at.
    fn is_copied(&self, piece: &[Written]) -> bool {
        let is_as_wanted = self.compression() == Compression::None || piece[0].place.store == Store::Member;
        // Of these, what stands between two entries is not in either.
        let stands_alone = !matches!(self.kind.format, Format::JsonList | Format::JsonValues);
        is_as_wanted && stands_alone && !self.is_annotated
    }

    /// The bytes of a piece as they lie in their store, in a buffer that may be longer.
    fn copy<'b>(&self, piece: &[Written], buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        let size: usize = piece.iter().map(|entry| entry.place.length as usize).sum();
        buffer.resize(size.max(buffer.len()), 0);
        let mut rest = &mut buffer[..size];
        // Neighbours are read at once.
        for run in piece.chunk_by(|left, right| left.place.offset + u64::from(left.place.length) == right.place.offset)
        {
            let length = run.iter().map(|entry| entry.place.length as usize).sum();
            let (bytes, after) = rest.split_at_mut(length);
            self.shelf.read_raw(run[0].place, bytes)?;
            rest = after;
        }
        Ok(&buffer[..size])
    }

    /// Appends the entries of a piece to `bytes`, unpacked and with their notes.
    fn render(&self, piece: &[Written], is_first: bool, bytes: &mut Vec<u8>) -> Result<()> {
        let mut parser = Parser::new(self.settings);
        let mut buffer = Vec::new();
        for (at, entry) in piece.iter().enumerate() {
            match self.kind.format {
                Format::JsonList if is_first && at == 0 => bytes.extend_from_slice(b"[\n"),
                Format::JsonList => bytes.extend_from_slice(b",\n"),
                _ => {}
            }
            self.shelf.read(entry.place, &mut buffer)?;
            match &entry.annotation {
                Some(annotation) if self.kind.format.has_room_for_notes() => {
                    annotation.write(self.kind, &buffer, bytes);
                }
                Some(annotation) => {
                    let document = parser.document(self.kind, &buffer).ok_or_else(|| self.changed())?;
                    annotation.write_document(&self.id(entry.position), &document, bytes);
                }
                None if self.is_annotated && !self.kind.format.has_room_for_notes() => {}
                None if self.is_annotated && self.kind.format == Format::Csv && !is_blank(&buffer) => {
                    Annotation::write_header(self.kind, &buffer, bytes);
                }
                None => bytes.extend_from_slice(&buffer),
            }
            if self.kind.format == Format::JsonValues {
                bytes.push(b'\n');
            }
        }
        Ok(())
    }

    /// Whether those who read the output will take it for one JSON value.
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
    ) -> Result<()> {
        let input = self.shelf.open(self.file)?;
        let shown = self.shelf.files()[self.file as usize].shown();
        write_rows(input, rows, notes.map(Vec::as_slice), writer).map_err(|error| error.with_paths(shown, path))
    }
}

/// Whether these are nothing but line ends.
fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// Cuts entries into pieces of about [`PIECE`] bytes, each from one store.
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
