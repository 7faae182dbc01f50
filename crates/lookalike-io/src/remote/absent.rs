//! What stands for object stores and web servers in a build without them: every address is refused by its name.

mod problem;
mod shown;

use std::convert::Infallible;
use std::fs::File;
use std::path::Path;

pub use problem::Problem;
pub(crate) use shown::place;
pub use shown::{is_url, shown_path};

use crate::error::{Error, Result};

/// One object to read, of which there is none.
#[derive(Clone, Debug)]
pub struct RemoteFile {
    /// Its address.
    pub url: String,
    /// Its size.
    pub bytes: u64,
    never: Infallible,
}

impl RemoteFile {
    pub(crate) fn shown(&self) -> String {
        match self.never {}
    }

    pub(crate) fn open(&self) -> Result<File> {
        match self.never {}
    }

    pub(crate) fn local(&self) -> Option<File> {
        match self.never {}
    }

    pub(crate) fn check_unchanged(&self) -> Result<()> {
        match self.never {}
    }
}

fn refused<T>(url: &str) -> Result<T> {
    Err(Error::Remote { url: shown::shown(url), problem: Problem::NotBuilt })
}

/// Refuses.
///
/// # Errors
///
/// Always: [`Problem::NotBuilt`].
pub fn find(url: &str) -> Result<Vec<RemoteFile>> {
    refused(url)
}

/// Nothing is read ahead.
pub fn bound_ahead(_: u64) {}

pub(crate) fn upload(_: &Path, url: &str, _: &str) -> Result<()> {
    refused(url)
}

pub(crate) fn upload_file(_: &Path, url: &str) -> Result<()> {
    refused(url)
}

pub(crate) fn is_empty(url: &str, _: &str) -> Result<bool> {
    refused(url)
}

pub(crate) fn read_small(url: &str, _: usize) -> Result<Option<Vec<u8>>> {
    refused(url)
}

pub(crate) fn remove_all(url: &str, _: &[&str]) -> Result<()> {
    refused(url)
}
