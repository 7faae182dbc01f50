//! Requests: what a job is asked to do, in the words of its users. Every front end fills one in, and
//! [`check`](DedupRequest::check) turns it into options or says what is wrong with it.
//!
//! Fields are optional, and choices are enums. All rules about values, and about which options go together, are here
//! and nowhere else.
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
            /// Fails if an option is unknown or has a value of the wrong type.
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
mod boilerplate;
mod boilerplate_file;
mod compare;
mod decontaminate;
mod dedup;
mod evaluate;
mod extract;
mod flat;
mod ignoring;
mod index;
mod link;
mod matching;
mod pairs;
mod passages;
mod prints;
mod purposes;
mod read;
mod resources;
mod scheme;
mod sets;
mod size;
mod sketch;
mod splits;
mod tokens;
mod tune;

use std::num::NonZeroUsize;
use std::path::Path;

use lookalike_core::remedy::JobOption;

use crate::options::{ReadOptions, ReportTexts};
use crate::refused::{Refusal, Refused};
pub use audit::{AuditRequest, ReportRequest};
pub use boilerplate::{BoilerplateRequest, IgnoreBoilerplate};
pub use boilerplate_file::write_boilerplate;
pub use compare::CompareRequest;
pub use decontaminate::DecontaminateRequest;
pub use dedup::DedupRequest;
pub(crate) use dedup::check_keep;
pub use evaluate::EvaluateRequest;
pub use extract::ExtractRequest;
pub use flat::from_options;
pub use ignoring::IgnoreRequest;
pub use index::{AddRequest, CreateRequest, SearchRequest};
pub use link::{AddRecordsRequest, LinkRequest, ReviewRequest};
pub use matching::MatchRequest;
pub use pairs::PairsRequest;
pub use passages::PassagesRequest;
pub use prints::PrintsRequest;
pub use read::ReadRequest;
pub use resources::{ResourceRequest, WorkRequest};
pub use scheme::SchemeRequest;
pub use sets::SetsRequest;
pub use size::{Size, parse_size};
pub use sketch::SketchRequest;
pub use splits::SplitsRequest;
pub use tune::TuneRequest;

/// A count, which may be 0.
fn number(option: JobOption, value: i64) -> Result<usize, Refused> {
    usize::try_from(value).map_err(|_| Refused::out_of_range(option, value, "at least 0"))
}

/// A count above 0.
fn at_least_one(option: JobOption, value: i64) -> Result<usize, Refused> {
    non_zero(option, value).map(NonZeroUsize::get)
}

/// A count above 0, as a type that has no 0.
fn non_zero(option: JobOption, value: i64) -> Result<NonZeroUsize, Refused> {
    let count = usize::try_from(value).ok().and_then(NonZeroUsize::new);
    count.ok_or_else(|| Refused::out_of_range(option, value, "at least 1"))
}

/// True if a path stands for standard input or output.
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

/// Makes sure that options of a report go together.
fn check_report(report: Option<&Path>, no_report: Option<bool>, texts: Option<ReportTexts>) -> Result<(), Refused> {
    named_file(JobOption::Report, report)?;
    let given = [(JobOption::Report, report.is_some()), (JobOption::ReportTexts, texts.is_some())];
    match given.iter().find(|(_, is_given)| *is_given && no_report == Some(true)) {
        Some((option, _)) => Err(Refused::not_with(*option, JobOption::NoReport)),
        None => Ok(()),
    }
}

/// Makes sure that no field that is added to documents replaces one that the run uses: the text would be lost, or the
/// name by which a document is known.
fn check_added(option: JobOption, added: &[&str], read: &ReadOptions) -> Result<(), Refused> {
    let fields = &read.settings.fields;
    let text = if read.settings.is_html { JobOption::HtmlField } else { JobOption::Text };
    let used = [
        (text, Some(&fields.text)),
        (JobOption::Id, fields.id.as_ref()),
        (JobOption::Source, fields.source.as_ref()),
        (JobOption::Keep, fields.value.as_ref()),
    ];
    // A text may be composed of several fields, and be inside of others.
    let is_added = |path: &str| added.contains(&path.trim().split(['.', '[']).next().unwrap_or_default());
    let is_replaced = |field: &String| field.split(',').any(is_added);
    match used.into_iter().find_map(|(used, field)| Some((used, field.filter(|field| is_replaced(field))?))) {
        Some((used, field)) => Err(Refused::new(option, Refusal::Replaces(used, field.clone()))),
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
