//! A table of known answers: all true pairs, pairs with a label each, or the true cluster of each record.

use std::collections::{HashMap, HashSet};

use lookalike_core::ids::{Number, Record};
use lookalike_core::link::teach::LabeledPair;
use lookalike_core::table::Table;

use super::super::tables::{Finder, Tables};

/// Names of a column of true clusters.
const CLUSTER: &[&str] = &["cluster", "cluster_id", "entity", "entity_id", "group", "group_id", "gold_cluster"];

/// Names of a column that says whether a listed pair is true.
const LABEL: &[&str] = &["label", "is_match", "match", "is_duplicate", "gold"];

/// Labels of pairs that are the same, and of pairs that are not.
const SAME: &[&str] = &["1", "1.0", "true", "yes", "y", "t", "same", "match", "duplicate", "positive"];
const DIFFERENT: &[&str] =
    &["0", "0.0", "false", "no", "n", "f", "different", "distinct", "non-match", "no match", "negative"];

/// Labels of pairs of which nothing is known: the last line of a pair counts, and one without a label takes back the
/// others.
const UNKNOWN: &[&str] = &["", "cannot_tell", "cannot tell", "unsure", "unknown", "?", "u"];

/// Known answer.
pub(super) enum Answer {
    /// All true pairs.
    Pairs(HashSet<(Record, Record)>),
    /// Pairs of which it is known whether they are true, and of no others.
    Labeled(HashMap<(Record, Record), bool>),
    /// The true cluster of each record, where it is known.
    Clusters(Vec<Option<u32>>),
}

/// An answer as it was read.
pub(super) struct ReadAnswer {
    pub(super) answer: Answer,
    /// Rows that are about no record.
    pub(super) unknown_row_count: u64,
    /// The column of the clusters.
    pub(super) cluster_column: Option<String>,
}

impl ReadAnswer {
    /// Reads the answer for these records; a reason if it is none.
    pub(super) fn new(table: &Table, tables: &Tables, ids: &[String]) -> Result<Self, String> {
        let finder = Finder::new(tables, ids);
        let called =
            |names: &[&str]| table.names().iter().position(|name| names.contains(&name.trim().to_lowercase().as_str()));
        let cluster = called(CLUSTER);
        let (answer, unknown_row_count) = match cluster {
            Some(cluster) => clusters(table, cluster, &finder, ids.len())
                .ok_or_else(|| "it has a column of clusters, and none of ids".to_owned())?,
            None if table.names().len() < 2 => return Err("it has one column, and pairs have two ids".to_owned()),
            None => pairs(table, called(LABEL), &finder, tables)?,
        };
        if unknown_row_count == table.row_count() as u64 {
            return Err("none of its ids is that of a record".to_owned());
        }
        Ok(Self { answer, unknown_row_count, cluster_column: cluster.map(|at| table.names()[at].clone()) })
    }
}

impl Answer {
    /// True if two records are the same; `None` if the answer does not tell.
    pub(super) fn says(&self, left: Record, right: Record) -> Option<bool> {
        match self {
            Self::Pairs(pairs) => Some(pairs.contains(&(left, right))),
            Self::Labeled(labels) => labels.get(&(left, right)).copied(),
            Self::Clusters(of) => Some(of[left.index()]? == of[right.index()]?),
        }
    }

    /// The pairs that have a label each, in the order of the records; none where the answer is about all pairs.
    pub(super) fn labeled(&self) -> Option<Vec<LabeledPair>> {
        let Self::Labeled(labels) = self else { return None };
        let mut labeled: Vec<LabeledPair> = labels
            .iter()
            .map(|((left, right), is_same)| LabeledPair { left: *left, right: *right, is_same: *is_same })
            .collect();
        labeled.sort_unstable_by_key(|label| (label.left, label.right));
        Some(labeled)
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

/// The columns of both ids: those that are called so, or the first two that are nothing else.
fn sides(table: &Table, label: Option<usize>, of_table: [Option<usize>; 2]) -> [usize; 2] {
    if let [Ok(left), Ok(right)] = ["left_id", "right_id"].map(|name| table.find(name)) {
        return [left, right];
    }
    let others: Vec<usize> =
        (0..table.names().len()).filter(|at| Some(*at) != label && !of_table.contains(&Some(*at))).collect();
    [others.first(), others.get(1)].map(|at| at.copied().unwrap_or(0))
}

fn pairs(table: &Table, label: Option<usize>, finder: &Finder<'_>, tables: &Tables) -> Result<(Answer, u64), String> {
    let of_table = ["left_table", "right_table"].map(|name| table.find(name).ok());
    let [left, right] = sides(table, label, of_table);
    let side = |side: usize, row: usize| match tables.second {
        Some(_) => Some(side + 1),
        None => number(table, of_table[side], row),
    };
    let (mut labels, mut unknown) = (HashMap::new(), 0);
    for row in 0..table.row_count() {
        let find = |column: usize, at: usize| finder.find(table.column(column).get(row), side(at, row));
        let is_true = match label {
            Some(label) => says(table.column(label).get(row))?,
            None => Some(true),
        };
        match (find(left, 0), find(right, 1)) {
            (Some(left), Some(right)) if left != right => {
                let pair = (left.min(right), left.max(right));
                match is_true {
                    Some(is_true) => labels.insert(pair, is_true),
                    None => labels.remove(&pair),
                };
            }
            _ => unknown += 1,
        }
    }
    let answer = match label {
        Some(_) => Answer::Labeled(labels),
        None => Answer::Pairs(labels.into_keys().collect()),
    };
    Ok((answer, unknown))
}

/// Parses a label; `None` if it takes back another one.
fn says(label: &str) -> Result<Option<bool>, String> {
    let label = label.trim().to_lowercase();
    let is_one_of = |words: &[&str]| words.contains(&label.as_str());
    match label.as_str() {
        _ if is_one_of(SAME) => Ok(Some(true)),
        _ if is_one_of(DIFFERENT) => Ok(Some(false)),
        _ if is_one_of(UNKNOWN) => Ok(None),
        _ => Err(format!("'{label}' is not a label: use same or different, 1 or 0, true or false, yes or no")),
    }
}
