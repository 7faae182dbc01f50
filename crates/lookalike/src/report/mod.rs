//! What a run reports: counts, parameters, losses by source, time and memory by stage.

pub(crate) mod losses;
pub(crate) mod page;
pub(crate) mod parameters;
pub(crate) mod summary;
