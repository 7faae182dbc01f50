//! What was linked, as files: matches with their points, clusters, all rows, and the config to run it again.

use std::collections::HashMap;
use std::io::{BufWriter, Write};

use lookalike_core::link::cluster::best_record;
use lookalike_core::link::config::Config;
use lookalike_core::link::records::Records;
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::table::Table;
use lookalike_io::write::Staging;

use super::Tables;
use super::report::LinkReport;
use crate::error::{Error, Result};

/// Where to write, and what of.
pub(super) struct Output<'a> {
    pub(super) tables: &'a Tables,
    pub(super) config: &'a Config,
    pub(super) ids: &'a [String],
    pub(super) staging: &'a Staging,
}

impl Output<'_> {
    /// A line for each match, best first, with points for each field.
    pub(super) fn matches(&self, scorer: &Scorer<'_>, matches: &[Scored]) -> Result<()> {
        let fields = scorer.records.fields().iter().map(|field| field.name.as_str());
        let names: Vec<&str> = ["left_id", "right_id", "score", "probability"].into_iter().chain(fields).collect();
        self.write("matches.csv", &names, |writer| {
            for found in matches {
                writer.write_record(&match_row(scorer, found, self.ids))?;
            }
            Ok(())
        })
    }

    /// A line for each record.
    pub(super) fn clusters(&self, cluster_of: &[u64]) -> Result<()> {
        let is_two = self.tables.second.is_some();
        let names: &[&str] = if is_two { &["id", "cluster", "table"] } else { &["id", "cluster"] };
        self.write("clusters.csv", names, |writer| {
            for (record, (id, cluster)) in self.ids.iter().zip(cluster_of).enumerate() {
                let cluster = cluster.to_string();
                let mut row = vec![id.as_str(), &cluster];
                row.extend(is_two.then(|| self.table_of(record)));
                writer.write_record(&row)?;
            }
            Ok(())
        })
    }

    /// All rows as they came, with their cluster, and whether each is the best of it.
    pub(super) fn linked(&self, records: &Records, cluster_of: &[u64]) -> Result<()> {
        let (first, second) = self.tables.both();
        let mut names: Vec<&str> = vec!["cluster", "is_best"];
        names.extend(second.map(|_| "table"));
        let columns = Columns::new(first, second, self.config);
        names.extend(&columns.names);
        let is_best = best_of_clusters(records, cluster_of);
        self.write("linked.csv", &names, |writer| {
            for (record, cluster) in cluster_of.iter().enumerate() {
                let cluster = cluster.to_string();
                let mut row = vec![cluster.as_str(), if is_best[record] { "true" } else { "false" }];
                row.extend(second.map(|_| self.table_of(record)));
                row.extend(columns.row(record));
                writer.write_record(&row)?;
            }
            Ok(())
        })
    }

    /// What the columns were taken for, to be edited and given again.
    pub(super) fn config(&self) -> Result<()> {
        let name = "link.toml";
        let mut writer = self.staging.file(name)?;
        let text = toml::to_string_pretty(self.config).expect("a config has nothing that TOML has not");
        let written = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
        written.map_err(|cause| unwritable(self.staging, name, cause))
    }

    /// A CSV file with a header.
    pub(super) fn write(
        &self,
        name: &str,
        header: &[&str],
        rows: impl FnOnce(&mut csv::Writer<BufWriter<std::fs::File>>) -> csv::Result<()>,
    ) -> Result<()> {
        let mut writer = csv::Writer::from_writer(self.staging.file(name)?);
        let written = writer.write_record(header).and_then(|()| rows(&mut writer));
        let written = written.map_err(std::io::Error::from).and_then(|()| writer.flush());
        written.map_err(|cause| unwritable(self.staging, name, cause))
    }

    fn table_of(&self, record: usize) -> &'static str {
        if record < self.tables.first.table.row_count() { "first" } else { "second" }
    }
}

/// A match as a row: ids, score, probability, and points for each field.
pub(super) fn match_row(scorer: &Scorer<'_>, found: &Scored, ids: &[String]) -> Vec<String> {
    let mut row = vec![ids[found.left as usize].clone(), ids[found.right as usize].clone()];
    row.push(scorer.score_points(found.pattern).to_string());
    row.push(format!("{:.6}", found.probability()));
    row.extend(scorer.points(found.pattern).iter().map(u8::to_string));
    row
}

/// Whether each record is the best of its cluster.
pub(super) fn best_of_clusters(records: &Records, cluster_of: &[u64]) -> Vec<bool> {
    let mut members: HashMap<u64, Vec<u32>> = HashMap::new();
    for (record, cluster) in (0..).zip(cluster_of) {
        members.entry(*cluster).or_default().push(record);
    }
    let mut is_best = vec![false; cluster_of.len()];
    for best in members.values().filter_map(|members| best_record(records, members)) {
        is_best[best as usize] = true;
    }
    is_best
}

/// The columns of both tables: those of the first, and then those that only the second has.
struct Columns<'a> {
    first: &'a Table,
    second: Option<&'a Table>,
    names: Vec<&'a str>,
    /// Where each column is in the first table, and in the second.
    places: Vec<[Option<usize>; 2]>,
}

impl<'a> Columns<'a> {
    fn new(first: &'a Table, second: Option<&'a Table>, config: &Config) -> Self {
        let mut names: Vec<&str> = first.names().iter().map(String::as_str).collect();
        let in_second = |name: &str| {
            let column = config.columns.iter().find(|column| column.name == name);
            let name = column.map_or(name, |column| column.name_in_second());
            second.and_then(|second| second.names().iter().position(|other| other == name))
        };
        let mut places: Vec<[Option<usize>; 2]> =
            names.iter().enumerate().map(|(at, name)| [Some(at), in_second(name)]).collect();
        if let Some(second) = second {
            let taken: Vec<usize> = places.iter().filter_map(|place| place[1]).collect();
            for (at, name) in second.names().iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
                names.push(name);
                places.push([None, Some(at)]);
            }
        }
        Self { first, second, names, places }
    }

    fn row(&self, record: usize) -> impl Iterator<Item = &'a str> {
        let first_count = self.first.row_count();
        let (table, at, row) = match self.second {
            Some(second) if record >= first_count => (second, 1, record - first_count),
            _ => (self.first, 0, record),
        };
        self.places.iter().map(move |place| place[at].map_or("", |column| table.column(column).get(row)))
    }
}

/// The summary, which is written last.
pub(super) fn summary(report: &LinkReport, staging: &Staging) -> Result<()> {
    let name = "summary.json";
    let mut writer = staging.file(name)?;
    let written = serde_json::to_writer_pretty(&mut writer, report).map_err(std::io::Error::from);
    let written = written.and_then(|()| writer.write_all(b"\n")).and_then(|()| writer.flush());
    written.map_err(|cause| unwritable(staging, name, cause))
}

pub(super) fn unwritable(staging: &Staging, name: &str, cause: std::io::Error) -> Error {
    lookalike_io::Error::Unwritable { path: staging.path().join(name), cause }.into()
}
