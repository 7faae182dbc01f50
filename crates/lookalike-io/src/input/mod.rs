//! What is read: paths to files, and files to be read again by place.

pub mod about_data;
pub mod discover;
mod exclude;
mod file;
pub mod held;
mod left_out;
mod names;
pub mod shelf;
mod walk;
