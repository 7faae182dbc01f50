//! Finished runs: their folders, where the rows of `removed.jsonl` are, and runs that are made here.

pub(crate) mod example;
pub(crate) mod filter;
pub(crate) mod opened;
pub(crate) mod starts;
pub(crate) mod store;
pub(crate) mod table;
mod view;
