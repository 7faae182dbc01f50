//! Saved indexes and results over HTTP: an API for programs (`api`), a page for people (`pages`), and the page on which
//! a sample of removals is judged (`audit`).

#![forbid(unsafe_code)]

mod api;
pub mod audit;
mod pages;
