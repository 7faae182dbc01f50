//! Finds the items in one document, with their places.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::align::Aligner;
use super::items::{ItemState, TestItems};
use super::{FEWEST_WORDS, NEAR, Reader, Words};

/// The share of a field that a hit covers where the field is not the question.
const OTHER_COVERAGE: f64 = 0.8;

/// The share of a field's words that are there when it is found near the question.
const FOUND: f64 = 0.5;

/// The share of the question about a passage below which the document has the passage alone, and the fewest words in a
/// row that show the question near it.
const ASKED: f64 = 0.25;
const FEWEST_ASKED: usize = 4;

/// Punctuation that belongs to the word before it, and to the one after it.
const CLOSING: [char; 26] = [
    '.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '。', '、', '，', '；', '：', '！', '？', '）', '」', '』', '》',
    '】', '”', '»', '؟', '।',
];
const OPENING: [char; 12] = ['(', '[', '{', '<', '（', '「', '『', '《', '【', '“', '«', '¿'];

/// An item in a document.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundItem {
    /// The item.
    pub item: u32,
    /// The bytes of the document's text from the first to the last shared word, with the punctuation around them.
    pub bytes: Range<usize>,
    /// The parts of these bytes that the item and the document share, without the text between them.
    pub passages: Vec<Range<usize>>,
    /// The words of the item that the document has, counted from its first.
    pub words: Vec<Range<u32>>,
    /// The share of the item that the document has, weighted by how rare its n-grams are: of the question, or of all
    /// fields if the question alone is too short to identify the item.
    pub coverage: f64,
    /// The longest run of words of the question that the document lacks, those that are common to many items left out.
    pub longest_gap: u32,
    /// For each field, true if it was found.
    pub fields: Vec<bool>,
    /// True if the last field was found at or near the others; none if the item has no such field.
    pub answer_near: Option<bool>,
    /// True if it was, and is not an answer that any text or many items have.
    pub has_telling_answer: bool,
    /// True if the item asks about a passage, and the document has the passage without the question.
    pub is_passage_alone: bool,
    /// True if the document lacks the last question of the item, which is not set apart from the rest by its form.
    pub lacks_question: bool,
}

/// Items and common passages that were found in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// Items, by their place in the document.
    pub found: Vec<FoundItem>,
    /// Numbers of the passages that many items share.
    pub templates: Vec<u32>,
}

/// Looks for items in documents. Use one per thread, since it reuses its buffers.
pub struct Scanner<'a> {
    items: &'a TestItems,
    coverage: f64,
    reader: Reader,
    words: Words,
    aligner: Aligner,
}

/// Words that an item and the document share in order: pairs of a word of all items and one of the document.
struct Segment {
    item: u32,
    pairs: Vec<(u32, u32)>,
}

impl Segment {
    fn start(&self) -> usize {
        self.pairs[0].1 as usize
    }

    fn end(&self) -> usize {
        self.pairs[self.pairs.len() - 1].1 as usize + 1
    }
}

/// The first word of the document in these segments, and the one after the last.
fn extent(segments: &[Segment]) -> Option<(usize, usize)> {
    Some((segments.first()?.start(), segments.iter().map(Segment::end).max()?))
}

impl<'a> Scanner<'a> {
    /// A scanner for these items; a hit covers at least `coverage` of a question.
    pub fn new(items: &'a TestItems, coverage: f64) -> Self {
        let (reader, words) = (Reader::new(items.key), Words::default());
        Self { items, coverage, reader, words, aligner: Aligner::default() }
    }

