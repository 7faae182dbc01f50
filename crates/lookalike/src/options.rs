//! Options of the jobs. Their values have been checked, and are not checked again.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use lookalike_core::decision::Scope;
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::resolve::keep::Keep;
pub use lookalike_core::scheme::{MethodOptions, Scheme, SketchKey};
use lookalike_core::text::shingle::Shingle;
use lookalike_io::input::discover::{Discovered, discover_listed};
use lookalike_io::input::held::HeldTable;
use lookalike_io::read::Settings;
use lookalike_io::work::WorkOptions;

use crate::error::{Error, Result};
use crate::resources::memory::Memory;

/// What to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Files, folders, patterns, addresses, or `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// More inputs, from a list. Those that cannot be read are skipped, and do not end the run.
    pub listed: Vec<PathBuf>,
    /// How they are read.
    pub settings: Settings,
    /// Tables in memory, read after all files.
    pub held: Held,
}

/// Tables in the memory of the caller, which are read where they lie.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// Those of the input.
    pub tables: Vec<HeldTable>,
    /// Those of the reference.
    pub references: Vec<HeldTable>,
}

impl ReadOptions {
    /// Files, folders, patterns or addresses, read with the defaults of the command.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        let inputs = inputs.into_iter().map(Into::into).collect();
        Self { inputs, listed: Vec::new(), settings: Settings::default(), held: Held::default() }
    }

    /// Tables in memory, read with the defaults of the command.
    ///
    /// ```
    /// use lookalike::io::input::held::HeldTable;
    /// use lookalike::{DedupOptions, DedupRows, ReadOptions, RowFate, Silent};
    ///
    /// let table = HeldTable::new("news", vec!["the storm hit the coast", "a quiet day", "The storm hit the coast!"]);
    /// let options = DedupOptions { read: ReadOptions::of_tables([table]), ..DedupOptions::new([""; 0]) };
    /// let mut fates: Vec<RowFate> = Vec::new();
    /// let rows = DedupRows { fates: Some(&mut fates), ..DedupRows::default() };
    /// lookalike::dedup_into(&options, rows, &Silent)?;
    /// assert_eq!((fates[1].kept_position, fates[2].kept_position), (None, Some(1)));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn of_tables(tables: impl IntoIterator<Item = HeldTable>) -> Self {
        let held = Held { tables: tables.into_iter().collect(), references: Vec::new() };
        Self { held, ..Self::new(Vec::<PathBuf>::new()) }
    }

    /// What to read: files, and then tables.
    pub(crate) fn discover(&self, output: Option<&Path>) -> Result<Discovered> {
        Ok(discover_listed(&self.inputs, &self.listed, output)?.with_tables(&self.held.tables))
    }

    /// What to compare with: files, and then tables.
    pub(crate) fn discover_references(&self, references: &[PathBuf], output: Option<&Path>) -> Result<Discovered> {
        Ok(discover_listed(references, &[], output)?.with_tables(&self.held.references))
    }
}

/// What tells a scheme from others, one line each. Stop words have a line of their own, since whoever edited their file
/// should be told in words.
fn scheme_label(scheme: &Scheme) -> Vec<String> {
    let mut lines = Vec::new();
    if let Shingle::StopWord(words) = &scheme.shingle {
        lines.push(format!("stop words '{}' with the content {:016x}", words.name(), words.content_hash()));
    }
    lines.push(format!("scheme {scheme}"));
    lines
}

/// Options of [`crate::dedup()`].
#[derive(Clone, Debug)]
pub struct DedupOptions {
    /// What to read.
    pub read: ReadOptions,
    /// When two documents are near-duplicates, and how they are found.
    pub scheme: Scheme,
    /// The reference that the input is compared with, if any.
    pub against: Option<Against>,
    /// A saved index that the input is compared with besides itself, instead of files.
    pub against_index: Option<AgainstIndex>,
    /// Which of several near-duplicates is kept.
    pub keep: Keep,
    /// How matches become removals.
    pub group: Group,
    /// What the source of a document is.
    pub source: SourceBy,
    /// A source that loses this share of its documents, or more, ends the run before anything is written.
    pub fail_if_source_loses: Option<Share>,
    /// The folder to write to; none to write nothing.
    pub folder: Option<PathBuf>,
    /// What to write there.
    pub output: Output,
    /// Whether to replace what an earlier run wrote.
    pub force: bool,
    /// What `report.html` in the folder shows of texts; none to write none.
    pub report: Option<ReportTexts>,
    /// The command line that asked for all this, word by word and without secrets, for the summary and the report; may be empty.
    pub command: Vec<String>,
    /// Memory limit.
    pub memory: Memory,
    /// Where to put what does not fit in memory.
    pub work: WorkOptions,
}

