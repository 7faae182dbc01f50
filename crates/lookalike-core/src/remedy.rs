//! Changes of options that would make possible what was refused.
//!
//! Error messages name no flags. Each front end adds the remedy in its own words: flags of the command, or arguments in
//! Python.

/// An option of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobOption {
    /// Number of bands in which candidates agree.
    Agree,
    /// The column of the angles of minutiae.
    Angle,
    /// Write all documents, with notes.
    Annotate,
    /// Bands per sketch.
    Bands,
    /// The column of a list of elements.
    Column,
    /// Write only the evidence.
    DryRun,
    /// The column of elements.
    Element,
    /// The exact method.
    Exact,
    /// How much a source may lose.
    FailIfSourceLoses,
    /// Replace what an earlier run wrote.
    Force,
    /// The field or column of ids.
    Id,
    /// The corpus in which ids are looked up.
    In,
    /// Which of two near-duplicates is kept.
    Keep,
    /// Maximum amount of text to read.
    MaxInput,
    /// Maximum length of a record.
    MaxRecord,
    /// Memory limit.
    Memory,
    /// How near-duplicates are found.
    Method,
    /// Where the result goes.
    Output,
    /// Probability of finding a pair at the threshold.
    Recall,
    /// Resume an unfinished run.
    Resume,
    /// Rows per band.
    Rows,
    /// The column that names sets.
    Set,
    /// Number of slots that random rows are drawn from.
    Slots,
    /// A file of stop words.
    Stopwords,
    /// The field or column of texts.
    Text,
    /// Number of threads.
    Threads,
    /// The minimum similarity.
    Threshold,
    /// Number of most similar sets per set.
    Top,
    /// The column of the types of minutiae.
    Type,
    /// The folder for what does not fit in memory.
    Work,
    /// The column of horizontal places.
    X,
    /// The column of vertical places.
    Y,
}

/// One change of options that helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Give the option, with this value if one is known to help.
    Give(JobOption, Option<OptionValue>),
    /// Give a larger value.
    Raise(JobOption),
    /// Give a smaller value.
    Lower(JobOption),
    /// Do not give the option.
    LeaveOut(JobOption),
    /// Give the first option in place of the second.
    Replace(JobOption, JobOption),
}

/// A value that is known to help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// A size, which each front end spells in its own way.
    Bytes(u64),
    /// A word or number, spelled the same everywhere.
    Word(&'static str),
}

impl Remedy {
    /// Give an option whose value only the caller can know.
    pub fn give(option: JobOption) -> Self {
        Self::Give(option, None)
    }

    /// Give an option that is a size.
    pub fn give_bytes(option: JobOption, bytes: u64) -> Self {
        Self::Give(option, Some(OptionValue::Bytes(bytes)))
    }

    /// Give an option with this value.
    pub fn give_word(option: JobOption, word: &'static str) -> Self {
        Self::Give(option, Some(OptionValue::Word(word)))
    }
}

impl JobOption {
    /// Every option that an error can name.
    pub const ALL: [Self; 32] = [
        Self::Agree,
        Self::Angle,
        Self::Annotate,
        Self::Bands,
        Self::Column,
        Self::DryRun,
        Self::Element,
        Self::Exact,
        Self::FailIfSourceLoses,
        Self::Force,
        Self::Id,
        Self::In,
        Self::Keep,
        Self::MaxInput,
        Self::MaxRecord,
        Self::Memory,
        Self::Method,
        Self::Output,
        Self::Recall,
        Self::Resume,
        Self::Rows,
        Self::Set,
        Self::Slots,
        Self::Stopwords,
        Self::Text,
        Self::Threads,
        Self::Threshold,
        Self::Top,
        Self::Type,
        Self::Work,
        Self::X,
        Self::Y,
    ];

    /// The words of its name with `-` between, from which each front end derives its spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Angle => "angle",
            Self::Annotate => "annotate",
            Self::Bands => "bands",
            Self::Column => "column",
            Self::DryRun => "dry-run",
            Self::Element => "element",
            Self::Exact => "exact",
            Self::FailIfSourceLoses => "fail-if-source-loses",
            Self::Force => "force",
            Self::Id => "id",
            Self::In => "in",
            Self::Keep => "keep",
            Self::MaxInput => "max-input",
            Self::MaxRecord => "max-record",
            Self::Memory => "memory",
            Self::Method => "method",
            Self::Output => "output",
            Self::Recall => "recall",
            Self::Resume => "resume",
            Self::Rows => "rows",
            Self::Set => "set",
            Self::Slots => "slots",
            Self::Stopwords => "stopwords",
            Self::Text => "text",
            Self::Threads => "threads",
            Self::Threshold => "threshold",
            Self::Top => "top",
            Self::Type => "type",
            Self::Work => "work",
            Self::X => "x",
            Self::Y => "y",
        }
    }
}
