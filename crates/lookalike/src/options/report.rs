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
    /// Whether to replace it. The one in the folder is replaced anyway.
    pub(crate) force: bool,
    /// How much of the documents it shows.
    pub(crate) texts: ReportTexts,
    /// How the input of the run was read, if that is known: texts are read again from there.
    pub(crate) read: Option<ReadOptions>,
    /// The reference of the run.
    pub(crate) references: Vec<PathBuf>,
    /// Tables in memory that belong to the reference.
    pub(crate) reference_tables: Vec<HeldTable>,
}
