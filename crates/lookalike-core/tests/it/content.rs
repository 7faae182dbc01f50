//! The hash of a text's content agrees with the judge on exact copies.

use lookalike_core::text::content::ContentHasher;
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::{Shingle, Shingler};
use lookalike_judge::is_exact_copy;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

/// Pieces of texts, each in several spellings, some of which have the same content.
const PIECES: &[&[&str]] = &[
    &["café", "cafe\u{301}", "cafe", "CAFÉ"],
    &["\u{212b}", "A\u{30a}", "\u{c5}"],
    &["가", "\u{1100}\u{1161}"],
    &["a\u{323}\u{301}", "a\u{301}\u{323}"],
    &["\n", "\r\n", " \n", "\t\r\n", "\u{3000}\n", "\u{a0} \n", "\n\n", "\r"],
    &[" ", "  ", "\t", "\u{2003}", ""],
    &["<", ">=", "😀", "😢", "!"],
    &["", " ", "\n", "\r\n", " \n \n"],
    &["30", "90"],
];

/// Two texts of the same pieces, most of them spelled in the same way.
fn two_texts() -> impl Strategy<Value = (String, String)> {
    let piece = prop::sample::select(PIECES).prop_flat_map(|ways| {
        let way = prop::sample::select(ways);
        prop_oneof![5 => way.clone().prop_map(|way| (way, way)), 2 => (way.clone(), way)]
    });
    prop::collection::vec(piece, 0..12).prop_map(|pieces| {
        let texts: (Vec<&str>, Vec<&str>) = pieces.into_iter().unzip();
        (texts.0.concat(), texts.1.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn texts_have_one_hash_if_and_only_if_they_are_exact_copies((left, right) in two_texts()) {
        // One hasher for both, as in a run: the first text must not affect the second.
        let mut hasher = ContentHasher::default();
        let is_equal = hasher.hash(&left) == hasher.hash(&right);
        prop_assert_eq!(is_equal, is_exact_copy(&left, &right));
        prop_assert_eq!(hasher.hash(&left) as u64 == hasher.hash(&right) as u64, is_equal);

        // So exact copies are among the texts with the same tokens, which are joined first.
        for shingle in [Shingle::Word(5), Shingle::Char(3)] {
            let mut shingler = Shingler::new(&shingle, Fold::NONE);
            let hashes = [&left, &right].map(|text| shingler.features(text).text_hash());
            prop_assert!(!is_equal || hashes[0] == hashes[1]);
        }
    }
}

#[test]
fn the_texts_of_this_test_are_copies_often_and_differ_often() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let made = |_| two_texts().new_tree(&mut runner).unwrap().current();
    let copies = (0..1000).map(made).filter(|(left, right)| left != right && is_exact_copy(left, right)).count();
    assert!((50..600).contains(&copies), "{copies}");
}
