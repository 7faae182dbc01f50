//! Checks before a run that the work folder has enough space, based on a few chunks of the input.

use lookalike_io::input::discover::Origin;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{Chunk, Entry, Parser, SequentialReader, Settings, UNIT_BYTES, units};
use lookalike_io::work::check_space;

use crate::error::Result;
use crate::resources::work::Work;

/// Number of files, or parts of large ones, to sample.
const UNITS: usize = 16;

/// Minimum number of chunks for an estimate of a large input.
const LEAST_CHUNKS: usize = 4;

/// Bytes stored for a document in addition to its sketch and its names: its location, its hash, lists of candidates,
/// matches.
const DOCUMENT: u64 = 200;

/// Statistics of the sampled chunks.
#[derive(Debug, Default)]
struct Sample {
    chunks: usize,
    packed_bytes: u64,
    /// Decompressed bytes of input that cannot be read again from its file.
    spooled_bytes: u64,
    documents: u64,
    name_bytes: u64,
}

/// Checks that there is enough space for a corpus with sketches of this size.
///
/// # Errors
///
/// If there is not, or a file cannot be read.
pub(crate) fn check(shelf: &Shelf, settings: &Settings, sketch_bytes: usize, work: &Work) -> Result<()> {
    let files = shelf.files();
    let settings = &settings.unlimited();
    let units = units(files, settings, UNIT_BYTES)?;
    let step = units.len().div_ceil(UNITS).max(1);
    // Remote input, and input that cannot be read twice, is not sampled.
    let is_near = |file: u32| matches!(files[file as usize].origin, Origin::Path(_));
    let some = units.into_iter().step_by(step).filter(|unit| is_near(unit.file)).collect();
    let (mut reader, mut chunk) = (SequentialReader::new(files, some, settings), Chunk::default());
    let mut sample = Sample::default();
    while reader.next(&mut chunk)? {
        sample.add(&chunk, settings);
        reader.skip_rest_of_unit();
    }
    let packed: u64 = files.iter().map(|file| file.bytes).sum();
    // One or two chunks of a large input are not representative, and a run must not be refused without reason.
    if sample.chunks < LEAST_CHUNKS && sample.packed_bytes < packed / 4 {
        return Ok(());
    }
    let of_all = |part: u64| (part as f64 * packed as f64 / sample.packed_bytes.max(1) as f64) as u64;
    let of_documents = of_all(sample.documents * (sketch_bytes as u64 + DOCUMENT) + sample.name_bytes);
    let needed = match work.named() {
        // All of it is written, and input that cannot be read again is copied there.
        Some(_) => of_documents + of_all(sample.spooled_bytes),
        None if of_documents > work.memory.blocks() as u64 => of_documents,
        None => return Ok(()),
    };
    Ok(check_space(&work.shown_folder(), needed)?)
}

impl Sample {
    fn add(&mut self, chunk: &Chunk, settings: &Settings) {
        self.chunks += 1;
        self.packed_bytes += chunk.packed_bytes();
        if !chunk.is_readable_again() {
            self.spooled_bytes += chunk.byte_count();
            // Its entries have no positions yet. Assume two kilobytes per text.
            self.documents += chunk.byte_count() / 2000;
            return;
        }
        Parser::new(settings).entries(chunk, |placed| {
            if let Entry::Document(document) = placed.entry {
                let names = [&document.id, &document.uri, &document.source];
                self.documents += 1;
                self.name_bytes +=
                    names.iter().map(|name| name.as_ref().map_or(0, |name| name.len() as u64)).sum::<u64>();
            }
        });
    }
}
