//! Reads documents from files, and writes them back.
//!
//! ```text
//! discover → open → chunk → documents          kept documents → stage → move into place
//! ```
//!
//! A file becomes a [`read::Stream`] of [`read::Chunk`]s, cut between documents, so that any thread can parse a chunk.
//! A document is read again by its [`input::shelf::Place`].
//!
//! # Features
//!
//! `excel`, `parquet`, `web` (the text of pages) and `remote` (object stores and web servers) are on by default.
//! Without them, input that needs one of them is skipped or refused with a message that names it.
#![forbid(unsafe_code)]

mod address;
mod aside;
pub mod bounds;
mod charset;
pub mod composed;
pub mod compression;
pub mod error;
#[cfg(feature = "excel")]
pub(crate) mod excel;
#[cfg(not(feature = "excel"))]
#[path = "excel/absent.rs"]
pub(crate) mod excel;
mod faults;
mod file_system;
pub mod format;
pub mod input;
mod lock;
mod notes;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet/absent.rs"]
pub(crate) mod parquet;
mod problem;
pub mod read;
mod refused;
#[cfg(feature = "remote")]
pub mod remote;
#[cfg(not(feature = "remote"))]
#[path = "remote/absent.rs"]
pub mod remote;
mod settings;
pub mod skipped;
pub mod table;
mod unfinished;
pub mod web;
pub mod work;
pub mod write;

pub use error::{Error, Result};
pub use parquet::hide_caught_panics;
#[cfg(feature = "parquet")]
pub use parquet::stored;
