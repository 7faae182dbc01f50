//! What a job is asked to do. Everything here was checked: nothing is looked at twice.

use std::path::PathBuf;

use lookalike_core::banding::Banding;
use lookalike_core::keep::Keep;
use lookalike_core::resolve::Scope;
use lookalike_core::shingle::Shingle;
use lookalike_core::similarity::Threshold;
use lookalike_core::text::fold::Fold;
use lookalike_io::read::Settings;

use crate::error::{Error, Result};

/// What to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Files, folders, patterns, addresses, or `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// How they are read.
    pub settings: Settings,
}

/// When two documents are alike.
#[derive(Clone, Copy, Debug)]
pub struct SimilarityOptions {
    /// What a feature is made of.
    pub shingle: Shingle,
    /// What is left out of texts before they are compared.
    pub fold: Fold,
    /// From which similarity on two documents are near-duplicates.
    pub threshold: Threshold,
    /// How sketches are cut.
    pub banding: Banding,
}

/// What [`crate::dedup()`] is asked to do.
#[derive(Clone, Debug)]
pub struct DedupOptions {
    /// What to read.
    pub read: ReadOptions,
    /// When two documents are alike.
    pub similarity: SimilarityOptions,
    /// What the input is held against besides itself.
    pub against: Option<Against>,
    /// Who stays.
    pub keep: Keep,
    /// How matches become removals.
    pub group: Group,
    /// Which source a document counts to.
    pub source: SourceBy,
    /// The share of its documents from which on a source's loss ends the run, before anything is written.
    pub fail_if_source_loses: Option<Share>,
    /// The folder to write to; none to write nothing.
    pub folder: Option<PathBuf>,
    /// What to write there.
    pub output: Output,
    /// Whether to replace what an earlier run wrote.
    pub force: bool,
}

/// Documents that are kept out of the input: what is like one of them is removed.
#[derive(Clone, Debug)]
pub struct Against {
    /// Files, folders, or `-` for standard input. What is in them is neither removed nor written.
    pub references: Vec<PathBuf>,
    /// Whether the input is also held against itself. If it is not, [`Group`] makes no difference.
    pub scope: Scope,
}

/// Which source a document counts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceBy {
    /// The host of its address; its file, if it has none.
    #[default]
    HostOrFile,
    /// The host of its address.
    Host,
    /// Its file.
    File,
    /// What its field says that [`lookalike_io::read::Fields::source`] names.
    Field,
}

/// A share of documents: above 0, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// Checks the range once.
    ///
    /// # Errors
    ///
    /// [`Error::ShareOutOfRange`] when `value` is not above 0 and at most 1.
    pub fn new(value: f64) -> Result<Self> {
        if value > 0.0 && value <= 1.0 { Ok(Self(value)) } else { Err(Error::ShareOutOfRange { value }) }
    }

    /// As a number.
    pub fn value(self) -> f64 {
        self.0
    }
}

/// How matches become removals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// A maximal independent set: every removed document has a kept near-duplicate.
    #[default]
    Independent,
    /// Connected components: one document of each is kept, however unlike the others.
    Components,
}

/// What `dedup` writes besides the evidence and the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The kept documents.
    #[default]
    Kept,
    /// Nothing.
    DryRun,
    /// All documents, with a note each.
    Annotated,
}

/// What [`crate::pairs()`] is asked to do.
#[derive(Clone, Debug)]
pub struct PairsOptions {
    /// What to read.
    pub read: ReadOptions,
    /// When two documents are alike.
    pub similarity: SimilarityOptions,
    /// The file that is written to, if it is one: it is no input.
    pub output: Option<PathBuf>,
    /// How rows are written.
    pub format: RowFormat,
    /// Which pairs of exact copies are written.
    pub copies: Copies,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowFormat {
    /// A JSON object a line.
    #[default]
    Jsonl,
    /// Tab-separated, with a header line.
    Tsv,
}

/// Which pairs of exact copies are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// All of them.
    #[default]
    All,
    /// For n copies the n - 1 pairs with the first, which alone is paired with others.
    Star,
}
