//! Requests: what a job is asked to do, in the words of its users. Every front end fills one in, and [`check`](DedupRequest::check)
//! turns it into options or says what is wrong with it.
//!
//! Fields are optional, and choices are enums. All rules about values, and about which options go together, are here and nowhere else.
#![allow(
    clippy::duplicated_attributes,
    reason = "the setters of a group are delegated to a field of the same name in several requests"
)]

/// Gives a request its `new`, which takes inputs; the second argument is the field for them.
macro_rules! new_from_inputs {
    ($request:ty, $($field:ident).+) => {
        impl $request {
            /// Files, folders, patterns or addresses, with the defaults of the command and without an output.
            pub fn new<P: Into<std::path::PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
                let mut request = Self::default();
                request.$($field).+ = inputs.into_iter().map(Into::into).collect();
                request
            }
        }
    };
}

/// Gives a request its `from_options`, which takes its own fields from a flat object, and then those of its groups.
macro_rules! from_options {
    ($request:ty $(, $group:ident)*) => {
        impl $request {
            /// Reads a request from options by name.
            ///
            /// # Errors
            ///
            /// When an option is unknown or has a value of the wrong type.
            pub fn from_options(
                options: serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, crate::refused::Refused> {
                let mut flat = $crate::request::flat::Flat::new(options);
                let request: Self = flat.take()?;
                $(let request = Self { $group: flat.take()?, ..request };)*
                flat.finish()?;
                Ok(request)
            }
        }
    };
}

mod audit;
mod dedup;
mod evaluate;
mod flat;
mod index;
mod link;
mod pairs;
mod prints;
mod read;
mod resources;
mod scheme;
mod sets;
mod size;
mod sketch;
mod tune;

use std::path::Path;

use lookalike_core::remedy::JobOption;

use crate::refused::Refused;
pub use audit::{AuditRequest, ReportRequest};
pub use dedup::DedupRequest;
pub(crate) use dedup::check_keep;
pub use evaluate::EvaluateRequest;
pub use flat::from_options;
pub use index::{AddRequest, CreateRequest, SearchRequest};
pub use link::{AddRecordsRequest, LinkRequest};
pub use pairs::PairsRequest;
pub use prints::PrintsRequest;
pub use read::ReadRequest;
pub use resources::{ResourceRequest, WorkRequest};
pub use scheme::SchemeRequest;
pub use sets::SetsRequest;
pub use size::{Size, parse_size};
pub use sketch::SketchRequest;
pub use tune::TuneRequest;

/// A count, which may be 0.
fn number(option: JobOption, value: i64) -> Result<usize, Refused> {
    usize::try_from(value).map_err(|_| Refused::out_of_range(option, value, "at least 0"))
}

/// A count above 0.
fn at_least_one(option: JobOption, value: i64) -> Result<usize, Refused> {
    match number(option, value) {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(Refused::out_of_range(option, value, "at least 1")),
    }
}

/// Whether a path stands for standard input or output.
fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses standard output where a file is written.
fn named_file(option: JobOption, path: Option<&Path>) -> Result<(), Refused> {
    match path.filter(|path| is_stream(path)) {
        Some(_) => Err(Refused::unknown_word(option, "-", "the name of a file")),
        None => Ok(()),
    }
}

/// Refuses standard output where a folder is written.
fn named_folder(option: JobOption, path: Option<&Path>) -> Result<(), Refused> {
    match path.filter(|path| is_stream(path)) {
        Some(_) => Err(Refused::unknown_word(option, "-", "the name of a folder")),
        None => Ok(()),
    }
}

/// A share of something.
fn share(option: JobOption, value: f64) -> Result<f64, Refused> {
    if value > 0.0 && value <= 1.0 {
        Ok(value)
    } else {
        Err(Refused::out_of_range(option, value, "above 0 and at most 1"))
    }
}
