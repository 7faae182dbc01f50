//! Complete or absent: output is written aside, and moved into place at the end.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::{NamedTempFile, TempDir};

use crate::error::{Error, Result};

/// What is being made at the moment, so that a signal can clean it up.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all output that is not complete. For a process that is about to end, and does not come back to its work.
pub fn abandon_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for path in unfinished.iter() {
        // What is gone already needs no removing.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

fn note_unfinished(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(path.to_owned());
}

/// A folder that is being made.
#[derive(Debug)]
pub struct Staging {
    target: PathBuf,
    folder: TempDir,
}

impl Staging {
    /// A folder aside of `target`.
    ///
    /// # Errors
    ///
    /// When `target` holds something and `force` is not given, or nothing can be written there.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        let holds_something = match fs::read_dir(target) {
            Ok(mut entries) => entries.next().is_some(),
            // A file is something too, and --force is no leave to turn it into a folder.
            Err(_) if target.exists() => return Err(Error::OutputExists { path: target.to_owned() }),
            Err(_) => false,
        };
        if holds_something && !force {
            return Err(Error::OutputExists { path: target.to_owned() });
        }
        let parent = parent(target);
        fs::create_dir_all(parent).map_err(Error::unwritable(parent))?;
        let folder =
            tempfile::Builder::new().prefix(".lookalike-").tempdir_in(parent).map_err(Error::unwritable(target))?;
        note_unfinished(folder.path());
        Ok(Self { target: target.to_owned(), folder })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file of this name to write to. Folders in the name are made.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn file(&self, name: &str) -> Result<BufWriter<File>> {
        let path = self.path().join(name);
        let folder = parent(&path);
        fs::create_dir_all(folder).map_err(Error::unwritable(folder))?;
        Ok(BufWriter::with_capacity(1 << 20, File::create(&path).map_err(Error::unwritable(&path))?))
    }

    /// Moves everything into place. Of what is there already, only `owned` entries go: those that an earlier run made.
    ///
    /// # Errors
    ///
    /// When something cannot be moved.
    pub fn commit(self, owned: &[&str]) -> Result<()> {
        let unwritable = || Error::unwritable(&self.target);
        make_readable(self.path()).map_err(unwritable())?;
        if fs::read_dir(&self.target).is_ok_and(|mut entries| entries.next().is_some()) {
            let old = tempfile::tempdir_in(parent(&self.target)).map_err(unwritable())?;
            for name in owned.iter().filter(|name| self.target.join(name).exists()) {
                fs::rename(self.target.join(name), old.path().join(name)).map_err(unwritable())?;
            }
            for entry in fs::read_dir(self.path()).map_err(unwritable())? {
                let entry = entry.map_err(unwritable())?;
                fs::rename(entry.path(), self.target.join(entry.file_name())).map_err(unwritable())?;
            }
            return Ok(());
        }
        // An empty folder is in the way on some systems.
        if self.target.exists() {
            fs::remove_dir(&self.target).map_err(unwritable())?;
        }
        fs::rename(self.folder.keep(), &self.target).map_err(Error::unwritable(&self.target))
    }
}

/// Temporary folders are private; an output is like any other folder.
#[cfg(unix)]
fn make_readable(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_readable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A single file that is being made.
#[derive(Debug)]
pub struct OutputFile {
    target: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl OutputFile {
    /// A file aside of `target`.
    ///
    /// # Errors
    ///
    /// When `target` exists and `force` is not given, or nothing can be written there.
    pub fn new(target: &Path, force: bool) -> Result<Self> {
        if target.exists() && !force || target.is_dir() {
            return Err(Error::OutputExists { path: target.to_owned() });
        }
        let parent = parent(target);
        fs::create_dir_all(parent).map_err(Error::unwritable(parent))?;
        let file = NamedTempFile::new_in(parent).map_err(Error::unwritable(target))?;
        note_unfinished(file.path());
        Ok(Self { target: target.to_owned(), writer: BufWriter::with_capacity(1 << 20, file) })
    }

    /// Where to write.
    pub fn writer(&mut self) -> &mut impl Write {
        &mut self.writer
    }

    /// Moves the file into place.
    ///
    /// # Errors
    ///
    /// When it cannot be finished or moved.
    pub fn commit(self) -> Result<()> {
        let target = self.target;
        let file = self.writer.into_inner().map_err(|error| Error::unwritable(&target)(error.into_error()))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644)).map_err(Error::unwritable(&target))?;
        }
        file.persist(&target).map_err(|error| Error::unwritable(&target)(error.error))?;
        Ok(())
    }
}

/// The folder that a path lies in; the present one where the path names none.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_seen_until_all_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a/out");
        let staging = Staging::new(&out, false).unwrap();
        staging.file("kept/x.txt").unwrap().write_all(b"x").unwrap();
        assert!(!out.exists());
        staging.commit(&[]).unwrap();
        assert_eq!(names(&folder.path().join("a")), ["out"]);
        assert_eq!(fs::read(out.join("kept/x.txt")).unwrap(), b"x");
    }

    #[test]
    fn what_was_given_up_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        drop(Staging::new(&folder.path().join("out"), false).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn force_replaces_what_an_earlier_run_made_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        for file in ["kept/old.txt", "removed.jsonl", "mine.txt"] {
            fs::create_dir_all(out.join(file).parent().unwrap()).unwrap();
            fs::write(out.join(file), "old").unwrap();
        }
        assert!(matches!(Staging::new(&out, false), Err(Error::OutputExists { .. })));
        let staging = Staging::new(&out, true).unwrap();
        staging.file("removed.jsonl").unwrap().write_all(b"new").unwrap();
        staging.commit(&["kept", "removed.jsonl"]).unwrap();
        assert_eq!(names(&out), ["mine.txt", "removed.jsonl"]);
        assert_eq!(fs::read(out.join("removed.jsonl")).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["out"]);
    }
}
