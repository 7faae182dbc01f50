//! Generates near-duplicates of a text by copying pieces of it, at the speed of memory copies.
//!
//! As in `edit.rs`, the requested similarity refers to shingles of five words and need not be met exactly.

use super::tongue::Tongue;
use crate::bench::corpora::dice::Dice;

/// Number of words per shingle.
const WIDTH: f64 = 5.0;

/// Appends a text whose Jaccard similarity to `base` is about `similarity`, by one of four kinds of edit.
pub(super) fn near_duplicate(tongue: &Tongue, base: &[u8], similarity: f64, dice: &mut Dice, out: &mut Vec<u8>) {
    // With a Jaccard similarity of s, both texts share 2s / (1 + s) of their shingles.
    let shared = 2.0 * similarity / (1.0 + similarity);
    let chance = 1.0 - shared.powf(1.0 / WIDTH);
    let mut places = Dice::new(dice.roll());
    match dice.below(20) {
        0..9 => change_tokens(tongue, base, chance, &mut places, dice, out),
        9..13 => insert_lines(tongue, base, 1.0 / similarity - 1.0, dice, out),
        13..16 => out.extend_from_slice(&base[..line_start(base, (base.len() as f64 * similarity) as usize)]),
        _ => {
            // Two seams cost eight shingles, which is negligible compared with the changed words.
            let seam = line_start(base, dice.below(base.len() + 1));
            let reordered = [&base[seam..], &base[..seam]].concat();
            change_tokens(tongue, &reordered, chance, &mut places, dice, out);
        }
    }
}

/// Appends a text in which each token is replaced with this probability: `places` determines which, `words` the
/// replacements.
pub(in crate::bench) fn change_tokens(
    tongue: &Tongue,
    base: &[u8],
    chance: f64,
    places: &mut Dice,
    words: &mut Dice,
    out: &mut Vec<u8>,
) {
    let mean_gap = tongue.mean_token_bytes / chance;
    let mut copied = 0;
    loop {
        // The gaps between rare events are exponential.
        let gap = -(1.0 - places.unit()).ln() * mean_gap;
        let from = copied + gap as usize;
        let Some(start) = (from..base.len()).find(|place| tongue.token_starts(base, *place)) else { break };
        out.extend_from_slice(&base[copied..start]);
        tongue.write_word(words, out);
        copied = (start + 1..base.len()).find(|place| tongue.token_ends(base, *place)).unwrap_or(base.len());
    }
    out.extend_from_slice(&base[copied..]);
}

/// Appends the text with new lines inserted at two positions, so that it grows by this share.
fn insert_lines(tongue: &Tongue, base: &[u8], growth: f64, dice: &mut Dice, out: &mut Vec<u8>) {
    let bytes = (base.len() as f64 * growth / 2.0) as usize;
    let mut seams = [0, 0].map(|_: usize| line_start(base, dice.below(base.len() + 1)));
    seams.sort_unstable();
    out.extend_from_slice(&base[..seams[0]]);
    tongue.write_text(bytes, dice, out);
    out.extend_from_slice(&base[seams[0]..seams[1]]);
    tongue.write_text(bytes, dice, out);
    out.extend_from_slice(&base[seams[1]..]);
}

/// The start of the line nearest to a position of a text; its end, if there is no later line.
fn line_start(text: &[u8], place: usize) -> usize {
    let after = text[place..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| place + end + 1);
    let before = text[..place].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    // A text of one line must not become empty.
    if before > 0 && place - before < after - place { before } else { after }
}

#[cfg(test)]
mod tests {
    use lookalike_judge::{Shingle, measure};

    use super::*;

    #[test]
    fn near_duplicates_are_about_as_alike_as_asked_for() {
        let mut dice = Dice::new(5);
        for tongue in [Tongue::plain(), Tongue::of_script("Cyrillic", "rus"), Tongue::of_script("Chinese", "zho")] {
            for similarity in [0.5, 0.7, 0.8, 0.9, 0.97] {
                let measured: Vec<f64> = (0..20)
                    .map(|_| {
                        let (mut base, mut edited) = (Vec::new(), Vec::new());
                        tongue.write_text(20_000, &mut dice, &mut base);
                        near_duplicate(&tongue, &base, similarity, &mut dice, &mut edited);
                        let [base, edited] = [base, edited].map(|text| String::from_utf8(text).unwrap());
                        measure(&base, &edited, Shingle::Word(5)).jaccard()
                    })
                    .collect();
                let mean = measured.iter().sum::<f64>() / 20.0;
                assert!((mean - similarity).abs() < 0.06, "{}: {mean} for {similarity}: {measured:?}", tongue.code);
            }
        }
    }

    #[test]
    fn the_slots_of_a_template_are_at_the_same_places_for_all() {
        let tongue = Tongue::plain();
        let mut base = Vec::new();
        tongue.write_text(2_000, &mut Dice::new(1), &mut base);
        let filled = |page| {
            let mut out = Vec::new();
            change_tokens(&tongue, &base, 0.02, &mut Dice::new(2), &mut Dice::new(page), &mut out);
            String::from_utf8(out).unwrap()
        };
        let [one, other] = [filled(3), filled(4)];
        assert_ne!(one, other);
        let (words, differing): (Vec<_>, Vec<_>) =
            one.split_whitespace().zip(other.split_whitespace()).partition(|(one, other)| one == other);
        assert!(words.len() > 300 && (1..16).contains(&differing.len()), "{}", differing.len());
    }
}
