//! The progress of a job, and whether it should stop.

use lookalike_io::write::Unfinished;

use crate::error::{Error, Result};

/// Receives the progress of a job, and is asked whether it should stop.
pub trait Progress: Sync {
    /// A stage begins. Reading knows its bytes in advance, unless it reads a pipe.
    fn stage(&self, name: &'static str, bytes: Option<u64>);

    /// This many more bytes were processed, containing `counted`.
    fn advance(&self, bytes: u64, counted: Counted);

    /// All stages are done.
    fn finish(&self);

    /// Whether the job should stop. All threads call this, for every part of the input and of the output and for every
    /// document that is read again, so it should be as fast as reading an atomic flag. A job that stops ends with
    /// [`Error::Stopped`] and leaves nothing half-written; a work folder stays, to be resumed.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Where the job records what it is writing. Only a caller that may end the process while a job is running needs to
    /// keep it, to [abandon](Unfinished::abandon) what is incomplete; a job that fails or stops cleans up after itself.
    fn unfinished(&self) -> Unfinished {
        Unfinished::default()
    }
}

impl dyn Progress + '_ {
    /// Ends the job if it should stop.
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// What a stage counts while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Documents that were read for the first time.
    Documents(u64),
    /// Second readings, of documents that may be near-duplicates; a document may be read again several times.
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
