//! Finds all pairs of texts at or above a threshold without comparing every two.
//!
//! The join is exact. Shingles are ordered from the rarest to the most common, and only texts that share some of their
//! first shingles are compared; the numbers are chosen so that no pair can be lost (Chaudhuri, Ganti and Kaushik, A
//! primitive operator for similarity joins in data cleaning, 2006). The remaining pairs are measured by merging the
//! whole sets.

use rayon::prelude::*;

use crate::measure::{Measures, Pair, check_threshold};
use crate::name::{NamedSets, name_shingles};
use crate::shingle::Shingle;

/// All pairs at or above `threshold`, sorted by left and then right.
///
/// # Panics
///
/// If `threshold` is not above 0 and at most 1.
pub fn pairs(texts: &[impl AsRef<str> + Sync], shingle: Shingle, threshold: f64) -> Vec<Pair> {
    check_threshold(threshold);
    let sets = order_sets(name_shingles(texts, shingle));
    let index = Index::of(&sets, threshold);

    let mut pairs: Vec<Pair> = (0..sets.len())
        .into_par_iter()
        .map_init(
            || vec![0; sets.len()],
            |hit_counts, place| index.pairs_with_smaller(&sets, place, threshold, hit_counts),
        )
        .flatten_iter()
        .collect();
    pairs.par_sort_unstable_by_key(|pair| (pair.left, pair.right));
    pairs
}

/// The shingles of one text, rarest first.
struct OrderedSet {
    /// The position of the text.
    text: usize,
    /// The number of shingles of the text.
    size: usize,
    /// The ranks of those that another text has too, ascending; a low rank is rare.
    ///
    /// The others precede them in the order, but cannot lead to matches, so only their number is stored.
    found_elsewhere: Vec<u32>,
}

impl OrderedSet {
    /// The prefix of the set: every match shares some of these shingles.
    ///
    /// Let two texts share `shared` shingles, and let `hits` be at most that. The `hits` rarest of these are followed
    /// by `shared - hits` others in both texts, so they are among the first `size - shared + hits` of each. Since
    /// `shared` is at least [`least_shared`], the prefix computed from that is as long or longer: both prefixes share
    /// `hits` shingles, if `hits` is at most either text's [`hits_needed`].
    fn prefix(&self, threshold: f64) -> &[u32] {
        let prefix_size = self.size - least_shared(self.size, threshold) + hits_needed(self.size, threshold);
        let only_here = self.size - self.found_elsewhere.len();
        let prefix_size = prefix_size.saturating_sub(only_here);
        &self.found_elsewhere[..prefix_size.min(self.found_elsewhere.len())]
    }
}

/// A lower bound of the number of shingles that a text of `size` shares with each of its matches.
///
/// The union is at least as large as the text, so the exact bound is `size * threshold`, rounded up. One less
/// compensates for floating-point rounding. The bound is at least 1 for texts that have shingles: texts that share
/// nothing never match.
fn least_shared(size: usize, threshold: f64) -> usize {
    let bound = (size as f64 * threshold).ceil() as usize;
    bound.saturating_sub(1).max(1)
}

/// The minimum number of shingles that the prefix of a text shares with the prefix of a larger match.
///
/// It never falls as the size grows. With 1, every text that shares a single rare shingle would have to be verified,
/// and with characters nearly all do; a tenth costs a slightly longer prefix and leaves almost only matches.
fn hits_needed(size: usize, threshold: f64) -> usize {
    (least_shared(size, threshold) / 10).max(1)
}

/// The sets in ascending order of size, without empty ones.
fn order_sets(named: NamedSets) -> Vec<OrderedSet> {
    let NamedSets { sets, name_count } = named;

    let mut frequency_of_name = vec![0_u32; name_count];
    for name in sets.iter().flatten() {
        frequency_of_name[*name as usize] += 1;
    }
    let mut found_elsewhere: Vec<u32> =
        (0..name_count as u32).filter(|&name| frequency_of_name[name as usize] > 1).collect();
    found_elsewhere.par_sort_unstable_by_key(|&name| (frequency_of_name[name as usize], name));
    let mut rank_of_name: Vec<Option<u32>> = vec![None; name_count];
    for (rank, name) in (0_u32..).zip(found_elsewhere) {
        rank_of_name[name as usize] = Some(rank);
    }

    let mut ordered: Vec<OrderedSet> = sets
        .into_par_iter()
        .enumerate()
        .filter(|(_, set)| !set.is_empty())
        .map(|(text, set)| {
            let mut ranks: Vec<u32> = set.iter().filter_map(|&name| rank_of_name[name as usize]).collect();
            ranks.sort_unstable();
            OrderedSet { text, size: set.len(), found_elsewhere: ranks }
        })
        .collect();
    ordered.sort_by_key(|set| (set.size, set.text));
    ordered
}

