//! Sketches of documents in batches: the same data that `dedup` stores of each text, for callers that find candidates
//! themselves.
//!
//! A text has the same sketch in every call with the same scheme, on every machine: batches can be sketched separately
//! and combined, and sketches can be compared wherever they were computed.

use lookalike_core::hash::Key;
use lookalike_core::kernel::{TextSketcher, TextSummary};
use lookalike_core::sketch::{Layout, Sketches};
use rayon::prelude::*;
use serde::Serialize;

use crate::corpus::walk::{ROUND_BYTES, Walked, walk_rounds};
use crate::error::Result;
use crate::options::SketchOptions;
use crate::progress::Progress;
use crate::report::summary::SkippedEntry;

/// Number of documents a thread sketches at a time.
const AT_ONCE: usize = 256;

/// The sketches of some documents, in input order.
#[derive(Debug)]
#[non_exhaustive]
pub struct SketchBatch {
    /// The id of each document, or its file and position.
    pub ids: Vec<String>,
    /// The position of each document in its file, counted from 1.
    pub positions: Vec<u64>,
    /// Number of keys and bytes of each sketch.
    pub layout: Layout,
    /// The keys of all sketches, concatenated: documents with an equal key at one position are candidates.
    pub keys: Vec<u64>,
    /// The bytes of all sketches, concatenated. For minhash, each is of one slot, and the share of equal bytes
    /// estimates the similarity; for simhash they are its bits.
    pub bytes: Vec<u8>,
    /// Other data of each document. One of size 0 has no features, and its keys and bytes are meaningless.
    pub texts: Vec<TextSummary>,
}

/// Counts of [`sketch`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SketchReport {
    /// Documents that were sketched.
    pub document_count: u64,
    /// Bytes that were read, decompressed.
    pub input_bytes: u64,
    /// Records without text.
    pub without_text_count: u64,
    /// Documents without the id field.
    pub without_id_count: u64,
    /// Entries that were skipped.
    pub skipped_count: u64,
    /// The first skipped entries, each with the reason.
    pub skipped: Vec<SkippedEntry>,
}

/// Sketches all documents, and passes them to `take` in batches of a few megabytes of text, in input order.
///
/// ```
/// use lookalike::{Silent, SketchRequest, sketch};
///
/// # let folder = tempfile::tempdir()?;
/// # let news = folder.path().join("news.jsonl");
/// # std::fs::write(&news, "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"The storm hit the coast!\"}\n")?;
/// let options = SketchRequest::new([news]).check()?;
/// let mut keys = Vec::new();
/// let report = sketch(&options, &mut |batch| { keys.extend(batch.keys); Ok(()) }, &Silent)?;
/// assert_eq!(report.document_count, 2);
/// assert_eq!(keys[..20], keys[20..]); // the same words
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If an input cannot be read, or `take` fails.
pub fn sketch(
    options: &SketchOptions,
    take: &mut (dyn FnMut(SketchBatch) -> Result<()> + Send),
    progress: &dyn Progress,
) -> Result<SketchReport> {
    // A round is in memory as read and as texts while the next is read.
    let round_bytes = ROUND_BYTES.min(options.resources.memory.bytes() / 96);
    let skips = walk_rounds(&options.read, "sketch", round_bytes, progress, |round| take(batch_of(round, options)))?;
    Ok(SketchReport {
        document_count: skips.documents,
        input_bytes: skips.bytes,
        without_text_count: skips.without_text,
        without_id_count: skips.without_id,
        skipped_count: skips.count,
        skipped: skips.named,
    })
}

fn batch_of(round: Vec<Walked>, options: &SketchOptions) -> SketchBatch {
    let method = options.scheme.build_method();
    let layout = method.layout();
    // The key of hashes that decide is also fixed: results computed separately must be compatible.
    let sketcher = || TextSketcher::new(&options.scheme, &*method, Key::FIXED);
    let parts: Vec<(Sketches, Vec<TextSummary>)> = round
        .par_chunks(AT_ONCE)
        .map_init(sketcher, |sketcher, documents| {
            let mut sketches = Sketches::new(layout);
            let texts = documents.iter().map(|document| sketcher.sketch(&document.text, &mut sketches)).collect();
            (sketches, texts)
        })
        .collect();
    let (ids, positions) = round.into_iter().map(|document| (document.id, document.position)).unzip();
    let mut batch = SketchBatch { ids, positions, layout, keys: Vec::new(), bytes: Vec::new(), texts: Vec::new() };
    for (sketches, texts) in parts {
        batch.keys.extend_from_slice(sketches.all_keys());
        batch.bytes.extend_from_slice(sketches.all_bytes());
        batch.texts.extend(texts);
    }
    batch
}
