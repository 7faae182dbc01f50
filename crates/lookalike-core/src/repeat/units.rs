//! Cuts texts into units with their samples and keys.
//!
//! Lines and paragraphs are equal if they differ only in white space: runs of it count as one blank, and it is ignored
//! at the ends. Runs of words are equal if their tokens are, so neither case nor punctuation makes a difference; or if
//! their tokens of source code are.

use memchr::memchr;

use super::window::{RunKeys, key, samples};
use super::{RunTokens, Unit};
use crate::hash::{Hasher, Key};
use crate::text::fold::Fold;
use crate::text::tokenize::{Token, TokenSink, Tokenizer};

/// A unit at its place. Units are equal if their keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitPlace {
    /// Equal for equal units.
    pub key: u128,
    /// Number of the unit in its text: runs are counted by their first words, so neighbors overlap.
    pub number: u32,
    /// Its first byte.
    pub start: u32,
    /// The byte after it. A line has its line end with it, a paragraph the blank lines that follow.
    pub end: u32,
}

/// Cuts texts into units. Use one per thread, since it reuses its buffers.
pub struct Units {
    unit: Unit,
    tokens_of: RunTokens,
    tokenizer: Tokenizer,
    /// Tokenizer with the same hashes in every run.
    fixed: Tokenizer,
    hasher: Hasher,
    run_keys: Option<RunKeys>,
    hashes: Vec<u64>,
    tokens: Vec<Token>,
    grams: Vec<u64>,
    samples: Vec<(u32, u64)>,
    spaced: Vec<u8>,
}

impl Units {
    /// For units of this kind, with samples and keys that nobody can foresee who does not know `key`.
    pub fn new(unit: Unit, key: Key) -> Self {
        let run_keys = match unit {
            Unit::Run(run) => Some(RunKeys::new(run, key.bytes_hash(b"runs of words"))),
            Unit::Line | Unit::Paragraph => None,
        };
        Self {
            unit,
            tokens_of: RunTokens::default(),
            tokenizer: Tokenizer::new(Fold::NONE, key),
            fixed: Tokenizer::new(Fold::NONE, Key::FIXED),
            hasher: Hasher::new(key),
            run_keys,
            hashes: Vec::new(),
            tokens: Vec::new(),
            grams: Vec::new(),
            samples: Vec::new(),
            spaced: Vec::new(),
        }
    }

    /// Runs consist of these tokens.
    #[must_use]
    pub fn of_tokens(self, tokens_of: RunTokens) -> Self {
        Self { tokens_of, ..self }
    }

    /// Counts the words of a text, or its other tokens.
    pub fn word_count(&mut self, text: &str) -> usize {
        let mut count = 0_usize;
        cut(&mut self.tokenizer, self.tokens_of, text, &mut count);
        count
    }

    /// Identifies the content of a passage, for comparing a run with an earlier one: equal for passages that count as equal, and the
    /// same in every run.
    pub fn fingerprint(&mut self, passage: &str) -> u64 {
        self.hashes.clear();
        match self.unit {
            Unit::Run(_) => cut(&mut self.fixed, self.tokens_of, passage, &mut self.hashes),
            Unit::Line | Unit::Paragraph => self.fixed.between_blanks(passage, &mut self.hashes),
        }
        Key::FIXED.text_hash(&self.hashes) as u64
    }

    /// Passes the samples of all units of a text to `each`, those that neighbors share once.
    pub fn samples(&mut self, text: &str, mut each: impl FnMut(u64)) {
        let Self { unit, tokens_of, tokenizer, hasher, hashes, grams, spaced, .. } = self;
        match *unit {
            Unit::Run(run) => {
                hashes.clear();
                cut(tokenizer, *tokens_of, text, hashes);
                let mut last = None;
                samples(hashes, run, Unit::gram(run), grams, |_, sample| {
                    if last.replace(sample) != Some(sample) {
                        each(sample);
                    }
                });
            }
            unit => parts(unit, text, |part| each(part_key(hasher, spaced, &text.as_bytes()[part.content()]) as u64)),
        }
    }

