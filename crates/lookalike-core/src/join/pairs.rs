//! Finds all matches: every pair that is similar enough.
//!
//! Each group of equal sets looks for matches among the groups before it, which are smaller, or of the same size and
//! earlier. A set is therefore indexed only by the prefix it needs for matches with larger sets, which is shorter than
//! the one it queries with (Xiao et al. 2008).
//!
//! Only groups are joined in parallel, and pairs of items are generated at the end, since a group of ten thousand equal
//! sets is fifty million pairs.

use rayon::prelude::*;

use super::Sets;
use super::groups::Groups;
use super::index::{Index, outline, prefix_count};
use super::probe::{Prober, Probers};
use crate::decision::{Match, References};
use crate::measure::criterion::Criterion;
use crate::measure::feature_set::Overlap;
use crate::measure::likeness::Likeness;

/// Number of groups a thread probes at a time.
pub(super) const GROUPS_AT_ONCE: usize = 64;

/// Number of matches passed on at a time.
pub(crate) const MATCHES_AT_ONCE: usize = 4096;

/// All matches, sorted by their left and right items.
///
/// Two references are not compared with each other, and with [`Scope::References`](crate::decision::Scope) only pairs
/// of a reference and another item are matches.
///
/// ```
/// use lookalike_core::measure::criterion::Criterion;
/// use lookalike_core::join::{Sets, matches};
/// use lookalike_core::decision::References;
/// use lookalike_core::measure::similarity::Threshold;
///
/// let sets = Sets::new(&[vec![1, 2, 3, 4], vec![8, 9], vec![1, 2, 3, 5]]);
/// let found = matches(&sets, Criterion::Jaccard(Threshold::new(0.6)?), References::default());
///
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].left, found[0].right, found[0].likeness.overlap().unwrap().shared), (0, 2, 3));
/// # Ok::<(), lookalike_core::Error>(())
/// ```
pub fn matches(sets: &Sets, criterion: Criterion, references: References) -> Vec<Match> {
    let join = Join::new(sets, criterion, references);
    let of_groups = |groups: &[u32]| {
        let mut pairs = Vec::new();
        join.probe(groups, |found| {
            join.each_pair(found, |left, right| pairs.push(Pair { left, right, shared: found.shared }));
        });
        pairs
    };
    let groups: Vec<u32> = (0..join.groups.len() as u32).collect();
    let by_groups: Vec<Vec<Pair>> = groups.par_chunks(GROUPS_AT_ONCE).map(of_groups).collect();
    sorted(by_groups, sets)
}

/// Number of matches, without listing them.
pub fn match_count(sets: &Sets, criterion: Criterion, references: References) -> u64 {
    let join = Join::new(sets, criterion, references);
    let of_groups = |groups: &[u32]| {
        let mut count = 0;
        join.probe(groups, |found| count += join.pair_count(found));
        count
    };
    let groups: Vec<u32> = (0..join.groups.len() as u32).collect();
    groups.par_chunks(GROUPS_AT_ONCE).map(of_groups).sum()
}

/// Passes on matches while others are still being found, so that they need not all be in memory: a few at a time, from
/// all threads, in no particular order.
///
/// # Errors
///
/// An error of `take`, which ends the join.
pub fn each_match<E: Send>(
    sets: &Sets,
    criterion: Criterion,
    references: References,
    take: impl Fn(Vec<Match>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let join = Join::new(sets, criterion, references);
    let of_groups = |groups: &[u32]| {
        let (mut some, mut outcome) = (Vec::new(), Ok(()));
        join.probe(groups, |found| {
            join.each_pair(found, |left, right| {
                if outcome.is_err() {
                    return;
                }
                some.push(Pair { left, right, shared: found.shared }.to_match(sets));
                // One group of equal sets may have more pairs than fit in memory.
                if some.len() == MATCHES_AT_ONCE {
                    outcome = take(std::mem::take(&mut some));
                }
            });
        });
        outcome?;
        if some.is_empty() { Ok(()) } else { take(some) }
    };
    let groups: Vec<u32> = (0..join.groups.len() as u32).collect();
    groups.par_chunks(GROUPS_AT_ONCE).try_for_each(of_groups)
}

/// Two groups that match, or one whose own sets match each other.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) group: u32,
    /// The partner, or the group itself.
    pub(super) partner: u32,
    pub(super) shared: u32,
}

/// Two items that match.
#[derive(Clone, Copy)]
struct Pair {
    left: u32,
    right: u32,
    shared: u32,
}

impl Pair {
    fn to_match(self, sets: &Sets) -> Match {
        let Self { left, right, shared } = self;
        let overlap = Overlap { shared, left: sets.size(left), right: sets.size(right) };
        Match { left, right, likeness: Likeness::Features(overlap) }
    }
}

