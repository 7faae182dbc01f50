//! Runs a job on threads of its own while the caller's thread waits: Python's lock is released, signals are checked,
//! and callbacks run on the caller's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use lookalike::{Counted, Progress, Resources};
use pyo3::prelude::*;

use crate::error;

/// Interval at which the caller's thread checks for signals. A job stops within a few of these.
const LOOK: Duration = Duration::from_millis(50);

/// Progress of a job.
#[derive(Debug, Default)]
struct State {
    is_stopped: AtomicBool,
    stage: Mutex<(&'static str, Option<u64>)>,
    bytes: AtomicU64,
    documents: AtomicU64,
}

impl Progress for State {
    fn stage(&self, name: &'static str, bytes: Option<u64>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (name, bytes);
        self.bytes.store(0, Relaxed);
        self.documents.store(0, Relaxed);
    }

    fn advance(&self, bytes: u64, counted: Counted) {
        self.bytes.fetch_add(bytes, Relaxed);
        if let Counted::Documents(count) | Counted::Rereadings(count) = counted {
            self.documents.fetch_add(count, Relaxed);
        }
    }

    fn finish(&self) {}

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }
}

/// Result of a job, once it has ended.
struct Mailbox<T> {
    result: Mutex<Option<thread::Result<T>>>,
    arrived: Condvar,
}

impl<T> Mailbox<T> {
    fn put(&self, result: thread::Result<T>) {
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        self.arrived.notify_all();
    }

    /// Waits for the result, for one interval at most.
    fn take(&self) -> Option<thread::Result<T>> {
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.arrived.wait_timeout_while(result, LOOK, |result| result.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}

/// Runs jobs of all kinds.
pub(crate) struct Runner {
    threads: usize,
    /// Called with the stage, its bytes so far, its bytes in all if they are known, and documents.
    progress: Option<Py<PyAny>>,
}

impl Runner {
    /// Uses the threads that the limits allow.
    pub(crate) fn new(resources: &Resources, progress: Option<Py<PyAny>>) -> Self {
        Self { threads: resources.threads(), progress }
    }

    /// Runs jobs on this many threads, without a callback.
    pub(crate) fn on(threads: usize) -> Self {
        Self { threads, progress: None }
    }

    /// Runs a job in a thread pool that is dropped afterwards: threads that outlive a call would be missing after a
    /// fork.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&dyn Progress) -> lookalike::Result<T> + Send,
    ) -> PyResult<T> {
        let state = State::default();
        let mailbox = Mailbox { result: Mutex::new(None), arrived: Condvar::new() };
        let threads = self.threads;
        let ended = thread::scope(|scope| {
            scope.spawn(|| {
                mailbox.put(catch_unwind(AssertUnwindSafe(|| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    pool.map(|pool| pool.install(|| job(&state)))
                })));
            });
            self.wait(py, &state, &mailbox)
        });
        match ended? {
            Err(panic) => Err(error::bug(py, &*panic)),
            Ok(Err(cause)) => Err(error::threads(py, threads, &cause.to_string())),
            Ok(Ok(Err(error))) => Err(error::raise(py, &error)),
            Ok(Ok(Ok(result))) => Ok(result),
        }
    }

    /// Waits for a job. A signal or a callback that raises stops it, and what was raised comes out when the job has ended.
    fn wait<T: Send>(&self, py: Python<'_>, state: &State, mailbox: &Mailbox<T>) -> PyResult<thread::Result<T>> {
        let mut raised: Option<PyErr> = None;
        let mut told = None;
        loop {
            if let Some(result) = py.detach(|| mailbox.take()) {
                return raised.map_or(Ok(result), Err);
            }
            if raised.is_some() {
                continue;
            }
            raised = py.check_signals().and_then(|()| self.tell(py, state, &mut told)).err();
            if raised.is_some() {
                state.is_stopped.store(true, Relaxed);
            }
        }
    }

    fn tell(&self, py: Python<'_>, state: &State, told: &mut Option<(&'static str, u64, u64)>) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let (stage, all) = *state.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (stage, state.bytes.load(Relaxed), state.documents.load(Relaxed));
        if stage.is_empty() || told.replace(now) == Some(now) {
            return Ok(());
        }
        progress.call1(py, (stage, now.1, all, now.2)).map(drop)
    }
}
