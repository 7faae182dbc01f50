//! How far a job is, for whoever watches.

/// Is told how far a job is.
pub trait Progress: Sync {
    /// A stage begins. Reading knows its bytes in advance, unless it reads a pipe.
    fn stage(&self, name: &'static str, bytes: Option<u64>);

    /// So many more bytes and documents were done.
    fn advance(&self, bytes: u64, documents: u64);

    /// All stages are done.
    fn finish(&self);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &'static str, _: Option<u64>) {}
    fn advance(&self, _: u64, _: u64) {}
    fn finish(&self) {}
}
