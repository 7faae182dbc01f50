//! Answers that distinguish one item from others.
//!
//! The letter of a choice, a small number, or *yes* stands near any text by chance. Near a public passage, such an answer does not show
//! that the document has the item.

use std::collections::{HashMap, HashSet};

use super::TestItems;
use super::items::Many;

/// Minimum number of letters and digits of an answer that can identify an item.
const LEAST_CHARACTERS: usize = 3;

/// For each item, true if its answer distinguishes it from other items.
#[derive(Debug, Default)]
pub(super) struct TellingAnswers(Vec<bool>);

impl TellingAnswers {
    /// True if an answer is long enough to identify an item.
    pub(super) fn is_long(answer: &str) -> bool {
        answer.chars().filter(|character| character.is_alphanumeric()).nth(LEAST_CHARACTERS - 1).is_some()
    }

    /// An answer of many different items identifies none; `alike` has the same number for items with the same words.
    pub(super) fn new(items: &TestItems, alike: &[u32], many: Many, long_answers: Vec<bool>) -> Self {
        let mut holders: HashMap<u128, HashSet<u32>> = HashMap::new();
        for (item, alike) in (0..).zip(alike) {
            holders.entry(items.answer_hash(item)).or_default().insert(*alike);
        }
        let tells = |(item, is_long): (u32, bool)| is_long && !many.is(holders[&items.answer_hash(item)].len());
        Self((0..).zip(long_answers).map(tells).collect())
    }

    pub(super) fn tells(&self, item: u32) -> bool {
        self.0[item as usize]
    }
}
