//! Decides on sets: the maximal independent set that is first in keep order, with no match missed.
//!
//! Only kept items are indexed, since only they remove others: in a family of a hundred thousand, each item is compared
//! only with the kept one. Blocks of items query in parallel what was kept before their block; the remaining items of a
//! block are decided one by one; then each removed item queries what was kept in its block before it.
//!
//! Items are ordered by rank and not by size, so a set must be found by larger and by smaller ones. Of two sets, the
//! larger one needs a longer prefix, which may reach into features that all sets have; the smaller one does not. Each
//! set is therefore in two indexes, and two sets of one size do not meet because of boilerplate that is too short for a
//! match.

use std::ops::Range;

use rayon::prelude::*;

use super::Sets;
use super::index::{Index, outline, prefix_count};
use super::probe::{Prober, Probers};
use crate::decision::{Decision, References, Scope};
use crate::ids::{Number, Rank};
use crate::measure::criterion::Criterion;
use crate::measure::feature_set::Overlap;
use crate::measure::likeness::Likeness;

/// Number of items that query together. Matches within a block are found sequentially, so a block must not be too
/// large; the other queries are parallel, so it must not be too small.
const BLOCK: usize = 1024;

/// Number of items a thread takes at a time.
const ITEMS_AT_ONCE: usize = 16;

/// Decides on all items: sets by rank, best first.
///
/// In order of rank, each item is kept unless it matches one kept before. A removed item is assigned to the most
/// similar reference; if it matches none, to the most similar kept item before it. Ties go to the best rank.
///
/// ```
/// use lookalike_core::measure::criterion::Criterion;
/// use lookalike_core::join::{Sets, independent_set};
/// use lookalike_core::decision::{Decision, References};
/// use lookalike_core::measure::similarity::Threshold;
///
/// // The first is like the second, the second like the third; but the third is not like the first.
/// let sets = Sets::new(&[vec![1, 2, 3, 4], vec![2, 3, 4, 5], vec![3, 4, 5, 6]]);
/// let decisions = independent_set(&sets, Criterion::Jaccard(Threshold::new(0.6)?), References::default());
///
/// assert!(matches!(decisions[..], [Decision::Kept, Decision::Removed { .. }, Decision::Kept]));
/// # Ok::<(), lookalike_core::Error>(())
/// ```
pub fn independent_set(sets: &Sets, criterion: Criterion, references: References) -> Vec<Decision> {
    let mut resolver = Resolver::new(sets, criterion, references);
    resolver.decide();
    resolver.ask_for_what_was_kept_in_the_block();
    resolver.decisions
}

struct Resolver<'a> {
    sets: &'a Sets,
    criterion: Criterion,
    references: References,
    /// Prefix lengths of each item.
    prefixes: Vec<Prefixes>,
    outlines: Vec<u64>,
    largest: u32,
    /// Kept items by the shorter prefix: found by sets that are as large, or larger.
    for_larger: Index,
    /// Kept items by the longer prefix: found by smaller sets.
    for_smaller: Index,
    probers: Probers,
    decisions: Vec<Decision>,
}

/// Number of tokens of a set that can be the first it shares with a match.
#[derive(Clone, Copy)]
struct Prefixes {
    /// For a match that is as large, or larger: the larger it is, the more it must share.
    with_larger: u32,
    /// For a match that is as large, or smaller.
    with_smaller: u32,
}

impl Prefixes {
    fn new(sets: &Sets, criterion: Criterion, item: u32) -> Self {
        let size = sets.size(item);
        let least_partner = criterion.least_partner(size);
        let with = |partner: u32| prefix_count(sets.tokens(item), criterion.least_shared(size, partner)) as u32;
        if least_partner > size {
            return Self { with_larger: 0, with_smaller: 0 };
        }
        Self { with_larger: with(size), with_smaller: with(least_partner) }
    }
}