/// For each rank, the positions of the sets that have it in their prefix, ascending.
struct Index {
    places: Vec<u32>,
    /// The start of the positions of each rank, plus the end.
    starts: Vec<usize>,
}

impl Index {
    fn of(sets: &[OrderedSet], threshold: f64) -> Self {
        let prefixes = || sets.iter().map(|set| set.prefix(threshold));
        let rank_count = prefixes().filter_map(<[u32]>::last).max().map_or(0, |&last| last as usize + 1);

        let mut starts = vec![0; rank_count + 1];
        for &rank in prefixes().flatten() {
            starts[rank as usize + 1] += 1;
        }
        for rank in 0..rank_count {
            starts[rank + 1] += starts[rank];
        }

        let mut next_slot = starts.clone();
        let mut places = vec![0; starts[rank_count]];
        for (place, prefix) in (0_u32..).zip(prefixes()) {
            for &rank in prefix {
                let slot = &mut next_slot[rank as usize];
                places[*slot] = place;
                *slot += 1;
            }
        }
        Self { places, starts }
    }

    fn places(&self, rank: u32) -> &[u32] {
        let rank = rank as usize;
        &self.places[self.starts[rank]..self.starts[rank + 1]]
    }

    /// The pairs of one set with preceding sets, which are not larger.
    ///
    /// `hit_counts` is 0 for each set before and after the call.
    fn pairs_with_smaller(
        &self,
        sets: &[OrderedSet],
        place: usize,
        threshold: f64,
        hit_counts: &mut [u32],
    ) -> Vec<Pair> {
        let set = &sets[place];
        // Everything shared is in the smaller set, which therefore cannot be smaller than this.
        let least_size = least_shared(set.size, threshold);
        let first_place = sets.partition_point(|other| other.size < least_size);

        let mut hit = Vec::new();
        for &rank in set.prefix(threshold) {
            let places = self.places(rank);
            let from = places.partition_point(|&other| (other as usize) < first_place);
            for &other in &places[from..] {
                let other = other as usize;
                if other >= place {
                    break;
                }
                if hit_counts[other] == 0 {
                    hit.push(other);
                }
                hit_counts[other] += 1;
            }
        }

        hit.into_iter()
            .filter_map(|other| {
                let hit_count = std::mem::take(&mut hit_counts[other]) as usize;
                // The other set is not larger, so its number is the lower of the two.
                if hit_count < hits_needed(sets[other].size, threshold) {
                    return None;
                }
                verify(&sets[other], set, threshold)
            })
            .collect()
    }
}

/// Returns the two sets as a pair, if they are similar enough.
fn verify(one: &OrderedSet, other: &OrderedSet, threshold: f64) -> Option<Pair> {
    let (left, right) = if one.text < other.text { (one, other) } else { (other, one) };
    let measures_if = |shared| Measures { shared, left: left.size, right: right.size };

    let (mut left_rest, mut right_rest) = (&left.found_elsewhere[..], &right.found_elsewhere[..]);
    // If even sharing all possible shingles is not enough, the merge is not needed.
    let most = left_rest.len().min(right_rest.len());
    if measures_if(most).jaccard() < threshold {
        return None;
    }
    let enough = enough_shared(most, threshold, |shared| measures_if(shared).jaccard());

    let mut shared = 0;
    while let ([left_rank, left_after @ ..], [right_rank, right_after @ ..]) = (left_rest, right_rest) {
        if shared + left_rest.len().min(right_rest.len()) < enough {
            return None;
        }
        if left_rank == right_rank {
            shared += 1;
        }
        if left_rank <= right_rank {
            left_rest = left_after;
        }
        if right_rank <= left_rank {
            right_rest = right_after;
        }
    }

    let measures = measures_if(shared);
    (measures.jaccard() >= threshold).then_some(Pair { left: left.text, right: right.text, measures })
}

/// The minimum number of shared shingles that reaches the threshold, given that `most` does.
///
/// Sharing more never lowers the similarity, even after rounding, so the number can be found by binary search and no
/// pair at the threshold is missed.
fn enough_shared(most: usize, threshold: f64, jaccard: impl Fn(usize) -> f64) -> usize {
    let (mut least, mut most) = (0, most);
    while least < most {
        let middle = usize::midpoint(least, most);
        if jaccard(middle) >= threshold {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    most
}
