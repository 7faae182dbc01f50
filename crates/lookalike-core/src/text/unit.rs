//! Normalizes a run of text with non-ASCII characters.
//!
//! It is split before every character that does not interact with the text before it; most of these pieces are a single
//! character that normalizes on its own. `NFKC_Casefold` of a text equals that of its pieces only because such a
//! character neither composes with the one before it nor changes places with it.

use super::character::{Character, Kind, character, normal_character};
use super::normalize::normalize;

/// Calls `each` with every character of `text` when it is normalized, and with where it came from; `text` stands at
/// `offset`.
#[inline]
pub(super) fn for_each(text: &str, offset: usize, mut each: impl FnMut(&Character, usize, usize)) {
    let mut at = 0;
    while at < text.len() {
        at = piece(text, at, offset, &mut each);
    }
}

/// Does the same as [`for_each`] for the piece that starts at `at`, or a few of them; returns where it ends.
#[inline]
pub(super) fn piece(text: &str, at: usize, offset: usize, each: &mut impl FnMut(&Character, usize, usize)) -> usize {
    let mut characters = text[at..].chars();
    let Some(c) = characters.next() else { return text.len() };
    let first = character(c);
    let first_end = at + c.len_utf8();
    let (mut last, mut end) = (first, first_end);
    let mut is_simple = first.kind != Kind::Complex;
    // The next piece has begun, in case that it must be normalized as well: a call costs more than a few characters.
    let mut has_begun = false;
    let mut read = first_end;
    for c in characters {
        let next = character(c);
        let begins = next.kind != Kind::Complex && !next.reorders;
        if begins && (is_simple || has_begun) {
            break;
        }
        // Two marks that follow one letter may have to change places.
        is_simple &= next.kind != Kind::Complex && !last.reorders;
        has_begun = begins;
        last = next;
        read += c.len_utf8();
        if !begins {
            end = read;
        }
    }
    if is_simple {
        each(first, offset + at, offset + first_end);
        if end > first_end {
            each(last, offset + first_end, offset + end);
        }
    } else {
        for c in normalize(&text[at..end]).chars() {
            each(&normal_character(c), offset + at, offset + end);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use icu_normalizer::DecomposingNormalizer;
    use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};

    use super::*;

    /// Characters that a character could compose or change places with: letters, marks, halves of syllables, ignorable
    /// ones.
    const BEFORE: [&str; 8] =
        ["a", "e\u{301}", "\u{915}", "か", "\u{1100}\u{1161}", "\u{345}", "\u{ad}", "i\u{323}\u{307}"];

    #[test]
    fn what_starts_a_piece_leaves_what_stands_before_it_alone() {
        let before = BEFORE.map(|text| (text, normalize(text)));
        // All of Unicode that composes or decomposes lies in the first two planes and among the last ideographs.
        for c in ('\0'..='\u{1FFFF}').chain('\u{2F800}'..='\u{2FA1F}') {
            if character(c).kind == Kind::Complex || character(c).reorders {
                continue;
            }
            let alone = character(c).folded;
            for (text, normal) in &before {
                assert_eq!(normalize(&format!("{text}{c}")), format!("{normal}{alone}"), "{text:?} {c:?}");
            }
        }
    }

    // U+113C5 is such a one: it stays as it is by itself, but is U+113C2 twice, and U+113C2 melts into another before
    // it.
    #[test]
    fn what_starts_a_piece_does_not_begin_with_something_that_melts() {
        let decomposition = CanonicalDecomposition::new();
        let seconds: HashSet<char> = ('\0'..='\u{1FFFF}')
            .filter_map(|c| match decomposition.decompose(c) {
                Decomposed::Expansion(_, second) => Some(second),
                Decomposed::Default | Decomposed::Singleton(_) => None,
            })
            .collect();
        let [nfd, nfkd] = [DecomposingNormalizer::new_nfd(), DecomposingNormalizer::new_nfkd()];
        for c in ('\0'..=char::MAX).filter(|c| character(*c).kind != Kind::Complex && !character(*c).reorders) {
            for text in [c, character(c).folded].map(String::from) {
                for form in [nfd.normalize(&text), nfkd.normalize(&text)] {
                    assert!(form.chars().next().is_none_or(|first| !seconds.contains(&first)), "{c:?}");
                }
            }
        }
        let mut folded = String::new();
        for_each("\u{113c2}\u{113c5}", 0, |character, _, _| folded.push(character.folded));
        assert_eq!(folded, "\u{113c5}\u{113c2}");
    }

    // Words end before a lone letter and before what is in no word, though a mark that follows may still melt into it.
    #[test]
    fn what_melts_into_a_character_does_not_change_the_part_it_plays() {
        for whole in '\0'..='\u{1FFFF}' {
            if let Decomposed::Expansion(first, second) = CanonicalDecomposition::new().decompose(whole)
                && character(first).kind != Kind::Complex
                && let Some(melted) = normalize(&format!("{first}{second}")).chars().next()
            {
                assert_eq!(normal_character(melted).kind, character(first).kind, "{whole:?}");
            }
        }
    }

    #[test]
    fn places_are_those_of_the_piece() {
        let mut places = Vec::new();
        for_each("яe\u{301}ё", 10, |character, start, end| places.push((character.folded, start, end)));
        assert_eq!(places, [('я', 10, 12), ('é', 12, 15), ('ё', 15, 17)]);
    }
}