impl<'a> Resolver<'a> {
    fn new(sets: &'a Sets, criterion: Criterion, references: References) -> Self {
        let all = || (0..sets.len() as u32).into_par_iter();
        let prefixes: Vec<Prefixes> = all().map(|item| Prefixes::new(sets, criterion, item)).collect();
        let index = |prefix: fn(&Prefixes) -> u32| {
            let by_item = (0..).zip(&prefixes).map(|(item, of_item)| &sets.tokens(item)[..prefix(of_item) as usize]);
            Index::with_room_for(sets.token_count(), by_item)
        };
        Self {
            sets,
            criterion,
            references: References { count: references.count.min(sets.len() as u32), ..references },
            outlines: all().map(|item| outline(sets.tokens(item))).collect(),
            largest: sets.sizes().iter().copied().max().unwrap_or(0),
            for_larger: index(|prefixes| prefixes.with_larger),
            for_smaller: index(|prefixes| prefixes.with_smaller),
            probers: Probers::new(criterion, sets.len(), sets.token_count()),
            decisions: vec![Decision::Kept; sets.len()],
            prefixes,
        }
    }

    fn decide(&mut self) {
        let References { count: reference_count, scope } = self.references;
        (0..reference_count).for_each(|item| self.index(item));
        for block in self.blocks() {
            let asked: Vec<Decision> = self.ask(&block.clone().collect::<Vec<_>>(), |item, prober| {
                let by_reference = self.most_alike(item, 0..reference_count, Decision::Kept, prober);
                match scope {
                    Scope::Everything if by_reference == Decision::Kept => {
                        self.most_alike(item, reference_count..block.start, Decision::Kept, prober)
                    }
                    _ => by_reference,
                }
            });
            for (item, mut decision) in block.clone().zip(asked) {
                if decision == Decision::Kept && scope == Scope::Everything {
                    decision = self.probers.with(|prober| self.most_alike(item, block.start..item, decision, prober));
                    if decision == Decision::Kept {
                        self.index(item);
                    }
                }
                self.decisions[item as usize] = decision;
            }
        }
    }

    /// Items removed because of earlier blocks have not been compared with earlier kept items of their own block.
    fn ask_for_what_was_kept_in_the_block(&mut self) {
        for block in self.blocks() {
            let before = self.references.count..block.start;
            let is_open =
                |decision| matches!(decision, Decision::Removed { kept, .. } if before.contains(&kept.number()));
            let open: Vec<u32> = block.clone().filter(|item| is_open(self.decisions[*item as usize])).collect();
            let asked = self.ask(&open, |item, prober| {
                self.most_alike(item, block.start..item, self.decisions[item as usize], prober)
            });
            for (item, decision) in open.iter().zip(asked) {
                self.decisions[*item as usize] = decision;
            }
        }
    }

    /// Blocks of items that are not references.
    fn blocks(&self) -> impl Iterator<Item = Range<u32>> + use<> {
        let end = self.sets.len() as u32;
        (self.references.count..end).step_by(BLOCK).map(move |start| start..end.min(start + BLOCK as u32))
    }

    fn ask(&self, items: &[u32], ask: impl Fn(u32, &mut Prober) -> Decision + Sync) -> Vec<Decision> {
        let of_some =
            |items: &[u32]| self.probers.with(|prober| items.iter().map(|item| ask(*item, prober)).collect::<Vec<_>>());
        items.par_chunks(ITEMS_AT_ONCE).map(of_some).collect::<Vec<_>>().concat()
    }

    /// Adds a kept item to the indexes.
    fn index(&mut self, item: u32) {
        let at = item as usize;
        let (tokens, outline) = (self.sets.tokens(item), self.outlines[at]);
        let Prefixes { with_larger, with_smaller } = self.prefixes[at];
        self.for_larger.add(item, tokens, with_larger as usize, outline);
        self.for_smaller.add(item, tokens, with_smaller as usize, outline);
    }

    /// Finds the removal by the most similar kept item of these ranks, unless the known one is at least as good.
    fn most_alike(&self, item: u32, ranks: Range<u32>, known: Decision, prober: &mut Prober) -> Decision {
        let mut best = known;
        if ranks.is_empty() {
            return best;
        }
        let (tokens, size) = (self.sets.tokens(item), self.sets.size(item));
        prober.begin();
        prober.needs.turn_to(size, self.largest);
        let Prefixes { with_larger, with_smaller } = self.prefixes[item as usize];
        let no_larger = |partner: u32| partner <= size;
        best = self.most_alike_in(&self.for_larger, with_smaller, no_larger, item, ranks.clone(), best, prober);
        let larger = |partner: u32| partner > size;
        best = self.most_alike_in(&self.for_smaller, with_larger, larger, item, ranks, best, prober);
        prober.end(tokens);
        best
    }

