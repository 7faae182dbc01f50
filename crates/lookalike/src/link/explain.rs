//! Explanation of why two records are a match or not: the scores of each field, the keys that brought them together,
//! and the clusters in which they ended. Reads tables, or the folder of a finished result without linking again.

use std::collections::HashSet;
use std::path::Path;

use lookalike_core::ids::{Number, Record};
use lookalike_core::link::cluster::{Agreement, Clusters};
use lookalike_core::link::config::Config;
use lookalike_core::link::explain::Explanation;
use lookalike_core::link::key::{Outcome, SharedKey, share_two_fields, shared_keys};
use lookalike_core::link::records::Records;
use lookalike_core::link::score::Scorer;

use super::result::{Decided, Finished};
use super::tables::{Finder, Tables};
use super::{Found, LinkOptions, Linking, bounds, check_inputs};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::resources::memory::Memory;
use crate::run::stages::Stages;

/// Explanation of why two records are a match or not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PairExplanation {
    /// Scores of each field.
    pub fields: Explanation,
    /// Minimum probability of a match.
    pub threshold: f64,
    /// True if they are a match.
    pub is_match: bool,
    /// The keys that they share.
    pub keys: Vec<KeyExplanation>,
    /// Tells if they were compared, and if not, the reason.
    pub compared: Compared,
    /// Clusters in which the records ended.
    pub clusters: ClusterExplanation,
}

/// A key that two records share.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeyExplanation {
    /// Kind of the key.
    pub kind: &'static str,
    /// The columns from which it is built.
    pub columns: Vec<String>,
    /// Number of records with this key.
    pub records: usize,
    /// Result of the key for this pair.
    pub outcome: Outcome,
}

/// Tells if two records were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// They share a key.
    Yes,
    /// They share no key.
    NoKey,
    /// Too many records have the keys that they share.
    TooMany,
    /// They share keys of one field only, and there were too many such pairs.
    OneField,
    /// Both are from the same table, and links are searched for between two tables.
    SameTable,
}

/// Clusters in which two records ended.
#[derive(Clone, Debug)]
pub enum ClusterExplanation {
    /// In one cluster.
    Together {
        /// Its number.
        cluster: u64,
        /// Number of its records.
        records: usize,
    },
    /// In two.
    Apart {
        /// Their numbers.
        clusters: [u64; 2],
        /// Number of records in each.
        records: [usize; 2],
        /// Mean score of all pairs of their records, over all fields.
        mean: f64,
        /// Minimum mean score to merge the clusters.
        needed: f64,
        /// The pair that agrees least: its ids, and the score of all its fields.
        least: (String, String, f64),
    },
}

/// Everything needed to explain a pair.
struct Known<'a> {
    tables: &'a Tables,
    config: &'a Config,
    ids: &'a [String],
    scorer: Scorer<'a>,
    decided: Decided,
    matches: HashSet<(Record, Record)>,
    cluster_of: Vec<u64>,
}

/// Explains why two records are a match or not. With two tables, the left id is from the first and the right id from
/// the second.
///
/// # Errors
///
/// Fails if [`link`](super::link) would fail, or no record has one of the ids.
pub fn explain(options: &LinkOptions, ids: [&str; 2], progress: &dyn Progress) -> Result<PairExplanation> {
    check_inputs(options)?;
    let mut stages = Stages::start(progress);
    let tables = stages.run("read", None, || Tables::read(options, progress))?;
    let config = tables.config(options)?;
    let of_records = tables.ids(&config)?;
    let pair = pair(&tables, &of_records, ids)?;
    let linking = Linking::new(&tables, &config, options, None, &mut stages)?;
    let Found { matches, threshold, .. } = linking.matches(&config);
    let clusters = Clusters::join(&linking.scorer(), &matches);
    stages.finish();
    let cluster_of = linking.records.all().map(|record| u64::from(clusters.of(record)) + 1).collect();
    let known = Known {
        tables: &tables,
        config: &config,
        ids: &of_records,
        scorer: linking.scorer(),
        decided: linking.decided(threshold),
        matches: matches.iter().map(|found| (found.left, found.right)).collect(),
        cluster_of,
    };
    Ok(known.explain(pair))
}

/// The same from the folder of a finished result, without linking again.
///
/// # Errors
///
/// Fails if the folder has no result, or no record has one of the ids.
pub fn explain_result(
    folder: &Path,
    ids: [&str; 2],
    memory: Memory,
    progress: &dyn Progress,
) -> Result<PairExplanation> {
    let refuse = |folder: &Path, reason: String| Error::NoLinkResult {
        folder: lookalike_io::remote::shown_path(folder),
        reason,
    };
    let finished = Finished { folder, memory, refuse };
    let mut stages = Stages::start(progress);
    let (mut config, decided) = (finished.config()?, finished.decided()?);
    // There, both tables have the columns of the first.
    config.columns.iter_mut().for_each(|column| column.other_name = None);
    config.id_right = None;
    let (tables, cluster_of) = stages.run("read", None, || finished.records(&config))?;
    let of_records = tables.ids(&config)?;
    let pair = pair(&tables, &of_records, ids)?;
    let records = stages.run("prepare", None, || super::prepare(&tables, &config))?;
    let value_counts: Vec<usize> = records.fields().iter().map(|field| field.values.len()).collect();
    let frequencies = finished.frequencies(&value_counts)?;
    finished.check(&decided.model, &records)?;
    let matches = matched(&finished, &tables, &of_records)?;
    let model = decided.model.clone();
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let known = Known { tables: &tables, config: &config, ids: &of_records, scorer, decided, matches, cluster_of };
    let explained = stages.run("explain", None, || known.explain(pair));
    stages.finish();
    Ok(explained)
}

