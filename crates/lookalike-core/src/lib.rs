//! The pure core of lookalike: no files, no clock, no environment, no terminal.
//!
//! The way of the data, one module a stage:
//!
//! ```text
//! text → shingle → sketch → bucket → verify → resolve
//! ```

pub mod banding;
pub mod bucket;
pub mod error;
pub mod feature_filter;
pub mod feature_set;
pub mod hash;
pub mod keep;
pub mod lists;
pub mod prints;
pub mod resolve;
pub mod shingle;
pub mod similarity;
pub mod sketch;
pub mod text;
pub mod verify;

pub use error::{Error, Result};
