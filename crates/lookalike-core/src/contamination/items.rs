//! Test items in memory: their words, the n-grams by which documents are searched, and how rare each word's surroundings are.
//!
//! An n-gram is common when many items have it: an instruction is part of the test, and says nothing about one item. Items
//! with the same words count once, since test sets copy each other. Lines that many items have are common at any length.

use std::collections::HashMap;
use std::ops::Range;

use super::answers::TellingAnswers;
use super::asking::{Asking, Mark, Start};
use super::choices::ShortQuestions;
use super::grams::Grams;
use super::{FEWEST_WORDS, Reader, Words};
use crate::hash::{Key, mix};

/// The number of different items that make an n-gram common.
const MANY_ITEMS: u32 = 10;

/// The share of items that does in a small test set, and the least number of items for it.
const MUCH: f64 = 0.05;
const SEVERAL_ITEMS: u32 = 3;

/// Maximum number of common passages that are kept to be shown.
const MOST_TEMPLATES: usize = 100;

/// State of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemState {
    /// It is searched for.
    Searched,
    /// It has too few words to be told from any other text.
    TooShort,
    /// It has too few words that are not common to many items.
    Common,
}

/// A passage that many items have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// An item that has it.
    pub item: u32,
    /// Words of that item that make up the passage.
    pub words: Range<u32>,
    /// Number of different items that have it.
    pub item_count: u32,
}

/// Takes items one by one.
pub struct TestItemsBuilder {
    reader: Reader,
    read: Words,
    key: Key,
    ngram: usize,
    field_count: usize,
    question: usize,
    words: Vec<u64>,
    /// For each word, the form of the text around it.
    marks: Vec<Mark>,
    /// Number of words up to the end of each field.
    ends: Vec<u32>,
    /// For each item, true if its last field is long enough to identify it.
    long_answers: Vec<bool>,
}

/// Test items, ready to be searched for.
pub struct TestItems {
    pub(super) key: Key,
    pub(super) field_count: usize,
    /// The field of the question.
    pub(super) question: usize,
    pub(super) words: Vec<u64>,
    /// Start of each field of each item, and the end of the last one.
    bounds: Vec<u32>,
    /// Number of different items that have the most common n-gram around each word; 0 if it is common.
    sharing: Vec<u16>,
    /// N-grams of the requested length, and of the smallest length that identifies an item.
    pub(super) grams: Grams,
    pub(super) short: Grams,
    pub(super) short_questions: ShortQuestions,
    /// For each item that asks about a passage in it, the part that asks.
    asking: HashMap<u32, Asking>,
    states: Vec<ItemState>,
    answers: TellingAnswers,
    templates: Vec<Template>,
    /// The template that starts at a place in the words.
    pub(super) template_at: HashMap<u32, u32>,
    /// For each item that is searched for, the others with the same fields: these are found wherever it is.
    twins: HashMap<u32, Vec<u32>>,
}

impl TestItemsBuilder {
    /// Takes items of `field_count` fields, of which the first is the question; n-grams have `ngram` words, 2 or more.
    pub fn new(key: Key, ngram: usize, field_count: usize) -> Self {
        let (read, words) = (Words::default(), Vec::new());
        let (marks, ends, long_answers) = (Vec::new(), vec![0], Vec::new());
        let (reader, question) = (Reader::new(key), 0);
        Self { reader, read, key, ngram, field_count, question, words, marks, ends, long_answers }
    }

    /// Takes items whose question is in this field, counted from 0.
    #[must_use]
    pub fn question(mut self, field: usize) -> Self {
        self.question = field.min(self.field_count - 1);
        self
    }

    /// Adds an item; a field that it lacks is empty.
    pub fn add(&mut self, fields: &[&str]) {
        for at in 0..self.field_count {
            let text = fields.get(at).copied().unwrap_or_default();
            self.reader.read(text, &mut self.read);
            self.words.extend_from_slice(&self.read.hashes);
            let places = &self.read.places;
            let mark = |(at, place): (usize, &(u32, u32))| {
                let before = at.checked_sub(1).map(|before| places[before]);
                Mark::of(text, before, *place, places.get(at + 1).copied())
            };
            self.marks.extend(places.iter().enumerate().map(mark));
            self.ends.push(self.words.len() as u32);
        }
        let answer = fields.get(self.field_count - 1).copied().unwrap_or_default();
        self.long_answers.push(TellingAnswers::is_long(answer));
    }

