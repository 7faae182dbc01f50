//! The core, as one program.

mod brute;
mod contamination;
mod content;
mod golden;
mod join;
mod link;
mod repeat;
mod resolve;
mod source_examples;
mod statistics;
mod stopping;
mod verify;
