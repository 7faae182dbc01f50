//! Runs blocking or CPU-bound work on separate threads, never on those that serve connections.
//!
//! There are two lanes, so that writes that wait for the disk do not delay searches. A lane runs a limited number of
//! jobs, queues a limited number, and rejects the rest.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::limits::Limits;
use crate::problem::{Kind, Problem};

/// The lanes.
#[derive(Debug)]
pub(crate) struct Work {
    searches: Lane,
    writes: Lane,
    search_time: Duration,
}

#[derive(Debug)]
struct Lane {
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// Counts a waiting job, even if the wait is abandoned.
struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Lane {
    fn new(at_once: usize, most_waiting: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(at_once)), waiting: AtomicUsize::new(0), most_waiting }
    }

    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let waits = Waits(&self.waiting);
        if self.waiting.fetch_add(1, Relaxed) >= self.most_waiting {
            return Err(Problem::new(Kind::Overloaded, format!("{} requests are waiting", self.most_waiting)));
        }
        let permit = Arc::clone(&self.permits).acquire_owned().await.expect("it is never closed");
        drop(waits);
        // The permit moves with the job: an abandoned job still occupies its slot.
        let done = spawn_blocking(move || {
            let _permit = permit;
            job()
        });
        done.await.unwrap_or_else(|_| Err(Problem::new(Kind::Internal, "the work ended early: see the log")))
    }
}

impl Work {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            searches: Lane::new(limits.searches_at_once, limits.most_waiting),
            writes: Lane::new(limits.writes_at_once, limits.most_waiting),
            search_time: limits.search_time,
        }
    }

    /// Runs a job that reads or computes.
    ///
    /// # Errors
    ///
    /// If too many jobs are queued, it takes too long, or `job` fails.
    pub(crate) async fn search<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let seconds = self.search_time.as_secs();
        let late = |_| Err(Problem::new(Kind::TookTooLong, format!("it was not done within {seconds} s")));
        timeout(self.search_time, self.searches.run(job)).await.unwrap_or_else(late)
    }

    /// Runs a job that waits for the disk. It has no time limit, since the result of a write would be unknown.
    ///
    /// # Errors
    ///
    /// If too many jobs are queued, or `job` fails.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        self.writes.run(job).await
    }

    /// Numbers of queued searches and writes.
    pub(crate) fn waiting(&self) -> [usize; 2] {
        [&self.searches, &self.writes].map(|lane| lane.waiting.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn limits() -> Limits {
        let search_time = Duration::from_millis(50);
        Limits { searches_at_once: 1, writes_at_once: 1, most_waiting: 1, search_time, ..Limits::default() }
    }

    #[tokio::test]
    async fn who_comes_when_enough_wait_is_refused_and_the_rest_are_served() {
        let work = Arc::new(Work::new(&limits()));
        let (go, wait) = mpsc::channel::<()>();
        let spawn = |job: Box<dyn FnOnce() -> Result<u8, Problem> + Send>| {
            let work = Arc::clone(&work);
            tokio::spawn(async move { work.write(job).await })
        };
        let first = spawn(Box::new(move || {
            wait.recv().unwrap();
            Ok(1)
        }));
        while work.writes.permits.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let second = spawn(Box::new(|| Ok(2)));
        while work.waiting() != [0, 1] {
            tokio::task::yield_now().await;
        }
        assert_eq!(work.write(|| Ok(3)).await.unwrap_err().kind(), Kind::Overloaded);
        go.send(()).unwrap();
        assert_eq!((first.await.unwrap().unwrap(), second.await.unwrap().unwrap()), (1, 2));
        assert_eq!(work.waiting(), [0, 0]);
    }

    #[tokio::test]
    async fn a_search_is_given_up_and_a_panic_is_a_problem() {
        let work = Work::new(&limits());
        let slow = || {
            std::thread::sleep(Duration::from_millis(200));
            Ok(())
        };
        assert_eq!(work.search(slow).await.unwrap_err().kind(), Kind::TookTooLong);
        let broken = || -> Result<(), Problem> { panic!("for the test") };
        assert_eq!(work.write(broken).await.unwrap_err().kind(), Kind::Internal);
        assert!(work.write(|| Ok(())).await.is_ok());
    }
}
