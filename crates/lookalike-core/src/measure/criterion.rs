//! Match criteria: a measure with its threshold, and the bounds that follow from it.
//!
//! A bound computed in floating point is occasionally off by one, and a match lost to rounding is lost for good. Every
//! bound is therefore only guessed by a formula, and then moved up or down until it agrees with [`Criterion::accepts`],
//! the very test that decides. All measures grow with the overlap and shrink with the other set's size, and so do their
//! rounded quotients, so checking one step past the boundary is a proof.

use std::num::NonZeroU32;

use crate::measure::feature_set::Overlap;
use crate::measure::similarity::Threshold;

crate::word_enum! {
    /// A measure of two documents.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Measure {
        /// Shared features divided by all features.
        #[default]
        Jaccard,
        /// Shared features divided by those of the smaller document.
        Containment,
    }
}

impl Measure {
    /// The measure with the minimum for a match.
    pub fn criterion(self, threshold: Threshold) -> Criterion {
        match self {
            Self::Jaccard => Criterion::Jaccard(threshold),
            Self::Containment => Criterion::Containment(threshold),
        }
    }
}

/// A measure of two sets with the minimum for a match. Empty sets match nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// Shared features divided by all features.
    Jaccard(Threshold),
    /// Shared features divided by those of the smaller set.
    Containment(Threshold),
    /// Shared features divided by the geometric mean of both sizes.
    Cosine(Threshold),
    /// Number of shared features.
    Overlap(NonZeroU32),
}

impl Criterion {
    /// The similarity by this measure: between 0 and 1, except for the overlap, which is a count.
    #[inline]
    pub fn similarity(self, overlap: Overlap) -> f64 {
        let Overlap { shared, left, right } = overlap;
        if shared == 0 {
            return 0.0;
        }
        match self {
            Self::Jaccard(_) => overlap.jaccard(),
            Self::Containment(_) => f64::from(shared) / f64::from(left.min(right)),
            Self::Cosine(_) => f64::from(shared) / geometric_mean(left, right),
            Self::Overlap(_) => f64::from(shared),
        }
    }

    /// True if this is a match.
    #[inline]
    pub fn accepts(self, overlap: Overlap) -> bool {
        match self {
            Self::Jaccard(threshold) | Self::Containment(threshold) | Self::Cosine(threshold) => {
                self.similarity(overlap) >= threshold.value()
            }
            Self::Overlap(least) => overlap.shared >= least.get(),
        }
    }

    /// The length filter: true if sets of these sizes can match, if all of the smaller one is shared.
    #[inline]
    pub fn allows_sizes(self, left: u32, right: u32) -> bool {
        self.accepts(Overlap { shared: left.min(right), left, right })
    }

