//! Saved indexes and results over HTTP: an API for programs (`api`), a page for people (`pages`), and the page on which
//! a sample of removals is judged (`audit`).
//!
//! A request goes: connection ([`serve`]) → layers ([`router`](mod@router)) → key and scope ([`keys`]) → body → a thread that may wait for
//! the disk ([`work`]) → an index ([`state`]) → an answer or a [`problem`].

#![forbid(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links, reason = "the rooms are named for whoever reads the source")]

mod api;
mod audit;
mod connections;
mod keys;
mod log;
mod metrics;
mod pages;
mod problem;
mod results;
mod router;
mod serve;
mod state;
mod tasks;
mod tls;
mod work;

pub use keys::{Key, KeyFile, Scope};
pub use log::LogFormat;
pub use results::opened::InputOf;
pub use serve::{Error, Limits, Result, ServeOptions, Started, Stopper, Tls, serve};
