//! What ends a job.

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something about files.
    #[error(transparent)]
    Io(#[from] lookalike_io::Error),

    /// Something about parameters.
    #[error(transparent)]
    Core(#[from] lookalike_core::Error),

    /// A document that was asked for by its id.
    #[error("no document has the id '{id}': ids are those of --id FIELD, or file:position")]
    NoSuchDocument {
        /// The id.
        id: String,
    },

    /// A file that cannot be read as a document.
    #[error("{path} is no document: {reason}")]
    NotADocument {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },

    /// A file that should be one document.
    #[error("{path} has {count} documents: to compare two documents of a corpus, give their ids and --in {path}")]
    NotOneDocument {
        /// The file.
        path: String,
        /// How many documents it has.
        count: usize,
    },

    /// More documents than a 32-bit number counts.
    #[error("more than 4,294,967,295 documents in one run: split the input")]
    TooManyDocuments,
}

/// A job's result.
pub type Result<T> = std::result::Result<T, Error>;
