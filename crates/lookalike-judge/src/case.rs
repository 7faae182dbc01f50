//! Full case folding, independent of language.
//!
//! The `caseless` crate supports Unicode 16. Letters that received a case folding later are listed here, since the
//! pipeline's tables are newer; with outdated tables, the judge would be wrong and not the pipeline.

use caseless::Caseless;

/// Folds of Unicode 17 and 18 that `caseless` lacks (`CaseFolding-18.0.0.txt`, statuses C and F).
const SINCE_UNICODE_16: &[(char, &str)] = &[
    ('\u{A7CE}', "\u{A7CF}"),
    ('\u{A7D2}', "\u{A7D3}"),
    ('\u{A7D4}', "\u{A7D5}"),
    ('\u{A7DD}', "\u{277}"),
    ('\u{A7E2}', "\u{27C}"),
    ('\u{AB6C}', "\u{AB4B}"),
    ('\u{AB6D}', "\u{AB4C}"),
    ('\u{1DF40}', "\u{1DF41}"),
    ('\u{1DF48}', "\u{1DF49}"),
    ('\u{1DF4A}', "\u{1DF4B}"),
    ('\u{1DF4D}', "\u{1DF4E}"),
    ('\u{1DF51}', "\u{1DF52}"),
    ('\u{1DF68}', "\u{1DF69}"),
    ('\u{1DF6A}', "\u{1DF6B}"),
    ('\u{1DF6C}', "\u{1DF6D}"),
    ('\u{1DF6E}', "\u{1DF6F}"),
    ('\u{1DF72}', "\u{1DF73}"),
    ('\u{1DF74}', "\u{1DF75}"),
    ('\u{1DF76}', "\u{1DF77}"),
    ('\u{1DF78}', "\u{1DF79}"),
    ('\u{1DF7A}', "\u{1DF7B}"),
    ('\u{1DF7C}', "\u{1DF7D}"),
    ('\u{1DF7E}', "\u{1DF7F}"),
    ('\u{1DF95}', "ss"),
];

/// The capitals of Beria Erfe, new in Unicode 17; each small letter is 27 code points higher.
const BERIA_ERFE_CAPITALS: std::ops::RangeInclusive<char> = '\u{16EA0}'..='\u{16EB8}';
const BERIA_ERFE_STEP: u32 = 27;

/// Folds the case of all characters of `text`.
pub(crate) fn fold_case(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match newer_fold(character) {
            Some(fold) => folded.push_str(&fold),
            None => folded.extend(std::iter::once(character).default_case_fold()),
        }
    }
    folded
}

fn newer_fold(character: char) -> Option<String> {
    if character < SINCE_UNICODE_16[0].0 {
        return None;
    }
    if BERIA_ERFE_CAPITALS.contains(&character) {
        let small = char::from_u32(u32::from(character) + BERIA_ERFE_STEP)?;
        return Some(small.to_string());
    }
    SINCE_UNICODE_16.iter().find(|(capital, _)| *capital == character).map(|(_, fold)| (*fold).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_can_fold_to_two() {
        assert_eq!(fold_case("Straße"), "strasse");
    }

    #[test]
    fn a_letter_newer_than_the_caseless_crate_is_folded() {
        assert_eq!(fold_case("\u{A7CE}\u{16EA0}"), "\u{A7CF}\u{16EBB}");
    }

    // When `caseless` is updated, the table can be removed.
    #[test]
    fn the_table_holds_only_what_the_caseless_crate_lacks() {
        for (capital, _) in SINCE_UNICODE_16 {
            let known: String = std::iter::once(*capital).default_case_fold().collect();
            assert_eq!(known, capital.to_string());
        }
    }
}
