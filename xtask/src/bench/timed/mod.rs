//! Timed measurements of commands and stages: the commands of `cargo xtask bench`, and their common code.

pub(in crate::bench) mod accuracy;
pub(in crate::bench) mod blowup;
pub(in crate::bench) mod decontaminate;
pub(in crate::bench) mod growth;
pub(in crate::bench) mod headline;
pub(in crate::bench) mod index;
pub(in crate::bench) mod index_growth;
pub(in crate::bench) mod link;
pub(crate) mod measure;
pub(in crate::bench) mod methods;
pub(in crate::bench) mod passages;
pub(in crate::bench) mod prints;
pub(in crate::bench) mod purposes;
pub(in crate::bench) mod python;
pub(in crate::bench) mod reading;
pub(in crate::bench) mod running;
pub(in crate::bench) mod serve;
pub(in crate::bench) mod sets;
pub(in crate::bench) mod sketching;
pub(in crate::bench) mod spark;
mod summary;
pub(in crate::bench) mod text;
pub(in crate::bench) mod timing;
mod unpacking;
