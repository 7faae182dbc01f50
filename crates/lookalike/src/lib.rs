//! Finds near-duplicates, verifies each exactly, and removes them with evidence.
//!
//! Two promises hold for every result. **Every removal is justified**: each removed document has a kept near-duplicate,
//! which is named with their exact similarity. **No duplicates remain**: no two kept documents are near-duplicates, up
//! to the recall of the scheme.
//!
//! ```
//! use lookalike::texts::{self, Fate};
//! use lookalike::{DedupRequest, Scheme, Silent};
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
//! assert_eq!(pairs[0].likeness.similarity(scheme.criterion()), 1.0);
//!
//! // Files to files: `clean/kept`, `clean/removed.jsonl` and `clean/summary.json`.
//! let options = DedupRequest::new(["news.jsonl"]).threshold(0.8).output("clean").check()?;
//! let summary = lookalike::dedup(&options, &Silent)?;
//! assert_eq!((summary.found.kept_count, summary.found.removed_count), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | call |
//! | --- | --- |
//! | work with strings | [`texts::dedup`], [`texts::pairs`], [`texts::MemoryIndex`] |
//! | keep documents and search them | [`index`] |
//! | work with files of documents | [`dedup()`], [`filter()`] (stream to stream), [`pairs()`], [`compare()`] |
//! | find passages that several documents have | [`passages()`] |
//! | find leaks between splits | [`splits()`] |
//! | have their results as typed rows | [`dedup_into()`], [`pairs_into()`], and a [`Sink`] to take them |
//! | have sketches and keys, to find candidates elsewhere | [`sketch()`] |
//! | choose a threshold or a method | [`tune()`], [`evaluate()`] |
//! | have people judge a result | [`Audit`], [`judge()`] |
//! | find test items in a corpus | [`decontaminate()`] |
//! | work with records, sets, fingerprints | [`link()`], [`sets()`], [`prints()`] |
//!
//! # Features
//!
//! `excel`, `parquet`, `web` (the text of web pages) and `remote` (object stores and web servers) are on by default.
//! With `default-features = false` none of their dependencies is built, and input that needs them is skipped or refused
//! by name.
#![forbid(unsafe_code)]

mod audit;
mod boilerplate;
mod candidates;
mod compare;
mod corpus;
mod decontaminate;
mod dedup;
mod error;
mod evaluate;
mod extract;
pub mod index;
mod items;
mod link;
mod options;
mod output;
mod pairs;
mod passages;
mod prints;
mod progress;
mod refused;
mod report;
mod request;
mod resources;
mod run;
mod sets;
mod shared_text;
mod sketch;
mod splits;
mod statistics;
#[cfg(feature = "parquet")]
pub mod tasks;
pub mod texts;
mod tune;