    /// Passes the units of a text to `each` whose samples are wanted, in order.
    pub fn wanted(&mut self, text: &str, is_wanted: impl Fn(u64) -> bool, mut each: impl FnMut(UnitPlace)) {
        match self.unit {
            Unit::Run(run) => self.wanted_runs(text, run, is_wanted, each),
            unit => {
                let mut number = 0;
                parts(unit, text, |part| {
                    let key = part_key(&self.hasher, &mut self.spaced, &text.as_bytes()[part.content()]);
                    if is_wanted(key as u64) {
                        each(UnitPlace { key, number, start: part.start as u32, end: part.end as u32 });
                    }
                    number += 1;
                });
            }
        }
    }

    fn wanted_runs(
        &mut self,
        text: &str,
        run: usize,
        is_wanted: impl Fn(u64) -> bool,
        mut each: impl FnMut(UnitPlace),
    ) {
        let Self { tokens_of, tokenizer, run_keys, hashes, tokens, grams, samples: wanted, .. } = self;
        let keys = run_keys.as_ref().expect("runs have keys");
        hashes.clear();
        wanted.clear();
        cut(tokenizer, *tokens_of, text, hashes);
        let mut last = (None, false);
        samples(hashes, run, Unit::gram(run), grams, |first, sample| {
            if last.0 != Some(sample) {
                last = (Some(sample), is_wanted(sample));
            }
            if last.1 {
                wanted.push((first as u32, sample));
            }
        });
        if wanted.is_empty() {
            return;
        }
        // Most texts have no such run, and need no places.
        tokens.clear();
        cut(tokenizer, *tokens_of, text, tokens);
        let mut state = (usize::MAX, [0; 2]);
        for (first, _) in &*wanted {
            let first = *first as usize;
            state = match state {
                (before, state) if before.wrapping_add(1) == first && first > 0 => {
                    (first, keys.next(state, hashes, before))
                }
                _ => (first, keys.start(hashes, first)),
            };
            let (start, end) = (tokens[first].start as u32, tokens[first + run - 1].end as u32);
            each(UnitPlace { key: key(state.1), number: first as u32, start, end });
        }
    }
}

/// Passes the tokens that runs consist of to `sink`.
fn cut(tokenizer: &mut Tokenizer, tokens_of: RunTokens, text: &str, sink: &mut impl TokenSink) {
    match tokens_of {
        RunTokens::Words => tokenizer.words(text, sink),
        RunTokens::Code(language) => tokenizer.code(text, language, sink),
    }
}

/// A line or a paragraph.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    /// The end of its content; white space follows.
    content_end: usize,
}

impl Part {
    fn content(self) -> std::ops::Range<usize> {
        self.start..self.content_end
    }
}

/// Passes the lines or paragraphs of a text that are not blank to `each`.
fn parts(unit: Unit, text: &str, mut each: impl FnMut(Part)) {
    let bytes = text.as_bytes();
    let mut under_way: Option<Part> = None;
    let mut start = 0;
    while start < bytes.len() {
        let line_end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at + 1);
        let is_blank = bytes[start..line_end].trim_ascii().is_empty();
        match (&mut under_way, is_blank) {
            _ if unit == Unit::Line && !is_blank => each(Part { start, end: line_end, content_end: line_end }),
            _ if unit == Unit::Line => {}
            (Some(part), true) => part.end = line_end,
            (Some(part), false) if part.end == part.content_end => {
                (part.end, part.content_end) = (line_end, line_end);
            }
            (before, false) => {
                let part = Part { start, end: line_end, content_end: line_end };
                before.replace(part).into_iter().for_each(&mut each);
            }
            (None, true) => {}
        }
        start = line_end;
    }
    under_way.into_iter().for_each(each);
}

