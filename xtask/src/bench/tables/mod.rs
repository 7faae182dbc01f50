//! What the benchmarks print, and what they save.

pub(in crate::bench) mod report;
pub(in crate::bench) mod results;
