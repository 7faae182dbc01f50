//! Finds items with an equal key by sorting, and the families that buckets form.
//!
//! Pairs are not materialized: a bucket of a million members stays a list of a million. Families are independent, so
//! later stages process them in parallel.

pub mod banding;
pub mod chance;
pub mod forest;
pub mod hamming;
pub mod passed_over;

use rayon::prelude::*;
use rdst::{RadixKey, RadixSort};
use xxhash_rust::xxh3::xxh3_64;

use crate::packed::Lists;

/// All items that may be similar. Items are named by their rank: 0 is the best in keep order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Buckets {
    /// The ranks of each family's items, best first.
    families: Lists,
    /// The buckets of all families, in the order of the families; each is a list of positions in the family.
    buckets: Lists,
    /// The end of each family's buckets.
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
    /// The buckets: for each the positions of its members in `items`, best first; two or more each.
    pub fn buckets(self) -> impl Iterator<Item = &'a [u32]> {
        (self.first..self.end).map(move |at| self.all_buckets.list(at))
    }
}

/// Number of families a thread takes at a time.
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
    /// The upper half of the key: few entries agree in it without agreeing in all of it.
    const LEVELS: usize = 4;

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.key >> (32 + level * 8)) as u8
    }
}

impl Buckets {
    /// Builds buckets from lists of two or more ranks, each best first. Of `item_count` items, those in no list cost
    /// nothing.
    pub fn of_lists(item_count: usize, lists: &[Lists]) -> Self {
        let buckets: Vec<&[u32]> = lists.iter().flat_map(Lists::iter).collect();
        Self::of_families(item_count, &buckets)
    }

    /// The families, in the order of their best members.
    pub fn families(&self) -> impl IndexedParallelIterator<Item = Family<'_>> {
        // A few at a time: the first families in keep order are often the largest, and must not all go to one thread.
        (0..self.families.len()).into_par_iter().map(|at| self.family(at)).with_max_len(FAMILIES_AT_ONCE)
    }

    /// Number of items of the largest family.
    pub fn largest_family(&self) -> usize {
        self.families.iter().map(<[u32]>::len).max().unwrap_or(0)
    }

    /// Number of items with this rank or a worse one that share a bucket with another item.
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
        // The root of a family is its best rank, so sorting by root sorts families by their best members.
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
        // A family whose members agree in twelve bands would have twelve equal buckets: one is enough.
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

/// Bytes per entry while it is sorted: the entry itself, and its target.
pub const SORTING_BYTES: usize = 2 * size_of::<Entry>();

/// Finds the ranks that agree in the key of a column, and passes them to `take`. Keys of different columns are
/// independent. A column has at most `entry_count` entries; if they do not fit in memory, they are sorted in several
/// passes, by keys.
///
/// # Errors
///
/// If entries cannot be read, or `take` fails.
pub fn lists_of_columns<E: Send>(
    columns: usize,
    entry_count: usize,
    memory: usize,
    entries: impl Fn(usize, &mut dyn FnMut(Entry)) -> Result<(), E> + Sync,
    take: impl Fn(Lists) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let column_bytes = (entry_count * SORTING_BYTES).max(1);
    let passes = column_bytes.div_ceil(memory.max(1)) as u128;
    let lists_of_pass = |column: usize, pass: u128| {
        let mut wanted = Vec::with_capacity(if passes == 1 { entry_count } else { 0 });
        entries(column, &mut |entry| {
            if (u128::from(entry.key) * passes) >> 64 == pass {
                wanted.push(entry);
            }
        })?;
        take(equal_keys(wanted))
    };
    let lists = |column: usize| (0..passes).try_for_each(|pass| lists_of_pass(column, pass));
    let all: Vec<usize> = (0..columns).collect();
    // Process as many columns at a time as fit in memory.
    let at_once = (memory / column_bytes).clamp(1, rayon::current_num_threads());
    all.chunks(at_once).try_for_each(|some| some.par_iter().try_for_each(|column| lists(*column)))
}

/// The ranks of each key that two or more items have, best first.
fn equal_keys(mut entries: Vec<Entry>) -> Lists {
    entries.radix_sort_unstable();
    for run in entries.chunk_by_mut(|left, right| left.key >> 32 == right.key >> 32).filter(|run| run.len() > 1) {
        run.sort_unstable_by_key(|entry| (entry.key, entry.rank));
    }
    entries
        .chunk_by(|left, right| left.key == right.key)
        .filter(|bucket| bucket.len() > 1)
        .map(|bucket| bucket.iter().map(|entry| entry.rank))
        .collect()
}

/// Union-find in which the smallest member is the root.
#[derive(Debug)]
pub struct Union {
    /// Distance from each member to its parent: zero for a root, so that memory of items that are never joined is never
    /// written.
    below: Vec<u32>,
}

impl Union {
    /// Puts every item in its own group.
    pub fn new(count: usize) -> Self {
        Self { below: vec![0; count] }
    }

    /// The smallest member of the group of `item`.
    pub fn root(&mut self, mut item: u32) -> u32 {
        while self.below[item as usize] != 0 {
            // Path halving keeps later walks short.
            let parent = item - self.below[item as usize];
            let above = parent - self.below[parent as usize];
            self.below[item as usize] = item - above;
            item = above;
        }
        item
    }

    /// Joins the groups of both items.
    pub fn join(&mut self, left: u32, right: u32) {
        let (left, right) = (self.root(left), self.root(right));
        self.below[left.max(right) as usize] = left.max(right) - left.min(right);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn families(rows: &[[u64; 2]]) -> Vec<(Vec<u32>, Vec<Vec<u32>>)> {
        let of_memory = |memory: usize| {
            let all = Mutex::new(Vec::new());
            let entries = |column: usize, push: &mut dyn FnMut(Entry)| {
                (0..).zip(rows).for_each(|(rank, row)| push(Entry { key: row[column] << 60, rank }));
                Ok::<(), ()>(())
            };
            let take = |lists| {
                all.lock().unwrap().push(lists);
                Ok(())
            };
            lists_of_columns(2, rows.len(), memory, entries, take).unwrap();
            Buckets::of_lists(rows.len(), &all.into_inner().unwrap())
        };
        let buckets = of_memory(1 << 20);
        // The result does not depend on the number of passes.
        assert_eq!(of_memory(1), buckets);
        let families: Vec<_> = buckets
            .families()
            .map(|family| (family.items.to_vec(), family.buckets().map(<[u32]>::to_vec).collect()))
            .collect();
        let all: Vec<u32> = families.iter().flat_map(|(items, _)| items.iter().copied()).collect();
        assert_eq!(buckets.item_count_from(0), all.len());
        assert_eq!(buckets.largest_family(), families.iter().map(|(items, _)| items.len()).max().unwrap_or(0));
        assert_eq!(buckets.item_count_from(2), all.iter().filter(|rank| **rank >= 2).count());
        families
    }

    #[test]
    fn items_that_agree_in_a_column_share_a_bucket() {
        // 0 and 2 agree in the first band, 2 and 3 in the second, 1 and 5 in the first, and 4 agrees with none.
        let rows = [[1, 10], [2, 12], [1, 13], [4, 13], [5, 15], [2, 6]];
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
