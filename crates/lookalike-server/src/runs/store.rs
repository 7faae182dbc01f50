//! Results by name: those passed at startup, and those created from uploads.
//!
//! A result created here has its own folder, so that deleting it deletes everything:
//!
//! ```text
//! ROOT/NAME/lookalike-job.json   the options that were asked for
//! ROOT/NAME/input/               what was sent
//! ROOT/NAME/output/              what `dedup` wrote; it is there when the run is complete
//! ```
//!
//! A folder with a job but without output is left over from a crash, and is removed at the next start.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use lookalike::{DedupRequest, ReadOptions, Refused};
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::names::{is_name, shown};
use crate::problem::{Kind, Problem, without_folder};

const JOB: &str = "lookalike-job.json";
const INPUT: &str = "input";
const OUTPUT: &str = "output";

/// Prefix of uploads in progress; hidden, so that they are never mistaken for results.
const UPLOAD: &str = ".upload-";

/// Prefix of folders being deleted.
const GONE: &str = ".deleted-";

/// Lock of the one server that creates results in a folder.
const LOCK: &str = ".lookalike-lock";

/// Results by name, and the folder for new ones.
#[derive(Debug, Default)]
pub(crate) struct ResultStore {
    results: RwLock<BTreeMap<String, StoredResult>>,
    root: Option<Root>,
}

/// The folder for new results.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    /// True if it is deleted when the server ends.
    is_temporary: bool,
    most_bytes: u64,
    _lock: File,
}

/// The folder of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredResult {
    /// The output of `dedup` or `link`.
    pub(crate) folder: PathBuf,
    /// True if it was created here, and can be deleted.
    pub(crate) is_own: bool,
}

/// A result about to be created.
#[derive(Clone, Debug)]
pub(crate) struct NewResult {
    pub(crate) name: String,
    folder: PathBuf,
}

impl ResultStore {
    /// The results passed at startup.
    pub(crate) fn given(folders: BTreeMap<String, PathBuf>) -> Self {
        let stored = |(name, folder)| (name, StoredResult { folder, is_own: false });
        Self { results: RwLock::new(folders.into_iter().map(stored).collect()), root: None }
    }

