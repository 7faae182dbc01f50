//! Saved indexes and results over HTTP: an API for programs (`api`), pages for people (`pages`), and the page for
//! labeling a sample of removals (`audit`) and pairs of records (`review`).
//!
//! A request passes: connection (`connections`) → layers (`router`) → key and scope (`keys`) → body (`body`) → a thread
//! that may block (`work`) → an index (`state`) → an answer or a problem (`problem`).

#![forbid(unsafe_code)]

mod access;
mod api;
mod attempts;
pub mod audit;
mod body;
mod connections;
mod error;
mod extract;
mod form;
mod keys;
mod limits;
mod local;
mod log;
mod memory;
mod metrics;
mod names;
mod pages;
mod problem;
mod results;
pub mod review;
mod router;
mod runs;
mod serve;
mod state;
mod tasks;
mod tls;
mod work;

/// Parsers of untrusted bodies and key files, for the fuzzer.
#[doc(hidden)]
pub mod hostile {
    pub use crate::api::check_body as body;
    pub use crate::body::check_packed as packed;
    pub use crate::keys::check_bytes as keys;
}

pub use api::openapi::openapi;
pub use error::{Error, Result};
pub use keys::{Key, KeyFile, Scope};
pub use limits::Limits;
pub use log::LogFormat;
pub use runs::opened::InputOf;
pub use serve::{ServeOptions, Started, Stopper, serve};
pub use tls::Tls;
