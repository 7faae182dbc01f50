//! The parameters of a run, for `summary.json`.

use lookalike_core::decision::Scope;
use lookalike_core::measure::similarity::Similarity;
use lookalike_core::method::Method;
use serde::Serialize;

use crate::candidates::against;
use crate::options::{DedupOptions, Group, MethodOptions, SketchKey, SourceBy};

/// The parameters of a run, and the recall they promise.
#[derive(Clone, Debug, Serialize)]
pub struct Parameters {
    /// What a feature is made of.
    pub shingle: String,
    /// The differences that were ignored: accents, digits, both or none.
    pub fold: String,
    /// What is measured.
    pub measure: &'static str,
    /// The threshold.
    pub threshold: f64,
    /// The key of the sketches: `fixed`, the user's own (which is not written), or `random`.
    pub key: &'static str,
    /// How candidates were found.
    pub method: MethodParameters,
    /// Probability of finding a pair exactly at the threshold; `None` where it does not depend on the similarity.
    pub recall_at_threshold: Option<f64>,
    /// Bytes per sketch.
    pub sketch_bytes: usize,
    /// Keep order.
    pub keep: String,
    /// How matches became removals.
    pub group: &'static str,
    /// Whether only documents similar to the reference were removed.
    pub only_against: bool,
    /// What the source of a document is.
    pub source: String,
    /// Threads.
    pub threads: usize,
}

impl Parameters {
    pub(crate) fn new(options: &DedupOptions, method: &dyn Method) -> Self {
        let similarity = &options.similarity;
        Self {
            shingle: similarity.shingle.to_string(),
            fold: similarity.fold.to_string(),
            measure: similarity.criterion.measure(),
            threshold: similarity.criterion.threshold(),
            key: match similarity.key {
                SketchKey::Fixed => "fixed",
                SketchKey::Given(_) => "given",
                SketchKey::Random => "random",
            },
            method: MethodParameters::new(&similarity.method),
            recall_at_threshold: Similarity::new(similarity.criterion.threshold())
                .ok()
                .and_then(|threshold| method.recall_at(threshold)),
            sketch_bytes: method.layout().byte_count(),
            keep: options.keep.to_string(),
            group: match options.group {
                Group::Independent => "independent",
                Group::Components => "components",
            },
            only_against: against::scope(options.against.as_ref()) == Scope::References,
            source: match (options.source, &options.read.settings.fields.source) {
                (SourceBy::HostOrFile, _) => "host, file or folder".to_owned(),
                (SourceBy::Host, _) => "host".to_owned(),
                (SourceBy::File, _) => "file".to_owned(),
                (SourceBy::Field, field) => format!("field:{}", field.as_deref().unwrap_or_default()),
            },
            threads: rayon::current_num_threads(),
        }
    }
}

/// A method and its own parameters.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MethodParameters {
    /// Its name.
    pub name: &'static str,
    /// How slots are filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sketch: Option<String>,
    /// Bands per sketch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bands: Option<usize>,
    /// Rows per band.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// Slots that rows are drawn from at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_slots: Option<usize>,
    /// Bands in which candidates agree, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agree: Option<usize>,
    /// Number of features of a document that are looked up in all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<usize>,
    /// Bits per sketch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sketch_bits: Option<u32>,
    /// How much a feature's vote counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Maximum number of bits in which near-duplicates differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// Whether candidates are measured exactly; if not, the bits alone decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// What makes exact copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<&'static str>,
}

impl MethodParameters {
    pub(crate) fn new(method: &MethodOptions) -> Self {
        let named = Self { name: method.name(), ..Self::default() };
        match method {
            MethodOptions::MinHash { banding, slots } | MethodOptions::SuperShingle { banding, slots } => Self {
                sketch: Some(slots.to_string()),
                bands: Some(banding.bands()),
                rows: Some(banding.rows()),
                random_slots: banding.is_random().then(|| banding.slot_count()),
                agree: Some(banding.agreeing()).filter(|agree| *agree > 1),
                ..named
            },
            MethodOptions::Part(part) => Self { taken: Some(part.taken()), ..named },
            MethodOptions::SimHash { width, weights, distance, is_verified, .. } => Self {
                sketch_bits: Some(width.bits()),
                weights: Some(weights.to_string()),
                bits: Some(*distance),
                verified: Some(*is_verified),
                ..named
            },
            MethodOptions::Exact => named,
            MethodOptions::Copies(checksum) => Self { checksum: Some(checksum.name()), ..named },
        }
    }
}
