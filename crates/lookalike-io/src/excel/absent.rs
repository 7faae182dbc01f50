//! Replaces workbook support in a build without it: files are rejected by name.

use std::fs::File;

use crate::format::unpacked_extension;

pub(crate) fn is_workbook(name: &str, start: &[u8]) -> bool {
    matches!(unpacked_extension(name).as_deref(), Some("xlsx" | "xlsm")) && start.starts_with(b"PK\x03\x04")
}

pub(crate) struct Sheet {
    pub(crate) csv: File,
    pub(crate) others: Vec<String>,
}

pub(crate) fn to_csv(_: &File) -> Result<Sheet, String> {
    Err("this build of lookalike reads no Excel: build it with the feature `excel`".to_owned())
}
