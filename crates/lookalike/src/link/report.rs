//! Report of linking in numbers: `summary.json`, and the summary in the terminal.

use std::collections::BTreeMap;

use lookalike_core::ids::Number;
use lookalike_core::link::config::{Config, Kind};
use lookalike_core::link::score::Scored;
use lookalike_core::link::validate::{Band, Validation};
use lookalike_core::link::weigh::Learned;
use serde::Serialize;

use super::Linking;
use super::labels::LabelsReport;
use super::tables::Tables;
use super::warnings::{LinkWarning, of_tables};
use crate::report::summary::{SkippedEntry, Stage};

/// Result of a run of `link`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LinkReport {
    /// The version that ran.
    pub lookalike: &'static str,
    /// Records of each table.
    pub record_counts: Vec<u64>,
    /// Rows without a value, which were passed over.
    pub empty_row_count: u64,
    /// Rows that were skipped.
    pub skipped_count: u64,
    /// The first of them.
    pub skipped: Vec<SkippedEntry>,
    /// Kinds that were chosen for the columns.
    pub columns: Vec<ColumnReport>,
    /// Warnings that a person should read before trusting the result.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub warnings: Vec<LinkWarning>,
    /// Pairs that were compared.
    pub candidate_count: u64,
    /// Statistics of each kind of key.
    pub keys: Vec<KeyKindReport>,
    /// Pairs that were not compared because they share keys of only one field, and there were too many of them.
    pub one_field_only_count: u64,
    /// Minimum probability of a match.
    pub threshold: f64,
    /// True if probabilities are calibrated; otherwise they only rank pairs, as for products and other things, and
    /// where few records have a match.
    pub calibrated: bool,
    /// Matches.
    pub match_count: u64,
    /// Estimated number of matches in the data, according to the model.
    pub expected_match_count: f64,
    /// Data from which the weights were learned.
    pub learned: Learned,
    /// Matches by probability.
    pub probabilities: Vec<ScoreBand>,
    /// Matches between records of two clusters, which do not agree on the whole and so stay apart.
    pub apart_match_count: u64,
    /// Clusters of two records or more.
    pub cluster_count: u64,
    /// Number of clusters by number of records.
    pub clusters_by_size: BTreeMap<u64, u64>,
    /// Accuracy by a known answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelsReport>,
    /// Validation by a column that was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<ValidationReport>,
    /// Result of adding records to a finished result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<AddedRecords>,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// Seconds of all stages.
    pub seconds: f64,
    /// The most memory that the process had, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// Text of `model.json`, for [`LinkModel::Text`](super::LinkModel::Text).
    #[serde(skip)]
    pub model: String,
}

/// Result of adding records.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AddedRecords {
    /// Records that were added.
    pub record_count: u64,
    /// Clusters that became part of another.
    pub merge_count: u64,
}

/// Kind that was chosen for a column.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// Its name in the second table, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_name: Option<String>,
    /// Kind of its values.
    pub kind: Kind,
    /// Reason for this kind.
    pub why: String,
}

/// Statistics of a kind of key.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct KeyKindReport {
    /// The kind.
    pub kind: &'static str,
    /// Candidates that it found.
    pub candidate_count: u64,
    /// Of these, those that no other kind found.
    pub alone_count: u64,
    /// Buckets that were over the bound, and were split by a further key.
    pub split_bucket_count: u64,
    /// Pairs of such buckets that no further key brought together.
    pub not_compared_count: u64,
}

/// Matches of about one probability.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ScoreBand {
    /// Lower bound of the probability.
    pub from: f64,
    /// Number of matches.
    pub match_count: u64,
}

/// Validation by a column that was not compared.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ValidationReport {
    /// The mean difference of random pairs.
    pub random: f64,
    /// The mean difference of sure matches.
    pub sure: f64,
    /// All matches.
    pub all: ValidationBand,
    /// By probability, least first.
    pub bands: Vec<ValidationBand>,
}

/// The matches of one band of probability.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ValidationBand {
    /// The least probability.
    pub from: f64,
    /// The probability that is not reached.
    pub to: f64,
    /// Matches of which both values are known.
    pub match_count: u64,
    /// Their mean difference.
    pub mean: f64,
    /// The share that is right; `None` if it cannot be estimated.
    pub right: Option<f64>,
    /// The lower end of what holds it with 95 %.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// Lower bounds of the bands of probability.
