//! The work folder: holds data that does not fit in memory, and allows a killed run to be resumed.
//!
//! A stage writes [`Log`]s, one for each attempt of the run. A folder named by the user outlives an incomplete run; one
//! in the system's temporary folder is deleted with it.

mod log;

use std::borrow::Cow;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use log::Log;
use log::LogId;
use lookalike_core::hash::{Key, bytes_hash};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::address::shown_path;
use crate::aside::remove_left;
use crate::error::{Error, Result};
pub use crate::faults::{Faults, Kind as FaultKind};
use crate::lock::{LOCK, lock_folder};
use crate::unfinished::Unfinished;

/// The file that identifies the run, written first.
const LABEL: &str = "run.json";

/// Options of the work folder.
#[derive(Clone, Debug, Default)]
pub struct WorkOptions {
    /// The folder; `None` for one in the system's temporary folder, if needed.
    pub folder: Option<PathBuf>,
    /// Handling of an unfinished run in it.
    pub earlier: Earlier,
    /// Simulated failures, for tests.
    #[doc(hidden)]
    pub faults: Arc<Faults>,
}

/// Handling of an unfinished run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// Refuse to start.
    #[default]
    Refuse,
    /// Resume it.
    Resume,
    /// Discard it.
    Replace,
}

/// Contents of the label: JSON, since file names may contain anything.
#[derive(Debug, Serialize, Deserialize)]
struct Label {
    /// Identifies the kind of folder.
    lookalike: Cow<'static, str>,
    /// A number that identifies the run's other files.
    run: u64,
    /// Key of hashes that decide: 32 hexadecimal digits.
    key: String,
    /// Identifies the run: its command, input and parameters.
    of: Vec<String>,
}

/// Start of a label.
const LABEL_START: &[u8] = br#"{"lookalike":"work""#;

/// A work folder, open for one run.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    /// Number that identifies the run's files.
    run: u64,
    /// Key of hashes that decide.
    key: Key,
    /// Number of earlier attempts.
    attempt: u32,
    faults: Arc<Faults>,
    /// True if the user named it, so that a run may be resumed from it.
    is_named: bool,
    _temporary: Option<TempDir>,
    _lock: Option<File>,
}

impl WorkFolder {
    /// A folder in the system's temporary folder that is removed when the run ends; recorded in `unfinished`.
    ///
    /// # Errors
    ///
    /// If none can be created.
    pub fn temporary(options: &WorkOptions, unfinished: &Unfinished) -> Result<Self> {
        let parent = std::env::temp_dir();
        let faults = Arc::clone(&options.faults);
        faults.check().map_err(Error::unworkable(&parent))?;
        let made = tempfile::Builder::new().prefix(".lookalike-work-").tempdir_in(&parent);
        let folder = made.map_err(Error::unworkable(&parent))?;
        unfinished.note(folder.path());
        let path = folder.path().to_owned();
        Ok(Self {
            path,
            run: random(),
            key: Key::random(),
            attempt: 0,
            faults,
            is_named: false,
            _temporary: Some(folder),
            _lock: None,
        })
    }

