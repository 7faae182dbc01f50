//! The only writer of an index. Concurrent threads are served together: one of them writes and syncs for all.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::commit::{Core, Request, Write};
use crate::error::Result;
use crate::files::lock_for;
use crate::kernel::Kernel;
use crate::shared::Shared;
use crate::snapshot::Snapshot;
use crate::types::{NewDocument, Put};

/// Adds and deletes documents. Many threads may call it concurrently: their requests are written together.
///
/// ```
/// use lookalike_index::{CreateOptions, Index, NewDocument, Put};
///
/// # let folder = tempfile::tempdir().unwrap();
/// let index = Index::create(&folder.path().join("index"), &CreateOptions::default())?;
/// let writer = index.writer()?;
/// let put = |id, text| writer.put_if_new(&[NewDocument::new(id, text)]);
/// assert_eq!(put("a", "one two three four five six seven eight nine ten")?, [Put::Added]);
/// assert!(matches!(&put("b", "One two three four five six seven eight nine ten.")?[..], [Put::Duplicate { id, .. }] if id == "a"));
/// assert_eq!(writer.delete(&["a", "b"])?, 1);
/// # Ok::<(), lookalike_index::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    pub(crate) shared: Arc<Shared>,
    queue: Mutex<Queue>,
    pub(crate) core: Mutex<Core>,
    _lock: Box<dyn std::fmt::Debug + Send + Sync>,
}

/// Waiting requests, and whether a thread is writing for all.
#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Arc<Request>>,
    is_led: bool,
}

/// Lets the first waiting thread write next. The others sleep until they are served: if all of them competed for the
/// writer, a thread that has just arrived would often write alone.
struct Handover<'a>(&'a Writer);

impl Drop for Handover<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        match queue.waiting.first() {
            Some(next) => next.lead(),
            None => queue.is_led = false,
        }
    }
}

impl Writer {
    pub(crate) fn open(shared: Arc<Shared>, service: Option<&str>) -> Result<Self> {
        let lock = lock_for(&*shared.disk, &shared.folder, service)?;
        let core = {
            // No thread may publish what was read before this.
            let _begins = shared.refreshing();
            let core = Core::open(&shared)?;
            shared.has_writer.store(true, SeqCst);
            core
        };
        Ok(Self { shared, queue: Mutex::default(), core: Mutex::new(core), _lock: lock })
    }

    pub(crate) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a document; when it returns, the document is on the disk and every later search finds it.
    ///
    /// # Errors
    ///
    /// If the document cannot be stored or the disk returns an error; then nothing was added.
    pub fn put(&self, document: NewDocument<'_>) -> Result<Put> {
        let mut puts = self.put_many(&[document])?;
        Ok(puts.pop().unwrap_or(Put::Unchanged))
    }

    /// Stores documents in one commit: all of them or none.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub fn put_many(&self, documents: &[NewDocument<'_>]) -> Result<Vec<Put>> {
        documents.iter().try_for_each(Kernel::check)?;
        let prepare = |document: &NewDocument<'_>| Write::put(&self.shared.kernel, document);
        let writes: Vec<Write> = match documents {
            // Prepare in this thread: others do the same concurrently.
            [document] => vec![prepare(document)],
            documents => documents.par_iter().with_min_len(16).map(prepare).collect(),
        };
        self.ask(writes)
    }

    /// Deletes the documents with these ids; returns how many existed.
    ///
    /// # Errors
    ///
    /// If the disk returns an error; then nothing was deleted.
    pub fn delete(&self, ids: &[&str]) -> Result<u64> {
        let writes = ids.iter().map(|id| Write::delete(id)).collect();
        let outcomes = self.ask(writes)?;
        // A delete that found its document is reported as a replacement.
        Ok(outcomes.iter().filter(|outcome| **outcome == Put::Replaced).count() as u64)
    }

    /// Waits until the writes are on disk, together with those of other threads.
    pub(crate) fn ask(&self, writes: Vec<Write>) -> Result<Vec<Put>> {
        if writes.is_empty() {
            return Ok(Vec::new());
        }
        let request = Arc::new(Request::new(writes));
        let leads = {
            let mut queue = self.queue();
            queue.waiting.push(Arc::clone(&request));
            !std::mem::replace(&mut queue.is_led, true)
        };
        if !leads && let Some(outcome) = request.wait() {
            return outcome;
        }
        {
            let mut core = self.core();
            let _next = Handover(self);
            let all = std::mem::take(&mut self.queue().waiting);
            core.serve(&self.shared, &all);
        }
        request.outcome().expect("whoever asked is among those who are served")
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the documents that have no near-duplicate in the index, in order; each is also compared with the previous
    /// ones.
    ///
    /// All are written in one commit. A document with a known id is compared with all others, and replaces the one with
    /// its id.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    pub fn put_if_new(&self, documents: &[NewDocument<'_>]) -> Result<Vec<Put>> {
        documents.iter().try_for_each(Kernel::check)?;
        self.core().put_if_new(&self.shared, documents)
    }

    /// Merges segments, and rewrites logs with many deleted documents. With `purge`, removes every byte of deleted
    /// documents.
    ///
    /// # Errors
    ///
    /// If the disk returns an error; the index is then unchanged.
    pub fn compact(&self, purge: bool) -> Result<()> {
        self.core().compact(&self.shared, purge)
    }

    /// Returns the state with everything that was acknowledged.
    ///
    /// # Errors
    ///
    /// Currently none.
    pub fn snapshot(&self) -> Result<Snapshot> {
        Ok(Snapshot::new(&self.shared, self.shared.state()))
    }

    /// Ends writing. Acknowledged writes are durable without it, but opening is faster after it.
    ///
    /// # Errors
    ///
    /// If the disk returns an error.
    pub fn close(self) -> Result<()> {
        self.core().close(&self.shared)
    }

    /// Sets the maximum bytes of keys, sketches and rows in memory before they become a segment; 64 MiB by default.
    /// They are briefly in memory twice.
    pub fn set_memory(&self, bytes: usize) {
        self.core().memory_bytes = bytes;
    }

    /// Sets the maximum bytes in memory and the size of a log, for tests.
    #[doc(hidden)]
    pub fn set_limits(&self, memory_bytes: usize, log_bytes: u64) {
        let mut core = self.core();
        (core.memory_bytes, core.log_bytes) = (memory_bytes, log_bytes);
    }

    /// Puts documents with precomputed sketches, for measurements.
    ///
    /// # Errors
    ///
    /// As [`put`](Self::put).
    #[doc(hidden)]
    pub fn put_ready(&self, documents: &[(NewDocument<'_>, &[u64], &[u8])]) -> Result<Vec<Put>> {
        let ready = |(document, keys, bytes): &(NewDocument<'_>, &[u64], &[u8])| {
            Write::ready(&self.shared.kernel, document, keys, bytes)
        };
        self.ask(documents.par_iter().with_min_len(64).map(ready).collect())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let core = self.core.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Anything that could not be written here is replayed from the log.
        let _ = core.close(&self.shared);
        self.shared.has_writer.store(false, SeqCst);
    }
}
