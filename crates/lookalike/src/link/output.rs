//! What was linked, as files: matches with what spoke for them, clusters, all rows, and the config to run it again.

use std::io::{BufWriter, Write};

use lookalike_core::link::cluster::best_record;
use lookalike_core::link::config::Config;
use lookalike_core::link::records::Records;
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::table::Table;
use lookalike_io::write::Staging;
use rayon::prelude::*;
use serde::Serialize;

use super::Linking;
use super::report::LinkReport;
use super::result::{Decided, linked_name};
use super::tables::Tables;
use crate::error::{Error, Result};

/// Where to write, and what of.
pub(super) struct Output<'a> {
    pub(super) tables: &'a Tables,
    pub(super) config: &'a Config,
    pub(super) ids: &'a [String],
    pub(super) staging: &'a Staging,
}

impl Output<'_> {
    /// A line for each match, best first, with what each field says.
    pub(super) fn matches(&self, scorer: &Scorer<'_>, matches: &[Scored]) -> Result<()> {
        let pairs = PairRows::new(self, scorer);
        self.write("matches.csv", &pairs.names(), |writer| {
            matches.iter().try_for_each(|found| writer.write_record(pairs.row(found)))
        })
    }

    /// A line for each record.
    pub(super) fn clusters(&self, cluster_of: &[u64]) -> Result<()> {
        let are_several = self.tables.are_several();
        let names: &[&str] = if are_several { &["id", "cluster", "table"] } else { &["id", "cluster"] };
        self.write("clusters.csv", names, |writer| {
            for (record, (id, cluster)) in self.ids.iter().zip(cluster_of).enumerate() {
                let mut row = vec![id.clone(), cluster.to_string()];
                row.extend(are_several.then(|| self.tables.number_of(record).to_string()));
                writer.write_record(&row)?;
            }
            Ok(())
        })
    }

    /// All rows as they came, with their cluster, and whether each is the best of it.
    pub(super) fn linked(&self, is_best: &[bool], cluster_of: &[u64]) -> Result<()> {
        let (first, second) = self.tables.both();
        let are_several = self.tables.are_several();
        let mut names = vec!["cluster".to_owned(), "is_best".to_owned()];
        names.extend(are_several.then(|| "table".to_owned()));
        let columns = Columns::new(first, second, self.config);
        names.extend(columns.names.iter().map(|name| linked_name(name)));
        self.write("linked.csv", &names, |writer| {
            for (record, cluster) in cluster_of.iter().enumerate() {
                let (cluster, number) = (cluster.to_string(), self.tables.number_of(record).to_string());
                let mut row = vec![cluster.as_str(), if is_best[record] { "true" } else { "false" }];
                row.extend(are_several.then_some(number.as_str()));
                row.extend(columns.row(record));
                writer.write_record(&row)?;
            }
            Ok(())
        })
    }

    /// What the columns were taken for, to be edited and given again.
    pub(super) fn config(&self) -> Result<()> {
        let text = toml::to_string_pretty(self.config).expect("a config has nothing that TOML has not");
        self.write_text("link.toml", &text)
    }

    /// What it was decided by, for records that are added and pairs that are explained.
    pub(super) fn decided(&self, linking: &Linking, threshold: f64) -> Result<()> {
        let is_one_field_left_out = linking.candidates.one_field_count() > 0;
        self.write_json("model.json", &Decided { threshold, model: linking.model.clone(), is_one_field_left_out })?;
        let mut writer = self.staging.file("frequencies.bin")?;
        let mut write = || {
            for of_field in linking.frequencies.all() {
                writer.write_all(&(of_field.len() as u32).to_le_bytes())?;
                of_field.iter().try_for_each(|one| writer.write_all(&one.to_le_bytes()))?;
            }
            writer.flush()
        };
        write().map_err(|cause| self.unwritable("frequencies.bin", cause))
    }

    /// The summary, which is written last.
    pub(super) fn summary(&self, report: &LinkReport) -> Result<()> {
        self.write_json("summary.json", report)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(value).expect("keys are strings");
        self.write_text(name, &(text + "\n"))
    }

    fn write_text(&self, name: &str, text: &str) -> Result<()> {
        let mut writer = self.staging.file(name)?;
        let written = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
        written.map_err(|cause| self.unwritable(name, cause))
    }

    fn unwritable(&self, name: &str, cause: std::io::Error) -> Error {
        lookalike_io::Error::Unwritable { path: self.staging.path().join(name), cause }.into()
    }

    /// A CSV file with a header.
    pub(super) fn write(
        &self,
        name: &str,
        header: &[impl AsRef<[u8]>],
        rows: impl FnOnce(&mut csv::Writer<BufWriter<std::fs::File>>) -> csv::Result<()>,
    ) -> Result<()> {
        let mut writer = csv::Writer::from_writer(self.staging.file(name)?);
        let written = writer.write_record(header).and_then(|()| rows(&mut writer));
        let written = written.map_err(std::io::Error::from).and_then(|()| writer.flush());
        written.map_err(|cause| self.unwritable(name, cause))
    }
}

