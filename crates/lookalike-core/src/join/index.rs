//! Prefixes of sets, by token.
//!
//! Room is reserved for all sets, so that the postings of a token are contiguous and in the order in which the sets
//! were added. A position in a set is expressed by the number of tokens from there to the end, which bounds the
//! overlap, and not by the number before it.

/// A set that has a token in its prefix.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Posting {
    /// The outline of the set.
    pub(super) outline: u64,
    pub(super) set: u32,
    /// Number of tokens of the set from this one on, inclusive.
    pub(super) remaining: u32,
}

/// The postings of all tokens.
#[derive(Debug)]
pub(super) struct Index {
    postings: Vec<Posting>,
    places: Vec<Places>,
}

/// The position of the postings of a token. Both in one struct, since each access to another token is a cache miss.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    start: usize,
    count: u32,
}

impl Index {
    /// An empty index with room for these prefixes.
    pub(super) fn with_room_for<'t>(token_count: usize, prefixes: impl Iterator<Item = &'t [u32]>) -> Self {
        let mut places = vec![Places::default(); token_count];
        for token in prefixes.flatten() {
            places[*token as usize].count += 1;
        }
        let mut total = 0;
        for place in &mut places {
            let room = std::mem::take(&mut place.count);
            place.start = total;
            total += room as usize;
        }
        Self { postings: vec![Posting::default(); total], places }
    }

    /// Adds a set by the first `prefix` of its tokens. Sets come in ascending order.
    pub(super) fn add(&mut self, set: u32, tokens: &[u32], prefix: usize, outline: u64) {
        for (before, token) in tokens[..prefix].iter().enumerate() {
            let places = &mut self.places[*token as usize];
            let remaining = (tokens.len() - before) as u32;
            self.postings[places.start + places.count as usize] = Posting { outline, set, remaining };
            places.count += 1;
        }
    }

    /// The sets of a token from `first` on, ascending.
    #[inline]
    pub(super) fn postings(&self, token: u32, first: u32) -> &[Posting] {
        let Places { start, count } = self.places[token as usize];
        let postings = &self.postings[start..start + count as usize];
        // Usually all are requested, or none, which needs no search.
        match postings {
            [.., last] if last.set < first => &[],
            [least, ..] if least.set < first => &postings[postings.partition_point(|posting| posting.set < first)..],
            _ => postings,
        }
    }
}

/// Number of tokens of a set that can be the first of `least_shared` shared ones: all but the last `least_shared - 1`.
#[inline]
pub(super) fn prefix_count(tokens: &[u32], least_shared: u32) -> usize {
    (tokens.len() + 1).saturating_sub(least_shared as usize)
}

/// A 64-bit summary of a set: for each bit in which two outlines differ, the sets differ in at least one token.
///
/// Adjacent tokens have different bits, so the most frequent ones, which are the last, do not collide.
pub(super) fn outline(tokens: &[u32]) -> u64 {
    tokens.iter().fold(0, |outline, token| outline | 1 << (token % u64::BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_hold_prefixes_in_the_order_of_sets() {
        let sets: [&[u32]; 3] = [&[0, 2, 3], &[1, 2], &[2, 3]];
        let mut index = Index::with_room_for(4, sets.iter().map(|tokens| &tokens[..2]));
        for (set, tokens) in (0..).zip(sets) {
            index.add(set, tokens, 2, 0);
        }
        let postings = |token, first| -> Vec<(u32, u32)> {
            index.postings(token, first).iter().map(|posting| (posting.set, posting.remaining)).collect()
        };
        assert_eq!(postings(2, 0), [(0, 2), (1, 1), (2, 2)]);
        assert_eq!(postings(2, 1), [(1, 1), (2, 2)]);
        assert_eq!(postings(3, 0), [(2, 1)]);
    }

    #[test]
    fn a_prefix_leaves_out_what_cannot_be_first() {
        assert_eq!([1, 2, 4, 5, 9].map(|least| prefix_count(&[1, 2, 3, 4], least)), [4, 3, 1, 0, 0]);
    }

    #[test]
    fn outlines_differ_in_no_more_bits_than_sets_in_tokens() {
        let differing = |left: &[u32], right: &[u32]| (outline(left) ^ outline(right)).count_ones();
        assert_eq!(differing(&[1, 2, 3], &[1, 3, 4, 5]), 3);
        assert_eq!(differing(&[1], &[1, 65]), 0);
    }
}
