//! Matches and clusters against a known answer: a table of true pairs, or of the true cluster of each record.
//!
//! What an answer says nothing about is not judged. A list of pairs is taken to be complete, unless
//! it has a column of labels; records without a cluster in a table of clusters are left out.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use lookalike_core::ids::{Number, Record};
use lookalike_core::link::score::Scored;
use lookalike_core::table::Table;
use lookalike_io::read::Settings;
use lookalike_io::table::read_table;
use serde::Serialize;

use super::Linking;
use super::need::Need;
use super::output::{Output, PairRows, texts};
use super::rows::JudgedMatch;
use super::tables::{Finder, Tables};
use crate::error::{Error, Result};
use crate::output::sink::Sink;
use crate::resources::memory::Memory;

/// Names of a column of true clusters.
const CLUSTER: &[&str] = &["cluster", "cluster_id", "entity", "entity_id", "group", "group_id", "gold_cluster"];

/// Names of a column that says whether a listed pair is true.
const LABEL: &[&str] = &["label", "is_match", "match", "is_duplicate", "gold"];

/// Labels of pairs that are none.
const FALSE: &[&str] = &["0", "false", "no", "n", "f", ""];

/// Pairs of each kind that are written with their reasons.
const MOST_WRITTEN: usize = 100_000;

/// How right matches and clusters are.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LabelsReport {
    /// Matches, one by one.
    pub matches: Accuracy,
    /// All pairs of records that are in one cluster.
    pub clusters: Accuracy,
    /// Matches about which the answer says nothing.
    pub not_judged_count: u64,
    /// Rows of the answer with an id that no record has, or two.
    pub unknown_row_count: u64,
    /// Missed pairs by reason.
    pub missed: BTreeMap<String, u64>,
}

/// How right pairs are.
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

enum Answer {
    /// True pairs; and false ones, where only labeled pairs are judged.
    Pairs(HashSet<(Record, Record)>, Option<HashSet<(Record, Record)>>),
    /// The true cluster of each record, where it is known.
    Clusters(Vec<Option<u32>>),
}

impl Labels {
    /// Reads the answer for these records.
    pub(super) fn read(path: &Path, memory: Memory, tables: &Tables, ids: &[String]) -> Result<Self> {
        let go_on = |reading| Need::of_reading(reading).check_held(memory);
        let read = read_table(&[PathBuf::from(path)], None, &Settings::default(), go_on)?;
        read.require_rows()?;
        let table = &read.table;
        let unfit = |reason: &str| Error::NotLabels { path: read.name.clone(), reason: reason.to_owned() };
        let finder = Finder::new(tables, ids);
        let called =
            |names: &[&str]| table.names().iter().position(|name| names.contains(&name.trim().to_lowercase().as_str()));
        let cluster = called(CLUSTER);
        let (answer, unknown_row_count) = match cluster {
            Some(cluster) => clusters(table, cluster, &finder, ids.len())
                .ok_or_else(|| unfit("it has a column of clusters, and none of ids"))?,
            None if table.names().len() < 2 => return Err(unfit("it has one column, and pairs have two ids")),
            None => pairs(table, called(LABEL), &finder, tables),
        };
        if unknown_row_count == table.row_count() as u64 {
            return Err(unfit("none of its ids is that of a record"));
        }
        Ok(Self { answer, unknown_row_count, cluster_column: cluster.map(|at| table.names()[at].clone()) })
    }

    /// Whether two records are one; none if the answer does not say.
    fn says(&self, left: Record, right: Record) -> Option<bool> {
        match &self.answer {
            Answer::Pairs(right_ones, wrong) => {
                let is_true = right_ones.contains(&(left, right));
                let is_judged = is_true || wrong.as_ref().is_none_or(|wrong| wrong.contains(&(left, right)));
                is_judged.then_some(is_true)
            }
            Answer::Clusters(of) => Some(of[left.index()]? == of[right.index()]?),
        }
    }

