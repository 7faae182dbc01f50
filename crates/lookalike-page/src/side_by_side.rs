//! Two texts side by side: shared passages are numbered, colored and underlined, with the same number on both sides;
//! long runs are folded.

mod blocks;
mod opening;
mod strip;

use std::borrow::Cow;

pub use self::opening::Opening;
use self::opening::{Opened, REST};
use crate::html::Html;
use crate::{html, number};

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The number of its passage, if the other text has it too. Passages are numbered from 1.
    pub passage: Option<u32>,
    /// True if only this text has it. Text that both have, but that is too short for a passage, is plain.
    pub is_only: bool,
    /// The text itself.
    pub text: String,
}

/// One of two texts.
#[derive(Clone, Debug, Default)]
pub struct SideText {
    /// Its role: removed, kept.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Its location.
    pub place: String,
    /// The text in order.
    pub pieces: Vec<Piece>,
    /// Number of characters that follow but were not compared, because the text is too long.
    pub more: u64,
}

/// Amount of text to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excerpt {
    /// Differences with a little context.
    Short,
    /// Everything; long runs can be unfolded.
    Full,
    /// Everything; shared text is folded if it is more than a few lines, so that the differences are visible.
    Folded,
    /// Everything, in blocks that a browser lays out when they become visible; long runs can be unfolded.
    Blocks,
}

/// Two texts.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// The left one.
    pub left: SideText,
    /// The right one.
    pub right: SideText,
    /// Amount of text to show of both.
    pub excerpt: Excerpt,
    /// True if white space alone counts as a difference to be framed.
    pub marks_space: bool,
}

/// Number of characters shown at each end of a folded run.
const AROUND: usize = 110;

/// The longest runs that are not folded, in characters: of shared text, and of text in only one.
const SHARED: usize = 300;
const ONLY: usize = 600;
const FULL: usize = 2_000;

/// The longest run of shared text that is not folded with [`Excerpt::Folded`].
const FOLDED: usize = 1_000;

/// Approximate number of characters of an excerpt.
const EXCERPT: usize = 2_200;

/// Number of colors.
const COLORS: u32 = 6;

impl SideBySide {
    /// Both texts.
    pub fn render(&self) -> Html {
        let pieces = [&self.left, &self.right].map(|side| {
            if self.marks_space { Cow::Borrowed(&*side.pieces) } else { Cow::Owned(without_space(&side.pieces)) }
        });
        let [left, right] = opening::open(pieces);
        let (left, right) = (self.side(&self.left, &left, "del"), self.side(&self.right, &right, "ins"));
        html!("<div class=\"sides\">{}{}</div>\n", left, right)
    }

    /// The positions of passages in both texts: one line each, from the beginning of the text to its end.
    pub fn strip(&self) -> Html {
        strip::strip(&self.left, &self.right)
    }

    fn side(&self, side: &SideText, opened: &Opened<'_>, only: &'static str) -> Html {
        let text = match self.excerpt {
            Excerpt::Blocks => blocks::blocks(opened, side.more, only),
            Excerpt::Short | Excerpt::Full | Excerpt::Folded => self.excerpt(opened, side.more, only),
        };
        html!(
            "<div class=\"side {}\"><p class=\"who\"><span class=\"role\">{}</span> <b dir=\"auto\">{}</b> <span class=\"place\" dir=\"auto\">{}</span></p><div class=\"text\" dir=\"auto\">{}</div></div>",
            side.role,
            side.role,
            side.name,
            side.place,
            text
        )
    }

    fn excerpt(&self, opened: &Opened<'_>, more: u64, only: &'static str) -> Html {
        let mut text = Html::default();
        let before: usize = opened.before.iter().map(|piece| piece.text.chars().count()).sum();
        if before > 0 && self.excerpt == Excerpt::Short {
            text.push(&gap(before as u64));
        } else if before > 0 {
            let folded = self.pieces(&opened.before, false, only).0;
            let name = leading(before as u64);
            text.push(&html!("<details class=\"fold\"><summary>{}</summary>{}</details>", name, folded));
        }
        let (rest, shown) = self.pieces(&opened.pieces, opened.is_part, only);
        text.push(&rest);
        if more > 0 && (self.excerpt == Excerpt::Full || shown <= EXCERPT) {
            text.push(&gap(more));
        }
        text
    }

