//! The folder that an output is made in, beside the output or inside of it.
//!
//! Its name follows from the output's. So a run finds another one that writes there, and what a killed one has left.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::file_system::parent;
use crate::lock::{LOCK, lock_folder};
use crate::unfinished::Unfinished;

/// How the name of a folder or file starts that is being made.
pub(crate) const STAGING_PREFIX: &str = ".lookalike-";

/// The new output.
const NEW: &str = "new";

/// What the new output replaces. It is made when the first entry is about to move, so it tells a commit that was
/// cut short from a run that did not come to its end.
const OLD: &str = "old";

/// How long a name may be on most file systems, in bytes, with some room for the prefix.
const LONGEST_NAME: usize = 200;

/// The folder, held by this run alone.
#[derive(Debug)]
pub(crate) struct Aside {
    path: PathBuf,
    /// Where it is noted, once this run has put something in it: then it goes when the run does.
    begun: Option<Unfinished>,
    _lock: File,
}

impl Aside {
    /// Where it lies for an output folder that is there, so that nothing else need be writable.
    pub(crate) fn inside(target: &Path) -> PathBuf {
        target.join(format!("{STAGING_PREFIX}output"))
    }

    /// Takes the folder `path`, in which `target` is made, as it is.
    ///
    /// # Errors
    ///
    /// When another run holds it, it holds something else, or nothing can be written there.
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
                // Another run has just ended, and has taken it away.
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

    /// Whether an earlier run was about to move entries.
    pub(crate) fn was_moving(&self) -> bool {
        self.old_entries().exists()
    }

    /// Makes room for a new output, without what an earlier run has left.
    pub(crate) fn begin(&mut self, unfinished: &Unfinished) -> Result<()> {
        let new = self.new_entries();
        let made = self.empty(&Faults::default()).and_then(|()| fs::create_dir(&new));
        unfinished.note(&self.path);
        self.begun = Some(unfinished.clone());
        made.map_err(Error::unwritable(&self.path))
    }

    /// Removes what is in it. The lock stays.
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

    /// Removes it: the lock last, so that what is left always shows whose it is.
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
            // What cannot be removed is found by the next run.
            let _ = self.remove_all(&Faults::default());
        }
    }
}

/// Where the folder for an output lies that is not there yet.
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

/// Removes a folder that a killed run was making output in, unless another run uses it now, or the output that it belongs to
/// is in parts: then only who makes that output again can tell what is what.
pub(crate) fn remove_left(path: &Path) {
    let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(STAGING_PREFIX));
    if !is_ours || path.join(OLD).exists() {
        return;
    }
    // What is gone already, or cannot be removed, is in nobody's way.
    if !path.join(LOCK).exists() {
        let _ = fs::remove_dir_all(path);
    } else if let Ok(Some(lock)) = lock_folder(path) {
        let _ = Aside { path: path.to_owned(), begun: None, _lock: lock }.remove(&Faults::default());
    }
}

/// Makes sure that a folder is not there, or is one that a run has left.
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
