//! Result folders, opened at the first request, and again after they have changed.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use lookalike::{FinishedRun, ReadOptions};

use super::filter::Filter;
use super::starts::{ReadingStarts, Starts};
use super::store;
use super::table::RowTable;
use super::view::View;
use crate::problem::{Kind, Problem};

/// Determines the input of a run from its command line, to read its texts again.
pub type InputOf = fn(&Path) -> Option<(ReadOptions, Vec<PathBuf>)>;

/// The open results.
#[derive(Default)]
pub(crate) struct Opened {
    results: Mutex<HashMap<String, Arc<OpenResult>>>,
    pub(crate) input_of: Option<InputOf>,
}

/// A result that is being served.
#[derive(Debug)]
pub(crate) struct OpenResult {
    pub(crate) run: Arc<FinishedRun>,
    /// Modification time of its summary: a different time means a different result.
    written: Option<SystemTime>,
    table: Arc<Making>,
    starts: Arc<ReadingStarts>,
    pub(super) views: Mutex<VecDeque<(Filter, Arc<View>)>>,
}

/// A table being built by a separate thread.
#[derive(Debug)]
struct Making {
    made: Mutex<Option<Result<Arc<RowTable>, String>>>,
    is_made: Condvar,
    read_bytes: AtomicU64,
    all_bytes: u64,
}

/// Time a request waits for a table. Most are built faster.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time a list waits for the first words of its documents.
const STARTS_PATIENCE: Duration = Duration::from_secs(3);

impl Opened {
    /// Opens the result with this name and folder.
    ///
    /// # Errors
    ///
    /// If the folder has no result of `dedup`.
    pub(crate) fn open(&self, name: &str, folder: &Path) -> Result<Arc<OpenResult>, Problem> {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let written = written(folder);
        if let Some(open) = results.get(name).filter(|open| open.written == written && open.is_current()) {
            return Ok(Arc::clone(open));
        }
        let (read, references) =
            store::input_of(folder).or_else(|| self.input_of.and_then(|input_of| input_of(folder))).unzip();
        let run = Arc::new(FinishedRun::open(folder, read, references.unwrap_or_default())?);
        let table = Making::start(&folder.join("removed.jsonl"));
        let open = Arc::new(OpenResult { run, written, table, starts: Arc::default(), views: Mutex::default() });
        results.insert(name.to_owned(), Arc::clone(&open));
        Ok(open)
    }

    /// Removes a deleted result.
    pub(crate) fn forget(&self, name: &str) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").finish_non_exhaustive()
    }
}

impl OpenResult {
    /// The positions of its rows. Waits until they have been read.
    ///
    /// # Errors
    ///
    /// If that takes too long, or they cannot be read.
    pub(crate) fn table(&self) -> Result<Arc<RowTable>, Problem> {
        self.table.wait(PATIENCE)
    }

    /// The first words of the documents in its rows, as far as they have been read.
    ///
    /// # Errors
    ///
    /// If its rows cannot be read.
    pub(crate) fn starts(&self) -> Result<Arc<Starts>, Problem> {
        Ok(self.starts.wait(&self.run, &self.table()?, STARTS_PATIENCE))
    }

    fn is_current(&self) -> bool {
        let made = self.table.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.as_ref().is_none_or(|made| made.as_ref().is_ok_and(|table| table.is_current()))
    }
}

impl Making {
    fn start(path: &Path) -> Arc<Self> {
        let all_bytes = std::fs::metadata(path).map_or(0, |facts| facts.len());
        let making = Arc::new(Self {
            made: Mutex::new(None),
            is_made: Condvar::new(),
            read_bytes: AtomicU64::new(0),
            all_bytes,
        });
        let (of_thread, path) = (Arc::clone(&making), path.to_owned());
        std::thread::spawn(move || {
            let table = RowTable::read(&path, &of_thread.read_bytes);
            let table = table.map(Arc::new).map_err(|error| error.to_string());
            *of_thread.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(table);
            of_thread.is_made.notify_all();
        });
        making
    }

    fn wait(&self, patience: Duration) -> Result<Arc<RowTable>, Problem> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.is_made.wait_timeout_while(made, patience, |made| made.is_none());
        let (made, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some(Ok(table)) => Ok(Arc::clone(table)),
            Some(Err(reason)) => Err(Problem::new(Kind::NoSuchResult, reason.clone())),
            None => {
                let percent = 100 * self.read_bytes.load(Relaxed) / self.all_bytes.max(1);
                Err(Problem::new(Kind::NotReady, format!("removed.jsonl is being read: {percent} % so far")))
            }
        }
    }
}

fn written(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(folder.join("summary.json")).and_then(|facts| facts.modified()).ok()
}

/// The error for a file of a result that cannot be read.
pub(crate) fn unreadable(error: &std::io::Error) -> Problem {
    Problem::new(Kind::NoSuchResult, format!("a file of the result cannot be read: {error}"))
}
