//! The pairs of one set after the other, by whatever found them.

use std::num::NonZeroUsize;

use lookalike_core::decision::{References, Scope};
use lookalike_core::join::{Measure, Near, Nearest, Neighbors, Seeker, Sets, WeightedSets};

/// Which pairs are told, and in which order.
#[derive(Clone, Copy, Debug)]
pub(super) struct By {
    pub(super) measure: Measure,
    pub(super) top: Option<NonZeroUsize>,
    /// How many of the sets, the first ones, are only held against.
    pub(super) references: Option<u32>,
}

impl By {
    pub(super) fn references(self) -> References {
        match self.references {
            Some(count) => References { count, scope: Scope::References },
            None => References::default(),
        }
    }

    /// Whether a set tells its pair with another, or leaves it to that one.
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

/// Tells the pairs of a set.
pub(super) trait Finder: Sync {
    /// What a thread needs for it.
    fn seeker(&self) -> Seeker;

    /// The pairs of a set, in the order of the output.
    fn near(&self, item: u32, seeker: &mut Seeker, near: &mut Vec<Near>);

    /// What a set shares with one near it, as the user knows it.
    fn shared(&self, item: u32, near: &Near) -> f64;

    /// What a set has, in the unit of what is shared.
    fn size(&self, item: u32) -> u64;
}

/// Pairs that a join has found.
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

/// Pairs that each set finds by itself.
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
