//! Object stores and web servers: reads addresses as local bytes, and uploads results atomically.
//!
//! ```text
//! find → RemoteFile → open → Download (and a local copy)          folder → upload, the seal last
//! ```
//!
//! All other code in this crate waits for its bytes on its own thread; asynchronous code stays inside `runtime`.
//! `https://` never means a bucket, whatever the host: a signed address must be sent unchanged.

mod access;
mod address;
mod cause;
mod client;
mod download;
mod find;
mod patience;
mod profile;
mod ranges;
mod runtime;
mod settings;
mod stream;
mod upload;
mod version;
mod waiting;
mod web;

use std::path::Path;

pub use access::Access;
pub use download::Download;
pub use find::RemoteFile;
pub use patience::Patience;
pub use ranges::Ahead;
pub use waiting::{Silence, on_silence};

pub(crate) use crate::address::place;
pub use crate::address::{is_url, shown_path};
use crate::error::Result;
pub use crate::problem::Problem;

/// Finds the files of `url`: one object; all below a prefix, sorted by name, except hidden ones; or those that match
/// `*`, `?`, `[…]` and `**` in the path. A web server has prefixes only if it supports `WebDAV`, and no patterns.
///
/// # Errors
///
/// If there are none, or the store returns an error.
pub fn find(url: &str) -> Result<Vec<RemoteFile>> {
    Access::of_environment().find(url)
}

/// Uploads every file below `folder` to `url/its/name`, and the one named `seal` last, as a sign that the upload is
/// complete. On failure, everything that was uploaded is removed again, as far as the store allows.
///
/// # Errors
///
/// If a file cannot be read, or the store returns an error.
pub fn upload(folder: &Path, url: &str, seal: &str) -> Result<()> {
    Access::of_environment().upload(folder, url, seal)
}

/// Uploads one file to `url`.
///
/// # Errors
///
/// If the file cannot be read, or the store returns an error.
pub fn upload_file(path: &Path, url: &str) -> Result<()> {
    Access::of_environment().upload_file(path, url)
}

/// True if there is nothing below `url`. For a web server without listing, only `url/seal` is checked.
///
/// # Errors
///
/// If the store returns an error.
pub fn is_empty(url: &str, seal: &str) -> Result<bool> {
    Access::of_environment().is_empty(url, seal)
}

/// The first bytes of an object, at most `most`; `None` if there is no such object.
///
/// # Errors
///
/// If the store returns an error.
pub fn read_small(url: &str, most: usize) -> Result<Option<Vec<u8>>> {
    Access::of_environment().read_small(url, most)
}

/// Removes the objects `url/name` and all below `url/name/`, for each of `names`. Missing objects are not an error.
///
/// # Errors
///
/// If the store returns an error.
pub fn remove_all(url: &str, names: &[&str]) -> Result<()> {
    Access::of_environment().remove_all(url, names)
}
