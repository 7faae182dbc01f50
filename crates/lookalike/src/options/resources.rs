//! Limits of a job, checked.

use lookalike_io::bounds::InputLimit;
use lookalike_io::input::discover::Exclude;

use crate::resources::memory::Memory;

/// Checked limits of a job.
#[derive(Clone, Debug)]
pub struct Resources {
    pub(crate) memory: Memory,
    pub(crate) longest: u32,
    pub(crate) limit: InputLimit,
    /// Files that are not read.
    pub(crate) exclude: Exclude,
    pub(crate) threads: usize,
    pub(crate) wanted_threads: usize,
}

impl Resources {
    /// Memory limit.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// Number of threads that the memory has room for. A job runs in the pool that it is called in: this is its size.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Number of threads that were asked for.
    pub fn wanted_threads(&self) -> usize {
        self.wanted_threads
    }
}
