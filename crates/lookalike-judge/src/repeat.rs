//! Given texts, says which bytes of them other texts have too: lines, paragraphs, or runs of words.
//!
//! A word here is a run of letters, numbers and underscores in lower case, which is right for scripts with spaces and letters without
//! separate marks: enough for tests, and easy to see through.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The kind of passage to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedUnit {
    /// Lines.
    Line,
    /// Paragraphs.
    Paragraph,
    /// Runs of this many words.
    Run(usize),
}

/// Finds the stretches of each text that an earlier text has and that at least `at_least` texts have: `(text, start, end)` in bytes,
/// joined where they overlap or touch.
pub fn repeated(texts: &[&str], unit: RepeatedUnit, at_least: usize) -> Vec<(usize, usize, usize)> {
    let units: Vec<Vec<(String, usize, usize)>> = texts.iter().map(|text| units(text, unit)).collect();
    let mut holders: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (text, its) in units.iter().enumerate() {
        for (content, ..) in its {
            holders.entry(content).or_default().insert(text);
        }
    }
    let mut stretches = Vec::new();
    for (text, its) in units.iter().enumerate() {
        let mut bytes: BTreeMap<usize, usize> = BTreeMap::new();
        for (content, start, end) in its {
            let holders = &holders[content.as_str()];
            if holders.len() >= at_least && holders.first() != Some(&text) {
                let until = bytes.entry(*start).or_default();
                *until = (*until).max(*end);
            }
        }
        let mut last: Option<(usize, usize)> = None;
        for (start, end) in bytes {
            match &mut last {
                Some((_, until)) if start <= *until => *until = (*until).max(end),
                _ => stretches.extend(last.replace((start, end)).map(|(start, end)| (text, start, end))),
            }
        }
        stretches.extend(last.map(|(start, end)| (text, start, end)));
    }
    stretches
}

/// Finds the stretches of each text of which there is an earlier copy, in the same text as well if both do not overlap:
/// `(text, start, end)` in bytes, joined where they overlap or touch.
pub fn repeated_anywhere(texts: &[&str], unit: RepeatedUnit) -> Vec<(usize, usize, usize)> {
    let mut firsts: HashMap<String, (usize, usize)> = HashMap::new();
    let mut copies = Vec::new();
    for (text, content) in texts.iter().enumerate() {
        for (content, start, end) in units(content, unit) {
            let (first_text, first_end) = *firsts.entry(content).or_insert((text, end));
            if first_text != text || start >= first_end {
                copies.push((text, start, end));
            }
        }
    }
    copies.sort_unstable();
    let mut stretches: Vec<(usize, usize, usize)> = Vec::new();
    for (text, start, end) in copies {
        match stretches.last_mut() {
            Some(last) if last.0 == text && start <= last.2 => last.2 = last.2.max(end),
            _ => stretches.push((text, start, end)),
        }
    }
    stretches
}

/// The units of a text by their contents, with their places.
fn units(text: &str, unit: RepeatedUnit) -> Vec<(String, usize, usize)> {
    match unit {
        RepeatedUnit::Line => lines(text).into_iter().filter(|(content, ..)| !content.is_empty()).collect(),
        RepeatedUnit::Paragraph => paragraphs(text),
        RepeatedUnit::Run(length) => {
            let words = words(text);
            let run = |run: &[(String, usize, usize)]| {
                let content: Vec<&str> = run.iter().map(|(word, ..)| word.as_str()).collect();
                (content.join(" "), run[0].1, run[length - 1].2)
            };
            words.windows(length).map(run).collect()
        }
    }
}

/// All lines, with white space as single blanks.
fn lines(text: &str) -> Vec<(String, usize, usize)> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        lines.push((line.split_ascii_whitespace().collect::<Vec<_>>().join(" "), start, end));
        start = end;
    }
    lines
}

fn paragraphs(text: &str) -> Vec<(String, usize, usize)> {
    let mut paragraphs: Vec<(String, usize, usize)> = Vec::new();
    let mut is_after_blank = true;
    for (content, start, end) in lines(text) {
        let is_blank = content.is_empty();
        match paragraphs.last_mut() {
            Some(last) if is_blank => last.2 = end,
            Some(last) if !is_after_blank => {
                last.0 = format!("{} {content}", last.0);
                last.2 = end;
            }
            _ if is_blank => {}
            _ => paragraphs.push((content, start, end)),
        }
        is_after_blank = is_blank;
    }
    paragraphs
}

/// The words of a text in lower case, with their places.
pub(crate) fn words(text: &str) -> Vec<(String, usize, usize)> {
    let mut words: Vec<(String, usize, usize)> = Vec::new();
    let mut is_inside = false;
    for (at, character) in text.char_indices() {
        let is_word = character.is_alphanumeric() || character == '_';
        if is_word && !is_inside {
            words.push((String::new(), at, at));
        }
        if let (true, Some(word)) = (is_word, words.last_mut()) {
            word.0.extend(character.to_lowercase());
            word.2 = at + character.len_utf8();
        }
        is_inside = is_word;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_text_keeps_what_others_have_too() {
        let texts = ["a b c d", "x A, b c y", "b c d"];
        assert_eq!(repeated(&texts, RepeatedUnit::Run(3), 2), [(1, 2, 8), (2, 0, 5)]);
        assert_eq!(repeated(&texts, RepeatedUnit::Run(2), 3), [(1, 5, 8), (2, 0, 3)]);
    }

    #[test]
    fn what_one_text_repeats_is_left_alone() {
        assert_eq!(repeated(&["a\na\n", "b\nb"], RepeatedUnit::Line, 2), []);
        assert_eq!(repeated(&["a\n", "b\na\na \nc"], RepeatedUnit::Line, 2), [(1, 2, 7)]);
    }

    #[test]
    fn what_one_text_repeats_without_overlap_may_count() {
        assert_eq!(repeated_anywhere(&["a\nb\na\n"], RepeatedUnit::Line), [(0, 4, 6)]);
        assert_eq!(repeated_anywhere(&["a a a a a", "a a"], RepeatedUnit::Run(2)), [(0, 4, 9), (1, 0, 3)]);
    }

    #[test]
    fn paragraphs_may_be_wrapped_in_another_way() {
        assert_eq!(repeated(&["a b\nc\n\nd", "d\n\na\nb c\n\n\ne"], RepeatedUnit::Paragraph, 2), [(1, 0, 11)]);
    }
}
