//! Documents of a saved index that documents of the input are removed for.

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

/// A document of a saved index, by its position among those that something is removed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Stored(pub(super) u32);

impl Stored {
    /// As a plain number, counted from 0.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// What was found in an index.
#[derive(Debug, Default)]
pub(crate) struct Known {
    documents: Vec<KnownDocument>,
    /// What each text is removed for, by the document that stands for it.
    pub(crate) removed: Vec<(Document, Stored, Likeness)>,
    /// Documents with the words of a known one: which one, and whether they are exact copies.
    pub(crate) copies: HashMap<Document, (Stored, bool)>,
}

impl Known {
    /// Notes a document that something is removed for.
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
