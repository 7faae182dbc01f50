//! Prints of the same finger: within the input, or of queries in a gallery.
//!
//! ```text
//! read → candidates → align → sample → write
//! ```

mod all;
mod grid;
mod identify;
mod near;
mod need;
mod options;
mod read;
mod recall;
mod report;
mod roll;
mod rows;
mod table;
mod turning;

use std::io::Write;
use std::path::PathBuf;

pub use options::{AngleUnit, GridOptions, PrintColumns, PrintSearch, PrintsOptions, ReadPrints};
pub use recall::CandidateRecall;
pub use report::{GridReport, PrintsReport, Skips};
pub use turning::Turning;

use self::read::read;
use self::roll::Roll;
use self::rows::Rows;
use crate::error::{Result, until_closed};
use crate::progress::Progress;
use crate::report::stages::Stages;

/// Finds prints of the same finger, and writes a row for each pair.
///
/// # Errors
///
/// When an input cannot be read, lacks a column or has no print; when there is no such grid; or when `writer` cannot be
/// written to.
pub fn prints(options: &PrintsOptions, writer: &mut dyn Write, progress: &dyn Progress) -> Result<PrintsReport> {
    let (stages, rows) = (Stages::start(progress), Rows::new(options.format, writer));
    let mut run = Run { options, stages, rows, report: PrintsReport::default() };
    let roll = run.read("read", &options.inputs)?;
    until_closed(match &options.search {
        PrintSearch::Candidates { most } => near::find(&roll, *most, &mut run),
        PrintSearch::AllPairs => all::compare(&roll, &mut run),
        PrintSearch::Gallery { inputs, most, top } => {
            let known = run.read("gallery", inputs)?;
            identify::Identify { known: &known, most: *most, top: *top }.find(&roll, &mut run)
        }
        PrintSearch::Grid(grid) => grid::find(&roll, grid, &mut run),
    })?;
    let Run { stages, rows, mut report, .. } = run;
    report.rows = until_closed(rows.finish())?;
    report.describe(&roll);
    report.stages = stages.finish();
    Ok(report)
}

/// A run under way: what was asked for, and what comes out.
struct Run<'a> {
    options: &'a PrintsOptions,
    stages: Stages<'a>,
    rows: Rows<'a>,
    report: PrintsReport,
}

impl Run<'_> {
    fn read(&mut self, stage: &'static str, inputs: &[PathBuf]) -> Result<Roll> {
        self.stages.go_on()?;
        let (options, report, progress) = (self.options, &mut self.report, self.stages.progress());
        self.stages.run(stage, None, || read(inputs, &options.read, options.output.as_deref(), report, progress))
    }
}
