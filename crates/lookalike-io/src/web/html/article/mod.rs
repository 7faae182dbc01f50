//! Extracts the text of the main content of a web page.
//!
//! ```text
//! tags → blocks → features → shares → cut
//!        words              trees
//! ```
//!
//! The page is divided into [blocks](blocks), the lines of its visible text. Features describe the text and the
//! position of each block. [Trees](trees), learned from pages with marked main content, estimate the share of each
//! block that belongs to it, and the [cut](cut) keeps the blocks with the largest expected F1 of the whole page. No
//! rule is for a specific site.
//!
//! The result is a part of the visible text, in the same order and with the same lines. It is computed by additions,
//! multiplications and divisions only, which every machine rounds in the same way, so the text of a page is the same
//! everywhere.

mod blocks;
mod content;
mod context;
mod cut;
mod trees;
mod words;

use super::extras::Extras;

use self::context::Context;
use self::trees::Trees;
use self::words::Words;

/// Puts the main content of a page into `text`, which is cleared first. It is empty only if the page has no visible
/// text.
pub(super) fn text(html: &str, extras: Extras, text: &mut String) {
    text.clear();
    let page = blocks::page(html, Words::learned(), extras);
    let context = Context::of(&page);
    let trees = Trees::learned();
    let mut row = Vec::with_capacity(context::NAMES.len());
    let estimate = |block| {
        context.row(block, &mut row);
        trees.share(&row)
    };
    let shares: Vec<f32> = (0..page.blocks.len()).map(estimate).collect();
    let kept = cut::best(&shares, |block| context.weight(block));
    for (block, _) in kept.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
        if !text.is_empty() {
            text.push('\n');
        }
        page.write(block, text);
    }
}

/// The training data of a page: its blocks with their features.
///
/// `words` replaces the table of words, with a word and its weight on each line, so that weights can be learned from
/// other pages than the ones that are measured.
pub(crate) fn rows(html: &str, words: Option<&str>) -> Vec<(String, Vec<f32>)> {
    let table = words.map(Words::parse);
    let page = blocks::page(html, table.as_ref().unwrap_or_else(|| Words::learned()), Extras::default());
    let context = Context::of(&page);
    let mut rows = Vec::with_capacity(page.blocks.len());
    for (number, block) in page.blocks.iter().enumerate() {
        let mut row = Vec::new();
        context.row(number, &mut row);
        rows.push((page.text_of(block).to_owned(), row));
    }
    rows
}

/// The words of the attributes around each block of a page, as a path from the block outward.
pub(crate) fn paths(html: &str) -> Vec<Vec<String>> {
    blocks::paths(html)
}

/// The names of the features, in the order of a row.
pub(crate) const FEATURES: &[&str] = &context::NAMES;
