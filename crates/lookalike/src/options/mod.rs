//! Options of the jobs. Only a request makes them, once it is checked; so a wrong combination cannot exist, and nothing is checked again.

mod audit;
mod budget;
mod compare_with;
mod dedup;
mod evaluate;
mod index;
mod link;
mod pairs;
mod prints;
mod read;
mod report;
mod resources;
mod rows;
mod sets;
mod sketch;
mod source;
mod tune;

use std::path::PathBuf;

pub use lookalike_core::scheme::{MethodOptions, Scheme, SketchKey};
use lookalike_core::text::shingle::Shingle;

pub use self::audit::AuditOptions;
pub use self::budget::Bought;
pub(crate) use self::budget::best_within;
pub(crate) use self::compare_with::{Against, AgainstIndex, CompareWith};
pub use self::dedup::{DedupOptions, Group, Output, ReportTexts};
pub use self::evaluate::{EvaluateOptions, NamedScheme};
pub use self::index::AddOptions;
pub use self::link::{AddRecordsOptions, LinkModel, LinkOptions};
pub(crate) use self::pairs::Selection;
pub use self::pairs::{Between, Copies, PairsOptions};
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
pub(crate) use self::tune::MOST_BYTES;
pub use self::tune::TuneOptions;

/// What tells a scheme from others, one line each. Stop words have a line of their own, since whoever edited their file
/// should be told in words.
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
