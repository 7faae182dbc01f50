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
pub mod decision;
pub mod doors;
pub mod error;
pub mod hash;
pub mod join;
pub mod kernel;
pub mod link;
pub mod measure;
pub mod method;
pub mod number;
pub mod packed;
pub mod prints;
pub mod remedy;
pub mod resolve;
pub mod scheme;
pub mod sketch;
pub mod table;
pub mod text;
pub mod verify;

pub use error::{Error, Result};
