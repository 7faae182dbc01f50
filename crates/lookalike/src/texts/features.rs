//! Texts in memory, sketched, with their features on demand.

use std::sync::Mutex;

use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::kernel::{TextSketcher, TextSummary};
use lookalike_core::method::Method;
use lookalike_core::scheme::Scheme;
use lookalike_core::sketch::Sketches;
use lookalike_core::sources::{FeatureSource, SourceError};
use lookalike_core::text::checksum::Checksum;
use lookalike_core::text::shingle::Shingler;
use rayon::prelude::*;

use crate::error::Result;
use crate::items::TextHashes;

/// Number of texts a thread sketches at a time.
const AT_ONCE: usize = 256;

/// Texts, and the stored data of each.
pub(super) struct InMemory<'a, T> {
    texts: &'a [T],
    scheme: &'a Scheme,
    run: Key,
    pub(super) token_counts: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    /// Hashes of the words, and of the content.
    hashes: Vec<(u128, u128)>,
    pub(super) sketches: Sketches,
    /// Shinglers with the key of the run and with a second one, reused between texts.
    shinglers: Mutex<Vec<[Shingler; 2]>>,
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
            for TextSummary { text_hash, content_hash, token_count, size, .. } in summaries {
                token_counts.push(token_count);
                sizes.push(size);
                hashes.push((text_hash, content_hash));
            }
        }
        Self { texts, scheme, run, token_counts, sizes, hashes, sketches, shinglers: Mutex::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The features of texts, hashed with a key.
    pub(super) fn shingled(&self, key: Key) -> Shingled<'_, T> {
        Shingled { texts: self.texts, scheme: self.scheme, key, shinglers: Mutex::default(), second: Mutex::default() }
    }
}

impl<T: AsRef<str> + Sync> TextHashes for InMemory<'_, T> {
    fn token_counts(&self) -> &[u32] {
        &self.token_counts
    }

    fn each_hashes(&self, each: &mut dyn FnMut(Document, u128, u128)) -> Result<()> {
        (0..).zip(&self.hashes).for_each(|(text, (words, content))| each(Document(text), *words, *content));
        Ok(())
    }

    fn words_hash(&self, text: Document) -> Result<u128> {
        // Two keys, since texts may differ in one word, whose hash has only 64 bits per key.
        let waiting = self.shinglers.lock().expect("no thread panicked").pop();
        let new = |key: Key| self.scheme.shingler(key);
        let mut shinglers = waiting.unwrap_or_else(|| [self.run, self.run.second()].map(new));
        let hashes =
            shinglers.each_mut().map(|shingler| shingler.features(self.texts[text.index()].as_ref()).text_hash());
        self.shinglers.lock().expect("no thread panicked").push(shinglers);
        Ok(hashes[0] ^ hashes[1])
    }

    fn joins_exact_copies(&self) -> bool {
        self.scheme.method().checksum().is_some()
    }
}

/// Recomputes the features of texts.
pub(super) struct Shingled<'a, T> {
    texts: &'a [T],
    scheme: &'a Scheme,
    key: Key,
    /// One per concurrent thread, reused between texts.
    shinglers: Mutex<Vec<Shingler>>,
    /// With a second key.
    second: Mutex<Vec<Shingler>>,
}

impl<T: AsRef<str> + Sync> Shingled<'_, T> {
    fn features_by(&self, shinglers: &Mutex<Vec<Shingler>>, key: Key, text: Document) -> Vec<u64> {
        let waiting = shinglers.lock().expect("no thread panicked").pop();
        let new = || self.scheme.shingler(key);
        let mut shingler = waiting.unwrap_or_else(new);
        let features = shingler.own_features(self.texts[text.index()].as_ref());
        shinglers.lock().expect("no thread panicked").push(shingler);
        features
    }
}

impl<T: AsRef<str> + Sync> FeatureSource for Shingled<'_, T> {
    fn features(&self, text: Document) -> std::result::Result<Vec<u64>, SourceError> {
        Ok(self.features_by(&self.shinglers, self.key, text))
    }

    fn second_features(&self, text: Document) -> std::result::Result<Option<Vec<u64>>, SourceError> {
        Ok(Some(self.features_by(&self.second, self.key.second(), text)))
    }
}