    /// The same for one index, a prefix, and a range of sizes.
    #[expect(clippy::too_many_arguments, reason = "it is the inner loop of one function, for either index")]
    #[inline]
    fn most_alike_in(
        &self,
        index: &Index,
        prefix: u32,
        is_asked_for: impl Fn(u32) -> bool,
        item: u32,
        ranks: Range<u32>,
        known: Decision,
        prober: &mut Prober,
    ) -> Decision {
        let mut best = known;
        let (tokens, size) = (self.sets.tokens(item), self.sets.size(item));
        let own_outline = self.outlines[item as usize];
        for (place, token) in tokens[..prefix as usize].iter().enumerate() {
            let remaining = (tokens.len() - place) as u32;
            for posting in index.postings(*token, ranks.start) {
                if posting.set >= ranks.end {
                    break;
                }
                prober.steps += 1;
                let partner_size = self.sets.size(posting.set);
                if !is_asked_for(partner_size) || !prober.needs.allows(partner_size) {
                    continue;
                }
                let least_shared = prober.needs.least_shared(partner_size);
                // Maximum number of tokens that only one of them has.
                let most_differing = u64::from(size) + u64::from(partner_size) - 2 * u64::from(least_shared);
                if posting.remaining.min(remaining) < least_shared
                    || u64::from((posting.outline ^ own_outline).count_ones()) > most_differing
                    || !prober.meets(posting.set)
                {
                    continue;
                }
                let partner = self.sets.tokens(posting.set);
                let rest = &partner[partner.len() - posting.remaining as usize + 1..];
                if let Some(shared) = prober.shared(tokens, rest, least_shared - 1) {
                    let overlap = self.sets.overlap_of(item, posting.set, shared + 1);
                    best = self.better(best, Rank(posting.set), overlap);
                }
            }
        }
        best
    }

