//! Set of the letters of a text, in one number: tells apart most texts that are not similar without reading them.

use xxhash_rust::xxh3::xxh3_64;

/// A bit for each letter and digit; the others share bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Letters {
    pub(super) bits: u64,
    pub(super) count: u32,
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let (bits, count) = text.chars().fold((0, 0), |(bits, count), c| (bits | 1 << bit(c), count + 1));
        Self { bits, count }
    }

    /// A bit for each word instead.
    pub(super) fn of_words(text: &str) -> Self {
        let bit = |word: &str| 1 << (xxh3_64(word.as_bytes()) % 64);
        Self { bits: text.split(' ').fold(0, |bits, word| bits | bit(word)), count: text.chars().count() as u32 }
    }

    /// True if the two have no letter or word in common. If false, they may still have none in common.
    #[inline]
    pub(super) fn are_disjoint(self, other: Self) -> bool {
        self.bits & other.bits == 0
    }

    /// True if the text has this character, or one that shares its bit.
    pub(super) fn may_have(self, c: char) -> bool {
        self.bits & 1 << bit(c) != 0
    }

    /// Number of characters in the text.
    pub(super) fn count(self) -> u32 {
        self.count
    }

    /// Lower bound of the edit distance between the two texts: an edit removes at most one letter and adds at most one.
    #[inline]
    pub(super) fn least_slips(self, other: Self) -> u32 {
        let mine = (self.bits & !other.bits).count_ones();
        let others = (other.bits & !self.bits).count_ones();
        mine.max(others).max(self.count.abs_diff(other.count))
    }

    /// Upper bound of the share of letters that need no edit.
    #[inline]
    pub(super) fn most_ratio(self, other: Self) -> f64 {
        1.0 - f64::from(self.least_slips(other)) / f64::from(self.count.max(other.count).max(1))
    }

    /// Upper bound of the Jaro–Winkler similarity.
    #[inline]
    pub(super) fn most_jaro(self, other: Self) -> f64 {
        let common = (self.count - (self.bits & !other.bits).count_ones())
            .min(other.count - (other.bits & !self.bits).count_ones());
        if common == 0 {
            return 0.0;
        }
        let common = f64::from(common);
        let jaro = (common / f64::from(self.count) + common / f64::from(other.count) + 1.0) / 3.0;
        // Up to four equal letters at the start each reduce the rest by a tenth.
        jaro + 0.4 * (1.0 - jaro)
    }

    /// True if one text may consist only of letters of the other.
    #[inline]
    pub(super) fn may_be_within(self, other: Self) -> bool {
        self.bits & !other.bits == 0 || other.bits & !self.bits == 0
    }
}

fn bit(c: char) -> u32 {
    match c {
        'a'..='z' => c as u32 - 'a' as u32,
        '0'..='9' => 26 + c as u32 - '0' as u32,
        other => 36 + other as u32 % 28,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rapidfuzz::distance::{jaro_winkler, osa};

    use super::*;

    proptest! {
        #[test]
        fn bounds_hold(left in "[a-e0-3 é]{0,9}", right in "[a-e0-3 é]{0,9}") {
            let (a, b) = (Letters::of(&left), Letters::of(&right));
            let distance = osa::distance(left.chars(), right.chars());
            prop_assert!(a.least_slips(b) as usize <= distance);
            prop_assert!(a.most_ratio(b) >= osa::normalized_similarity(left.chars(), right.chars()) - 1e-12);
            let jaro = jaro_winkler::similarity(left.chars(), right.chars());
            if !left.is_empty() && !right.is_empty() {
                prop_assert!(a.most_jaro(b) >= jaro - 1e-12, "{} {}", a.most_jaro(b), jaro);
            }
            if left.contains(&right) || right.contains(&left) {
                prop_assert!(a.may_be_within(b));
            }
        }
    }
}