    /// Looks for all items in `text`.
    ///
    /// ```
    /// use lookalike_core::contamination::{Scanner, TestItemsBuilder};
    /// use lookalike_core::hash::Key;
    ///
    /// let question = "A bakery has 40 less than seven times as many loaves of bread as Sam had. How many loaves has it?";
    /// let mut builder = TestItemsBuilder::new(Key::random(), 13, 2);
    /// builder.add(&[question, "450 loaves"]);
    /// let items = builder.finish();
    ///
    /// let text = "Quiz! A bakery has forty less than 7 times as many loaves\nof bread as *Sam* had. How many? (450 loaves)";
    /// let found = Scanner::new(&items, 0.5).scan(text).found;
    /// assert_eq!((found[0].item, found[0].answer_near), (0, Some(true)));
    /// assert!(text[found[0].bytes.clone()].starts_with("A bakery has forty"));
    /// ```
    pub fn scan(&mut self, text: &str) -> Scan {
        self.reader.read(text, &mut self.words);
        let (mut segments, templates) = self.segments();
        segments.sort_by_key(|segment| (segment.item, segment.start()));
        let mut found: Vec<FoundItem> = segments
            .chunk_by(|left, right| left.item == right.item)
            .flat_map(|segments| {
                let mut end = 0;
                segments.chunk_by(move |left, right| {
                    end = left.end().max(end);
                    right.start() <= end + NEAR
                })
            })
            .filter_map(|segments| self.found(segments, text))
            .collect();
        for at in 0..found.len() {
            for twin in self.items.twins(found[at].item) {
                found.push(FoundItem { item: *twin, ..found[at].clone() });
            }
        }
        found.sort_by_key(|found| (found.bytes.start, found.item));
        Scan { found, templates }
    }

    /// All that items and the document share, in runs, and the common passages of items that the document has.
    fn segments(&mut self) -> (Vec<Segment>, Vec<u32>) {
        let Self { items, words, aligner, .. } = self;
        let (document, known) = (&*words.hashes, &*items.words);
        let (mut segments, mut templates): (Vec<Segment>, Vec<u32>) = (Vec::new(), Vec::new());
        // Up to where each item was followed.
        let mut followed: HashMap<u32, usize> = HashMap::new();
        items.grams.each_in(document, known, |start, entry| {
            if items.grams.is_common(entry) {
                let template = items.grams.places(entry).next().and_then(|place| items.template_at.get(&place));
                templates.extend(template);
                return;
            }
            for place in items.grams.places(entry) {
                let item = items.item_of(place);
                let end = followed.entry(item).or_default();
                if start >= *end {
                    let segment = follow(items, item, (place as usize, start), (document, *end), aligner);
                    *end = segment.end();
                    segments.push(segment);
                }
            }
        });
        items.short.each_in(document, known, |start, entry| {
            for place in items.short.places(entry) {
                let item = items.item_of(place);
                let Some(part) = items.short_part(item) else { continue };
                let part_words = &known[part.start as usize..part.end as usize];
                if document[start..].starts_with(part_words) {
                    segments.push(Segment { item, pairs: part.zip(start as u32..).collect() });
                }
            }
        });
        items.short_questions.grams.each_in(document, known, |start, entry| {
            for place in items.short_questions.grams.places(entry) {
                let item = items.item_of(place);
                if let Some(pairs) = items.short_questions.at(items, item, start, document) {
                    segments.push(Segment { item, pairs });
                }
            }
        });
        templates.sort_unstable();
        templates.dedup();
        (segments, templates)
    }

