//! An open index folder.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use lookalike_core::hash::Key;
use lookalike_core::scheme::{Scheme, SketchKey};

use crate::checksummed;
use crate::disk::{Disk, FileSystem};
use crate::error::{At, Error, Result};
use crate::files;
use crate::kernel::Kernel;
use crate::log::{LOG_HEADER, LogFile};
use crate::manifest::{Folder, LAYOUT_VERSION, LogInfo, Manifest, Meta, Tail};
use crate::shared::Shared;
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::types::CreateOptions;
use crate::writer::Writer;

/// A folder of searchable documents. Cheap to clone, and shared among threads.
///
/// ```
/// use lookalike_index::{CreateOptions, Index, NewDocument, Query, SearchOptions};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path().join("news");
/// let index = Index::create(&folder, &CreateOptions::default())?;
/// let writer = index.writer()?;
/// writer.put(NewDocument::new("monday", "the storm hit the coast on Monday night and left a trail of damage"))?;
/// drop(writer);
///
/// let index = Index::open(&folder)?;
/// let text = "The storm hit the coast on Monday night, and left a trail of damage!";
/// let answer = index.snapshot()?.search(Query::Text(text), &SearchOptions::default())?;
/// assert_eq!((&*answer.hits[0].id, answer.hits[0].similarity), ("monday", 1.0));
/// # Ok::<(), lookalike_index::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Index {
    pub(crate) shared: Arc<Shared>,
}

impl Index {
    /// Creates an index in a folder that is new or empty.
    ///
    /// # Errors
    ///
    /// If the folder has other files, the method of the scheme is not supported, or the disk returns an error.
    pub fn create(dir: &Path, options: &CreateOptions) -> Result<Self> {
        Self::create_on(Arc::new(FileSystem), dir, options)
    }

    /// Creates an index on any disk.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    #[doc(hidden)]
    pub fn create_on(disk: Arc<dyn Disk>, dir: &Path, options: &CreateOptions) -> Result<Self> {
        let folder = Folder::new(dir);
        let scheme = match options.scheme.key() {
            // Drawn once and stored: the sketches of all documents must use one key.
            SketchKey::Random => options.scheme.clone().with_key(SketchKey::Given(Key::random())),
            SketchKey::Fixed | SketchKey::Given(_) => options.scheme.clone(),
        };
        let meta = Meta::new(scheme.clone(), options.store);
        let kernel = Kernel::new(scheme, options.store, meta.key())?;
        let _lock = files::begin(&*disk, &folder)?;
        LogFile::create(&*disk, &folder.log(1), 1, kernel.fingerprint)?;
        let manifest = Manifest {
            version: LAYOUT_VERSION,
            number: 1,
            epoch: 0,
            fingerprint: meta.fingerprint.clone(),
            segments: Vec::new(),
            logs: vec![LogInfo { number: 1, ..LogInfo::default() }],
            log: Tail { number: 1, offset: LOG_HEADER, durable: LOG_HEADER, commit: 1 },
            next_file: 2,
            next_sequence: 1,
        };
        manifest.write(&*disk, &folder)?;
        // Written last: it makes the folder an index.
        checksummed::write(&*disk, &folder.meta(), checksummed::with_checksum(&meta).as_bytes())?;
        if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            disk.sync_dir(parent).at(parent)?;
        }
        Self::open_on(disk, dir)
    }

    /// Opens an index for reading, and for writing through a [`Writer`].
    ///
    /// # Errors
    ///
    /// If there is none, it was created by a newer version, or it is damaged.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::open_on(Arc::new(FileSystem), dir)
    }

    /// Opens an index on any disk.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    #[doc(hidden)]
    pub fn open_on(disk: Arc<dyn Disk>, dir: &Path) -> Result<Self> {
        let folder = Folder::new(dir);
        let meta = Meta::read(&*disk, &folder)?;
        let key = meta.key();
        let kernel = Arc::new(Kernel::new(meta.scheme, meta.store, key)?);
        if format!("{:016x}", kernel.fingerprint) != meta.fingerprint {
            return Err(Error::damaged(&folder.meta(), "index.json", 0, "the scheme has another fingerprint"));
        }
        let (state, _) = State::load(&*disk, &folder, &kernel, None)?;
        let shared = Shared::new(disk, folder, kernel, state);
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The scheme: when documents are near-duplicates, and how they are found.
    pub fn scheme(&self) -> &Scheme {
        &self.shared.kernel.scheme
    }

    /// Approximate bytes of memory needed to search for a text, or to store it.
    pub fn working_bytes(&self, text: &str) -> u64 {
        self.shared.kernel.working_bytes(text)
    }

    /// Returns the newest state, including what other processes wrote. It does not change afterwards, and is cheap to
    /// create.
    ///
    /// # Errors
    ///
    /// If the files cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot> {
        if !self.shared.has_writer.load(SeqCst) {
            self.shared.refresh()?;
        }
        Ok(Snapshot::new(&self.shared, self.shared.state()))
    }

    /// Opens the only writer of the index.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] if there is another one, in this process or in another.
    pub fn writer(&self) -> Result<Writer> {
        Writer::open(Arc::clone(&self.shared), None)
    }

    /// Opens the only writer of the index for a service: other writers are told this address.
    ///
    /// # Errors
    ///
    /// As [`writer`](Self::writer).
    pub fn writer_of_service(&self, address: &str) -> Result<Writer> {
        Writer::open(Arc::clone(&self.shared), Some(address))
    }
}
