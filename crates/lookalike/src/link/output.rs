//! Results of linking as rows and as files: matches with the evidence, clusters, all rows, and the config for running
//! it again.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use lookalike_core::ids::{Number, Record};
use lookalike_core::link::cluster::best_record;
use lookalike_core::link::config::Config;
use lookalike_core::link::records::Records;
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::table::Table;
use lookalike_io::write::Staging;
use rayon::prelude::*;

use super::Linking;
use super::report::LinkReport;
use super::result::{OWN_COLUMNS, TABLE, linked_name};
use super::rows::{ClusterRow, FieldMatch, LinkedRow, MatchRow};
use super::tables::Tables;
use crate::error::{Error, Result};
use crate::options::RowFormat;
use crate::output::sink::{RowWriter, Sink};

/// Number of rows created before they are passed on.
const TOGETHER: usize = 4096;

/// The data that rows are created from.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    pub(super) tables: &'a Tables,
    pub(super) config: &'a Config,
    pub(super) ids: &'a [String],
}

impl<'a> Made<'a> {
    fn columns(&self) -> Columns<'a> {
        let (first, second) = self.tables.both();
        Columns::new(first, second, self.config)
    }

    /// The number of a record's table, if there are several.
    fn table(&self, record: usize) -> Option<u32> {
        self.tables.are_several().then(|| self.tables.number_of(record) as u32)
    }

    /// A row for each match, best first, with the evidence of each field.
    pub(super) fn matches(
        self,
        scorer: &Scorer<'_>,
        matches: &[Scored],
        sink: &mut dyn Sink<MatchRow>,
    ) -> io::Result<()> {
        let pairs = PairRows::new(self, scorer);
        sink.start(&texts(&pairs.names()))?;
        let rows = |some: &[Scored]| some.par_iter().map(|found| pairs.row(found)).collect();
        matches.chunks(TOGETHER).try_for_each(|some| sink.take(rows(some)))?;
        sink.finish()
    }

    /// A row for each record.
    pub(super) fn clusters(self, cluster_of: &[u64], sink: &mut dyn Sink<ClusterRow>) -> io::Result<()> {
        sink.start(if self.tables.are_several() { &["id", "cluster", "table"] } else { &["id", "cluster"] })?;
        let row = |record: usize| ClusterRow {
            id: self.ids[record].clone(),
            cluster: cluster_of[record],
            table: self.table(record),
        };
        in_parts(cluster_of.len(), row, sink)
    }

    /// All rows unchanged, each with its cluster, and whether it is the best record of it.
    pub(super) fn linked(self, is_best: &[bool], cluster_of: &[u64], sink: &mut dyn Sink<LinkedRow>) -> io::Result<()> {
        let columns = self.columns();
        let mut names = OWN_COLUMNS.map(str::to_owned).to_vec();
        names.extend(self.tables.are_several().then(|| TABLE.to_owned()));
        names.extend(columns.names.iter().map(|name| linked_name(name)));
        sink.start(&texts(&names))?;
        let row = |record: usize| LinkedRow {
            cluster: cluster_of[record],
            best: is_best[record],
            table: self.table(record),
            cells: columns.row(record).map(str::to_owned).collect(),
        };
        in_parts(cluster_of.len(), row, sink)
    }
}

/// Passes this many rows to a sink, in parts.
fn in_parts<R: Send>(count: usize, row: impl Fn(usize) -> R + Sync, sink: &mut dyn Sink<R>) -> io::Result<()> {
    for start in (0..count).step_by(TOGETHER) {
        sink.take((start..count.min(start + TOGETHER)).into_par_iter().map(&row).collect())?;
    }
    sink.finish()
}

/// Names of columns in the form that a sink takes.
pub(super) fn texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// A CSV file of rows.
pub(super) type CsvFile = RowWriter<BufWriter<File>>;

/// Destination and data of the output.
pub(super) struct Output<'a> {
    pub(super) made: Made<'a>,
    pub(super) staging: &'a Staging,
}

