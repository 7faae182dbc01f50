//! Bytes to documents and back.
//!
//! ```text
//! discover → open → chunk → documents          kept documents → stage → move into place
//! ```
//!
//! A file becomes a [`read::Stream`] of [`read::Chunk`]s, cut where no document is cut, so that chunks are parsed by any
//! thread. A document is found again by its [`input::shelf::Place`].
#![forbid(unsafe_code)]

pub mod bounds;
mod charset;
pub mod compression;
pub mod error;
pub mod format;
pub mod input;
mod lock;
pub(crate) mod parquet;
pub mod read;
pub mod remote;
pub mod table;
pub mod web;
pub mod work;
pub mod write;

pub use error::{Error, Result};
