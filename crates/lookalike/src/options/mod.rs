//! Options of the jobs. Only a request makes them, once it is checked; so a wrong combination cannot exist, and nothing
//! is checked again.

mod audit;
mod boilerplate;
mod budget;
mod compare;
mod compare_with;
mod decontaminate;
mod dedup;
mod evaluate;
mod extract;
mod index;
mod link;
mod matching;
mod pairs;
mod passages;
mod prints;
mod read;
mod report;
mod resources;
mod rows;
mod sets;
mod sketch;
mod source;
mod splits;
mod tune;

use std::path::PathBuf;

pub use lookalike_core::scheme::{MethodOptions, Scheme, SketchKey};
use lookalike_core::text::shingle::Shingle;

pub use self::audit::AuditOptions;
pub use self::boilerplate::BoilerplateOptions;
pub(crate) use self::boilerplate::Learning;
pub use self::budget::Bought;
pub(crate) use self::budget::best_within;
pub use self::compare::CompareOptions;
pub(crate) use self::compare_with::{Against, AgainstIndex, CompareWith};
pub(crate) use self::decontaminate::{CONTAMINATED, CUT_ITEMS};
pub use self::decontaminate::{ContaminationAction, DecontaminateOptions};
pub use self::dedup::{DedupOptions, Group, Output, ReportTexts};
pub use self::evaluate::{EvaluateOptions, NamedScheme};
pub use self::extract::ExtractOptions;
pub use self::index::{AddOptions, Search, SearchQuery};
pub use self::link::{AddRecordsOptions, LinkModel, LinkOptions, ReviewOptions};
pub use self::matching::{DifferentNumbers, MatchOptions, Purpose};
pub(crate) use self::pairs::Selection;
pub use self::pairs::{Between, Copies, PairsOptions};
pub(crate) use self::passages::PASSAGES_FIELD;
pub use self::passages::{Action, KeepCopy, PassageFormat, PassagesOptions};
pub use self::prints::{AngleUnit, GridOptions, PrintSearch, PrintsOptions};
pub(crate) use self::prints::{PrintColumns, ReadPrints};
pub use self::read::ReadOptions;
pub use self::report::ReportOptions;
pub use self::resources::Resources;
pub use self::rows::RowFormat;
pub(crate) use self::sets::SetsForm;
pub use self::sets::{Finding, SetsOptions};
pub use self::sketch::SketchOptions;
pub use self::source::{Share, SourceBy};
pub use self::splits::SplitsOptions;
pub(crate) use self::tune::MOST_BYTES;
pub use self::tune::TuneOptions;

/// Lines that distinguish a scheme from others. Stop words have a line of their own, so that a user who edited their
/// file gets a clear message.
fn scheme_label(scheme: &Scheme) -> Vec<String> {
    let mut lines = Vec::new();
    if let Shingle::StopWord(words) = scheme.shingle() {
        lines.push(format!("stop words '{}' with the content {:016x}", words.name(), words.content_hash()));
    }
    lines.push(format!("scheme {scheme}"));
    lines
}

/// Paths for a label, which is written: without secrets.
fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| lookalike_io::remote::shown_path(path)).collect()
}