    /// All items that were added.
    pub fn finish(self) -> TestItems {
        let Self { key, ngram, field_count, question, words, marks, ends, long_answers, .. } = self;
        let item_count = (ends.len() - 1) / field_count;
        let mut items = TestItems {
            key,
            field_count,
            question,
            words,
            bounds: ends,
            sharing: Vec::new(),
            grams: Grams::new(ngram, &[], 0..0),
            short: Grams::new(2, &[], 0..0),
            short_questions: ShortQuestions::none(),
            asking: HashMap::new(),
            states: Vec::new(),
            answers: TellingAnswers::default(),
            templates: Vec::new(),
            template_at: HashMap::new(),
            twins: HashMap::new(),
        };
        let all = 0..item_count as u32;
        let firsts = items.find_twins(item_count as u32);
        let searched = || (0..).zip(&firsts).filter(|(item, first)| item == *first).map(|(item, _)| item);
        let windows = |item: u32| {
            let words = items.item(item);
            words.start..(words.end + 1).saturating_sub(ngram as u32).max(words.start)
        };
        items.grams = Grams::new(ngram, &items.words, searched().flat_map(windows));
        let alike = items.distinct_items();
        let many = Many::of(alike.iter().max().map_or(0, |last| last + 1));
        items.share(&alike, many);
        let (bounds, field_count) = (&items.bounds, items.field_count);
        items.grams.keep_first_of_each(|place| item_at(bounds, field_count, place));
        items.find_common_lines(&marks, &alike, many);
        items.asking = all.clone().filter_map(|item| Some((item, items.find_asking(item, &marks)?))).collect();
        items.answers = TellingAnswers::new(&items, &alike, many, long_answers);
        items.states = all.map(|item| items.state_of(firsts[item as usize], ngram)).collect();
        let width = FEWEST_WORDS.min(ngram);
        let shorts = searched().filter_map(|item| Some(items.short_part(item)?.start)).collect::<Vec<u32>>();
        items.short = Grams::new(width, &items.words, shorts.iter().copied());
        items.short_questions = ShortQuestions::of(&items, searched(), &marks);
        items
    }
}

/// Number of items that counts as many.
#[derive(Clone, Copy)]
pub(super) struct Many(u32);

impl Many {
    fn of(item_count: u32) -> Self {
        Self(((f64::from(item_count) * MUCH) as u32 + 1).clamp(SEVERAL_ITEMS, MANY_ITEMS))
    }

    pub(super) fn is(self, item_count: usize) -> bool {
        item_count >= self.0 as usize
    }
}

impl TestItems {
    /// Number of items.
    pub fn count(&self) -> u32 {
        self.states.len() as u32
    }

    /// Returns the state of an item.
    pub fn state(&self, item: u32) -> ItemState {
        self.states[item as usize]
    }

    /// True if the answer of an item, found near the question, distinguishes the item from others.
    pub(super) fn answer_tells(&self, item: u32) -> bool {
        self.answers.tells(item)
    }

    /// The hash of the words of an item's answer.
    pub(super) fn answer_hash(&self, item: u32) -> u128 {
        let words = self.field(item, self.field_count - 1);
        self.key.text_hash(&self.words[words.start as usize..words.end as usize])
    }

    /// Number of words of an item.
    pub fn word_count(&self, item: u32) -> usize {
        self.item(item).len()
    }

    /// Passages that many items have, the most common first.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The words of an item.
    pub(super) fn item(&self, item: u32) -> Range<u32> {
        let first = item as usize * self.field_count;
        self.bounds[first]..self.bounds[first + self.field_count]
    }

    /// The words of a field of an item.
    pub(super) fn field(&self, item: u32, field: usize) -> Range<u32> {
        let at = item as usize * self.field_count + field;
        self.bounds[at]..self.bounds[at + 1]
    }

