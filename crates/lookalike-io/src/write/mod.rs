//! Documents back to files: what was kept, as it was; or everything, with a note each.

mod annotate;
mod file;
mod staging;

pub(crate) use staging::{STAGING_PREFIX, note_unfinished};

pub use annotate::{Annotation, NOTES};
pub use file::{FileWriter, Written, annotated_name};
pub use staging::{OutputFile, Staging, abandon_unfinished};