    /// The item of some segments that lie near each other, if enough of it is there.
    fn found(&self, segments: &[Segment], text: &str) -> Option<FoundItem> {
        let (items, item) = (self.items, segments[0].item);
        if items.state(item) != ItemState::Searched {
            return None;
        }
        let mut shared: Vec<u32> =
            segments.iter().flat_map(|segment| segment.pairs.iter().map(|pair| pair.0)).collect();
        shared.sort_unstable();
        shared.dedup();
        let within = |words: &Range<u32>| -> &[u32] {
            let of = |word: u32| shared.partition_point(|shared| *shared < word);
            &shared[of(words.start)..of(words.end)]
        };
        let covered = |words: &Range<u32>| {
            let all = items.weight_of(words.clone());
            if all > 0.0 { within(words).iter().map(|word| items.weight(*word)).sum::<f64>() / all } else { 0.0 }
        };
        let own = |words: &[u32]| words.iter().filter(|word| items.weight(**word) > 0.0).count();
        let fields: Vec<Range<u32>> = (0..items.field_count).map(|field| items.field(item, field)).collect();
        let fewest = FEWEST_WORDS.min(items.grams.width);
        let question = items.question;
        let identity = match own(&fields[question].clone().collect::<Vec<u32>>()) {
            words if words >= fewest => fields[question].clone(),
            _ => items.item(item),
        };
        let coverage = covered(&identity);
        let has_identity = coverage >= self.coverage && own(within(&identity)) >= fewest;
        let has_other =
            |field: &Range<u32>| own(within(field)) >= items.grams.width && covered(field) >= OTHER_COVERAGE;
        let mut others = (0..).zip(&fields).filter(|(field, _)| *field != question);
        if !has_identity && !others.any(|(_, field)| has_other(field)) {
            return None;
        }
        let (first, last) = extent(segments)?;
        let found_fields: Vec<bool> = (0..)
            .zip(&fields)
            .map(|(number, field)| {
                let share = within(field).len() as f64 / field.len().max(1) as f64;
                share >= FOUND || number != question && self.is_near(field, number + 1 == fields.len(), segments)
            })
            .collect();
        let answer_near = fields[1..].last().filter(|field| !field.is_empty()).map(|_| found_fields[fields.len() - 1]);
        let has_telling_answer = answer_near == Some(true) && items.answer_tells(item);
        let is_asked = |words: &Range<u32>| covered(words) >= ASKED || self.is_asked_near(words, segments);
        let unasked = items.asking(item).filter(|asking| !has_telling_answer && !is_asked(&asking.words));
        let start = items.item(item).start;
        Some(FoundItem {
            item,
            bytes: self.bytes(first, last, text),
            passages: self.passages(segments, text),
            words: runs(&shared).into_iter().map(|run| run.start - start..run.end - start).collect(),
            coverage,
            longest_gap: self.longest_gap(&identity, within(&identity)),
            fields: found_fields,
            answer_near,
            has_telling_answer,
            is_passage_alone: unasked.is_some_and(|asking| asking.is_set_apart),
            lacks_question: unasked.is_some_and(|asking| !asking.is_set_apart),
        })
    }

    /// The longest run of own words of an item that are not among those shared.
    fn longest_gap(&self, words: &Range<u32>, shared: &[u32]) -> u32 {
        let (mut gap, mut longest) = (0, 0);
        let mut shared = shared.iter().peekable();
        for word in words.clone() {
            if shared.next_if(|shared| **shared == word).is_some() {
                gap = 0;
            } else if self.items.weight(word) > 0.0 {
                gap += 1;
                longest = gap.max(longest);
            }
        }
        longest
    }

    /// Finds a field too short for an n-gram near the words that the document shares with its item: choices in order, an
    /// answer in a row. An answer made only of shared words does not count: a passage that is asked about contains its
    /// answer.
    fn is_near(&self, field: &Range<u32>, is_answer: bool, segments: &[Segment]) -> bool {
        let wanted = &self.items.words[field.start as usize..field.end as usize];
        let Some((first, last)) = extent(segments) else { return false };
        if wanted.is_empty() || wanted.len() >= self.items.grams.width && is_answer {
            return false;
        }
        let document = &self.words.hashes;
        let end = (last + NEAR + wanted.len()).min(document.len());
        if is_answer {
            let before = first.saturating_sub(NEAR + wanted.len());
            let shared: HashSet<usize> =
                segments.iter().flat_map(|segment| &segment.pairs).map(|(_, word)| *word as usize).collect();
            let has_own = |at: usize| (at..at + wanted.len()).any(|word| !shared.contains(&word));
            let mut windows = (before..).zip(document[before..end].windows(wanted.len()));
            return windows.any(|(at, window)| window == wanted && has_own(at));
        }
        let mut left = wanted.iter();
        let mut next = left.next();
        for word in &document[first..end] {
            if next == Some(word) {
                next = left.next();
            }
        }
        next.is_none()
    }

