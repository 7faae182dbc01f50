//! Options of the report on a finished run.

use std::path::PathBuf;

use lookalike_io::input::held::HeldTable;

use super::{ReadOptions, ReportTexts};

/// Options of [`report`](crate::report()) and [`report_of`](crate::report_of()).
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The output folder of a finished run.
    pub(crate) folder: PathBuf,
    /// The file to write; `report.html` in the folder if none is given.
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it exists. The one in the folder is always replaced.
    pub(crate) force: bool,
    /// Amount of documents' text in the report.
    pub(crate) texts: ReportTexts,
    /// Input of the run, and the settings with which it was read, if known: texts are read again from it.
    pub(crate) read: Option<ReadOptions>,
    /// The reference of the run.
    pub(crate) references: Vec<PathBuf>,
    /// Tables in memory that belong to the reference.
    pub(crate) reference_tables: Vec<HeldTable>,
}
