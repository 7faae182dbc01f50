//! Computes the `NFKC_Casefold` form of a text.
//!
//! The order matters: case is folded between two normalizations, because folding can undo composition and composition
//! can restore capitals (Unicode, section 3.13, and UAX #31, `NFKC_Casefold`). Ignorable characters are removed last,
//! which may leave neighbors that compose: hence one more NFKC.

use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization;

use crate::case::fold_case;

/// `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt`; compared with Unicode 14 and 18).
const DEFAULT_IGNORABLE: &[RangeInclusive<char>] = &[
    '\u{AD}'..='\u{AD}',
    '\u{34F}'..='\u{34F}',
    '\u{61C}'..='\u{61C}',
    '\u{115F}'..='\u{1160}',
    '\u{17B4}'..='\u{17B5}',
    '\u{180B}'..='\u{180F}',
    '\u{200B}'..='\u{200F}',
    '\u{202A}'..='\u{202E}',
    '\u{2060}'..='\u{206F}',
    '\u{3164}'..='\u{3164}',
    '\u{FE00}'..='\u{FE0F}',
    '\u{FEFF}'..='\u{FEFF}',
    '\u{FFA0}'..='\u{FFA0}',
    '\u{FFF0}'..='\u{FFF8}',
    '\u{1BCA0}'..='\u{1BCA3}',
    '\u{1D173}'..='\u{1D17A}',
    '\u{E0000}'..='\u{E0FFF}',
];

/// The `NFKC_Casefold` form of `text`.
///
/// ```
/// assert_eq!(lookalike_judge::normalize("Stra\u{AD}ße"), "strasse");
/// ```
pub fn normalize(text: &str) -> String {
    // Plain ASCII is its own NFD and NFKC, contains nothing ignorable, and folds to lower case.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    normalize_any(text)
}

fn normalize_any(text: &str) -> String {
    let decomposed: String = text.nfd().collect();
    let once: String = fold_case(&decomposed).nfkc().collect();
    let twice: String = fold_case(&once).nfkc().collect();
    twice.chars().filter(|&character| !is_default_ignorable(character)).nfkc().collect()
}

fn is_default_ignorable(character: char) -> bool {
    DEFAULT_IGNORABLE.iter().any(|range| range.contains(&character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_for_ascii_is_the_long_way() {
        let ascii: String = (0..128_u8).map(char::from).collect();
        assert_eq!(normalize(&ascii), normalize_any(&ascii));
    }

    #[test]
    fn what_an_ignorable_kept_apart_composes() {
        assert_eq!(normalize("e\u{34F}\u{301}"), "é");
    }

    #[test]
    fn normalizing_twice_changes_nothing() {
        for character in '\0'..=char::MAX {
            let once = normalize(&character.to_string());
            assert_eq!(normalize(&once), once, "{character:?}");
        }
    }

    #[test]
    fn all_of_unicode_is_the_same_in_every_canonical_form() {
        for character in '\0'..=char::MAX {
            let decomposed: String = std::iter::once(character).nfd().collect();
            assert_eq!(normalize(&character.to_string()), normalize(&decomposed), "{character:?}");
        }
    }
}
