//! Normalizes a text and removes accents and the values of numbers, as requested.
//!
//! The result is a text that every function here accepts. Note that a letter of Cyrillic or Arabic that is one code
//! point with its mark is a letter in its own right, and only a few of these lose the mark.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

use crate::normalize::normalize;

/// The distinctions to remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fold {
    /// Letters lose their accents.
    pub accents: bool,
    /// Each run of decimal digits becomes one `0`.
    pub digits: bool,
}

/// Letters of Cyrillic and Arabic that lose the mark they were encoded with, and the result.
const LOSE_THEIR_MARK: &[(char, char)] = &[
    ('\u{451}', '\u{435}'),
    ('\u{450}', '\u{435}'),
    ('\u{45D}', '\u{438}'),
    ('\u{622}', '\u{627}'),
    ('\u{623}', '\u{627}'),
    ('\u{625}', '\u{627}'),
];

/// Small Latin letters up to U+017F without a decomposition (CLDR, `Latin-ASCII`).
const LATIN: &[(&str, &str)] = &[
    ("\u{E6}", "ae"),
    ("\u{F0}", "d"),
    ("\u{F8}", "o"),
    ("\u{FE}", "th"),
    ("\u{111}", "d"),
    ("\u{127}", "h"),
    ("\u{131}", "i"),
    ("\u{138}", "q"),
    ("\u{142}", "l"),
    ("\u{14B}", "n"),
    ("\u{153}", "oe"),
    ("\u{167}", "t"),
];

/// Normalizes and folds `text`.
///
/// ```
/// use lookalike_judge::{Fold, fold};
///
/// assert_eq!(fold("Crème 25 %", Fold { accents: true, digits: true }), "creme 0 %");
/// ```
pub fn fold(text: &str, fold: Fold) -> String {
    let mut text = normalize(text);
    if fold.accents {
        text = without_accents(&text);
    }
    if fold.digits {
        text = without_digits(&text);
    }
    text
}

/// Splits the text before every character that is not a mark, and folds each cluster separately.
fn without_accents(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let is_mark = |character: char| character.general_category_group() == GeneralCategoryGroup::Mark;
    characters.chunk_by(|_, next| is_mark(*next)).map(cluster_without_accents).collect()
}

fn cluster_without_accents(cluster: &[char]) -> String {
    let whole: String = cluster.iter().collect();
    let base = cluster[0];
    if base.general_category_group() != GeneralCategoryGroup::Letter {
        return whole;
    }
    let is_nonspacing = |character: &char| character.general_category() == GeneralCategory::NonspacingMark;
    // Only up to the first mark of another kind: the characters around a removed one could compose.
    let marks = cluster[1..].iter().skip_while(|mark| is_nonspacing(mark));
    let bare: String = match base.script() {
        Script::Latin | Script::Greek | Script::Hebrew => {
            std::iter::once(base).nfd().filter(|part| !is_nonspacing(part)).collect()
        }
        Script::Cyrillic | Script::Arabic => {
            LOSE_THEIR_MARK.iter().find(|(letter, _)| *letter == base).map_or(base, |(_, bare)| *bare).into()
        }
        _ => return whole,
    };
    let plain = LATIN.iter().fold(bare, |bare, (letter, plain)| bare.replace(letter, plain));
    plain.chars().chain(marks.copied()).collect()
}

fn without_digits(text: &str) -> String {
    let is_digit = |character: &char| character.general_category() == GeneralCategory::DecimalNumber;
    let characters: Vec<char> = text.chars().collect();
    let runs = characters.chunk_by(|left, right| is_digit(left) && is_digit(right));
    runs.map(|run| if is_digit(&run[0]) { "0".to_string() } else { run.iter().collect() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_text_is_normalized_text() {
        let both = Fold { accents: true, digits: true };
        for character in '\0'..='\u{1FFFF}' {
            let folded = fold(&format!("{character}\u{301}{character}\u{308}\u{323}"), both);
            assert_eq!(normalize(&folded), folded, "{character:?}");
            // Two vowel signs of Sinhala that compose if nothing is between them.
            let folded = fold(&format!("a\u{DD9}{character}\u{DCF}"), both);
            assert_eq!(normalize(&folded), folded, "{character:?}");
        }
    }

    #[test]
    fn a_letter_of_its_own_stays() {
        assert_eq!(fold("йогурт, ёж, за\u{301}мок", Fold { accents: true, digits: false }), "йогурт, еж, замок");
    }
}
