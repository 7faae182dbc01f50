//! What can be wrong with what the core is given.

/// Why a value was refused, with the value and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A similarity or threshold that is not within 0 and 1.
    #[error("{value} is not a similarity: it must lie within 0 and 1")]
    SimilarityOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// A threshold of zero, which would make everything a duplicate of everything.
    #[error("a threshold of {value} is not possible: it must be above 0 and at most 1, for example 0.8")]
    ThresholdOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// A recall that no banding can have.
    #[error("a recall of {value} is not possible: it must be above 0 and at most 1, for example 0.99")]
    RecallOutOfRange {
        /// The value as given.
        value: f64,
    },

    /// Bands and rows that make no sketch, or one that is too large.
    #[error("{bands} bands of {rows} rows are not possible: both must be at least 1, and their product at most {most}")]
    BandingOutOfRange {
        /// Bands as given.
        bands: usize,
        /// Rows as given.
        rows: usize,
        /// How many slots a sketch may have.
        most: usize,
    },

    /// A threshold and recall that no sketch of the allowed size reaches.
    #[error(
        "no banding of {most} slots finds pairs at {threshold} with recall {recall}: \
         raise the threshold, lower the recall, or give --bands and --rows"
    )]
    RecallOutOfReach {
        /// The threshold asked for.
        threshold: f64,
        /// The recall asked for.
        recall: f64,
        /// How many slots a sketch may have.
        most: usize,
    },

    /// A shingle that is not `word:K` or `char:K`.
    #[error("'{value}' is not a shingle: write word:K or char:K with K from 1 to {most}, for example word:5")]
    NotAShingle {
        /// The value as given.
        value: String,
        /// The largest K.
        most: usize,
    },

    /// Something to leave out that is not known.
    #[error("'{value}' cannot be folded: write accents, digits, or accents,digits")]
    NotAFold {
        /// The value as given.
        value: String,
    },

    /// A keep order that is not known.
    #[error("'{value}' is not a keep order: write longest, first, last, max:FIELD or min:FIELD")]
    NotAKeepOrder {
        /// The value as given.
        value: String,
    },

    /// Bytes that are no fingerprint template of a known format.
    #[error("not a template of ISO/IEC 19794-2:2005: {reason}")]
    NotATemplate {
        /// What is wrong.
        reason: &'static str,
    },

    /// A fingerprint template that ends too early.
    #[error("the template is cut short: {part} goes to byte {wanted}, and there are {length}")]
    TemplateCutShort {
        /// What is not whole.
        part: &'static str,
        /// How many bytes there should be at least.
        wanted: usize,
        /// How many there are.
        length: usize,
    },
}

/// The core's result.
pub type Result<T> = std::result::Result<T, Error>;