/// The key of a line or paragraph.
fn part_key(hasher: &Hasher, spaced: &mut Vec<u8>, content: &[u8]) -> u128 {
    let content = content.trim_ascii();
    let is_plain = |pair: &[u8]| !pair[1].is_ascii_whitespace() || pair[1] == b' ' && pair[0] != b' ';
    if content.windows(2).all(is_plain) {
        return hasher.bytes_hash(content);
    }
    spaced.clear();
    for word in content.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        if !spaced.is_empty() {
            spaced.push(b' ');
        }
        spaced.extend_from_slice(word);
    }
    hasher.bytes_hash(spaced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::code::Language;

    fn units(unit: Unit, text: &str) -> Vec<(u128, &str)> {
        let mut found = Vec::new();
        Units::new(unit, Key::new(1)).wanted(
            text,
            |_| true,
            |unit| {
                found.push((unit.key, &text[unit.start as usize..unit.end as usize]));
            },
        );
        found
    }

    fn texts(unit: Unit, text: &str) -> Vec<&str> {
        units(unit, text).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_line_has_its_end_with_it_and_blank_lines_are_none() {
        assert_eq!(texts(Unit::Line, "a\n\n  b\r\n \t\nc"), ["a\n", "  b\r\n", "c"]);
        assert_eq!(texts(Unit::Line, "\n \n"), [""; 0]);
    }

    #[test]
    fn a_paragraph_goes_on_to_the_next_one() {
        assert_eq!(texts(Unit::Paragraph, "\na\nb\n\n \nc\nd"), ["a\nb\n\n \n", "c\nd"]);
    }

    #[test]
    fn white_space_makes_no_difference_to_lines_and_paragraphs() {
        let keys = |unit, text| units(unit, text).into_iter().map(|(key, _)| key).collect::<Vec<_>>();
        let same = keys(Unit::Line, "a b c\n \ta  b\tc \r\na b\n");
        assert!(same[0] == same[1] && same[1] != same[2]);
        let wrapped = keys(Unit::Paragraph, "a b c\nd\n\na b\nc d\n\nA b c d");
        assert!(wrapped[0] == wrapped[1] && wrapped[1] != wrapped[2]);
    }

    #[test]
    fn a_run_is_known_by_its_words() {
        let unit = Unit::Run(8);
        let found =
            units(unit, "One, two three: four-five six SEVEN eight nine. (one two three four five six seven eight) ");
        assert_eq!(found.len(), 10);
        assert_eq!(found[0].1, "One, two three: four-five six SEVEN eight");
        assert_eq!(found[9].1, "one two three four five six seven eight");
        assert_eq!(found[0].0, found[9].0);
        assert!(found[1..9].iter().all(|unit| unit.0 != found[0].0));
    }

    #[test]
    fn a_run_of_code_is_known_by_its_tokens() {
        let runs = |text: &str| {
            let mut found = Vec::new();
            let mut units = Units::new(Unit::Run(8), Key::new(1)).of_tokens(RunTokens::Code(Language::C));
            units.wanted(
                text,
                |_| true,
                |unit| found.push((unit.key, text[unit.start as usize..unit.end as usize].to_owned())),
            );
            found
        };
        let (plain, wrapped) = (runs("if (a <= b) { c(); }"), runs("if (a <= b) // why\n{\n\tc();\n}"));
        let keys = |runs: &[(u128, String)]| runs.iter().map(|(key, _)| *key).collect::<Vec<_>>();
        assert_eq!((plain.len(), keys(&plain)), (5, keys(&wrapped)));
        assert_eq!(wrapped[0].1, "if (a <= b) // why\n{\n\tc");
        assert_ne!(keys(&plain)[0], keys(&runs("if (a < b) { c(); }"))[0]);
    }

    #[test]
    fn a_fingerprint_is_that_of_the_content_in_every_run() {
        let of = |unit, tokens, text: &str| Units::new(unit, Key::random()).of_tokens(tokens).fingerprint(text);
        let (words, code) = (RunTokens::Words, RunTokens::Code(Language::C));
        assert_eq!(of(Unit::Run(8), words, "One, two"), of(Unit::Run(9), words, "one\ntwo."));
        assert_ne!(of(Unit::Run(8), words, "One, two"), of(Unit::Run(8), words, "two, one"));
        assert_eq!(of(Unit::Run(8), code, "a<b"), of(Unit::Run(8), code, "a < b // less"));
        assert_ne!(of(Unit::Run(8), code, "a<b"), of(Unit::Run(8), code, "a > b"));
        assert_eq!(of(Unit::Line, words, " } "), of(Unit::Line, words, "}\n"));
        assert_ne!(of(Unit::Line, words, "{"), of(Unit::Line, words, "}"));
    }

    #[test]
    fn units_that_are_not_wanted_are_passed_over() {
        let text = "one two three four five six seven eight nine ten eleven twelve";
        let mut samples = Vec::new();
        let mut units = Units::new(Unit::Run(8), Key::new(1));
        units.samples(text, |sample| samples.push(sample));
        let mut count = 0;
        units.wanted(text, |sample| sample == samples[0], |_| count += 1);
        assert!(count >= 1 && (samples.len() == 1 || count < 5), "{count} of 5");
    }
}
