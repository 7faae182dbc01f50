//! How far a job is, for whoever watches; and whether it should stop.

use lookalike_io::write::Unfinished;

use crate::error::{Error, Result};

/// Is told how far a job is, and is asked whether it should go on.
pub trait Progress: Sync {
    /// A stage begins. Reading knows its bytes in advance, unless it reads a pipe.
    fn stage(&self, name: &'static str, bytes: Option<u64>);

    /// So many more bytes were done, and what they had in them.
    fn advance(&self, bytes: u64, counted: Counted);

    /// All stages are done.
    fn finish(&self);

    /// Whether the job should stop. It is asked by all threads, for every part of the input and of the output and for every
    /// document that is read again; so the answer should be as quick as that of an atomic flag. A job that stops ends with
    /// [`Error::Stopped`] and leaves nothing half-written; a work folder stays, to be resumed.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Where the job notes what it is making. Only who may end the process while a job is under way needs to keep it, to
    /// [abandon](Unfinished::abandon) what is not complete; a job that fails or stops cleans up by itself.
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

/// What a stage counts while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Documents that were read for the first time.
    Documents(u64),
    /// Readings of documents that may be alike; a document may be read again several times.
    Rereadings(u64),
}

/// Tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &'static str, _: Option<u64>) {}
    fn advance(&self, _: u64, _: Counted) {}
    fn finish(&self) {}
}