/// How much of the documents a report shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportTexts {
    /// Ids and places only.
    None,
    /// What differs between two documents, and a little around it.
    #[default]
    Excerpt,
    /// Whole documents, as far as there is room.
    Full,
}

impl DedupOptions {
    /// The defaults of the command for these inputs, without an output: files, folders, patterns or addresses.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        Self {
            read: ReadOptions::new(inputs),
            scheme: Scheme::default(),
            against: None,
            against_index: None,
            keep: Keep::default(),
            group: Group::default(),
            source: SourceBy::default(),
            fail_if_source_loses: None,
            folder: None,
            output: Output::default(),
            force: false,
            report: Some(ReportTexts::default()),
            command: Vec::new(),
            memory: Memory::default(),
            work: WorkOptions::default(),
        }
    }

    /// The same with a folder to write to.
    #[must_use]
    pub fn to_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    /// The same with another scheme.
    #[must_use]
    pub fn with_scheme(self, scheme: Scheme) -> Self {
        Self { scheme, ..self }
    }

    /// The same with another keep order.
    #[must_use]
    pub fn keeping(self, keep: Keep) -> Self {
        Self { keep, ..self }
    }

    /// What tells this run from others on the same input, a line each.
    pub(crate) fn label(&self) -> Vec<String> {
        let mut lines = vec!["command dedup".to_owned()];
        lines.extend(scheme_label(&self.scheme));
        lines.push(format!("settings {:?}", self.read.settings));
        lines.push(format!("keep {}, group {:?}", self.keep, self.group));
        let against = self.against.as_ref().map(|against| (shown(&against.references), against.scope));
        lines.push(format!("reference {against:?}"));
        lines.extend(self.against_index.as_ref().map(|against| format!("index {against:?}")));
        lines
    }
}

/// A saved index that the input is compared with: what is like a document of it is removed.
#[derive(Clone, Debug)]
pub struct AgainstIndex {
    /// The folder of the index.
    pub folder: PathBuf,
    /// Whether the input is also compared with itself.
    pub scope: Scope,
    /// Whether what is kept is added to the index, after the output is complete.
    pub add_kept: bool,
}

/// Paths for a label, which is written: without secrets.
fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| lookalike_io::remote::shown_path(path)).collect()
}

/// A reference: documents of the input that are similar to one of its documents are removed.
#[derive(Clone, Debug)]
pub struct Against {
    /// Files, folders, or `-` for standard input. Their documents are neither removed nor written.
    pub references: Vec<PathBuf>,
    /// Whether the input is also compared with itself. If it is not, [`Group`] makes no difference.
    pub scope: Scope,
}

/// What the source of a document is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceBy {
    /// The host of its address, or else its file, or the folder if the file is one document.
    #[default]
    HostOrFile,
    /// The host of its address.
    Host,
    /// Its file.
    File,
    /// The value of the field named by [`lookalike_io::read::Fields::source`].
    Field,
}

impl SourceBy {
    /// As a summary names it; `field` is that of [`SourceBy::Field`].
    pub(crate) fn written(self, field: Option<&str>) -> String {
        match self {
            Self::HostOrFile => "host, file or folder".to_owned(),
            Self::Host => "host".to_owned(),
            Self::File => "file".to_owned(),
            Self::Field => format!("field:{}", field.unwrap_or_default()),
        }
    }

    /// What a summary names so.
    pub(crate) fn parse(written: &str) -> Option<Self> {
        let is_named = |by: &Self| by.written(None) == written;
        let named = [Self::HostOrFile, Self::Host, Self::File].into_iter().find(is_named);
        named.or_else(|| written.starts_with("field:").then_some(Self::Field))
    }
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
    /// Connected components: one document of each is kept, however different the others are.
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
    /// All documents, each with notes.
    Annotated,
}