    fn better(&self, known: Decision, kept: Rank, overlap: Overlap) -> Decision {
        let likeness = Likeness::Features(overlap);
        if let Decision::Removed { kept: known_kept, likeness: known_likeness } = known {
            let [known_similarity, similarity] = [known_likeness, likeness].map(|of| of.similarity(self.criterion));
            if known_similarity > similarity || known_similarity >= similarity && known_kept <= kept {
                return known;
            }
        }
        Decision::Removed { kept, likeness }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::super::brute::{self, in_threads};
    use super::*;
    use crate::measure::similarity::Threshold;

    fn by_brute_force(items: &[Vec<u64>], criterion: Criterion, references: References) -> Vec<Option<(usize, u32)>> {
        let reference_count = (references.count as usize).min(items.len());
        let sets = brute::plain_sets(items);
        let similarity = |item: usize, other: usize| brute::similarity(criterion, &sets[item], &sets[other]);
        let mut kept: Vec<usize> = (0..reference_count).collect();
        let is_removable_by = |item: usize, by: usize| {
            (by < reference_count || references.scope == Scope::Everything) && similarity(item, by).is_some()
        };
        for item in reference_count..items.len() {
            if !kept.iter().any(|by| is_removable_by(item, *by)) {
                kept.push(item);
            }
        }
        let most_alike = |item: usize, among: &[usize]| {
            let mut best: Option<(f64, usize, u32)> = None;
            for by in among {
                if let Some((similarity, shared)) = similarity(item, *by)
                    && best.is_none_or(|(most, _, _)| similarity > most)
                {
                    best = Some((similarity, *by, shared));
                }
            }
            best.map(|(_, by, shared)| (by, shared))
        };
        let of_item = |item: usize| {
            if kept.contains(&item) {
                return None;
            }
            // Only better ranked items count as the reason.
            let end = kept.partition_point(|by| *by < item);
            most_alike(item, &kept[..reference_count]).or_else(|| most_alike(item, &kept[..end]))
        };
        (0..items.len()).map(of_item).collect()
    }

    fn plain(decision: &Decision) -> Option<(usize, u32)> {
        match decision {
            Decision::Kept => None,
            Decision::Removed { kept, likeness } => Some((kept.index(), likeness.overlap().unwrap().shared)),
        }
    }

    fn references() -> impl Strategy<Value = References> {
        let scope = prop_oneof![Just(Scope::Everything), Just(Scope::References)];
        prop_oneof![
            Just(References::default()),
            (0_u32..60, scope).prop_map(|(count, scope)| References { count, scope })
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn decisions_are_those_of_brute_force(
            items in brute::items(), criterion in brute::criterion(), references in references()
        ) {
            let decisions = independent_set(&Sets::new(&items), criterion, references);
            let found: Vec<Option<(usize, u32)>> = decisions.iter().map(plain).collect();
            prop_assert_eq!(found, by_brute_force(&items, criterion, references));
        }
    }

    /// Families of copies with up to five changes, over several blocks.
    fn families(count: u64) -> Vec<Vec<u64>> {
        let copy = |at: u64| {
            let noise = (at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut copy: Vec<u64> = (0..20 + at % 5).map(|place| (at * at % 97) << 20 | place).collect();
            for change in 0..(noise >> 32) % 6 {
                copy[(noise >> (change * 4) & 15) as usize] = 1 << 40 | noise >> (20 + change) & 1023;
            }
            copy
        };
        (0..count).map(copy).collect()
    }

    #[test]
    fn decisions_over_many_blocks_are_those_of_brute_force() {
        let items = families(1500);
        let criterion = Criterion::Jaccard(Threshold::new(0.8).unwrap());
        for references in [References::default(), References { count: 300, scope: Scope::Everything }] {
            let decisions = independent_set(&Sets::new(&items), criterion, references);
            let found: Vec<Option<(usize, u32)>> = decisions.iter().map(plain).collect();
            assert!(
                found.iter().any(Option::is_some) && found[references.count as usize..].iter().any(Option::is_none)
            );
            assert_eq!(found, by_brute_force(&items, criterion, references));
        }
    }

    #[test]
    fn more_threads_decide_the_same() {
        let sets = Sets::new(&families(20_000));
        let criterion = Criterion::Jaccard(Threshold::new(0.8).unwrap());
        let decide = || independent_set(&sets, criterion, References::default());
        assert!(in_threads(1, decide) == in_threads(4, decide));
    }

    #[test]
    fn a_family_costs_no_square() {
        // Half a billion pairs could not be examined in this time.
        let items: Vec<Vec<u64>> = (0..50_000).map(|at| (0..40).chain([1000 + at / 3]).collect()).collect();
        let start = Instant::now();
        let criterion = Criterion::Jaccard(Threshold::new(0.9).unwrap());
        let decisions = independent_set(&Sets::new(&items), criterion, References::default());
        assert_eq!(decisions.iter().filter(|decision| **decision == Decision::Kept).count(), 1);
        assert!(start.elapsed().as_secs() < 20);
    }
    /// Number of postings read to decide `count` sets, each with common boilerplate and some elements of its own.
    fn steps(count: u64, threshold: f64, boilerplate: u64, own: impl Fn(u64) -> u64) -> u64 {
        let item = |at: u64| (0..boilerplate).chain((0..own(at)).map(|place| (at + 1) << 20 | place)).collect();
        let sets = Sets::new(&(0..count).map(item).collect::<Vec<Vec<u64>>>());
        let criterion = Criterion::Jaccard(Threshold::new(threshold).unwrap());
        let mut resolver = Resolver::new(&sets, criterion, References::default());
        resolver.decide();
        resolver.ask_for_what_was_kept_in_the_block();
        resolver.probers.steps()
    }

    #[test]
    fn a_boilerplate_below_the_threshold_costs_no_square() {
        // The shared fraction is 0.74, 0.38 or up to 0.78 by Jaccard, and near the threshold by other measures.
        let growth = |threshold: f64, boilerplate: u64, own: fn(u64) -> u64| {
            let [few, many] = [500, 2_000].map(|count| steps(count, threshold, boilerplate, own));
            assert!(many <= 6 * few + 20_000, "{few} {many}");
        };
        growth(0.8, 85, |_| 15);
        growth(0.5, 55, |_| 45);
        growth(0.8, 85, |at| 12 + at % 12);
    }
}
