//! Options of the job about records.

use std::path::{Path, PathBuf};

use lookalike_core::link::config::Config;
use lookalike_io::table::memory::MemoryTable;

use super::Resources;

/// Options of [`link`](crate::link()).
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own, on or off")]
pub struct LinkOptions {
    /// The tables, at least one: each a file, a folder, a pattern, an address, or `-` for standard input. Links are
    /// searched for between two tables; more than two are linked within each table as well.
    pub(crate) tables: Vec<PathBuf>,
    /// Further tables, in the memory of the caller. There is at least one table, in a file or in memory.
    pub(crate) in_memory: Vec<MemoryTable>,
    /// Two tables are linked within each table as well.
    pub(crate) within: bool,
    /// The column that tells records apart; rows are numbered without it.
    pub(crate) id: Option<String>,
    /// The same of the second table and those after it, where the column has another name.
    pub(crate) id_right: Option<String>,
    /// Configuration of the columns; guessed if missing.
    pub(crate) config: Option<Config>,
    /// Minimum probability of a match; suggested by the data if missing.
    pub(crate) threshold: Option<f64>,
    /// No record of either table has more than one match in the other.
    pub(crate) one_to_one: bool,
    /// Factor on the number of comparisons: 2 for buckets with twice the pairs.
    pub(crate) effort: Option<f64>,
    /// A column of dates: merged records have the newest value of each column.
    pub(crate) newest: Option<String>,
    /// A table of the true pairs or clusters, to judge the result by.
    pub(crate) labels: Option<PathBuf>,
    /// The share of records that have a match, where that is known.
    pub(crate) expect: Option<f64>,
    /// The weights of another result, to be used for this one.
    pub(crate) model: Option<LinkModel>,
    /// A column that is not compared, to hold matches against.
    pub(crate) validate: Option<String>,
    /// Write a report: to its file, or to `report.html` in the folder.
    pub(crate) report: bool,
    /// The HTML file of the report, if it goes to another place.
    pub(crate) report_file: Option<PathBuf>,
    /// The folder to write to; none to write nothing.
    pub(crate) folder: Option<PathBuf>,
    /// True to replace the output of an earlier run.
    pub(crate) force: bool,
    /// Limits.
    pub(crate) resources: Resources,
}

/// The weights of another result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LinkModel {
    /// The path of its `model.json`.
    File(PathBuf),
    /// The text of its `model.json`: [`LinkReport::model`](crate::LinkReport::model).
    Text(String),
}

/// Options of [`add_records`](crate::add_records).
#[derive(Clone, Debug)]
pub struct AddRecordsOptions {
    /// The new records: a table with the columns of the old one.
    pub(crate) new: PathBuf,
    /// The folder of a result of one table.
    pub(crate) folder: PathBuf,
    /// Limits.
    pub(crate) resources: Resources,
}

impl LinkOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The folder to write to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// True if a report is made: for its own file, or for the folder.
    pub fn has_report(&self) -> bool {
        self.report && (self.folder.is_some() || self.report_file.is_some())
    }

    /// The HTML file of the report, if it goes to another place than the folder.
    pub fn report_file(&self) -> Option<&Path> {
        self.report_file.as_deref()
    }

    /// True to replace the output of an earlier run.
    pub fn force(&self) -> bool {
        self.force
    }
}

impl AddRecordsOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The folder of the result.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Options of [`Review::open`](crate::Review::open).
#[derive(Clone, Debug)]
pub struct ReviewOptions {
    /// The folder of a result.
    pub(crate) folder: PathBuf,
    /// Limits.
    pub(crate) resources: Resources,
}

impl ReviewOptions {
    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The folder of the result.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