/// Converts pairs to matches sorted by their left and right items: counting sort by the left, then sorted by the right.
fn sorted(parts: Vec<Vec<Pair>>, sets: &Sets) -> Vec<Match> {
    let mut ends = vec![0; sets.len()];
    parts.iter().flatten().for_each(|pair| ends[pair.left as usize] += 1);
    let mut total = 0;
    for end in &mut ends {
        // For now the start; filling in moves each to its end.
        (*end, total) = (total, total + *end);
    }
    let mut matches = vec![Match { left: 0, right: 0, likeness: Likeness::Features(Overlap::of_equals(0)) }; total];
    for part in parts {
        for pair in part {
            let end: &mut usize = &mut ends[pair.left as usize];
            matches[*end] = pair.to_match(sets);
            *end += 1;
        }
    }
    matches
        .par_chunk_by_mut(|one, next| one.left == next.left)
        .for_each(|of_left| of_left.sort_unstable_by_key(|found| found.right));
    matches
}

pub(super) struct Join<'a> {
    sets: &'a Sets,
    pub(super) groups: Groups,
    outlines: Vec<u64>,
    index: Index,
    probers: Probers,
}

impl<'a> Join<'a> {
    pub(super) fn new(sets: &'a Sets, criterion: Criterion, references: References) -> Self {
        let groups = Groups::new(sets, criterion, references);
        let item = |group: u32| groups.items(group)[0];
        // A set that finds this one is at least as large.
        let prefix =
            |item: u32| prefix_count(sets.tokens(item), criterion.least_shared(sets.size(item), sets.size(item)));
        let all = 0..groups.len() as u32;
        let outlines: Vec<u64> = all.clone().into_par_iter().map(|group| outline(sets.tokens(item(group)))).collect();
        let prefixes = all.clone().map(item).map(|item| &sets.tokens(item)[..prefix(item)]);
        let mut index = Index::with_room_for(sets.token_count(), prefixes);
        for group in all {
            index.add(group, sets.tokens(item(group)), prefix(item(group)), outlines[group as usize]);
        }
        let probers = Probers::new(criterion, groups.len(), sets.token_count());
        Self { sets, groups, outlines, index, probers }
    }

    /// Finds the matches of some groups, and the groups whose own sets match each other.
    pub(super) fn probe(&self, groups: &[u32], mut each: impl FnMut(Found)) {
        self.probers.with(|prober| {
            for group in groups {
                if self.groups.equal_pair_count(*group) > 0 {
                    let shared = self.sets.size(self.groups.items(*group)[0]);
                    each(Found { group: *group, partner: *group, shared });
                }
                self.partners(*group, prober, |partner, shared| each(Found { group: *group, partner, shared }));
            }
        });
    }

    /// Finds the groups before this one that match it.
    fn partners(&self, group: u32, prober: &mut Prober, mut each: impl FnMut(u32, u32)) {
        let item = self.groups.items(group)[0];
        let (tokens, size) = (self.sets.tokens(item), self.sets.size(item));
        let own_outline = self.outlines[group as usize];
        prober.begin();
        prober.needs.turn_to(size, size);
        let least_partner = prober.needs.least_partner();
        let first = self.groups.first_of_size(least_partner);
        // The largest possible match: the further into the set, the less remains to be shared.
        let mut largest = size;
        for (place, token) in tokens.iter().enumerate() {
            let remaining = (tokens.len() - place) as u32;
            while largest >= least_partner && prober.needs.least_shared(largest) > remaining {
                largest -= 1;
            }
            if largest < least_partner {
                break;
            }
            let end = group.min(self.groups.first_of_size(largest + 1));
            // Groups are sorted by size, so bounds that depend on the size rarely change.
            let (mut size_end, mut least_shared, mut most_differing) = (0, 0, 0);
            for posting in self.index.postings(*token, first) {
                if posting.set >= end {
                    break;
                }
                prober.steps += 1;
                if posting.set >= size_end {
                    let partner_size = self.sets.size(self.groups.items(posting.set)[0]);
                    size_end = self.groups.first_of_size(partner_size + 1);
                    least_shared = prober.needs.least_shared(partner_size);
                    most_differing = size - least_shared + (partner_size - least_shared);
                }
                if posting.remaining < least_shared
                    || (posting.outline ^ own_outline).count_ones() > most_differing
                    || !prober.meets(posting.set)
                    || !self.groups.compare(group, posting.set)
                {
                    continue;
                }
                let partner = self.sets.tokens(self.groups.items(posting.set)[0]);
                let rest = &partner[partner.len() - posting.remaining as usize + 1..];
                if let Some(shared) = prober.shared(tokens, rest, least_shared - 1) {
                    each(posting.set, shared + 1);
                }
            }
        }
        prober.end(tokens);
    }

    fn pair_count(&self, found: Found) -> u64 {
        if found.group == found.partner {
            self.groups.equal_pair_count(found.group)
        } else {
            self.groups.pair_count(found.group, found.partner)
        }
    }

