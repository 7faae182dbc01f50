//! Items with few features, and their true matches by counting: uses only the types of the crate.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::collections::HashSet;
use std::num::NonZeroU32;

use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::sources::{FeatureSource, SourceError};
use proptest::prelude::*;

/// The features of items, with repetitions as in texts.
#[derive(Clone, Debug)]
pub struct Items(pub Vec<Vec<u64>>);

/// Items that share much: all features are below 9.
pub fn any_items() -> impl Strategy<Value = Items> {
    proptest::collection::vec(proptest::collection::vec(0_u64..9, 1..8), 2..30).prop_map(Items)
}

impl FeatureSource for Items {
    fn features(&self, document: Document) -> Result<Vec<u64>, SourceError> {
        Ok(self.0[document.index()].clone())
    }
}

impl Items {
    pub fn documents(&self) -> Vec<Document> {
        (0..self.0.len() as u32).map(Document).collect()
    }

    pub fn sizes(&self) -> Vec<u32> {
        self.0.iter().map(|features| features.iter().collect::<HashSet<_>>().len() as u32).collect()
    }

    pub fn overlap(&self, left: usize, right: usize) -> Overlap {
        let [left, right] = [left, right].map(|item| self.0[item].iter().collect::<HashSet<_>>());
        Overlap { shared: left.intersection(&right).count() as u32, left: left.len() as u32, right: right.len() as u32 }
    }
}

/// A criterion, computed with integers.
#[derive(Clone, Copy, Debug)]
pub enum Truth {
    /// Half of the union.
    HalfJaccard,
    /// Three quarters of the union.
    MostJaccard,
    /// Half of the geometric mean of both sizes.
    HalfCosine,
    /// Three features.
    ThreeShared,
}

pub fn any_truth() -> impl Strategy<Value = Truth> {
    use Truth::{HalfCosine, HalfJaccard, MostJaccard, ThreeShared};
    prop_oneof![Just(HalfJaccard), Just(MostJaccard), Just(HalfCosine), Just(ThreeShared)]
}

impl Truth {
    pub fn criterion(self) -> Criterion {
        let share = |share: f64| Threshold::new(share).unwrap();
        match self {
            Self::HalfJaccard => Criterion::Jaccard(share(0.5)),
            Self::MostJaccard => Criterion::Jaccard(share(0.75)),
            Self::HalfCosine => Criterion::Cosine(share(0.5)),
            Self::ThreeShared => Criterion::Overlap(NonZeroU32::new(3).unwrap()),
        }
    }

    pub fn is_match(self, Overlap { shared, left, right }: Overlap) -> bool {
        let all = left + right - shared;
        match self {
            Self::HalfJaccard => 2 * shared >= all,
            Self::MostJaccard => 4 * shared >= 3 * all,
            Self::HalfCosine => 4 * shared * shared >= left * right,
            Self::ThreeShared => shared >= 3,
        }
    }

    /// A value that is larger for the more similar of two pairs, without rounding: a share as a fraction.
    pub fn similarity(self, Overlap { shared, left, right }: Overlap) -> (u32, u32) {
        match self {
            Self::HalfJaccard | Self::MostJaccard => (shared, left + right - shared),
            Self::HalfCosine => (shared * shared, left * right),
            Self::ThreeShared => (shared, 1),
        }
    }
}
