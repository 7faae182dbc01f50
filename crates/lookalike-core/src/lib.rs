//! The pure core of lookalike: no files, no clock, no environment, no terminal.
//!
//! The stages, one module each:
//!
//! ```text
//! text → shingle → sketch → bucket → verify → resolve
//! ```
//!
//! Records find their candidates differently: see [`link`].

pub mod bucket;
pub mod contamination;
pub mod decision;
pub mod error;
pub mod hash;
pub mod ids;
pub mod join;
pub mod kernel;
pub mod link;
pub mod measure;
pub mod method;
pub mod packed;
pub mod prints;
pub mod remedy;
pub mod repeat;
pub mod resolve;
pub mod scheme;
pub mod search;
pub mod sketch;
pub mod sources;
pub mod table;
pub mod text;
pub mod verify;
mod words;

pub use error::{Error, Result};