    /// Opens the user's folder, for a run identified by `label`: its command, input and parameters.
    ///
    /// # Errors
    ///
    /// If it cannot be written to, is used by another run, contains something else, contains an unfinished run that is
    /// not to be resumed, or contains a different run.
    pub fn open(path: &Path, label: &[String], options: &WorkOptions) -> Result<Self> {
        fs::create_dir_all(path).map_err(|cause| Error::WorkNotMade { path: path.to_owned(), cause })?;
        let faults = Arc::clone(&options.faults);
        let files = files(path)?;
        let is_ours = files.iter().any(|name| name == LABEL);
        if !is_ours && files.iter().any(|name| !is_our_name(name)) {
            return Err(Error::WorkNotOurs { path: path.to_owned() });
        }
        let lock = lock(path)?;
        if options.earlier != Earlier::Refuse {
            remove_staging(path);
        }
        let (run, key) = match options.earlier {
            Earlier::Refuse if is_ours => return Err(Error::WorkUnfinished { path: path.to_owned() }),
            Earlier::Resume if is_ours => check_label(path, label)?,
            Earlier::Refuse | Earlier::Replace | Earlier::Resume => {
                let stays = |name: &str| name == LOCK || name == COMMIT && options.earlier == Earlier::Resume;
                for name in files.iter().filter(|name| is_our_name(name) && !stays(name)) {
                    fs::remove_file(path.join(name)).map_err(Error::unworkable(path))?;
                }
                faults.check().map_err(Error::unworkable(path))?;
                // A truncated label would not belong to any run.
                let (new, run, key) = (path.join("run.new"), random(), Key::random());
                let digits = format!("{:032x}", key.value().unwrap_or_default());
                let label = Label { lookalike: "work".into(), run, key: digits, of: label.to_vec() };
                serde_json::to_vec(&label)
                    .map_err(io::Error::from)
                    .and_then(|label| fs::write(&new, label))
                    .and_then(|()| fs::rename(&new, path.join(LABEL)))
                    .map_err(Error::unworkable(path))?;
                (run, key)
            }
        };
        let attempts = files.iter().filter_map(|name| attempt_of(name));
        let attempt = if options.earlier == Earlier::Resume { attempts.max().map_or(0, |last| last + 1) } else { 0 };
        Ok(Self {
            path: path.to_owned(),
            run,
            key,
            attempt,
            faults,
            is_named: true,
            _temporary: None,
            _lock: Some(lock),
        })
    }

    /// True if a run may be resumed from it.
    pub fn is_named(&self) -> bool {
        self.is_named
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The random key of the run, drawn when it was first started.
    pub fn key(&self) -> Key {
        self.key
    }

    /// Creates a log for a stage.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn log(&self, stage: &str) -> Result<Log> {
        let (path, id) = self.named_log(stage, self.attempt);
        Log::create(path, id, Arc::clone(&self.faults))
    }

    /// The logs of a stage left by earlier attempts at the run.
    ///
    /// # Errors
    ///
    /// If one cannot be opened, or belongs to another run.
    pub fn earlier_logs(&self, stage: &str) -> Result<Vec<Log>> {
        let logs = (0..self.attempt).map(|attempt| self.named_log(stage, attempt));
        logs.filter(|(path, _)| path.exists()).map(|(path, id)| Log::open(path, id, Arc::clone(&self.faults))).collect()
    }

    fn named_log(&self, stage: &str, attempt: u32) -> (PathBuf, LogId) {
        let id = LogId { run: self.run, stage: bytes_hash(stage.as_bytes()) as u64, attempt };
        (self.path.join(format!("{stage}-{attempt}.log")), id)
    }

    /// True if a folder is empty or does not exist.
    pub fn is_without_run(path: &Path) -> bool {
        fs::read_dir(path)
            .map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |mut entries| entries.next().is_none())
    }

    /// Records the staging folder, so that a resumed run can remove what a killed one left.
    ///
    /// # Errors
    ///
    /// If nothing can be written.
    pub fn note_staging(&self, staging: &Path) -> Result<()> {
        if self.is_named {
            let path = self.path.join(STAGING);
            self.faults.check().map_err(Error::unworkable(&path))?;
            fs::write(&path, staging.to_string_lossy().as_bytes()).map_err(Error::unworkable(&path))?;
        }
        Ok(())
    }

    /// Records that the output is complete and about to be moved into place, where a resumed run may find it.
    ///
    /// # Errors
    ///
    /// If nothing can be written.
    pub fn note_commit(&self, output: &Path) -> Result<()> {
        if self.is_named {
            let path = self.path.join(COMMIT);
            self.faults.check().map_err(Error::unworkable(&path))?;
            fs::write(&path, shown_path(output)).map_err(Error::unworkable(&path))?;
        }
        Ok(())
    }

    /// True if an earlier attempt was about to move this output into place, so that it may exist and may be replaced.
    pub fn was_about_to_commit(&self, output: &Path) -> bool {
        let noted = fs::read_to_string(self.path.join(COMMIT));
        self.is_named && noted.is_ok_and(|noted| noted == shown_path(output))
    }

    /// A file to which all attempts append.
    pub(crate) fn spool(&self) -> Result<File> {
        let path = self.path.join(SPOOL);
        self.faults.check().map_err(Error::unworkable(&path))?;
        File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::unworkable(&path))
    }

    /// Removes everything the finished run wrote, and the folder if nothing else is in it.
    ///
    /// # Errors
    ///
    /// If something cannot be removed.
    pub fn finish(self) -> Result<()> {
        if self.is_named {
            let names = files(&self.path)?;
            let is_last = |name: &str| [LABEL, COMMIT].contains(&name);
            let first = names.iter().map(String::as_str).filter(|name| is_our_name(name) && !is_last(name));
            // The label is removed late: without it, the other files could not be identified. A run that is resumed
            // after being killed here must know that its output exists.
            for name in first.chain([LABEL, COMMIT]) {
                self.faults.check_commit().map_err(Error::unworkable(&self.path))?;
                match fs::remove_file(self.path.join(name)) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(Error::unworkable(&self.path)(error));
                    }
                    _ => {}
                }
            }
            // Not empty, or not ours to remove: then it stays.
            let _ = fs::remove_dir(&self.path);
        }
        Ok(())
    }
}

