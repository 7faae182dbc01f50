//! One input file: the source of its bytes, and whether it has changed since it was found.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::held::HeldTable;
use crate::error::{Error, Result};
use crate::file_system::identity;
use crate::remote::{Ahead, RemoteFile};

/// Source of a file's bytes.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file at this path, which can be read again.
    Path(PathBuf),
    /// A pipe or a device at this path, which cannot.
    Pipe(PathBuf),
    /// Standard input.
    Stdin,
    /// An object in a store, or a page. It is copied while it is read, and can be read again from the copy.
    Remote(RemoteFile),
    /// A table in the caller's memory.
    Held(HeldTable),
}

/// One file of the input.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// The source of its bytes.
    pub origin: Origin,
    /// Its unique name in ids and in the output, with `/` as separator: the path below the folder that all inputs have
    /// in common, so that it does not depend on the current folder.
    pub name: String,
    /// Its size on disk; zero if unknown.
    pub bytes: u64,
    /// True if the user named it. A file found in a folder, by a pattern or in a list is skipped if it cannot be read.
    pub is_named: bool,
    /// True if it was found in a folder, by a pattern or in a list, and may not be data.
    pub is_met: bool,
    /// Its metadata when it was found, to detect changes. None if it was not available.
    facts: Option<Facts>,
    /// A copy of a pipe, if it had to be read completely.
    copy: Arc<OnceLock<File>>,
}

impl InputFile {
    pub(super) fn new(origin: Origin, name: String, is_named: bool, facts: Option<Facts>) -> Self {
        let bytes = match (&facts, &origin) {
            (Some(facts), _) => facts.bytes,
            (None, Origin::Remote(file)) => file.bytes,
            (None, Origin::Held(table)) => table.rows.byte_count(),
            (None, _) => 0,
        };
        Self { origin, name, bytes, is_named, is_met: !is_named, facts, copy: Arc::default() }
    }

    /// The path for messages, as the user wrote it.
    pub fn shown(&self) -> PathBuf {
        match &self.origin {
            Origin::Path(path) | Origin::Pipe(path) => path.clone(),
            Origin::Stdin => PathBuf::from("standard input"),
            Origin::Remote(file) => PathBuf::from(file.shown()),
            Origin::Held(table) => PathBuf::from(&table.name),
        }
    }

    /// Shares the read-ahead limit with other files, if the file is remote.
    pub fn share_ahead(&self, ahead: &Arc<Ahead>) {
        if let Origin::Remote(file) = &self.origin {
            file.share_ahead(ahead);
        }
    }

    /// Identifies this version of the file: its path, size and time.
    pub fn label(&self) -> String {
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let modified = self.facts.and_then(|facts| facts.modified).map_or(0, since);
        format!("input {} of {} bytes, written at {modified}", self.shown().display(), self.bytes)
    }

    /// Sets the copy from which the file is read from now on.
    pub(crate) fn set_copy(&self, copy: File) {
        // Set once, by the reader of the pipe.
        let _ = self.copy.set(copy);
    }

    /// Opens the file from its start, to be read again.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub(crate) fn open_again(&self) -> Result<File> {
        let unreadable = Error::unreadable(self.shown());
        match &self.origin {
            Origin::Path(path) => File::open(path).map_err(unreadable),
            Origin::Remote(file) => Ok(file.local().expect("what is read again was read before")),
            Origin::Held(_) => Err(unreadable(io::Error::other("a table in memory has no file"))),
            Origin::Pipe(_) | Origin::Stdin => {
                self.copy.get().expect("what cannot be read again is spooled").try_clone().map_err(unreadable)
            }
        }
    }

    /// Checks that the file has not changed since it was found.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if it has changed.
    pub fn check_unchanged(&self) -> Result<()> {
        let path = match &self.origin {
            Origin::Path(path) => path,
            Origin::Remote(file) => return file.check_unchanged(),
            Origin::Pipe(_) | Origin::Stdin | Origin::Held(_) => return Ok(()),
        };
        // Without metadata, the file was skipped, so nothing was read from it.
        let Some(facts) = self.facts else { return Ok(()) };
        let is_same = fs::metadata(path).is_ok_and(|now| Facts::of(&now) == facts);
        if is_same { Ok(()) } else { Err(Error::Changed { path: path.clone() }) }
    }

    /// Copies the file byte for byte. Returns false, and writes nothing, if it cannot be read a second time.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or the output cannot be written; `path` is named then.
    pub fn copy_to(&self, path: &Path, writer: &mut impl Write) -> Result<bool> {
        let Origin::Path(input) = &self.origin else { return Ok(false) };
        let mut file = File::open(input).map_err(Error::unreadable(input))?;
        let copied = io::copy(&mut file, writer).map_err(Error::unwritable(path))?;
        if copied == self.bytes { Ok(true) } else { Err(Error::Changed { path: input.clone() }) }
    }

    /// Reason why it is skipped if it cannot be read.
    pub(crate) fn why_skipped(&self, cause: &io::Error) -> String {
        match fs::read_link(self.shown()) {
            Ok(target) if cause.kind() == io::ErrorKind::NotFound => {
                format!("a link to {}, which does not exist", target.display())
            }
            _ => format!("cannot be read: {cause}"),
        }
    }
}

/// The metadata kept for a file: there may be millions of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    bytes: u64,
    modified: Option<SystemTime>,
    pub(super) identity: Option<(u64, u64)>,
}

impl Facts {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), identity: identity(metadata) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::discover::discover;

    #[test]
    fn a_change_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "one").unwrap();
        let found = discover(std::slice::from_ref(&path), None).unwrap().files.remove(0);
        found.check_unchanged().unwrap();
        let later = found.facts.unwrap().modified.unwrap() + std::time::Duration::from_secs(2);
        fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(matches!(found.check_unchanged(), Err(Error::Changed { .. })));
    }
}
