//! Documents back to files: what was kept, as it was; or everything, with a note each.

mod annotate;
mod file;
mod staging;

pub use annotate::Annotation;
pub use file::{Written, annotated_name, write_file};
pub use staging::{OutputFile, Staging, abandon_unfinished};
