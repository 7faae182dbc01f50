//! Sketching alone: texts in memory to band keys, on one thread, with the core's own stages.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use lookalike_core::banding::Banding;
use lookalike_core::shingle::{Shingle, Shingler};
use lookalike_core::similarity::Threshold;
use lookalike_core::sketch::FastSketcher;
use lookalike_core::text::fold::Fold;

use super::texts::Documents;
use super::{SHINGLE, THRESHOLD};

/// The chance to find a pair at the threshold: the default of the command.
const RECALL: f64 = 0.99;

/// Megabytes of text a second, one number a run.
pub(super) fn speeds(documents: &Documents, runs: u16) -> Result<Vec<f64>> {
    let shingle: Shingle = SHINGLE.parse()?;
    let banding = Banding::for_recall(Threshold::new(THRESHOLD)?, RECALL)?;
    let megabytes = documents.text_bytes() as f64 / 1e6;
    let speeds = (0..runs).map(|_| {
        let start = Instant::now();
        black_box(sketch_all(&documents.texts, shingle, banding));
        megabytes / start.elapsed().as_secs_f64()
    });
    Ok(speeds.collect())
}

/// All band keys, folded into one number so that none can be left out.
fn sketch_all(texts: &[String], shingle: Shingle, banding: Banding) -> u64 {
    let mut shingler = Shingler::new(shingle, Fold::NONE);
    let mut sketcher = FastSketcher::new(banding.slot_count());
    texts.iter().fold(0, |sum, text| {
        let sketch = sketcher.sketch(shingler.features(text).all);
        sketch.map_or(sum, |sketch| banding.keys(sketch).fold(sum, |sum, key| sum ^ key))
    })
}
