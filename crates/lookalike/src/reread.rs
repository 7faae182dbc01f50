//! Features of documents that may be alike, had again by reading the document at its place.
//!
//! To keep the features of all documents would take as much memory as the input is large; most are never needed.

use std::sync::Mutex;

use lookalike_core::feature_set::{FeatureSet, FeatureTable};
use lookalike_core::shingle::Shingler;
use lookalike_core::verify::FeatureSource;
use lookalike_io::read::Parser;

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::options::{ReadOptions, SimilarityOptions};
use crate::progress::Progress;

/// Reads documents again.
pub(crate) struct Reread<'a> {
    corpus: &'a Corpus,
    read: &'a ReadOptions,
    similarity: &'a SimilarityOptions,
    progress: &'a dyn Progress,
    /// What a thread needs for it, handed on from one document to the next.
    benches: Mutex<Vec<Bench>>,
}

struct Bench {
    bytes: Vec<u8>,
    parser: Parser,
    shingler: Shingler,
    table: FeatureTable,
}

impl<'a> Reread<'a> {
    pub(crate) fn new(
        corpus: &'a Corpus,
        read: &'a ReadOptions,
        similarity: &'a SimilarityOptions,
        progress: &'a dyn Progress,
    ) -> Self {
        Self { corpus, read, similarity, progress, benches: Mutex::default() }
    }

    fn features_by(&self, bench: &mut Bench, document: u32) -> Result<FeatureSet> {
        let place = self.corpus.places[document as usize];
        let changed = || {
            let path = self.corpus.shelf.files()[place.file as usize].shown();
            Error::from(lookalike_io::Error::Changed { path })
        };
        self.corpus.shelf.read(place, &mut bench.bytes)?;
        let read = bench.parser.document(self.corpus.format(document), &bench.bytes).ok_or_else(changed)?;
        let features = bench.table.set(bench.shingler.features(read.text).all);
        self.progress.advance(u64::from(place.length), 1);
        // The sizes were counted when the document was first read.
        if features.size() == self.corpus.sizes[document as usize] { Ok(features) } else { Err(changed()) }
    }
}

impl FeatureSource for Reread<'_> {
    type Error = Error;

    fn features(&self, document: u32) -> Result<FeatureSet> {
        let waiting = self.benches.lock().expect("no thread panicked").pop();
        let mut bench = waiting.unwrap_or_else(|| Bench {
            bytes: Vec::new(),
            parser: Parser::new(self.read.fields.clone()),
            shingler: Shingler::new(self.similarity.shingle),
            table: FeatureTable::default(),
        });
        let features = self.features_by(&mut bench, document);
        self.benches.lock().expect("no thread panicked").push(bench);
        features
    }
}
