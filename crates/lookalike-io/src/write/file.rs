//! One output file: entries of an input file, in their order, in its format and compression.
//!
//! Bytes are copied, not made again: runs of neighbouring entries at once, and gzip members without unpacking them.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::Annotation;
use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::place::{Place, Shelf, Store};

/// An entry to be written, with a note if it gets one.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Where it lies.
    pub place: Place,
    /// What is said of it.
    pub annotation: Option<Annotation>,
}

/// How many bytes are rendered at once: also the size of what is compressed by itself.
const PIECE: u64 = 1 << 20;

/// The name of an annotated file: a text file turns into JSONL.
pub fn annotated_name(name: &str, format: Format) -> String {
    if format == Format::Text { format!("{name}.jsonl") } else { name.to_owned() }
}

/// Writes entries of an input file to `writer`. `name` is the name of that file.
///
/// # Errors
///
/// When an entry cannot be read again, or the output cannot be written; `path` is named then.
pub fn write_file(
    shelf: &Shelf,
    name: &str,
    format: Format,
    compression: Compression,
    entries: &[Written],
    path: &Path,
    writer: &mut impl Write,
) -> Result<()> {
    let compression = match format {
        Format::Text if entries.iter().any(|entry| entry.annotation.is_some()) => Compression::None,
        _ => compression,
    };
    if entries.is_empty() {
        // No bytes are no gzip file: an empty one has a header.
        let nothing = compression.encode(Vec::new()).map_err(Error::unwritable(path))?;
        return writer.write_all(&nothing).map_err(Error::unwritable(path));
    }
    let pieces = pieces(entries);
    let is_copied = |piece: &[Written]| {
        let is_as_wanted = compression == Compression::None || piece[0].place.store == Store::Member;
        is_as_wanted && piece.iter().all(|entry| entry.annotation.is_none())
    };
    if pieces.iter().all(|piece| is_copied(piece)) {
        let mut buffer = Vec::new();
        return pieces.iter().try_for_each(|piece| {
            let bytes = copy(shelf, piece, &mut buffer)?;
            writer.write_all(bytes).map_err(Error::unwritable(path))
        });
    }
    // A few pieces are rendered in parallel, then written in order; so the memory they take stays small.
    for some in pieces.chunks(2 * rayon::current_num_threads()) {
        let render = |piece: &&[Written]| {
            let mut bytes = Vec::new();
            if is_copied(piece) {
                return copy(shelf, piece, &mut bytes).map(<[u8]>::to_vec);
            }
            render(shelf, name, format, piece, &mut bytes)?;
            compression.encode(bytes).map_err(Error::unwritable(path))
        };
        for bytes in some.par_iter().map(render).collect::<Result<Vec<_>>>()? {
            writer.write_all(&bytes).map_err(Error::unwritable(path))?;
        }
    }
    Ok(())
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

/// The bytes of a piece as they lie in their store, in a buffer that may be longer.
fn copy<'b>(shelf: &Shelf, piece: &[Written], buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let size: usize = piece.iter().map(|entry| entry.place.length as usize).sum();
    buffer.resize(size.max(buffer.len()), 0);
    let mut rest = &mut buffer[..size];
    // Neighbours are read at once.
    for run in piece.chunk_by(|left, right| left.place.offset + u64::from(left.place.length) == right.place.offset) {
        let length = run.iter().map(|entry| entry.place.length as usize).sum();
        let (bytes, after) = rest.split_at_mut(length);
        shelf.read_raw(run[0].place, bytes)?;
        rest = after;
    }
    Ok(&buffer[..size])
}

/// Appends the entries of a piece to `bytes`, unpacked and with their notes.
fn render(shelf: &Shelf, name: &str, format: Format, piece: &[Written], bytes: &mut Vec<u8>) -> Result<()> {
    let mut buffer = Vec::new();
    for entry in piece {
        shelf.read(entry.place, &mut buffer)?;
        match &entry.annotation {
            Some(annotation) => annotation.write(format, name, &buffer, bytes),
            None => bytes.extend_from_slice(&buffer),
        }
    }
    Ok(())
}
