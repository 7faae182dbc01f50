//! The part of an item that asks. A document that has the passage of an item and not this part has a public text.
//!
//! The asking part is a field, a paragraph, a line, or what follows the label of a question, before or after the passage. A last
//! sentence that asks is weaker evidence: a word problem reads the same, and belongs to the test as a whole.

use std::ops::Range;

use super::items::{TestItems, parts};

/// A part with fewer words than this asks nothing, unless it is a question by its form.
const FEWEST_ASKING: usize = 5;
const FEWEST_QUESTION: usize = 2;

/// Words before a colon that announce a question, and other parts of an item.
const QUESTION_LABELS: [&str; 3] = ["question", "query", "q"];
const OTHER_LABELS: [&str; 10] =
    ["passage", "context", "article", "paragraph", "document", "excerpt", "story", "answer", "options", "choices"];

/// Words that end in a full stop in the middle of a sentence.
const ABBREVIATIONS: [&str; 12] = ["mr", "mrs", "ms", "dr", "st", "no", "vs", "jr", "sr", "prof", "gen", "rev"];

/// The part of a text that begins with a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(super) enum Start {
    Word,
    Sentence,
    Label,
    Line,
    Paragraph,
}

/// The form of the text around a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) start: Start,
    /// True if a question mark follows.
    asks: bool,
    /// True if the word announces a question.
    is_question_label: bool,
    /// True if the word is the letter of a choice.
    pub(super) is_letter: bool,
}

impl Mark {
    /// The form around the word at `place` of a text; `before` and `after` are the places of its neighbors.
    pub(super) fn of(text: &str, before: Option<(u32, u32)>, place: (u32, u32), after: Option<(u32, u32)>) -> Self {
        let between = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let word = between(place.0 as usize, place.1 as usize);
        let follows = between(place.1 as usize, after.map_or(text.len(), |after| after.0 as usize));
        let gap = between(before.map_or(0, |before| before.1 as usize), place.0 as usize);
        let is_label = follows.trim_start_matches(['*', '_']).starts_with([':', '：']);
        let is_one_of = |labels: &[&str]| is_label && labels.iter().any(|label| word.eq_ignore_ascii_case(label));
        let is_question_label = is_one_of(&QUESTION_LABELS);
        let start = match before {
            None => Start::Paragraph,
            Some(_) if gap.contains('\n') => Start::after_line(gap),
            Some(_) if is_question_label || is_one_of(&OTHER_LABELS) => Start::Label,
            Some(before) if ends_sentence(between(before.0 as usize, before.1 as usize), gap) => Start::Sentence,
            Some(_) => Start::Word,
        };
        let is_letter = word.len() == 1
            && word.as_bytes()[0].is_ascii_alphabetic()
            && (follows.starts_with([')', '.', ':', ']']) || gap.ends_with(['(', '[']));
        Self { start, asks: has_question_mark(follows), is_question_label, is_letter }
    }
}

impl Start {
    /// Determines what a word begins after a line end.
    fn after_line(gap: &str) -> Self {
        // Between two line ends, there is a blank line or one of signs, such as a rule.
        let has_blank = gap
            .split_once('\n')
            .and_then(|(_, rest)| rest.rsplit_once('\n'))
            .is_some_and(|(lines, _)| lines.lines().all(|line| line.trim().is_empty()));
        if has_blank { Self::Paragraph } else { Self::Line }
    }
}

fn has_question_mark(signs: &str) -> bool {
    signs.contains(['?', '？', '؟'])
}

/// True if a sentence ends with a word that these signs follow.
fn ends_sentence(word: &str, signs: &str) -> bool {
    if signs.contains(['。', '！', '？']) {
        return true;
    }
    let is_end = signs.contains(['.', '!', '?', '…', '؟', '।']) && signs.ends_with(char::is_whitespace);
    let is_abbreviated =
        || word.len() == 1 || ABBREVIATIONS.iter().any(|abbreviation| word.eq_ignore_ascii_case(abbreviation));
    is_end && (has_question_mark(signs) || signs.contains('!') || !is_abbreviated())
}

/// The part of an item that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asking {
    pub(super) words: Range<u32>,
    /// True if it is set apart from the passage by its form.
    pub(super) is_set_apart: bool,
}

