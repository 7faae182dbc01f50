//! Divides a whole text into blocks that a browser lays out when they become visible: a text of ten megabytes in one
//! box makes it hang.
//!
//! A block ends at a line end if there is one in time; a line that is longer than a block is broken.

use super::opening::{Opened, REST};
use super::{AROUND, Around, Ends, FULL, gap, hidden_range, is_rest, leading, rest_ends};
use crate::html::Html;
use crate::{html, number};

/// Maximum number of characters of a block.
const BLOCK: usize = 12_000;

/// Number of characters after which a block ends at the next line end.
const WAITS: usize = BLOCK / 2;

/// The text of one side.
pub(super) fn blocks(opened: &Opened<'_>, more: u64, only: &'static str) -> Html {
    let mut blocks = Blocks::default();
    let before: usize = opened.before.iter().map(|piece| piece.text.chars().count()).sum();
    if before > 0 {
        blocks.begin_fold(&leading(before as u64));
        for (at, piece) in opened.before.iter().enumerate() {
            blocks.run(Around::of(&opened.before, at, only), &piece.text);
        }
        blocks.end_fold();
    }
    let pieces = &opened.pieces;
    for (at, piece) in pieces.iter().enumerate() {
        let around = Around::of(pieces, at, only);
        let characters = piece.text.chars().count();
        if characters <= if is_rest(piece) { REST } else { FULL } {
            blocks.run(around, &piece.text);
            continue;
        }
        let ends = Ends { is_first: at == 0, is_last: at + 1 == pieces.len(), is_part: opened.is_part };
        let (start, end) = if is_rest(piece) { rest_ends(ends) } else { (FULL / 2, AROUND) };
        let (from, to) = hidden_range(&piece.text, start, end);
        blocks.run(around, &piece.text[..from]);
        blocks.fold(around, &piece.text[from..to]);
        blocks.run(around, &piece.text[to..]);
    }
    blocks.end();
    if more > 0 {
        blocks.all.push(&gap(more));
    }
    blocks.all
}

/// Completed blocks, and the one being filled.
#[derive(Default)]
struct Blocks {
    all: Html,
    block: Html,
    characters: usize,
    last: Option<u32>,
}

impl Blocks {
    /// Appends text, ending blocks when they are full.
    fn run(&mut self, around: Around, mut text: &str) {
        while !text.is_empty() {
            let taken;
            (taken, text) = text.split_at(self.room_in(text));
            let (opened, closed) = around.tags(&mut self.last);
            self.block.push(&html!("{}{}{}", opened, taken, closed));
            self.characters += taken.chars().count();
            let ends_line = taken.ends_with('\n') && self.characters >= WAITS;
            if ends_line || self.characters >= BLOCK {
                self.end();
            }
        }
    }

    /// Number of bytes of a text that still fit: up to the end of a line if the block is long enough, or else up to its
    /// maximum.
    fn room_in(&self, text: &str) -> usize {
        let room = BLOCK.saturating_sub(self.characters).max(1);
        let fits = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
        let waits = WAITS.saturating_sub(self.characters);
        let early = text.char_indices().nth(waits).map_or(fits, |(at, _)| at.min(fits));
        match text[early..fits].find('\n') {
            Some(at) => early + at + 1,
            None => fits,
        }
    }

    /// Appends a run that is initially hidden.
    fn fold(&mut self, around: Around, text: &str) {
        let hidden = text.chars().count() as u64;
        self.begin_fold(&format!("{} more characters", number::count(hidden)));
        self.run(around, text);
        self.end_fold();
    }

    fn begin_fold(&mut self, name: &str) {
        self.end();
        self.all.push(&html!("<details class=\"fold run\"><summary>{}</summary>", name));
    }

    fn end_fold(&mut self) {
        self.end();
        self.all.push(&Html::ours("</details>"));
    }

    fn end(&mut self) {
        if !self.block.is_empty() {
            let block = std::mem::take(&mut self.block);
            self.all.push(&html!("<div class=\"block\">{}</div>", block));
        }
        self.characters = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Piece;
    use super::*;

    fn piece(passage: Option<u32>, text: &str) -> Piece {
        Piece { passage, is_only: passage.is_none(), text: text.to_owned() }
    }

    fn blocks(pieces: &[Piece], more: u64, only: &'static str) -> Html {
        super::blocks(&Opened { before: Vec::new(), pieces: pieces.into(), is_part: false }, more, only)
    }

    /// The text of the markup, without tags, numbers of passages and names of folds.
    fn text_of(html: &Html) -> String {
        let (mut text, mut rest) = (String::new(), html.as_str());
        while let Some(at) = rest.find('<') {
            text.push_str(&rest[..at]);
            let skipped = ["<sup>", "<summary>"].iter().find(|tag| rest[at..].starts_with(**tag));
            let end = match skipped {
                Some(tag) => format!("</{}", &tag[1..]),
                None => ">".to_owned(),
            };
            rest = &rest[at + rest[at..].find(&end).unwrap() + end.len()..];
        }
        text + rest
    }

    #[test]
    fn a_short_text_is_one_block() {
        let html = blocks(&[piece(Some(1), "one two\nthree"), piece(None, " four")], 0, "del");
        assert_eq!(
            html.as_str(),
            "<div class=\"block\"><mark class=\"p1\" data-p=\"1\"><sup>1</sup>one two\nthree</mark><del> four</del></div>"
        );
    }

    #[test]
    fn blocks_end_with_lines_and_lose_nothing() {
        let line = "a line of some words that is not long at all\n";
        let pieces: Vec<Piece> = (0..2_000).map(|at| piece((at % 3 > 0).then_some(at), line)).collect();
        let html = blocks(&pieces, 0, "del");
        assert_eq!(text_of(&html), line.repeat(2_000));
        let many: Vec<&str> = html.as_str().split("<div class=\"block\">").skip(1).collect();
        assert!(many.len() > 5 && many.iter().all(|block| text_of(&Html::ours(*block)).len() <= BLOCK));
        assert!(many.iter().all(|block| text_of(&Html::ours(*block)).ends_with('\n')));
    }

    #[test]
    fn a_line_without_end_is_broken_and_folded() {
        let text = "é".repeat(1_000_000);
        let html = blocks(&[piece(None, &text)], 7, "ins");
        assert_eq!(text_of(&html).trim_end_matches(" ⋯ 7 characters ⋯ "), text);
        assert_eq!(html.as_str().matches("<details").count(), 1);
        assert!(html.as_str().matches("<div class=\"block\">").count() > 80);
    }
}