    /// The item that has a word.
    pub(super) fn item_of(&self, word: u32) -> u32 {
        item_at(&self.bounds, self.field_count, word)
    }

    /// The other items with the same fields, which are not searched for themselves.
    pub(super) fn twins(&self, item: u32) -> &[u32] {
        self.twins.get(&item).map_or(&[], Vec::as_slice)
    }

    /// The part of an item that asks about the rest, if there is one.
    pub(super) fn asking(&self, item: u32) -> Option<&Asking> {
        self.asking.get(&item)
    }

    /// The fields that are neither question nor answer.
    pub(super) fn passage_fields(&self) -> impl Iterator<Item = usize> {
        let (question, answer) = (self.question, self.field_count - 1);
        (0..answer).filter(move |field| *field != question)
    }

    /// The weight of a word: 1 if its surroundings are in no other item, 0 if they are common.
    pub(super) fn weight(&self, word: u32) -> f64 {
        match self.sharing[word as usize] {
            0 => 0.0,
            items => 1.0 / f64::from(items),
        }
    }

    pub(super) fn weight_of(&self, words: Range<u32>) -> f64 {
        words.map(|word| self.weight(word)).sum()
    }

    /// The part of an item that is too short for an n-gram of the requested length, but long enough to identify the
    /// item: its question, or all of it.
    pub(super) fn short_part(&self, item: u32) -> Option<Range<u32>> {
        let is_short =
            |words: &Range<u32>| (FEWEST_WORDS.min(self.grams.width)..self.grams.width).contains(&words.len());
        let own = |words: &Range<u32>| words.clone().all(|word| self.weight(word) > 0.0);
        [self.field(item, self.question), self.item(item)].into_iter().find(is_short).filter(own)
    }

    /// For each item, the first one with the same words in the same fields.
    fn find_twins(&mut self, item_count: u32) -> Vec<u32> {
        let mut known: HashMap<u128, u32> = HashMap::new();
        let mut firsts = Vec::with_capacity(item_count as usize);
        let mut written: Vec<u64> = Vec::new();
        for item in 0..item_count {
            written.clear();
            for field in 0..self.field_count {
                let words = self.field(item, field);
                written.push(words.len() as u64);
                written.extend_from_slice(&self.words[words.start as usize..words.end as usize]);
            }
            let first = *known.entry(self.key.text_hash(&written)).or_insert(item);
            if first != item {
                self.twins.entry(first).or_default().push(item);
            }
            firsts.push(first);
        }
        firsts
    }

    /// Numbers items so that those with the same words have the same number.
    fn distinct_items(&self) -> Vec<u32> {
        let mut numbers: HashMap<u128, u32> = HashMap::new();
        let count = (self.bounds.len() - 1) / self.field_count;
        let number = |item: usize| {
            let words = self.item(item as u32);
            let hash = self.key.text_hash(&self.words[words.start as usize..words.end as usize]);
            let next = numbers.len() as u32;
            *numbers.entry(hash).or_insert(next)
        };
        (0..count).map(number).collect()
    }

    /// Counts the items of each n-gram, and finds out which are common.
    fn share(&mut self, alike: &[u32], many: Many) {
        self.sharing = vec![1; self.words.len()];
        let mut is_common = vec![0_u64; self.words.len().div_ceil(64)];
        let (mut places, mut items) = (Vec::new(), Vec::new());
        for entry in self.grams.all().collect::<Vec<_>>() {
            places.clear();
            places.extend(self.grams.places(entry));
            if places.len() == 1 {
                continue;
            }
            items.clear();
            items.extend(places.iter().map(|place| alike[self.item_of(*place) as usize]));
            items.sort_unstable();
            items.dedup();
            if items.len() == 1 {
                continue;
            }
            let count = if many.is(items.len()) { 0 } else { items.len() as u16 };
            for place in &places {
                for word in *place as usize..*place as usize + self.grams.width {
                    let sharing = &mut self.sharing[word];
                    *sharing = if *sharing == 0 || count == 0 { 0 } else { count.max(*sharing) };
                }
                if count == 0 {
                    is_common[*place as usize / 64] |= 1 << (place % 64);
                }
            }
            if count == 0 {
                self.grams.set_common(entry);
            }
        }
        self.find_templates(&is_common, alike);
    }

