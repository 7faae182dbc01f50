//! Which letters a text has, in one number: most texts that are not alike are told so without looking at them.

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

    /// Whether the two have no letter or word in common; they may have none also when this is not said.
    #[inline]
    pub(super) fn are_disjoint(self, other: Self) -> bool {
        self.bits & other.bits == 0
    }

    /// Whether the text has this character, or one that shares its bit.
    pub(super) fn may_have(self, c: char) -> bool {
        self.bits & 1 << bit(c) != 0
    }

    /// How many characters the text has.
    pub(super) fn count(self) -> u32 {
        self.count
    }

    /// At least as many slips lie between the two texts: a slip takes one letter away and brings one at most.
    #[inline]
    pub(super) fn least_slips(self, other: Self) -> u32 {
        let mine = (self.bits & !other.bits).count_ones();
        let others = (other.bits & !self.bits).count_ones();
        mine.max(others).max(self.count.abs_diff(other.count))
    }

    /// At most this share of letters needs no slip.
    #[inline]
    pub(super) fn most_ratio(self, other: Self) -> f64 {
        1.0 - f64::from(self.least_slips(other)) / f64::from(self.count.max(other.count).max(1))
    }

    /// At most this is the likeness of Jaro and Winkler.
    #[inline]
    pub(super) fn most_jaro(self, other: Self) -> f64 {
        let common = (self.count - (self.bits & !other.bits).count_ones())
            .min(other.count - (other.bits & !self.bits).count_ones());
        if common == 0 {
            return 0.0;
        }
        let common = f64::from(common);
        let jaro = (common / f64::from(self.count) + common / f64::from(other.count) + 1.0) / 3.0;
        // Four letters at the start that agree take a tenth each off what is missing.
        jaro + 0.4 * (1.0 - jaro)
    }

    /// Whether one text may be made of letters of the other alone.
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
