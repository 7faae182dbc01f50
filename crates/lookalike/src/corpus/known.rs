//! Documents of a saved index because of which documents of the input are removed.

use std::collections::HashMap;

use lookalike_core::ids::Document;
use lookalike_core::measure::likeness::Likeness;

/// The document that is kept in place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// A document that was read, of the input or of the reference.
    Read(Document),
    /// A document of a saved index.
    Stored(Stored),
}

/// A document of a saved index, by its position among the documents that cause removals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Stored(pub(super) u32);

impl Stored {
    /// As a plain number, counted from 0.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// Results of the search in an index.
#[derive(Debug, Default)]
pub(crate) struct Known {
    documents: Vec<KnownDocument>,
    /// The stored document because of which each text is removed, with their similarity. Texts are named by the
    /// document that represents them.
    pub(crate) removed: Vec<(Document, Stored, Likeness)>,
    /// Documents with the same words as a stored one: the stored document, and whether they are exact copies.
    pub(crate) copies: HashMap<Document, (Stored, bool)>,
}

impl Known {
    /// Adds a document that causes removals.
    pub(crate) fn push(&mut self, document: KnownDocument) -> Stored {
        self.documents.push(document);
        Stored(self.documents.len() as u32 - 1)
    }

    pub(super) fn document(&self, stored: Stored) -> &KnownDocument {
        &self.documents[stored.0 as usize]
    }
}

/// A document of the index.
#[derive(Debug)]
pub(crate) struct KnownDocument {
    pub(crate) id: String,
    pub(crate) uri: Option<String>,
    /// The folder of its index.
    pub(crate) index: String,
}
