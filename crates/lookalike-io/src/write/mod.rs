//! Writes documents back to files: the kept ones unchanged, or all with a note each.

mod annotate;
mod file;
mod object;
mod staging;

pub use file::{FileWriter, Written, annotated_name};
pub use object::{add_field, with_text};
pub use staging::{OutputFile, Staging};

pub use crate::notes::{Annotation, NOTES};
pub use crate::unfinished::Unfinished;
