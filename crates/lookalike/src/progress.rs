//! The progress of a job, and whether it should stop.

use lookalike_io::write::Unfinished;

use crate::error::{Error, Result};

/// Receives the progress of a job, and decides whether it should stop.
pub trait Progress: Sync {
    /// A stage starts. The number of bytes to read is known in advance, except for pipes.
    fn stage(&self, name: &'static str, bytes: Option<u64>);

    /// Another `bytes` bytes were processed, which contained `counted`.
    fn advance(&self, bytes: u64, counted: Counted);

    /// All stages are complete.
    fn finish(&self);

    /// Returns true if the job should stop. All threads call this, for every part of the input and of the output and
    /// for every document that is read again, so it should be as fast as reading an atomic flag. A job that stops ends
    /// with [`Error::Stopped`] and leaves no partial output; a work folder remains for resuming.
    fn is_stopped(&self) -> bool {
        false
    }

    /// The list in which the job records what it is writing. Only a caller that may end the process during a job needs
    /// it, to [abandon](Unfinished::abandon) incomplete output; a job that fails or stops cleans up after itself.
    fn unfinished(&self) -> Unfinished {
        Unfinished::default()
    }
}

impl dyn Progress + '_ {
    /// Returns an error if the job should stop.
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// Items counted by a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counted {
    /// Documents read for the first time.
    Documents(u64),
    /// Repeated reads of documents that may be near-duplicates; a document may be read again several times.
    Rereadings(u64),
}

/// Ignores progress, and never stops a job.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &'static str, _: Option<u64>) {}
    fn advance(&self, _: u64, _: Counted) {}
    fn finish(&self) {}
}