    /// The name of the measure in outputs.
    pub fn measure(self) -> &'static str {
        match self {
            Self::Jaccard(_) => "jaccard",
            Self::Containment(_) => "containment",
            Self::Cosine(_) => "cosine",
            Self::Overlap(_) => "overlap",
        }
    }

    /// The minimum for a match.
    pub fn threshold(self) -> f64 {
        match self {
            Self::Jaccard(threshold) | Self::Containment(threshold) | Self::Cosine(threshold) => threshold.value(),
            Self::Overlap(least) => f64::from(least.get()),
        }
    }

    /// The minimum number of shared features for sets of these sizes to match; more than the smaller size if none is
    /// enough. It does not shrink when a size grows.
    pub fn least_shared(self, left: u32, right: u32) -> u32 {
        let most = left.min(right);
        let guess = match self {
            Self::Jaccard(threshold) => {
                let both = f64::from(left) + f64::from(right);
                (threshold.value() / (1.0 + threshold.value()) * both).ceil()
            }
            Self::Containment(threshold) => (threshold.value() * f64::from(most)).ceil(),
            Self::Cosine(threshold) => (threshold.value() * geometric_mean(left, right)).ceil(),
            Self::Overlap(least) => return least.get().min(most + 1),
        };
        let accepts = |shared| self.accepts(Overlap { shared, left, right });
        let mut shared = (guess as u32).clamp(1, most + 1);
        while shared > 1 && accepts(shared - 1) {
            shared -= 1;
        }
        while shared <= most && !accepts(shared) {
            shared += 1;
        }
        shared
    }

    /// The size of the smallest set that a set of this size can match; more than `size` if it can match none.
    pub fn least_partner(self, size: u32) -> u32 {
        let guess = match self {
            Self::Jaccard(threshold) => (threshold.value() * f64::from(size)).ceil() as u32,
            Self::Containment(_) => 1,
            Self::Cosine(threshold) => (threshold.value().powi(2) * f64::from(size)).ceil() as u32,
            Self::Overlap(least) => return least.get().min(size + 1),
        };
        // At best the other set is a subset.
        let accepts = |partner| self.accepts(Overlap { shared: partner, left: size, right: partner });
        let mut partner = guess.clamp(1, size + 1);
        while partner > 1 && accepts(partner - 1) {
            partner -= 1;
        }
        while partner <= size && !accepts(partner) {
            partner += 1;
        }
        partner
    }

    /// The size of the largest set, up to `largest`, that a set of this size can match; 0 if it can match none.
    pub fn greatest_partner(self, size: u32, largest: u32) -> u32 {
        // At best the set is a subset of the other.
        let accepts = |partner| self.accepts(Overlap { shared: size, left: size, right: partner });
        if size > largest || !accepts(size) {
            return 0;
        }
        let guess = match self {
            Self::Jaccard(threshold) => f64::from(size) / threshold.value(),
            Self::Containment(_) | Self::Overlap(_) => f64::from(largest),
            Self::Cosine(threshold) => f64::from(size) / threshold.value().powi(2),
        };
        let mut partner = (guess as u32).clamp(size, largest);
        while partner < largest && accepts(partner + 1) {
            partner += 1;
        }
        while partner > size && !accepts(partner) {
            partner -= 1;
        }
        partner
    }

    /// True if a set need not share more with a larger set than with one of its own size.
    fn is_about_the_smaller(self) -> bool {
        matches!(self, Self::Containment(_) | Self::Overlap(_))
    }
}

fn geometric_mean(left: u32, right: u32) -> f64 {
    ((u64::from(left) * u64::from(right)) as f64).sqrt()
}

/// Minimum overlaps of one set with others by size, cached because they are needed so often.
#[derive(Debug)]
pub(crate) struct Needs {
    criterion: Criterion,
    size: u32,
    /// The smallest possible size of a match.
    least_partner: u32,
    greatest_partner: u32,
    /// The largest size cached individually.
    greatest_known: u32,
    /// Indexed from the smallest possible size; 0 means unknown, since a match always shares something.
    known: Vec<u32>,
}

impl Needs {
    pub(crate) fn new(criterion: Criterion) -> Self {
        Self { criterion, size: 0, least_partner: 1, greatest_partner: 0, greatest_known: 0, known: Vec::new() }
    }

    /// Switches to sets of this size, whose matches have at most `largest` features: the cache is kept for sets of
    /// equal size.
    pub(crate) fn turn_to(&mut self, size: u32, largest: u32) {
        if self.size != size {
            self.size = size;
            self.least_partner = self.criterion.least_partner(size);
            self.greatest_partner = self.criterion.greatest_partner(size, largest);
            let is_about_the_smaller = self.criterion.is_about_the_smaller();
            self.greatest_known = self.greatest_partner.min(if is_about_the_smaller { size } else { u32::MAX });
            self.known.clear();
            self.known.resize((self.greatest_known + 1).saturating_sub(self.least_partner) as usize, 0);
        }
    }

    pub(crate) fn least_partner(&self) -> u32 {
        self.least_partner
    }

    #[inline]
    pub(crate) fn allows(&self, partner: u32) -> bool {
        (self.least_partner..=self.greatest_partner).contains(&partner)
    }

