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
const PIECE: u64 = 2 << 20;

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
        let nothing = compression.encode(Vec::new()).expect("memory holds nothing");
        return writer.write_all(&nothing).map_err(Error::unwritable(path));
    }
    let pieces = pieces(entries);
    // A few pieces are rendered in parallel, then written in order; so the memory they take stays small.
    for some in pieces.chunks(2 * rayon::current_num_threads()) {
        let rendered: Vec<Vec<u8>> =
            some.par_iter().map(|piece| render(shelf, name, format, compression, piece)).collect::<Result<_>>()?;
        for bytes in rendered {
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

fn render(shelf: &Shelf, name: &str, format: Format, compression: Compression, piece: &[Written]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = Vec::new();
    if piece.iter().any(|entry| entry.annotation.is_some()) {
        for entry in piece {
            shelf.read(entry.place, &mut buffer)?;
            match &entry.annotation {
                Some(annotation) => annotation.write(format, name, &buffer, &mut bytes),
                None => bytes.extend_from_slice(&buffer),
            }
        }
        return Ok(compression.encode(bytes).expect("memory holds what is compressed"));
    }
    for run in piece.chunk_by(|left, right| left.place.offset + u64::from(left.place.length) == right.place.offset) {
        let length = run.iter().map(|entry| entry.place.length).sum();
        let place = Place { length, ..run[0].place };
        if bytes.is_empty() {
            shelf.read_raw(place, &mut bytes)?;
        } else {
            shelf.read_raw(place, &mut buffer)?;
            bytes.extend_from_slice(&buffer);
        }
    }
    // Members are packed as they lie there, and plain files are to be plain.
    let is_packed = piece.first().is_some_and(|entry| entry.place.store == Store::Member);
    if is_packed { Ok(bytes) } else { Ok(compression.encode(bytes).expect("memory holds what is compressed")) }
}