const BANDS: [f64; 6] = [0.0, 0.5, 0.9, 0.99, 0.999, 0.9999];

impl LinkReport {
    pub(super) fn new(tables: &Tables, config: &Config, linking: &Linking, matches: &[Scored], threshold: f64) -> Self {
        let skipped = tables.all().flat_map(|table| table.skipped.iter().cloned());
        Self {
            lookalike: env!("CARGO_PKG_VERSION"),
            record_counts: tables.row_counts.iter().map(|count| *count as u64).collect(),
            empty_row_count: tables.all().map(|table| table.empty_count).sum(),
            skipped_count: tables.all().map(|table| table.skipped_count).sum(),
            skipped: skipped.collect(),
            columns: columns(config),
            warnings: of_tables(tables, config),
            candidate_count: linking.candidates.len() as u64,
            keys: keys(linking),
            one_field_only_count: linking.candidates.one_field_count(),
            threshold,
            calibrated: linking.is_calibrated(),
            match_count: matches.len() as u64,
            expected_match_count: linking.model.match_count,
            learned: linking.model.learned,
            probabilities: bands(matches),
            apart_match_count: 0,
            cluster_count: 0,
            clusters_by_size: BTreeMap::new(),
            labels: None,
            validation: None,
            added: None,
            stages: Vec::new(),
            seconds: 0.0,
            peak_memory_bytes: None,
            model: linking.decided(threshold).to_json(),
        }
    }

    /// Counts clusters by the number that each record has, and the matches that are in none.
    pub(super) fn set_clusters(&mut self, cluster_of: &[u64], matches: &[Scored]) {
        let is_apart = |found: &&Scored| cluster_of[found.left.index()] != cluster_of[found.right.index()];
        self.apart_match_count = matches.iter().filter(is_apart).count() as u64;
        let mut sorted = cluster_of.to_vec();
        sorted.sort_unstable();
        self.clusters_by_size.clear();
        for cluster in sorted.chunk_by(|left, right| left == right) {
            *self.clusters_by_size.entry(cluster.len() as u64).or_default() += 1;
        }
        self.cluster_count = self.clusters_by_size.range(2..).map(|(_, count)| count).sum();
    }

    pub(super) fn set_stages(&mut self, stages: Vec<Stage>) {
        self.seconds = stages.iter().map(|stage| stage.seconds).sum();
        self.peak_memory_bytes = stages.last().and_then(|stage| stage.peak_memory_bytes);
        self.stages = stages;
    }
}

pub(super) fn columns(config: &Config) -> Vec<ColumnReport> {
    let column = |column: &lookalike_core::link::config::ColumnConfig| ColumnReport {
        name: column.name.clone(),
        other_name: column.other_name.clone(),
        kind: column.kind,
        why: column.why.clone(),
    };
    config.columns.iter().map(column).collect()
}

fn keys(linking: &Linking) -> Vec<KeyKindReport> {
    let reports = linking.candidates.reports();
    let report = reports.map(|(kind, report)| KeyKindReport {
        kind: kind.name(),
        candidate_count: report.candidate_count,
        alone_count: report.alone_count,
        split_bucket_count: report.split_bucket_count,
        not_compared_count: report.not_compared_count,
    });
    report.filter(|report| report.candidate_count > 0 || report.not_compared_count > 0).collect()
}

fn bands(matches: &[Scored]) -> Vec<ScoreBand> {
    let mut bands = BANDS.map(|from| ScoreBand { from, match_count: 0 });
    for found in matches {
        let probability = found.probability();
        let at = BANDS.partition_point(|from| *from <= probability) - 1;
        bands[at].match_count += 1;
    }
    bands.into_iter().filter(|band| band.match_count > 0).collect()
}

impl ValidationReport {
    pub(super) fn new(validation: &Validation) -> Self {
        let band = |band: &Band| ValidationBand {
            from: band.from,
            to: band.to,
            match_count: band.differences.count as u64,
            mean: band.differences.mean,
            right: band.right.map(|share| share.share),
            low: band.right.map(|share| share.low),
            high: band.right.map(|share| share.high),
        };
        Self {
            random: validation.random.mean,
            sure: validation.sure.mean,
            all: band(&validation.all),
            bands: validation.bands.iter().map(band).collect(),
        }
    }
}
