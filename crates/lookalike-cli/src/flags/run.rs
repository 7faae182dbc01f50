//! How a command runs, whatever its result: on how many threads, and how much it says.

use std::num::NonZeroUsize;

use anyhow::{Result, bail};
use clap::Args;
use lookalike::Memory;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print only errors
    #[arg(short, long)]
    quiet: bool,
}

/// More threads than any machine has cores would only get in each other's way.
const MOST_THREADS: usize = 1024;

/// What concerns the run and not its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunOptions {
    pub(crate) threads: Option<usize>,
    pub(crate) quiet: bool,
    /// How much memory the threads share, where that is bounded.
    pub(crate) memory: Option<Memory>,
}

impl RunArguments {
    pub(crate) fn options(&self) -> Result<RunOptions> {
        let Self { threads, quiet } = *self;
        if let Some(threads) = threads.filter(|threads| !(1..=MOST_THREADS).contains(threads)) {
            bail!("--threads {threads} is not possible: give 1 to {MOST_THREADS}, or leave it out to use every core");
        }
        Ok(RunOptions { threads, quiet, memory: None })
    }
}

impl RunOptions {
    /// The same, on as many threads as so much memory has room for.
    pub(crate) fn within(self, memory: Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// How many threads were asked for, and how many of them there is room for.
    pub(crate) fn thread_count(self) -> (usize, usize) {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let asked = self.threads.unwrap_or_else(cores);
        (asked, asked.min(self.memory.map_or(usize::MAX, Memory::most_threads)))
    }
}
