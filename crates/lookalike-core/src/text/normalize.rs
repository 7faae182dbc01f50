//! Unicode's `NFKC_Casefold` of a piece of text: makes "STRASSE" and "Straße", "ﬁ" and "fi" equal.
//!
//! This is the slow and complete implementation, based on ICU4X data. Most text never gets here: see `character.rs`.

use std::collections::HashSet;
use std::sync::OnceLock;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};
use icu_normalizer::{
    ComposingNormalizer, ComposingNormalizerBorrowed, DecomposingNormalizer, DecomposingNormalizerBorrowed,
};
use icu_properties::props::DefaultIgnorableCodePoint;
use icu_properties::{CodePointSetData, CodePointSetDataBorrowed};

const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfd();
const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();
const CASE: CaseMapperBorrowed<'static> = CaseMapper::new();
const IGNORABLE: CodePointSetDataBorrowed<'static> = CodePointSetData::new::<DefaultIgnorableCodePoint>();

/// `NFKC_Casefold` of `text`: folded, composed, and without characters that are not meant to be seen.
pub fn normalize(text: &str) -> String {
    // Folding can undo a composition and composing can make a capital, hence twice. (Unicode, 3.13, D146 and D147)
    let decomposed = NFD.normalize(text);
    let once = NFKC.normalize(&CASE.fold_string(&decomposed)).into_owned();
    let mut twice = NFKC.normalize(&CASE.fold_string(&once)).into_owned();
    if twice.chars().any(|c| IGNORABLE.contains(c)) {
        twice.retain(|c| !IGNORABLE.contains(c));
        twice = NFKC.normalize(&twice).into_owned();
    }
    twice
}

/// True if `c`, or the first character it decomposes into, can compose with the character before it, as an accent does
/// with its letter.
pub(super) fn composes_with_the_one_before(c: char) -> bool {
    static SECONDS: OnceLock<HashSet<char>> = OnceLock::new();
    let decomposition = CanonicalDecomposition::new();
    let seconds = SECONDS.get_or_init(|| {
        // All canonical compositions lie in the first two planes.
        ('\0'..='\u{1FFFF}')
            .filter_map(|c| match decomposition.decompose(c) {
                Decomposed::Expansion(_, second) => Some(second),
                Decomposed::Default | Decomposed::Singleton(_) => None,
            })
            .collect()
    });
    let next = |c: &char| match decomposition.decompose(*c) {
        Decomposed::Expansion(first, _) | Decomposed::Singleton(first) => Some(first),
        Decomposed::Default => None,
    };
    std::iter::successors(Some(c), next).any(|first| seconds.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_width_ligatures_and_accents_make_no_difference() {
        for (left, right) in [
            ("Straße", "STRASSE"),
            ("caf\u{e9}", "CAFE\u{301}"),
            ("ﬁne", "FINE"),
            ("Ｆｕｌｌ", "full"),
            ("soft\u{ad}ly", "softly"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("ｶﾞ", "ガ"),
        ] {
            assert_eq!(normalize(left), normalize(right), "{left} {right}");
        }
        assert_ne!(normalize("resume"), normalize("résumé"));
    }
}