    /// Renders pieces; also returns the number of characters shown.
    fn pieces(&self, pieces: &[Piece], is_part: bool, only: &'static str) -> (Html, usize) {
        let mut text = Html::default();
        let (mut shown, mut last) = (0, None);
        let count = pieces.len();
        for (at, piece) in pieces.iter().enumerate() {
            if self.excerpt == Excerpt::Short && shown > EXCERPT {
                let rest: usize = pieces[at..].iter().map(|piece| piece.text.chars().count()).sum();
                text.push(&gap(rest as u64));
                break;
            }
            let around = Around::of(pieces, at, only);
            let (opened, closed) = around.tags(&mut last);
            let folded = self.folded(piece, Ends { is_first: at == 0, is_last: at + 1 == count, is_part });
            shown += folded.characters;
            text.push(&html!("{}{}{}", opened, folded.text, closed));
        }
        (text, shown)
    }

    /// Renders a piece; also returns the number of characters shown.
    fn folded(&self, piece: &Piece, ends: Ends) -> Folded {
        let characters = piece.text.chars().count();
        let most = match (self.excerpt, piece.passage) {
            _ if is_rest(piece) => REST,
            (Excerpt::Short, Some(_)) if ends.is_part => ONLY,
            (Excerpt::Full | Excerpt::Blocks, _) | (Excerpt::Folded, None) => FULL,
            (Excerpt::Folded, Some(_)) => FOLDED,
            (Excerpt::Short, Some(_)) => SHARED,
            (Excerpt::Short, None) => ONLY,
        };
        if characters <= most {
            return Folded { text: Html::text(&piece.text), characters };
        }
        let (start, end) = match (self.excerpt, piece.passage) {
            _ if is_rest(piece) => rest_ends(ends),
            (Excerpt::Short, Some(_)) if ends.is_part => (ONLY - 2 * AROUND, AROUND),
            (Excerpt::Full | Excerpt::Blocks, _) | (Excerpt::Folded, None) => (FULL / 2, AROUND),
            (Excerpt::Folded, Some(_)) => (FOLDED / 2, 2 * AROUND),
            // Before the first difference and after the last, less context is needed.
            (Excerpt::Short, Some(_)) if ends.is_first && !ends.is_last => (AROUND / 2, AROUND),
            (Excerpt::Short, Some(_)) if ends.is_last && ends.is_first => (SHARED, 0),
            (Excerpt::Short, Some(_)) => (AROUND, AROUND),
            (Excerpt::Short, None) => (ONLY - 2 * AROUND, AROUND),
        };
        let (from, to) = hidden_range(&piece.text, start, end);
        let hidden = piece.text[from..to].chars().count() as u64;
        let middle = match self.excerpt {
            Excerpt::Short => gap(hidden),
            Excerpt::Full | Excerpt::Folded | Excerpt::Blocks => html!(
                "<details class=\"fold\"><summary>{}</summary>{}</details>",
                format!("{} more characters", number::count(hidden)),
                &piece.text[from..to]
            ),
        };
        let text = html!("{}{}{}", &piece.text[..from], middle, &piece.text[to..]);
        Folded { text, characters: characters - hidden as usize }
    }
}

/// Markup around the text of a piece.
#[derive(Clone, Copy)]
enum Around {
    /// It belongs to this passage.
    Passage(u32),
    /// None: white space between passages and the rest of a long document are not differences.
    Nothing,
    /// Only one text has it.
    Only(&'static str),
}

impl Around {
    fn of(pieces: &[Piece], at: usize, only: &'static str) -> Self {
        match pieces[at].passage {
            Some(number) => Self::Passage(number),
            None if !pieces[at].is_only => Self::Nothing,
            None if is_blank(&pieces[at]) && !is_inside(pieces, at) => Self::Nothing,
            None => Self::Only(only),
        }
    }

