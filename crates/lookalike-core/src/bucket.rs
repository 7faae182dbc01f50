//! Keys to buckets: items with an equal key, found by sorting, and the families that buckets chain together.
//!
//! Nothing here is a pair yet: a bucket of a million members stays a list of a million. Families are independent of
//! each other, so that later stages take them in parallel.

use rayon::prelude::*;
use rdst::{RadixKey, RadixSort};
use xxhash_rust::xxh3::xxh3_64;

use crate::lists::Lists;

/// Everything that may be alike. Items are named by their rank: 0 is the best in keep order.
#[derive(Debug, Default)]
pub struct Buckets {
    /// The ranks of each family's items, best first.
    families: Lists,
    /// The buckets of all families, in the order of the families: each the places of its members in the family.
    buckets: Lists,
    /// Where the buckets of each family end.
    bucket_ends: Vec<usize>,
}

/// Items that are linked by shared buckets, directly or through others. Not a cluster: nothing is measured yet.
#[derive(Clone, Copy, Debug)]
pub struct Family<'a> {
    /// The ranks of its items, best first.
    pub items: &'a [u32],
    all_buckets: &'a Lists,
    first: usize,
    end: usize,
}

impl<'a> Family<'a> {
    /// The buckets: for each the places of its members in `items`, best first; two or more each.
    pub fn buckets(self) -> impl Iterator<Item = &'a [u32]> {
        (self.first..self.end).map(move |at| self.all_buckets.list(at))
    }
}

/// How many families a thread takes at once.
const FAMILIES_AT_ONCE: usize = 8;

/// An item and one of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: u64,
    /// The item's rank.
    pub rank: u32,
}

impl RadixKey for Entry {
    const LEVELS: usize = 8;

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.key >> (level * 8)) as u8
    }
}

impl Buckets {
    /// Puts items that agree in the key of a column into a bucket. Items are named by rank; each has a key in every
    /// column, and keys of different columns have nothing to do with each other.
    pub fn of_columns(item_count: usize, columns: usize, key: impl Fn(u32, usize) -> u64 + Sync) -> Self {
        let by_column: Vec<Lists> = (0..columns)
            .into_par_iter()
            .map(|column| {
                equal_keys((0..item_count as u32).map(|rank| Entry { key: key(rank, column), rank }).collect())
            })
            .collect();
        Self::of_lists(item_count, &by_column)
    }

    /// Puts items that have a key in common into a bucket: any number of keys an item, in one column.
    pub fn of_keys(item_count: usize, entries: Vec<Entry>) -> Self {
        Self::of_lists(item_count, &[equal_keys(entries)])
    }

    /// Takes lists of two or more ranks, each from the best on, for buckets.
    pub fn of_lists(item_count: usize, lists: &[Lists]) -> Self {
        let buckets: Vec<&[u32]> = lists.iter().flat_map(Lists::iter).collect();
        Self::of_families(item_count, &buckets)
    }

