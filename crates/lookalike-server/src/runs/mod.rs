//! Finished runs of `dedup`: their folders, and where the rows of `removed.jsonl` are.

pub(crate) mod opened;
pub(crate) mod table;
