//! The judge against the pipeline, as one program.

mod agreement;
mod promises;
mod texts;
