//! Records: which of them mean the same, in one table or between two.
//!
//! ```text
//! guess → prepare → key → measure → weigh → score → decide
//! Config   Records  Candidates  Pattern  Model  Scored  Decision
//! ```

pub mod cluster;
pub mod config;
pub mod decide;
pub mod explain;
pub mod extend;
pub mod guess;
pub mod key;
mod letters;
pub mod measure;
pub mod normalize;
pub mod records;
pub mod score;
pub mod strings;
pub mod table;
pub mod validate;
mod vocabulary;
pub mod weigh;
mod words;
