//! The judge's verdicts on removals, and the items it would keep.

use lookalike_judge::{
    Removal, Shingle, broken_promises, duplicates_left, independent_set, pairs, unsupported_removals,
};

const WORDS: Shingle = Shingle::Word(1);

/// 0 and 1 share 4 of 5, 1 and 2 share 5 of 6, 0 and 2 share 4 of 6; 3 is alone.
const TEXTS: [&str; 4] = ["a b c d", "a b c d e", "a b c d e f", "z"];

fn removal(removed: usize, kept: usize, jaccard: f64) -> Removal {
    Removal { removed, kept, jaccard }
}

#[test]
fn a_right_removal_breaks_no_promise() {
    let removals = [removal(1, 0, 0.8)];
    assert!(broken_promises(&TEXTS, WORDS, 0.8, &removals).is_empty());
}

#[test]
fn a_removal_for_what_is_itself_removed_is_told() {
    let removals = [removal(1, 0, 0.8), removal(2, 1, 5.0 / 6.0)];
    assert_eq!(unsupported_removals(&TEXTS, WORDS, 0.8, &removals), ["2 is removed for 1, which is itself removed"]);
}

#[test]
fn a_removal_below_the_threshold_is_told() {
    let removals = [removal(2, 0, 4.0 / 6.0)];
    assert_eq!(
        unsupported_removals(&TEXTS, WORDS, 0.8, &removals),
        ["2 is removed for 0, but their similarity 0.6666666666666666 is below 0.8"]
    );
}

#[test]
fn a_similarity_that_differs_in_its_last_digit_is_told() {
    let removals = [removal(1, 0, 0.8_f64.next_up())];
    assert_eq!(
        unsupported_removals(&TEXTS, WORDS, 0.8, &removals),
        ["1 is removed for 0 with similarity 0.8000000000000002, but it is 0.8"]
    );
}

#[test]
fn a_similarity_that_is_not_a_number_is_told() {
    let removals = [removal(1, 0, f64::NAN)];
    assert_eq!(unsupported_removals(&TEXTS, WORDS, 0.8, &removals).len(), 1);
}

#[test]
fn a_text_removed_twice_is_told_once() {
    let removals = [removal(1, 0, 0.8), removal(1, 2, 5.0 / 6.0)];
    assert_eq!(unsupported_removals(&TEXTS, WORDS, 0.8, &removals), ["1 is removed more than once"]);
}

#[test]
fn a_removal_of_a_text_that_is_not_there_is_told() {
    assert_eq!(
        unsupported_removals(&TEXTS, WORDS, 0.8, &[removal(9, 0, 1.0)]),
        ["9 is removed for 0, but there are only 4 texts"]
    );
}

#[test]
fn duplicates_that_were_both_kept_are_told_by_their_own_places() {
    let removals = [removal(0, 1, 0.8)];
    assert_eq!(
        duplicates_left(&TEXTS, WORDS, 0.8, &removals),
        ["1 and 2 are both kept, but their similarity 0.8333333333333334 is not below 0.8"]
    );
}

#[test]
fn both_promises_are_looked_at_together() {
    let removals = [removal(3, 0, 0.0)];
    let broken = broken_promises(&TEXTS, WORDS, 0.8, &removals);
    assert_eq!(broken.len(), 3, "{broken:?}");
}

#[test]
fn an_independent_set_keeps_both_ends_of_a_chain_or_its_middle() {
    let found = pairs(&TEXTS, WORDS, 0.8);
    assert_eq!(independent_set(4, &[0, 1, 2, 3], &found), [true, false, true, true]);
    assert_eq!(independent_set(4, &[3, 1, 0, 2], &found), [false, true, false, true]);
}

#[test]
fn removing_what_the_independent_set_leaves_out_keeps_both_promises() {
    let found = pairs(&TEXTS, WORDS, 0.6);
    let kept = independent_set(4, &[2, 1, 0, 3], &found);
    let removals: Vec<Removal> = found
        .iter()
        .filter(|pair| kept[pair.right] && !kept[pair.left])
        .map(|pair| removal(pair.left, pair.right, pair.measures.jaccard()))
        .collect();
    assert_eq!(removals.len(), 2);
    assert!(broken_promises(&TEXTS, WORDS, 0.6, &removals).is_empty());
}
