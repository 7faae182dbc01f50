//! Memory and disk: who may use how much, and where the rest goes.

pub(crate) mod memory;
pub(crate) mod space;
pub(crate) mod spill;
pub(crate) mod words;
pub(crate) mod work;