impl TestItems {
    /// Finds the part of an item that asks about the rest, if the rest is long enough to be found by itself.
    pub(super) fn find_asking(&self, item: u32, marks: &[Mark]) -> Option<Asking> {
        let question = self.field(item, self.question);
        let apart = |words: Range<u32>| Asking { words, is_set_apart: true };
        let own = self.asking_part(question.clone(), marks).map(apart);
        own.or_else(|| self.asking_field(item, marks).map(apart)).or_else(|| {
            let words = last_question(question.clone(), marks)?;
            let is_asking = self.can_ask(&words, marks) && self.is_beside_passage(&question, &words);
            is_asking.then_some(Asking { words, is_set_apart: false })
        })
    }

    /// The paragraph, line or labeled part of the question that asks about its other parts.
    fn asking_part(&self, question: Range<u32>, marks: &[Mark]) -> Option<Range<u32>> {
        [Start::Paragraph, Start::Line, Start::Label].into_iter().find_map(|by| {
            let parts: Vec<Range<u32>> =
                parts(question.clone(), marks, by).filter(|words| self.can_ask(words, marks)).collect();
            let last = parts.last().filter(|_| parts.len() > 1)?;
            let mut asking = parts.iter().filter(|words| asks(words, marks));
            let words = match by {
                _ if asks(last, marks) => last,
                // A question may stand before its passage.
                Start::Paragraph => asking.next().filter(|words| **words == parts[0]).unwrap_or(last),
                // Choices may follow a question. Of many lines that ask nothing, none is known to be the question.
                _ => asking.next_back().or_else(|| (parts.len() == 2).then_some(last))?,
            };
            self.is_beside_passage(&question, words).then(|| self.last_line(words.clone(), marks))
        })
    }

    /// The last line of a part that asks in its last line.
    fn last_line(&self, words: Range<u32>, marks: &[Mark]) -> Range<u32> {
        let last = parts(words.clone(), marks, Start::Line).last();
        last.filter(|line| asks(line, marks) && self.can_ask(line, marks)).unwrap_or(words)
    }

    /// The field that asks about a passage in another field.
    fn asking_field(&self, item: u32, marks: &[Mark]) -> Option<Range<u32>> {
        let is_passage = |field: &Range<u32>| self.own_count(field) >= self.grams.width;
        let question = self.field(item, self.question);
        let others: Vec<Range<u32>> = self.passage_fields().map(|field| self.field(item, field)).collect();
        if !asks(&question, marks) && is_passage(&question) {
            let is_line = |words: &Range<u32>| parts(words.clone(), marks, Start::Line).nth(1).is_none();
            let is_question = |words: &&Range<u32>| asks(words, marks) && is_line(words) && self.can_ask(words, marks);
            if let Some(asking) = others.iter().find(is_question) {
                return Some(asking.clone());
            }
        }
        (others.iter().any(is_passage) && self.can_ask(&question, marks)).then_some(question)
    }

    /// True if a part has enough words to ask something.
    fn can_ask(&self, words: &Range<u32>, marks: &[Mark]) -> bool {
        self.own_count(words) >= if asks(words, marks) { FEWEST_QUESTION } else { FEWEST_ASKING }
    }

    /// True if the rest of the question is long enough to be found without this part.
    fn is_beside_passage(&self, question: &Range<u32>, words: &Range<u32>) -> bool {
        self.own_count(question) - self.own_count(words) >= self.grams.width
    }

    /// The number of words that are not common to many items.
    fn own_count(&self, words: &Range<u32>) -> usize {
        words.clone().filter(|word| self.weight(*word) > 0.0).count()
    }
}

/// True if a part is a question by its form.
fn asks(words: &Range<u32>, marks: &[Mark]) -> bool {
    let marks = &marks[words.start as usize..words.end as usize];
    marks.last().is_some_and(|mark| mark.asks) || marks.first().is_some_and(|mark| mark.is_question_label)
}

/// The last sentence that ends in a question mark.
fn last_question(words: Range<u32>, marks: &[Mark]) -> Option<Range<u32>> {
    parts(words, marks, Start::Sentence).filter(|sentence| marks[sentence.end as usize - 1].asks).last()
}
