//! Documents of three lengths, each with a twin that was edited in one of five ways, among others without a twin.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use super::answer::place;
use crate::bench::corpora::dice::Dice;
use crate::bench::corpora::language::{Language, Letters};

/// An edit of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Substitute,
    Insert,
    Header,
    Percent,
    Swap,
}

impl Edit {
    /// Its name for readers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Substitute => "a word substituted",
            Self::Insert => "a word inserted",
            Self::Header => "a header of ten words",
            Self::Percent => "1 % of the words changed",
            Self::Swap => "two paragraphs swapped",
        }
    }

    /// Its name in ids.
    fn key(self) -> &'static str {
        match self {
            Self::Substitute => "substitute",
            Self::Insert => "insert",
            Self::Header => "header",
            Self::Percent => "percent",
            Self::Swap => "swap",
        }
    }
}

/// An edit of documents of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) edit: Edit,
    pub(super) word_count: usize,
}

const EDITS: [Edit; 5] = [Edit::Substitute, Edit::Insert, Edit::Header, Edit::Percent, Edit::Swap];
const WORD_COUNTS: [usize; 3] = [200, 1_000, 5_000];

/// All cells, by edit and then by length.
pub(super) const CELLS: [Cell; 15] = {
    let mut cells = [Cell { edit: Edit::Substitute, word_count: 0 }; 15];
    let mut at = 0;
    while at < cells.len() {
        cells[at] = Cell { edit: EDITS[at / WORD_COUNTS.len()], word_count: WORD_COUNTS[at % WORD_COUNTS.len()] };
        at += 1;
    }
    cells
};

/// A document and its edited twin, by their positions.
pub(super) struct Twin {
    pub(super) cell: Cell,
    pub(super) base: usize,
    pub(super) edited: usize,
}

impl Twin {
    /// Both, the smaller position first.
    pub(super) fn pair(&self) -> (usize, usize) {
        (self.base.min(self.edited), self.base.max(self.edited))
    }
}

fn id(cell: Cell, number: usize, role: &str) -> String {
    format!("{}-{}-{number}-{role}", cell.edit.key(), cell.word_count)
}

/// The twins of a written corpus.
pub(super) fn twins(places: &HashMap<&str, usize>, bases: usize) -> Result<Vec<Twin>> {
    let numbered = CELLS.into_iter().flat_map(|cell| (0..bases).map(move |number| (cell, number)));
    numbered
        .map(|(cell, number)| {
            let base = place(places, &id(cell, number, "base"))?;
            Ok(Twin { cell, base, edited: place(places, &id(cell, number, "twin"))? })
        })
        .collect()
}

/// Writes the documents in random order; for each length, there are as many without a twin as an edit has bases.
pub(super) fn write(folder: &Path, bases: usize) -> Result<PathBuf> {
    let language = Language::new();
    let mut documents: Vec<(String, String)> = Vec::new();
    let mut dice = Dice::new(0xED17);
    for cell in CELLS {
        for number in 0..bases {
            let base = text(&language, cell.word_count, &mut dice);
            documents.push((id(cell, number, "twin"), edited(&language, &base, cell.edit, &mut dice)));
            documents.push((id(cell, number, "base"), base));
        }
    }
    for word_count in WORD_COUNTS {
        let alone = (0..bases).map(|number| format!("alone-{word_count}-{number}"));
        documents.extend(alone.map(|id| (id, text(&language, word_count, &mut dice))));
    }
    dice.shuffle(&mut documents);

    let lines: String = documents.iter().map(|(id, text)| json!({"id": id, "text": text}).to_string() + "\n").collect();
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join("edits.jsonl");
    fs::write(&file, lines).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// A text of this many words.
fn text(language: &Language, word_count: usize, dice: &mut Dice) -> String {
    // A word has fewer than five letters on average, so ten bytes are always enough.
    let long = language.text(10 * word_count, Letters::Plain, dice);
    let words: String = long.split_inclusive([' ', '\n']).take(word_count).collect();
    words.trim_end().to_owned()
}

fn edited(language: &Language, base: &str, edit: Edit, dice: &mut Dice) -> String {
    let mut words: Vec<String> = base.split_inclusive([' ', '\n']).map(str::to_owned).collect();
    let word = |dice: &mut Dice| {
        let mut word = String::new();
        language.write_word(Letters::Plain, dice, &mut word);
        word
    };
    match edit {
        Edit::Substitute => substitute(&mut words, 1, word, dice),
        Edit::Percent => {
            let count = words.len() / 100;
            substitute(&mut words, count, word, dice);
        }
        Edit::Insert => {
            let at = dice.below(words.len());
            words.insert(at, word(dice) + " ");
        }
        Edit::Header => {
            let header: Vec<String> = (0..10).map(|_| word(dice)).collect();
            words.insert(0, header.join(" ") + "\n");
        }
        Edit::Swap => {
            let mut paragraphs: Vec<&str> = base.lines().collect();
            let one = dice.below(paragraphs.len());
            // Any other one.
            let other = (one + 1 + dice.below(paragraphs.len() - 1)) % paragraphs.len();
            paragraphs.swap(one, other);
            return paragraphs.join("\n");
        }
    }
    words.concat()
}

/// Replaces words at this many positions.
fn substitute(words: &mut [String], count: usize, word: impl Fn(&mut Dice) -> String, dice: &mut Dice) {
    let mut places: Vec<usize> = (0..words.len()).collect();
    dice.shuffle(&mut places);
    for &place in &places[..count] {
        let (old, blank) = words[place].split_at(words[place].trim_end().len());
        let same = |new: &str| old.trim_matches(|sign: char| !sign.is_alphanumeric()).eq_ignore_ascii_case(new);
        let mut new = word(dice);
        while same(&new) {
            new = word(dice);
        }
        words[place] = new + blank;
    }
}

#[cfg(test)]
mod tests {
    use lookalike_judge::{Shingle, measure};

    use super::*;

    #[test]
    fn each_edit_leaves_the_twin_alike_and_not_equal() {
        let language = Language::new();
        let mut dice = Dice::new(4);
        for cell in CELLS {
            let base = text(&language, cell.word_count, &mut dice);
            assert_eq!(base.split_whitespace().count(), cell.word_count);
            let twin = edited(&language, &base, cell.edit, &mut dice);
            let jaccard = measure(&base, &twin, Shingle::Word(5)).jaccard();
            assert!((0.75..1.0).contains(&jaccard), "{cell:?}: {jaccard}");
        }
    }

    #[test]
    fn twins_are_found_again_by_their_ids() {
        let folder = tempfile::tempdir().unwrap();
        let file = write(folder.path(), 1).unwrap();
        let documents = crate::bench::corpora::texts::read(&file).unwrap();
        let twins = twins(&documents.places(), 1).unwrap();
        assert_eq!((documents.texts.len(), twins.len()), (2 * 15 + 3, 15));
        assert!(documents.ids[twins[0].base].ends_with("base"));
    }
}
