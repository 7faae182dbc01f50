//! The words of a field's values, and the weight of each: TF-IDF.

use std::collections::HashMap;
use std::hint::black_box;

use xxhash_rust::xxh3::xxh3_64;

use super::letters::Letters;
use crate::packed::Lists;
use crate::packed::Strings;

/// The words of every value of a field. Words are numbered from the rarest to the most common.
#[derive(Debug)]
pub(super) struct Words {
    /// The distinct words.
    pub(super) texts: Strings,
    /// Number of records of the first table, and of the second, that have each word.
    pub(super) counts: Vec<[u32; 2]>,
    /// Weight of each word: the logarithm of its rarity.
    pub(super) weights: Vec<f32>,
    /// The words of each value in the order of the text.
    pub(super) in_order: Lists,
    /// The distinct words of each value, rarest first.
    pub(super) sorted: Lists,
    /// The letters of each word.
    pub(super) letters: Vec<Letters>,
    /// True for each word with a digit: a number, a model, a version.
    pub(super) is_number: Vec<bool>,
    /// The length of each value as a vector of weights.
    pub(super) lengths: Vec<f32>,
    /// Part numbers of each value that exactly two records have, one of each table if there are two.
    pub(super) part_numbers: Lists,
}

impl Words {
    pub(super) fn new(values: &Strings, value_counts: &[Vec<u32>; 2]) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut found: Vec<(&str, [u32; 2])> = Vec::new();
        let mut in_order = Lists::default();
        let mut list: Vec<u32> = Vec::new();
        let mut record_count = 0;
        for (at, value) in values.iter().enumerate() {
            let counts = [value_counts[0][at], value_counts[1][at]];
            record_count += counts[0] + counts[1];
            list.clear();
            for word in value.split(' ') {
                let number = *numbers.entry(word).or_insert_with(|| {
                    found.push((word, [0, 0]));
                    found.len() as u32 - 1
                });
                if !list.contains(&number) {
                    found[number as usize].1[0] += counts[0];
                    found[number as usize].1[1] += counts[1];
                }
                list.push(number);
            }
            in_order.push(list.iter().copied());
        }
        let mut by_rarity: Vec<u32> = (0..found.len() as u32).collect();
        by_rarity.sort_unstable_by_key(|word| {
            let (text, counts) = found[*word as usize];
            (counts[0] + counts[1], text)
        });
        let mut rank = vec![0; found.len()];
        by_rarity.iter().zip(0..).for_each(|(word, at)| rank[*word as usize] = at);
        let in_order: Lists = in_order.iter().map(|list| list.iter().map(|word| rank[*word as usize])).collect();
        let texts: Strings = by_rarity.iter().map(|word| found[*word as usize].0).collect();
        let counts: Vec<[u32; 2]> = by_rarity.iter().map(|word| found[*word as usize].1).collect();
        let weights: Vec<f32> = counts
            .iter()
            .map(|counts| (1.0 + f64::from(record_count) / f64::from(counts[0] + counts[1])).ln() as f32)
            .collect();
        let sorted: Lists = in_order
            .iter()
            .map(|list| {
                let mut list = list.to_vec();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        let length = |list: &[u32]| list.iter().map(|word| weights[*word as usize].powi(2)).sum::<f32>().sqrt();
        let lengths = sorted.iter().map(length).collect();
        let letters = texts.iter().map(Letters::of).collect();
        let is_number = texts.iter().map(|text| text.bytes().any(|b| b.is_ascii_digit())).collect();
        let part_numbers = part_numbers(&in_order, &texts, value_counts);
        Self { texts, counts, weights, in_order, sorted, letters, is_number, lengths, part_numbers }
    }

    /// Prefetches the data needed to compare a value.
    #[inline]
    pub(super) fn look_at(&self, value: usize) {
        let lists = [&self.sorted, &self.part_numbers].map(|lists| lists.list(value).first().copied());
        black_box((lists, self.lengths[value]));
    }

    /// True if two values share a part number that no other record has.
    pub(super) fn share_part_number(&self, values: [u32; 2]) -> bool {
        let [left, right] = values.map(|value| self.part_numbers.list(value as usize));
        left.iter().any(|number| right.contains(number))
    }
}

/// Part numbers of each value that exactly two records have: of one table, or one of each. A part number is a word of
/// some letters with a digit, or two adjacent words, since hyphens and blanks in it are often left out.
fn part_numbers(in_order: &Lists, texts: &Strings, value_counts: &[Vec<u32>; 2]) -> Lists {
    let found: Vec<Vec<u32>> = in_order.iter().map(|words| numbers_of(words, texts)).collect();
    let mut counts: HashMap<u32, [u32; 2]> = HashMap::new();
    for (at, numbers) in found.iter().enumerate() {
        for number in numbers {
            let counts = counts.entry(*number).or_default();
            counts[0] += value_counts[0][at];
            counts[1] += value_counts[1][at];
        }
    }
    let is_two = value_counts[1].iter().any(|count| *count > 0);
    let wanted = if is_two { [1, 1] } else { [2, 0] };
    found
        .iter()
        .map(|numbers| numbers.iter().copied().filter(|number| counts[number] == wanted).collect::<Vec<_>>())
        .collect()
}

/// Hashes of everything that may be a part number.
fn numbers_of(words: &[u32], texts: &Strings) -> Vec<u32> {
    /// Minimum length: shorter words are a size or a version; of digits only, a year or a count.
    const LEAST: usize = 4;
    const LEAST_DIGITS: usize = 7;
    let hash = |text: &str| {
        let has_digit = text.bytes().any(|b| b.is_ascii_digit());
        let is_digits = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let is_long = text.len() >= if is_digits { LEAST_DIGITS } else { LEAST };
        (has_digit && is_long && !text.contains('.')).then(|| xxh3_64(text.as_bytes()) as u32)
    };
    let text = |word: u32| texts.get(word as usize);
    let alone = words.iter().filter_map(|word| hash(text(*word)));
    // A letter and a number: "ab 1234". Two adjacent numbers are two numbers, and two words that contain a number by
    // chance are words.
    let is_part = |two: &&[u32]| {
        let [left, right] = [text(two[0]), text(two[1])];
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        left.len() <= 4 && !is_number(left) && is_number(right)
    };
    let joined = words.windows(2).filter(is_part).filter_map(|two| hash(&format!("{}{}", text(two[0]), text(two[1]))));
    let mut numbers: Vec<u32> = alone.chain(joined).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
