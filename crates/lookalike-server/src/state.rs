//! State shared by all requests: open indexes and results by name, keys, limits, and metrics.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use lookalike_index::{Index, Snapshot, Stat, Store, Writer};

use crate::attempts::Attempts;
use crate::keys::Keys;
use crate::limits::Limits;
use crate::memory::Memory;
use crate::metrics::Metrics;
use crate::names::shown;
use crate::problem::{Kind, Problem};
use crate::runs::opened::Opened;
use crate::runs::store::ResultStore;
use crate::tasks::Tasks;
use crate::work::Work;

/// State shared by all requests.
#[derive(Debug)]
pub(crate) struct Shared {
    indexes: RwLock<BTreeMap<String, Arc<OpenIndex>>>,
    /// Folder for new indexes, if any.
    pub(crate) root: Option<PathBuf>,
    /// Folder for copies of indexes, if any.
    pub(crate) snapshots: Option<PathBuf>,
    /// Results by name, and the folder for new ones.
    pub(crate) results: ResultStore,
    /// Held by the current run.
    pub(crate) making: Mutex<()>,
    pub(crate) opened: Opened,
    pub(crate) is_read_only: bool,
    /// True if HTTPS is used.
    pub(crate) is_secure: bool,
    pub(crate) keys: Keys,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) work: Work,
    /// The memory of all requests.
    pub(crate) memory: Memory,
    /// Failed login attempts.
    pub(crate) attempts: Attempts,
    /// Lock for creating and deleting indexes.
    pub(crate) arranging: Mutex<()>,
    /// Names allowed in the `Host` header, in addition to addresses and localhost.
    pub(crate) hosts: Vec<String>,
    /// The address of this server, once it listens.
    pub(crate) url: OnceLock<String>,
    is_open: AtomicBool,
    is_draining: AtomicBool,
}

/// An index that is being served.
pub(crate) struct OpenIndex {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) index: Index,
    /// Content stored for each document.
    pub(crate) store: Store,
    /// Probability of finding a pair exactly at the threshold, if known.
    pub(crate) recall: Option<f64>,
    is_read_only: bool,
    /// None if the server is read-only, or once the index is deleted.
    writer: RwLock<Option<Writer>>,
    is_poisoned: AtomicBool,
}

impl Shared {
    /// State without open indexes.
    pub(crate) fn new(keys: Keys, limits: Limits) -> Self {
        Self {
            indexes: RwLock::default(),
            root: None,
            snapshots: None,
            results: ResultStore::default(),
            making: Mutex::new(()),
            opened: Opened::default(),
            is_read_only: false,
            is_secure: false,
            keys,
            limits,
            metrics: Metrics::default(),
            tasks: Arc::default(),
            work: Work::new(&limits),
            attempts: Attempts::default(),
            memory: Memory::new(&limits),
            arranging: Mutex::new(()),
            hosts: Vec::new(),
            url: OnceLock::new(),
            is_open: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
        }
    }

    /// Returns the index with this name.
    ///
    /// # Errors
    ///
    /// If there is none, or it is still being opened.
    pub(crate) fn index(&self, name: &str) -> Result<Arc<OpenIndex>, Problem> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        match indexes.get(name) {
            Some(index) => Ok(Arc::clone(index)),
            None if !self.is_open.load(Relaxed) => Err(Problem::new(Kind::NotReady, "indexes are still being opened")),
            None => Err(Problem::new(Kind::NoSuchIndex, format!("there is no index '{}'", shown(name)))),
        }
    }

    /// All indexes, by name.
    pub(crate) fn indexes(&self) -> Vec<Arc<OpenIndex>> {
        self.indexes.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Adds an index.
    pub(crate) fn add(&self, index: OpenIndex) -> Arc<OpenIndex> {
        let index = Arc::new(index);
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        indexes.insert(index.name.clone(), Arc::clone(&index));
        index
    }

    /// Removes an index.
    pub(crate) fn remove(&self, name: &str) -> Option<Arc<OpenIndex>> {
        self.indexes.write().unwrap_or_else(PoisonError::into_inner).remove(name)
    }

    /// The folder of the result with this name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(crate) fn result(&self, name: &str) -> Result<PathBuf, Problem> {
        Ok(self.results.get(name)?.folder)
    }

    /// All metrics as text. This queries all indexes, and may read files.
    pub(crate) fn metrics_text(&self) -> String {
        let stat = |index: &Arc<OpenIndex>| Some((index.name.clone(), index.snapshot().ok()?.stat()));
        let stats: Vec<(String, Stat)> = self.indexes().iter().filter_map(stat).collect();
        self.metrics.text(&stats, self.work.waiting())
    }

    /// Declares that all indexes are open: any other does not exist.
    pub(crate) fn all_open(&self) {
        self.is_open.store(true, Relaxed);
    }

    /// Declares that the server is no longer ready.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Relaxed);
        self.tasks.stop_runs();
    }

    /// Checks that the server is ready for requests.
    ///
    /// # Errors
    ///
    /// The reason why it is not ready.
    pub(crate) fn ready(&self) -> Result<(), Problem> {
        if self.is_draining.load(Relaxed) {
            return Err(Problem::new(Kind::NotReady, "the server is shutting down"));
        }
        if !self.is_open.load(Relaxed) {
            return Err(Problem::new(Kind::NotReady, "indexes are still being opened"));
        }
        for index in self.indexes() {
            if index.is_poisoned.load(Relaxed) {
                return Err(Problem::new(Kind::Poisoned, format!("the index '{}' takes no more writes", index.name)));
            }
            let least = self.limits.least_free_bytes;
            if !self.is_read_only && fs4::available_space(&index.path).is_ok_and(|free| free < least) {
                let detail = format!("less than {} MB are free on the disk of the index '{}'", least >> 20, index.name);
                return Err(Problem::new(Kind::DiskFull, detail));
            }
        }
        Ok(())
    }
}

