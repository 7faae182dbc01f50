//! Changes of options that would make a rejected request possible.
//!
//! Error messages do not mention flags. Remedies are worded here, once, and each front end provides its [`Spelling`] of
//! options: flags of the command, arguments in Python, fields of JSON.

use std::fmt;

/// An option of a job. Every front end has it under the same name; the command writes hyphens instead of underscores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumIter, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum JobOption {
    /// Action to take on what was found.
    Action,
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
    /// Minimum number of documents that have a passage.
    AtLeast,
    /// Descriptions of images are part of the text of a page.
    Alt,
    /// The column of the angles of minutiae.
    Angle,
    /// The unit of angles.
    AngleUnit,
    /// Write all documents, with notes.
    Annotate,
    /// Bands per sketch.
    Bands,
    /// The passages of an earlier run.
    Baseline,
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
    /// The share of a source's documents that makes a passage common.
    CommonShare,
    /// The kinds of columns.
    Config,
    /// Selection of the pairs of copies that are written.
    Copies,
    /// The share of a test item that a document must have.
    Coverage,
    /// The separator of cells or elements.
    Delimiter,
    /// Count a shingle as often as a text has it.
    CountRepeats,
    /// Write only the evidence.
    DryRun,
    /// Amount of comparison beyond the default.
    Effort,
    /// The column of elements.
    Element,
    /// Treatment of documents that differ only in numbers.
    DifferentNumbers,
    /// Every field of the text must be similar.
    EachField,
    /// The exact method.
    Exact,
    /// Patterns of files that are not read.
    Exclude,
    /// The share of records that have a match.
    Expect,
    /// The text of a page that is compared.
    Extract,
    /// Kind of data in which near-duplicates are looked for.
    Purpose,
    /// The share of a test set that may be contaminated.
    FailIfContaminated,
    /// The share of a split's documents that may leak.
    FailIfLeaks,
    /// The share of the text that may be repeated.
    FailIfRepeated,
    /// The share that a source may lose.
    FailIfSourceLoses,
    /// Fields to store or return.
    Fields,
    /// Differences to ignore.
    Fold,
    /// Replace what an earlier run wrote.
    Force,
    /// The format of rows.
    Format,
    /// Maximum number of words between passages that are joined.
    Gap,
    /// The number of characters of an element.
    Grams,
    /// The side of a square of the grid.
    Grid,
    /// The conversion of matches to removals.
    Group,
    /// Count pairs by score as well.
    Histograms,
    /// The field or column of texts that are pages.
    HtmlField,
    /// Number of words below which a document is a husk.
    Husk,
    /// The field or column of ids.
    Id,
    /// The column of ids in the second table.
    IdRight,
    /// Weigh elements by their rarity.
    Idf,
    /// Ignore what sources say on most of their pages.
    IgnoreBoilerplate,
    /// The corpus in which ids are looked up.
    In,
    /// The documents to search for.
    Input,
    /// The input.
    Inputs,
    /// The field or column of the ids of test items.
    ItemId,
    /// Rule for which of two near-duplicates is kept.
    Keep,
    /// The key of the sketches.
    Key,
    /// The name of the labeler.
    Labeler,
    /// Targets of links are part of the text of a page.
    Links,
    /// Known answers.
    Labels,
    /// The id of a stored document to search for.
    Like,
    /// The distance to the next square of the grid within which a minutia counts in it too.
    Margin,
    /// Maximum number of candidates to examine.
    MaxCandidates,
    /// Maximum amount of text to read.
    MaxInput,
    /// Maximum length of a record.
    MaxRecord,
    /// The measure of similarity.
    Measure,
    /// Memory limit.
    Memory,
    /// The method of finding near-duplicates.
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
    /// Number of words of an n-gram.
    Ngram,
    /// The first row of a table has no names.
    NoHeader,
    /// Write no report.
    NoReport,
    /// At most one match per record.
    OneToOne,
    /// Compare with the reference only.
    OnlyAgainst,
    /// The output.
    Output,
    /// Kind of passages that count as leaks.
    Passages,
    /// The text to search for. It is `text` in JSON and Python, where a search reads no fields. The command takes it as a
    /// positional argument, since its option of that name is the field of documents.
    Query,
    /// Probability of finding a pair at the threshold.
    Recall,
    /// Leave out documents of which little is left.
    RemoveHusks,
    /// The file for the evidence.
    Removed,
    /// The file of the report.
    Report,
    /// Amount of the text of documents that a report shows.
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
    /// A share of a source's pages.
    Share,
    /// The kind of shingle.
    Shingle,
    /// The weights of shingles in bits of sketches.
    ShingleWeights,
    /// Several shingles to compare.
    Shingles,
    /// The size of images.
    Size,
    /// The kind of sketch.
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
    /// Parts of documents that an index stores.
    Store,
    /// The format of the summary.
    Summary,
    /// The tables for lookup of bit sketches.
    Tables,
    /// The field or column of texts.
    Text,
    /// Number of threads.
    Threads,
    /// The minimum similarity.
    Threshold,
    /// Several thresholds to compare.
    Thresholds,
    /// Words, or the tokens of source code.
    Tokens,
    /// Number of results.
    Top,
    /// Sets become elements.
    Transpose,
    /// The column of the types of minutiae.
    Type,
    /// Unit of text that is found repeated.
    Unit,
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
    /// The folder for data that does not fit in memory.
    Work,
    /// The column of horizontal positions.
    X,
    /// The column of vertical positions.
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
    /// Give the first option instead of the second.
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

/// The spelling of options in a front end.
pub trait Spelling {
    /// An option by its name.
    fn name(&self, name: &str) -> String;

    /// An option.
    fn option(&self, option: JobOption) -> String {
        self.name(option.name())
    }

    /// An option with its value.
    fn with_value(&self, name: &str, value: &str) -> String;

    /// An option to be given with a value that only the caller can know.
    fn to_give(&self, option: JobOption) -> String {
        self.option(option)
    }

    /// True if the front end has this option.
    fn has(&self, _option: JobOption) -> bool {
        true
    }
}

/// Plain names, as in JSON.
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

/// Joins alternatives to a phrase, as in "give resume or force". None if this front end has none of the options.
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
            (|option: &JobOption| spelling.option(*option), |option: &JobOption| spelling.to_give(*option));
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

/// A size is rounded up, in the form it is typed: `65M`.
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
        match self {
            Self::Query => Self::Text.into(),
            option => option.into(),
        }
    }

    /// The option of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        name.parse().ok().filter(|option: &Self| option.name() == name)
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
    fn an_option_is_found_by_the_name_it_has_in_json() {
        assert_eq!(
            (JobOption::of_name("top"), JobOption::of_name("text")),
            (Some(JobOption::Top), Some(JobOption::Text))
        );
        assert_eq!((JobOption::Query.name(), JobOption::of_name("query")), ("text", None));
    }

    #[test]
    fn own_stop_words_come_with_their_shingle() {
        let words = in_words(&[Remedy::give(JobOption::Stopwords)], &BareNames);
        assert_eq!(words.unwrap(), "give shingle stopword and stopwords");
    }
}
