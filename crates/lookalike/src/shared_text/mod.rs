//! Divides a text into passages that the other text has too, and passages that it lacks.
//!
//! Words are aligned by the shingles that both texts share. Aligned words are equal only after normalization, so their
//! spelling, and the characters between them, are compared as well, as for exact copies.

pub(crate) mod pieces;

use lookalike_core::text::content::ContentHasher;
use lookalike_core::text::shingle::Places;
use lookalike_core::text::tokenize::Token;
use serde::Serialize;

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Passage {
    /// True if the other document has it too.
    pub shared: bool,
    /// The text itself.
    pub text: String,
}

impl Passage {
    /// Creates a passage of a text; `shared` is true if the other document has it too.
    pub fn new(shared: bool, text: impl Into<String>) -> Self {
        Self { shared, text: text.into() }
    }
}

/// A text with the positions of its words and shingles.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) text: &'a str,
    pub(crate) places: &'a Places,
}

/// The whole text in order, divided where shared parts begin and end.
pub(crate) fn passages(own: Placed<'_>, other: Placed<'_>) -> Vec<Passage> {
    let aligned = align(own.places, other.places);
    let (count, other_count) = (aligned.len(), other.places.tokens.len());
    let mut cutter = Cutter::default();
    for at in 0..=count {
        let before = at.checked_sub(1).map(|before| aligned[before]);
        // The characters before a word are compared with those before the same word, if the preceding words also match.
        match (before, aligned.get(at)) {
            (None, None) => cutter.compare(own.gap(0), if other_count == 0 { other.gap(0) } else { "" }, Stands::AtEnd),
            (None, Some(Some(0))) => cutter.compare(own.gap(0), other.gap(0), Stands::Before),
            (None, Some(first)) => cutter.push(own.gap(0), first.is_some()),
            (Some(Some(last)), None) if last + 1 == other_count => {
                cutter.compare(own.gap(at), other.gap(other_count), Stands::AtEnd);
            }
            (Some(Some(before)), Some(Some(next))) if before + 1 == *next => {
                cutter.compare(own.gap(at), other.gap(*next), Stands::Before);
            }
            (Some(before), _) => cutter.push(own.gap(at), before.is_some()),
        }
        if at < count {
            let is_same = |other_at: usize| is_same(own.word(at), other.word(other_at), Stands::Before);
            cutter.push(own.rest_of_word(at), aligned[at].is_some_and(is_same));
        }
    }
    cutter.passages
}

/// For each word, the matching word of the other text, if a shingle that covers it is in both.
pub(super) fn align(own: &Places, other: &Places) -> Vec<Option<usize>> {
    let hashes = |places: &Places| places.tokens.iter().map(|token| token.hash).collect::<Vec<u64>>();
    if hashes(own) == hashes(other) {
        return (0..own.tokens.len()).map(Some).collect();
    }
    let mut by_feature: Vec<(u64, usize)> = other.features.iter().copied().zip(0..).collect();
    by_feature.sort_unstable();
    let from = |feature: u64, position: usize| {
        let at = by_feature.partition_point(|found| *found < (feature, position));
        by_feature.get(at).filter(|found| found.0 == feature).map(|found| found.1)
    };
    let mut aligned = vec![None; own.tokens.len()];
    let mut next = 0;
    for (first, feature) in own.firsts.iter().zip(&own.features) {
        // A shingle that occurs several times is most likely the one that follows the last match.
        let Some(position) = from(*feature, next).or_else(|| from(*feature, 0)) else { continue };
        next = position + 1;
        let words = aligned[*first..].iter_mut().take(own.width);
        for (word, other_word) in words.zip(other.firsts[position]..other.tokens.len()) {
            word.get_or_insert(other_word);
        }
    }
    aligned
}

impl<'a> Placed<'a> {
    fn tokens(self) -> &'a [Token] {
        &self.places.tokens
    }

    /// The spelling of a word. Words that had to be normalized together have one position.
    fn word(self, at: usize) -> &'a str {
        let Token { start, end, .. } = self.tokens()[at];
        &self.text[start..end]
    }

    /// The spelling of a word, without the part shared with the previous one.
    fn rest_of_word(self, at: usize) -> &'a str {
        let Token { start, end, .. } = self.tokens()[at];
        let start = start.max(self.end_before(at));
        &self.text[start..end.max(start)]
    }

    /// The characters before a word, or after the last.
    fn gap(self, at: usize) -> &'a str {
        let start = self.end_before(at);
        let end = self.tokens().get(at).map_or(self.text.len(), |token| token.start);
        &self.text[start..end.max(start)]
    }

    fn end_before(self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.tokens()[before].end)
    }
}

/// Position of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// Possibly followed by something on its line.
    Before,
    /// At the end of the text, where white space is ignored.
    AtEnd,
}

/// True if two pieces of text are equal like exact copies.
fn is_same(left: &str, right: &str, stands: Stands) -> bool {
    // Something that follows white space.
    let after = if stands == Stands::AtEnd { "" } else { "." };
    let [mut one, mut another] = [(); 2].map(|()| ContentHasher::default());
    left == right || one.content(&format!("{left}{after}")) == another.content(&format!("{right}{after}"))
}

/// Collects passages.
#[derive(Default)]
struct Cutter {
    passages: Vec<Passage>,
}

