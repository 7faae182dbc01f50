//! `SimHash`: eight or sixteen bytes per document, and candidates that differ in a few bits.
//!
//! Unless matches are verified by their features, the bits are the measure, and the distance decides instead of the
//! threshold.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Method, Sketched, Sketcher, Take};
use crate::bucket::hamming::{self, MOST_DIFFERING, Tables};
use crate::error::{Error, Result};
use crate::hash::{ROUND_STEP, mix};
use crate::ids::{Document, Number};
use crate::join::Sets;
use crate::measure::distinct::Distinct;
use crate::measure::likeness::Likeness;
use crate::measure::similarity::Similarity;
use crate::sketch::{Counters, FeatureWeights, Frequencies, Layout, Sketches};
use crate::sources::{FeatureSource, SourceError};

/// Bits per sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// Sixty-four.
    #[default]
    Bits64,
    /// A hundred and twenty-eight.
    Bits128,
}

impl Width {
    /// Number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits64 => 64,
            Self::Bits128 => 128,
        }
    }

    fn words(self) -> usize {
        self.bits() as usize / 64
    }
}

crate::word_enum! {
    /// The weight of a feature's vote.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Weights {
        /// Its number of occurrences.
        #[default]
        Count,
        /// More, the fewer documents have it.
        Idf,
        /// 1.
        None,
    }
}

/// Finds items whose sketches differ in a few bits.
#[derive(Clone, Debug)]
pub struct SimHash {
    width: Width,
    weights: Weights,
    distance: u32,
    tables: Tables,
    /// True if features decide which candidates are matches.
    is_verified: bool,
    /// Counted in the first pass over the items, if weights need it.
    frequencies: Option<Arc<Frequencies>>,
}

impl SimHash {
    /// The default distance in bits.
    pub const DISTANCE: u32 = 3;

    /// Creates the method for sketches that differ in at most `distance` bits.
    ///
    /// # Errors
    ///
    /// [`Error::DistanceOutOfRange`] if the distance is not supported.
    pub fn new(width: Width, weights: Weights, distance: u32, tables: Tables, is_verified: bool) -> Result<Self> {
        Self::check_distance(distance)?;
        let frequencies = (weights == Weights::Idf).then(Arc::default);
        Ok(Self { width, weights, distance, tables, is_verified, frequencies })
    }

    /// Checks only the distance: rarity weights take megabytes to build.
    pub(crate) fn check_distance(distance: u32) -> Result<()> {
        if distance > MOST_DIFFERING {
            return Err(Error::DistanceOutOfRange { distance, most: MOST_DIFFERING });
        }
        Ok(())
    }

    fn voter(&self) -> Voter {
        Voter { width: self.width, weights: self.weights, counters: Counters::default() }
    }
}

impl Method for SimHash {
    fn layout(&self) -> Layout {
        Layout { keys: 0, bytes: self.width.words() * size_of::<u64>() }
    }

    fn sketcher(&self) -> Box<dyn Sketcher> {
        match &self.frequencies {
            Some(frequencies) => Box::new(Count(Arc::clone(frequencies))),
            None => Box::new(self.voter()),
        }
    }

    fn learns(&self) -> bool {
        self.frequencies.is_some()
    }

    fn sketch_again(
        &self,
        sizes: &[u32],
        source: &dyn FeatureSource,
    ) -> std::result::Result<Option<Sketches>, SourceError> {
        let Some(frequencies) = &self.frequencies else { return Ok(None) };
        let weights = frequencies.weights();
        let sketch = |voter: &mut Voter, (item, size): (usize, &u32)| {
            if *size == 0 {
                return Ok(vec![0; self.width.words()]);
            }
            let features = source.features(Document(item as u32))?;
            Ok(voter.vote(&features, &weights))
        };
        let sketches = sizes.par_iter().enumerate().map_init(|| self.voter(), sketch);
        let sketches = sketches.collect::<std::result::Result<Vec<_>, SourceError>>()?;
        let mut all = Sketches::new(self.layout());
        sketches.iter().for_each(|keys| push(keys, &mut all));
        Ok(Some(all))
    }

