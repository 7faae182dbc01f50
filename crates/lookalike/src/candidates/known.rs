//! Compares the input with the documents of a saved index: references that are searched, not read.
//!
//! Finds for each input text the document of the index for which it is removed. That is the one that would be named if
//! all documents of the index were read as a reference: the most similar; of equals the best in keep order; and for a
//! text with the same words, an exact copy before others.
//!
//! If kept documents are added, a stored document with the id of an input document is an earlier version of it, or the
//! document itself, added by an earlier attempt at the same run. It is not a reference, and excluded from the index
//! side. A run thus depends only on stored documents that it does not change, and decides the same when it is repeated.
//! Kept documents are added in `additions.rs`.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;

use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::resolve::keep::Keep;
use lookalike_index::{Hit, Index, SearchOptions, Snapshot, Writer};
use lookalike_io::remote::shown_path;
use rayon::prelude::*;

use crate::candidates::copies::Texts;
use crate::corpus::Corpus;
use crate::corpus::known::{Known, KnownDocument, Stored};
use crate::corpus::reread::Reread;
use crate::error::Result;
use crate::options::{AgainstIndex, Scheme};
use crate::progress::Progress;

/// Number of texts held while they are searched for.
const AT_ONCE: usize = 256;

/// All matches, up to a generous limit on equally similar ones.
const ALL: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// An index opened for a run.
pub(crate) struct OpenIndex {
    pub(super) snapshot: Snapshot,
    /// The writer for kept documents: no other process may write meanwhile.
    pub(super) writer: Option<Writer>,
    /// Ids that both a stored document and an input document have. They are not in the snapshot.
    pub(super) own: HashSet<String>,
    folder: String,
}

impl OpenIndex {
    /// Opens an index, if it was created with this scheme.
    pub(crate) fn open(against: &AgainstIndex, scheme: &Scheme) -> Result<Self> {
        let index = Index::open(&against.folder)?;
        if index.scheme().fingerprint() != scheme.fingerprint() {
            let (left, right) = (scheme.to_string(), index.scheme().to_string());
            return Err(lookalike_index::Error::OtherScheme { left, right }.into());
        }
        let writer = against.add_kept.then(|| index.writer()).transpose()?;
        let snapshot = writer.as_ref().map_or_else(|| index.snapshot(), Writer::snapshot)?;
        Ok(Self { snapshot, writer, own: HashSet::new(), folder: shown_path(Path::new(&against.folder)) })
    }

    /// Excludes the stored documents that have the id of an input document. Without a writer, this run never added or
    /// replaced anything, and everything stored is a reference.
    pub(crate) fn without_own(mut self, corpus: &Corpus, reread: &Reread<'_>, progress: &dyn Progress) -> Result<Self> {
        if self.writer.is_none() || self.snapshot.is_empty() {
            return Ok(self);
        }
        let documents: Vec<Document> = (0..corpus.input_count() as u32).map(Document).collect();
        let mut own = HashSet::new();
        for some in documents.chunks(AT_ONCE) {
            progress.go_on()?;
            let stored = some.par_iter().map(|document| self.stored_as(corpus, *document, reread));
            own.extend(stored.collect::<Result<Vec<_>>>()?.into_iter().flatten());
        }
        let ids: Vec<&str> = own.iter().map(String::as_str).collect();
        self.snapshot = self.snapshot.without(&ids)?;
        self.own = own;
        Ok(self)
    }

    /// The id of a document, if a stored document has it.
    fn stored_as(&self, corpus: &Corpus, document: Document, reread: &Reread<'_>) -> Result<Option<String>> {
        let described = corpus.describe(document)?;
        // The text is read again only if the id depends on it.
        let id = match described.own_id() {
            Some(id) => id.to_owned(),
            None => described.stored_id(&reread.text(document)?),
        };
        Ok(self.snapshot.contains(&id)?.then_some(id))
    }

    /// Number of documents.
    pub(crate) fn document_count(&self) -> u64 {
        self.snapshot.len()
    }

