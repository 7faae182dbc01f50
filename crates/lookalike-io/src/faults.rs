//! Simulated failures for tests: the disk is full, or the process dies, at a given operation of the work folder, or at
//! a given step of moving the output into place.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::file_system::write_all_at;

/// Simulated failures, for tests. By default there are none.
#[derive(Debug, Default)]
pub struct Faults {
    /// The number of the operation that fails, counted from 1; zero for none.
    at: u64,
    /// The number of the commit step that fails.
    commit_at: u64,
    kind: Kind,
    done: AtomicU64,
    committed: AtomicU64,
}

/// Kind of failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// There is no space left, from then on.
    #[default]
    Full,
    /// The process dies while writing, as by `kill -9`.
    Death,
}

impl Faults {
    /// Fails at operation number `at`.
    pub fn new(at: u64, kind: Kind) -> Self {
        Self { at, kind, ..Self::default() }
    }

    /// Fails at step number `at` of those that move the output into place and clean up afterwards.
    pub fn in_commit(at: u64, kind: Kind) -> Self {
        Self { commit_at: at, kind, ..Self::default() }
    }

    /// Number of such steps so far.
    pub fn commit_count(&self) -> u64 {
        self.committed.load(Relaxed)
    }

    /// Number of operations so far.
    pub fn count(&self) -> u64 {
        self.done.load(Relaxed)
    }

    /// Counts an operation.
    pub(crate) fn check(&self) -> io::Result<()> {
        self.count_to(self.at, &self.done)
    }

    /// Counts a step of a commit.
    ///
    /// # Errors
    ///
    /// If the step must fail.
    pub fn check_commit(&self) -> io::Result<()> {
        self.count_to(self.commit_at, &self.committed)
    }

    fn count_to(&self, at: u64, done: &AtomicU64) -> io::Result<()> {
        let number = done.fetch_add(1, Relaxed) + 1;
        match self.kind {
            _ if at == 0 || number < at => Ok(()),
            Kind::Full => Err(io::ErrorKind::StorageFull.into()),
            Kind::Death => std::process::abort(),
        }
    }

    /// Counts a write: returns how many of the bytes it may write. A write that dies has written half of them.
    pub(crate) fn check_write(&self, file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        if self.kind == Kind::Death && self.at == self.count() + 1 {
            write_all_at(file, &bytes[..bytes.len() / 2], offset)?;
        }
        self.check().map(|()| bytes.len())
    }
}
