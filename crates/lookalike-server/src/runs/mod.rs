//! Finished runs: their folders, the positions of the rows of `removed.jsonl`, and runs that are started here.

pub(crate) mod example;
pub(crate) mod filter;
pub(crate) mod opened;
pub(crate) mod starts;
pub(crate) mod store;
pub(crate) mod table;
mod view;
