//! Writes the training data for the tables of `--extract article`, from a folder of pages and their main content as
//! marked by people.
//!
//! `blocks PAGES GOLD` writes one line of JSON for each row of GOLD (JSONL with `id` and `gold_text`) whose page
//! `PAGES/ID.html` exists: for each block of the page, its number of words, the number of them that are main content,
//! and the words of the elements around it. `blocks PAGES GOLD WORDS` writes the features of the same blocks, with the
//! weights of the file WORDS, as 32-bit floats. `bench/extraction/learn.py` calls both.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;

use lookalike_io::web::learning;
use serde_json::{Value, json};

/// More cells than this take too much memory, as do the pages that need them.
const MOST_CELLS: usize = 1_500_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pages, gold, words @ ..] = &arguments[..] else { return Err("usage: blocks PAGES GOLD [WORDS]".into()) };
    let words = words.first().map(std::fs::read_to_string).transpose()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::fs::read_to_string(gold)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let id = row["id"].as_str().ok_or("a row without an id")?;
        let Ok(page) = std::fs::read(Path::new(pages).join(format!("{id}.html"))) else { continue };
        let page = String::from_utf8_lossy(&page);
        let blocks = learning::rows(&page, words.as_deref());
        if words.is_some() {
            for number in blocks.iter().flat_map(|(_, row)| row) {
                out.write_all(&number.to_le_bytes())?;
            }
            continue;
        }
        let texts: Vec<&str> = blocks.iter().map(|(text, _)| &**text).collect();
        let counts = row["gold_text"].as_str().map(|gold| counts(&texts, gold));
        let line = json!({ "id": id, "counts": counts, "texts": texts, "paths": learning::paths(&page), "features": learning::FEATURES });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Number of words of each block, and of those that the longest alignment with the gold text includes.
///
/// A word that follows an aligned one counts four times as much as one that does not, so that words are aligned in
/// runs.
fn counts(blocks: &[&str], gold: &str) -> Vec<(usize, usize)> {
    let mut numbers = HashMap::new();
    let mut numbered = |text: &str| -> Vec<usize> {
        let lower = text.to_lowercase();
        let words = lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let mut number = |word: &str| {
            let next = numbers.len();
            *numbers.entry(word.to_owned()).or_insert(next)
        };
        words.filter(|word| !word.is_empty()).map(&mut number).collect()
    };
    let gold = numbered(gold);
    let blocks: Vec<Vec<usize>> = blocks.iter().map(|block| numbered(block)).collect();
    let page: Vec<usize> = blocks.iter().flatten().copied().collect();
    let is_gold = aligned(&page, &gold);
    let mut rest = &is_gold[..];
    let count = |block: &Vec<usize>| {
        let (own, after) = rest.split_at(block.len());
        rest = after;
        (block.len(), own.iter().filter(|is_gold| **is_gold).count())
    };
    blocks.iter().map(count).collect()
}

/// True for each word of `page` that is aligned with `gold`.
fn aligned(page: &[usize], gold: &[usize]) -> Vec<bool> {
    const UP: u8 = 1;
    const LEFT: u8 = 2;
    const MATCH: u8 = 3;
    const IN_RUN: u8 = 4;
    const NONE: i32 = i32::MIN / 2;
    let mut is_gold = vec![false; page.len()];
    let width = gold.len() + 1;
    if (page.len() + 1) * width > MOST_CELLS {
        return is_gold;
    }
    let mut steps = vec![0_u8; (page.len() + 1) * width];
    // The best alignments so far, and the best of those that end with a match here.
    let (mut best, mut matched) = (vec![0; width], vec![NONE; width]);
    for (row, word) in (1..).zip(page) {
        let (mut best_before, mut matched_before) = (best[0], matched[0]);
        for (column, other) in (1..).zip(gold) {
            let (up, mut step, mut score) = (best[column], UP, best[column]);
            let matched_up = std::mem::replace(&mut matched[column], NONE);
            if best[column - 1] > score {
                (step, score) = (LEFT, best[column - 1]);
            }
            let mut run = 0;
            if word == other {
                let (on, first) = (matched_before + 4, best_before + 1);
                run = if on >= first { IN_RUN } else { 0 };
                matched[column] = on.max(first);
                if matched[column] > score {
                    (step, score) = (MATCH, matched[column]);
                }
            }
            best[column] = score;
            steps[row * width + column] = step | run;
            (best_before, matched_before) = (up, matched_up);
        }
    }
    let (mut row, mut column, mut is_in_run) = (page.len(), gold.len(), false);
    while row > 0 && column > 0 {
        let step = steps[row * width + column];
        if is_in_run || step & 3 == MATCH {
            is_gold[row - 1] = true;
            is_in_run = step & IN_RUN != 0;
            (row, column) = (row - 1, column - 1);
        } else if step & 3 == UP {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    is_gold
}
