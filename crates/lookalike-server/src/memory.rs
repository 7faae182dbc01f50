//! One memory budget for all requests. Memory for a request and for its processing is reserved before it is allocated,
//! so that many large requests wait for each other or are rejected, and the server does not grow.
//!
//! A quarter of the budget is for bodies and forms being received, a quarter for the run that deduplicates a file, and
//! half for processing texts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::limits::Limits;
use crate::problem::{Kind, Problem};

/// Memory needed to process a usual text, as a multiple of its size.
pub(crate) const TIMES: u64 = 12;

/// Number of jobs over files that fit.
const JOBS: u64 = 2;

/// The memory of all requests.
#[derive(Debug)]
pub(crate) struct Memory {
    bodies: Arc<Budget>,
    work: Arc<Budget>,
    patience: Duration,
}

/// A budget of bytes, some of which are free.
#[derive(Debug)]
struct Budget {
    all: u64,
    free: Mutex<u64>,
    freed: Notify,
}

/// A reserved part of a budget, released when this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Budget {
    fn new(all: u64) -> Arc<Self> {
        Arc::new(Self { all, free: Mutex::new(all), freed: Notify::new() })
    }

    fn take(&self, bytes: u64) -> bool {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let left = free.checked_sub(bytes);
        *free = left.unwrap_or(*free);
        left.is_some()
    }
}

impl Share {
    /// Reserves more memory; does not wait, since requests could wait for each other forever.
    ///
    /// # Errors
    ///
    /// If there is not enough.
    pub(crate) fn grow_to(&mut self, bytes: u64) -> Result<(), Problem> {
        let more = bytes.saturating_sub(self.bytes);
        if more > 0 && !self.budget.take(more) {
            return Err(full());
        }
        self.bytes += more;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.budget.free.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.budget.freed.notify_waiters();
    }
}

impl Memory {
    pub(crate) fn new(limits: &Limits) -> Self {
        let (bodies, work) = (limits.memory_bytes / 4, limits.memory_bytes / 2);
        Self { bodies: Budget::new(bodies), work: Budget::new(work), patience: limits.memory_time }
    }

    /// Memory for a body being received; nothing is reserved yet.
    pub(crate) fn incoming(&self) -> Share {
        Share { budget: Arc::clone(&self.bodies), bytes: 0 }
    }

    /// Maximum size of a body that can be processed.
    pub(crate) fn most_body(&self) -> u64 {
        self.bodies.all.min(self.work.all / TIMES)
    }

    /// Reserves memory to process a text of this size. Waits a short time without a queue, so that small requests are
    /// not blocked by large ones.
    ///
    /// # Errors
    ///
    /// If it never fits, or not soon.
    pub(crate) async fn work(&self, text_bytes: usize) -> Result<Share, Problem> {
        self.take(TIMES * text_bytes as u64).await
    }

    /// Reserves memory for a job over a file, and returns its size.
    ///
    /// # Errors
    ///
    /// If it is not available soon.
    pub(crate) async fn job(&self) -> Result<(Share, u64), Problem> {
        let bytes = self.work.all / JOBS;
        Ok((self.take(bytes).await?, bytes))
    }

    async fn take(&self, bytes: u64) -> Result<Share, Problem> {
        self.check(bytes)?;
        let taken = async {
            loop {
                // Before checking, so that no release in between is missed.
                let freed = self.work.freed.notified();
                if self.work.take(bytes) {
                    return;
                }
                freed.await;
            }
        };
        timeout(self.patience, taken).await.map_err(|_| full())?;
        Ok(Share { budget: Arc::clone(&self.work), bytes })
    }

    /// Reserves additional memory for work that turns out to need more. Does not wait.
    ///
    /// # Errors
    ///
    /// If it never fits, or not now.
    pub(crate) fn beyond(&self, counted_text_bytes: usize, needed: u64) -> Result<Share, Problem> {
        self.check(needed)?;
        let mut share = Share { budget: Arc::clone(&self.work), bytes: 0 };
        share.grow_to(needed.saturating_sub(TIMES * counted_text_bytes as u64))?;
        Ok(share)
    }

    fn check(&self, bytes: u64) -> Result<(), Problem> {
        let Budget { all, .. } = *self.work;
        if bytes <= all {
            return Ok(());
        }
        Err(too_large(&format!("work on it takes {} MB of memory", bytes.div_ceil(1_000_000)), 2 * bytes))
    }
}

/// The error for a request that never fits, with the memory it needs.
pub(crate) fn too_large(what: &str, needed: u64) -> Problem {
    let needed = needed.div_ceil(1_000_000);
    let detail = format!("{what}, more than this server may use: send less, or start it with {needed} MB of memory");
    Problem::new(Kind::TooLarge, detail)
}

fn full() -> Problem {
    Problem::new(Kind::Overloaded, "other requests take all the memory that this server may use")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let memory_time = Duration::from_millis(50);
        Memory::new(&Limits { memory_bytes: 2 * TIMES * 100, memory_time, ..Limits::default() })
    }

    #[tokio::test]
    async fn who_finds_no_memory_waits_a_little_and_small_requests_pass_by_large_ones() {
        let memory = Arc::new(memory());
        let held = memory.work(60).await.unwrap();
        let waiting = tokio::spawn({
            let memory = Arc::clone(&memory);
            async move { memory.work(80).await.map(drop) }
        });
        tokio::task::yield_now().await;
        assert!(memory.work(40).await.is_ok());
        assert_eq!(memory.work(41).await.unwrap_err().kind(), Kind::Overloaded);
        assert_eq!(waiting.await.unwrap().unwrap_err().kind(), Kind::Overloaded);
        let waiting = tokio::spawn({
            let memory = Arc::clone(&memory);
            async move { memory.work(80).await.map(drop) }
        });
        tokio::task::yield_now().await;
        drop(held);
        assert!(waiting.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn what_never_fits_is_told_with_what_would_do() {
        let memory = memory();
        let problem = memory.work(101).await.unwrap_err();
        assert!(problem.kind() == Kind::TooLarge && problem.detail().contains("MB of memory"), "{problem:?}");
        assert_eq!(memory.beyond(10, TIMES * 101).unwrap_err().kind(), Kind::TooLarge);
        let most = memory.beyond(10, TIMES * 100).unwrap();
        assert_eq!(most.bytes, TIMES * 90);
        assert_eq!(memory.beyond(0, TIMES * 11).unwrap_err().kind(), Kind::Overloaded);
        drop(most);
        assert!(memory.beyond(0, TIMES * 100).is_ok());
    }
}