impl Output<'_> {
    pub(super) fn matches(&self, scorer: &Scorer<'_>, matches: &[Scored]) -> Result<()> {
        self.write("matches.csv", |file| self.made.matches(scorer, matches, file))
    }

    pub(super) fn clusters(&self, cluster_of: &[u64]) -> Result<()> {
        self.write("clusters.csv", |file| self.made.clusters(cluster_of, file))
    }

    pub(super) fn linked(&self, is_best: &[bool], cluster_of: &[u64]) -> Result<()> {
        self.write("linked.csv", |file| self.made.linked(is_best, cluster_of, file))
    }

    /// Writes the kinds of the columns, to be edited and used in another run.
    pub(super) fn config(&self) -> Result<()> {
        let text = toml::to_string_pretty(self.made.config).expect("a config has nothing that TOML has not");
        self.write_text("link.toml", &text)
    }

    /// Writes the model, for adding records and for explaining pairs.
    pub(super) fn decided(&self, linking: &Linking, threshold: f64) -> Result<()> {
        self.write_text("model.json", &linking.decided(threshold).to_json())?;
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
        let text = serde_json::to_string_pretty(report).expect("keys are strings");
        self.write_text("summary.json", &(text + "\n"))
    }

    fn write_text(&self, name: &str, text: &str) -> Result<()> {
        let mut writer = self.staging.file(name)?;
        let written = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
        written.map_err(|cause| self.unwritable(name, cause))
    }

    fn unwritable(&self, name: &str, cause: std::io::Error) -> Error {
        lookalike_io::Error::Unwritable { path: self.staging.path().join(name), cause }.into()
    }

    /// A CSV file.
    pub(super) fn write(&self, name: &str, rows: impl FnOnce(&mut CsvFile) -> io::Result<()>) -> Result<()> {
        let mut file = RowWriter::new(self.staging.file(name)?, RowFormat::Csv);
        rows(&mut file).map_err(|cause| self.unwritable(name, cause))
    }
}

/// Pairs as rows: ids, the sum of bits and the probability; and for each field its bits, its points and the cells of
/// both records.
pub(super) struct PairRows<'a> {
    tables: &'a Tables,
    ids: &'a [String],
    scorer: &'a Scorer<'a>,
    cells: Columns<'a>,
    /// Indexes of the fields' columns.
    fields: Vec<usize>,
}

impl<'a> PairRows<'a> {
    pub(super) fn new(made: Made<'a>, scorer: &'a Scorer<'a>) -> Self {
        let cells = made.columns();
        let place = |name: &str| cells.names.iter().position(|other| *other == name).expect("fields are columns");
        let fields = scorer.records.fields().iter().map(|field| place(&field.name)).collect();
        Self { tables: made.tables, ids: made.ids, scorer, cells, fields }
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

    pub(super) fn row(&self, found: &Scored) -> MatchRow {
        let [left, right] = [found.left, found.right].map(Number::index);
        let table = |record: usize| self.tables.are_one().then(|| self.tables.number_of(record) as u32);
        let said = self.scorer.said(found.left, found.right, found.pattern);
        let points = self.scorer.points(found.pattern);
        let cell = |record: usize, column: usize| self.cells.cell(record, column).to_owned();
        let fields = self.fields.iter().zip(said).zip(points);
        let field = |((column, bits), points): ((&usize, f64), u8)| FieldMatch {
            name: self.cells.names[*column].to_owned(),
            bits,
            points,
            left: cell(left, *column),
            right: cell(right, *column),
        };
        MatchRow {
            left_id: self.ids[left].clone(),
            right_id: self.ids[right].clone(),
            left_table: table(left),
            right_table: table(right),
            bits: found.weight,
            probability: found.probability(),
            fields: fields.map(field).collect(),
        }
    }

    /// Describes the fields that contribute most to a match, or most against it if `sign` is negative.
    pub(super) fn strongest(&self, found: &Scored, sign: f64) -> String {
        /// Nobody would read more.
        const MOST: usize = 3;
        let explained = self.scorer.explain(found.left, found.right);
        let mut fields: Vec<_> = explained.fields.iter().filter(|field| field.weight * sign > 0.0).collect();
        fields.sort_by(|a, b| (b.weight * sign).total_cmp(&(a.weight * sign)));
        let said =
            fields.iter().take(MOST).map(|field| format!("{} {} ({:+.1})", field.name, field.level, field.weight));
        said.collect::<Vec<_>>().join(", ")
    }
}

/// True for each record that is the best of its cluster.
pub(super) fn best_of_clusters(records: &Records, cluster_of: &[u64]) -> Vec<bool> {
    let mut members: Vec<(u64, Record)> = cluster_of.iter().copied().zip(records.all()).collect();
    members.par_sort_unstable();
    let mut is_best = vec![false; cluster_of.len()];
    for cluster in members.chunk_by(|left, right| left.0 == right.0) {
        let cluster: Vec<Record> = cluster.iter().map(|(_, record)| *record).collect();
        let best = best_record(records, &cluster);
        best.into_iter().for_each(|best| is_best[best.index()] = true);
    }
    is_best
}

/// The columns of both tables: those of the first, followed by those that only the second has.
pub(super) struct Columns<'a> {
    first: &'a Table,
    second: Option<&'a Table>,
    pub(super) names: Vec<&'a str>,
    /// Index of each column in the first table, and in the second.
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

    /// The cell of a record in one of the columns; empty if its table does not have the column.
    pub(super) fn cell(&self, record: usize, column: usize) -> &'a str {
        let first_count = self.first.row_count();
        let (table, at, row) = match self.second {
            Some(second) if record >= first_count => (second, 1, record - first_count),
            _ => (self.first, 0, record),
        };
        self.places[column][at].map_or("", |column| table.column(column).get(row))
    }
}
