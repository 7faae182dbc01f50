//! Predicts the comparisons before any are made: the candidates of each key, and the values that most records have.

use lookalike_core::link::key::{self, Bounds};
use serde::Serialize;

use super::tables::Tables;
use super::{ColumnReport, LinkOptions, bounds, check_inputs, prepare, report};
use crate::error::Result;
use crate::progress::Progress;
use crate::run::stages::Stages;

/// Number of large buckets to show for each key.
const LARGEST: usize = 3;

/// The comparisons that would be made.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Analysis {
    /// Records of each table.
    pub record_counts: Vec<u64>,
    /// Rows that were skipped.
    pub skipped_count: u64,
    /// Detected kinds of the columns.
    pub columns: Vec<ColumnReport>,
    /// A bucket with more pairs is split by a key of another field.
    pub bucket_pair_count: u64,
    /// Effect of each key.
    pub keys: Vec<KeyReport>,
}

/// The effect of one kind of key of one column.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct KeyReport {
    /// The kind.
    pub kind: &'static str,
    /// The columns that it is built from.
    pub columns: Vec<String>,
    /// Keys that at least two records have.
    pub bucket_count: u64,
    /// Pairs that share it; they may share other keys as well.
    pub candidate_count: u64,
    /// Buckets over the limit, which are split by a further key.
    pub split_bucket_count: u64,
    /// Pairs in these that share no further key.
    pub not_compared_count: u64,
    /// The largest buckets.
    pub largest: Vec<BlockReport>,
}

/// A large bucket.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct BlockReport {
    /// Number of records with the key.
    pub record_count: u64,
    /// The value that most of them have.
    pub value: String,
}

/// Reports what would be compared, without comparing anything.
///
/// # Errors
///
/// As [`link`](super::link), before anything is compared.
pub fn analyze(options: &LinkOptions, progress: &dyn Progress) -> Result<Analysis> {
    check_inputs(options)?;
    let mut stages = Stages::start(progress);
    let tables = stages.run("read", None, || Tables::read(options, progress))?;
    let config = tables.config(options)?;
    tables.ids(&config)?;
    tables.need().check(&config, options.resources.memory)?;
    let records = stages.run("prepare", None, || prepare(&tables, &config))?;
    let bounds: Bounds = bounds(&records, &config);
    let keys = stages.run("bucket", None, || key::analyze(&records, &bounds, LARGEST));
    stages.finish();
    let name = |field: &usize| records.fields()[*field].name.clone();
    let report = |key: &key::KeyAnalysis| KeyReport {
        kind: key.kind.name(),
        columns: key.fields.iter().map(name).collect(),
        bucket_count: key.bucket_count,
        candidate_count: key.pair_count,
        split_bucket_count: key.split_bucket_count,
        not_compared_count: key.not_compared_count,
        largest: key
            .largest
            .iter()
            .map(|block| BlockReport { record_count: block.record_count as u64, value: block.value.clone() })
            .collect(),
    };
    Ok(Analysis {
        record_counts: tables.row_counts.iter().map(|count| *count as u64).collect(),
        skipped_count: tables.all().map(|table| table.skipped_count).sum(),
        columns: report::columns(&config),
        bucket_pair_count: bounds.bucket_pairs,
        keys: keys.iter().map(report).collect(),
    })
}
