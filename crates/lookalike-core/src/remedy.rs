//! Changes of options that would make possible what was refused.
//!
//! Error messages name no flags. Remedies are worded here, once, and each front end gives its [`Spelling`] of options: flags
//! of the command, arguments in Python, fields of JSON.

use std::fmt;

/// An option of a job. Every front end has it under the same name; the command writes hyphens for underscores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumIter, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum JobOption {
    /// Add the kept documents to the index.
    AddKept,
    /// Documents, sets or prints to compare with.
    Against,
    /// A saved index to compare with.
    AgainstIndex,
    /// Number of bands in which candidates agree.
    Agree,
    /// Score every pair of prints.
    AllPairs,
    /// The column of the angles of minutiae.
    Angle,
    /// The unit of angles.
    AngleUnit,
    /// Write all documents, with notes.
    Annotate,
    /// Bands per sketch.
    Bands,
    /// A range of similarities.
    Between,
    /// Number of bits in which near-duplicates may differ.
    Bits,
    /// Number of random triples of squares.
    Buckets,
    /// Bytes that a sketch may take.
    Budget,
    /// The checksum of exact copies.
    Checksum,
    /// Angles turn clockwise.
    Clockwise,
    /// The column of a list of elements.
    Column,
    /// The kinds of columns.
    Config,
    /// Which pairs of copies are written.
    Copies,
    /// The separator of cells or elements.
    Delimiter,
    /// Write only the evidence.
    DryRun,
    /// How much more is compared than by default.
    Effort,
    /// The column of elements.
    Element,
    /// The exact method.
    Exact,
    /// Patterns of files that are not read.
    Exclude,
    /// The share of records that have a match.
    Expect,
    /// The text of a page that is compared.
    Extract,
    /// How much a source may lose.
    FailIfSourceLoses,
    /// Fields to store or return.
    Fields,
    /// Differences to ignore.
    Fold,
    /// Replace what an earlier run wrote.
    Force,
    /// How rows are written.
    Format,
    /// The number of characters of an element.
    Grams,
    /// The side of a square of the grid.
    Grid,
    /// How matches become removals.
    Group,
    /// Count pairs by score as well.
    Histograms,
    /// The field or column of texts that are pages.
    HtmlField,
    /// The field or column of ids.
    Id,
    /// The column of ids in the second table.
    IdRight,
    /// Weigh elements by their rarity.
    Idf,
    /// The corpus in which ids are looked up.
    In,
    /// What to read.
    Inputs,
    /// Which of two near-duplicates is kept.
    Keep,
    /// The key of the sketches.
    Key,
    /// The name of who labels.
    Labeler,
    /// Known answers.
    Labels,
    /// The id of a stored document to search for.
    Like,
    /// How near to the next square of the grid a minutia counts in it too.
    Margin,
    /// Number of candidates that are looked at.
    MaxCandidates,
    /// Maximum amount of text to read.
    MaxInput,
    /// Maximum length of a record.
    MaxRecord,
    /// The measure of similarity.
    Measure,
    /// Memory limit.
    Memory,
    /// How near-duplicates are found.
    Method,
    /// Several methods to compare.
    Methods,
    /// The model of another result.
    Model,
    /// Lines begin with the name of their set.
    Named,
    /// Number of pairs just below the threshold.
    NearMisses,
    /// The column of dates.
    Newest,
    /// The first row of a table has no names.
    NoHeader,
    /// Write no report.
    NoReport,
    /// At most one match per record.
    OneToOne,
    /// Compare with the reference only.
    OnlyAgainst,
    /// Where the result goes.
    Output,
    /// Probability of finding a pair at the threshold.
    Recall,
    /// The file for the evidence.
    Removed,
    /// The file of the report.
    Report,
    /// How much of the documents a report shows.
    ReportTexts,
    /// Pixels per centimeter.
    Resolution,
    /// Resume an unfinished run.
    Resume,
    /// Rows per band.
    Rows,
    /// Rows are drawn at random.
    RowsRandom,
    /// Number of pairs in a sample.
    Sample,
    /// Number of bytes in a sample.
    SampleBytes,
    /// Random seed.
    Seed,
    /// The column that names sets.
    Set,
    /// What is compared.
    Shingle,
    /// The weights of shingles in bits of sketches.
    ShingleWeights,
    /// Several shingles to compare.
    Shingles,
    /// The size of images.
    Size,
    /// How slots are filled.
    Sketch,
    /// Bits per sketch.
    SketchBits,
    /// Number of slots that random rows are drawn from.
    Slots,
    /// The source of a document.
    Source,
    /// One document of a text file.
    Split,
    /// Your own stop words.
    Stopwords,
    /// What an index stores of documents.
    Store,
    /// How the summary is printed.
    Summary,
    /// How sketches of bits are looked up.
    Tables,
    /// The field or column of texts.
    Text,
    /// Number of threads.
    Threads,
    /// The minimum similarity.
    Threshold,
    /// Several thresholds to compare.
    Thresholds,
    /// Number of results.
    Top,
    /// Sets become elements.
    Transpose,
    /// The column of the types of minutiae.
    Type,
    /// Leave out documents with a stored near-duplicate.
    UnlessDuplicate,
    /// The column to check matches by.
    Validate,
    /// Measure candidates exactly.
    Verify,
    /// The column of weights.
    Weight,
    /// Match within each table.
    Within,
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
    /// A size.
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

/// The way in which a front end writes options.
pub trait Spelling {
    /// An option by its name.
    fn name(&self, name: &str) -> String;

