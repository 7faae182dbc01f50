//! Traits through which the core asks its caller for sketches and features, which need not all be in memory.

use std::borrow::Cow;

use crate::ids::Document;

/// Reason why data could not be read.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Provides the features of documents. They are not all in memory, so this can fail.
pub trait FeatureSource: Sync {
    /// Returns the features of one document, repeated if its text repeats itself.
    ///
    /// # Errors
    ///
    /// If the document cannot be read again.
    fn features(&self, document: Document) -> Result<Vec<u64>, SourceError>;

    /// Returns the features hashed with a second, independent key, if there is one: for a decision that depends on a
    /// single feature.
    ///
    /// # Errors
    ///
    /// If the document cannot be read again.
    fn second_features(&self, document: Document) -> Result<Option<Vec<u64>>, SourceError> {
        let _ = document;
        Ok(None)
    }
}

impl<S: FeatureSource + ?Sized> FeatureSource for &S {
    fn features(&self, document: Document) -> Result<Vec<u64>, SourceError> {
        (**self).features(document)
    }

    fn second_features(&self, document: Document) -> Result<Option<Vec<u64>>, SourceError> {
        (**self).second_features(document)
    }
}

/// Decides whether two documents that are similar enough are a match: it may be necessary to keep both nevertheless.
pub type PairFilter<'a> = dyn Fn(Document, Document) -> Result<bool, SourceError> + Sync + 'a;

/// Provides the sketches of documents, from memory or from elsewhere, which can fail.
pub trait SketchSource: Sync {
    /// Passes the keys of every document in these columns to `each`, in the order of the documents.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn each_keys(&self, columns: &[usize], each: &mut dyn FnMut(Document, &[u64])) -> Result<(), SourceError>;

    /// Passes the bytes of every document to `each`, in the order of the documents.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn each_bytes(&self, each: &mut dyn FnMut(Document, &[u8])) -> Result<(), SourceError>;

    /// The bytes of a document.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn bytes(&self, document: Document) -> Result<Cow<'_, [u8]>, SourceError>;
}
