//! One budget of memory for all requests. What a request holds and what work on it takes is counted before it is taken, so that many
//! large requests wait for each other or are told to come again, and the server does not grow.
//!
//! A quarter of the budget is for bodies and forms while they come in, a quarter for the run that deduplicates a file, and half for
//! work on texts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::limits::Limits;
use crate::problem::{Kind, Problem};

/// How many times the size of a usual text work on it takes.
pub(crate) const TIMES: u64 = 12;

/// How many jobs over files there is room for.
const JOBS: u64 = 2;

/// The memory of all requests.
#[derive(Debug)]
pub(crate) struct Memory {
    bodies: Arc<Budget>,
    work: Arc<Budget>,
    patience: Duration,
}

/// So many bytes, of which some are free.
#[derive(Debug)]
struct Budget {
    all: u64,
    free: Mutex<u64>,
    freed: Notify,
}

/// A part of a budget, which is given back when this is dropped.
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
    /// Takes as much as is needed; it does not wait, or all might wait for each other.
    ///
    /// # Errors
    ///
    /// When there is not so much.
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

    /// Room for what comes in; nothing of it is taken yet.
    pub(crate) fn incoming(&self) -> Share {
        Share { budget: Arc::clone(&self.bodies), bytes: 0 }
    }

    /// The largest body that can be worked on.
    pub(crate) fn most_body(&self) -> u64 {
        self.bodies.all.min(self.work.all / TIMES)
    }

    /// Room for work on a text of so many bytes. It waits a little, beside others and not in a line: small requests pass by large ones.
    ///
    /// # Errors
    ///
    /// When there is never so much, or not soon.
    pub(crate) async fn work(&self, text_bytes: usize) -> Result<Share, Problem> {
        self.take(TIMES * text_bytes as u64).await
    }

    /// Room for a job over a file, and how much it is.
    ///
    /// # Errors
    ///
    /// When there is not so much soon.
    pub(crate) async fn job(&self) -> Result<(Share, u64), Problem> {
        let bytes = self.work.all / JOBS;
        Ok((self.take(bytes).await?, bytes))
    }

    async fn take(&self, bytes: u64) -> Result<Share, Problem> {
        self.check(bytes)?;
        let taken = async {
            loop {
                // Before it is looked, so that nothing is missed in between.
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

    /// Room for what work takes beyond what was counted for it, once that is known. It does not wait.
    ///
    /// # Errors
    ///
    /// When there is never so much, or not now.
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

/// What never fits the memory, and how much would do.
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