pub use audit::{
    Answer, Audit, AuditResult, Disagreement, JudgedRow, Kappa, Label, PairFacts, Precision, Said, judge,
    label_of_removal, label_removal, labels_by_similarity, report,
};
pub use boilerplate::{BoilerplateReport, LearnedSource, boilerplate};
pub use compare::{Comparison, Side, Verdict, compare, compare_documents, comparing_bytes};
pub use decontaminate::{
    CommonPassage, ContaminatedSet, DecontaminateRows, DecontaminateSummary, HitRow, ItemRow, ItemSearch,
    SearchedCorpus, decontaminate, decontaminate_into,
};
pub use dedup::{DedupRows, dedup, dedup_into, filter};
pub use error::{Error, Result, SourceLoss, until_closed};
pub use evaluate::{Agreement, BandHistogram, Evaluation, MethodEvaluation, Score, ScoreStep, TruePairs, evaluate};
pub use extract::{ExtractReport, ExtractedText, extract, extract_into};
pub use link::{
    Accuracy, AddedRecords, Analysis, BlockReport, CalibrationBand, ClusterExplanation, ClusterRow, ColumnReport,
    Compared, Decided, FieldMatch, KeyExplanation, KeyKindReport, KeyReport, LabelsReport, LearnedReport, LinkReport,
    LinkRows, LinkWarning, LinkedRow, MatchRow, PairExplanation, Question, QuestionField, RecordLabel, Review,
    ReviewState, ScoreBand, ThresholdReport, ValidationBand, ValidationReport, add_records, analyze, explain,
    explain_result, guess_config, is_link_result, link, link_into, waterfall,
};
pub use lookalike_core::remedy::{JobOption, OptionValue, Remedy, Spelling};
pub use lookalike_core::text::checksum::Checksum;
pub use lookalike_io::work::{Earlier, WorkOptions};
pub use options::{
    Action, AddRecordsOptions, AngleUnit, AuditOptions, Between, BoilerplateOptions, Bought, CompareOptions,
    ContaminationAction, Copies, DecontaminateOptions, DedupOptions, DifferentNumbers, EvaluateOptions, ExtractOptions,
    Finding, GridOptions, Group, KeepCopy, LinkModel, LinkOptions, MatchOptions, MethodOptions, NamedScheme, Output,
    PairsOptions, PassageFormat, PassagesOptions, PrintSearch, PrintsOptions, Purpose, ReadOptions, ReportOptions,
    ReportTexts, Resources, ReviewOptions, RowFormat, Scheme, SetsOptions, Share, SketchKey, SketchOptions, SourceBy,
    SplitsOptions, TuneOptions,
};
pub use output::clusters::LargeCluster;
pub use output::kept::Wrote;
pub use output::rows::{DocumentRow, PairRow, Removal, RowFate};
pub use output::sink::{Cell, Row, RowWriter, Sink};
pub use pairs::texts::{FoundText, TextPair, pairs_with_texts};
pub use pairs::{PairsReport, pairs, pairs_into};
pub use passages::{
    Husk, MostRepeated, PassageRows, PassageSource, PassagesFound, PassagesInput, PassagesSummary, RepeatedPassage,
    passages, passages_into,
};
pub use prints::{CandidateRecall, GridReport, PrintPair, PrintsReport, Skips, Turning, prints, prints_into};
pub use progress::{Counted, Progress, Silent};
pub use refused::{Refusal, Refused};
pub use report::boilerplate::{DecidedSource, DecidingBoilerplate, IgnoredBoilerplate, UndecidedSource};
pub use report::losses::{NearlyLost, Source};
pub use report::page::{FinishedRun, Reported, RunCommand, ShownPair, SourceFlow, TextPlace, command_of, report_of};
pub use report::parameters::{MethodParameters, Parameters, PurposeSettings};
pub use report::summary::{Band, Found, Input, LeastSimilar, SkipReason, SkippedEntry, Summary};
pub use request::{
    AddRecordsRequest, AddRequest, AuditRequest, BoilerplateRequest, CompareRequest, CreateRequest,
    DecontaminateRequest, DedupRequest, EvaluateRequest, ExtractRequest, IgnoreBoilerplate, IgnoreRequest, LinkRequest,
    MatchRequest, PairsRequest, PassagesRequest, PrintsRequest, ReadRequest, ReportRequest, ResourceRequest,
    ReviewRequest, SchemeRequest, SearchRequest, SetsRequest, Size, SketchRequest, SplitsRequest, TuneRequest,
    WorkRequest, from_options, parse_size, write_boilerplate,
};
pub use resources::memory::Memory;
pub use run::stages::Stage;
pub use sets::{Delimiter, SIMILARITY_STEPS, SetPair, SetsReport, sets, sets_into};
pub use shared_text::Passage;
pub use shared_text::pieces::{Pieces, pieces_of};
pub use sketch::{SketchBatch, SketchReport, sketch};
pub use splits::{Leak, SharedPassage, SplitPair, SplitReport, SplitsReport, splits, splits_into};
pub use statistics::Estimate;
pub use tune::{PairStep, Plan, Point, Sampled, Suggestion, Tuning, curve, tune};

pub use lookalike_core::join::Measure as SetMeasure;
pub use lookalike_core::measure::criterion::{Criterion, Measure};
pub use lookalike_core::measure::similarity::Threshold;
pub use lookalike_core::repeat::Unit;
pub use lookalike_core::resolve::keep::Keep;
pub use lookalike_core::scheme::MethodName;
pub use lookalike_core::text::boilerplate::{Boilerplate, SourceBoilerplate};
pub use lookalike_core::text::fold::Fold;
pub use lookalike_core::text::shingle::Shingle;
pub use lookalike_io::input::held::HeldTable;
pub use lookalike_io::read::Split;
pub use lookalike_io::table::memory::MemoryTable;
pub use lookalike_io::web::Extract;

#[doc(hidden)]
pub use lookalike_core as core;
#[doc(hidden)]
pub use lookalike_io as io;

/// Runs the Rust example of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
