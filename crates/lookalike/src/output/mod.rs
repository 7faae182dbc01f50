//! The output of a run: evidence, measures, and the selection of entries.

pub(crate) mod captures;
pub(crate) mod clusters;
pub(crate) mod destination;
pub(crate) mod evidence;
pub(crate) mod kept;
pub(crate) mod measures;
pub(crate) mod read_back;
pub(crate) mod rows;
pub(crate) mod select;
pub(crate) mod sink;