    /// The tags before and after; `last` is the last passage whose number was shown.
    fn tags(self, last: &mut Option<u32>) -> (Html, Html) {
        match self {
            Self::Passage(number) => {
                let again = if *last == Some(number) { Html::default() } else { html!("<sup>{}</sup>", number) };
                *last = Some(number);
                let opened = html!("<mark class=\"p{}\" data-p=\"{}\">{}", number % COLORS, number, again);
                (opened, Html::ours("</mark>"))
            }
            Self::Nothing => (Html::default(), Html::default()),
            Self::Only(only) => (html!("<{}>", only), html!("</{}>", only)),
        }
    }
}

struct Folded {
    text: Html,
    characters: usize,
}

#[derive(Clone, Copy)]
struct Ends {
    is_first: bool,
    is_last: bool,
    /// True if one of the texts is mostly not in the other, so that only shared passages matter.
    is_part: bool,
}

/// True if a piece is plain: the rest of a document that is mostly not in the other, or too short for a passage.
fn is_rest(piece: &Piece) -> bool {
    piece.passage.is_none() && !piece.is_only
}

/// Number of characters of the rest of a document shown at each end of a run, next to passages.
fn rest_ends(ends: Ends) -> (usize, usize) {
    (if ends.is_first { 0 } else { AROUND }, if ends.is_last { 0 } else { AROUND })
}

/// Description of a run before the place where a text is opened.
fn leading(characters: u64) -> String {
    format!("{} before this", number::of(characters, "character"))
}

/// The hidden range of a text of which `start` and `end` characters are shown.
fn hidden_range(text: &str, start: usize, end: usize) -> (usize, usize) {
    let count = text.chars().count();
    let cut = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let (from, to) = between_words(text, cut(start), cut(count - end));
    (if start == 0 { 0 } else { from }, if end == 0 { text.len() } else { to })
}

/// The same range, slightly narrower, so that it starts and ends between words if possible.
fn between_words(text: &str, from: usize, to: usize) -> (usize, usize) {
    const NEAR: usize = 24;
    let middle = &text[from..to];
    let start = middle.char_indices().take(NEAR).find(|(_, c)| c.is_whitespace()).map_or(0, |(at, _)| at);
    let end = middle[start..].char_indices().rev().take(NEAR).find(|(_, c)| c.is_whitespace());
    (from + start, end.map_or(to, |(at, c)| from + start + at + c.len_utf8()))
}

/// Merges white space into passages, however it is written in the other text.
fn without_space(pieces: &[Piece]) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let passage = if is_blank(piece) && is_inside(pieces, at) { pieces[at - 1].passage } else { piece.passage };
        match joined.last_mut() {
            Some(last) if last.passage == passage && (passage.is_some() || last.is_only == piece.is_only) => {
                last.text.push_str(&piece.text);
            }
            _ => joined.push(Piece { passage, is_only: passage.is_none() && piece.is_only, text: piece.text.clone() }),
        }
    }
    joined
}

fn is_blank(piece: &Piece) -> bool {
    piece.passage.is_none() && piece.is_only && piece.text.trim().is_empty()
}

/// True if a piece is a difference within a passage, and not text between two.
fn is_inside(pieces: &[Piece], at: usize) -> bool {
    let passage = |at: usize| pieces.get(at).and_then(|piece| piece.passage);
    at > 0 && passage(at - 1).is_some() && passage(at - 1) == passage(at + 1)
}

