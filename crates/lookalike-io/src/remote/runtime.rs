//! Runs asynchronous work on separate threads, and returns its results synchronously.
//!
//! The runtime is started at first use. The caller's thread waits on a channel and not inside the runtime, so callers
//! within another runtime, such as a server's, are safe.

use std::future::Future;
use std::io;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{LazyLock, mpsc};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// Requests wait and do not compute: two threads saturate a network card.
const THREADS: usize = 2;

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(THREADS).thread_name("lookalike-remote").enable_all().build()
});

/// Work in progress, which is canceled if it is dropped.
#[derive(Debug)]
pub(super) struct Pending<T> {
    value: mpsc::Receiver<T>,
    task: Option<AbortHandle>,
}

impl<T> Pending<T> {
    /// Waits for the result. `None` if the work panicked, or never started.
    pub(super) fn wait(self) -> Option<T> {
        self.value.recv().ok()
    }

    /// Waits for the result, up to this time.
    pub(super) fn wait_for(&self, time: Duration) -> Result<T, RecvTimeoutError> {
        self.value.recv_timeout(time)
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Starts `work`.
pub(super) fn start<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Pending<T> {
    let (sender, value) = mpsc::channel();
    let task = RUNTIME.as_ref().ok().map(|runtime| {
        let task = runtime.spawn(async move {
            // If the receiver is gone, the value is not needed.
            let _ = sender.send(work.await);
        });
        task.abort_handle()
    });
    Pending { value, task }
}

/// Runs `work`, and waits for it.
pub(super) fn run<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    start(work).wait()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_from_anywhere_also_from_inside_of_a_runtime() {
        assert_eq!(run(async { 1 }), Some(1));
        let other = Builder::new_current_thread().build().unwrap();
        assert_eq!(other.block_on(async { run(async { 2 }) }), Some(2));
    }

    #[test]
    fn work_that_breaks_down_gives_nothing_and_harms_nobody() {
        assert_eq!(run::<u8>(async { std::panic::resume_unwind(Box::new(())) }), None);
        assert_eq!(run(async { 3 }), Some(3));
    }
}
