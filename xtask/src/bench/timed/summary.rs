//! The part of `summary.json` that the benchmark reads.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The summary of a run of `lookalike dedup`.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::bench) struct Summary {
    /// The input.
    pub(in crate::bench) input: Input,
    /// The results.
    pub(in crate::bench) found: Found,
    /// The stages in order.
    pub(in crate::bench) stages: Vec<Stage>,
    /// Peak memory of the process, if the system reports it.
    pub(in crate::bench) peak_memory_bytes: Option<u64>,
}

/// The input.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::bench) struct Input {
    /// Documents read.
    pub(in crate::bench) document_count: u64,
    /// Their bytes, decompressed.
    pub(in crate::bench) bytes: u64,
}

/// The results.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(in crate::bench) struct Found {
    /// Documents that share a bucket with another one.
    pub(in crate::bench) sharing_bucket_count: u64,
    /// Pairs that shared a bucket and were examined.
    pub(in crate::bench) candidate_count: u64,
    /// Of these, measured exactly.
    pub(in crate::bench) measured_count: u64,
    /// Pairs that shared a bucket and were not examined.
    pub(in crate::bench) passed_over: PassedOver,
    /// Documents removed.
    pub(in crate::bench) removed_count: u64,
    /// Of these, exact copies of the kept one.
    pub(in crate::bench) exact_copy_count: u64,
    /// Documents kept.
    pub(in crate::bench) kept_count: u64,
}

/// Pairs that shared a bucket and were not compared.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(in crate::bench) struct PassedOver {
    /// Approximate number.
    pub(in crate::bench) pair_count: u64,
}

/// One stage.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::bench) struct Stage {
    /// Its verb.
    pub(in crate::bench) name: String,
    /// Duration.
    pub(in crate::bench) seconds: f64,
    /// Peak memory up to its end, if the system reports it.
    pub(in crate::bench) peak_memory_bytes: Option<u64>,
}

impl Summary {
    /// Reads the file.
    pub(in crate::bench) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// The seconds of a stage, or 0 if there is none of this name.
    pub(in crate::bench) fn seconds(&self, name: &str) -> f64 {
        self.stages.iter().filter(|stage| stage.name == name).map(|stage| stage.seconds).sum()
    }

    /// The time for measuring candidates, and for decisions based on that.
    pub(in crate::bench) fn verification_seconds(&self) -> f64 {
        self.seconds("verify") + self.seconds("resolve")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_is_verify_and_resolve() {
        let text = r#"{"input": {"document_count": 9, "bytes": 1}, "found": {"sharing_bucket_count": 4}, "peak_memory_bytes": 5,
            "stages": [{"name": "sketch", "seconds": 4.0}, {"name": "verify", "seconds": 1.5},
                       {"name": "resolve", "seconds": 0.5}]}"#;
        let summary: Summary = serde_json::from_str(text).unwrap();
        assert!((summary.verification_seconds() - 2.0).abs() < 1e-9);
    }
}