/// Options of [`crate::pairs()`].
#[derive(Clone, Debug)]
pub struct PairsOptions {
    /// What to read.
    pub read: ReadOptions,
    /// When two documents are near-duplicates, and how they are found.
    pub scheme: Scheme,
    /// The file that is written to, if any, which is then not read as input.
    pub output: Option<PathBuf>,
    /// How rows are written.
    pub format: RowFormat,
    /// Which pairs of documents with the same words are written.
    pub copies: Copies,
    /// Which of all pairs are written.
    pub selection: Selection,
    /// Memory limit.
    pub memory: Memory,
    /// Where to put what does not fit in memory.
    pub work: WorkOptions,
}

impl PairsOptions {
    /// The defaults of the command for these inputs: files, folders, patterns or addresses.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        Self {
            read: ReadOptions::new(inputs),
            scheme: Scheme::default(),
            output: None,
            format: RowFormat::default(),
            copies: Copies::default(),
            selection: Selection::default(),
            memory: Memory::default(),
            work: WorkOptions::default(),
        }
    }

    /// What tells this run from others on the same input, a line each.
    pub(crate) fn label(&self) -> Vec<String> {
        let mut lines = vec!["command pairs".to_owned()];
        lines.extend(scheme_label(&self.scheme));
        lines.push(format!("settings {:?}", self.read.settings));
        lines.push(format!("reference {:?}", shown(&self.selection.references)));
        lines
    }

    /// Whether only pairs with a reference are wanted.
    pub(crate) fn has_reference(&self) -> bool {
        !self.selection.references.is_empty() || !self.read.held.references.is_empty()
    }
}

/// Which pairs are written: by default all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The reference: files, folders, or `-` for standard input. If there is one, only pairs of an input document
    /// (left) and a reference document (right) are written.
    pub references: Vec<PathBuf>,
    /// Only pairs with a similarity in this range.
    pub between: Option<Between>,
    /// Of the pairs left, a uniform sample of this size: the same one in every run.
    pub sample: Option<NonZeroUsize>,
}

/// A range of similarities: `low` or more and below `high`; a `high` of 1 is included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    low: Threshold,
    high: f64,
}

impl Between {
    /// Checks the range.
    ///
    /// # Errors
    ///
    /// [`Error::NothingBetween`] unless 0 < `low` < `high` <= 1.
    pub fn new(low: f64, high: f64) -> Result<Self> {
        match Threshold::new(low) {
            Ok(threshold) if low < high && high <= 1.0 => Ok(Self { low: threshold, high }),
            _ => Err(Error::NothingBetween { low, high }),
        }
    }

    /// The lower end: the threshold of a run that finds these pairs.
    pub fn low(self) -> Threshold {
        self.low
    }

    /// Whether a similarity is in the range.
    ///
    /// ```
    /// use lookalike::Between;
    ///
    /// let below = Between::new(0.75, 0.85)?;
    /// assert!(below.contains(0.75) && !below.contains(0.85));
    /// assert!(Between::new(0.75, 1.0)?.contains(1.0));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn contains(self, similarity: f64) -> bool {
        similarity >= self.low.value() && (similarity < self.high || self.high >= 1.0)
    }
}

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowFormat {
    /// One JSON object per line.
    #[default]
    Jsonl,
    /// Tab-separated, with a header line.
    Tsv,
    /// Comma-separated, with a header line and quotes where they are needed (RFC 4180).
    Csv,
}

impl RowFormat {
    /// What stands between cells.
    pub(crate) fn separator(self) -> char {
        if self == Self::Csv { ',' } else { '\t' }
    }

    /// A text in one cell of a row, whatever is in it.
    pub(crate) fn cell(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Csv if text.contains([',', '"', '\n', '\r']) || text != text.trim() => {
                format!("\"{}\"", text.replace('"', "\"\"")).into()
            }
            Self::Jsonl | Self::Tsv if text.contains(['\t', '\n', '\r', '\\']) => {
                let text = text.replace('\\', "\\\\").replace('\t', "\\t");
                text.replace('\n', "\\n").replace('\r', "\\r").into()
            }
            _ => text.into(),
        }
    }
}

/// Which pairs of documents with the same words are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// All of them.
    #[default]
    All,
    /// For n such documents, the n - 1 pairs with the first, which alone is paired with other documents.
    Star,
}
