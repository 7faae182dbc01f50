//! Features of documents that may be alike, had again by reading the document at its place.
//!
//! To keep the features of all documents would take as much memory as the input is large; most are never needed.

use std::sync::Mutex;

use lookalike_core::shingle::Shingler;
use lookalike_core::verify::{FeatureSource, SourceError};
use lookalike_io::read::Parser;

use crate::corpus::{Corpus, Row};
use crate::error::{Error, Result};
use crate::options::{ReadOptions, SimilarityOptions};
use crate::progress::{Counted, Progress};

/// Reads documents again.
pub(crate) struct Reread<'a> {
    corpus: &'a Corpus,
    read: &'a ReadOptions,
    similarity: &'a SimilarityOptions,
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
}

impl<'a> Reread<'a> {
    pub(crate) fn new(
        corpus: &'a Corpus,
        read: &'a ReadOptions,
        similarity: &'a SimilarityOptions,
        progress: &'a dyn Progress,
    ) -> Self {
        let together = corpus.shares.read_together(rayon::current_num_threads());
        Self { corpus, read, similarity, progress, benches: Mutex::default(), together, large: Mutex::default() }
    }

    /// Whether a document is too long to be read beside others.
    fn is_large(&self, document: u32) -> bool {
        self.corpus.token_counts[document as usize] as usize > self.together / WORD_BYTES
    }

    fn features_by(&self, bench: &mut Bench, document: u32) -> Result<Vec<u64>> {
        let Row { place, text_hash, .. } = self.corpus.row(document)?;
        let changed = || {
            let path = self.corpus.shelf.files()[place.file as usize].shown();
            Error::from(lookalike_io::Error::Changed { path })
        };
        self.corpus.shelf.read(place, &mut bench.bytes)?;
        let read = bench.parser.document(self.corpus.kind(place.file), &bench.bytes).ok_or_else(changed)?;
        let features = bench.shingler.features(read.text);
        self.progress.advance(u64::from(place.length), Counted::Rereadings(1));
        // Evidence must be about the text that was sketched.
        let is_same = features.text_hash() == text_hash;
        if is_same { Ok(features.all.to_vec()) } else { Err(changed()) }
    }
}

impl FeatureSource for Reread<'_> {
    fn features(&self, document: u32) -> std::result::Result<Vec<u64>, SourceError> {
        let bench = || Bench {
            bytes: Vec::new(),
            parser: Parser::new(&self.read.settings),
            shingler: Shingler::new(&self.similarity.shingle, self.similarity.fold),
        };
        if self.is_large(document) {
            // Its buffers go with it.
            let _turn = self.large.lock().expect("no thread panicked");
            return Ok(self.features_by(&mut bench(), document)?);
        }
        let waiting = self.benches.lock().expect("no thread panicked").pop();
        let mut bench = waiting.unwrap_or_else(bench);
        let features = self.features_by(&mut bench, document);
        self.benches.lock().expect("no thread panicked").push(bench);
        Ok(features?)
    }
}
