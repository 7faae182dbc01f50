//! Two texts cut into numbered passages: what both have gets the same number on both sides.
//!
//! Words that mean each other in both directions make passages, one of each text. What a text has once more than the other has the
//! number of the first. Within a passage, what is written differently is cut out, as [`passages`] says it.

use lookalike_core::hash::Key;
use lookalike_core::text::shingle::{Places, Shingler};
use lookalike_page::Piece;

use crate::compare::passages::{Placed, align, passages};
use crate::options::Scheme;

/// Both texts in pieces, and how many tokens each has.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// The left text and the right one, whole and in order.
    pub pieces: [Vec<Piece>; 2],
    /// How many tokens each has.
    pub token_counts: [usize; 2],
}

/// Cuts two texts into what both have and what only one has, to be shown side by side.
///
/// ```
/// use lookalike::{Scheme, pieces_of};
///
/// let scheme = Scheme::jaccard(0.8)?;
/// let cut = pieces_of(["one two three four five, and more", "So: one two three four five"], &scheme);
/// assert_eq!((cut.pieces[0][0].passage, &*cut.pieces[0][0].text), (Some(1), "one two three four five, "));
/// assert_eq!((cut.pieces[1][1].passage, &*cut.pieces[1][1].text), (Some(1), "one two three four five"));
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn pieces_of(texts: [&str; 2], scheme: &Scheme) -> Pieces {
    pieces(texts, &mut Shingler::keyed(&scheme.shingle, scheme.fold, Key::random()))
}

/// Cuts two texts.
pub(crate) fn pieces(texts: [&str; 2], shingler: &mut Shingler) -> Pieces {
    let places = texts.map(|text| shingler.places(text));
    let aligned = [align(&places[0], &places[1]), align(&places[1], &places[0])];
    let numbers = number(&aligned);
    let of_side = |side: usize| {
        let [own, other] = [side, 1 - side].map(|side| Placed { text: texts[side], places: &places[side] });
        let spans = spans(&places[side], &numbers[side]);
        cut(
            texts[side],
            &passages(own, other).iter().map(|passage| (passage.is_shared, passage.text.len())).collect::<Vec<_>>(),
            &spans,
        )
    };
    Pieces { pieces: [of_side(0), of_side(1)], token_counts: [places[0].tokens.len(), places[1].tokens.len()] }
}

/// The number of each token's passage, on both sides.
fn number(aligned: &[Vec<Option<usize>>; 2]) -> [Vec<Option<u32>>; 2] {
    let mut numbers = [vec![None; aligned[0].len()], vec![None; aligned[1].len()]];
    let is_mutual = |left: usize, right: usize| aligned[1].get(right) == Some(&Some(left));
    let (mut count, mut before) = (0, None);
    for (left, right) in aligned[0].iter().enumerate() {
        let right = right.filter(|right| is_mutual(left, *right));
        if let Some(right) = right {
            // A passage goes on where both texts go on.
            count += u32::from(before.is_none_or(|before: usize| before + 1 != right));
            numbers[0][left] = Some(count);
            numbers[1][right] = Some(count);
        }
        before = right;
    }
    for side in 0..2 {
        for (at, other) in aligned[side].iter().enumerate() {
            if numbers[side][at].is_none() {
                numbers[side][at] = other.and_then(|other| numbers[1 - side][other]);
            }
        }
    }
    numbers
}

/// Where passages start and end in a text, with their numbers: from the first token of each run to its last.
fn spans(places: &Places, numbers: &[Option<u32>]) -> Vec<(usize, usize, u32)> {
    let mut spans: Vec<(usize, usize, u32)> = Vec::new();
    let mut before = None;
    for (token, number) in places.tokens.iter().zip(numbers) {
        if let Some(number) = *number {
            match spans.last_mut() {
                Some(last) if before == Some(number) => last.1 = last.1.max(token.end),
                // Words that were normalised together have one place.
                last => {
                    let start = token.start.max(last.map_or(0, |last| last.1));
                    spans.push((start, token.end.max(start), number));
                }
            }
        }
        before = *number;
    }
    spans
}

/// Cuts a text where sharing begins and ends, by its words and by what is written.
fn cut(text: &str, written: &[(bool, usize)], spans: &[(usize, usize, u32)]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut push = |passage: Option<u32>, text: &str| match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.passage == passage => last.text.push_str(text),
        _ => pieces.push(Piece { passage, text: text.to_owned() }),
    };
    let (mut start, mut before, mut spans) = (0, None, spans.iter().peekable());
    for (is_shared, length) in written {
        let end = start + length;
        while start < end {
            while spans.next_if(|span| span.1 <= start).is_some() {}
            // What stands between words and is shared belongs to the passage before it, or else to the next.
            let (to, passage) = match spans.peek() {
                Some((from, to, number)) if *from <= start => (end.min(*to), Some(*number)),
                Some((from, _, number)) => (end.min(*from), before.or(Some(*number))),
                None => (end, before),
            };
            let passage = passage.filter(|_| *is_shared);
            push(passage, &text[start..to]);
            before = passage;
            start = to;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use lookalike_core::text::fold::Fold;
    use lookalike_core::text::shingle::Shingle;
    use proptest::prelude::*;

    use super::*;

    fn shown(texts: [&str; 2], shingle: &str) -> [String; 2] {
        let mut shingler = Shingler::new(&shingle.parse::<Shingle>().unwrap(), Fold::NONE);
        let piece = |piece: &Piece| {
            piece.passage.map_or(format!("[{}]", piece.text), |number| format!("{number}<{}>", piece.text))
        };
        pieces(texts, &mut shingler).pieces.map(|pieces| pieces.iter().map(piece).collect())
    }

    #[test]
    fn what_both_have_has_the_same_number() {
        let [left, right] = shown(["a b c x d e f", "d e f y a b c"], "word:3");
        assert_eq!(left, "1<a b c >[x ]2<d e f>");
        assert_eq!(right, "2<d e f >[y ]1<a b c>");
    }

    #[test]
    fn what_comes_again_has_the_number_of_the_first() {
        let [left, right] = shown(["a b c x a b c", "a b c"], "word:3");
        assert_eq!(left, "1<a b c >[x ]1<a b c>");
        assert_eq!(right, "1<a b c>");
    }

    #[test]
    fn what_is_written_differently_is_cut_out_of_its_passage() {
        let [left, right] = shown(["One two, three four", "one two three four"], "word:3");
        assert_eq!(left, "[One]1< two>[,]1< three four>");
        assert_eq!(right, "[one]1< two three four>");
    }

    proptest! {
        #[test]
        fn pieces_are_the_whole_text_and_neighbours_differ(
            left in "[abc .,é\n]{0,60}",
            right in "[abc .,é\n]{0,60}",
            shingle in prop::sample::select(&["word:1", "word:3", "char:2", "stopword"][..]),
        ) {
            let mut shingler = Shingler::new(&shingle.parse().unwrap(), Fold::NONE);
            let cut = pieces([&left, &right], &mut shingler).pieces;
            for (pieces, text) in cut.iter().zip([&left, &right]) {
                prop_assert_eq!(&pieces.iter().map(|piece| &*piece.text).collect::<String>(), text);
                prop_assert!(pieces.windows(2).all(|pair| pair[0].passage != pair[1].passage));
            }
        }
    }
}