    fn memory(&self, items: u64, _: u64) -> u64 {
        // In order, and in a sorted table for each thread.
        let table = 2 * (u64::from(self.width.bits()) / 8 + 16);
        items * (u64::from(self.width.bits()) / 8 + table * rayon::current_num_threads() as u64)
    }

    fn candidates(&self, sketched: Sketched<'_>, take: Take<'_>) -> std::result::Result<Option<Sets>, SourceError> {
        let lists = match self.width {
            Width::Bits64 => {
                let mut bits: Vec<u64> = vec![0; sketched.items.len()];
                sketched.each_bytes(|rank, bytes| bits[rank.index()] = u64::from_le_bytes(whole(bytes)))?;
                hamming::buckets(&bits, self.distance, self.tables)
            }
            Width::Bits128 => {
                let mut bits: Vec<u128> = vec![0; sketched.items.len()];
                sketched.each_bytes(|rank, bytes| bits[rank.index()] = u128::from_le_bytes(whole(bytes)))?;
                hamming::buckets(&bits, self.distance, self.tables)
            }
        };
        lists.into_iter().try_for_each(take)?;
        Ok(None)
    }

    fn allows(&self, left: &[u8], right: &[u8]) -> bool {
        differing(left, right) <= self.distance
    }

    fn closeness(&self, left: &[u8], right: &[u8]) -> u32 {
        self.width.bits() - differing(left, right)
    }

    fn is_measure(&self) -> bool {
        !self.is_verified
    }

    fn likeness(&self, left: &[u8], right: &[u8]) -> Option<Likeness> {
        let bits = || Likeness::Bits { differing: differing(left, right), of: self.width.bits() };
        self.is_measure().then(bits)
    }

    fn recall_at(&self, _: Similarity) -> Option<f64> {
        None
    }
}

/// Number of bits in which two sketches differ.
fn differing(left: &[u8], right: &[u8]) -> u32 {
    left.iter().zip(right).map(|(left, right)| (left ^ right).count_ones()).sum()
}

/// The bytes of a sketch of known length.
fn whole<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a sketch has as many bytes as its layout says")
}

/// Adds a sketch of these words.
fn push(words: &[u64], sketches: &mut Sketches) {
    sketches.push([], words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Lets features vote.
struct Voter {
    width: Width,
    weights: Weights,
    counters: Counters,
}

/// The votes of a feature for one word of the sketch.
#[inline]
fn ballot(feature: u64, word: usize) -> u64 {
    if word == 0 { feature } else { mix(feature.wrapping_add(ROUND_STEP)) }
}

impl Voter {
    fn vote(&mut self, features: &[u64], weights: &FeatureWeights) -> Vec<u64> {
        let mut word = |word| {
            features.iter().for_each(|feature| self.counters.add(ballot(*feature, word), weights.of(*feature)));
            self.counters.majority()
        };
        (0..self.width.words()).map(&mut word).collect()
    }
}

impl Sketcher for Voter {
    fn sketch(&mut self, features: &[u64], distinct: &Distinct, sketches: &mut Sketches) {
        let mut word = |word| {
            match self.weights {
                Weights::None => self.counters.add_all(distinct.iter(features).map(|feature| ballot(feature, word))),
                _ => self.counters.add_all(features.iter().map(|feature| ballot(*feature, word))),
            }
            self.counters.majority()
        };
        let words: Vec<u64> = (0..self.width.words()).map(&mut word).collect();
        push(&words, sketches);
    }
}

/// Counts features, for the weights used in the second pass.
struct Count(Arc<Frequencies>);

impl Sketcher for Count {
    fn sketch(&mut self, features: &[u64], distinct: &Distinct, sketches: &mut Sketches) {
        self.0.count(distinct.iter(features));
        sketches.push_none();
    }
}
