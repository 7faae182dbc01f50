//! The pairs of one set at a time, from any search method.

use std::num::NonZeroUsize;

use lookalike_core::decision::{References, Scope};
use lookalike_core::join::{Measure, Near, Nearest, Neighbors, Seeker, Sets, WeightedSets};

/// The pairs to report, and their order.
#[derive(Clone, Copy, Debug)]
pub(super) struct By {
    pub(super) measure: Measure,
    pub(super) top: Option<NonZeroUsize>,
    /// Number of sets, the first ones, that are only compared with.
    pub(super) references: Option<u32>,
}

impl By {
    pub(super) fn references(self) -> References {
        match self.references {
            Some(count) => References { count, scope: Scope::References },
            None => References::default(),
        }
    }

    /// True if a set reports its pair with another, and false if the other one does.
    fn tells(self, item: u32, other: u32) -> bool {
        item < other || self.top.is_some() || self.references.is_some()
    }

    fn sort(self, near: &mut Vec<Near>) {
        if let Some(top) = self.top {
            near.sort_unstable_by(|one, other| {
                other.similarity.total_cmp(&one.similarity).then(one.item.cmp(&other.item))
            });
            near.truncate(top.get());
        } else {
            near.sort_unstable_by_key(|near| near.item);
        }
    }
}

/// Finds the pairs of a set.
pub(super) trait Finder: Sync {
    /// Creates the state of a thread.
    fn seeker(&self) -> Seeker;

    /// Finds the pairs of a set, in output order.
    fn near(&self, item: u32, seeker: &mut Seeker, near: &mut Vec<Near>);

    /// The shared weight or count with a neighbor, in the user's units.
    fn shared(&self, item: u32, near: &Near) -> f64;

    /// The size of a set, in the unit of the shared weight.
    fn size(&self, item: u32) -> u64;
}

/// Pairs found by a join.
pub(super) struct Joined<'a> {
    pub(super) neighbors: Neighbors,
    pub(super) sets: &'a Sets,
    pub(super) by: By,
}

impl Finder for Joined<'_> {
    fn seeker(&self) -> Seeker {
        Seeker::new(0)
    }

    fn near(&self, item: u32, _: &mut Seeker, near: &mut Vec<Near>) {
        near.clear();
        let size = |item: u32| u64::from(self.sets.size(item));
        let left = size(item);
        self.neighbors.each(item, |other, shared| {
            if self.by.tells(item, other) {
                let shared = u64::from(shared);
                let similarity = self.by.measure.similarity(shared, left, size(other));
                near.push(Near { item: other, similarity, shared });
            }
        });
        self.by.sort(near);
    }

    fn shared(&self, _: u32, near: &Near) -> f64 {
        near.shared as f64
    }

    fn size(&self, item: u32) -> u64 {
        u64::from(self.sets.size(item))
    }
}

/// Pairs found by a search from each set.
pub(super) struct Around<'a> {
    pub(super) nearest: Nearest<'a>,
    pub(super) sets: &'a WeightedSets,
    pub(super) by: By,
}

impl Finder for Around<'_> {
    fn seeker(&self) -> Seeker {
        Seeker::new(self.sets.len())
    }

    fn near(&self, item: u32, seeker: &mut Seeker, near: &mut Vec<Near>) {
        self.nearest.of(item, seeker, near);
        near.retain(|near| self.by.tells(item, near.item));
        self.by.sort(near);
    }

    fn shared(&self, item: u32, near: &Near) -> f64 {
        self.sets.shared_weight(item, near)
    }

    fn size(&self, item: u32) -> u64 {
        self.sets.total(item)
    }
}
