//! Edges between items, reduced to the fewest with the same groups: parts of a corpus are joined separately, and what
//! is left of each part is joined again, in any order and with the same result.

use crate::bucket::Union;

/// The edges `(first, member)` from the smallest item of every group to each of its other members, sorted by member.
///
/// Reducing the edges of several parts, and then what is left of all, gives the edges of the whole: a partition of the
/// edges does not affect the result. There are fewer edges than items.
///
/// # Panics
///
/// If the edges have more than 2³² different items.
pub fn forest(edges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut items: Vec<u64> = edges.iter().flat_map(|(left, right)| [*left, *right]).collect();
    items.sort_unstable();
    items.dedup();
    assert!(u32::try_from(items.len()).is_ok(), "more items than a machine can join");
    let place = |item: u64| items.binary_search(&item).expect("every item was collected") as u32;
    let mut union = Union::new(items.len());
    edges.iter().for_each(|(left, right)| union.join(place(*left), place(*right)));
    let first_of = |(member, item): (u32, &u64)| (items[union.root(member) as usize], *item);
    (0..).zip(&items).map(first_of).filter(|(first, member)| first != member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_one_edge_from_its_smallest_item_to_each_other() {
        // A chain in any direction, a pair, an edge to itself, and one twice.
        let edges = [(9, 7), (3, 9), (1 << 40, 5), (4, 4), (9, 3)];
        assert_eq!(forest(&edges), [(3, 7), (3, 9), (5, 1 << 40)]);
        assert!(forest(&[]).is_empty());
    }

    #[test]
    fn no_partition_of_the_edges_changes_the_result() {
        let mut state = 7_u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let edges: Vec<(u64, u64)> = (0..600).map(|_| (draw(900) * 5, draw(900) * 5)).collect();
        let whole = forest(&edges);
        for parts in [1, 2, 7, 64, 600] {
            let mut partition = vec![Vec::new(); parts];
            edges.iter().for_each(|edge| partition[draw(parts as u64) as usize].push(*edge));
            let left: Vec<(u64, u64)> = partition.iter().flat_map(|edges| forest(edges)).collect();
            assert!(left.len() <= edges.len());
            assert_eq!(forest(&left), whole, "{parts} parts");
        }
        assert!(whole.is_sorted_by_key(|(_, member)| *member));
    }
}
