//! Properties and normal form of one character: a table that is filled in pages of 256, each on first use.
//!
//! Most characters normalize on their own, whatever surrounds them. A text of only such characters needs one lookup in
//! this table per character. All others are [`Kind::Complex`], and the text around them takes the slow path.
//!
//! There are two tables. [`character`] has all properties of a character; [`class`] has a single byte per character
//! that says how to process it in its place, so that the table of a whole script fits into the first-level cache.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use icu_normalizer::properties::CanonicalCombiningClassMap;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script, WhiteSpace};
use icu_properties::{CodePointMapData, CodePointSetData};

use super::normalize::{composes_with_the_one_before, normalize};
use crate::hash::{Hasher, token_hash};

/// Role of a character in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter, number or connector of a script that puts spaces between words.
    Letter,
    /// A letter or number of a script that does not: a token of its own.
    Alone,
    /// Belongs to the letter before it.
    Mark,
    /// White space.
    Space,
    /// Punctuation, symbols, emoji and the rest.
    Other,
    /// Not independent: it vanishes, becomes several characters, or composes with its neighbor.
    Complex,
}

/// A character's entry in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Character {
    pub(super) kind: Kind,
    /// True for marks that change places with each other when two of them follow one letter in the wrong order.
    pub(super) reorders: bool,
    /// Character that it becomes; itself when complex.
    pub(super) folded: char,
    /// Token hash of the folded character under the fixed key, for tokens of one character.
    pub(super) hash: u64,
}

/// Processing of a character of a word in its place: a byte instead of an `enum`, so that it can be read from a table
/// as is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(u8);

impl Class {
    /// Nothing is known yet: the page has not been filled.
    const UNKNOWN: Self = Self(0);
    /// A letter that remains unchanged.
    pub(super) const LETTER: Self = Self(1);
    /// A letter that is a token of its own and remains unchanged.
    pub(super) const ALONE: Self = Self(2);
    /// A mark that remains unchanged and in its place.
    pub(super) const MARK: Self = Self(3);
    /// A mark that remains unchanged, but may have to change places with another one.
    pub(super) const ORDERED_MARK: Self = Self(4);
    /// Not in any word.
    pub(super) const OTHER: Self = Self(5);
    /// A letter that becomes another one with the same number of bytes.
    pub(super) const OTHER_LETTER: Self = Self(6);
    /// A letter that is a token of its own and becomes another one with the same number of bytes.
    pub(super) const OTHER_ALONE: Self = Self(7);
    /// Becomes longer or shorter.
    const MOVES: Self = Self(8);
    /// As [`Kind::Complex`].
    const COMPLEX: Self = Self(9);

    fn of(c: char, character: &Character) -> Self {
        let stays = character.folded == c;
        let fits = character.folded.len_utf8() == c.len_utf8();
        match character.kind {
            Kind::Complex => Self::COMPLEX,
            Kind::Space | Kind::Other => Self::OTHER,
            Kind::Letter if stays => Self::LETTER,
            Kind::Alone if stays => Self::ALONE,
            Kind::Mark if stays && character.reorders => Self::ORDERED_MARK,
            Kind::Mark if stays => Self::MARK,
            Kind::Letter if fits => Self::OTHER_LETTER,
            Kind::Alone if fits => Self::OTHER_ALONE,
            Kind::Letter | Kind::Alone | Kind::Mark => Self::MOVES,
        }
    }

    /// True if a word in progress ends before it.
    pub(super) fn ends_a_word(self) -> bool {
        matches!(self, Self::ALONE | Self::OTHER_ALONE | Self::OTHER)
    }
}

const CODES: usize = 0x11_0000;
const PAGE: usize = 256;
const PAGES: usize = CODES / PAGE;

impl Character {
    /// Hash of the folded character, as a token of one character.
    #[inline]
    pub(super) fn token_hash(&self, hasher: &mut Hasher) -> u64 {
        if hasher.is_fixed() { self.hash } else { hasher.hash_or_note(self.folded.encode_utf8(&mut [0; 4]).as_bytes()) }
    }
}

/// The classes of all characters on pages used before. Each byte is complete on its own, so that threads need not agree
/// on when it was written.
static CLASSES: [AtomicU8; CODES] = [const { AtomicU8::new(Class::UNKNOWN.0) }; CODES];

/// The class of the character with this code.
#[inline]
pub(super) fn class(code: u32) -> Class {
    let known = known_class(code);
    if known == Class::UNKNOWN { first_class(code) } else { known }
}

/// The class of the character with this code, or `UNKNOWN` if its page has not been filled.
#[inline]
pub(super) fn known_class(code: u32) -> Class {
    CLASSES.get(code as usize).map_or(Class::OTHER, |class| Class(class.load(Relaxed)))
}

/// Fills the page of `code`.
#[cold]
fn first_class(code: u32) -> Class {
    let start = code / PAGE as u32 * PAGE as u32;
    for c in (start..start + PAGE as u32).filter_map(char::from_u32) {
        CLASSES[c as usize].store(Class::of(c, character(c)).0, Relaxed);
    }
    char::from_u32(code).map_or(Class::OTHER, |c| Class::of(c, character(c)))
}

/// The table's entry for `c`.
#[inline]
pub(super) fn character(c: char) -> &'static Character {
    static TABLE: [OnceLock<Box<[Character]>>; PAGES] = [const { OnceLock::new() }; PAGES];
    let code = c as usize;
    let page = TABLE[code / PAGE].get_or_init(|| fill(code / PAGE * PAGE));
    &page[code % PAGE]
}

fn fill(start: usize) -> Box<[Character]> {
    // Surrogates are not characters and are never looked up, so any entry will do.
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
    // A letter that turns into a mark, or the reverse, is too unusual to be simple.
    let odd = reorders && kind != Kind::Mark;
    Character {
        kind: if odd { Kind::Complex } else { kind },
        reorders,
        folded,
        hash: token_hash(folded.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Returns the entry of a character in text that is already normalized, where it remains unchanged.
pub(super) fn normal_character(c: char) -> Character {
    let known = character(c);
    if known.kind != Kind::Complex && known.folded == c {
        return *known;
    }
    Character { kind: kind_of(c), reorders: false, folded: c, hash: token_hash(c.encode_utf8(&mut [0; 4]).as_bytes()) }
}

/// Role of `c`, which is already normalized.
fn kind_of(c: char) -> Kind {
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
