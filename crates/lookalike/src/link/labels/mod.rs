//! Matches and clusters against known answers, and weights that are learned from labeled pairs.
//!
//! A list of pairs is taken to be complete, and what was found is judged by it. If it has a column of labels, nothing
//! is known of other pairs: then the weights are learned from it, and each label is judged by weights that were learned
//! without it.

mod answer;
mod judge;
mod learn;
mod thresholds;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lookalike_core::link::teach::LabeledPair;
use lookalike_io::read::Settings;
use lookalike_io::table::read_table;
use serde::Serialize;

use self::answer::{Answer, ReadAnswer};
pub(super) use self::judge::{Judged, JudgedPairs};
pub use self::learn::LearnedReport;
pub(super) use self::learn::{FromLabels, free};
pub use self::thresholds::{CalibrationBand, ThresholdReport};
use super::need::Need;
use super::tables::Tables;
use crate::error::{Error, Result};
use crate::resources::memory::Memory;

/// Accuracy of matches and clusters.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LabelsReport {
    /// Matches, one by one.
    pub matches: Accuracy,
    /// All pairs of records that are in one cluster; not known if only some pairs have a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Accuracy>,
    /// Result of learning from the labels, if only some pairs have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<LearnedReport>,
    /// Matches about which the answer says nothing.
    pub not_judged_count: u64,
    /// Rows of the answer with an id that no record has, or two.
    pub unknown_row_count: u64,
    /// Missed pairs by reason.
    pub missed: BTreeMap<String, u64>,
    /// Results of other thresholds; empty if only some pairs have a label.
    pub thresholds: Vec<ThresholdReport>,
    /// Pairs by the probability that is stated, and how many of them are right.
    pub calibration: Vec<CalibrationBand>,
}

/// Accuracy of pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Accuracy {
    /// The share of those found that is true; none if nothing was found.
    pub precision: Option<f64>,
    /// The share of the true ones that was found; none if there is none.
    pub recall: Option<f64>,
    /// The harmonic mean of both.
    pub f1: Option<f64>,
    /// True pairs that were found.
    pub right_count: u64,
    /// Pairs that were found and are not true.
    pub wrong_count: u64,
    /// True pairs that were not found.
    pub missed_count: u64,
}

impl Accuracy {
    fn new(right: u64, found: u64, truth: u64) -> Self {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        Self {
            precision: share(right, found),
            recall: share(right, truth),
            f1: share(2 * right, found + truth),
            right_count: right,
            wrong_count: found - right,
            missed_count: truth - right,
        }
    }
}

/// The known answer.
pub(super) struct Labels {
    answer: Answer,
    unknown_row_count: u64,
    /// The column of the clusters, which must not be compared.
    pub(super) cluster_column: Option<String>,
}

impl Labels {
    /// Reads the answer for these records.
    pub(super) fn read(path: &Path, memory: Memory, tables: &Tables, ids: &[String]) -> Result<Self> {
        let go_on = |reading| Need::of_reading(reading).check_held(memory);
        let read = read_table(&[PathBuf::from(path)], None, &Settings::default(), go_on)?;
        read.require_rows()?;
        let unfit = |reason: String| Error::NotLabels { path: read.name.clone(), reason };
        let ReadAnswer { answer, unknown_row_count, cluster_column } =
            ReadAnswer::new(&read.table, tables, ids).map_err(unfit)?;
        Ok(Self { answer, unknown_row_count, cluster_column })
    }

    /// The pairs that have a label each; none where the answer is about all pairs.
    pub(super) fn labeled(&self) -> Option<Vec<LabeledPair>> {
        self.answer.labeled()
    }
}
