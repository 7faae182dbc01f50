//! Prints of the same finger: within the input, or between the input and a second collection.
//!
//! ```text
//! read → candidates → align → sample → write
//! ```

mod all;
mod grid;
mod identify;
mod near;
mod need;
mod read;
mod recall;
mod report;
mod roll;
mod rows;
mod table;
mod turning;

use std::io::Write;
use std::path::PathBuf;

use lookalike_io::table::memory::MemoryTable;

pub use recall::CandidateRecall;
pub use report::{GridReport, PrintsReport, Skips};
pub use rows::PrintPair;
pub use turning::Turning;

use self::read::read;
use self::roll::Roll;
use self::rows::Rows;
use crate::error::{Result, until_closed};
use crate::options::{PrintSearch, PrintsOptions};
use crate::output::sink::{RowWriter, Sink};
use crate::progress::Progress;
use crate::run::stages::Stages;

/// Finds prints of the same finger, and writes a row for each pair.
///
/// # Errors
///
/// If an input cannot be read, lacks a column or has no print; if the grid is invalid; or if `writer` fails.
pub fn prints(options: &PrintsOptions, writer: &mut dyn Write, progress: &dyn Progress) -> Result<PrintsReport> {
    prints_into(options, &mut RowWriter::new(writer, options.format), progress)
}

/// Finds prints of the same finger like [`prints()`], and passes the pairs to a sink as typed rows.
///
/// # Errors
///
/// As [`prints()`], and if the sink fails.
pub fn prints_into(
    options: &PrintsOptions,
    sink: &mut dyn Sink<PrintPair>,
    progress: &dyn Progress,
) -> Result<PrintsReport> {
    let mut run =
        Run { options, stages: Stages::start(progress), rows: Rows::new(sink), report: PrintsReport::default() };
    let roll = run.read("read", &options.inputs, &options.in_memory)?;
    until_closed(match &options.search {
        PrintSearch::Candidates { most } => near::find(&roll, *most, &mut run),
        PrintSearch::AllPairs => all::compare(&roll, &mut run),
        PrintSearch::Against { inputs, in_memory, most, top } => {
            let known = run.read("against", inputs, in_memory)?;
            identify::Identify { known: &known, most: *most, top: *top }.find(&roll, &mut run)
        }
        PrintSearch::Grid(grid) => grid::find(&roll, grid, &mut run),
    })?;
    let Run { stages, rows, mut report, .. } = run;
    report.row_count = until_closed(rows.finish())?;
    report.describe(&roll);
    report.stages = stages.finish();
    Ok(report)
}

/// A run in progress: its options and its output.
struct Run<'a> {
    options: &'a PrintsOptions,
    stages: Stages<'a>,
    rows: Rows<'a>,
    report: PrintsReport,
}

impl Run<'_> {
    fn read(&mut self, stage: &'static str, inputs: &[PathBuf], tables: &[MemoryTable]) -> Result<Roll> {
        self.stages.go_on()?;
        let (options, report, progress) = (self.options, &mut self.report, self.stages.progress());
        self.stages
            .run(stage, None, || read(inputs, tables, &options.read, options.output.as_deref(), report, progress))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_io::read::Settings;
    use lookalike_io::table::read_table;

    use super::*;
    use crate::options::{GridOptions, RowFormat};
    use crate::progress::Silent;
    use crate::request::PrintsRequest;

    fn example(name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
    }

    fn in_memory(name: &str) -> Vec<MemoryTable> {
        let read = read_table(&[example(name)], None, &Settings::default(), |_| Ok::<_, crate::Error>(())).unwrap();
        vec![MemoryTable::new(name, read.table)]
    }

    fn options(search: PrintSearch) -> PrintsOptions {
        PrintsOptions { search, ..PrintsRequest::default().format(RowFormat::Csv).check().unwrap() }
    }

    /// Checks that the lines from files equal the rows from the same tables in memory; returns the rows.
    fn check(files: PrintsOptions, tables: PrintsOptions, input: &str, columns: &str) -> Vec<PrintPair> {
        let mut bytes = Vec::new();
        prints(&PrintsOptions { inputs: vec![example(input)], ..files }, &mut bytes, &Silent).unwrap();
        let mut rows: Vec<PrintPair> = Vec::new();
        let tables = PrintsOptions { in_memory: in_memory(input), ..tables };
        let report = prints_into(&tables, &mut rows, &Silent).unwrap();
        assert_eq!(report.row_count as usize, rows.len());
        let mut lines = format!("{columns}\n").into_bytes();
        RowWriter::new(&mut lines, RowFormat::Csv).take(rows.clone()).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), String::from_utf8(lines).unwrap());
        rows
    }

    #[test]
    fn rows_of_tables_in_memory_are_those_of_their_files() {
        let near = || options(PrintSearch::Candidates { most: 20 });
        let rows = check(near(), near(), "prints.csv", "left_id,right_id,similarity,paired_count");
        assert_eq!(rows.len(), 24);
        let against = |inputs, in_memory| options(PrintSearch::Against { inputs, in_memory, most: 20, top: 2 });
        let (files, tables) =
            (against(vec![example("prints.csv")], Vec::new()), against(Vec::new(), in_memory("prints.csv")));
        let rows = check(files, tables, "queries.csv", "left_id,right_id,similarity,paired_count,rank");
        assert_eq!(rows.iter().map(|row| row.rank).collect::<Vec<_>>(), [Some(1), Some(2)].repeat(3));
        let grid = || options(PrintSearch::Grid(GridOptions { side: 20.0, margin: 3.0, bucket_count: 64 }));
        let rows = check(grid(), grid(), "prints.csv", "left_id,right_id,similarity,shared_bucket_count");
        assert!(rows.iter().all(|row| row.shared_bucket_count > Some(0) && row.paired_count.is_none()));
    }
}
