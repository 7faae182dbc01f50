//! Divides two texts into numbered passages: shared passages have the same number on both sides.
//!
//! Words that match each other in both directions form passages, one of each text, if there are at least as many as in
//! a shingle: a few isolated words are not meaningful. An additional occurrence in one text has the number of the
//! first. Within a passage, differences in spelling are separated, as by [`passages`].

use lookalike_core::hash::Key;
use lookalike_core::text::shingle::{Places, Shingler};
use lookalike_page::Piece;

use crate::options::Scheme;
use crate::shared_text::{Placed, align, passages};

/// Both texts in pieces, with their numbers of tokens.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pieces {
    /// The left and the right text, complete and in order.
    pub pieces: [Vec<Piece>; 2],
    /// Number of tokens of each text.
    pub token_counts: [usize; 2],
}

/// Divides two texts into shared and unshared pieces, for showing them side by side.
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
    pieces(texts, &mut scheme.shingler(Key::random()))
}

/// Divides two texts into pieces.
pub(crate) fn pieces(texts: [&str; 2], shingler: &mut Shingler) -> Pieces {
    let places = texts.map(|text| shingler.places(text));
    let aligned = [align(&places[0], &places[1]), align(&places[1], &places[0])];
    // A text that is shorter than a shingle is a single one.
    let least = places.iter().map(|places| places.width.min(places.tokens.len())).min().unwrap_or(0);
    let numbers = number(&aligned, least);
    let of_side = |side: usize| {
        let [own, other] = [side, 1 - side].map(|side| Placed { text: texts[side], places: &places[side] });
        let spans = spans(&places[side], &aligned[side], &numbers[side]);
        cut(
            texts[side],
            &passages(own, other).iter().map(|passage| (passage.shared, passage.text.len())).collect::<Vec<_>>(),
            &spans,
        )
    };
    Pieces { pieces: [of_side(0), of_side(1)], token_counts: [places[0].tokens.len(), places[1].tokens.len()] }
}

/// The number of each token's passage, on both sides. A passage has at least `least` tokens.
fn number(aligned: &[Vec<Option<usize>>; 2], least: usize) -> [Vec<Option<u32>>; 2] {
    let mut numbers = [vec![None; aligned[0].len()], vec![None; aligned[1].len()]];
    let is_mutual = |left: usize, right: usize| aligned[1].get(right) == Some(&Some(left));
    let mutual = |left: usize| aligned[0][left].filter(|right| is_mutual(left, *right));
    let (mut count, mut start) = (0, 0);
    while start < aligned[0].len() {
        let Some(right) = mutual(start) else {
            start += 1;
            continue;
        };
        // A passage continues while both texts match.
        let goes_on = |length: &usize| mutual(start + length) == Some(right + length);
        let length = 1 + (1..aligned[0].len() - start).take_while(goes_on).count();
        if length >= least {
            count += 1;
            numbers[0][start..start + length].fill(Some(count));
            numbers[1][right..right + length].fill(Some(count));
        }
        start += length;
    }
    for side in 0..2 {
        for (at, other) in aligned[side].iter().enumerate() {
            if numbers[side][at].is_none() {
                numbers[side][at] = other.and_then(|other| numbers[1 - side][other]);
            }
        }
        for same in numbers[side].chunk_by_mut(|left, right| left == right) {
            if same.len() < least {
                same.fill(None);
            }
        }
    }
    numbers
}

/// A shared span of a text: its first and last word, and the number of its passage if it is one.
type Span = (usize, usize, Option<u32>);

/// The spans of words that the other text has.
fn spans(places: &Places, aligned: &[Option<usize>], numbers: &[Option<u32>]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut before = None;
    for (at, token) in places.tokens.iter().enumerate() {
        let number = (aligned[at].is_some() || numbers[at].is_some()).then_some(numbers[at]);
        if let Some(number) = number {
            match spans.last_mut() {
                Some(last) if before == Some(number) => last.1 = last.1.max(token.end),
                // Words that were normalized together have one position.
                last => {
                    let start = token.start.max(last.map_or(0, |last| last.1));
                    spans.push((start, token.end.max(start), number));
                }
            }
        }
        before = number;
    }
    spans
}

/// Divides a text at the ends of shared spans, by words and by spelling.
fn cut(text: &str, written: &[(bool, usize)], spans: &[Span]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut push = |passage: Option<u32>, is_only: bool, text: &str| match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if (last.passage, last.is_only) == (passage, is_only) => last.text.push_str(text),
        _ => pieces.push(Piece { passage, is_only, text: text.to_owned() }),
    };
    let (mut start, mut before, mut spans) = (0, None, spans.iter().peekable());
    for (shared, length) in written {
        let end = start + length;
        while start < end {
            while spans.next_if(|span| span.1 <= start).is_some() {}
            // Shared characters between words belong to the previous passage, or else to the next.
            let (to, passage) = match spans.peek() {
                Some((from, to, number)) if *from <= start => (end.min(*to), *number),
                Some((from, _, number)) => (end.min(*from), before.or(*number)),
                None => (end, before),
            };
            let passage = passage.filter(|_| *shared);
            push(passage, !*shared, &text[start..to]);
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
        let piece = |Piece { passage, is_only, text }: &Piece| match (passage, is_only) {
            (Some(number), _) => format!("{number}<{text}>"),
            (None, true) => format!("[{text}]"),
            (None, false) => format!("<{text}>"),
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
    fn runs_shorter_than_the_shingle_have_no_number() {
        // The shingles that begin at "c" and "d" are found elsewhere in the other text, and leave isolated words.
        let [left, right] = shown(["a b c d e f", "a b c x b c d y c d e z d e f"], "word:3");
        assert_eq!(left, "1<a b c ><d e f>");
        assert_eq!(right.matches(char::is_numeric).count(), 1, "{right}");
        assert!(right.starts_with("1<a b c >[x ]<"), "{right}");
        // A text shorter than the shingle is a single passage.
        let [short, same] = shown(["a b", "A b"], "word:5");
        assert_eq!((&*short, &*same), ("[a]1< b>", "[A]1< b>"));
    }

    #[test]
    fn what_is_written_differently_is_cut_out_of_its_passage() {
        let [left, right] = shown(["One two, three four", "one two three four"], "word:3");
        assert_eq!(left, "[One]1< two>[,]1< three four>");
        assert_eq!(right, "[one]1< two three four>");
    }

    proptest! {
        #[test]
        fn pieces_are_the_whole_text_and_neighbors_differ(
            left in "[abc .,é\n]{0,60}",
            right in "[abc .,é\n]{0,60}",
            shingle in prop::sample::select(&["word:1", "word:3", "char:2", "stopword"][..]),
        ) {
            let mut shingler = Shingler::new(&shingle.parse().unwrap(), Fold::NONE);
            let cut = pieces([&left, &right], &mut shingler).pieces;
            for (pieces, text) in cut.iter().zip([&left, &right]) {
                prop_assert_eq!(&pieces.iter().map(|piece| &*piece.text).collect::<String>(), text);
                let kind = |piece: &Piece| (piece.passage, piece.is_only);
                prop_assert!(pieces.windows(2).all(|pair| kind(&pair[0]) != kind(&pair[1])));
                prop_assert!(pieces.iter().all(|piece| !piece.is_only || piece.passage.is_none()));
            }
        }
    }
}
