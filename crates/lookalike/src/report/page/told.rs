//! What `summary.json` told, as far as a report needs it: read from the file of a finished run, or from a run that is about to write it.
//!
//! What a summary of another version lacks is nothing here.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::report::summary::Summary;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Told {
    pub(super) lookalike: String,
    pub(super) command: Vec<String>,
    pub(super) input: Input,
    pub(super) found: Found,
    pub(super) parameters: Parameters,
    pub(super) similarity: Vec<Band>,
    pub(super) clusters_by_size: BTreeMap<u64, u64>,
    pub(super) largest_clusters: Vec<Cluster>,
    pub(super) kept_by_copies: BTreeMap<u64, u64>,
    pub(super) stages: Vec<Stage>,
    pub(super) seconds: f64,
    pub(super) peak_memory_bytes: Option<u64>,
    pub(super) sources: Vec<Source>,
    pub(super) more_sources: u64,
    pub(super) nearly_lost: Vec<NearlyLost>,
    pub(super) skipped: Vec<Skipped>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Input {
    pub(super) files: u64,
    pub(super) documents: u64,
    pub(super) bytes: u64,
    pub(super) skipped: u64,
    pub(super) empty: u64,
    pub(super) without_id: u64,
    pub(super) without_value: u64,
    pub(super) without_source: u64,
    pub(super) repeated_ids: u64,
    pub(super) reference_files: u64,
    pub(super) reference_documents: u64,
    pub(super) reference_skipped: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Found {
    pub(super) repeated_texts: u64,
    pub(super) sharing_a_bucket: Option<u64>,
    pub(super) candidates: Option<u64>,
    pub(super) measured: Option<u64>,
    pub(super) matches: Option<u64>,
    pub(super) passed_over: u64,
    pub(super) passed_over_error: u64,
    pub(super) passed_over_matches: u64,
    pub(super) passed_over_matches_at_most: u64,
    pub(super) removed: u64,
    pub(super) removed_by_reference: u64,
    pub(super) exact_copies: u64,
    pub(super) same_words: u64,
    pub(super) near_duplicates: u64,
    pub(super) kept: u64,
    pub(super) clusters: u64,
    pub(super) removed_below_threshold: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Parameters {
    pub(super) shingle: String,
    pub(super) fold: String,
    pub(super) measure: String,
    pub(super) threshold: f64,
    pub(super) method: Method,
    pub(super) recall_at_threshold: Option<f64>,
    pub(super) keep: String,
    pub(super) threads: u64,
    /// All the others, to be listed.
    #[serde(flatten)]
    pub(super) others: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) bands: Option<usize>,
    pub(super) rows: Option<usize>,
    pub(super) agree: Option<usize>,
    pub(super) random_slots: Option<usize>,
    pub(super) taken: Option<i32>,
    #[serde(flatten)]
    pub(super) others: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Band {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) removed: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cluster {
    pub(super) cluster: u32,
    pub(super) kept_id: String,
    pub(super) cluster_size: u64,
    pub(super) copies: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Stage {
    pub(super) name: String,
    pub(super) seconds: f64,
    pub(super) peak_memory_bytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Source {
    pub(super) source: String,
    pub(super) documents: u64,
    pub(super) removed: u64,
    pub(super) share: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct NearlyLost {
    #[serde(flatten)]
    pub(super) source: Source,
    pub(super) mostly_for: String,
    pub(super) mostly_for_reference: bool,
    pub(super) mostly_for_removed: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Skipped {
    pub(super) file: String,
    pub(super) entry: String,
    pub(super) position: u64,
    pub(super) reason: String,
    pub(super) count: u64,
}

impl Told {
    /// What a run is about to tell.
    pub(super) fn of(summary: &Summary) -> Self {
        let json = serde_json::to_vec(summary).expect("a summary has a JSON form");
        serde_json::from_slice(&json).expect("a summary is what was made of it")
    }

    /// What the finished run in a folder told.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("summary.json");
        let not_a_run = |reason: String| Error::NotARun { path: folder.to_owned(), reason };
        let json = std::fs::read(&path).map_err(|cause| not_a_run(format!("summary.json: {cause}")))?;
        let value: Value =
            serde_json::from_slice(&json).map_err(|error| not_a_run(format!("summary.json: {error}")))?;
        if value["found"]["removed"].is_null() || value["parameters"]["threshold"].is_null() {
            return Err(not_a_run("its summary.json is not one of dedup".to_owned()));
        }
        serde_json::from_slice(&json).map_err(|error| not_a_run(format!("summary.json: {error}")))
    }
}
