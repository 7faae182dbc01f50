//! What is read: paths to files, and files to be read again by place.

pub mod discover;
pub mod shelf;
