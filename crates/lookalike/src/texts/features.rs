//! Texts in memory, sketched, and their features whenever they are asked for.

use std::sync::Mutex;

use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::kernel::{TextSketcher, TextSummary};
use lookalike_core::method::Method;
use lookalike_core::scheme::Scheme;
use lookalike_core::sketch::Sketches;
use lookalike_core::sources::{FeatureSource, SourceError};
use lookalike_core::text::checksum::Checksum;
use lookalike_core::text::shingle::{Features, Shingler};
use rayon::prelude::*;

use crate::error::Result;
use crate::items::TextHashes;

/// How many texts a thread sketches in one go.
const AT_ONCE: usize = 256;

/// Texts, and what is kept of each.
pub(super) struct InMemory<'a, T> {
    texts: &'a [T],
    scheme: &'a Scheme,
    run: Key,
    pub(super) token_counts: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    /// Of the words, and of the content.
    hashes: Vec<(u128, u64)>,
    pub(super) sketches: Sketches,
}

impl<'a, T: AsRef<str> + Sync> InMemory<'a, T> {
    /// Sketches all texts, on all threads.
    pub(super) fn sketch(texts: &'a [T], scheme: &'a Scheme, method: &dyn Method, run: Key) -> Self {
        let of_some = |sketcher: &mut TextSketcher, some: &[T]| {
            let mut sketches = Sketches::new(method.layout());
            let of_text = |text: &T| {
                let text = text.as_ref();
                let summary = sketcher.sketch(text, &mut sketches);
                let text_hash = match scheme.method().checksum() {
                    None => summary.text_hash,
                    Some(Checksum::Text) => summary.content_hash,
                    Some(_) => run.bytes_hash(text.as_bytes()),
                };
                TextSummary { text_hash, ..summary }
            };
            let summaries: Vec<TextSummary> = some.iter().map(of_text).collect();
            (summaries, sketches)
        };
        let sketcher = || TextSketcher::new(scheme, method, run);
        let parts: Vec<(Vec<TextSummary>, Sketches)> = texts.par_chunks(AT_ONCE).map_init(sketcher, of_some).collect();
        let mut sketches = Sketches::new(method.layout());
        let (mut token_counts, mut sizes, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
        for (summaries, some) in parts {
            sketches.append(some);
            for TextSummary { text_hash, content_hash, token_count, size } in summaries {
                token_counts.push(token_count);
                sizes.push(size);
                hashes.push((text_hash, content_hash as u64));
            }
        }
        Self { texts, scheme, run, token_counts, sizes, hashes, sketches }
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The features of texts, made with a key.
    pub(super) fn shingled(&self, key: Key) -> Shingled<'_, T> {
        Shingled { texts: self.texts, scheme: self.scheme, key, shinglers: Mutex::default() }
    }
}

impl<T: AsRef<str> + Sync> TextHashes for InMemory<'_, T> {
    fn token_counts(&self) -> &[u32] {
        &self.token_counts
    }

    fn each_hashes(&self, each: &mut dyn FnMut(Document, u128, u64)) -> Result<()> {
        (0..).zip(&self.hashes).for_each(|(text, (words, content))| each(Document(text), *words, *content));
        Ok(())
    }

    fn words_hash(&self, text: Document) -> Result<u128> {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method itself is of one lifetime only")]
        Ok(self.shingled(self.run).with_features(text, |features| features.text_hash()))
    }

    fn joins_exact_copies(&self) -> bool {
        self.scheme.method().checksum().is_some()
    }
}

/// Makes the features of texts again.
pub(super) struct Shingled<'a, T> {
    texts: &'a [T],
    scheme: &'a Scheme,
    key: Key,
    /// One per thread that asked, handed on from one text to the next.
    shinglers: Mutex<Vec<Shingler>>,
}

impl<T: AsRef<str> + Sync> Shingled<'_, T> {
    fn with_features<O>(&self, text: Document, of_features: impl FnOnce(Features<'_>) -> O) -> O {
        let waiting = self.shinglers.lock().expect("no thread panicked").pop();
        let new = || Shingler::keyed(self.scheme.shingle(), self.scheme.fold(), self.key);
        let mut shingler = waiting.unwrap_or_else(new);
        let output = of_features(shingler.features(self.texts[text.index()].as_ref()));
        self.shinglers.lock().expect("no thread panicked").push(shingler);
        output
    }
}

impl<T: AsRef<str> + Sync> FeatureSource for Shingled<'_, T> {
    fn features(&self, text: Document) -> std::result::Result<Vec<u64>, SourceError> {
        Ok(self.with_features(text, |features| features.all.to_vec()))
    }
}
