//! Statistics of ignored boilerplate, for the summary: the share ignored, the documents affected, and those of which
//! nearly nothing remained.

use std::cmp::Reverse;
use std::collections::HashMap;

use lookalike_core::ids::{Document, Number};
use serde::{Deserialize, Serialize};

use crate::corpus::{Corpus, Described};
use crate::error::Result;
use crate::options::{Scheme, SourceBy};

/// The boilerplate that a run ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct IgnoredBoilerplate {
    /// Identifies the table, in sixteen hexadecimal digits.
    pub table: String,
    /// Definition of a document's source.
    pub source: String,
    /// Shingles on more than this share of a source's pages are its boilerplate.
    pub share: f64,
    /// Number of sources with boilerplate.
    pub source_count: u64,
    /// Number of documents of which something was ignored.
    pub document_count: u64,
    /// The share of all documents' shingles that was ignored.
    pub ignored_share: f64,
    /// Number of documents of which nearly nothing remained: they were compared only with copies, and are undecided.
    pub undecided_count: u64,
    /// The sources with the most of them.
    pub undecided: Vec<UndecidedSource>,
}

/// A source with documents of which nearly nothing remained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct UndecidedSource {
    /// Its name.
    pub source: String,
    /// Number of these documents.
    pub document_count: u64,
}

/// Removals in which boilerplate decides, in a run that does not ignore it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DecidingBoilerplate {
    /// Number of removals for which at least half of the text shared by both documents is on more than `share` of the
    /// source's pages, estimated from samples.
    pub removed_count: u64,
    /// The share of the pages.
    pub share: f64,
    /// The sources of the removed documents, those that lose most first.
    pub sources: Vec<DecidedSource>,
}

/// A source that loses documents because of its boilerplate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DecidedSource {
    /// Its name.
    pub source: String,
    /// Number of these removals.
    pub removed_count: u64,
}

/// Number of sources that are named.
const NAMED: usize = 20;

impl IgnoredBoilerplate {
    /// The boilerplate ignored in the input.
    pub(crate) fn of(corpus: &Corpus, scheme: &Scheme) -> Result<Option<Self>> {
        let Some(table) = scheme.boilerplate() else { return Ok(None) };
        let by = SourceBy::parse(&table.about().source).unwrap_or_default();
        let (mut documents, mut ignored, mut all) = (0, 0, 0);
        for document in (0..corpus.input_count() as u32).map(Document) {
            let of_document = u64::from(corpus.ignored(document));
            documents += u64::from(of_document > 0);
            ignored += of_document;
            all += of_document + u64::from(corpus.sizes[document.index()]);
        }
        let mut undecided: HashMap<String, u64> = HashMap::new();
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            let undecided = run.filter(|(document, _)| corpus.is_undecided(*document));
            Ok(undecided.map(|(_, described)| described.source(by).to_owned()).collect::<Vec<String>>())
        };
        corpus.each_described(of_run, |sources| {
            sources.into_iter().for_each(|source| *undecided.entry(source).or_default() += 1);
            Ok(())
        })?;
        let undecided_count = undecided.values().sum();
        let mut undecided: Vec<UndecidedSource> =
            undecided.into_iter().map(|(source, document_count)| UndecidedSource { source, document_count }).collect();
        undecided.sort_unstable_by(|left, right| {
            (Reverse(left.document_count), &left.source).cmp(&(Reverse(right.document_count), &right.source))
        });
        undecided.truncate(NAMED);
        Ok(Some(Self {
            table: format!("{:016x}", table.content_hash()),
            source: table.about().source.clone(),
            share: table.about().share,
            source_count: table.sources().len() as u64,
            document_count: documents,
            ignored_share: ignored as f64 / f64::max(all as f64, 1.0),
            undecided_count,
            undecided,
        }))
    }
}
