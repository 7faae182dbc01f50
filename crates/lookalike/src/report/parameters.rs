//! The parameters of a run, for `summary.json`.

use std::borrow::Cow;

use lookalike_core::decision::Scope;
use lookalike_core::measure::similarity::Similarity;
use lookalike_core::method::Method;
use serde::{Deserialize, Serialize};

use crate::options::{DedupOptions, Group, MethodOptions, Purpose, SketchKey};

/// The parameters of a run, and the recall they promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Parameters {
    /// The kind of features.
    pub shingle: String,
    /// The differences that were ignored: accents, digits, both or none.
    pub fold: String,
    /// True if a shingle that a text repeats counts as often as it occurs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub count_repeats: bool,
    /// The purpose that settings were taken from, if one was named, and those settings as options of the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<PurposeSettings>,
    /// The number of files whose names made the tokens of source code the default, if nobody requested tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_file_count: Option<u64>,
    /// The measure of similarity.
    pub measure: Cow<'static, str>,
    /// The threshold.
    pub threshold: f64,
    /// The key of the sketches: `fixed`, the user's own (which is not written), or `random`.
    pub key: Cow<'static, str>,
    /// Identifies shingle, fold, measure, threshold, key and the method that compares larger input, in sixteen
    /// hexadecimal digits: equal for runs that create the same sketches, and decide in the same way for the same input.
    pub fingerprint: String,
    /// Method for finding candidates.
    pub method: MethodParameters,
    /// True if the input was compared exactly because it is small and no method was requested.
    #[serde(default)]
    pub exact_because_small: bool,
    /// Probability of finding a pair exactly at the threshold; `None` where it does not depend on the similarity.
    pub recall_at_threshold: Option<f64>,
    /// Bytes per sketch.
    pub sketch_bytes: usize,
    /// Keep order.
    pub keep: String,
    /// Rule for converting matches to removals.
    pub group: Cow<'static, str>,
    /// True if only documents similar to the reference were removed.
    pub only_against: bool,
    /// Definition of a document's source.
    pub source: String,
    /// Threads.
    pub threads: usize,
}

impl Parameters {
    pub(crate) fn new(options: &DedupOptions, method: &dyn Method) -> Self {
        let similarity = &options.scheme;
        Self {
            shingle: similarity.shingle().to_string(),
            fold: similarity.fold().to_string(),
            count_repeats: similarity.counts_repeats(),
            purpose: options.purpose.map(PurposeSettings::new),
            code_file_count: options.code_file_count,
            measure: similarity.criterion().measure().into(),
            threshold: similarity.criterion().threshold(),
            key: match similarity.key() {
                SketchKey::Fixed => "fixed",
                SketchKey::Given(_) => "given",
                SketchKey::Random => "random",
            }
            .into(),
            fingerprint: format!("{:016x}", similarity.fingerprint()),
            method: MethodParameters::new(similarity.method()),
            exact_because_small: false,
            recall_at_threshold: Similarity::new(similarity.criterion().threshold())
                .ok()
                .and_then(|threshold| method.recall_at(threshold)),
            sketch_bytes: method.layout().byte_count(),
            keep: options.keep.to_string(),
            group: match options.group {
                Group::Independent => "independent",
                Group::Components => "components",
            }
            .into(),
            only_against: options.compare_with.scope() == Scope::References,
            source: options.source.written(options.read.settings.fields.source.as_deref()),
            threads: rayon::current_num_threads(),
        }
    }

    /// Records that the input was joined exactly instead of by the method of its scheme.
    pub(crate) fn set_exact_because_small(&mut self) {
        self.exact_because_small = true;
        self.method = MethodParameters::new(&MethodOptions::Exact);
        self.recall_at_threshold = Some(1.0);
        self.sketch_bytes = 0;
    }
}

/// A purpose, and the settings it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PurposeSettings {
    /// Its name.
    pub name: String,
    /// The settings that it stands for, unless others were requested: options and their values.
    pub settings: String,
}

impl PurposeSettings {
    pub(crate) fn new(purpose: Purpose) -> Self {
        Self { name: purpose.to_string(), settings: purpose.written() }
    }
}

/// A method and its own parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MethodParameters {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Method for filling slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<String>,
    /// Bands per sketch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bands: Option<usize>,
    /// Rows per band.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// Slots that rows are drawn from at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<usize>,
    /// Bands in which candidates agree, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agree: Option<usize>,
    /// Number of features of a document that are looked up in all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<usize>,
    /// Bits per sketch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch_bits: Option<u32>,
    /// Weight of a feature's vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shingle_weights: Option<String>,
    /// Maximum number of bits in which near-duplicates differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// Tables for looking up sketches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<String>,
    /// True if candidates are measured exactly; if not, the bits alone decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<bool>,
    /// Definition of exact copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Cow<'static, str>>,
}

impl MethodParameters {
    pub(crate) fn new(method: &MethodOptions) -> Self {
        let named = Self { name: method.name().into(), ..Self::default() };
        match method {
            MethodOptions::MinHash { banding, slots } | MethodOptions::SuperShingle { banding, slots } => Self {
                sketch: Some(slots.to_string()),
                bands: Some(banding.bands()),
                rows: Some(banding.rows()),
                slots: banding.is_random().then(|| banding.slot_count()),
                agree: Some(banding.agreeing()).filter(|agree| *agree > 1),
                ..named
            },
            MethodOptions::Part(part) => Self { taken: Some(part.taken()), ..named },
            MethodOptions::SimHash { width, weights, distance, tables, is_verified } => Self {
                sketch_bits: Some(width.bits()),
                shingle_weights: Some(weights.to_string()),
                bits: Some(*distance),
                tables: Some(tables.to_string()),
                verify: Some(*is_verified),
                ..named
            },
            MethodOptions::Exact => named,
            MethodOptions::Copies(checksum) => Self { checksum: Some(checksum.name().into()), ..named },
        }
    }
}
