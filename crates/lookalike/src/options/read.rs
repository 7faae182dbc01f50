//! Input of a job.

use std::path::{Path, PathBuf};

use lookalike_io::input::discover::{Discovered, Exclude, discover_except};
use lookalike_io::input::held::HeldTable;
use lookalike_io::read::Settings;

use crate::error::Result;

/// The input of a job, and the settings for reading it.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Files, folders, patterns, addresses, or `-` for standard input.
    pub(crate) inputs: Vec<PathBuf>,
    /// More inputs, from a list. Unreadable ones are skipped, and do not end the run.
    pub(crate) listed: Vec<PathBuf>,
    /// Files that are not read.
    pub(crate) exclude: Exclude,
    /// Settings for reading them.
    pub(crate) settings: Settings,
    /// Tables in memory, read in place after all files.
    pub(crate) tables: Vec<HeldTable>,
}

impl ReadOptions {
    /// One file.
    pub(crate) fn of_file(path: impl Into<PathBuf>, settings: Settings) -> Self {
        Self { inputs: vec![path.into()], settings, ..Self::nothing() }
    }

    /// Nothing to read.
    pub(crate) fn nothing() -> Self {
        Self {
            inputs: Vec::new(),
            listed: Vec::new(),
            exclude: Exclude::default(),
            settings: Settings::default(),
            tables: Vec::new(),
        }
    }

    /// Settings for reading files.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// True if there are files, folders, patterns or addresses to read.
    pub fn has_inputs(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Finds the input: files, followed by tables.
    pub(crate) fn discover(&self, output: Option<&Path>) -> Result<Discovered> {
        let found = discover_except(&self.inputs, &self.listed, output, &self.exclude)?;
        Ok(found.without_what_is_about_data().with_tables(&self.tables))
    }
}