    /// The minimum overlap with a set of an allowed size.
    #[inline]
    pub(crate) fn least_shared(&mut self, partner: u32) -> u32 {
        let partner = partner.min(self.greatest_known);
        let known = &mut self.known[(partner - self.least_partner) as usize];
        if *known == 0 {
            *known = self.criterion.least_shared(self.size, partner);
        }
        *known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criteria() -> Vec<Criterion> {
        let mut criteria: Vec<Criterion> =
            [1, 2, 5].map(|count| Criterion::Overlap(NonZeroU32::new(count).unwrap())).into();
        for value in [1.0, 0.5, 0.8, 2.0 / 3.0, 0.7, 0.9, 0.95, 0.1, 1.0 / 3.0, 0.6 + f64::EPSILON] {
            let threshold = Threshold::new(value).unwrap();
            criteria.extend([Criterion::Jaccard, Criterion::Containment, Criterion::Cosine].map(|of| of(threshold)));
        }
        criteria
    }

    #[test]
    fn the_least_shared_count_is_the_first_that_is_accepted() {
        for criterion in criteria() {
            for (left, right) in (1..60).flat_map(|left| (1..60).map(move |right| (left, right))) {
                let first =
                    (1..=left.min(right)).find(|shared| criterion.accepts(Overlap { shared: *shared, left, right }));
                let expected = first.unwrap_or(left.min(right) + 1);
                assert_eq!(criterion.least_shared(left, right), expected, "{criterion:?} {left} {right}");
            }
        }
    }

    #[test]
    fn partners_are_those_that_could_share_enough() {
        for criterion in criteria() {
            for size in 1..60 {
                let is_possible = |partner: &u32| criterion.least_shared(size, *partner) <= size.min(*partner);
                let least = (1..=size).find(is_possible).unwrap_or(size + 1);
                assert_eq!(criterion.least_partner(size), least, "{criterion:?} {size}");
                let greatest = (size..=200).rev().find(is_possible).unwrap_or(0);
                assert_eq!(criterion.greatest_partner(size, 200), greatest, "{criterion:?} {size}");
            }
        }
    }

    #[test]
    fn sizes_alone_can_rule_a_pair_out() {
        let [jaccard, containment] =
            [Criterion::Jaccard, Criterion::Containment].map(|of| of(Threshold::new(0.8).unwrap()));
        assert!(jaccard.allows_sizes(4, 5) && jaccard.allows_sizes(5, 4) && !jaccard.allows_sizes(7, 9));
        assert!(containment.allows_sizes(1, 9));
    }

    #[test]
    fn remembered_needs_are_those_computed() {
        for criterion in criteria() {
            let mut needs = Needs::new(criterion);
            for size in [7, 20, 3, 59] {
                needs.turn_to(size, 80);
                for partner in (1..=80).filter(|partner| needs.allows(*partner)).collect::<Vec<_>>() {
                    let expected = criterion.least_shared(size, partner);
                    assert_eq!((needs.least_shared(partner), needs.least_shared(partner)), (expected, expected));
                }
            }
        }
    }

    #[test]
    fn bounds_hold_for_the_largest_sizes() {
        for criterion in criteria() {
            let size = u32::MAX - 1;
            let shared = criterion.least_shared(size, size - 5);
            assert_eq!(
                shared <= size - 5,
                criterion.accepts(Overlap { shared: size - 5, left: size, right: size - 5 })
            );
            assert!(!criterion.accepts(Overlap { shared: shared - 1, left: size, right: size - 5 }));
            assert!(criterion.least_partner(size) <= size && criterion.greatest_partner(size, size) == size);
        }
    }

    #[test]
    fn empty_sets_match_nothing() {
        for criterion in criteria() {
            assert!(!criterion.accepts(Overlap { shared: 0, left: 0, right: 0 }));
            assert!(!criterion.accepts(Overlap { shared: 0, left: 0, right: 3 }));
        }
    }
}
