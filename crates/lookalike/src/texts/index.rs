//! An index in memory: texts that come and go, and the near-duplicates of another among them.

use std::collections::HashMap;

use lookalike_core::hash::Key;
use lookalike_core::kernel::TextSketcher;
use lookalike_core::measure::feature_set::{FeatureSet, Overlap};
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::method::Method;
use lookalike_core::scheme::Scheme;
use lookalike_core::sketch::Sketches;
use lookalike_core::text::shingle::Shingler;

use crate::error::Result;

/// Texts by id, to be searched for near-duplicates.
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
    /// The id that it was inserted with.
    pub id: String,
    /// How similar it is.
    pub similarity: f64,
    /// How alike they are: what was searched for is on the left.
    pub likeness: Likeness,
}

impl Index {
    /// An empty index.
    ///
    /// # Errors
    ///
    /// When the parameters of the scheme are not possible.
    pub fn new(scheme: Scheme) -> Result<Self> {
        let (method, key) = (scheme.build_method()?, Key::random());
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

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Puts a text into the index; one that has the same id goes.
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

    /// Takes a text out of the index; says whether it was there.
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

    /// The near-duplicates of a text, the most similar first; those of one similarity in the order of insertion. Each is measured
    /// exactly.
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
            let likeness = match self.method.likeness(&bytes, &stored.bytes) {
                Some(likeness) => likeness,
                None => {
                    let own = self.shingler.features(&stored.text).all;
                    let (shared, right) = (set.shared_count(own), FeatureSet::new(own).size());
                    let overlap = Overlap { shared, left: set.size(), right };
                    if !criterion.accepts(overlap) {
                        continue;
                    }
                    Likeness::Features(overlap)
                }
            };
            let similarity = likeness.similarity(criterion);
            hits.push((number, Hit { id: stored.id.to_string(), similarity, likeness }));
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
