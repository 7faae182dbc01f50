//! The fast join of the judge finds the same pairs as comparing every two texts.

#![expect(clippy::float_cmp, reason = "the same division of the same counts has the same bits")]

use lookalike_judge::{Pair, Shingle, pairs, pairs_by_brute_force};

/// A small generator with a fixed seed (Marsaglia, Xorshift RNGs, 2003), so that failures can be reproduced.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Texts, many of which are edited, cut or equal copies of others; some are empty, some very short.
fn made_corpus(dice: &mut Dice, text_count: usize, vocabulary: usize) -> Vec<String> {
    let mut texts: Vec<Vec<usize>> = Vec::new();
    for _ in 0..text_count {
        let kind = dice.below(10);
        let text = if kind == 0 {
            Vec::new()
        } else if kind < 4 || texts.is_empty() {
            let length = 1 + dice.below(40);
            (0..length).map(|_| dice.below(vocabulary)).collect()
        } else {
            let mut copy = texts[dice.below(texts.len())].clone();
            for _ in 0..dice.below(5) {
                if !copy.is_empty() {
                    let place = dice.below(copy.len());
                    match dice.below(3) {
                        0 => copy[place] = dice.below(vocabulary),
                        1 => copy.truncate(place),
                        _ => copy.insert(place, dice.below(vocabulary)),
                    }
                }
            }
            copy
        };
        texts.push(text);
    }
    texts
        .iter()
        .map(|text| {
            let words: Vec<String> = text.iter().map(|word| format!("w{word}")).collect();
            words.join(" ")
        })
        .collect()
}

#[test]
fn both_ways_agree_on_made_corpora() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut found_count = 0;
    for round in 0..60 {
        let vocabulary = [3, 12, 500][round % 3];
        let texts = made_corpus(&mut dice, 60, vocabulary);
        for shingle in [Shingle::Word(1), Shingle::Word(2), Shingle::Word(5), Shingle::Char(3), Shingle::Char(7)] {
            for threshold in [0.01, 0.3, 0.5, 2.0 / 3.0, 0.7, 0.8, 0.9, 1.0] {
                let expected = pairs_by_brute_force(&texts, shingle, threshold);
                let found = pairs(&texts, shingle, threshold);
                assert_eq!(found, expected, "{shingle:?} at {threshold}");
                found_count += found.len();
            }
        }
    }
    assert!(found_count > 10_000, "the corpora have pairs to find");
}

/// Two texts of one-word shingles that share `shared` of `union` shingles.
fn texts_sharing(shared: usize, union: usize) -> [String; 2] {
    let only_left = (union - shared) / 2;
    let word = |number: usize| format!("w{number}");
    let left: Vec<String> = (0..shared + only_left).map(word).collect();
    let right: Vec<String> = (0..shared).chain(shared + only_left..union).map(word).collect();
    [left.join(" "), right.join(" ")]
}

#[test]
fn a_pair_exactly_at_the_threshold_is_found() {
    for union in 1..60 {
        for shared in 1..=union {
            let texts = texts_sharing(shared, union);
            let threshold = shared as f64 / union as f64;
            let found = pairs(&texts, Shingle::Word(1), threshold);
            assert_eq!(found.len(), 1, "{shared} of {union}");
            assert_eq!(found[0].measures.jaccard(), threshold);

            if threshold < 1.0 {
                let found = pairs(&texts, Shingle::Word(1), threshold.next_up());
                assert_eq!(found, [], "{shared} of {union}, and a little more asked for");
            }
        }
    }
}

#[test]
fn four_fifths_is_a_pair_at_eight_tenths() {
    let found = pairs(&["a b c d", "a b c d e"], Shingle::Word(1), 0.8);
    assert_eq!(found.len(), 1);
}

#[test]
fn equal_texts_are_pairs_and_empty_ones_are_not() {
    let texts = ["same text", "", "Same, text", "", "same text"];
    let places: Vec<(usize, usize)> =
        pairs(&texts, Shingle::Word(5), 1.0).iter().map(|pair: &Pair| (pair.left, pair.right)).collect();
    assert_eq!(places, [(0, 2), (0, 4), (2, 4)]);
}

#[test]
fn a_short_text_is_not_taken_for_a_part_of_a_long_one() {
    let texts = ["a b", "a b c", "a b c d", "b"];
    assert_eq!(pairs(&texts, Shingle::Word(3), 0.01).len(), 1);
}

#[test]
fn no_texts_have_no_pairs() {
    assert_eq!(pairs(&[""; 0], Shingle::Word(5), 0.8), []);
}

#[test]
#[should_panic(expected = "threshold 0 is not above 0")]
fn a_threshold_of_nothing_is_refused() {
    pairs(&["a", "b"], Shingle::Word(1), 0.0);
}
