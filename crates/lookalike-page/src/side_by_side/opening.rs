//! The place where two texts are opened if one of them is only partly in the other: a quotation is in the middle of its
//! book, where nobody would find it by scrolling.
//!
//! Both open at the longest passage that they share. Text before it is folded, and long runs that only one text has are
//! plain: they are the rest of a document, not a difference.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{AROUND, Piece, between_words};

/// The longest run that is shown whole and framed in a text that is mostly not in the other.
pub(super) const REST: usize = 300;

/// The place where two texts are opened, one of which is mostly not in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The longest passage that both have.
    pub passage: u32,
    /// True for the left and the right text if less than half of it is in the other.
    pub are_parts: [bool; 2],
}

impl Opening {
    /// The opening of two texts; none if each is mostly in the other, so that both are read from the beginning.
    pub fn of(sides: [&[Piece]; 2]) -> Option<Self> {
        let are_parts = sides.map(is_part);
        let passage = if are_parts.contains(&true) { longest(sides) } else { None };
        passage.map(|passage| Self { passage, are_parts })
    }
}

/// The pieces of both texts before the place where they are opened, and after it.
pub(super) struct Opened<'a> {
    pub(super) before: Vec<Piece>,
    pub(super) pieces: Cow<'a, [Piece]>,
    /// True if one of the two texts is mostly not in the other.
    pub(super) is_part: bool,
}

/// Opens both texts.
pub(super) fn open(sides: [Cow<'_, [Piece]>; 2]) -> [Opened<'_>; 2] {
    let Some(Opening { passage, are_parts }) = Opening::of([&sides[0], &sides[1]]) else {
        return sides.map(|pieces| Opened { before: Vec::new(), pieces, is_part: false });
    };
    let [left, right] = sides;
    [(left, are_parts[0]), (right, are_parts[1])].map(|(pieces, is_part)| {
        let mut pieces = pieces.into_owned();
        if is_part {
            pieces.iter_mut().filter(|piece| is_long(piece)).for_each(|piece| piece.is_only = false);
        }
        let before = split(&mut pieces, passage);
        Opened { before, pieces: Cow::Owned(pieces), is_part: true }
    })
}

/// True if some of a text, but less than half, is in the other.
fn is_part(pieces: &[Piece]) -> bool {
    let length = |pieces: &mut dyn Iterator<Item = &Piece>| pieces.map(|piece| piece.text.len()).sum::<usize>();
    let shared = length(&mut pieces.iter().filter(|piece| piece.passage.is_some()));
    shared > 0 && 2 * shared < length(&mut pieces.iter())
}

/// The number of the longest passage in both texts.
fn longest([left, right]: [&[Piece]; 2]) -> Option<u32> {
    let lengths = |pieces: &[Piece]| {
        let mut lengths: BTreeMap<u32, usize> = BTreeMap::new();
        for piece in pieces {
            if let Some(number) = piece.passage {
                *lengths.entry(number).or_default() += piece.text.len();
            }
        }
        lengths
    };
    let (left, right) = (lengths(left), lengths(right));
    let both = left.iter().filter_map(|(number, length)| Some((*length.min(right.get(number)?), *number)));
    // Of equals, the first.
    both.max_by_key(|(length, number)| (*length, std::cmp::Reverse(*number))).map(|(_, number)| number)
}

fn is_long(piece: &Piece) -> bool {
    piece.passage.is_none() && piece.text.chars().nth(REST).is_some()
}

/// Takes the pieces before the first piece of a passage, except a few words, if they are long.
fn split(pieces: &mut Vec<Piece>, passage: u32) -> Vec<Piece> {
    let Some(at) = pieces.iter().position(|piece| piece.passage == Some(passage)) else { return Vec::new() };
    let characters: usize = pieces[..at].iter().map(|piece| piece.text.chars().count()).sum();
    if characters <= REST {
        return Vec::new();
    }
    let rest = pieces.split_off(at);
    let mut before = std::mem::replace(pieces, rest);
    let last = before.last_mut().expect("there are characters before it");
    let count = last.text.chars().count();
    if count > AROUND {
        let cut = last.text.char_indices().nth(count - AROUND).map_or(0, |(at, _)| at);
        let (start, _) = between_words(&last.text, cut, last.text.len());
        // Text that leads to the passage is plain, however short it is now.
        let context = Piece { passage: last.passage, is_only: false, text: last.text.split_off(start) };
        pieces.insert(0, context);
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(passage: Option<u32>, text: &str) -> Piece {
        Piece { passage, is_only: passage.is_none(), text: text.to_owned() }
    }

    fn opened(left: &[Piece], right: &[Piece]) -> [(usize, String); 2] {
        open([Cow::Borrowed(left), Cow::Borrowed(right)]).map(|side| {
            let text = side.pieces.iter().map(|piece| &*piece.text).collect();
            (side.before.iter().map(|piece| piece.text.len()).sum(), text)
        })
    }

    #[test]
    fn a_quotation_opens_at_its_place_in_the_book() {
        let page = "words of the book ".repeat(200);
        let quotation = "to be or not to be that is the question ".repeat(5);
        let book = [
            piece(None, &page),
            piece(Some(1), "it was one of the "),
            piece(None, &page),
            piece(Some(2), &quotation),
            piece(None, &page),
        ];
        let query = [piece(Some(2), &quotation), piece(None, "so it was "), piece(Some(1), "it was one of the ")];
        let [(hidden, shown), (before, text)] = opened(&query, &book);
        assert_eq!((hidden, shown.starts_with(&quotation)), (0, true));
        assert!(before > 2 * page.len() - 2 * AROUND, "{before}");
        assert!(text.find(&quotation).is_some_and(|at| at <= AROUND), "{text}");
        // Folded and visible text together are the whole.
        assert_eq!(before + text.len(), book.iter().map(|piece| piece.text.len()).sum::<usize>());
    }

    #[test]
    fn two_versions_of_a_text_open_at_their_beginning() {
        let half = "the same words ".repeat(100);
        let sides = [piece(Some(1), &half), piece(None, "other"), piece(Some(2), &half.repeat(2))];
        let [(left, _), (right, _)] = opened(&sides, &sides);
        assert_eq!((left, right), (0, 0));
    }
}
