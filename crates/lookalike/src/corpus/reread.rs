//! Features of documents that may be similar, computed again by reading the document at its place.
//!
//! Keeping the features of all documents would take as much memory as the size of the input; most are never needed.

use std::sync::Mutex;

use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::sources::{FeatureSource, SourceError};
use lookalike_core::text::boilerplate::SourcePlace;
use lookalike_core::text::content::ContentHasher;
use lookalike_core::text::shingle::Shingler;
use lookalike_io::read::Parser;

use crate::corpus::rules::TextSource;
use crate::corpus::{Corpus, Ignoring, Row};
use crate::error::{Error, Result};
use crate::items::{Items, TextHashes};
use crate::options::{ReadOptions, Scheme};
use crate::progress::{Counted, Progress};

/// Reads documents again, with the key of their sketches and with that of the run.
pub(crate) struct RereadBoth<'a> {
    sketched: Reread<'a>,
    pub(crate) deciding: Reread<'a>,
}

impl<'a> RereadBoth<'a> {
    pub(crate) fn new(
        corpus: &'a Corpus,
        read: &'a ReadOptions,
        similarity: &'a Scheme,
        run: Key,
        progress: &'a dyn Progress,
    ) -> Self {
        let reread = |key: Key| Reread::new(corpus, read, similarity, key, progress);
        Self { sketched: reread(similarity.key().of(run)), deciding: reread(run) }
    }

    /// The corpus, to be searched.
    pub(crate) fn items(&self) -> Items<'_> {
        let corpus = self.deciding.corpus;
        let (sizes, sketches) = (&*corpus.sizes, corpus.sketches());
        Items { sizes, sketches, sketched: &self.sketched, deciding: &self.deciding, shares: corpus.shares }
    }
}

/// Reads documents again.
pub(crate) struct Reread<'a> {
    corpus: &'a Corpus,
    read: &'a ReadOptions,
    similarity: &'a Scheme,
    /// Finds the boilerplate to ignore.
    ignoring: Option<Ignoring>,
    /// Key of the features.
    key: Key,
    progress: &'a dyn Progress,
    /// Buffers of idle threads, reused from one document to the next.
    benches: Mutex<Vec<Bench>>,
    /// The longest document that several threads read at the same time, and the turn of longer ones.
    together: usize,
    large: Mutex<()>,
}

/// Approximate size of a word in a document, including the markup around it.
const WORD_BYTES: usize = 6;

struct Bench {
    bytes: Vec<u8>,
    parser: Parser,
    shingler: Shingler,
    /// With another key, made when it is needed.
    second: Option<Shingler>,
    content: ContentHasher,
}

/// Computes the features of a text: with the first key, and with the second when it is needed.
struct Shinglers<'b> {
    first: &'b mut Shingler,
    second: &'b mut Option<Shingler>,
    group: Option<u64>,
    source: Option<SourcePlace>,
}

impl<'a> Reread<'a> {
    pub(crate) fn new(
        corpus: &'a Corpus,
        read: &'a ReadOptions,
        similarity: &'a Scheme,
        key: Key,
        progress: &'a dyn Progress,
    ) -> Self {
        let together = corpus.shares.read_together(rayon::current_num_threads());
        let (benches, large, ignoring) = (Mutex::default(), Mutex::default(), Ignoring::of(similarity));
        Self { corpus, read, similarity, ignoring, key, progress, benches, together, large }
    }

    /// The text of a document.
    pub(crate) fn text(&self, document: Document) -> Result<String> {
        let mut bench = self.bench();
        let Bench { bytes, parser, content, .. } = &mut bench;
        let text = self.document_by((bytes, parser, content), document).map(|read| read.text.to_owned());
        self.benches.lock().expect("no thread panicked").push(bench);
        text
    }

    /// The hash of a text's words.
    pub(crate) fn words_of(&self, text: &str) -> u128 {
        let second = self.shingler(self.key.second()).features(text).text_hash();
        self.with_shingler(|shingler| shingler.features(text).text_hash() ^ second)
    }

    /// Counts the tokens of a text.
    pub(crate) fn tokens_of(&self, text: &str) -> u64 {
        self.with_shingler(|shingler| shingler.features(text).token_count() as u64)
    }

    /// Criterion for near-duplicates.
    pub(crate) fn criterion(&self) -> Criterion {
        self.similarity.criterion()
    }

    fn with_shingler<T>(&self, of_shingler: impl FnOnce(&mut Shingler) -> T) -> T {
        let mut bench = self.bench();
        let output = of_shingler(&mut bench.shingler);
        self.benches.lock().expect("no thread panicked").push(bench);
        output
    }

    fn bench(&self) -> Bench {
        self.benches.lock().expect("no thread panicked").pop().unwrap_or_else(|| self.new_bench())
    }

