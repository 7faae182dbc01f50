//! What is read: paths to files, and files to be read again by place.

pub mod discover;
mod file;
pub mod held;
mod left_out;
mod names;
pub mod shelf;
mod walk;
