//! The jobs of lookalike: what Rust users depend on.
//!
//! [`dedup()`] removes near-duplicates and names, for each, what was kept in its place ([`filter()`] from stream to stream); [`pairs()`] lists them;
//! [`compare()`] measures two. Each is one function that calls the stages in order.
//!
//! # Features
//!
//! `parquet`, `web` (the text of web pages) and `remote` (object stores and web servers) are on by default. With
//! `default-features = false` none of their dependencies is built, and input that needs them is skipped or refused by name.
#![forbid(unsafe_code)]

mod candidates;
mod compare;
mod corpus;
mod dedup;
mod error;
mod evaluate;
mod link;
mod options;
mod output;
mod pairs;
mod prints;
mod progress;
mod report;
mod resources;
mod sets;
pub mod texts;
mod tune;

pub use compare::passages::Passage;
pub use compare::{Comparison, Side, Verdict, compare, find_in_corpus};
pub use dedup::{Stream, dedup, filter};
pub use error::{Error, Result};
pub use evaluate::{
    Agreement, BandHistogram, EvaluateOptions, Evaluation, MethodEvaluation, NamedScheme, Score, ScoreStep, Truth,
    evaluate,
};
pub use link::{
    AddOptions, Added, ColumnReport, KeyKindReport, LinkOptions, LinkReport, ScoreBand, ValidationBand,
    ValidationReport, add_records, explain, guess_config, link,
};
pub use lookalike_core::remedy::{JobOption, OptionValue, Remedy};
pub use lookalike_core::text::checksum::Checksum;
pub use lookalike_io::work::{Earlier, WorkOptions};
pub use options::{
    Against, Between, Copies, DedupOptions, Group, MethodOptions, Output, PairsOptions, ReadOptions, RowFormat, Scheme,
    Selection, Share, SimilarityOptions, SketchKey, SourceBy,
};
pub use pairs::texts::{FoundText, TextPair, pairs_with_texts};
pub use pairs::{PairsReport, pairs};
pub use prints::{
    CandidateRecall, GridOptions, GridReport, PrintColumns, PrintSearch, PrintsOptions, PrintsReport, ReadPrints,
    Skips, prints,
};
pub use progress::{Counted, Progress, Silent};
pub use report::losses::{NearlyLost, Source};
pub use report::parameters::{MethodParameters, Parameters};
pub use report::summary::{Band, Found, Input, Removal, SkippedEntry, Stage, Summary, Wrote};
pub use resources::memory::Memory;
pub use sets::{Finding, SetsForm, SetsOptions, SetsReport, sets};

pub use tune::{
    Bought, Estimate, MOST_BYTES, PairStep, Plan, Point, Sampled, Suggestion, TuneOptions, Tuning, best_within, curve,
    tune,
};

pub use lookalike_core as core;
pub use lookalike_io as io;