fn gap(characters: u64) -> Html {
    html!("<span class=\"gap\"> ⋯ {} ⋯ </span>", number::of(characters, "character"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(passage: Option<u32>, text: &str) -> Piece {
        Piece { passage, is_only: passage.is_none(), text: text.to_owned() }
    }

    #[test]
    fn the_rest_of_a_book_is_plain_and_folded_and_its_quotation_is_at_the_top() {
        let page = "words of the book ".repeat(300);
        let quotation = "to be or not to be that is the question ".repeat(10);
        let book = vec![piece(None, &page), piece(Some(1), &quotation), piece(None, &page)];
        let side = |role: &str, pieces| SideText { role: role.to_owned(), pieces, ..SideText::default() };
        for excerpt in [Excerpt::Short, Excerpt::Full, Excerpt::Folded, Excerpt::Blocks] {
            let (left, right) = (side("left", vec![piece(Some(1), &quotation)]), side("right", book.clone()));
            let shown = SideBySide { left, right, excerpt, marks_space: false }.render().to_string();
            let (_, right) = shown.split_once("side right").unwrap();
            assert!(!right.contains("<ins>"), "{excerpt:?}: {right}");
            // Everything folded is closed before the quotation begins, and only a few words are in between.
            let (before, after) = right.split_once("<mark").unwrap();
            let text = before.rsplit_once("</details>").or_else(|| before.rsplit_once("</span>")).unwrap().1;
            assert!(text.contains("words of the book") && text.len() < 200, "{excerpt:?}: {text}");
            assert!(after.contains("to be or not to be") && after.len() < 2 * page.len(), "{excerpt:?}");
            let end = if excerpt == Excerpt::Short {
                " ⋯ </span></div></div></div>"
            } else {
                "</details></div></div></div>"
            };
            assert!(right.trim_end().ends_with(end), "{excerpt:?}: {right}");
            let is_whole = excerpt != Excerpt::Short;
            assert_eq!(right.matches("words").count() == 600, is_whole, "{excerpt:?}");
        }
    }

    fn shown(pieces: Vec<Piece>, excerpt: Excerpt) -> String {
        let side = |role: &str, pieces| SideText { role: role.to_owned(), pieces, ..SideText::default() };
        let (left, right) = (side("removed", pieces.clone()), side("kept", pieces));
        SideBySide { left, right, excerpt, marks_space: true }.render().to_string()
    }

    #[test]
    fn a_passage_has_its_number_once_and_on_both_sides() {
        let pieces = vec![
            piece(Some(1), "one two"),
            piece(None, ","),
            piece(Some(1), " three"),
            piece(None, " x "),
            piece(Some(2), "four"),
        ];
        let shown = shown(pieces, Excerpt::Short);
        assert_eq!(shown.matches("<sup>1</sup>").count(), 2);
        assert_eq!(shown.matches("data-p=\"1\"").count(), 4);
        assert!(shown.contains("<del>,</del>") && shown.contains("<ins> x </ins>"));
    }

    #[test]
    fn white_space_between_passages_is_no_difference() {
        let between = shown(vec![piece(Some(1), "a"), piece(None, "\n"), piece(Some(2), "b")], Excerpt::Short);
        assert!(!between.contains("<del>"));
        let within = shown(vec![piece(Some(1), "a"), piece(None, "\n"), piece(Some(1), "b")], Excerpt::Short);
        assert!(within.contains("<del>\n</del>"));
        let joined = without_space(&[
            piece(Some(1), "a"),
            piece(None, "\n"),
            piece(Some(1), "b"),
            piece(None, " "),
            piece(Some(2), "c"),
        ]);
        assert_eq!(joined, [piece(Some(1), "a\nb"), piece(None, " "), piece(Some(2), "c")]);
    }

    #[test]
    fn a_long_text_is_short_in_an_excerpt_and_whole_otherwise() {
        let pieces: Vec<Piece> =
            (0..2_000).map(|at| piece((at % 2 == 0).then_some(at), &"word ".repeat(1_000))).collect();
        let excerpt = shown(pieces.clone(), Excerpt::Short);
        assert!(excerpt.len() < 20_000, "{}", excerpt.len());
        assert!(excerpt.contains("⋯"));
        for whole in [Excerpt::Full, Excerpt::Folded] {
            assert_eq!(shown(pieces.clone(), whole).matches("word").count(), 2 * 2_000_000);
        }
    }

    #[test]
    fn hostile_text_stays_text() {
        let shown = shown(
            vec![piece(Some(1), "<script>alert(1)</script>\0\u{202e}"), piece(None, "</div><img src=x onerror=y>")],
            Excerpt::Full,
        );
        assert!(
            !shown.contains("<script")
                && !shown.contains("<img")
                && !shown.contains('\0')
                && !shown.contains('\u{202e}')
        );
        assert!(shown.contains("&lt;script&gt;") && shown.contains("␀⟨U+202E⟩"));
    }

    proptest! {
        #[test]
        fn whatever_the_pieces_tags_are_closed(
            pieces in prop::collection::vec((prop::option::of(1_u32..4), "[a<é\u{0}\n ]{0,400}"), 0..8),
            excerpt in prop::sample::select(&[Excerpt::Short, Excerpt::Full, Excerpt::Blocks][..]),
        ) {
            let pieces = pieces.iter().map(|(passage, text)| piece(*passage, text)).collect();
            let shown = shown(pieces, excerpt);
            for tag in ["mark", "ins", "del", "div", "span", "details"] {
                let opened = shown.matches(&format!("<{tag} ")).count() + shown.matches(&format!("<{tag}>")).count();
                prop_assert_eq!(opened, shown.matches(&format!("</{tag}>")).count(), "{}", tag);
            }
        }
    }
}
