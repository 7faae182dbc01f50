//! Differences to ignore when texts are compared: accents, and the values of numbers. Folds normalized characters.
//! (Names of identifiers are ignored by the tokenizer for source code, and links before anything else.)
//!
//! **Accents** are often left out by people who type in a hurry. Nonspacing marks after a letter of the Latin, Greek,
//! Cyrillic, Hebrew or Arabic script are removed, and so are marks that are part of a letter: all of them in Latin,
//! Greek and Hebrew. In Cyrillic only those of ё, ѐ and ѝ: й, ї and ў are letters of their own, which people do not
//! leave out. In Arabic only hamza and madda on alef. Latin letters up to U+017F that are not a letter with a mark
//! become ASCII, as in CLDR's `Latin-ASCII`. **Digits**: each run of decimal digits becomes a single `0`.
//!
//! A mark is removed or kept depending on the letter before it, with only such marks between them. Marks of other
//! scripts are vowels (Devanagari, Thai) or make a different letter (Kana), and are kept.

use std::fmt;
use std::str::FromStr;

use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};

use crate::error::{Error, Result};

/// The differences to ignore when texts are compared; none by default.
///
/// ```
/// use lookalike_core::text::fold::Fold;
///
/// let fold: Fold = "accents,digits".parse()?;
/// assert!(fold.accents && fold.digits);
/// # Ok::<(), lookalike_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a difference to ignore by itself")]
pub struct Fold {
    /// Ignore accents.
    pub accents: bool,
    /// Ignore the values of numbers.
    pub digits: bool,
    /// Ignore the names of identifiers in source code.
    pub identifiers: bool,
    /// Ignore addresses, mentions and hashtags.
    pub links: bool,
}

impl Fold {
    /// Ignore nothing.
    pub const NONE: Self = Self { accents: false, digits: false, identifiers: false, links: false };
}

impl FromStr for Fold {
    type Err = Error;

    fn from_str(value: &str) -> Result<Self> {
        let mut fold = Self::NONE;
        for part in value.split(',') {
            let chosen = match part.trim() {
                "accents" => &mut fold.accents,
                "digits" => &mut fold.digits,
                "identifiers" => &mut fold.identifiers,
                "links" => &mut fold.links,
                _ => return Err(Error::NotAFold { value: value.to_owned() }),
            };
            if std::mem::replace(chosen, true) {
                return Err(Error::NotAFold { value: value.to_owned() });
            }
        }
        Ok(fold)
    }
}

/// Formats a fold as it is parsed; `none` if nothing is ignored.
impl fmt::Display for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            ("accents", self.accents),
            ("digits", self.digits),
            ("identifiers", self.identifiers),
            ("links", self.links),
        ];
        let chosen: Vec<&str> = all.into_iter().filter_map(|(name, is_chosen)| is_chosen.then_some(name)).collect();
        if chosen.is_empty() { f.write_str("none") } else { f.write_str(&chosen.join(",")) }
    }
}

/// Folds the characters of a normalized text, one after the other.
#[derive(Default)]
pub(crate) struct Folder {
    fold: Fold,
    /// True if there are only nonspacing marks between here and a letter whose marks are removed.
    is_after_letter: bool,
    is_after_digit: bool,
}

impl Folder {
    pub(crate) fn new(fold: Fold) -> Self {
        Self { fold, ..Self::default() }
    }

    /// Folds `c` to no character, one or two.
    #[inline]
    pub(crate) fn fold(&mut self, c: char) -> [Option<char>; 2] {
        if self.fold.digits && is_digit(c) {
            self.is_after_letter = false;
            let is_first = !std::mem::replace(&mut self.is_after_digit, true);
            return [is_first.then_some('0'), None];
        }
        self.is_after_digit = false;
        if !self.fold.accents {
            return [Some(c), None];
        }
        if c.is_ascii() {
            self.is_after_letter = c.is_ascii_alphabetic();
            return [Some(c), None];
        }
        match category(c) {
            GeneralCategory::NonspacingMark if self.is_after_letter => [None, None],
            // Letters end here; otherwise two marks around a removed one could compose: folded text must stay
            // normalized.
            other => {
                let folded = GeneralCategoryGroup::Letter.contains(other).then(|| without_accent(c)).flatten();
                self.is_after_letter = folded.is_some();
                folded.unwrap_or([Some(c), None])
            }
        }
    }
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { category(c) == GeneralCategory::DecimalNumber }
}