    fn each_pair(&self, found: Found, each: impl FnMut(u32, u32)) {
        if found.group == found.partner {
            self.groups.each_equal_pair(found.group, each);
        } else {
            self.groups.each_pair(found.group, found.partner, each);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use proptest::prelude::*;

    use super::super::brute::{self, in_threads};
    use super::*;
    use crate::decision::Scope;
    use crate::measure::similarity::Threshold;

    fn references() -> impl Strategy<Value = References> {
        let scope = prop_oneof![Just(Scope::Everything), Just(Scope::References)];
        prop_oneof![
            Just(References::default()),
            (0_u32..20, scope).prop_map(|(count, scope)| References { count, scope })
        ]
    }

    /// Left, right and shared of all matches.
    fn by_brute_force(items: &[Vec<u64>], criterion: Criterion, references: References) -> Vec<(u32, u32, u32)> {
        let sets = brute::plain_sets(items);
        let mut found = Vec::new();
        for left in 0..items.len() {
            for right in left + 1..items.len() {
                let [is_left_reference, is_right_reference] = [left, right].map(|at| at < references.count as usize);
                let is_asked = match references.scope {
                    Scope::Everything => !(is_left_reference && is_right_reference),
                    Scope::References => is_left_reference != is_right_reference,
                };
                if is_asked && let Some((_, shared)) = brute::similarity(criterion, &sets[left], &sets[right]) {
                    found.push((left as u32, right as u32, shared));
                }
            }
        }
        found
    }

    fn streamed(sets: &Sets, criterion: Criterion, references: References) -> Vec<Match> {
        let all = Mutex::new(Vec::new());
        let take = |found: Vec<Match>| {
            all.lock().unwrap().extend(found);
            Ok::<_, Infallible>(())
        };
        each_match(sets, criterion, references, take).unwrap();
        all.into_inner().unwrap()
    }

    fn plain(found: &Match) -> (u32, u32, u32) {
        (found.left, found.right, found.likeness.overlap().unwrap().shared)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn all_ways_to_join_find_what_brute_force_finds(
            items in brute::items(), criterion in brute::criterion(), references in references()
        ) {
            let expected = by_brute_force(&items, criterion, references);
            let sets = Sets::new(&items);
            let found = matches(&sets, criterion, references);
            prop_assert_eq!(&found.iter().map(plain).collect::<Vec<_>>(), &expected);
            for Match { left, right, likeness } in found {
                let overlap = likeness.overlap().unwrap();
                prop_assert_eq!([overlap.left, overlap.right], [left, right].map(|item| sets.size(item)));
            }
            prop_assert_eq!(match_count(&sets, criterion, references), expected.len() as u64);
            let mut streamed: Vec<_> = streamed(&sets, criterion, references).iter().map(plain).collect();
            streamed.sort_unstable();
            prop_assert_eq!(streamed, expected);
        }
    }

    #[test]
    fn more_threads_find_the_same() {
        // Many blocks: families of changed copies, and equal ones.
        let items: Vec<Vec<u64>> =
            (0..20_000_u64).map(|at| (0..8).map(|place| (at / 7 + place) % 5000 + at % 3 * 7).collect()).collect();
        let sets = Sets::new(&items);
        let criterion = Criterion::Jaccard(Threshold::new(0.7).unwrap());
        let join = || {
            let mut streamed = streamed(&sets, criterion, References::default());
            streamed.sort_unstable_by_key(plain);
            (matches(&sets, criterion, References::default()), streamed)
        };
        let found = in_threads(1, join);
        assert!(found.0.len() > 20_000 && found.0 == found.1);
        assert!(found == in_threads(4, join));
    }

    #[test]
    fn equal_sets_are_handed_on_a_few_pairs_at_a_time_and_an_error_ends_the_join() {
        // Half a million pairs of one group.
        let sets = Sets::new(&vec![[1, 2, 3]; 1000]);
        let criterion = Criterion::Jaccard(Threshold::new(0.5).unwrap());
        let (turns, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let outcome = each_match(&sets, criterion, References::default(), |found| {
            most.fetch_max(found.len(), Relaxed);
            if turns.fetch_add(1, Relaxed) == 4 { Err("full") } else { Ok(()) }
        });
        assert_eq!(outcome, Err("full"));
        assert_eq!((turns.into_inner(), most.into_inner()), (5, MATCHES_AT_ONCE));
    }
    #[test]
    fn what_all_sets_share_costs_no_square_where_it_makes_no_match() {
        let steps = |count: u64, threshold: f64, common: u64, own: u64| {
            let item = |at: u64| (0..common).chain((0..own + at % 9).map(|place| (at / 2 + 1) << 20 | place)).collect();
            let sets = Sets::new(&(0..count).map(item).collect::<Vec<Vec<u64>>>());
            let criterion = Criterion::Jaccard(Threshold::new(threshold).unwrap());
            let join = Join::new(&sets, criterion, References::default());
            let mut found = 0;
            join.probe(&(0..join.groups.len() as u32).collect::<Vec<_>>(), |_| found += 1);
            // Every two consecutive sets are equal.
            assert_eq!(found, count / 2);
            join.probers.steps()
        };
        for (threshold, common, own) in [(0.05, 1, 15), (0.5, 40, 40)] {
            let [few, many] = [500, 2_000].map(|count| steps(count, threshold, common, own));
            assert!(few > 0 && many * 10 <= few * 53, "{few} {many}");
        }
    }
}
