//! Documents back to files: what was kept, as it was; or everything, with a note each.

mod annotate;
mod aside;
mod file;
mod staging;
mod unfinished;

pub(crate) use aside::{beside, remove_left};
pub(crate) use staging::parent;

pub use annotate::{Annotation, NOTES};
pub use file::{FileWriter, Written, annotated_name};
pub use staging::{OutputFile, Staging};
pub use unfinished::Unfinished;
