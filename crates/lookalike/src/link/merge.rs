//! Merges the records of each cluster: one row per cluster, with the best value of every column.

use std::cmp::Reverse;
use std::collections::HashMap;

use lookalike_core::link::config::{Config, MergeBy};
use lookalike_core::link::normalize::{Date, DateOrder};
use rayon::prelude::*;

use super::output::{Columns, Output};
use super::rows::TextRow;
use crate::error::Result;
use crate::output::sink::Sink;

impl Output<'_> {
    /// Writes a row for each cluster, with its number of records. Ids are those of the best record.
    pub(super) fn merged(&self, is_best: &[bool], cluster_of: &[u64]) -> Result<()> {
        let (first, second) = self.made.tables.both();
        let columns = Columns::new(first, second, self.made.config);
        let rules = rules(&columns, self.made.config);
        let times = times(&columns, self.made.config, cluster_of.len());
        // The best record comes first: its value is used if others are equally good.
        let mut members: Vec<(u64, bool, usize)> =
            cluster_of.iter().enumerate().map(|(record, cluster)| (*cluster, !is_best[record], record)).collect();
        members.par_sort_unstable();
        let clusters: Vec<_> = members.chunk_by(|left, right| left.0 == right.0).collect();
        let mut names = vec!["cluster", "record_count"];
        names.extend(&columns.names);
        self.write("merged.csv", |file| {
            Sink::<TextRow<'_>>::start(file, &names)?;
            for clusters in clusters.chunks(AT_ONCE) {
                // Clusters are ordered by a hash, so their cells are scattered over memory. It is fastest to read many
                // cells of one column together.
                let values: Vec<Vec<&str>> = (rules.iter().enumerate())
                    .map(|(column, rule)| {
                        clusters.iter().map(|members| merged(&columns, column, *rule, members, &times)).collect()
                    })
                    .collect();
                let numbers: Vec<[String; 2]> =
                    clusters.iter().map(|members| [members[0].0.to_string(), members.len().to_string()]).collect();
                let mut rows = Vec::new();
                for (at, [cluster, count]) in numbers.iter().enumerate() {
                    let own = [cluster.as_str(), count.as_str()];
                    rows.push(TextRow(own.into_iter().chain(values.iter().map(|of_column| of_column[at])).collect()));
                }
                file.take(rows)?;
            }
            Sink::<TextRow<'_>>::finish(file)
        })
    }
}

/// Number of clusters merged together.
const AT_ONCE: usize = 256;

/// The value of a cluster in one column.
fn merged<'a>(
    columns: &Columns<'a>,
    column: usize,
    rule: Rule,
    members: &[(u64, bool, usize)],
    times: &[i64],
) -> &'a str {
    // Most clusters have a single record.
    if let [(_, _, record)] = members {
        return columns.cell(*record, column);
    }
    let cells = members.iter().map(|(_, _, record)| (columns.cell(*record, column), times[*record]));
    let cells: Vec<(&str, i64)> = cells.filter(|(cell, _)| !cell.is_empty()).collect();
    chosen(&cells, rule)
}

/// Rule for merging a column; the id is that of the best record.
#[derive(Clone, Copy)]
enum Rule {
    OfBest,
    By(MergeBy),
}

fn rules(columns: &Columns<'_>, config: &Config) -> Vec<Rule> {
    let default = if config.newest.is_some() { MergeBy::Newest } else { MergeBy::default() };
    let rule = |name: &&str| {
        if config.ids().contains(&Some(*name)) {
            return Rule::OfBest;
        }
        let column = config.columns.iter().find(|column| column.name == **name);
        Rule::By(column.and_then(|column| column.merge).unwrap_or(default))
    };
    columns.names.iter().map(rule).collect()
}

/// Time of each record, by the column that has it: later is larger.
fn times(columns: &Columns<'_>, config: &Config, count: usize) -> Vec<i64> {
    let Some(at) = config.newest.as_ref().and_then(|name| columns.names.iter().position(|other| other == name)) else {
        return vec![0; count];
    };
    let order = DateOrder::of((0..count).map(|record| columns.cell(record, at)));
    let time = |record: usize| {
        let cell = columns.cell(record, at);
        match Date::parse(cell.get(..10).unwrap_or(cell), order).or_else(|| Date::parse(cell, order)) {
            Some(date) => {
                let day = (i64::from(date.year) * 16 + i64::from(date.month)) * 32 + i64::from(date.day);
                day * 1_000_000 + clock(cell)
            }
            // An increasing number.
            None => cell.parse().unwrap_or(i64::MIN),
        }
    };
    (0..count).map(time).collect()
}

/// Hours, minutes and seconds after a date, in six digits.
fn clock(cell: &str) -> i64 {
    let digits =
        cell.get(10..).unwrap_or_default().bytes().filter(u8::is_ascii_digit).map(|digit| i64::from(digit - b'0'));
    digits.chain(std::iter::repeat(0)).take(6).fold(0, |clock, digit| clock * 10 + digit)
}

/// The value of a merged record, chosen from the existing ones, of which the best record's is first.
fn chosen<'a>(cells: &[(&'a str, i64)], rule: Rule) -> &'a str {
    let by_place = || cells.iter().enumerate();
    let found = match rule {
        Rule::OfBest => by_place().next(),
        Rule::By(MergeBy::Longest) => by_place().max_by_key(|(at, (cell, _))| (cell.chars().count(), Reverse(*at))),
        Rule::By(MergeBy::Newest) => by_place().max_by_key(|(at, (_, time))| (*time, Reverse(*at))),
        Rule::By(MergeBy::Frequent) => {
            let mut counts: HashMap<String, usize> = HashMap::new();
            cells.iter().for_each(|(cell, _)| *counts.entry(cell.to_lowercase()).or_default() += 1);
            let often = |cell: &str| counts[&cell.to_lowercase()];
            by_place().max_by_key(|(at, (cell, _))| (often(cell), cell.chars().count(), Reverse(*at)))
        }
    };
    found.map_or("", |(_, (cell, _))| cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merged_value_is_the_most_frequent_the_longest_or_the_newest() {
        let cells = [("Jon Smith", 3), ("John Smith", 1), ("JOHN SMITH", 2), ("J. A. W. Smith", 0)];
        assert_eq!(chosen(&cells, Rule::By(MergeBy::Frequent)), "John Smith");
        assert_eq!(chosen(&cells, Rule::By(MergeBy::Longest)), "J. A. W. Smith");
        assert_eq!(chosen(&cells, Rule::By(MergeBy::Newest)), "Jon Smith");
        assert_eq!(chosen(&cells[1..], Rule::OfBest), "John Smith");
        assert_eq!(chosen(&[], Rule::By(MergeBy::Longest)), "");
    }
}
