//! Finds matches by sketches: sets that agree in a band are measured, all others are not.
//!
//! Sketches are computed from tokens, without features that only one set has. These could only prevent slots from
//! agreeing, so the recall is at least what the banding promises, and usually higher.

use std::convert::Infallible;
use std::sync::Mutex;

use rayon::prelude::*;

use super::groups::Groups;
use super::neighbors::{Neighbors, Room};
use super::pairs::{Found, GROUPS_AT_ONCE};
use super::probe::{Prober, Probers};
use super::{Measure, Sets};
use crate::bucket::banding::Banding;
use crate::bucket::{Entry, lists_of_columns};
use crate::decision::References;
use crate::error::{Error, Result};
use crate::hash::mix;
use crate::measure::similarity::Threshold;
use crate::packed::Lists;
use crate::sketch::SlotKind;

/// Memory for sorting keys: enough for ten million sets per column.
const SORTING_BYTES: usize = 1 << 28;

impl Measure {
    /// The banding that finds a pair at the threshold with at least this probability.
    ///
    /// # Errors
    ///
    /// [`Error::NoSketches`] for measures without sketches; otherwise as [`Banding::for_recall`].
    pub fn banding(self, threshold: Threshold, recall: f64) -> Result<Banding> {
        let jaccard = match self {
            Self::Jaccard => threshold,
            // A set contained in one that is 1 / t² times as large has cosine t, and the lowest Jaccard similarity of
            // all such pairs, t².
            Self::Cosine => Threshold::new(threshold.value().powi(2))?,
            Self::Containment | Self::Overlap => return Err(Error::NoSketches { measure: self.word() }),
        };
        Banding::for_recall(jaccard, recall)
    }
}

impl Neighbors {
    /// The matches that bands find, if they take at most this many bytes: each is measured, but some are missed.
    /// `go_on` is called repeatedly.
    ///
    /// # Errors
    ///
    /// An error of `go_on`, which ends the join.
    pub fn sketched<E: Send>(
        sets: &Sets,
        measure: Measure,
        (threshold, banding): (Threshold, Banding),
        references: References,
        most_bytes: u64,
        go_on: impl Fn() -> std::result::Result<(), E> + Sync,
    ) -> std::result::Result<Option<Self>, E> {
        let criterion = measure.criterion(threshold);
        let groups = Groups::new(sets, criterion, references);
        let buckets = buckets(sets, &groups, banding);
        let of_group = buckets.transposed(groups.len());
        let probers = Probers::new(criterion, groups.len(), sets.token_count());
        let search = Search { sets, groups: &groups, buckets: &buckets, of_group: &of_group };
        let all: Vec<u32> = (0..groups.len() as u32).collect();
        let room = Room::new(most_bytes);
        let of_groups = |some: &[u32]| {
            go_on()?;
            let mut found = Vec::new();
            if !room.is_full() {
                probers.with(|prober| some.iter().for_each(|group| search.partners(*group, prober, &mut found)));
                room.take(found.len());
            }
            Ok(found)
        };
        let found =
            all.par_chunks(GROUPS_AT_ONCE).map(of_groups).collect::<std::result::Result<Vec<Vec<Found>>, E>>()?;
        Ok((!room.is_full()).then(|| Self::of_found(sets.len(), groups, &found, references)))
    }
}

/// Groups that agree in a band.
fn buckets(sets: &Sets, groups: &Groups, banding: Banding) -> Lists {
    let bands = banding.bands();
    let cutter = banding.cutter();
    let mut keys = vec![0; groups.len() * bands];
    keys.par_chunks_mut(bands).enumerate().for_each_init(
        || (SlotKind::Fast.sketcher(banding.slot_count()), Vec::new()),
        |(sketcher, features), (group, keys)| {
            features.clear();
            // Tokens are ranks, and sketches need uniformly distributed numbers.
            features.extend(sets.tokens(groups.items(group as u32)[0]).iter().map(|token| mix(u64::from(*token) + 1)));
            let slots = sketcher.sketch(features).expect("a set in a group shares a token with another");
            let mut keys = keys.iter_mut();
            cutter.keys(slots, |key| *keys.next().expect("a key for each band") = key);
        },
    );
    let found = Mutex::new(Vec::new());
    let entries = |band: usize, push: &mut dyn FnMut(Entry)| {
        (0..).zip(keys.chunks_exact(bands)).for_each(|(rank, keys)| push(Entry { key: keys[band], rank }));
        Ok::<(), Infallible>(())
    };
    let take = |lists: Lists| {
        found.lock().expect("nobody panics while holding the lock").push(lists);
        Ok(())
    };
    let Ok(()) = lists_of_columns(bands, groups.len(), SORTING_BYTES, entries, take);
    let found = found.into_inner().expect("nobody panicked while holding the lock");
    let mut all = Lists::default();
    found.iter().flat_map(Lists::iter).for_each(|bucket| all.push(bucket.iter().copied()));
    all
}