    /// Puts common n-grams that overlap together.
    fn find_templates(&mut self, is_common: &[u64], alike: &[u32]) {
        let is = |place: u32| is_common[place as usize / 64] >> (place % 64) & 1 == 1;
        // By their words, where each starts and how long it is, and the items that have it.
        let mut found: HashMap<u128, (Range<u32>, Vec<u32>)> = HashMap::new();
        for item in 0..alike.len() as u32 {
            let words = self.item(item);
            let mut at = words.start;
            while at < words.end {
                let start = at;
                while at < words.end && is(at) {
                    at += 1;
                }
                if at > start {
                    let end = at - 1 + self.grams.width as u32;
                    let hash = self.key.text_hash(&self.words[start as usize..end as usize]);
                    let (_, items) = found.entry(hash).or_insert_with(|| (start..end, Vec::new()));
                    items.push(alike[item as usize]);
                }
                at += 1;
            }
        }
        let mut found: Vec<(Range<u32>, Vec<u32>)> = found.into_values().collect();
        for (_, items) in &mut found {
            items.sort_unstable();
            items.dedup();
        }
        found.sort_unstable_by_key(|(words, items)| (std::cmp::Reverse(items.len()), words.start));
        found.truncate(MOST_TEMPLATES);
        // An n-gram that two begin with counts for the more common one.
        for (number, (words, items)) in (0..).zip(found) {
            let item = self.item_of(words.start);
            let window = &self.words[words.start as usize..words.start as usize + self.grams.width];
            let mut first = words.start;
            let grams = &self.grams;
            grams.each_in(window, &self.words, |_, entry| first = grams.places(entry).next().unwrap_or(first));
            self.template_at.entry(first).or_insert(number);
            let before = self.item(item).start;
            let words = words.start - before..words.end - before;
            self.templates.push(Template { item, words, item_count: items.len() as u32 });
        }
    }

    /// Lines of questions that many items have weigh nothing, however short they are.
    fn find_common_lines(&mut self, marks: &[Mark], alike: &[u32], many: Many) {
        let mut items: HashMap<u64, (u32, u32)> = HashMap::new();
        let mut lines = Vec::new();
        for item in 0..alike.len() as u32 {
            for line in parts(self.field(item, self.question), marks, Start::Line) {
                let hash = line.clone().fold(1, |hash, word| mix(hash ^ self.words[word as usize]));
                let (last, count) = items.entry(hash).or_insert((u32::MAX, 0));
                // Items that are alike mostly stand far apart; to count one twice makes no line common.
                *count += u32::from(std::mem::replace(last, alike[item as usize]) != alike[item as usize]);
                lines.push((hash, line));
            }
        }
        for (hash, line) in lines {
            if many.is(items[&hash].1 as usize) {
                line.for_each(|word| self.sharing[word as usize] = 0);
            }
        }
    }

    fn state_of(&self, item: u32, ngram: usize) -> ItemState {
        let words = self.item(item);
        let fewest = FEWEST_WORDS.min(ngram);
        if words.len() < fewest {
            return ItemState::TooShort;
        }
        let own = |words: Range<u32>| words.filter(|word| self.weight(*word) > 0.0).count();
        if own(words) < fewest { ItemState::Common } else { ItemState::Searched }
    }
}

/// The item that has a word, by the bounds of all fields.
fn item_at(bounds: &[u32], field_count: usize, word: u32) -> u32 {
    let field = bounds.partition_point(|start| *start <= word) - 1;
    (field / field_count) as u32
}

/// Parts of a field that start at least so.
pub(super) fn parts(words: Range<u32>, marks: &[Mark], by: Start) -> impl Iterator<Item = Range<u32>> {
    let mut start = words.start;
    let mut parts = Vec::new();
    for word in words.clone() {
        if word > start && marks[word as usize].start >= by {
            parts.push(start..word);
            start = word;
        }
    }
    if start < words.end {
        parts.push(start..words.end);
    }
    parts.into_iter()
}
