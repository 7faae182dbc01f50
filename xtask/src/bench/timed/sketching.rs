//! Sketching alone: computes the stored data of texts in memory, on one thread, with the core's stages.

use std::hint::black_box;
use std::time::Instant;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::measure::distinct::Distinct;
use lookalike_core::method::Method;
use lookalike_core::sketch::{FastSketcher, Sketches, SlotSketcher};
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::{Shingle, Shingler};

use crate::bench::corpora::texts::Documents;

/// Megabytes of text per second for each run: with all data that a method stores about a document, and the number of
/// its distinct features.
pub(in crate::bench) fn speeds(documents: &Documents, shingle: &Shingle, method: &dyn Method, runs: u16) -> Vec<f64> {
    timed(documents, runs, || drop(black_box(sketch_all(&documents.texts, shingle, method))))
}

/// The same for the keys of bands only, without counting features.
pub(in crate::bench) fn key_speeds(documents: &Documents, shingle: &Shingle, banding: Banding, runs: u16) -> Vec<f64> {
    timed(documents, runs, || drop(black_box(all_keys(&documents.texts, shingle, banding))))
}

fn timed(documents: &Documents, runs: u16, run: impl Fn()) -> Vec<f64> {
    let megabytes = documents.text_bytes() as f64 / 1e6;
    let speed = |_| {
        let start = Instant::now();
        run();
        megabytes / start.elapsed().as_secs_f64()
    };
    (0..runs).map(speed).collect()
}

fn all_keys(texts: &[String], shingle: &Shingle, banding: Banding) -> Vec<u64> {
    let mut shingler = Shingler::new(shingle, Fold::NONE);
    let mut sketcher = FastSketcher::new(banding.slot_count());
    let (cutter, mut keys) = (banding.cutter(), Vec::new());
    for text in texts {
        if let Some(sketch) = sketcher.sketch(shingler.features(text).all) {
            cutter.keys(sketch, |key| keys.push(key));
        }
    }
    keys
}

fn sketch_all(texts: &[String], shingle: &Shingle, method: &dyn Method) -> Sketches {
    let mut shingler = Shingler::new(shingle, Fold::NONE);
    let mut sketcher = method.sketcher();
    let mut sketches = Sketches::new(method.layout());
    let mut distinct = Distinct::default();
    for text in texts {
        let features = shingler.features(text);
        distinct.fill(features.all);
        sketcher.sketch(features.all, &distinct, &mut sketches);
    }
    sketches
}
