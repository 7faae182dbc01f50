//! An in-memory index: insert and remove texts, and search them for near-duplicates.

use std::collections::HashMap;

use lookalike_core::hash::Key;
use lookalike_core::kernel::TextSketcher;
use lookalike_core::measure::feature_set::{FeatureSet, Overlap};
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::method::Method;
use lookalike_core::scheme::Scheme;
use lookalike_core::sketch::Sketches;
use lookalike_core::text::shingle::Shingler;

use crate::error::{Error, Result};

/// Texts by id that can be searched for near-duplicates.
///
/// ```
/// use lookalike::Scheme;
/// use lookalike::texts::Index;
///
/// let mut index = Index::new(Scheme::jaccard(0.8)?)?;
/// index.insert("monday", "the storm hit the coast on Monday night and left a trail of damage");
/// index.insert("tuesday", "a quiet day at sea");
///
/// let hits = index.search("The storm hit the coast on Monday night, and left a trail of damage!");
/// assert_eq!((hits.len(), &*hits[0].id, hits[0].similarity), (1, "monday", 1.0));
///
/// index.remove("monday");
/// assert!(index.search("the storm hit the coast on Monday night and left a trail of damage").is_empty());
/// # Ok::<(), lookalike::Error>(())
/// ```
pub struct Index {
    scheme: Scheme,
    method: Box<dyn Method>,
    sketcher: TextSketcher,
    /// With the key of this index, which nobody knows: what decides.
    shingler: Shingler,
    /// The number of each text by its id.
    numbers: HashMap<Box<str>, u32>,
    texts: HashMap<u32, Stored>,
    /// Texts by band and key. Empty where the method has no bands: then all texts are looked at.
    buckets: HashMap<(u32, u64), Vec<u32>>,
    /// The number of the next text, so that hits of one similarity come in the order of insertion.
    next: u32,
}

struct Stored {
    id: Box<str>,
    text: Box<str>,
    keys: Vec<u64>,
    bytes: Vec<u8>,
}

/// A text of an index that is similar enough.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The id it was inserted with.
    pub id: String,
    /// Its similarity to the text searched for.
    pub similarity: f64,
    /// The measured overlap; the text searched for is on the left.
    pub likeness: Likeness,
}

impl Index {
    /// An empty index.
    ///
    /// # Errors
    ///
    /// When the parameters of the scheme are invalid, or when its method needs all texts before it can sketch one, or
    /// finds only exact copies.
    pub fn new(scheme: Scheme) -> Result<Self> {
        let (method, key) = (scheme.build_method()?, Key::random());
        if method.learns() || scheme.method.checksum().is_some() {
            return Err(Error::MethodWithoutIndex { method: scheme.method.to_string() });
        }
        Ok(Self {
            sketcher: TextSketcher::new(&scheme, &*method, key),
            shingler: Shingler::keyed(&scheme.shingle, scheme.fold, key),
            numbers: HashMap::new(),
            texts: HashMap::new(),
            buckets: HashMap::new(),
            next: 0,
            method,
            scheme,
        })
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether the index has no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Inserts a text, replacing one with the same id.
    pub fn insert(&mut self, id: &str, text: &str) {
        self.remove(id);
        let number = self.next;
        self.next += 1;
        let (keys, bytes) = self.sketch(text);
        for bucket in self.buckets_of(&keys) {
            self.buckets.entry(bucket).or_default().push(number);
        }
        self.numbers.insert(id.into(), number);
        self.texts.insert(number, Stored { id: id.into(), text: text.into(), keys, bytes });
    }

    /// Removes a text. Returns whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(number) = self.numbers.remove(id) else { return false };
        let Some(stored) = self.texts.remove(&number) else { return false };
        for bucket in self.buckets_of(&stored.keys) {
            if let Some(numbers) = self.buckets.get_mut(&bucket) {
                numbers.retain(|other| *other != number);
                if numbers.is_empty() {
                    self.buckets.remove(&bucket);
                }
            }
        }
        true
    }

    /// The near-duplicates of a text, the most similar first; those of one similarity in the order of insertion. Each
    /// is measured exactly.
    pub fn search(&mut self, text: &str) -> Vec<Hit> {
        let (keys, bytes) = self.sketch(text);
        let features = self.shingler.features(text).all.to_vec();
        if features.is_empty() {
            return Vec::new();
        }
        let set = FeatureSet::new(&features);
        let criterion = self.scheme.criterion;
        let mut hits: Vec<(u32, Hit)> = Vec::new();
        for number in self.candidates(&keys) {
            let Some(stored) = self.texts.get(&number) else { continue };
            if !self.method.allows(&bytes, &stored.bytes) {
                continue;
            }
            let by_features = |shingler: &mut Shingler| {
                let own = shingler.features(&stored.text).all;
                let overlap =
                    Overlap { shared: set.shared_count(own), left: set.size(), right: FeatureSet::new(own).size() };
                criterion.accepts(overlap).then_some(Likeness::Features(overlap))
            };
            let by_sketch = self.method.likeness(&bytes, &stored.bytes);
            if let Some(likeness) = by_sketch.or_else(|| by_features(&mut self.shingler)) {
                let similarity = likeness.similarity(criterion);
                hits.push((number, Hit { id: stored.id.to_string(), similarity, likeness }));
            }
        }
        hits.sort_by(|(one, left), (other, right)| right.similarity.total_cmp(&left.similarity).then(one.cmp(other)));
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    fn sketch(&mut self, text: &str) -> (Vec<u64>, Vec<u8>) {
        let mut sketches = Sketches::new(self.method.layout());
        self.sketcher.sketch(text, &mut sketches);
        (sketches.all_keys().to_vec(), sketches.all_bytes().to_vec())
    }

    /// Texts that agree in as many bands as they must; all of them where the method has no bands.
    fn candidates(&self, keys: &[u64]) -> Vec<u32> {
        let Some(banding) = self.scheme.method.banding() else {
            let mut all: Vec<u32> = self.texts.keys().copied().collect();
            all.sort_unstable();
            return all;
        };
        let mut met: Vec<u32> = Vec::new();
        for bucket in self.buckets_of(keys) {
            met.extend(self.buckets.get(&bucket).into_iter().flatten());
        }
        met.sort_unstable();
        met.chunk_by(|left, right| left == right)
            .filter(|same| same.len() >= banding.agreeing())
            .map(|same| same[0])
            .collect()
    }

    fn buckets_of(&self, keys: &[u64]) -> Vec<(u32, u64)> {
        match self.scheme.method.banding() {
            Some(_) => (0..).zip(keys.iter().copied()).collect(),
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::bucket::hamming::Tables;
    use lookalike_core::method::{Weights, Width};
    use lookalike_core::scheme::MethodOptions;
    use lookalike_core::text::checksum::Checksum;

    use super::*;

    #[test]
    fn methods_that_cannot_sketch_a_text_by_itself_are_refused() {
        let simhash = |weights| MethodOptions::SimHash {
            width: Width::Bits64,
            weights,
            distance: 3,
            tables: Tables::Blocks,
            is_verified: false,
        };
        let index = |method| Index::new(Scheme::default().with_method(method));
        assert!(index(simhash(Weights::Idf)).is_err() && index(MethodOptions::Copies(Checksum::Text)).is_err());
        let mut index = index(simhash(Weights::Count)).unwrap();
        index.insert("a", "one two three four five six");
        assert_eq!(index.search("One two three four five six.").len(), 1);
        assert!(index.search("seven eight nine ten eleven").is_empty() && index.search("").is_empty());
    }
}
