//! Errors for values passed to the core.

use crate::remedy::{JobOption, Remedy};

/// Reason why a value was rejected, with the value and the allowed range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A similarity or threshold that is not within 0 and 1.
    #[error("{value} is not a similarity: it must be between 0 and 1")]
    SimilarityOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// A threshold that is not above 0 and at most 1. Zero would make everything a duplicate of everything.
    #[error("a threshold of {value} is not possible: it must be above 0 and at most 1, for example 0.8")]
    ThresholdOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// A recall that no banding can reach.
    #[error("a recall of {value} is not possible: it must be above 0 and at most 1, for example 0.99")]
    RecallOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// Bands and rows that give no sketch, or one that is too large.
    #[error("{bands} bands of {rows} rows are not possible: both must be at least 1, and their product at most {most}")]
    BandingOutOfRange {
        /// Bands as given.
        bands: usize,
        /// Rows as given.
        rows: usize,
        /// Maximum number of slots.
        most: usize,
    },

    /// A band that would have more rows than there are slots to draw from.
    #[error("{rows} rows cannot be drawn from {slots} slots: there must be {rows} to {most} slots")]
    TooFewSlots {
        /// Rows as given.
        rows: usize,
        /// Slots as given.
        slots: usize,
        /// Maximum number of slots.
        most: usize,
    },

    /// More agreeing bands than there are bands, or none.
    #[error("candidates cannot agree in {agreeing} of {bands} bands: the number must be from 1 to {bands}")]
    AgreeingOutOfRange {
        /// The value as given.
        agreeing: usize,
        /// Number of bands.
        bands: usize,
    },

    /// A Hamming distance that is not supported.
    #[error("a distance of {distance} bits is not possible: it must be at most {most}, for example 3")]
    DistanceOutOfRange {
        /// The value as given.
        distance: u32,
        /// The largest supported distance.
        most: u32,
    },

    /// A threshold and recall that no sketch of the allowed size reaches.
    #[error("no banding of {most} slots or fewer finds pairs at a similarity of {threshold} with a recall of {recall}")]
    RecallOutOfReach {
        /// The requested threshold.
        threshold: f64,
        /// The requested recall.
        recall: f64,
        /// Maximum number of slots.
        most: usize,
    },

    /// A containment threshold too low to be found by a few features per document.
    #[error(
        "containment of {threshold} cannot be found with a recall of {recall}: at most {most} shingles of each document are looked \
         for in others, which is enough for thresholds of {lowest} or more"
    )]
    ContainmentOutOfReach {
        /// The requested threshold.
        threshold: f64,
        /// The requested recall.
        recall: f64,
        /// The lowest threshold with this recall.
        lowest: f64,
        /// Maximum number of features of a document that are looked up.
        most: usize,
    },

    /// A number of features per document that is not allowed.
    #[error("{taken} features of a document cannot be looked for: the number must be from 1 to {most}")]
    TakenOutOfRange {
        /// The value as given.
        taken: usize,
        /// Maximum number of features to look up per document.
        most: usize,
    },

    /// An unknown word or number in a serialized scheme.
    #[error("a scheme cannot have '{value}' as its {field}")]
    NotInAScheme {
        /// The field.
        field: &'static str,
        /// The value as written.
        value: String,
    },

    /// A table of boilerplate that was learned with other features.
    #[error("the boilerplate was learned with {table}, and cannot be used with {scheme}")]
    OtherBoilerplate {
        /// The shingle and fold of the table.
        table: String,
        /// Those of the scheme.
        scheme: String,
    },

    /// A measure for which there are no sketches.
    #[error("sketches cannot find pairs by {measure}; the exact join finds all of them")]
    NoSketches {
        /// The measure.
        measure: &'static str,
    },

    /// A method that does not support the measure.
    #[error("the method '{method}' does not find pairs by {measure}; {measure} goes with {allowed}")]
    MethodDoesNotFit {
        /// The method with its parameters.
        method: String,
        /// The measure.
        measure: &'static str,
        /// The methods that support it.
        allowed: &'static str,
    },

    /// Super-shingles whose groups would share minima.
    #[error("the groups of super-shingles cannot be drawn at random: each minimum belongs to one group")]
    RandomGroups,

    /// A language without a stop word list.
    #[error("there are no stop words for '{value}': choose from {known}, or give your own list")]
    NotALanguage {
        /// The value as given.
        value: String,
        /// The supported languages.
        known: String,
    },

    /// A unit of passages in an unknown format.
    #[error("'{value}' is not a unit of passages: give line, paragraph or run:N, with N from 8 to 10000")]
    NotAUnit {
        /// The unit as given.
        value: String,
    },

    /// A shingle that is not `word:K`, `char:K`, `token:K` or `stopword`.
    #[error(
        "'{value}' is not a shingle: write word:K or char:K with K from 1 to {most}, for example word:5, token:K, code:K, or stopword, \
         or stopword:LANGUAGES, for example stopword:en,de"
    )]
    NotAShingle {
        /// The value as given.
        value: String,
        /// The largest K.
        most: usize,
    },

    /// An unknown fold.
    #[error(
        "'{value}' cannot be folded: write accents, digits and links, with commas between them, or identifiers for source code"
    )]
    NotAFold {
        /// The value as given.
        value: String,
    },

    /// A row with more or fewer fields than the table has columns.
    #[error("a row has {fields} fields where the table has {columns} columns")]
    RowOfWrongLength {
        /// Fields of the row.
        fields: usize,
        /// Columns of the table.
        columns: usize,
    },

    /// A column that a table does not have.
    #[error("there is no column '{name}': the columns are {columns}")]
    NoSuchColumn {
        /// The name as given.
        name: String,
        /// The names that exist.
        columns: String,
    },

    /// An id that two records share.
    #[error("the id '{id}' is not unique: rows {first} and {second} have it")]
    IdNotUnique {
        /// The id.
        id: String,
        /// The first row that has it, counted from 1.
        first: usize,
        /// The second.
        second: usize,
    },

    /// A weight for a level that a column does not have.
    #[error("column '{column}' has no level '{level}': its levels are {levels}")]
    NoSuchLevel {
        /// The column.
        column: String,
        /// The level.
        level: String,
        /// The levels of its kind.
        levels: String,
    },

    /// A table without rows.
    #[error("{table} has no rows")]
    NoRows {
        /// The table: first or second.
        table: &'static str,
    },

    /// All columns are ignored.
    #[error("no column is left to compare: {why}")]
    NothingToCompare {
        /// The reason why each column is ignored.
        why: String,
    },

    /// More fields than one comparison can hold.
    #[error("{fields} columns are too many to compare: write kind = \"ignored\" for all but {most}")]
    TooManyFields {
        /// Columns that are not ignored.
        fields: usize,
        /// Maximum number of fields.
        most: usize,
    },

    /// A model learned from other columns.
    #[error(
        "the model does not fit: it compares {there}, and this table has {here}: name the same columns with the same kinds"
    )]
    OtherFields {
        /// The fields of the records.
        here: String,
        /// The fields of the model.
        there: String,
    },

    /// A model created by another version, or edited.
    #[error(
        "the model does not fit: its levels of column '{column}' are not those of this version; link its table again"
    )]
    OtherLevels {
        /// The column.
        column: String,
    },

    /// An unknown keep order.
    #[error(
        "'{value}' is not a keep order: write longest, first, last, max:FIELD, min:FIELD or source:A>B>*, or several with commas between them, at most one with a field"
    )]
    NotAKeepOrder {
        /// The value as given.
        value: String,
    },

    /// Bytes that are not a fingerprint template of a known format.
    #[error("not a template of ISO/IEC 19794-2:2005: {reason}")]
    NotATemplate {
        /// The problem.
        reason: &'static str,
    },

    /// A fingerprint template that ends too early.
    #[error("the template is cut short: {part} goes to byte {wanted}, and there are {length}")]
    TemplateCutShort {
        /// The incomplete part.
        part: &'static str,
        /// Minimum number of bytes.
        wanted: usize,
        /// Actual number of bytes.
        length: usize,
    },
}

impl Error {
    /// Changes of options that would help; any one of them is sufficient.
    pub fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::TooFewSlots { .. } => vec![Remedy::give(JobOption::Slots)],
            Self::AgreeingOutOfRange { .. } => vec![Remedy::give(JobOption::Agree)],
            Self::RecallOutOfReach { .. } => vec![
                Remedy::Raise(JobOption::Threshold),
                Remedy::Lower(JobOption::Recall),
                Remedy::give(JobOption::Bands),
            ],
            Self::ContainmentOutOfReach { .. } => vec![
                Remedy::Raise(JobOption::Threshold),
                Remedy::Lower(JobOption::Recall),
                Remedy::give(JobOption::Exact),
            ],
            Self::NoSketches { .. } => vec![Remedy::LeaveOut(JobOption::Recall)],
            Self::NotALanguage { .. } => vec![Remedy::give(JobOption::Stopwords)],
            _ => Vec::new(),
        }
    }
}

/// Result of functions of the core.
pub type Result<T> = std::result::Result<T, Error>;