/// Returns a letter without the accents that are part of it; `None` if accents are not removed in its script.
fn without_accent(c: char) -> Option<[Option<char>; 2]> {
    let mut letter = c;
    // The first half of a decomposition may decompose further; the second is always a mark here.
    while let Decomposed::Expansion(first, _) = CanonicalDecomposition::new().decompose(letter) {
        letter = first;
    }
    match CodePointMapData::<Script>::new().get(letter) {
        Script::Latin => Some(latin(letter)),
        Script::Greek | Script::Hebrew => Some([Some(letter), None]),
        Script::Cyrillic if matches!(c, 'ё' | 'ѐ' | 'ѝ') => Some([Some(letter), None]),
        Script::Arabic if letter == ALEF => Some([Some(letter), None]),
        Script::Cyrillic | Script::Arabic => Some([Some(c), None]),
        _ => None,
    }
}

const ALEF: char = '\u{627}';

/// Lowercase letters up to U+017F that are not a letter with a mark, as in CLDR's `Latin-ASCII`. (ß, ŉ, ŀ and ſ are
/// normalized before.)
fn latin(c: char) -> [Option<char>; 2] {
    let (first, second) = match c {
        'æ' => ('a', Some('e')),
        'ð' | 'đ' => ('d', None),
        'ø' => ('o', None),
        'þ' => ('t', Some('h')),
        'ħ' => ('h', None),
        'ı' => ('i', None),
        'ĸ' => ('q', None),
        'ł' => ('l', None),
        'ŋ' => ('n', None),
        'œ' => ('o', Some('e')),
        'ŧ' => ('t', None),
        other => (other, None),
    };
    [Some(first), second]
}

#[cfg(test)]
mod tests {
    use super::super::normalize::normalize;
    use super::*;

    fn folded(text: &str, fold: &str) -> String {
        let mut folder = Folder::new(fold.parse().unwrap());
        normalize(text).chars().flat_map(|c| folder.fold(c)).flatten().collect()
    }

    #[test]
    fn a_fold_is_written_as_it_is_read() {
        for written in ["accents", "digits", "accents,digits"] {
            assert_eq!(written.parse::<Fold>().unwrap().to_string(), written);
        }
        assert_eq!("digits, accents".parse::<Fold>().unwrap().to_string(), "accents,digits");
        for wrong in ["", "none", "accent", "accents,", "digits,digits", "accents digits"] {
            assert!(wrong.parse::<Fold>().is_err(), "{wrong}");
        }
        assert_eq!(Fold::NONE.to_string(), "none");
    }

    #[test]
    fn accents_that_people_leave_out_go() {
        for (text, expected) in [
            ("Crème Brûlée, ÅNGSTRÖM", "creme brulee, angstrom"),
            ("Tiếng Việt Đường", "tieng viet duong"),
            ("Łódź Ærø þing œuvre Straße İı", "lodz aero thing oeuvre strasse ii"),
            ("ǿ ǽ e\u{301}\u{323}", "o ae e"),
            ("Ελληνικά ΐ ᾧ", "ελληνικα ι ωι"),
            ("Ёлка за\u{301}мок ѝ", "елка замок и"),
            ("שָׁלוֹם", "שלום"),
            ("مُحَمَّدٌ أإآ", "محمد ااا"),
        ] {
            assert_eq!(folded(text, "accents"), expected, "{text}");
        }
    }

    #[test]
    fn marks_that_make_another_letter_stay() {
        for text in [
            "йод",
            "їжак",
            "ўсё",
            "ґ ѓ ќ",
            "हिन्दी",
            "ที่นี่",
            "がぱ",
            "한국어",
            "ؤئ",
            "क\u{301}",
            "1\u{301}",
            "n\u{dd9}\u{301}\u{dcf}",
        ] {
            let expected = normalize(text).replace('ё', "е");
            assert_eq!(folded(text, "accents"), expected, "{text}");
        }
    }

    #[test]
    fn a_run_of_digits_is_one_zero() {
        for (text, expected) in [
            ("v1.23 12 March 2024", "v0.0 0 march 0"),
            ("٣٤ ๑๒ １２ ³", "0 0 0 0"),
            ("1a2 1_2 1\u{301}2", "0a0 0_0 0\u{301}0"),
            ("一二三 Ⅷ", "一二三 viii"),
        ] {
            assert_eq!(folded(text, "digits"), expected, "{text}");
        }
        assert_eq!(folded("É12", "digits"), "é0");
        assert_eq!(folded("É12", "accents,digits"), "e0");
    }

    #[test]
    fn what_is_taken_from_a_letter_is_always_a_nonspacing_mark() {
        for c in ('\0'..='\u{1FFFF}').filter(|c| normalize(&c.to_string()) == c.to_string()) {
            if without_accent(c).is_some_and(|folded| folded != [Some(c), None])
                && let Decomposed::Expansion(_, mark) = CanonicalDecomposition::new().decompose(c)
            {
                assert_eq!(category(mark), GeneralCategory::NonspacingMark, "{c:?}");
            }
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for c in '\0'..='\u{1FFFF}' {
            let once = folded(&format!("{c}\u{301}{c}"), "accents,digits");
            assert_eq!(folded(&once, "accents,digits"), once, "{c:?}");
        }
    }
}
