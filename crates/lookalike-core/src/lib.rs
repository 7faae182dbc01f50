//! The pure core of lookalike: no files, no clock, no environment, no terminal.
//!
//! The way of the data, one module a stage:
//!
//! ```text
//! text → shingle → sketch → bucket → verify → resolve
//! ```
//!
//! Records choose their candidates in a way of their own, which is [`link`].

pub mod banding;
pub mod bucket;
pub mod chance;
pub mod criterion;
pub mod edit;
pub mod error;
pub mod feature_filter;
pub mod feature_set;
pub mod hamming;
pub mod hash;
pub mod join;
pub mod keep;
pub mod likeness;
pub mod link;
pub mod lists;
pub mod method;
pub mod passed_over;
pub mod prints;
pub mod resolve;
pub mod shingle;
pub mod similarity;
pub mod sketch;
pub mod stop_words;
pub mod strings;
pub mod table;
pub mod text;
pub mod verify;

pub use error::{Error, Result};