    fn new_bench(&self) -> Bench {
        Bench {
            bytes: Vec::new(),
            parser: Parser::new(&self.read.settings),
            shingler: self.shingler(self.key),
            second: None,
            content: self.corpus.content_hasher(),
        }
    }

    fn shingler(&self, key: Key) -> Shingler {
        self.similarity.shingler(key)
    }

    /// True if a document is too long to be read at the same time as others.
    fn is_large(&self, document: Document) -> bool {
        self.corpus.token_counts[document.index()] as usize > self.together / WORD_BYTES
    }

    /// Reads a document and gives its text to `of_text`, with the shinglers of the first and of the second key.
    fn with_text<T>(&self, document: Document, of_text: impl FnOnce(&str, Shinglers<'_>) -> T) -> Result<T> {
        if self.is_large(document) {
            // Its buffers go with it.
            let _turn = self.large.lock().expect("no thread panicked");
            return self.read_by(&mut self.new_bench(), document, of_text);
        }
        let mut bench = self.bench();
        let output = self.read_by(&mut bench, document, of_text);
        self.benches.lock().expect("no thread panicked").push(bench);
        output
    }

    fn read_by<T>(
        &self,
        bench: &mut Bench,
        document: Document,
        of_text: impl FnOnce(&str, Shinglers<'_>) -> T,
    ) -> Result<T> {
        let source = self.source(document)?;
        let Bench { bytes, parser, shingler, second, content } = bench;
        let read = self.document_by((bytes, parser, content), document)?;
        let group = self.corpus.group(document);
        shingler.set_group(group);
        shingler.of_source(source);
        Ok(of_text(read.text, Shinglers { first: shingler, second, group, source }))
    }

    /// The place of a document's source in the table, if part of it is ignored.
    fn source(&self, document: Document) -> Result<Option<SourcePlace>> {
        let Some(ignoring) = &self.ignoring else { return Ok(None) };
        Ok(ignoring.place(self.corpus.describe(document)?.origin()))
    }

    fn second<'b>(&self, Shinglers { second, group, source, .. }: Shinglers<'b>) -> &'b mut Shingler {
        let second = second.get_or_insert_with(|| self.shingler(self.key.second()));
        second.set_group(group);
        second.of_source(source);
        second
    }

    /// Reads a document, and makes sure that it is the one that was sketched.
    fn document_by<'b>(
        &self,
        (bytes, parser, content): (&'b mut Vec<u8>, &'b mut Parser, &mut ContentHasher),
        document: Document,
    ) -> Result<lookalike_io::read::Document<'b>> {
        self.progress.go_on()?;
        let Row { place, content_hash, .. } = self.corpus.row(document)?;
        let changed = || {
            let path = self.corpus.shelf.files()[place.file as usize].shown();
            Error::from(lookalike_io::Error::Changed { path })
        };
        self.corpus.shelf.read(place, bytes)?;
        let read = parser.document(self.corpus.kind(place.file), bytes).ok_or_else(changed)?;
        self.progress.advance(u64::from(place.length), Counted::Rereadings(1));
        // Evidence must be about the text that was sketched.
        let is_same = content.hash(read.text) == content_hash;
        if is_same { Ok(read) } else { Err(changed()) }
    }
}

impl FeatureSource for Reread<'_> {
    fn features(&self, document: Document) -> std::result::Result<Vec<u64>, SourceError> {
        Ok(self.with_text(document, |text, shinglers| shinglers.first.own_features(text))?)
    }

    fn second_features(&self, document: Document) -> std::result::Result<Option<Vec<u64>>, SourceError> {
        Ok(Some(self.with_text(document, |text, shinglers| self.second(shinglers).own_features(text))?))
    }
}

impl TextSource for Reread<'_> {
    fn text_of(&self, document: Document) -> Result<String> {
        self.text(document)
    }

    fn token_count_of(&self, document: Document) -> u32 {
        self.corpus.token_counts[document.index()]
    }
}

impl TextHashes for Reread<'_> {
    fn token_counts(&self) -> &[u32] {
        &self.corpus.token_counts
    }

    fn is_compared(&self, document: Document) -> bool {
        self.corpus.sizes[document.index()] > 0
    }

    fn each_hashes(&self, each: &mut dyn FnMut(Document, u128, u128)) -> Result<()> {
        self.corpus.each_text_hash(each)
    }

    fn words_hash(&self, document: Document) -> Result<u128> {
        // Two keys, since texts may differ in one word, and a word has 64 bits of one key.
        self.with_text(document, |text, shinglers| {
            shinglers.first.features(text).text_hash() ^ self.second(shinglers).features(text).text_hash()
        })
    }

    fn joins_exact_copies(&self) -> bool {
        self.similarity.method().checksum().is_some()
    }
}