    /// Judges matches and clusters, and writes what is wrong with its reason.
    pub(super) fn judge(
        &self,
        linking: &Linking,
        matches: &[Scored],
        threshold: f64,
        cluster_of: &[u64],
        output: Option<&Output<'_>>,
    ) -> Result<LabelsReport> {
        let said = |found: &Scored| self.says(found.left, found.right);
        let right = matches.iter().filter(|found| said(found) == Some(true)).count() as u64;
        let wrong: Vec<&Scored> = matches.iter().filter(|found| said(found) == Some(false)).collect();
        let is_two = linking.records.are_of_two_tables();
        let first_count = linking.records.first_count();
        let groups = Groups { is_two, first_count };
        let truth = match &self.answer {
            Answer::Pairs(pairs, _) => pairs.len() as u64,
            Answer::Clusters(of) => groups.pairs(of.iter().copied()),
        };
        let is_together = |(left, right): &(Record, Record)| cluster_of[left.index()] == cluster_of[right.index()];
        let count = |pairs: &HashSet<(Record, Record)>| pairs.iter().filter(|pair| is_together(pair)).count() as u64;
        let (together, found_together) = match &self.answer {
            Answer::Pairs(pairs, None) => (count(pairs), groups.pairs(cluster_of.iter().map(|of| Some(*of)))),
            Answer::Pairs(pairs, Some(wrong)) => (count(pairs), count(pairs) + count(wrong)),
            Answer::Clusters(of) => {
                let both = of.iter().zip(cluster_of).map(|(label, of)| Some((label.as_ref().copied()?, *of)));
                let judged = of.iter().zip(cluster_of).map(|(label, of)| label.map(|_| *of));
                (groups.pairs(both), groups.pairs(judged))
            }
        };
        let judged = right + wrong.len() as u64;
        let missed = self.missed(matches, groups);
        let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
        let scorer = linking.scorer();
        let explained: Vec<(Scored, &str)> = missed
            .into_iter()
            .map(|(left, right)| {
                let found = scorer.score(left, right);
                let reason = why_missed(linking, &found, threshold);
                *reasons.entry(reason.to_owned()).or_default() += 1;
                (found, reason)
            })
            .collect();
        if let Some(output) = output {
            let pairs = PairRows::new(output.made, &scorer);
            let names = [vec!["reason".to_owned(), "in_cluster".to_owned()], pairs.names()].concat();
            let row = |found: &Scored, reason: String| JudgedMatch {
                reason,
                in_cluster: is_together(&(found.left, found.right)),
                pair: pairs.row(found),
            };
            let write = |name: &str, rows: Vec<JudgedMatch>| {
                output.write(name, |file| {
                    Sink::<JudgedMatch>::start(file, &texts(&names))?;
                    file.take(rows)?;
                    Sink::<JudgedMatch>::finish(file)
                })
            };
            let wrong = wrong.iter().take(MOST_WRITTEN);
            write("wrong.csv", wrong.map(|found| row(found, pairs.strongest(found, 1.0))).collect())?;
            let missed = explained.iter().map(|(found, reason)| {
                let against = pairs.strongest(found, -1.0);
                let reason = if against.is_empty() { (*reason).to_owned() } else { format!("{reason}: {against}") };
                row(found, reason)
            });
            write("missed.csv", missed.collect())?;
        }
        Ok(LabelsReport {
            matches: Accuracy::new(right, judged, truth),
            clusters: Accuracy::new(together, found_together, truth),
            not_judged_count: matches.len() as u64 - judged,
            unknown_row_count: self.unknown_row_count,
            missed: reasons,
        })
    }

    /// The first true pairs that are no matches, in the order of the records.
    fn missed(&self, matches: &[Scored], groups: Groups) -> Vec<(Record, Record)> {
        let found: HashSet<(Record, Record)> = matches.iter().map(|found| (found.left, found.right)).collect();
        let mut missed: Vec<(Record, Record)> = match &self.answer {
            Answer::Pairs(pairs, _) => pairs.difference(&found).copied().collect(),
            Answer::Clusters(of) => {
                let mut members: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
                for (record, of) in (0..).map(Record).zip(of) {
                    of.iter().for_each(|of| members.entry(*of).or_default().push(record));
                }
                let pairs = members.values().flat_map(|members| {
                    let lefts = members.iter().enumerate();
                    lefts.flat_map(|(at, left)| members[at + 1..].iter().map(move |right| (*left, *right)))
                });
                let missed = pairs.filter(|pair| groups.are_compared(*pair) && !found.contains(pair));
                missed.take(MOST_WRITTEN).collect()
            }
        };
        missed.sort_unstable();
        missed.truncate(MOST_WRITTEN);
        missed
    }
}