    /// An option with its value.
    fn with_value(&self, name: &str, value: &str) -> String;

    /// An option to be given with a value that only the caller can know.
    fn to_give(&self, option: JobOption) -> String {
        self.name(option.name())
    }

    /// Whether the front end has this option.
    fn has(&self, _option: JobOption) -> bool {
        true
    }
}

/// Bare names, as in JSON.
#[derive(Clone, Copy, Debug)]
pub struct BareNames;

impl Spelling for BareNames {
    fn name(&self, name: &str) -> String {
        name.to_owned()
    }

    fn with_value(&self, name: &str, value: &str) -> String {
        format!("{name} {value}")
    }
}

/// Alternatives in one phrase, as in "give resume or force". None if this front end has nothing to offer.
pub fn in_words(remedies: &[Remedy], spelling: &impl Spelling) -> Option<String> {
    let possible: Vec<&Remedy> =
        remedies.iter().filter(|remedy| remedy.options().all(|option| spelling.has(option))).collect();
    let mut words: Vec<String> = possible.iter().map(|remedy| remedy.in_words(spelling)).collect();
    for at in (1..words.len()).rev().filter(|at| possible[*at - 1..=*at].iter().all(|remedy| remedy.is_given())) {
        words[at] = words[at].replacen("give ", "", 1);
    }
    let last = words.pop()?;
    Some(match words.len() {
        0 => last,
        1 => format!("{} or {last}", words[0]),
        _ => format!("{}, or {last}", words.join(", ")),
    })
}

impl Remedy {
    fn in_words(&self, spelling: &impl Spelling) -> String {
        let (name, to_give) =
            (|option: &JobOption| spelling.name(option.name()), |option: &JobOption| spelling.to_give(*option));
        match self {
            // One without the other is refused.
            Self::Give(JobOption::Bands, None) => {
                format!("give {} and {}", to_give(&JobOption::Bands), to_give(&JobOption::Rows))
            }
            Self::Give(JobOption::Stopwords, None) => {
                let shingle = spelling.with_value(JobOption::Shingle.name(), "stopword");
                format!("give {shingle} and {}", to_give(&JobOption::Stopwords))
            }
            Self::Give(option, None) => format!("give {}", to_give(option)),
            Self::Give(option, Some(value)) => {
                format!("give {}", spelling.with_value(option.name(), &value.to_string()))
            }
            Self::Raise(option) => format!("raise {}", name(option)),
            Self::Lower(option) => format!("lower {}", name(option)),
            Self::LeaveOut(option) => format!("leave out {}", name(option)),
            Self::Replace(given, left_out) => format!("give {} instead of {}", to_give(given), name(left_out)),
        }
    }

    fn is_given(&self) -> bool {
        matches!(self, Self::Give(..) | Self::Replace(..))
    }

    fn options(&self) -> impl Iterator<Item = JobOption> {
        let (first, second) = match self {
            Self::Give(option, _) | Self::Raise(option) | Self::Lower(option) | Self::LeaveOut(option) => {
                (*option, None)
            }
            Self::Replace(given, left_out) => (*given, Some(*left_out)),
        };
        [Some(first), second].into_iter().flatten()
    }
}

/// A size is rounded up, as it is typed: `65M`.
impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Bytes(bytes) if *bytes < 10_000_000_000 => write!(f, "{}M", bytes.div_ceil(1_000_000)),
            Self::Bytes(bytes) => write!(f, "{}G", bytes.div_ceil(1_000_000_000)),
        }
    }
}

impl JobOption {
    /// Its name, as in Python and JSON: lower case, with underscores.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The option of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// All options.
    pub fn all() -> impl Iterator<Item = Self> {
        <Self as strum::IntoEnumIterator>::iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A front end without `work`.
    struct Keywords;

    impl Spelling for Keywords {
        fn name(&self, name: &str) -> String {
            format!("{name}=")
        }

        fn with_value(&self, name: &str, value: &str) -> String {
            format!("{name}={value:?}")
        }

        fn has(&self, option: JobOption) -> bool {
            option != JobOption::Work
        }
    }

    #[test]
    fn alternatives_are_one_phrase() {
        let remedies = [
            Remedy::Raise(JobOption::Threshold),
            Remedy::give_word(JobOption::Method, "exact"),
            Remedy::give(JobOption::Bands),
        ];
        assert_eq!(in_words(&remedies[..1], &BareNames).unwrap(), "raise threshold");
        assert_eq!(in_words(&remedies[..2], &Keywords).unwrap(), "raise threshold= or give method=\"exact\"");
        assert_eq!(
            in_words(&remedies, &Keywords).unwrap(),
            "raise threshold=, give method=\"exact\", or bands= and rows="
        );
    }

    #[test]
    fn an_option_that_a_front_end_lacks_is_not_offered() {
        let work = Remedy::give(JobOption::Work);
        assert_eq!(in_words(std::slice::from_ref(&work), &Keywords), None);
        assert_eq!(
            in_words(&[work, Remedy::give_bytes(JobOption::Memory, 64_000_001)], &Keywords).unwrap(),
            "give memory=\"65M\""
        );
        assert_eq!(OptionValue::Bytes(10_000_000_001).to_string(), "11G");
    }

    #[test]
    fn own_stop_words_come_with_their_shingle() {
        let words = in_words(&[Remedy::give(JobOption::Stopwords)], &BareNames);
        assert_eq!(words.unwrap(), "give shingle stopword and stopwords");
    }
}
