//! Describes the numbers of a comparison in a sentence and a few facts.

use lookalike::{Comparison, Verdict};
use lookalike_page::{Html, html, number};

use super::layout::facts;

/// Instructions for reading two texts side by side.
pub(super) fn legend() -> Html {
    Html::ours(
        "<p class=\"legend\">What both have is <mark class=\"p1\"><sup>1</sup>numbered and underlined</mark>, with the same number on both sides; what only one has is <del>framed</del>. <span class=\"keys\"><kbd>n</kbd> and <kbd>p</kbd> step through the passages.</span></p>\n",
    )
}

/// States whether two documents are near-duplicates, and why.
pub(super) fn sentence(compared: &Comparison) -> String {
    let (shown, threshold) = (number::similarity(compared.similarity), compared.threshold);
    match compared.verdict {
        Verdict::NothingToCompare => "One of the texts has no words, and is similar to nothing.".to_owned(),
        Verdict::ExactCopies => "These are exact copies: equal in every character.".to_owned(),
        Verdict::SameWords => {
            "These have the same words in the same order, and differ only in punctuation, case or white space."
                .to_owned()
        }
        Verdict::NearDuplicates => format!(
            "These are near-duplicates: their {} is {shown}, and {threshold} is enough. {}",
            named(compared.measure),
            parts(compared)
        ),
        Verdict::NotNearDuplicates => format!(
            "These are not near-duplicates: their {} is {shown}, and {threshold} would be needed. {}",
            named(compared.measure),
            parts(compared)
        ),
    }
}

/// The name of a measure in a sentence.
fn named(measure: &str) -> &str {
    match measure {
        "jaccard" => "Jaccard similarity",
        other => other,
    }
}

/// Describes how much of each document is in the other.
fn parts(compared: &Comparison) -> String {
    let (left, right) = (compared.containment_of_left, compared.containment_of_right);
    let share = number::share;
    match (left, right) {
        (left, right) if left > 0.95 && right < 0.7 => {
            format!("The left one is nearly all within the right one, which has much more ({}).", share(1.0 - right))
        }
        (left, right) if right > 0.95 && left < 0.7 => {
            format!("The right one is nearly all within the left one, which has much more ({}).", share(1.0 - left))
        }
        (left, right) => {
            format!(
                "{} of the left one is in the right one, and {} of the right one in the left one.",
                share(left),
                share(right)
            )
        }
    }
}

/// The measures one by one.
pub(super) fn all(compared: &Comparison) -> Html {
    let of_side = |contained: f64, shingles: u32| {
        (
            number::share(contained),
            format!(
                "{} of {} distinct shingles",
                number::count(u64::from(compared.shared_shingle_count)),
                number::count(u64::from(shingles))
            ),
        )
    };
    let left = of_side(compared.containment_of_left, compared.left.distinct_shingle_count);
    let right = of_side(compared.containment_of_right, compared.right.distinct_shingle_count);
    let edits = match (compared.word_edit_count, compared.character_edit_count) {
        (Some(words), characters) => (
            number::count(words),
            characters.map_or_else(
                || "words to insert, delete or change".to_owned(),
                |characters| format!("words to insert, delete or change; {}", number::of(characters, "character")),
            ),
        ),
        (None, _) => ("–".to_owned(), "the texts are too long to count".to_owned()),
    };
    let chance = compared.chance_to_be_found.map_or_else(
        || ("–".to_owned(), "similarity does not tell what this method finds".to_owned()),
        |chance| (found(chance), "that a pair this similar is found".to_owned()),
    );
    let mut shown = vec![
        ("Jaccard", number::similarity(compared.jaccard), format!("shared of all shingles ({})", compared.shingle)),
        ("Left in right", left.0, left.1),
        ("Right in left", right.0, right.1),
        ("Edits", edits.0, edits.1),
        ("Chance", chance.0, chance.1),
    ];
    if let (Some(simhash), Some(bits)) = (compared.simhash, compared.hamming) {
        shown.push((
            "SimHash",
            number::similarity(simhash),
            format!("{} of {} bits differ", bits, compared.sketch_bits),
        ));
    }
    html!("{}", facts(&shown))
}

/// A probability; one that is not exactly 0 or 1 is never shown as such.
fn found(chance: f64) -> String {
    let shown = format!("{chance:.4}");
    match &*shown {
        "1.0000" if chance < 1.0 => "over 0.9999".to_owned(),
        "0.0000" if chance > 0.0 => "under 0.0001".to_owned(),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use lookalike::{Scheme, compare};

    use super::*;

    fn said(left: &str, right: &str) -> String {
        sentence(&compare(left, right, &Scheme::jaccard(0.8).unwrap()).unwrap())
    }

    #[test]
    fn a_pair_is_told_in_a_sentence() {
        let text = "one two three four five six seven eight nine ten";
        assert!(said(text, text).starts_with("These are exact copies"));
        assert!(said(text, &text.to_uppercase()).starts_with("These have the same words"));
        assert!(said(text, "").contains("no words"));
        let other = "these words are not in the other text at all";
        assert!(said(text, other).starts_with(
            "These are not near-duplicates: their Jaccard similarity is 0.0000, and 0.8 would be needed."
        ));
        let more = format!("{text} {}", other.repeat(3));
        assert!(said(text, &more).contains("nearly all within the right one"));
    }

    #[test]
    fn a_chance_is_not_rounded_to_certainty() {
        assert_eq!([1.0, 0.999_999, 0.5, 0.0].map(found), ["1.0000", "over 0.9999", "0.5000", "0.0000"]);
    }
}
