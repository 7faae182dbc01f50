//! Replaces object stores and web servers in a build without them: every address is rejected.

use std::convert::Infallible;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub(crate) use crate::address::place;
use crate::address::shown;
pub use crate::address::{is_url, shown_path};
use crate::error::{Error, Result};
pub use crate::problem::Problem;

/// Read-ahead: none.
#[derive(Debug)]
pub struct Ahead;

impl Ahead {
    /// None.
    pub fn of(_: u64) -> Self {
        Self
    }
}

/// A remote object, of which there are none.
#[derive(Clone, Debug)]
pub struct RemoteFile {
    /// Its address.
    pub url: String,
    /// Its size.
    pub bytes: u64,
    never: Infallible,
}

impl RemoteFile {
    /// There is no read-ahead.
    pub fn share_ahead(&self, _: &Arc<Ahead>) {
        match self.never {}
    }

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
    Err(Error::Remote { url: shown(url), problem: Problem::NotBuilt })
}

/// Returns an error.
///
/// # Errors
///
/// Always: [`Problem::NotBuilt`].
pub fn find(url: &str) -> Result<Vec<RemoteFile>> {
    refused(url)
}

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
