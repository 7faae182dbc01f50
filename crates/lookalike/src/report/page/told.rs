//! What `summary.json` told, as far as a report needs it: read from the file of a finished run, or from a run that is about to write it.
//!
//! What a summary of another version lacks is nothing here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::report::summary::Summary;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Told {
    pub(crate) lookalike: String,
    pub(crate) command: Vec<String>,
    pub(crate) working_folder: Option<PathBuf>,
    pub(crate) input: Input,
    pub(crate) found: Found,
    pub(crate) parameters: Parameters,
    pub(crate) similarity: Vec<Band>,
    pub(crate) clusters_by_size: BTreeMap<u64, u64>,
    pub(crate) largest_clusters: Vec<Cluster>,
    pub(crate) kept_by_copies: BTreeMap<u64, u64>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) seconds: f64,
    pub(crate) peak_memory_bytes: Option<u64>,
    pub(crate) sources: Vec<Source>,
    pub(crate) more_sources: u64,
    pub(crate) nearly_lost: Vec<NearlyLost>,
    pub(crate) skipped: Vec<Skipped>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input {
    pub(crate) files: u64,
    pub(crate) documents: u64,
    pub(crate) bytes: u64,
    pub(crate) skipped: u64,
    pub(crate) empty: u64,
    pub(crate) without_id: u64,
    pub(crate) without_value: u64,
    pub(crate) without_source: u64,
    pub(crate) repeated_ids: u64,
    pub(crate) reference_files: u64,
    pub(crate) reference_documents: u64,
    pub(crate) reference_skipped: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Found {
    pub(crate) repeated_texts: u64,
    pub(crate) sharing_a_bucket: Option<u64>,
    pub(crate) candidates: Option<u64>,
    pub(crate) measured: Option<u64>,
    pub(crate) matches: Option<u64>,
    pub(crate) passed_over: u64,
    pub(crate) passed_over_error: u64,
    pub(crate) passed_over_matches: u64,
    pub(crate) passed_over_matches_at_most: u64,
    pub(crate) removed: u64,
    pub(crate) removed_by_reference: u64,
    pub(crate) exact_copies: u64,
    pub(crate) same_words: u64,
    pub(crate) near_duplicates: u64,
    pub(crate) kept: u64,
    pub(crate) clusters: u64,
    pub(crate) removed_below_threshold: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    pub(crate) shingle: String,
    pub(crate) fold: String,
    pub(crate) measure: String,
    pub(crate) threshold: f64,
    pub(crate) method: Method,
    pub(crate) recall_at_threshold: Option<f64>,
    pub(crate) keep: String,
    pub(crate) threads: u64,
    /// All the others, to be listed.
    #[serde(flatten)]
    pub(crate) others: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) bands: Option<usize>,
    pub(crate) rows: Option<usize>,
    pub(crate) agree: Option<usize>,
    pub(crate) random_slots: Option<usize>,
    pub(crate) taken: Option<i32>,
    #[serde(flatten)]
    pub(crate) others: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Band {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) removed: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) cluster: u32,
    pub(crate) kept_id: String,
    pub(crate) cluster_size: u64,
    pub(crate) copies: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) peak_memory_bytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Source {
    pub(crate) source: String,
    pub(crate) documents: u64,
    pub(crate) removed: u64,
    pub(crate) share: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NearlyLost {
    #[serde(flatten)]
    pub(crate) source: Source,
    pub(crate) mostly_for: String,
    pub(crate) mostly_for_reference: bool,
    pub(crate) mostly_for_removed: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Skipped {
    pub(crate) file: String,
    pub(crate) entry: String,
    pub(crate) position: u64,
    pub(crate) reason: String,
    pub(crate) count: u64,
}

impl Told {
    /// What a run is about to tell.
    pub(crate) fn of(summary: &Summary) -> Self {
        let json = serde_json::to_vec(summary).expect("a summary has a JSON form");
        serde_json::from_slice(&json).expect("a summary is what was made of it")
    }

    /// What the finished run in a folder told.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
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