/// The two records that a person names.
fn pair(tables: &Tables, of_records: &[String], ids: [&str; 2]) -> Result<(Record, Record)> {
    let finder = Finder::new(tables, of_records);
    let numbers = if tables.second.is_some() { [Some(1), Some(2)] } else { [None, None] };
    let written = |at: usize| finder.written(ids[at], numbers[at]).or_else(|_| finder.written(ids[at], None));
    Ok((written(0)?, written(1)?))
}

/// The pairs of `matches.csv`.
fn matched(finished: &Finished<'_>, tables: &Tables, of_records: &[String]) -> Result<HashSet<(Record, Record)>> {
    let table = finished.table("matches.csv")?;
    let finder = Finder::new(tables, of_records);
    let [left, right] = ["left_id", "right_id"].map(|name| table.find(name));
    let (left, right) = (left?, right?);
    let numbers = ["left_table", "right_table"].map(|name| table.find(name).ok().filter(|_| tables.are_one()));
    let between = tables.second.is_some();
    let mut matches = HashSet::new();
    for row in 0..table.row_count() {
        let number = |side: usize| match numbers[side] {
            Some(column) => table.column(column).get(row).parse().ok(),
            None => between.then_some(side + 1),
        };
        let found =
            [(left, 0), (right, 1)].map(|(column, side)| finder.find(table.column(column).get(row), number(side)));
        if let [Some(left), Some(right)] = found {
            matches.insert((left.min(right), left.max(right)));
        }
    }
    Ok(matches)
}

impl Known<'_> {
    fn explain(&self, (left, right): (Record, Record)) -> PairExplanation {
        let records = self.scorer.records;
        let keys =
            if left == right { Vec::new() } else { shared_keys(records, &bounds(records, self.config), left, right) };
        PairExplanation {
            fields: self.scorer.explain(left, right),
            threshold: self.decided.threshold,
            is_match: self.matches.contains(&(left.min(right), left.max(right))),
            compared: self.compared(&keys, left, right),
            keys: keys.iter().map(|key| shown_key(key, records)).collect(),
            clusters: self.clusters(left, right),
        }
    }

    fn compared(&self, keys: &[SharedKey], left: Record, right: Record) -> Compared {
        let is_same_table =
            self.tables.second.is_some() && self.tables.number_of(left.index()) == self.tables.number_of(right.index());
        let found: Vec<&SharedKey> = keys.iter().filter(|key| key.is_found()).collect();
        let mut fields: Vec<usize> = found.iter().flat_map(|key| key.fields.iter().copied()).collect();
        fields.sort_unstable();
        fields.dedup();
        let records = self.scorer.records;
        let bounds = bounds(records, self.config);
        let are_of_two_fields = || share_two_fields(records, &bounds, [left, right], &fields);
        let is_split = found.iter().any(|key| key.outcome == Outcome::ComparedBySplit);
        if is_same_table {
            Compared::SameTable
        } else if self.matches.contains(&(left.min(right), left.max(right))) {
            Compared::Yes
        } else if keys.is_empty() {
            Compared::NoKey
        } else if found.is_empty() {
            Compared::TooMany
        } else if self.decided.one_field_left_out && !is_split && !are_of_two_fields() {
            Compared::OneField
        } else {
            Compared::Yes
        }
    }

    fn clusters(&self, left: Record, right: Record) -> ClusterExplanation {
        let clusters = [left, right].map(|record| self.cluster_of[record.index()]);
        let records = self.scorer.records;
        let members = clusters.map(|cluster| {
            let of_cluster = records.all().zip(&self.cluster_of).filter(|(_, other)| **other == cluster);
            let mut members: Vec<Record> = of_cluster.map(|(record, _)| record).collect();
            members.sort_unstable_by_key(|record| (records.content(*record), *record));
            members
        });
        if clusters[0] == clusters[1] {
            return ClusterExplanation::Together { cluster: clusters[0], records: members[0].len() };
        }
        let Agreement { mean, needed } = Agreement::new(&self.scorer, &members[0], &members[1]);
        let mut least = (f64::INFINITY, left, right);
        for a in members[0].iter().take(MOST_LOOKED_AT) {
            for b in members[1].iter().take(MOST_LOOKED_AT) {
                let said = self.scorer.score(*a, *b).weight - self.scorer.model.prior;
                if said < least.0 {
                    least = (said, *a, *b);
                }
            }
        }
        let id = |record: Record| self.ids[record.index()].clone();
        ClusterExplanation::Apart {
            clusters,
            records: members.each_ref().map(Vec::len),
            mean,
            needed,
            least: (id(least.1), id(least.2), least.0),
        }
    }
}

/// Maximum number of records per cluster among which the pair that agrees least is searched for.
const MOST_LOOKED_AT: usize = 20;

fn shown_key(key: &SharedKey, records: &Records) -> KeyExplanation {
    let columns = key.fields.iter().map(|field| records.fields()[*field].name.clone()).collect();
    KeyExplanation { kind: key.kind.name(), columns, records: key.record_count, outcome: key.outcome }
}
