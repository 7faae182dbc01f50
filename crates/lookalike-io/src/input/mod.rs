//! What is read: paths to files, and files to be read again by place.

pub mod discover;
mod file;
mod left_out;
mod names;
pub mod shelf;
mod walk;
