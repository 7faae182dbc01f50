//! An index in memory: put and delete texts, and search for near-duplicates.

use std::collections::HashMap;

use lookalike_core::hash::Key;
use lookalike_core::kernel::{TextSketcher, TextSummary};
use lookalike_core::method::Method;
use lookalike_core::scheme::Scheme;
use lookalike_core::search::{Probe, agreeing, best_first};
use lookalike_core::sketch::Sketches;
use lookalike_core::text::shingle::Shingler;
use lookalike_index::Hit;

use crate::error::{Error, Result};

/// Texts by id that can be searched for near-duplicates, without a folder. [`Index`](crate::index::Index) is the saved
/// one.
///
/// ```
/// use lookalike::Scheme;
/// use lookalike::texts::MemoryIndex;
///
/// let mut index = MemoryIndex::new(Scheme::jaccard(0.8)?)?;
/// index.put("monday", "the storm hit the coast on Monday night and left a trail of damage");
/// index.put("tuesday", "a quiet day at sea");
///
/// let hits = index.search("The storm hit the coast on Monday night, and left a trail of damage!");
/// assert_eq!((hits.len(), &*hits[0].id, hits[0].similarity), (1, "monday", 1.0));
///
/// index.delete("monday");
/// assert!(index.search("the storm hit the coast on Monday night and left a trail of damage").is_empty());
/// # Ok::<(), lookalike::Error>(())
/// ```
pub struct MemoryIndex {
    scheme: Scheme,
    method: Box<dyn Method>,
    sketcher: TextSketcher,
    /// With the key of this index, which is unpredictable: it decides.
    shingler: Shingler,
    /// With the second key.
    confirming: Shingler,
    /// The number of each text by its id.
    numbers: HashMap<Box<str>, u32>,
    texts: HashMap<u32, Stored>,
    /// Texts by band and key. Empty if the method has no bands: then all texts are examined.
    buckets: HashMap<(u32, u64), Vec<u32>>,
    /// The number of the next text, so that hits of equal similarity are in order of insertion.
    next: u32,
}

struct Stored {
    id: Box<str>,
    text: Box<str>,
    size: u32,
    /// Equal for exact copies.
    content_hash: u128,
    keys: Vec<u64>,
    bytes: Vec<u8>,
}

impl MemoryIndex {
    /// Creates an empty index.
    ///
    /// # Errors
    ///
    /// If the parameters of the scheme are invalid, or its method needs all texts before it can sketch one, or finds
    /// only exact copies.
    pub fn new(scheme: Scheme) -> Result<Self> {
        let (method, key) = (scheme.build_method(), Key::random());
        if method.learns() || scheme.method().checksum().is_some() {
            return Err(Error::MethodWithoutIndex { method: scheme.method().to_string() });
        }
        Ok(Self {
            sketcher: TextSketcher::new(&scheme, &*method, key),
            shingler: scheme.shingler(key),
            confirming: scheme.shingler(key.second()),
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

    /// True if the index has no texts.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Stores a text, replacing one with the same id.
    pub fn put(&mut self, id: &str, text: &str) {
        self.delete(id);
        let number = self.next;
        self.next += 1;
        let mut sketches = Sketches::new(self.method.layout());
        let TextSummary { size, content_hash, .. } = self.sketcher.sketch(text, &mut sketches);
        let (keys, bytes) = (sketches.all_keys().to_vec(), sketches.all_bytes().to_vec());
        for bucket in self.buckets_of(&keys) {
            self.buckets.entry(bucket).or_default().push(number);
        }
        self.numbers.insert(id.into(), number);
        self.texts.insert(number, Stored { id: id.into(), text: text.into(), size, content_hash, keys, bytes });
    }

    /// Deletes a text. Returns true if it existed.
    pub fn delete(&mut self, id: &str) -> bool {
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

    /// Finds the near-duplicates of a text, most similar first; of equal similarity, exact copies first, and otherwise
    /// in order of insertion. Each is measured exactly.
    pub fn search(&mut self, text: &str) -> Vec<Hit> {
        let Self { scheme, method, sketcher, shingler, .. } = self;
        let criterion = scheme.criterion();
        let probe = Probe::of_text(text, &**method, sketcher, shingler).with_text(text, criterion);
        if probe.is_empty() {
            return Vec::new();
        }
        let mut hits: Vec<(u32, Hit)> = Vec::new();
        for number in self.candidates(&probe.keys) {
            let Some(stored) = self.texts.get(&number) else { continue };
            if !probe.allows(criterion, &*self.method, stored.size, &stored.bytes) {
                continue;
            }
            let by_sketch = self.method.likeness(&probe.bytes, &stored.bytes);
            let likeness = by_sketch.or_else(|| {
                let found = probe.measure(criterion, stored.size, self.shingler.features(&stored.text).all)?;
                probe.is_confirmed(found, &stored.text, &mut self.confirming).then_some(found)
            });
            if let Some(likeness) = likeness {
                let similarity = likeness.similarity(criterion);
                let exact_copy = stored.content_hash == probe.summary.content_hash;
                let hit = Hit::new(stored.id.to_string(), similarity, likeness, exact_copy);
                hits.push((number, hit));
            }
        }
        best_first(&mut hits, |(_, hit)| hit.similarity, |(number, hit)| (!hit.exact_copy, *number));
        hits.into_iter().map(|(_, hit)| hit).collect()
    }

    /// Texts that agree in as many bands as required; all of them if the method has no bands.
    fn candidates(&self, keys: &[u64]) -> Vec<u32> {
        let Some(banding) = self.scheme.method().banding() else {
            let mut all: Vec<u32> = self.texts.keys().copied().collect();
            all.sort_unstable();
            return all;
        };
        let mut met: Vec<u32> = Vec::new();
        for bucket in self.buckets_of(keys) {
            met.extend(self.buckets.get(&bucket).into_iter().flatten());
        }
        agreeing(&mut met, banding.agreeing());
        met
    }

    fn buckets_of(&self, keys: &[u64]) -> Vec<(u32, u64)> {
        match self.scheme.method().banding() {
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
        let index = |method| MemoryIndex::new(Scheme::default().with_method(method).unwrap());
        assert!(index(simhash(Weights::Idf)).is_err() && index(MethodOptions::Copies(Checksum::Text)).is_err());
        let mut index = index(simhash(Weights::Count)).unwrap();
        index.put("a", "one two three four five six");
        assert_eq!(index.search("One two three four five six.").len(), 1);
        assert!(index.search("seven eight nine ten eleven").is_empty() && index.search("").is_empty());
    }
}