/// Why a true pair is no match.
fn why_missed(linking: &Linking, found: &Scored, threshold: f64) -> &'static str {
    let candidates = &linking.candidates;
    let pair = (found.left, found.right);
    let (mut low, mut high) = (0, candidates.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if candidates.pair(middle) < pair { low = middle + 1 } else { high = middle }
    }
    let is_candidate = low < candidates.len() && candidates.pair(low) == pair;
    if !is_candidate {
        "not compared"
    } else if found.probability() < threshold {
        "below the threshold"
    } else {
        "a better match was taken"
    }
}

/// Which pairs count.
#[derive(Clone, Copy)]
struct Groups {
    is_two: bool,
    first_count: usize,
}

impl Groups {
    fn are_compared(self, (left, right): (Record, Record)) -> bool {
        !self.is_two || left.index() < self.first_count && right.index() >= self.first_count
    }

    /// How many pairs are of one group.
    fn pairs<K: std::hash::Hash + Eq>(self, group_of: impl Iterator<Item = Option<K>>) -> u64 {
        let mut counts: HashMap<K, [u64; 2]> = HashMap::new();
        for (record, group) in group_of.enumerate() {
            let side = usize::from(self.is_two && record >= self.first_count);
            group.into_iter().for_each(|group| counts.entry(group).or_default()[side] += 1);
        }
        let pairs = |[first, second]: &[u64; 2]| {
            if self.is_two { first * second } else { first * first.saturating_sub(1) / 2 }
        };
        counts.values().map(pairs).sum()
    }
}

/// The number of a table that a cell says.
fn number(table: &Table, column: Option<usize>, row: usize) -> Option<usize> {
    table.column(column?).get(row).trim().parse().ok()
}

fn clusters(table: &Table, cluster: usize, finder: &Finder<'_>, count: usize) -> Option<(Answer, u64)> {
    let of_table = table.find("table").ok();
    let is_id = |at: &usize| *at != cluster && Some(*at) != of_table;
    let named = table.find("id").ok().filter(is_id);
    let id = named.or_else(|| (0..table.names().len()).find(is_id))?;
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let (mut of, mut unknown) = (vec![None; count], 0);
    for row in 0..table.row_count() {
        let (written, name) = (table.column(id).get(row), table.column(cluster).get(row));
        match finder.find(written, number(table, of_table, row)) {
            Some(record) if !name.is_empty() => {
                let next = numbers.len() as u32;
                of[record.index()] = Some(*numbers.entry(name).or_insert(next));
            }
            _ => unknown += 1,
        }
    }
    Some((Answer::Clusters(of), unknown))
}

fn pairs(table: &Table, label: Option<usize>, finder: &Finder<'_>, tables: &Tables) -> (Answer, u64) {
    let of_table = ["left_table", "right_table"].map(|name| table.find(name).ok());
    let others: Vec<usize> =
        (0..table.names().len()).filter(|at| Some(*at) != label && !of_table.contains(&Some(*at))).collect();
    let [left, right] = [others.first(), others.get(1)].map(|at| at.copied().unwrap_or(0));
    let sides = |side: usize, row: usize| match tables.second {
        Some(_) => Some(side + 1),
        None => number(table, of_table[side], row),
    };
    let (mut true_ones, mut false_ones, mut unknown) = (HashSet::new(), HashSet::new(), 0);
    for row in 0..table.row_count() {
        let find = |column: usize, side: usize| finder.find(table.column(column).get(row), sides(side, row));
        let is_true = label.is_none_or(|label| {
            let written = table.column(label).get(row).trim().to_lowercase();
            !FALSE.contains(&written.as_str())
        });
        match (find(left, 0), find(right, 1)) {
            (Some(left), Some(right)) if left != right => {
                let pair = (left.min(right), left.max(right));
                if is_true {
                    true_ones.insert(pair)
                } else {
                    false_ones.insert(pair)
                };
            }
            _ => unknown += 1,
        }
    }
    (Answer::Pairs(true_ones, label.map(|_| false_ones)), unknown)
}
