//! Short questions with choices. The question alone is in many texts; with all of its choices in order it is the item,
//! however they are set: labeled, one per line, or in a list.

use std::collections::HashMap;
use std::ops::Range;

use super::asking::{Mark, Start};
use super::grams::Grams;
use super::items::TestItems;
use super::{FEWEST_WORDS, NEAR};

/// The fewest words of a question that lead to an item.
const FEWEST: usize = 4;

/// Items with a short question and choices.
#[derive(Debug)]
pub(super) struct ShortQuestions {
    /// The first words of these questions.
    pub(super) grams: Grams,
    /// The words of each choice, for each item.
    choices: HashMap<u32, Vec<Range<u32>>>,
}

impl ShortQuestions {
    /// None.
    pub(super) fn none() -> Self {
        Self { grams: Grams::new(FEWEST, &[], std::iter::empty()), choices: HashMap::new() }
    }

    /// Those of the items that are searched for.
    pub(super) fn of(items: &TestItems, searched: impl Iterator<Item = u32>, marks: &[Mark]) -> Self {
        let choices = |item: u32| {
            let question = items.field(item, items.question);
            // What many items ask leads to none of them.
            let is_short = (FEWEST..FEWEST_WORDS).contains(&question.len())
                && question.clone().all(|word| items.weight(word) > 0.0);
            let choices = if is_short { choices(items, item, marks) } else { Vec::new() };
            (choices.len() > 1).then_some((item, choices))
        };
        let choices: HashMap<u32, Vec<Range<u32>>> = searched.filter_map(choices).collect();
        let mut starts: Vec<u32> = choices.keys().map(|item| items.field(*item, items.question).start).collect();
        starts.sort_unstable();
        Self { grams: Grams::new(FEWEST, &items.words, starts.iter().copied()), choices }
    }

    /// The words that an item and a document share, if its question is at this place of the document and all choices follow.
    pub(super) fn at(&self, items: &TestItems, item: u32, start: usize, document: &[u64]) -> Option<Vec<(u32, u32)>> {
        let known = |words: &Range<u32>| &items.words[words.start as usize..words.end as usize];
        let mut pairs = Vec::new();
        let (mut at, mut left) = (start, 0);
        for words in [items.field(item, items.question)].iter().chain(self.choices.get(&item)?) {
            let passed = (0..=left).find(|passed| {
                document.get(at + passed..).is_some_and(|document| document.starts_with(known(words)))
            })?;
            at += passed;
            // What stands between all of them counts, from the question on.
            left = if pairs.is_empty() { NEAR } else { left - passed };
            pairs.extend(words.clone().zip(at as u32..));
            at += words.len();
        }
        Some(pairs)
    }
}

/// The words of each choice of an item, without letters that number them.
fn choices(items: &TestItems, item: u32, marks: &[Mark]) -> Vec<Range<u32>> {
    let mut choices: Vec<Range<u32>> = Vec::new();
    for field in items.passage_fields() {
        let words = items.field(item, field);
        let mut is_start = true;
        for word in words {
            let mark = marks[word as usize];
            is_start |= mark.is_letter || mark.start >= Start::Line;
            if mark.is_letter {
                continue;
            }
            match choices.last_mut() {
                Some(last) if !is_start => last.end = word + 1,
                _ => choices.push(word..word + 1),
            }
            is_start = false;
        }
    }
    choices
}