/// Pairs as rows: ids, the sum of bits and the probability; and for each field its bits, its points and the cells of both sides.
pub(super) struct PairRows<'a> {
    tables: &'a Tables,
    ids: &'a [String],
    scorer: &'a Scorer<'a>,
    cells: Columns<'a>,
    /// Where the columns of the fields are.
    fields: Vec<usize>,
}

impl<'a> PairRows<'a> {
    pub(super) fn new(output: &Output<'a>, scorer: &'a Scorer<'a>) -> Self {
        let (first, second) = output.tables.both();
        let cells = Columns::new(first, second, output.config);
        let place = |name: &str| cells.names.iter().position(|other| *other == name).expect("fields are columns");
        let fields = scorer.records.fields().iter().map(|field| place(&field.name)).collect();
        Self { tables: output.tables, ids: output.ids, scorer, cells, fields }
    }

    pub(super) fn names(&self) -> Vec<String> {
        let mut names = ["left_id", "right_id"].map(str::to_owned).to_vec();
        if self.tables.are_one() {
            names.extend(["left_table", "right_table"].map(str::to_owned));
        }
        names.extend(["bits", "probability"].map(str::to_owned));
        for field in self.scorer.records.fields() {
            names.extend(["bits", "points", "left", "right"].map(|what| format!("{}_{what}", field.name)));
        }
        names
    }

    pub(super) fn row(&self, found: &Scored) -> Vec<String> {
        let [left, right] = [found.left, found.right].map(|record| record as usize);
        let mut row = vec![self.ids[left].clone(), self.ids[right].clone()];
        if self.tables.are_one() {
            row.extend([left, right].map(|record| self.tables.number_of(record).to_string()));
        }
        row.push(bits(found.weight));
        row.push(format!("{:.6}", found.probability()));
        let said = self.scorer.said(found.left, found.right, found.pattern);
        let points = self.scorer.points(found.pattern);
        for ((column, said), points) in self.fields.iter().zip(said).zip(points) {
            let [left, right] = [left, right].map(|record| self.cells.cell(record, *column).to_owned());
            row.extend([bits(said), points.to_string(), left, right]);
        }
        row
    }

    /// The fields that say most for a pair, or against it where `sign` is negative, in words.
    pub(super) fn strongest(&self, found: &Scored, sign: f64) -> String {
        /// More would not be read.
        const MOST: usize = 3;
        let explained = self.scorer.explain(found.left, found.right);
        let mut fields: Vec<_> = explained.fields.iter().filter(|field| field.weight * sign > 0.0).collect();
        fields.sort_by(|a, b| (b.weight * sign).total_cmp(&(a.weight * sign)));
        let said =
            fields.iter().take(MOST).map(|field| format!("{} {} ({:+.1})", field.name, field.level, field.weight));
        said.collect::<Vec<_>>().join(", ")
    }
}

/// A logarithm of odds as it is written. Nothing is never below zero.
fn bits(weight: f64) -> String {
    format!("{:.2}", (weight * 100.0).round() / 100.0 + 0.0)
}

/// Whether each record is the best of its cluster.
pub(super) fn best_of_clusters(records: &Records, cluster_of: &[u64]) -> Vec<bool> {
    let mut members: Vec<(u64, u32)> = cluster_of.iter().copied().zip(0..).collect();
    members.par_sort_unstable();
    let mut is_best = vec![false; cluster_of.len()];
    for cluster in members.chunk_by(|left, right| left.0 == right.0) {
        let cluster: Vec<u32> = cluster.iter().map(|(_, record)| *record).collect();
        let best = best_record(records, &cluster);
        best.into_iter().for_each(|best| is_best[best as usize] = true);
    }
    is_best
}

/// The columns of both tables: those of the first, and then those that only the second has.
pub(super) struct Columns<'a> {
    first: &'a Table,
    second: Option<&'a Table>,
    pub(super) names: Vec<&'a str>,
    /// Where each column is in the first table, and in the second.
    places: Vec<[Option<usize>; 2]>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(first: &'a Table, second: Option<&'a Table>, config: &Config) -> Self {
        let mut names: Vec<&str> = first.names().iter().map(String::as_str).collect();
        let in_second = |name: &str| {
            let column = config.columns.iter().find(|column| column.name == name);
            let is_id = config.id.as_deref() == Some(name);
            let id = config.ids()[1].filter(|_| is_id);
            let name = id.unwrap_or_else(|| column.map_or(name, |column| column.name_in_second()));
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
        (0..self.places.len()).map(move |column| self.cell(record, column))
    }

    /// The cell of a record in one of the columns; nothing where its table does not have it.
    pub(super) fn cell(&self, record: usize, column: usize) -> &'a str {
        let first_count = self.first.row_count();
        let (table, at, row) = match self.second {
            Some(second) if record >= first_count => (second, 1, record - first_count),
            _ => (self.first, 0, record),
        };
        self.places[column][at].map_or("", |column| table.column(column).get(row))
    }
}