impl Cutter {
    fn push(&mut self, text: &str, shared: bool) {
        match self.passages.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.shared == shared => last.text.push_str(text),
            _ => self.passages.push(Passage::new(shared, text)),
        }
    }

    /// Adds the characters between words, of which only the middle is not shared if they differ. Divided only between
    /// ASCII characters: others may be parts of one visible character, as in flags.
    fn compare(&mut self, own: &str, other: &str, stands: Stands) {
        if is_same(own, other, stands) {
            return self.push(own, true);
        }
        let is_equal = |(left, right): &(&u8, &u8)| left == right && left.is_ascii();
        let start = own.as_bytes().iter().zip(other.as_bytes()).take_while(is_equal).count();
        let (own_rest, other_rest) = (&own[start..], &other[start..]);
        let ends = own_rest.as_bytes().iter().rev().zip(other_rest.as_bytes().iter().rev());
        let end = own.len() - ends.take_while(is_equal).count();
        self.push(&own[..start], true);
        self.push(&own[start..end], false);
        self.push(&own[end..], true);
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::text::fold::Fold;
    use lookalike_core::text::shingle::{Shingle, Shingler};
    use proptest::prelude::*;

    use super::*;

    /// The text with unshared parts in brackets.
    fn marked(own: &str, other: &str, shingle: &str, fold: &str) -> String {
        let fold = if fold.is_empty() { Fold::NONE } else { fold.parse().unwrap() };
        let mut shingler = Shingler::new(&shingle.parse::<Shingle>().unwrap(), fold);
        let [places, other_places] = [own, other].map(|text| shingler.places(text));
        let own = Placed { text: own, places: &places };
        let mark = |Passage { shared, text }| if shared { text } else { format!("[{text}]") };
        passages(own, Placed { text: other, places: &other_places }).into_iter().map(mark).collect()
    }

    #[test]
    fn of_the_same_words_what_is_between_them_is_marked() {
        let solve = ["Solve x^2 - 5x + 6 > 0", "Solve x^2 + 5x - 6 < 0"];
        assert_eq!(marked(solve[0], solve[1], "word:5", ""), "Solve x^2 [-] 5x [+] 6 [>] 0");
        assert_eq!(marked(solve[1], solve[0], "word:5", ""), "Solve x^2 [+] 5x [-] 6 [<] 0");
        for (own, other, expected) in [
            ("if (a < b) return;", "if (a >= b) return;", "if (a [<] b) return;"),
            ("if a:\n    go()", "if a:\n  go()", "if a:\n  [  ]go()"),
            ("  first", "first", "[  ]first"),
            ("good 😀", "good 😢", "good [😀]"),
            ("from 🇩🇪 to", "from 🇩🇰 to", "from [🇩🇪] to"),
            ("the end!", "the end.", "the end[!]"),
            ("Hello World", "hello World", "[Hello] World"),
            // Exact copies: different line ends and encodings of accents.
            ("Caf\u{e9} \r\n noir \r\n", "Cafe\u{301}\n noir", "Caf\u{e9} \r\n noir \r\n"),
        ] {
            assert_eq!(marked(own, other, "word:5", ""), expected);
        }
    }

    #[test]
    fn words_that_are_the_same_by_folding_are_marked() {
        let (own, other) = ("Pay within 30 days.", "Pay within 90 days.");
        assert_eq!(marked(own, other, "word:5", "digits"), "Pay within [30] days.");
        assert_eq!(marked("un café", "un cafe", "word:5", "accents"), "un [café]");
    }

    #[test]
    fn of_other_words_too_what_is_between_those_in_both_is_marked() {
        let (own, other) = ("One two, three four five six seven", "zero One two; three four five six eight");
        assert_eq!(marked(own, other, "word:3", ""), "One two[,] three four five six [seven]");
        assert_eq!(marked(other, own, "word:3", ""), "[zero ]One two[;] three four five six [eight]");
        // A repeated shingle is the one that follows the last match.
        let twice = ["a b c. a b c! x", "a b c. a b c? y"];
        assert_eq!(marked(twice[0], twice[1], "word:3", ""), "a b c. a b c! [x]");
        assert_eq!(marked("a b c, a b c! d", "a b c, a b c? d e", "word:3", ""), "a b c, a b c[!] d");
    }

    #[test]
    fn texts_without_words_are_passages_too() {
        assert_eq!(marked("!!!", "!!!", "word:5", ""), "!!!");
        assert_eq!(marked("!!!", "!?", "word:5", ""), "![!!]");
        assert_eq!(marked("!!!", "word", "word:5", ""), "[!!!]");
        assert_eq!(marked("", "", "word:5", ""), "");
    }

    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(
            &["a", "b", "B", "é", "e\u{301}", "ﬁ", "字", "か\u{3099}", " ", "  ", "\n", "\r\n", "!", "😀", "7", "٣"][..],
        );
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn passages_are_the_whole_text_and_what_differs_is_in_one_of_them(left in any_text(), right in any_text(), shingle in prop::sample::select(&["word:1", "word:3", "char:2", "stopword"][..])) {
            let mut shingler = Shingler::new(&shingle.parse().unwrap(), Fold::NONE);
            let places = [&left, &right].map(|text| shingler.places(text));
            let [own, other] = [(&left, &places[0]), (&right, &places[1])].map(|(text, places)| Placed { text, places });
            let cut = [passages(own, other), passages(other, own)];
            for (passages, text) in cut.iter().zip([&left, &right]) {
                prop_assert_eq!(&passages.iter().map(|passage| &*passage.text).collect::<String>(), text);
                prop_assert!(passages.windows(2).all(|pair| pair[0].shared != pair[1].shared));
            }
            let has_marks = cut.iter().flatten().any(|passage| !passage.shared);
            let is_copy = lookalike_judge::is_exact_copy(&left, &right);
            // Exact copies are shared as a whole; in texts with only the same words, something is marked.
            let is_same_words = places[0].tokens.iter().map(|token| token.hash).eq(places[1].tokens.iter().map(|token| token.hash));
            prop_assert!(!is_same_words || is_copy || has_marks);
            prop_assert!(!is_copy || !has_marks);
        }
    }
}
