//! Names of organisations, addresses and free text: how much of what the words tell is shared.

use super::Level;
use super::plain::{ratio, slips};
use crate::link::words::Words;

/// Where the levels of similarity begin.
const BINS: [f32; 5] = [0.2, 0.4, 0.55, 0.7, 0.85];

/// The level of "different" where numbers differ, and where they do not.
const WITH_CONFLICT: Level = 2;
const WITHOUT_CONFLICT: Level = 8;

/// How much the cosine counts beside the share of the shorter text that lies within the longer: most, but "Ryder" must find
/// "Chicago Public Schools Ryder".
const COSINE: f32 = 0.7;

/// Longer lists of words without a partner are not searched for misspelled ones: it is a text, and a few do not matter.
const MOST_LEFT_OVER: usize = 12;

pub(super) fn level(words: &Words, texts: [&str; 2], values: [u32; 2]) -> Level {
    let (similarity, is_conflict) = similarity(words, texts, values);
    let bin = BINS.iter().filter(|least| similarity >= **least).count() as Level;
    bin + if is_conflict { WITH_CONFLICT } else { WITHOUT_CONFLICT }
}

/// The middle of each bin.
const CENTRES: [f32; 6] = [0.1, 0.3, 0.475, 0.625, 0.775, 0.925];

/// The weight between those of the two levels that a similarity lies between.
pub(super) fn weight_between(weights: &[f64], similarity: f32, is_conflict: bool) -> f64 {
    let first = usize::from(if is_conflict { WITH_CONFLICT } else { WITHOUT_CONFLICT });
    let weight = |bin: usize| weights[first + bin];
    let above = CENTRES.iter().filter(|centre| similarity >= **centre).count();
    if above == 0 || above == CENTRES.len() {
        return weight(above.saturating_sub(1));
    }
    let share = f64::from((similarity - CENTRES[above - 1]) / (CENTRES[above] - CENTRES[above - 1]));
    weight(above - 1) * (1.0 - share) + weight(above) * share
}

/// How much is shared, from 0 to 1, and whether each side has a number that the other lacks.
pub(super) fn similarity(words: &Words, texts: [&str; 2], values: [u32; 2]) -> (f32, bool) {
    let [left, right] = values.map(|value| words.sorted.list(value as usize));
    let mut shared = 0.0;
    let mut left_over = [Vec::new(), Vec::new()];
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        match (left.get(i), right.get(j)) {
            (Some(a), Some(b)) if a == b => {
                shared += words.weights[*a as usize].powi(2);
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), Some(b)) if a < b => {
                left_over[0].push(*a);
                i += 1;
            }
            (Some(a), None) => {
                left_over[0].push(*a);
                i += 1;
            }
            (_, Some(b)) => {
                left_over[1].push(*b);
                j += 1;
            }
            (None, None) => unreachable!("one of them is not at its end"),
        }
    }
    if left_over.iter().all(|words| !words.is_empty() && words.len() <= MOST_LEFT_OVER) {
        shared += joined(words, values, &mut left_over);
        shared += misspelled(words, &mut left_over);
    }
    let is_conflict = left_over.iter().all(|list| list.iter().any(|word| words.is_number(*word)));
    let [a, b] = values.map(|value| words.lengths[value as usize]);
    let cosine = shared / (a * b);
    let within = shared / a.min(b).powi(2);
    let mut similarity = (COSINE * cosine + (1.0 - COSINE) * within.min(1.0)).min(1.0);
    if left.len() <= 2 && right.len() <= 2 && !is_conflict {
        // So few words are compared letter by letter as well.
        similarity = similarity.max(ratio(texts) as f32 * 0.95);
    }
    (similarity, is_conflict)
}

/// Words that the other side writes in one: "van buren" and "vanburen".
fn joined(words: &Words, values: [u32; 2], left_over: &mut [Vec<u32>; 2]) -> f32 {
    let mut shared = 0.0;
    for (side, other) in [(0, 1), (1, 0)] {
        for two in words.in_order.list(values[side] as usize).windows(2) {
            if !two.iter().all(|word| left_over[side].contains(word)) || two[0] == two[1] {
                continue;
            }
            let [first, second] = [two[0], two[1]].map(|word| words.texts.get(word as usize));
            let found = left_over[other].iter().position(|word| {
                words.texts.get(*word as usize).strip_prefix(first).is_some_and(|rest| rest == second)
            });
            if let Some(at) = found {
                let whole = left_over[other].swap_remove(at);
                left_over[side].retain(|word| !two.contains(word));
                let length = two.iter().map(|word| words.weights[*word as usize].powi(2)).sum::<f32>().sqrt();
                shared += words.weights[whole as usize] * length;
            }
        }
    }
    shared
}

/// Words with a partner on the other side that is nearly the same, best partners first.
fn misspelled(words: &Words, left_over: &mut [Vec<u32>; 2]) -> f32 {
    let mut found: Vec<(f32, u32, u32)> = Vec::new();
    for left in &left_over[0] {
        for right in &left_over[1] {
            let alike = word_similarity([*left, *right].map(|word| words.texts.get(word as usize)));
            if alike > 0.0 {
                found.push((alike * words.weights[*left as usize] * words.weights[*right as usize], *left, *right));
            }
        }
    }
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1.min(a.2), a.1.max(a.2)).cmp(&(b.1.min(b.2), b.1.max(b.2)))));
    let mut shared = 0.0;
    for (share, left, right) in found {
        let places = [(0, left), (1, right)].map(|(side, word)| left_over[side].iter().position(|other| *other == word));
        if let [Some(in_left), Some(in_right)] = places {
            left_over[0].swap_remove(in_left);
            left_over[1].swap_remove(in_right);
            shared += share;
        }
    }
    shared
}

/// How far one word stands for another: a slip, an abbreviation, an initial.
fn word_similarity(texts: [&str; 2]) -> f32 {
    let [shorter, longer] = if texts[0].len() <= texts[1].len() { texts } else { [texts[1], texts[0]] };
    let has_digit = |text: &str| text.bytes().any(|b| b.is_ascii_digit());
    if has_digit(shorter) || has_digit(longer) {
        // 7th and 8th, cs2 and cs3: with numbers there are no slips, only other numbers.
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
        2.. if longer.starts_with(shorter) && shorter.len() >= 3 => 0.7,
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
