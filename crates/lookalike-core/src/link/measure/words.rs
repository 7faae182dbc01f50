//! Compares names of organizations, addresses and free text: by the share of information in their words that they have
//! in common.

use super::Level;
use super::plain::{Spelled, ratio, slips};
use crate::link::words::Words;

/// Lower bounds of the levels of similarity.
const BINS: [f32; 5] = [0.2, 0.4, 0.55, 0.7, 0.85];

/// The level of "different" if numbers differ, and if they do not.
const WITH_CONFLICT: Level = 2;
const WITHOUT_CONFLICT: Level = 8;

/// The level of texts with a part number that only these two have, whatever else they say.
pub(super) const PART_NUMBER: Level = 14;

/// Weight of the cosine, compared with the share of the shorter text that is contained in the longer: most of it, but
/// "Ryder" must find "Chicago Public Schools Ryder".
const COSINE: f32 = 0.7;

/// Maximum number of unmatched words to search for misspellings: a longer list is a text, where a few words do not
/// matter.
const MOST_LEFT_OVER: usize = 12;

/// The level of texts without a word in common.
pub(super) fn different(is_conflict: bool) -> Level {
    if is_conflict { WITH_CONFLICT } else { WITHOUT_CONFLICT }
}

/// The level of two texts; their letters are needed only for few words.
pub(super) fn level(words: &Words, texts: Option<[Spelled<'_>; 2]>, values: [u32; 2]) -> Level {
    if words.share_part_number(values) {
        return PART_NUMBER;
    }
    let (similarity, is_conflict) = similarity(words, texts, values);
    let bin = BINS.iter().filter(|least| similarity >= **least).count() as Level;
    bin + different(is_conflict)
}

/// The middle of each bin.
const CENTERS: [f32; 6] = [0.1, 0.3, 0.475, 0.625, 0.775, 0.925];

/// The weight between those of the two levels that a similarity lies between.
pub(super) fn weight_between(weights: &[f64], similarity: f32, is_conflict: bool) -> f64 {
    let first = usize::from(if is_conflict { WITH_CONFLICT } else { WITHOUT_CONFLICT });
    let weight = |bin: usize| weights[first + bin];
    let above = CENTERS.iter().filter(|center| similarity >= **center).count();
    if above == 0 || above == CENTERS.len() {
        return weight(above.saturating_sub(1));
    }
    let share = f64::from((similarity - CENTERS[above - 1]) / (CENTERS[above] - CENTERS[above - 1]));
    weight(above - 1) * (1.0 - share) + weight(above) * share
}

/// Share of words in common, from 0 to 1, and whether each side has a number that the other lacks.
pub(super) fn similarity(words: &Words, texts: Option<[Spelled<'_>; 2]>, values: [u32; 2]) -> (f32, bool) {
    let [left, right] = values.map(|value| words.sorted.list(value as usize));
    let mut shared = 0.0;
    let mut left_over = [LeftOver::default(), LeftOver::default()];
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) if a == b => {
                shared += words.weights[*a as usize].powi(2);
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none_or(|b| a < b) => {
                left_over[0].push(*a);
                i += 1;
            }
            (_, Some(b)) => {
                left_over[1].push(*b);
                j += 1;
            }
            (_, None) => unreachable!("then the left side is at its end too"),
        }
    }
    if left_over.iter().all(|words| (1..=MOST_LEFT_OVER).contains(&words.count)) {
        shared += joined(words, values, &mut left_over);
        shared += misspelled(words, &mut left_over);
    }
    let is_conflict = left_over.iter().all(|list| list.words().iter().any(|word| words.is_number[*word as usize]));
    if shared == 0.0 && left.len().max(right.len()) > 2 {
        return (0.0, is_conflict);
    }
    let [a, b] = values.map(|value| words.lengths[value as usize]);
    let cosine = shared / (a * b);
    let within = shared / a.min(b).powi(2);
    let mut similarity = (COSINE * cosine + (1.0 - COSINE) * within.min(1.0)).min(1.0);
    if let Some(texts) = texts
        && left.len() <= 2
        && right.len() <= 2
        && !is_conflict
    {
        // Texts of so few words are compared letter by letter as well.
        similarity = similarity.max(ratio(texts, LEAST_RATIO) as f32 * 0.95);
    }
    (similarity, is_conflict)
}

/// Minimum share of letters in common for texts of few words to be similar: less is chance.
const LEAST_RATIO: f64 = 0.4;

/// Words without a partner: the rarest, since they come in that order.
#[derive(Clone, Copy, Default)]
struct LeftOver {
    words: [u32; MOST_LEFT_OVER],
    count: usize,
}