impl OpenIndex {
    /// Opens an index, for writing or read-only.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or another process writes to it.
    pub(crate) fn open(name: &str, path: &Path, shared: &Shared) -> lookalike_index::Result<Self> {
        let index = Index::open(path)?;
        Self::of(name, path, index, shared)
    }

    /// Wraps an index that was just opened or created.
    ///
    /// # Errors
    ///
    /// If another process writes to it.
    pub(crate) fn of(name: &str, path: &Path, index: Index, shared: &Shared) -> lookalike_index::Result<Self> {
        let is_read_only = shared.is_read_only;
        let writer = match shared.url.get() {
            _ if is_read_only => None,
            Some(url) => Some(index.writer_of_service(&format!("{url}/v1/indexes/{name}"))?),
            None => Some(index.writer()?),
        };
        let stat = index.snapshot()?.stat();
        Ok(Self {
            name: name.to_owned(),
            path: path.to_owned(),
            index,
            store: stat.store,
            recall: stat.recall,
            is_read_only,
            writer: RwLock::new(writer),
            is_poisoned: AtomicBool::new(false),
        })
    }

    /// Returns the newest state. It may read files, so call it where blocking is allowed: see [`Work`].
    ///
    /// # Errors
    ///
    /// If changes of other processes cannot be read.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, Problem> {
        Ok(self.index.snapshot()?)
    }

    /// Calls `job` with the writer; concurrent calls are allowed. It waits for the disk: see [`Work`].
    ///
    /// # Errors
    ///
    /// If the server is read-only, the index was deleted, or `job` fails.
    pub(crate) fn with_writer<T>(&self, job: impl FnOnce(&Writer) -> lookalike_index::Result<T>) -> Result<T, Problem> {
        let writer = self.writer.read().unwrap_or_else(PoisonError::into_inner);
        let Some(writer) = &*writer else {
            return Err(if self.is_read_only {
                Problem::new(Kind::ReadOnly, format!("the index '{}' is served to be read only", self.name))
            } else {
                Problem::new(Kind::NoSuchIndex, format!("the index '{}' was deleted", self.name))
            });
        };
        let done = job(writer).map_err(Problem::from);
        if matches!(&done, Err(problem) if problem.kind() == Kind::Poisoned) {
            self.is_poisoned.store(true, Relaxed);
        }
        done
    }

    /// Closes the writer once it is idle.
    ///
    /// # Errors
    ///
    /// If the disk returns an error.
    pub(crate) fn close(&self) -> lookalike_index::Result<()> {
        let writer = self.writer.write().unwrap_or_else(PoisonError::into_inner).take();
        writer.map_or(Ok(()), Writer::close)
    }

    /// Closes the writer unless it is in use, so that opening is faster next time. Acknowledged writes are on disk in
    /// any case.
    ///
    /// # Errors
    ///
    /// If the disk returns an error.
    pub(crate) fn close_if_idle(&self) -> lookalike_index::Result<()> {
        let writer = self.writer.try_write().ok().and_then(|mut writer| writer.take());
        writer.map_or(Ok(()), Writer::close)
    }
}

impl fmt::Debug for OpenIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenIndex").field("name", &self.name).field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_is_not_open_yet_is_not_missing() {
        let shared = Shared::new(Keys::none(), Limits::default());
        assert_eq!(shared.index("news").unwrap_err().kind(), Kind::NotReady);
        assert_eq!(shared.ready().unwrap_err().kind(), Kind::NotReady);
        shared.all_open();
        assert_eq!(shared.index("news").unwrap_err().kind(), Kind::NoSuchIndex);
        assert!(shared.ready().is_ok());
        shared.drain();
        assert_eq!(shared.ready().unwrap_err().kind(), Kind::NotReady);
    }
}
