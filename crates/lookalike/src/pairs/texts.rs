//! Pairs with their texts, for people to read.

use std::io;

use lookalike_core::ids::Document;
use lookalike_io::read::{Parser, Settings};

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::options::PairsOptions;
use crate::output::select::FoundPair;
use crate::pairs::{PairsReport, TakePairs, run};
use crate::progress::Progress;

/// Two documents that are near-duplicates.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TextPair {
    /// The first one; with a reference, the one from the input.
    pub left: FoundText,
    /// The other.
    pub right: FoundText,
    /// Their similarity, by the measure of the run.
    pub similarity: f64,
}

/// A document as read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundText {
    /// Its id.
    pub id: String,
    /// Its file and position, even if it has an id.
    pub place: String,
    /// The text as read. It may contain anything, including control characters.
    pub text: String,
}

impl TextPair {
    /// Creates a pair of documents with their similarity.
    pub fn new(left: FoundText, right: FoundText, similarity: f64) -> Self {
        Self { left, right, similarity }
    }
}

impl FoundText {
    /// Creates a document that is identified by its id alone.
    pub fn new(id: &str, text: &str) -> Self {
        Self { id: id.to_owned(), place: id.to_owned(), text: text.to_owned() }
    }
}

/// Passes the pairs that [`pairs`](crate::pairs()) would write to `each`, with their texts.
///
/// # Errors
///
/// If an input cannot be read, or `each` fails.
pub fn pairs_with_texts(
    options: &PairsOptions,
    each: &mut dyn FnMut(&TextPair) -> io::Result<()>,
    progress: &dyn Progress,
) -> Result<PairsReport> {
    run(options, &mut Texts { options, each }, progress)
}

struct Texts<'a> {
    options: &'a PairsOptions,
    each: &'a mut dyn FnMut(&TextPair) -> io::Result<()>,
}

impl TakePairs for Texts<'_> {
    fn start(&mut self, _: &Corpus) -> Result<()> {
        Ok(())
    }

    fn take(&mut self, corpus: &Corpus, (left, right, likeness): FoundPair) -> Result<()> {
        let settings = &self.options.read.settings;
        let pair = TextPair {
            left: text(corpus, left, settings)?,
            right: text(corpus, right, settings)?,
            similarity: likeness.similarity(self.options.scheme.criterion()),
        };
        (self.each)(&pair).map_err(Error::unwritable)
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Reads a document again. At the end of the run, files are checked for changes.
fn text(corpus: &Corpus, document: Document, settings: &Settings) -> Result<FoundText> {
    let place = corpus.row(document)?.place;
    let mut bytes = Vec::new();
    corpus.shelf.read(place, &mut bytes)?;
    let mut parser = Parser::new(settings);
    let read = parser
        .document(corpus.kind(place.file), &bytes)
        .ok_or_else(|| lookalike_io::Error::Changed { path: corpus.shelf.files()[place.file as usize].shown() })?;
    let described = corpus.describe(document)?;
    Ok(FoundText { id: described.id().into_owned(), place: described.place(), text: read.text.to_owned() })
}
