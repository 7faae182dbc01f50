//! Groups of equal sets, sorted by size: a join processes each distinct set once.
//!
//! Sets with the same tokens need not be equal, since features of a single set have no token; sets that share too few
//! tokens to match anything are in no group.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::Sets;
use crate::decision::{References, Scope};
use crate::measure::criterion::Criterion;
use crate::packed::Lists;

/// Groups of equal sets, smallest sets first.
#[derive(Debug)]
pub(super) struct Groups {
    /// The items of each group, ascending.
    items: Lists,
    sizes: Vec<u32>,
    /// Number of references in each group.
    reference_counts: Vec<u32>,
    /// By size, the first group of sets with at least that many features.
    first_of_size: Vec<u32>,
    references: References,
}

impl Groups {
    pub(super) fn new(sets: &Sets, criterion: Criterion, references: References) -> Self {
        let mut keys: Vec<(u32, u64, u32)> = (0..sets.len() as u32)
            .into_par_iter()
            .filter(|item| can_match(sets, criterion, *item))
            .map(|item| (sets.size(item), xxh3_64(bytemuck::cast_slice(sets.tokens(item))), item))
            .collect();
        keys.par_sort_unstable();
        // Different sets with equal hashes could stand between equal ones. These are then in two groups, which match
        // each other like any other two.
        let are_equal = |left: &(u32, u64, u32), right: &(u32, u64, u32)| {
            let is_all_shared = sets.tokens(left.2).len() == left.0 as usize;
            (left.0, left.1) == (right.0, right.1) && is_all_shared && sets.tokens(left.2) == sets.tokens(right.2)
        };
        let items: Lists = keys.chunk_by(are_equal).map(|group| group.iter().map(|(_, _, item)| *item)).collect();

        let largest = keys.last().map_or(0, |(size, _, _)| *size as usize);
        let mut first_of_size = vec![0; largest + 2];
        for group in items.iter() {
            first_of_size[sets.size(group[0]) as usize + 1] += 1;
        }
        for size in 1..first_of_size.len() {
            first_of_size[size] += first_of_size[size - 1];
        }
        let reference_count = |group: &[u32]| group.partition_point(|item| *item < references.count) as u32;
        let reference_counts = items.iter().map(reference_count).collect();
        let sizes = items.iter().map(|group| sets.size(group[0])).collect();
        Self { items, sizes, reference_counts, first_of_size, references }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The equal items of a group, ascending.
    #[inline]
    pub(super) fn items(&self, group: u32) -> &[u32] {
        self.items.list(group as usize)
    }

    /// Number of features of the sets of a group.
    #[inline]
    pub(super) fn size(&self, group: u32) -> u32 {
        self.sizes[group as usize]
    }

    /// The first group whose sets have at least this size, which is at most the largest plus one.
    #[inline]
    pub(super) fn first_of_size(&self, size: u32) -> u32 {
        self.first_of_size[size as usize]
    }

    /// True if any items of two groups are compared.
    #[inline]
    pub(super) fn compare(&self, left: u32, right: u32) -> bool {
        self.references.count == 0 && self.references.scope == Scope::Everything || self.pair_count(left, right) > 0
    }

    /// Number of compared pairs of items between two different groups.
    pub(super) fn pair_count(&self, left: u32, right: u32) -> u64 {
        let [(left_references, left_others), (right_references, right_others)] = [left, right].map(|at| self.sides(at));
        let across = left_references * right_others + left_others * right_references;
        match self.references.scope {
            Scope::Everything => across + left_others * right_others,
            Scope::References => across,
        }
    }

    /// Number of compared pairs of items within one group.
    pub(super) fn equal_pair_count(&self, group: u32) -> u64 {
        let (references, others) = self.sides(group);
        match self.references.scope {
            Scope::Everything => references * others + others * others.saturating_sub(1) / 2,
            Scope::References => references * others,
        }
    }

    /// Passes every two compared items of two different groups, the better ranked first.
    pub(super) fn each_pair(&self, left: u32, right: u32, mut each: impl FnMut(u32, u32)) {
        for one in self.items(left) {
            for other in self.items(right) {
                if self.references.compare(*one, *other) {
                    each(*one.min(other), *one.max(other));
                }
            }
        }
    }

    /// Passes every two compared items of one group, the better ranked first.
    pub(super) fn each_equal_pair(&self, group: u32, mut each: impl FnMut(u32, u32)) {
        let items = self.items(group);
        for (at, left) in items.iter().enumerate() {
            for right in &items[at + 1..] {
                if self.references.compare(*left, *right) {
                    each(*left, *right);
                }
            }
        }
    }

    fn sides(&self, group: u32) -> (u64, u64) {
        let references = self.reference_counts[group as usize];
        (u64::from(references), self.items(group).len() as u64 - u64::from(references))
    }
}

/// True if a set shares enough tokens with others to match one of them.
fn can_match(sets: &Sets, criterion: Criterion, item: u32) -> bool {
    let size = sets.size(item);
    let least_partner = criterion.least_partner(size);
    least_partner <= size && sets.tokens(item).len() >= criterion.least_shared(size, least_partner) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::similarity::Threshold;

    #[test]
    fn equal_sets_are_one_group_and_hopeless_ones_none() {
        // The last two have the same token, and one feature each that is unique.
        let items = [vec![1, 2], vec![3], vec![2, 1, 1], vec![], vec![5, 6, 7], vec![3, 8], vec![3, 9]];
        let half = Criterion::Jaccard(Threshold::new(0.5).unwrap());
        let groups = Groups::new(&Sets::new(&items), half, References::default());
        let mut found: Vec<&[u32]> = groups.items.iter().collect();
        found.sort_unstable();
        assert_eq!(found, [&[0, 2][..], &[1], &[5], &[6]]);
        assert_eq!([1, 2, 3].map(|size| groups.first_of_size(size)), [0, 1, 4]);
    }
}