    /// Uses a folder for new results, and serves existing ones. Leftovers of a crash are removed.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, or another server creates results there.
    pub(crate) fn open_root(&mut self, path: &Path, is_temporary: bool, most_bytes: u64) -> io::Result<()> {
        let lock = File::options().create(true).append(true).open(path.join(LOCK))?;
        // Not every file system supports locks; there, preventing two servers in one folder is up to the user.
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "another server makes results there"));
        }
        for entry in fs::read_dir(path)? {
            let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            let name = name.to_string_lossy().into_owned();
            let is_unfinished = entry.join(JOB).exists() && !entry.join(OUTPUT).join("summary.json").exists();
            if name.starts_with(UPLOAD) || name.starts_with(GONE) || is_unfinished {
                fs::remove_dir_all(&entry)?;
            }
        }
        self.read_root(path)?;
        self.root = Some(Root { path: path.to_owned(), is_temporary, most_bytes, _lock: lock });
        Ok(())
    }

    /// Serves the results in a folder.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub(crate) fn read_root(&self, path: &Path) -> io::Result<()> {
        for entry in fs::read_dir(path)? {
            let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            let name = name.to_string_lossy().into_owned();
            let is_own = entry.join(JOB).exists();
            let folder = if is_own { entry.join(OUTPUT) } else { entry };
            if is_name(&name) && folder.join("summary.json").exists() {
                // A result passed at startup takes precedence.
                self.write().entry(name).or_insert(StoredResult { folder, is_own });
            }
        }
        Ok(())
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<String, StoredResult>> {
        self.results.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// All results by name.
    pub(crate) fn all(&self) -> BTreeMap<String, StoredResult> {
        self.results.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The result with this name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(crate) fn get(&self, name: &str) -> Result<StoredResult, Problem> {
        let found = self.results.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        found.ok_or_else(|| Problem::new(Kind::NoSuchResult, format!("there is no result '{}'", shown(name))))
    }

    /// None if results cannot be created; otherwise, true if they are deleted when the server ends.
    pub(crate) fn makes(&self) -> Option<bool> {
        self.root.as_ref().map(|root| root.is_temporary)
    }

    /// A folder for an upload, and its maximum size.
    ///
    /// # Errors
    ///
    /// If results cannot be created, or existing ones use all the space.
    pub(crate) fn room(&self) -> Result<(TempDir, u64), Problem> {
        let root = self.root()?;
        let used = size_of(&root.path).map_err(|error| refused(&error))?;
        let Some(left) = root.most_bytes.checked_sub(used).filter(|left| *left > 0) else {
            let detail = "the results of this server take all the room that they have: delete one of them";
            return Err(Problem::new(Kind::DiskFull, detail));
        };
        let folder = tempfile::Builder::new().prefix(UPLOAD).tempdir_in(&root.path);
        Ok((folder.map_err(|error| refused(&error))?, left))
    }

    fn root(&self) -> Result<&Root, Problem> {
        let none = || Problem::new(Kind::ReadOnly, "this server was started to read only, and makes no results");
        self.root.as_ref().ok_or_else(none)
    }

    /// Uses an upload as the input of a new result. If the name is taken, appends a number, unless the name is
    /// required.
    ///
    /// # Errors
    ///
    /// If the name is taken or invalid, an option is invalid, or the disk returns an error.
    pub(crate) fn begin(
        &self,
        name: &str,
        must_be: bool,
        sent: TempDir,
        options: &Map<String, Value>,
    ) -> Result<NewResult, Problem> {
        let root = self.root()?;
        if !is_name(name) {
            let detail = "a name has up to 64 letters, digits, dots, hyphens and underscores, and no dot first";
            return Err(Problem::new(Kind::NotPossible, detail));
        }
        // Report invalid options before anything is created.
        request(&root.path.join(name), options)?.check()?;
        let taken = self.all();
        let numbered = (2..).map(|number| format!("{name:.58}-{number}"));
        for name in std::iter::once(name.to_owned()).chain(numbered) {
            let folder = root.path.join(&name);
            let made = if taken.contains_key(&name) {
                Err(io::Error::from(io::ErrorKind::AlreadyExists))
            } else {
                fs::create_dir(&folder)
            };
            match made {
                Ok(()) => {
                    let write = || {
                        fs::write(folder.join(JOB), Value::Object(options.clone()).to_string())?;
                        fs::rename(sent.path(), folder.join(INPUT))
                    };
                    write().map_err(|error| refused(&error))?;
                    // It has been renamed, and must not be deleted.
                    let _ = sent.keep();
                    return Ok(NewResult { name, folder });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !must_be => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let detail = format!("there is a result '{name}': choose another name, or delete it");
                    return Err(Problem::new(Kind::OtherParameters, detail));
                }
                Err(error) => return Err(refused(&error)),
            }
        }
        unreachable!("there is a name for every number")
    }

    /// Serves a newly created result.
    pub(crate) fn add(&self, made: &NewResult) {
        let stored = StoredResult { folder: made.folder.join(OUTPUT), is_own: true };
        self.write().insert(made.name.clone(), stored);
    }

    /// Deletes a result that was created here, with its upload.
    ///
    /// # Errors
    ///
    /// If there is none, it was not created here, or the disk returns an error.
    pub(crate) fn delete(&self, name: &str) -> Result<(), Problem> {
        let stored = self.get(name)?;
        if !stored.is_own {
            let detail = format!("the result '{name}' was not made by this server, and is not deleted by it");
            return Err(Problem::new(Kind::Impossible, detail));
        }
        let root = self.root()?;
        self.write().remove(name);
        // A folder with this name is removed at the next start, if it cannot be removed now.
        let gone = root.path.join(format!("{GONE}{name}"));
        fs::rename(root.path.join(name), &gone).and_then(|()| fs::remove_dir_all(gone)).map_err(|error| refused(&error))
    }
}

impl NewResult {
    /// The request for the job over this upload.
    ///
    /// # Errors
    ///
    /// If an option is invalid.
    pub(crate) fn request(&self, options: &Map<String, Value>) -> Result<DedupRequest, Refused> {
        request(&self.folder, options)
    }

    /// Removes the path of the input from a message.
    pub(crate) fn without_folder(&self, message: &str) -> String {
        without_folder(message, &self.folder.join(INPUT))
    }

    /// Removes everything after a failure.
    pub(crate) fn abandon(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// True if a folder may be used for results: it is empty, contains results, or was used before. A folder named by
/// mistake is rejected.
pub(crate) fn is_root(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let names: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let is_result =
        |path: &PathBuf| path.join("summary.json").exists() || path.join(JOB).exists() || path.ends_with(LOCK);
    names.is_empty() || names.iter().any(is_result)
}

/// The input of the run with this output folder, if it was created here.
pub(crate) fn input_of(output: &Path) -> Option<(ReadOptions, Vec<PathBuf>)> {
    let folder = output.parent()?;
    let options = serde_json::from_slice(&fs::read(folder.join(JOB)).ok()?).ok()?;
    let options = request(folder, &options).ok()?.check().ok()?;
    Some((options.read().clone(), Vec::new()))
}

/// A run in the folder of a result. A single file is read whatever its name is; of several, only document files are.
fn request(folder: &Path, options: &Map<String, Value>) -> Result<DedupRequest, Refused> {
    let mut request = DedupRequest::from_options(options.clone())?;
    let input = folder.join(INPUT);
    let inside: Vec<PathBuf> =
        fs::read_dir(&input).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    request.read.inputs = match &inside[..] {
        [only] => vec![only.clone()],
        _ => vec![input],
    };
    request.output = Some(folder.join(OUTPUT));
    Ok(request)
}

fn size_of(path: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        bytes += match entry.file_type()? {
            kind if kind.is_dir() => size_of(&entry.path())?,
            // Folders deleted meanwhile use no space.
            _ => entry.metadata().map_or(0, |facts| facts.len()),
        };
    }
    Ok(bytes)
}

fn refused(error: &io::Error) -> Problem {
    let kind = if error.kind() == io::ErrorKind::StorageFull { Kind::DiskFull } else { Kind::Internal };
    Problem::logged(kind, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(folder: &Path, most_bytes: u64) -> ResultStore {
        let mut store = ResultStore::default();
        store.open_root(folder, false, most_bytes).unwrap();
        store
    }

    fn begin(store: &ResultStore, name: &str, must_be: bool) -> Result<NewResult, Problem> {
        let (sent, _) = store.room()?;
        fs::write(sent.path().join("news.jsonl"), "{\"text\": \"a\"}\n").unwrap();
        store.begin(name, must_be, sent, &Map::new())
    }

    #[test]
    fn a_result_has_its_input_beside_it_and_is_deleted_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path(), 1 << 20);
        let made = begin(&store, "news", false).unwrap();
        let options = made.request(&Map::new()).unwrap().check().unwrap();
        lookalike::dedup(&options, &lookalike::Silent).unwrap();
        store.add(&made);
        let stored = store.get("news").unwrap();
        assert!(stored.is_own && stored.folder.join("summary.json").exists());
        assert!(input_of(&stored.folder).unwrap().0.has_inputs());
        assert_eq!(begin(&store, "news", false).unwrap().name, "news-2");
        assert_eq!(begin(&store, "news", true).unwrap_err().kind(), Kind::OtherParameters);
        assert_eq!(begin(&store, "../news", false).unwrap_err().kind(), Kind::NotPossible);
        store.delete("news").unwrap();
        assert_eq!(store.get("news").unwrap_err().kind(), Kind::NoSuchResult);
        assert!(!folder.path().join("news").exists());
    }

    #[test]
    fn what_a_crash_left_is_removed_and_what_is_complete_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let first = store(folder.path(), 1 << 20);
        begin(&first, "unfinished", false).unwrap();
        let whole = begin(&first, "whole", false).unwrap();
        lookalike::dedup(&whole.request(&Map::new()).unwrap().check().unwrap(), &lookalike::Silent).unwrap();
        let _ = first.room().unwrap().0.keep();
        let taken = ResultStore::default().open_root(folder.path(), false, 1).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::WouldBlock);
        drop(first);
        let again = store(folder.path(), 1 << 20);
        assert_eq!(again.all().into_keys().collect::<Vec<_>>(), ["whole"]);
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 2, "the result and the lock");
    }

    #[test]
    fn results_take_no_more_room_than_they_have() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path(), 10);
        begin(&store, "news", false).unwrap();
        assert_eq!(begin(&store, "more", false).unwrap_err().kind(), Kind::DiskFull);
    }

    #[test]
    fn a_result_that_was_given_is_not_deleted() {
        let store = ResultStore::given([("a".to_owned(), PathBuf::from("/nowhere"))].into());
        assert_eq!(store.delete("a").unwrap_err().kind(), Kind::Impossible);
    }
}
