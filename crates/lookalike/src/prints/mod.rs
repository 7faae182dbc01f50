//! Prints of the same finger: within the input, or of queries in a gallery.
//!
//! ```text
//! read → candidates → align → sample → write
//! ```

mod all;
mod grid;
mod identify;
mod near;
mod options;
mod read;
mod recall;
mod report;
mod roll;
mod rows;
mod table;

use std::io::Write;

pub use options::{GridOptions, PrintColumns, PrintsOptions, ReadPrints, Search};
pub use recall::CandidateRecall;
pub use report::{GridReport, PrintsReport, Skips};

use self::read::read;
use self::rows::Rows;
use crate::error::Result;
use crate::progress::Progress;
use crate::stages::Stages;

/// Finds prints of the same finger, and writes a row for each pair.
///
/// # Errors
///
/// When an input cannot be read, lacks a column or has no print; when there is no such grid; or when `writer` cannot be
/// written to.
pub fn prints(options: &PrintsOptions, writer: &mut dyn Write, progress: &dyn Progress) -> Result<PrintsReport> {
    let mut stages = Stages::start(progress);
    let output = options.output.as_deref();
    let mut report = PrintsReport::default();
    let roll = stages.run("read", None, || read(&options.inputs, &options.read, output, &mut report.skipped))?;
    let mut rows = Rows::new(options.format, writer);
    match &options.search {
        Search::Candidates { most } => near::find(&roll, *most, options, &mut stages, &mut rows, &mut report)?,
        Search::AllPairs => all::compare(&roll, options, &mut stages, &mut rows, &mut report)?,
        Search::Gallery { inputs, most, top } => {
            let known = stages.run("gallery", None, || read(inputs, &options.read, output, &mut report.skipped))?;
            let identify = identify::Identify { known: &known, most: *most, top: *top };
            identify.run(&roll, options, &mut stages, &mut rows, &mut report)?;
            report.gallery_prints = Some(known.prints.len() as u64);
        }
        Search::Grid(grid) => grid::find(&roll, grid, options, &mut stages, &mut rows, &mut report)?,
    }
    report.rows = rows.finish()?;
    report.describe(&roll);
    report.stages = stages.finish();
    Ok(report)
}
