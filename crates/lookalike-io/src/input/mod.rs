//! The input: resolves paths to files, and rereads documents by their positions.

pub mod about_data;
pub mod discover;
mod exclude;
mod file;
pub mod held;
mod left_out;
mod names;
pub mod shelf;
mod walk;