    /// The families, in the order of their best members.
    pub fn families(&self) -> impl IndexedParallelIterator<Item = Family<'_>> {
        // A few at a time: in keep order the first are often the longest, and a thread must not get them all.
        (0..self.families.len()).into_par_iter().map(|at| self.family(at)).with_max_len(FAMILIES_AT_ONCE)
    }

    /// How many items share a bucket with another, of those with this rank and worse ones.
    pub fn item_count_from(&self, rank: u32) -> usize {
        self.families.values().iter().filter(|item| **item >= rank).count()
    }

    fn family(&self, at: usize) -> Family<'_> {
        let first = if at == 0 { 0 } else { self.bucket_ends[at - 1] };
        Family { items: self.families.list(at), all_buckets: &self.buckets, first, end: self.bucket_ends[at] }
    }

    /// Groups buckets that share a member.
    fn of_families(item_count: usize, buckets: &[&[u32]]) -> Self {
        let mut union = Union::new(item_count);
        let mut in_bucket = vec![false; item_count];
        for bucket in buckets {
            for member in *bucket {
                union.join(bucket[0], *member);
                in_bucket[*member as usize] = true;
            }
        }
        // The root of a family is its best rank, so that sorting by it is sorting families by their best members.
        let mut items: Vec<(u32, u32)> = (0..item_count as u32)
            .filter(|rank| in_bucket[*rank as usize])
            .map(|rank| (union.root(rank), rank))
            .collect();
        items.par_sort_unstable();
        let mut sorted: Vec<(u32, u64, &[u32])> = buckets
            .iter()
            .map(|bucket| (union.root(bucket[0]), xxh3_64(bytemuck::cast_slice(bucket)), *bucket))
            .collect();
        sorted.par_sort_unstable();
        // A family whose members agree in twelve bands would have twelve equal buckets: one says as much.
        sorted.dedup();

        let mut grouped = Self::default();
        let mut place_of = vec![0; item_count];
        let mut sorted = sorted.into_iter().peekable();
        for family in items.chunk_by(|left, right| left.0 == right.0) {
            (0..).zip(family).for_each(|(place, (_, rank))| place_of[*rank as usize] = place);
            grouped.families.push(family.iter().map(|(_, rank)| *rank));
            while let Some((_, _, bucket)) = sorted.next_if(|(root, _, _)| *root == family[0].0) {
                grouped.buckets.push(bucket.iter().map(|rank| place_of[*rank as usize]));
            }
            grouped.bucket_ends.push(grouped.buckets.len());
        }
        grouped
    }
}

/// The ranks of each key that two or more items have, from the best on.
fn equal_keys(mut entries: Vec<Entry>) -> Lists {
    entries.radix_sort_unstable();
    for bucket in entries.chunk_by_mut(|left, right| left.key == right.key) {
        bucket.sort_unstable_by_key(|entry| entry.rank);
    }
    entries
        .chunk_by(|left, right| left.key == right.key)
        .filter(|bucket| bucket.len() > 1)
        .map(|bucket| bucket.iter().map(|entry| entry.rank))
        .collect()
}

/// Union-find in which the least member is the root.
#[derive(Debug)]
pub struct Union {
    parents: Vec<u32>,
}

impl Union {
    /// Everyone alone.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The least member of the group of `item`.
    pub fn root(&mut self, mut item: u32) -> u32 {
        while self.parents[item as usize] != item {
            // Halving the path keeps later walks short.
            let above = self.parents[self.parents[item as usize] as usize];
            self.parents[item as usize] = above;
            item = above;
        }
        item
    }

    /// Makes one group of the groups of both.
    pub fn join(&mut self, left: u32, right: u32) {
        let (left, right) = (self.root(left), self.root(right));
        self.parents[left.max(right) as usize] = left.min(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn families(rows: &[[u64; 2]]) -> Vec<(Vec<u32>, Vec<Vec<u32>>)> {
        let buckets = Buckets::of_columns(rows.len(), 2, |rank, column| rows[rank as usize][column]);
        let families: Vec<_> = buckets
            .families()
            .map(|family| (family.items.to_vec(), family.buckets().map(<[u32]>::to_vec).collect()))
            .collect();
        let all: Vec<u32> = families.iter().flat_map(|(items, _)| items.iter().copied()).collect();
        assert_eq!(buckets.item_count_from(0), all.len());
        assert_eq!(buckets.item_count_from(2), all.iter().filter(|rank| **rank >= 2).count());
        families
    }

    #[test]
    fn items_that_agree_in_a_column_share_a_bucket() {
        // 0 and 2 agree in the first band, 2 and 3 in the second, 1 and 5 in the first, 4 with none.
        let rows = [[1, 10], [2, 20], [1, 30], [4, 30], [5, 50], [2, 60]];
        let [(items, mut buckets), other] = families(&rows).try_into().unwrap();
        buckets.sort_unstable();
        assert_eq!((items, buckets), (vec![0, 2, 3], vec![vec![0, 1], vec![1, 2]]));
        assert_eq!(other, (vec![1, 5], vec![vec![0, 1]]));
    }

    #[test]
    fn the_same_value_in_another_column_is_no_agreement() {
        assert!(families(&[[1, 2], [2, 1]]).is_empty());
    }

    #[test]
    fn equal_buckets_count_once() {
        assert_eq!(families(&[[7, 8], [7, 8]]), [(vec![0, 1], vec![vec![0, 1]])]);
    }
}
