//! What one character is and becomes: a table that is filled a page of 256 at a time, when a page is first met.
//!
//! Most characters normalise by themselves, whatever stands around them. For text made only of such, a look into this
//! table a character is all there is to do. The others say [`Kind::Complex`], and their surroundings go the slow way.

use std::sync::OnceLock;

use icu_normalizer::properties::CanonicalCombiningClassMap;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script, WhiteSpace};
use icu_properties::{CodePointMapData, CodePointSetData};

use super::normalize::{composes_with_the_one_before, normalize};
use crate::hash::token_hash;

/// The part a character plays in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter, number or connector of a script that puts spaces between words.
    Letter,
    /// A letter or number of a script that does not: a token by itself.
    Alone,
    /// Belongs to the letter before it.
    Mark,
    /// White space.
    Space,
    /// Punctuation, symbols, emoji and the rest.
    Other,
    /// Not by itself: it vanishes, becomes several, or melts into its neighbour.
    Complex,
}

/// A character's entry in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Character {
    pub(super) kind: Kind,
    /// Marks of this kind change places with each other when two of them follow one letter in the wrong order.
    pub(super) reorders: bool,
    /// What it becomes; itself when complex.
    pub(super) folded: char,
    /// The token hash of what it becomes, for tokens of one character.
    pub(super) hash: u64,
}

const PAGE: usize = 256;
const PAGES: usize = 0x11_0000 / PAGE;

/// The table's entry for `c`.
#[inline]
pub(super) fn character(c: char) -> &'static Character {
    static TABLE: [OnceLock<Box<[Character]>>; PAGES] = [const { OnceLock::new() }; PAGES];
    let code = c as usize;
    let page = TABLE[code / PAGE].get_or_init(|| fill(code / PAGE * PAGE));
    &page[code % PAGE]
}

fn fill(start: usize) -> Box<[Character]> {
    // Surrogates are no characters; nobody asks for them, so any entry will do.
    (start..start + PAGE).map(|code| describe(char::from_u32(code as u32).unwrap_or('\0'))).collect()
}

fn describe(c: char) -> Character {
    let normal = normalize(c.encode_utf8(&mut [0; 4]));
    let mut becomes = normal.chars();
    let (kind, folded) = match (becomes.next(), becomes.next()) {
        _ if composes_with_the_one_before(c) => (Kind::Complex, c),
        (Some(folded), None) if !composes_with_the_one_before(folded) => (kind_of(folded), folded),
        _ => (Kind::Complex, c),
    };
    let reorders = [c, folded].iter().any(|c| CanonicalCombiningClassMap::new().get_u8(*c) != 0);
    // A letter that turns into a mark, or the other way round, is too odd to be simple.
    let odd = reorders && kind != Kind::Mark;
    Character {
        kind: if odd { Kind::Complex } else { kind },
        reorders,
        folded,
        hash: token_hash(folded.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// The part that `c`, already normalised, plays.
pub(super) fn kind_of(c: char) -> Kind {
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    if GeneralCategoryGroup::Mark.contains(category) {
        Kind::Mark
    } else if GeneralCategoryGroup::Letter.contains(category) || GeneralCategoryGroup::Number.contains(category) {
        match CodePointMapData::<Script>::new().get(c) {
            Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan => Kind::Alone,
            _ => Kind::Letter,
        }
    } else if category == GeneralCategory::ConnectorPunctuation {
        Kind::Letter
    } else if CodePointSetData::new::<WhiteSpace>().contains(c) {
        Kind::Space
    } else {
        Kind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_play_the_part_their_script_gives_them() {
        for (c, kind) in [
            ('a', Kind::Letter),
            ('Я', Kind::Letter),
            ('7', Kind::Letter),
            ('한', Kind::Letter),
            ('漢', Kind::Alone),
            ('か', Kind::Alone),
            ('ก', Kind::Alone),
            ('\u{e34}', Kind::Mark),
            ('，', Kind::Other),
            ('_', Kind::Letter),
            ('-', Kind::Other),
            ('😀', Kind::Other),
            ('\u{3000}', Kind::Space),
            ('\u{301}', Kind::Complex),
            ('ﬁ', Kind::Complex),
            ('\u{ad}', Kind::Complex),
        ] {
            assert_eq!(character(c).kind, kind, "{c:?}");
        }
        assert_eq!(character('Я').folded, 'я');
        assert_eq!(character('Ａ').folded, 'a');
    }
}
