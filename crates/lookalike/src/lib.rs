//! Finds near-duplicates, verifies each exactly, and removes them with evidence.
//!
//! Two promises hold for every result. **Every removal is justified**: each removed document has a kept near-duplicate,
//! which is named with their exact similarity. **No duplicates remain**: no two kept documents are near-duplicates, up
//! to the recall of the scheme.
//!
//! ```
//! use lookalike::texts::{self, Fate};
//! use lookalike::{DedupOptions, Scheme, Silent};
//!
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(&folder)?;
//! # std::fs::write("news.jsonl", "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"The storm hit the coast!\"}\n")?;
//! let scheme = Scheme::jaccard(0.8)?; // word 5-shingles, MinHash, recall 0.99: one value, one threshold
//!
//! // Texts in memory: for each, whether it is kept, or which one it is removed for.
//! let fates = texts::dedup(["the storm hit the coast", "The storm hit the coast!", "a quiet day"], &scheme)?;
//! assert_eq!((fates[0], fates[2]), (Fate::Kept, Fate::Kept));
//! assert!(matches!(fates[1], Fate::Removed { by: 0, .. }));
//!
//! // All pairs, each with its exact similarity and both containments.
//! let pairs = texts::pairs(&["the storm hit the coast", "the storm hit the coast."], &scheme)?;
//! assert_eq!(pairs[0].likeness.similarity(scheme.criterion), 1.0);
//!
//! // Files to files: `clean/kept`, `clean/removed.jsonl` and `clean/summary.json`.
//! let summary = lookalike::dedup(&DedupOptions::new(["news.jsonl"]).to_folder("clean"), &Silent)?;
//! assert_eq!((summary.found.kept, summary.found.removed), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | work with strings | [`texts::dedup`], [`texts::pairs`], [`texts::Index`] |
//! | keep documents and search them | [`index`] |
//! | work with files of documents | [`dedup()`], [`filter()`] (stream to stream), [`pairs()`], [`compare()`] |
//! | have their results as typed rows | [`dedup_into()`], [`pairs_into()`], and a [`Sink`] to take them |
//! | choose a threshold or a method | [`tune()`], [`evaluate()`] |
//! | work with records, sets, fingerprints | [`link()`], [`sets()`], [`prints()`] |
//!
//! # Features
//!
//! `excel`, `parquet`, `web` (the text of web pages) and `remote` (object stores and web servers) are on by default. With
//! `default-features = false` none of their dependencies is built, and input that needs them is skipped or refused by
//! name.
#![forbid(unsafe_code)]

mod candidates;
mod compare;
mod corpus;
mod dedup;
mod error;
mod evaluate;
pub mod index;
mod link;
mod options;
mod output;
mod pairs;
mod prints;
mod progress;
mod report;
mod resources;
mod run;
mod sets;
pub mod texts;
mod tune;

pub use compare::passages::Passage;
pub use compare::{Comparison, Side, Verdict, compare, find_in_corpus};
pub use dedup::{DedupRows, Stream, dedup, dedup_into, filter};
pub use error::{Error, Result, until_closed};
pub use evaluate::{
    Agreement, BandHistogram, EvaluateOptions, Evaluation, MethodEvaluation, NamedScheme, Score, ScoreStep, Truth,
    evaluate,
};
pub use link::{
    Accuracy, AddOptions, Added, Analysis, BlockReport, ClusterExplanation, ColumnReport, Compared, GoldReport,
    KeyExplanation, KeyKindReport, KeyReport, LinkOptions, LinkReport, PairExplanation, ScoreBand, ValidationBand,
    ValidationReport, add_records, analyze, explain, explain_result, guess_config, is_link_result, link,
};
pub use lookalike_core::remedy::{JobOption, OptionValue, Remedy};
pub use lookalike_core::text::checksum::Checksum;
pub use lookalike_io::work::{Earlier, WorkOptions};
pub use options::{
    Against, AgainstIndex, Between, Copies, DedupOptions, Group, Held, MethodOptions, Output, PairsOptions,
    ReadOptions, ReportTexts, RowFormat, Scheme, Selection, Share, SketchKey, SourceBy,
};
pub use output::clusters::LargeCluster;
pub use output::measures::{PairMeasures, RemovalMeasures};
pub use output::rows::{DocumentRow, PairRow, Removal, RowFate};
pub use output::sink::{Cell, Row, RowWriter, Sink};
pub use pairs::texts::{FoundText, TextPair, pairs_with_texts};
pub use pairs::{PairsReport, pairs, pairs_into};
pub use prints::{
    AngleUnit, CandidateRecall, GridOptions, GridReport, PrintColumns, PrintSearch, PrintsOptions, PrintsReport,
    ReadPrints, Skips, Turning, prints,
};
pub use progress::{Counted, Progress, Silent};
pub use report::losses::{NearlyLost, Source};
pub use report::page::{ReportOptions, Reported, command_of, report};
pub use report::parameters::{MethodParameters, Parameters};
pub use report::summary::{Band, Found, Input, LeastAlike, SkippedEntry, Stage, Summary, Wrote};
pub use resources::memory::Memory;
pub use sets::{Finding, Separator, SetsForm, SetsOptions, SetsReport, sets};

pub use tune::{
    Bought, Estimate, MOST_BYTES, PairStep, Plan, Point, Sampled, Suggestion, TuneOptions, Tuning, best_within, curve,
    tune,
};

pub use lookalike_core as core;
pub use lookalike_io as io;