impl LeftOver {
    fn push(&mut self, word: u32) {
        if let Some(place) = self.words.get_mut(self.count) {
            *place = word;
        }
        self.count += 1;
    }

    fn words(&self) -> &[u32] {
        &self.words[..self.count.min(MOST_LEFT_OVER)]
    }

    /// Takes a word out, if it is there.
    fn take(&mut self, word: u32) -> bool {
        let Some(at) = self.words().iter().position(|other| *other == word) else { return false };
        self.count -= 1;
        self.words[at] = self.words[self.count];
        true
    }
}

/// Finds words that the other side writes as one: "van buren" and "vanburen".
fn joined(words: &Words, values: [u32; 2], left_over: &mut [LeftOver; 2]) -> f32 {
    let mut shared = 0.0;
    for (side, other) in [(0, 1), (1, 0)] {
        if left_over[side].count < 2 {
            continue;
        }
        for two in words.in_order.list(values[side] as usize).windows(2) {
            let are_left_over = two.iter().all(|word| left_over[side].words().contains(word));
            if two[0] == two[1] || !are_left_over {
                continue;
            }
            let [first, second] = [two[0], two[1]].map(|word| words.texts.get(word as usize));
            let is_both =
                |word: &&u32| words.texts.get(**word as usize).strip_prefix(first).is_some_and(|rest| rest == second);
            if let Some(whole) = left_over[other].words().iter().find(is_both).copied() {
                left_over[other].take(whole);
                two.iter().for_each(|word| {
                    left_over[side].take(*word);
                });
                let length = two.iter().map(|word| words.weights[*word as usize].powi(2)).sum::<f32>().sqrt();
                shared += words.weights[whole as usize] * length;
            }
        }
    }
    shared
}

/// Finds words with a nearly equal partner on the other side, best partners first.
fn misspelled(words: &Words, left_over: &mut [LeftOver; 2]) -> f32 {
    let mut found: Vec<(f32, u32, u32)> = Vec::new();
    for left in left_over[0].words() {
        for right in left_over[1].words() {
            let spelled = |word: u32| Spelled::among(&words.texts, word as usize, words.letters[word as usize]);
            let alike = word_similarity([*left, *right].map(spelled));
            if alike > 0.0 {
                found.push((alike * words.weights[*left as usize] * words.weights[*right as usize], *left, *right));
            }
        }
    }
    let words_of = |(_, left, right): &(f32, u32, u32)| (*left.min(right), *left.max(right));
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(words_of(a).cmp(&words_of(b))));
    let mut shared = 0.0;
    for (share, left, right) in found {
        let are_both_left = left_over[0].words().contains(&left) && left_over[1].words().contains(&right);
        if are_both_left && left_over[0].take(left) && left_over[1].take(right) {
            shared += share;
        }
    }
    shared
}

/// Degree to which one word stands for another: a typing error, an abbreviation, an initial.
fn word_similarity(texts: [Spelled<'_>; 2]) -> f32 {
    let [left, right] = texts;
    if left.letters.least_slips(right.letters) > 2 && !left.letters.may_be_within(right.letters) {
        return 0.0;
    }
    let [left, right] = texts.map(Spelled::text);
    let [shorter, longer] = if left.len() <= right.len() { [left, right] } else { [right, left] };
    let has_digit = |text: &str| text.bytes().any(|b| b.is_ascii_digit());
    if has_digit(shorter) || has_digit(longer) {
        // 7th and 8th, cs2 and cs3: a different number is not a typing error.
        return 0.0;
    }
    if shorter.len() >= 4 {
        let most = if shorter.len() >= 8 { 2 } else { 1 };
        if let Some(count) = slips(texts, most) {
            return 1.0 - 0.15 * count as f32;
        }
    }
    match shorter.len() {
        1 if longer.starts_with(shorter) => 0.3,
        3.. if longer.starts_with(shorter) => 0.7,
        3.. if is_abbreviation(shorter, longer) => 0.5,
        _ => 0.0,
    }
}

/// "ctr" of "center": the same first letter, and the others in their order, with the last one too.
fn is_abbreviation(shorter: &str, longer: &str) -> bool {
    if longer.len() < shorter.len() + 2 || shorter.as_bytes()[0] != longer.as_bytes()[0] {
        return false;
    }
    let mut rest = longer.bytes();
    shorter.bytes().all(|letter| rest.any(|other| other == letter)) && shorter.bytes().last() == longer.bytes().last()
}