    /// Searches for all texts.
    pub(crate) fn find(
        &self,
        corpus: &Corpus,
        texts: &Texts,
        reread: &Reread<'_>,
        keep: &Keep,
        progress: &dyn Progress,
    ) -> Result<Known> {
        let mut found = Finding { index: self, keep, reread, numbers: HashMap::new(), known: Known::default() };
        let mut copied = vec![false; corpus.len()];
        found.each_answer(&texts.items, progress, |found, document, text, hits| {
            let Some(best) = hits.first() else { return Ok(()) };
            let same_words = found.with_same_words(text, &hits)?;
            if !same_words.is_empty() {
                copied[document.index()] = true;
                return Ok(());
            }
            let ties: Vec<&Hit> = hits.iter().take_while(|hit| hit.similarity >= best.similarity).collect();
            let hit = found.best(&ties)?;
            let by = found.number(hit);
            found.known.removed.push((document, by, hit.likeness));
            Ok(())
        })?;
        // Each document separately: one with the same words may be an exact copy of another one.
        let copies: Vec<Document> = (0..corpus.len() as u32)
            .map(Document)
            .filter(|document| copied[texts.first_copy[document.index()].index()])
            .collect();
        found.each_answer(&copies, progress, |found, document, text, hits| {
            let same_words = found.with_same_words(text, &hits)?;
            let exact: Vec<&Hit> = same_words.iter().copied().filter(|hit| hit.exact_copy).collect();
            let hit = if exact.is_empty() { found.best(&same_words)? } else { found.best(&exact)? };
            let by = found.number(hit);
            found.known.copies.insert(document, (by, hit.exact_copy));
            if texts.first_copy[document.index()] == document {
                found.known.removed.push((document, by, hit.likeness));
            }
            Ok(())
        })?;
        Ok(found.known)
    }
}

struct Finding<'a, 'r> {
    index: &'a OpenIndex,
    keep: &'a Keep,
    reread: &'a Reread<'r>,
    numbers: HashMap<String, Stored>,
    known: Known,
}

impl Finding<'_, '_> {
    fn each_answer(
        &mut self,
        documents: &[Document],
        progress: &dyn Progress,
        mut each: impl FnMut(&mut Self, Document, &str, Vec<Hit>) -> Result<()>,
    ) -> Result<()> {
        for some in documents.chunks(AT_ONCE) {
            progress.go_on()?;
            let texts: Vec<String> =
                some.par_iter().map(|document| self.reread.text(*document)).collect::<Result<_>>()?;
            let queries: Vec<&str> = texts.iter().map(String::as_str).collect();
            let answers = self.index.snapshot.search_many(&queries, &SearchOptions::default().with_top(ALL))?;
            for ((document, text), answer) in some.iter().zip(&texts).zip(answers) {
                each(self, *document, text, answer.hits)?;
            }
        }
        Ok(())
    }

    /// The number of a stored document in the evidence.
    fn number(&mut self, hit: &Hit) -> Stored {
        let Self { numbers, known, index, .. } = self;
        *numbers.entry(hit.id.clone()).or_insert_with(|| {
            let fields: Option<serde_json::Value> = serde_json::from_str(&hit.fields).ok();
            let uri = fields.as_ref().and_then(|fields| fields.get("uri")?.as_str()).map(str::to_owned);
            known.push(KnownDocument { id: hit.id.clone(), uri, index: index.folder.clone() })
        })
    }

    /// The hits with the words of the text: exact copies, and others whose words are equal, if the index stores texts.
    fn with_same_words<'h>(&self, text: &str, hits: &'h [Hit]) -> Result<Vec<&'h Hit>> {
        let mut same = Vec::new();
        let mut words = None;
        // No other hit is as similar.
        for hit in hits.iter().take_while(|hit| hit.similarity >= 1.0) {
            let has_same_words = if hit.exact_copy {
                true
            } else if let Some(stored) = self.text(hit)? {
                let words = *words.get_or_insert_with(|| self.reread.words_of(text));
                words == self.reread.words_of(&stored)
            } else {
                false
            };
            if has_same_words {
                same.push(hit);
            }
        }
        Ok(same)
    }

    fn text(&self, hit: &Hit) -> Result<Option<String>> {
        Ok(self.index.snapshot.document(&hit.id)?.and_then(|document| document.text))
    }

    /// The best of equally similar documents in keep order, given in order of insertion.
    fn best<'h>(&self, hits: &[&'h Hit]) -> Result<&'h Hit> {
        let mut best = hits[0];
        match self.keep {
            Keep::Last => best = hits[hits.len() - 1],
            Keep::Longest if hits.len() > 1 => {
                let mut longest = self.length(best)?;
                for hit in &hits[1..] {
                    let length = self.length(hit)?;
                    if length > longest {
                        (best, longest) = (hit, length);
                    }
                }
            }
            // Fields and sources of stored documents are not compared.
            Keep::Longest | Keep::First | Keep::Max(_) | Keep::Min(_) | Keep::Sources(_) | Keep::Several(_) => {}
        }
        Ok(best)
    }

    fn length(&self, hit: &Hit) -> Result<u64> {
        let size = hit.likeness.overlap().map(|overlap| u64::from(overlap.right));
        match (self.reread.criterion(), size) {
            (Criterion::Containment(_), Some(size)) => Ok(size),
            _ => Ok(self.text(hit)?.map_or(0, |text| self.reread.tokens_of(&text))),
        }
    }
}