/// True if a folder is the work folder of a run, and not input.
pub(crate) fn is_work_folder(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = |file: File| file.take(LABEL_START.len() as u64).read_to_end(&mut start);
    path.join(LOCK).exists() && File::open(path.join(LABEL)).and_then(read).is_ok() && start == LABEL_START
}

/// Checks that a folder has this much free space, if the system reports it.
///
/// # Errors
///
/// [`Error::WorkTooSmall`] if it does not.
pub fn check_space(folder: &Path, needed: u64) -> Result<()> {
    match fs4::available_space(folder) {
        Ok(free) if free < needed => Err(Error::WorkTooSmall { path: folder.to_owned(), free, needed }),
        _ => Ok(()),
    }
}

/// Name of the file that records which output is about to be moved into place.
const COMMIT: &str = "commit";

/// Name of the file that records the staging folder.
const STAGING: &str = "staging";

/// Removes the unfinished output of a killed run.
fn remove_staging(path: &Path) {
    if let Ok(staging) = fs::read_to_string(path.join(STAGING)) {
        remove_left(Path::new(&staging));
    }
}

/// The file for inputs that cannot be read from the middle.
const SPOOL: &str = "spool";

fn files(path: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(path).map_err(Error::unworkable(path))?;
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    names.collect::<std::io::Result<_>>().map_err(Error::unworkable(path))
}

fn is_our_name(name: &str) -> bool {
    [LABEL, LOCK, SPOOL, STAGING, COMMIT, "run.new"].contains(&name) || attempt_of(name).is_some()
}

/// The attempt that wrote a log.
fn attempt_of(name: &str) -> Option<u32> {
    let attempt = name.strip_suffix(".log")?.rsplit_once('-')?.1.parse().ok()?;
    (attempt < MOST_ATTEMPTS).then_some(attempt)
}

/// No run is resumed more often: a log with a greater number is not ours.
const MOST_ATTEMPTS: u32 = 1 << 16;

/// A random number that identifies a run.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn lock(path: &Path) -> Result<File> {
    let lock = lock_folder(path).map_err(Error::unworkable(path))?;
    lock.ok_or_else(|| Error::WorkInUse { path: path.to_owned() })
}

/// Checks that the folder belongs to this run, and returns the number that identifies its files, and its key.
fn check_label(path: &Path, label: &[String]) -> Result<(u64, Key)> {
    let file = path.join(LABEL);
    let then = fs::read(&file).map_err(Error::unworkable(path))?;
    let then = serde_json::from_slice::<Label>(&then).ok();
    let then = then.and_then(|then| Some((Key::new(u128::from_str_radix(&then.key, 16).ok()?), then)));
    let Some((key, then)) = then else { return Err(Error::WorkFileOfAnother { path: file }) };
    let nothing = "nothing".to_owned();
    for at in 0..then.of.len().max(label.len()) {
        let [then, now] = [&then.of[..], label].map(|lines| lines.get(at).unwrap_or(&nothing));
        if then != now {
            return Err(Error::WorkOfAnother { path: path.to_owned(), then: then.clone(), now: now.clone() });
        }
    }
    Ok((then.run, key))
}
