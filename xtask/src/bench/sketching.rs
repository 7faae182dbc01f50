//! Sketching alone: texts in memory to what is kept of them, on one thread, with the core's own stages.

use std::hint::black_box;
use std::time::Instant;

use lookalike_core::feature_set::FeatureSet;
use lookalike_core::method::Method;
use lookalike_core::shingle::{Shingle, Shingler};
use lookalike_core::sketch::Sketches;
use lookalike_core::text::fold::Fold;

use super::texts::Documents;

/// Megabytes of text a second, one number a run.
pub(super) fn speeds(documents: &Documents, shingle: &Shingle, method: &dyn Method, runs: u16) -> Vec<f64> {
    let megabytes = documents.text_bytes() as f64 / 1e6;
    let speeds = (0..runs).map(|_| {
        let start = Instant::now();
        black_box(sketch_all(&documents.texts, shingle, method));
        megabytes / start.elapsed().as_secs_f64()
    });
    speeds.collect()
}

fn sketch_all(texts: &[String], shingle: &Shingle, method: &dyn Method) -> Sketches {
    let mut shingler = Shingler::new(shingle, Fold::NONE);
    let mut sketcher = method.sketcher();
    let mut sketches = Sketches::new(method.layout());
    let mut set = FeatureSet::default();
    for text in texts {
        let features = shingler.features(text);
        set.fill(features.all);
        sketcher.sketch(features.all, &set, &mut sketches);
    }
    sketches
}
