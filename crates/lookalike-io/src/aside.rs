//! The staging folder of an output, beside the output or inside it.
//!
//! Its name is derived from the output's, so a run finds another one that writes to the same output, and the leftovers
//! of a killed one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::file_system::parent;
use crate::lock::{LOCK, lock_folder};
use crate::unfinished::Unfinished;

/// Prefix of the names of staging folders and files.
pub(crate) const STAGING_PREFIX: &str = ".lookalike-";

/// The new output.
const NEW: &str = "new";

/// The replaced output. It is created when the first entry is about to move, so it distinguishes an interrupted commit
/// from an incomplete run.
const OLD: &str = "old";

/// Maximum length of a name on most file systems in bytes, leaving room for the prefix.
const LONGEST_NAME: usize = 200;

/// A staging folder, locked by this run.
#[derive(Debug)]
pub(crate) struct Aside {
    path: PathBuf,
    /// The list of unfinished output, once this run has written something: the folder is then removed with the run.
    begun: Option<Unfinished>,
    _lock: File,
}

impl Aside {
    /// The staging folder inside an existing output folder, so that nothing else needs to be writable.
    pub(crate) fn inside(target: &Path) -> PathBuf {
        target.join(format!("{STAGING_PREFIX}output"))
    }

    /// Locks the existing folder `path`, in which `target` is being written.
    ///
    /// # Errors
    ///
    /// If another run holds it, it contains something else, or nothing can be written there.
    pub(crate) fn take(path: &Path, target: &Path) -> Result<Self> {
        loop {
            check_ours(path)?;
            match fs::create_dir(path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(Error::unwritable(path)(error));
                }
                _ => {}
            }
            match lock_folder(path) {
                Ok(Some(lock)) => return Ok(Self { path: path.to_owned(), begun: None, _lock: lock }),
                Ok(None) => return Err(Error::OutputInUse { path: target.to_owned() }),
                // Another run has just ended, and has removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::unwritable(path)(error)),
            }
        }
    }

    /// The folder, if an earlier run has left it.
    ///
    /// # Errors
    ///
    /// As [`Aside::take`].
    pub(crate) fn left(path: &Path, target: &Path) -> Result<Option<Self>> {
        if path.symlink_metadata().is_ok() { Self::take(path, target).map(Some) } else { Ok(None) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn new_entries(&self) -> PathBuf {
        self.path.join(NEW)
    }

    pub(crate) fn old_entries(&self) -> PathBuf {
        self.path.join(OLD)
    }

    /// True if an earlier run was about to move entries.
    pub(crate) fn was_moving(&self) -> bool {
        self.old_entries().exists()
    }

    /// Prepares for a new output, and removes what an earlier run has left.
    pub(crate) fn begin(&mut self, unfinished: &Unfinished) -> Result<()> {
        let new = self.new_entries();
        let made = self.empty(&Faults::default()).and_then(|()| fs::create_dir(&new));
        unfinished.note(&self.path);
        self.begun = Some(unfinished.clone());
        made.map_err(Error::unwritable(&self.path))
    }

    /// Removes its contents, except the lock.
    fn empty(&self, faults: &Faults) -> io::Result<()> {
        for folder in [self.new_entries(), self.old_entries()] {
            faults.check_commit()?;
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes it: the lock last, so that leftovers can always be identified.
    pub(crate) fn remove(mut self, faults: &Faults) -> io::Result<()> {
        if let Some(unfinished) = self.begun.take() {
            unfinished.forget(&self.path);
        }
        self.remove_all(faults)
    }

    fn remove_all(&self, faults: &Faults) -> io::Result<()> {
        self.empty(faults)?;
        faults.check_commit()?;
        fs::remove_file(self.path.join(LOCK))?;
        faults.check_commit()?;
        fs::remove_dir(&self.path)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if let Some(unfinished) = self.begun.take() {
            unfinished.forget(&self.path);
            // The next run finds what cannot be removed.
            let _ = self.remove_all(&Faults::default());
        }
    }
}

/// The staging folder for an output that does not exist yet.
pub(crate) fn beside(target: &Path) -> Option<PathBuf> {
    let name = target.file_name()?;
    let mut own = OsString::from(STAGING_PREFIX);
    if name.len() <= LONGEST_NAME {
        own.push(name);
    } else {
        own.push(format!("{:032x}", lookalike_core::hash::bytes_hash(name.as_encoded_bytes())));
    }
    Some(parent(target).join(own))
}

/// Removes the staging folder of a killed run, unless another run uses it now, or its output is incomplete: then only a
/// run that writes that output again can repair it.
pub(crate) fn remove_left(path: &Path) {
    let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(STAGING_PREFIX));
    if !is_ours || path.join(OLD).exists() {
        return;
    }
    // A folder that is gone, or cannot be removed, does no harm.
    if !path.join(LOCK).exists() {
        let _ = fs::remove_dir_all(path);
    } else if let Ok(Some(lock)) = lock_folder(path) {
        let _ = Aside { path: path.to_owned(), begun: None, _lock: lock }.remove(&Faults::default());
    }
}

/// Checks that a folder does not exist, or was left by a run.
fn check_ours(path: &Path) -> Result<()> {
    let not_ours = || Error::NotOurs { path: path.to_owned() };
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(|_| not_ours())?;
    let names: Vec<OsString> = entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    let is_known = |name: &OsString| [NEW, OLD, LOCK].iter().any(|known| name == known);
    let is_ours = names.is_empty() || names.iter().all(is_known) && names.iter().any(|name| name == LOCK);
    if is_ours { Ok(()) } else { Err(not_ours()) }
}
