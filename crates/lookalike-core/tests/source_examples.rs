//! The worked examples of the source material.

use std::collections::BTreeSet;

use lookalike_core::feature_set::Overlap;
use lookalike_core::shingle::{Shingle, Shingler};
use lookalike_core::text::fold::Fold;

fn features(text: &str, shingle: &str) -> Vec<u64> {
    Shingler::new(&shingle.parse::<Shingle>().unwrap(), Fold::NONE).features(text).all.to_vec()
}

/// The features of a text are those of these shingles, and no others.
fn assert_shingles(text: &str, shingle: &str, shingles: &[&str]) {
    let each = |text: &&str| features(text, shingle);
    let found: BTreeSet<u64> = features(text, shingle).into_iter().collect();
    assert_eq!(found, shingles.iter().flat_map(each).collect());
    assert_eq!(found.len(), shingles.len());
}

#[test]
fn a_rose_is_a_rose_has_three_shingles_of_four_words() {
    assert_shingles("a rose is a rose is a rose", "word:4", &["a rose is a", "rose is a rose", "is a rose is"]);
}

#[test]
fn abcab_has_three_shingles_of_two_characters() {
    assert_shingles("abcab", "char:2", &["ab", "bc", "ca"]);
}

#[test]
fn a_midnight_dreary_and_its_twin_share_two_of_nine_shingles() {
    // One word more in the middle takes three of five 4-word shingles away, and brings four new ones.
    let left = features("Once upon a midnight dreary, while I pondered", "word:4");
    let right = features("Once upon a midnight so dreary, while I pondered", "word:4");
    let overlap = Overlap::of(&left, &right);
    assert_eq!(overlap, Overlap { shared: 2, left: 5, right: 6 });
    assert!((overlap.jaccard() - 0.22).abs() < 0.005);
}