struct Search<'a> {
    sets: &'a Sets,
    groups: &'a Groups,
    buckets: &'a Lists,
    /// The buckets of each group.
    of_group: &'a Lists,
}

impl Search<'_> {
    /// Measures the groups before this one, which are not larger, that share a bucket with it.
    fn partners(&self, group: u32, prober: &mut Prober, found: &mut Vec<Found>) {
        let (tokens, size) = (self.sets.tokens(self.groups.items(group)[0]), self.groups.size(group));
        prober.begin();
        prober.needs.turn_to(size, size);
        for bucket in self.of_group.list(group as usize) {
            for other in self.buckets.list(*bucket as usize).iter().take_while(|other| **other < group) {
                let other_size = self.groups.size(*other);
                if !prober.needs.allows(other_size) || !prober.meets(*other) || !self.groups.compare(group, *other) {
                    continue;
                }
                let least = prober.needs.least_shared(other_size);
                let candidate = self.sets.tokens(self.groups.items(*other)[0]);
                if let Some(shared) = prober.shared(tokens, candidate, least) {
                    found.push(Found { group, partner: *other, shared });
                }
            }
        }
        prober.end(tokens);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::brute;
    use super::*;

    fn sketched(sets: &Sets, measure: Measure, bands: (Threshold, Banding)) -> Neighbors {
        let go_on = || Ok::<(), ()>(());
        Neighbors::sketched(sets, measure, bands, References::default(), u64::MAX, go_on).unwrap().unwrap()
    }

    fn pairs(neighbors: &Neighbors, count: usize) -> Vec<(u32, u32, u32)> {
        let mut found = Vec::new();
        for item in 0..count as u32 {
            neighbors.each(item, |other, shared| found.push((item, other, shared)));
        }
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn what_sketches_find_is_measured(items in brute::items(), value in 0.3_f64..1.0) {
            let (sets, none) = (Sets::new(&items), References::default());
            let threshold = Threshold::new(value).unwrap();
            for measure in [Measure::Jaccard, Measure::Cosine] {
                let exact = pairs(&Neighbors::new(&sets, measure.criterion(threshold), none), items.len());
                // One row per band and very many bands find everything.
                let bands = Banding::new(300, 1).unwrap();
                let found = pairs(&sketched(&sets, measure, (threshold, bands)), items.len());
                prop_assert!(found.iter().all(|pair| exact.binary_search(pair).is_ok()));
                prop_assert!(found.len() == exact.len(), "{} of {}", found.len(), exact.len());
            }
        }
    }

    #[test]
    fn as_much_is_found_as_was_asked_for() {
        // 2,000 pairs of sets of 20 elements that share 15: 15 of 25.
        let items: Vec<Vec<u64>> = (0..4000_u64)
            .map(|at| {
                (0..20).map(|place| if place < 15 { at / 2 * 100 + place } else { (at + 1) << 32 | place }).collect()
            })
            .collect();
        let (sets, threshold) = (Sets::new(&items), Threshold::new(0.6).unwrap());
        let banding = Measure::Jaccard.banding(threshold, 0.9).unwrap();
        let neighbors = sketched(&sets, Measure::Jaccard, (threshold, banding));
        let found = pairs(&neighbors, items.len()).len() / 2;
        // Five standard deviations of 2,000 draws at 0.9 are 67.
        assert!(found >= 1800 - 67, "{found}");
    }

    #[test]
    fn sketches_say_nothing_of_parts() {
        let threshold = Threshold::new(0.5).unwrap();
        assert!(
            Measure::Overlap.banding(threshold, 0.9).is_err() && Measure::Containment.banding(threshold, 0.9).is_err()
        );
        assert!(Measure::Cosine.banding(threshold, 0.9).is_ok());
    }
}
