//! Numerals in digits and in words become the same words: `3,755`, `3755` and `three thousand seven hundred fifty-five`.
//!
//! The sign of a currency or a percentage becomes the word that is said for it, after the number: `$5` is read as
//! *five dollars*. English only: in other languages digits stay digits.

use std::collections::HashMap;

use crate::hash::Hasher;
use crate::text::tokenize::Token;

/// A word that can be part of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Ones(u64),
    Tens(u64),
    Times(u64),
    And,
}

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const TIMES: [(&str, u64); 4] =
    [("hundred", 100), ("thousand", 1_000), ("million", 1_000_000), ("billion", 1_000_000_000)];
const SIGNS: [(char, &str); 4] = [('$', "dollars"), ('€', "euros"), ('£', "pounds"), ('%', "percent")];

/// Recognizes numerals by the hashes of their words.
pub(super) struct Numerals {
    parts: HashMap<u64, Part>,
    /// A bit for each value of the low bits of a hash that a part has, to tell most words apart at once.
    marks: [u64; 64],
    signs: [(char, u64); 4],
}

/// A number among the tokens of a text.
pub(super) struct Numeral {
    pub(super) hash: u64,
    /// The first token after it.
    pub(super) next: usize,
}

impl Numerals {
    pub(super) fn new(hasher: &Hasher) -> Self {
        let hash = |word: &str| hasher.token_hash(word.as_bytes());
        let ones = (0..).zip(ONES).map(|(value, word)| (hash(word), Part::Ones(value)));
        let tens = (2..).zip(TENS).map(|(value, word)| (hash(word), Part::Tens(10 * value)));
        let times = TIMES.map(|(word, value)| (hash(word), Part::Times(value)));
        let parts: HashMap<u64, Part> = ones.chain(tens).chain(times).chain([(hash("and"), Part::And)]).collect();
        let mut marks = [0; 64];
        for hash in parts.keys() {
            marks[(hash >> 6) as usize % 64] |= 1 << (hash % 64);
        }
        Self { parts, marks, signs: SIGNS.map(|(sign, word)| (sign, hash(word))) }
    }

    /// True if a number may begin with this token.
    #[inline]
    pub(super) fn may_begin(&self, token: &Token, text: &[u8]) -> bool {
        text[token.start].is_ascii_digit() || self.marks[(token.hash >> 6) as usize % 64] >> (token.hash % 64) & 1 == 1
    }

    /// The number that begins with a token.
    pub(super) fn at(&self, tokens: &[Token], first: usize, text: &str, hasher: &Hasher) -> Option<Numeral> {
        let (mut next, mut sum, mut last) = match digits(tokens, first, text) {
            Some((value, next)) => (next, Sum::of(value), Last::Digits),
            None => match self.parts.get(&tokens[first].hash)? {
                Part::Ones(value) => (first + 1, Sum::of(*value), Last::Ones),
                Part::Tens(value) => (first + 1, Sum::of(*value), Last::Tens),
                Part::Times(_) | Part::And => return None,
            },
        };
        while let Some((value, kind, after)) = self.goes_on(tokens, next, text, last) {
            // A number ends before it is too large, so that none of its words is read as the start of another one.
            let mut more = sum;
            if more.take(value, kind).is_none() {
                break;
            }
            (sum, next, last) = (more, after, kind);
        }
        if last == Last::Digits && next == first + 1 {
            return Some(Numeral { hash: tokens[first].hash, next });
        }
        Some(Numeral { hash: hasher.token_hash(sum.value().to_string().as_bytes()), next })
    }

    /// The next part of a number, if one follows: its value, its kind, and the token after it.
    fn goes_on(&self, tokens: &[Token], next: usize, text: &str, last: Last) -> Option<(u64, Last, usize)> {
        let part = |at: usize| {
            let token = tokens.get(at)?;
            let between = &text[tokens[at - 1].end..token.start];
            let is_joined = between.bytes().all(|byte| byte.is_ascii_whitespace() || byte == b'-');
            is_joined.then(|| self.parts.get(&token.hash).copied()).flatten()
        };
        match (part(next)?, last) {
            (Part::Ones(value), Last::Times) | (Part::Ones(value @ 1..=9), Last::Tens) => {
                Some((value, Last::Ones, next + 1))
            }
            (Part::Tens(value), Last::Times) => Some((value, Last::Tens, next + 1)),
            (Part::Times(value), _) => Some((value, Last::Times, next + 1)),
            (Part::And, Last::Times) => match part(next + 1)? {
                Part::Ones(value) => Some((value, Last::Ones, next + 2)),
                Part::Tens(value) => Some((value, Last::Tens, next + 2)),
                Part::Times(_) | Part::And => None,
            },
            _ => None,
        }
    }

    /// The word for the sign before or after a number: hash of the word. `start` and `end` are those of the number.
    pub(super) fn sign(&self, text: &str, start: usize, end: usize) -> Option<u64> {
        let (before, after) = (&text[..start], &text[end..]);
        let before = before.strip_suffix(' ').unwrap_or(before).chars().next_back();
        let after = after.strip_prefix(' ').unwrap_or(after).chars().next();
        let of = |sign: Option<char>, is_before: bool| {
            let is_it = |(known, _): &&(char, u64)| Some(*known) == sign && (*known != '%') == is_before;
            self.signs.iter().find(is_it).map(|(_, hash)| *hash)
        };
        of(before, true).or_else(|| of(after, false))
    }
}

/// Kind of the last word of a number so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Digits,
    Ones,
    Tens,
    Times,
}

/// A number that is being put together: what was multiplied by a thousand or more, and the rest.
#[derive(Clone, Copy)]
struct Sum {
    done: u64,
    rest: u64,
}

impl Sum {
    fn of(value: u64) -> Self {
        Self { done: 0, rest: value }
    }

    fn take(&mut self, value: u64, kind: Last) -> Option<()> {
        match kind {
            Last::Times if value == 100 => self.rest = self.rest.checked_mul(100)?,
            Last::Times => {
                // `two million thousand` is no number that anyone writes, but has a value.
                let rest = if self.rest == 0 { std::mem::take(&mut self.done) } else { self.rest };
                self.done = self.done.checked_add(rest.checked_mul(value)?)?;
                self.rest = 0;
            }
            _ => self.rest = self.rest.checked_add(value)?,
        }
        Some(())
    }

    fn value(&self) -> u64 {
        self.done.saturating_add(self.rest)
    }
}

/// A number in digits, with its groups of three: its value, and the token after it. What begins with a zero stays as it is.
fn digits(tokens: &[Token], first: usize, text: &str) -> Option<(u64, usize)> {
    let of = |token: &Token| {
        let digits = &text[token.start..token.end];
        digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
    };
    let digits =
        of(&tokens[first]).filter(|digits| digits.len() <= 18 && (digits.len() == 1 || !digits.starts_with('0')))?;
    let mut value: u64 = digits.parse().ok()?;
    let mut next = first + 1;
    if digits.len() <= 3 {
        while let Some(token) = tokens.get(next)
            && &text[tokens[next - 1].end..token.start] == ","
            && let Some(group) = of(token).filter(|group| group.len() == 3)
        {
            value = value.checked_mul(1_000)?.checked_add(group.parse().ok()?)?;
            next += 1;
        }
    }
    Some((value, next))
}
