//! Memory and disk: limits, and where data goes that does not fit in memory.

pub(crate) mod memory;
pub(crate) mod space;
pub(crate) mod spill;
pub(crate) mod words;
pub(crate) mod work;
