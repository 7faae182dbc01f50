//! The pure core of lookalike: no files, no clock, no environment, no terminal.
//!
//! The way of the data, one module per stage:
//!
//! ```text
//! text → shingle → sketch → bucket → verify → resolve
//! ```
//!
//! Records choose their candidates in a way of their own, which is [`link`].

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
pub mod packed;
pub mod prints;
pub mod remedy;
pub mod resolve;
pub mod scheme;
pub mod search;
pub mod sketch;
pub mod table;
pub mod text;
pub mod verify;

pub use error::{Error, Result};
