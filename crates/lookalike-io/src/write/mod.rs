//! Documents back to files: what was kept, as it was; or everything, with a note each.

mod annotate;
mod file;
mod staging;

pub use file::{FileWriter, Written, annotated_name};
pub use staging::{OutputFile, Staging};

pub use crate::notes::{Annotation, NOTES};
pub use crate::unfinished::Unfinished;
