//! An index: a folder, opened.

use std::path::Path;

use lookalike_core::scheme::Scheme;

use crate::error::Result;
use crate::snapshot::Snapshot;
use crate::types::CreateOptions;
use crate::writer::Writer;

/// A folder with documents that can be searched. Cheap to clone, and shared among threads.
#[derive(Clone, Debug)]
pub struct Index {
    scheme: std::sync::Arc<Scheme>,
}

impl Index {
    /// Makes an index in a folder that is new or empty.
    ///
    /// # Errors
    ///
    /// When the folder has other files, the method of the scheme cannot be searched by, or the disk refuses.
    pub fn create(_dir: &Path, _options: &CreateOptions) -> Result<Self> {
        todo!()
    }

    /// Opens an index to read it, and to write to it by a [`Writer`].
    ///
    /// # Errors
    ///
    /// When there is none, it was made by a newer version, or it is damaged.
    pub fn open(_dir: &Path) -> Result<Self> {
        todo!()
    }

    /// When documents are alike, and how they are found.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The newest state, also of what other processes wrote. It stays as it is, and is cheap.
    ///
    /// # Errors
    ///
    /// When what was written cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot> {
        todo!()
    }

    /// The one writer of the index.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`](crate::Error::Locked) when there is another, in this process or in another.
    pub fn writer(&self) -> Result<Writer> {
        todo!()
    }
}
