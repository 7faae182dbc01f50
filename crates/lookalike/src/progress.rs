//! How far a job is, for whoever watches.

/// Is told how far a job is.
pub trait Progress: Sync {
    /// A stage begins. Reading knows its bytes in advance, unless it reads a pipe.
    fn stage(&self, name: &'static str, bytes: Option<u64>);

    /// So many more bytes were done, and what they had in them.
    fn advance(&self, bytes: u64, counted: Counted);

    /// All stages are done.
    fn finish(&self);
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
