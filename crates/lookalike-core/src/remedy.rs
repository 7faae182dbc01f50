//! What a caller can change about its options so that what was refused becomes possible.
//!
//! A message says what is wrong in words that are right everywhere. Each front end adds the remedy in its own: flags of the command,
//! or arguments in Python.

/// An option of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobOption {
    /// How many bands candidates agree in.
    Agree,
    /// The column of the angles of minutiae.
    Angle,
    /// All documents are written, with notes.
    Annotate,
    /// How many bands a sketch has.
    Bands,
    /// The column of a list of elements.
    Column,
    /// Nothing is written but the evidence.
    DryRun,
    /// The column of elements.
    Element,
    /// The exact method.
    Exact,
    /// How much a source may lose.
    FailIfSourceLoses,
    /// What an earlier run wrote is replaced.
    Force,
    /// The field or column of ids.
    Id,
    /// The corpus that ids are of.
    In,
    /// Which of two near-duplicates is kept.
    Keep,
    /// The most text that is read.
    MaxInput,
    /// The longest record that is read.
    MaxRecord,
    /// The most memory that is used.
    Memory,
    /// How near-duplicates are found.
    Method,
    /// Where the result goes.
    Output,
    /// The chance to find a pair at the threshold.
    Recall,
    /// An unfinished run is continued.
    Resume,
    /// How many rows a band has.
    Rows,
    /// What stands between the elements of a line.
    Separator,
    /// The column that names sets.
    Set,
    /// How many slots random rows are drawn from.
    Slots,
    /// A file of stop words.
    Stopwords,
    /// The field or column of texts.
    Text,
    /// How many threads are used.
    Threads,
    /// The minimum similarity.
    Threshold,
    /// How many of the nearest sets are wanted.
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
    /// Give the option, with this value where one is known to help.
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
    /// A size, of which each front end has its own spelling.
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
    pub const ALL: [Self; 33] = [
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
        Self::Separator,
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
            Self::Separator => "separator",
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
