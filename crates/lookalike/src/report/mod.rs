//! The report of a run: counts, parameters, losses by source, time and memory by stage.

pub(crate) mod boilerplate;
pub(crate) mod losses;
pub(crate) mod page;
pub(crate) mod parameters;
pub(crate) mod summary;
