//! The worked examples of the source material.

use std::collections::BTreeSet;

use lookalike_core::feature_set::{FeatureSet, Overlap};
use lookalike_core::shingle::{Shingle, Shingler};

fn set(text: &str, shingle: &str) -> FeatureSet {
    FeatureSet::new(Shingler::new(shingle.parse::<Shingle>().unwrap()).features(text).all)
}

#[test]
fn a_rose_is_a_rose_has_three_shingles_of_four_words() {
    let rose = set("a rose is a rose is a rose", "word:4");
    assert_eq!(rose.size(), 3);
    let each: BTreeSet<u64> = ["a rose is a", "rose is a rose", "is a rose is"]
        .iter()
        .flat_map(|shingle| set(shingle, "word:4").as_slice().to_vec())
        .collect();
    assert_eq!(rose.as_slice(), each.into_iter().collect::<Vec<_>>());
}

#[test]
fn abcab_has_three_shingles_of_two_characters() {
    let each: BTreeSet<u64> = ["ab", "bc", "ca"].iter().flat_map(|pair| set(pair, "char:2").as_slice().to_vec()).collect();
    assert_eq!(set("abcab", "char:2").as_slice(), each.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_midnight_dreary_and_its_twin_share_two_of_nine_shingles() {
    // One word more in the middle takes three of five 4-word shingles away, and brings four new ones.
    let left = set("Once upon a midnight dreary, while I pondered", "word:4");
    let right = set("Once upon a midnight so dreary, while I pondered", "word:4");
    let overlap = left.overlap(&right);
    assert_eq!(overlap, Overlap { shared: 2, left: 5, right: 6 });
    assert!((overlap.jaccard() - 0.22).abs() < 0.005);
}
