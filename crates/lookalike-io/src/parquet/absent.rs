//! Replaces Parquet support in a build without it: files are rejected by name, like unreadable ones.

#[expect(dead_code, reason = "nothing makes a row")]
mod row;

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) use row::{NextRow, NoText, Row};

use crate::error::Error;
use crate::notes::Annotation;
use crate::refused::Refused;
use crate::settings::Fields;
use row::Lost;

/// Reason why no file is read.
const NOT_BUILT: &str = "this build of lookalike reads no Parquet: build it with the feature `parquet`";

/// The rows of a file, which is never opened.
pub(crate) struct Rows(Infallible);

impl Rows {
    pub(crate) fn open(_: File, _: &Fields, _: Option<Range<usize>>) -> Result<Self, Refused> {
        Err(Refused::Other(NOT_BUILT.to_owned()))
    }

    pub(crate) fn row_count(&self) -> u64 {
        match self.0 {}
    }

    pub(crate) fn next(&mut self, _: usize, _: usize, _: &mut Vec<u8>, _: &mut Vec<Row>) -> Result<bool, Lost> {
        match self.0 {}
    }
}

/// The rows of a table, which is never opened.
pub(crate) struct TableRows(Infallible);

impl TableRows {
    pub(crate) fn open(_: File) -> Result<Self, String> {
        Err(NOT_BUILT.to_owned())
    }

    pub(crate) fn names(&self) -> &[String] {
        match self.0 {}
    }

    pub(crate) fn row_count(&self) -> u64 {
        match self.0 {}
    }

    pub(crate) fn next(&mut self, _: usize, _: &mut [String]) -> NextRow {
        match self.0 {}
    }
}

/// Reason why rows are not written.
pub(crate) struct FilterError;

impl FilterError {
    pub(crate) fn with_paths(self, input: PathBuf, _: &Path) -> Error {
        Error::Unreadable { path: input, cause: io::Error::new(io::ErrorKind::Unsupported, NOT_BUILT) }
    }
}

pub(crate) fn write_rows(_: File, _: &[u64], _: Option<&[Annotation]>, _: impl io::Write) -> Result<u64, FilterError> {
    Err(FilterError)
}

/// Does nothing.
pub fn hide_caught_panics() {}

/// Number of row groups of a file, which is unknown.
pub(crate) fn row_groups(_: File) -> Result<usize, String> {
    Err(NOT_BUILT.to_owned())
}