    /// Finds half of a question in a row near the words that the document shares with its item. A run that is part of the
    /// passage does not count.
    fn is_asked_near(&self, question: &Range<u32>, segments: &[Segment]) -> bool {
        let wanted = &self.items.words[question.start as usize..question.end as usize];
        let Some((first, last)) = extent(segments) else { return false };
        let length = wanted.len().div_ceil(2).max(FEWEST_ASKED).min(wanted.len());
        let document = &self.words.hashes;
        let (from, to) = (first.saturating_sub(NEAR + length), (last + NEAR + length).min(document.len()));
        let shared: HashSet<usize> =
            segments.iter().flat_map(|segment| &segment.pairs).map(|(_, word)| *word as usize).collect();
        let is_own = |at: usize| (at..at + length).any(|word| !shared.contains(&word));
        let runs: HashSet<&[u64]> = wanted.windows(length).collect();
        (from..).zip(document[from..to].windows(length)).any(|(at, window)| runs.contains(window) && is_own(at))
    }

    /// The bytes of a run of words, with the punctuation that is attached to them.
    fn bytes(&self, first: usize, last: usize, text: &str) -> Range<usize> {
        let (start, end) = (self.words.places[first].0 as usize, self.words.places[last - 1].1 as usize);
        start - signs_before(&text[..start]).len()..end + signs_after(&text[end..]).len()
    }

    /// The bytes that segments cover, each with the gaps that it bridges.
    fn passages(&self, segments: &[Segment], text: &str) -> Vec<Range<usize>> {
        let mut passages: Vec<Range<usize>> = Vec::new();
        for segment in segments {
            let bytes = self.bytes(segment.start(), segment.end(), text);
            match passages.last_mut() {
                Some(last) if bytes.start <= last.end => last.end = last.end.max(bytes.end),
                _ => passages.push(bytes),
            }
        }
        passages
    }
}

/// Follows an item both ways from an n-gram that it shares with the document: `seed` has the place of both. What of the
/// document comes before `from` was followed before.
fn follow(
    items: &TestItems,
    item: u32,
    seed: (usize, usize),
    (document, from): (&[u64], usize),
    aligner: &mut Aligner,
) -> Segment {
    let range = items.item(item);
    let words = &items.words[..range.end as usize];
    let (place, start) = seed;
    let first = range.start as usize;
    let before = |start: usize, least: usize, all: &'_ [u64], at: usize| {
        start.checked_sub(at + 1).filter(|place| *place >= least).map(|place| all[place])
    };
    let left = aligner.align(|at| before(place, first, words, at), |at| before(start, from, document, at));
    let mut pairs: Vec<(u32, u32)> =
        left.iter().rev().map(|(left, right)| (place as u32 - 1 - left, start as u32 - 1 - right)).collect();
    let right = aligner.align(|at| words.get(place + at).copied(), |at| document.get(start + at).copied());
    pairs.extend(right.iter().map(|(left, right)| (place as u32 + left, start as u32 + right)));
    Segment { item, pairs }
}

fn is_attached(character: char) -> bool {
    !character.is_alphanumeric() && !character.is_whitespace()
}

/// The punctuation at the end of a text. Where a word precedes it without a space, what closes a sentence or quotation
/// belongs to that word.
fn signs_before(text: &str) -> &str {
    let signs = &text[text.trim_end_matches(is_attached).len()..];
    let follows_word = text[..text.len() - signs.len()].ends_with(char::is_alphanumeric);
    match signs.rfind(CLOSING).filter(|_| follows_word) {
        Some(at) => signs[at..].trim_start_matches(CLOSING),
        None => signs,
    }
}

/// The punctuation at the start of a text. Where a word follows it without a space, what opens a quotation belongs to
/// that word.
fn signs_after(text: &str) -> &str {
    let signs = &text[..text.len() - text.trim_start_matches(is_attached).len()];
    let precedes_word = text[signs.len()..].starts_with(char::is_alphanumeric);
    match signs.find(OPENING).filter(|_| precedes_word) {
        Some(at) => &signs[..at],
        None => signs,
    }
}

/// Numbers in ascending order as runs.
fn runs(numbers: &[u32]) -> Vec<Range<u32>> {
    numbers.chunk_by(|left, right| left + 1 == *right).map(|run| run[0]..run[run.len() - 1] + 1).collect()
}
