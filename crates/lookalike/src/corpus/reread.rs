//! Features of documents that may be alike, had again by reading the document at its place.
//!
//! To keep the features of all documents would take as much memory as the input is large; most are never needed.

use std::sync::Mutex;

use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::sources::{FeatureSource, SourceError};
use lookalike_core::text::content::ContentHasher;
use lookalike_core::text::shingle::Shingler;
use lookalike_io::read::Parser;

use crate::corpus::{Corpus, Row};
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
    /// What features are made with.
    key: Key,
    progress: &'a dyn Progress,
    /// What a thread needs for it, handed on from one document to the next.
    benches: Mutex<Vec<Bench>>,
    /// The longest document that several threads read at the same time, and the turn of longer ones.
    together: usize,
    large: Mutex<()>,
}

/// What a word takes in a document, about, with what is around it.
const WORD_BYTES: usize = 6;

struct Bench {
    bytes: Vec<u8>,
    parser: Parser,
    shingler: Shingler,
    /// With another key, made when it is needed.
    second: Option<Shingler>,
    content: ContentHasher,
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
        Self { corpus, read, similarity, key, progress, benches: Mutex::default(), together, large: Mutex::default() }
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

    /// How many tokens a text has.
    pub(crate) fn tokens_of(&self, text: &str) -> u64 {
        self.with_shingler(|shingler| shingler.features(text).token_count() as u64)
    }

    /// When documents are alike.
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
        Shingler::keyed(self.similarity.shingle(), self.similarity.fold(), key)
    }

    /// Whether a document is too long to be read beside others.
    fn is_large(&self, document: Document) -> bool {
        self.corpus.token_counts[document.index()] as usize > self.together / WORD_BYTES
    }

    /// Reads a document and gives its text to `of_text`, with the shinglers of the first and of the second key.
    fn with_text<T>(
        &self,
        document: Document,
        of_text: impl FnOnce(&str, &mut Shingler, &mut Option<Shingler>) -> T,
    ) -> Result<T> {
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
        of_text: impl FnOnce(&str, &mut Shingler, &mut Option<Shingler>) -> T,
    ) -> Result<T> {
        let Bench { bytes, parser, shingler, second, content } = bench;
        let read = self.document_by((bytes, parser, content), document)?;
        Ok(of_text(read.text, shingler, second))
    }

    fn second<'b>(&self, second: &'b mut Option<Shingler>) -> &'b mut Shingler {
        second.get_or_insert_with(|| self.shingler(self.key.second()))
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
        Ok(self.with_text(document, |text, shingler, _| shingler.own_features(text))?)
    }

    fn second_features(&self, document: Document) -> std::result::Result<Option<Vec<u64>>, SourceError> {
        Ok(Some(self.with_text(document, |text, _, second| self.second(second).own_features(text))?))
    }
}

impl TextHashes for Reread<'_> {
    fn token_counts(&self) -> &[u32] {
        &self.corpus.token_counts
    }

    fn each_hashes(&self, each: &mut dyn FnMut(Document, u128, u128)) -> Result<()> {
        self.corpus.each_text_hash(each)
    }

    fn words_hash(&self, document: Document) -> Result<u128> {
        // Two keys, since texts may differ in one word, and a word has 64 bits of one key.
        self.with_text(document, |text, shingler, second| {
            shingler.features(text).text_hash() ^ self.second(second).features(text).text_hash()
        })
    }

    fn joins_exact_copies(&self) -> bool {
        self.similarity.method().checksum().is_some()
    }
}
