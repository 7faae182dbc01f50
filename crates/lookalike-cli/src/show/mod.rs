//! Shows results to people, and writes to the standard streams.

pub(crate) mod audit;
pub(crate) mod chart;
pub(crate) mod harmless;
pub(crate) mod link;
pub(crate) mod losses;
pub(crate) mod notes;
pub(crate) mod numbers;
pub(crate) mod pages;
pub(crate) mod progress;
pub(crate) mod side_by_side;
pub(crate) mod streams;
pub(crate) mod summary;
pub(crate) mod usage;

use std::path::Path;

pub(crate) use harmless::one_line;

/// Returns the path or address of an output, on one line and without secrets.
pub(crate) fn shown_path(path: &Path) -> String {
    one_line(&lookalike::io::remote::shown_path(path))
}

/// Lists the kinds of entries that were passed over, each with its number.
pub(crate) fn kinds<'a>(kinds: impl Iterator<Item = (&'a String, &'a u64)>) -> String {
    let kinds = kinds.map(|(kind, count)| format!("{} {kind}", numbers::count(*count)));
    kinds.collect::<Vec<_>>().join(", ")
}

/// Lists the differences that were ignored when texts were compared, if any.
pub(crate) fn folded(fold: &str) -> String {
    if fold == "none" { String::new() } else { format!(", {fold} folded,") }
}
