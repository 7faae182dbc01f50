//! stub
use crate::read::Fields;
use crate::write::Annotation;
use lookalike_core::keep::FieldValue;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
#[derive(Debug)]
pub(crate) struct Rows;
#[derive(Debug)]
pub(crate) struct Row {
    pub text: Result<Range<usize>, String>,
    pub id: Option<Range<usize>>,
    pub source: Option<Range<usize>>,
    pub value: FieldValue,
}
pub(crate) struct Lost {
    pub rows: u64,
    pub reason: String,
}
impl Rows {
    pub(crate) fn open(_: File, _: &Fields) -> Result<Self, String> {
        Err(String::new())
    }
    pub(crate) fn row_count(&self) -> u64 {
        0
    }
    pub(crate) fn next(&mut self, _: usize, _: usize, _: &mut Vec<u8>, _: &mut Vec<Row>) -> Result<bool, Lost> {
        Err(Lost { rows: 0, reason: String::new() })
    }
}
pub(crate) struct FilterError;
impl FilterError {
    pub(crate) fn with_paths(self, _: PathBuf, _: &Path) -> crate::Error {
        todo!()
    }
}
pub(crate) fn write_rows(
    _: File,
    _: &[u64],
    _: Option<&[Annotation]>,
    _: impl Write + Send,
) -> Result<(), FilterError> {
    Err(FilterError)
}
