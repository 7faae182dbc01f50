//! Compares codes, phones, e-mail addresses and numbers, with tolerance for typing errors.

use rapidfuzz::distance::{jaro_winkler, osa};

use super::{DIFFERENT, Level};
use crate::link::letters::Letters;
use crate::packed::Strings;

/// A text with its letters, which are checked first: texts are scattered over memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelled<'a> {
    place: Place<'a>,
    pub(super) letters: Letters,
}

#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    Here(&'a str),
    Among(&'a Strings, usize),
}

impl<'a> Spelled<'a> {
    pub(super) fn among(strings: &'a Strings, at: usize, letters: Letters) -> Self {
        Self { place: Place::Among(strings, at), letters }
    }

    pub(super) fn new(text: &'a str) -> Self {
        Self { place: Place::Here(text), letters: Letters::of(text) }
    }

    pub(super) fn text(self) -> &'a str {
        match self.place {
            Place::Here(text) => text,
            Place::Among(strings, at) => strings.get(at),
        }
    }

    /// The text, or its first [`MOST_LETTERS`] characters.
    fn start(self) -> &'a str {
        let text = self.text();
        if self.letters.count() <= MOST_LETTERS {
            return text;
        }
        let end = text.char_indices().nth(MOST_LETTERS as usize).map_or(text.len(), |(end, _)| end);
        &text[..end]
    }
}

/// Number of letters in the shorter and in the longer text.
pub(super) fn lengths(texts: [Spelled<'_>; 2]) -> [u32; 2] {
    let [left, right] = texts.map(|one| one.letters.count());
    [left.min(right), left.max(right)]
}

/// Longer texts are compared by their first characters, up to this number: comparing all would take quadratic time.
const MOST_LETTERS: u32 = 512;

/// Edit distance between two texts: letters inserted, deleted, replaced, or two swapped; `None` if it is more than
/// `most`.
pub(super) fn slips(texts: [Spelled<'_>; 2], most: usize) -> Option<usize> {
    let [left, right] = texts;
    if left.letters.least_slips(right.letters) as usize > most {
        return None;
    }
    let is_long = lengths(texts)[0] > MOST_LETTERS;
    let args = osa::Args::default().score_cutoff(most);
    let [left, right] = [left.text(), right.text()];
    match (left.is_ascii() && right.is_ascii(), is_long) {
        (true, true) => few_slips(left.as_bytes(), right.as_bytes(), most),
        (false, true) => {
            let [left, right] = [left, right].map(|text| text.chars().collect::<Vec<_>>());
            few_slips(&left, &right, most)
        }
        (true, false) => osa::distance_with_args(left.bytes(), right.bytes(), &args),
        (false, false) => osa::distance_with_args(left.chars(), right.chars(), &args),
    }
}

/// Computes the same for texts of any length, in time proportional to their length: only letters at most `most`
/// positions apart can match, so a band of the table is enough, and the loop ends once too many edits are needed.
fn few_slips<T: PartialEq>(left: &[T], right: &[T], most: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > most {
        return None;
    }
    let (width, too_many) = (2 * most + 1, most + 1);
    // Entry `b` of a row is for the first `row + b - most` letters of `right`.
    let mut row: Vec<usize> = (0..width).map(|b| b.checked_sub(most).unwrap_or(too_many)).collect();
    let (mut last, mut before_last) = (vec![too_many; width], vec![too_many; width]);
    for i in 1..=left.len() {
        (before_last, last, row) = (last, row, before_last);
        for b in 0..width {
            row[b] = match (i + b).checked_sub(most) {
                Some(0) => i,
                Some(j) if j <= right.len() => {
                    let mut slips = last[b] + usize::from(left[i - 1] != right[j - 1]);
                    if b > 0 {
                        slips = slips.min(row[b - 1] + 1);
                    }
                    if b + 1 < width {
                        slips = slips.min(last[b + 1] + 1);
                    }
                    if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                        slips = slips.min(before_last[b] + 1);
                    }
                    slips.min(too_many)
                }
                _ => too_many,
            };
        }
        if row.iter().chain(&last).all(|slips| *slips > most) {
            return None;
        }
    }
    Some(row[right.len() + most - left.len()]).filter(|slips| *slips <= most)
}

/// Share of letters that need no edit; zero below `least`.
pub(super) fn ratio(texts: [Spelled<'_>; 2], least: f64) -> f64 {
    let [left, right] = texts;
    // The part cut off from long texts still counts here, through its length and its letters.
    let most_ratio = left.letters.most_ratio(right.letters);
    if most_ratio < least {
        return 0.0;
    }
    let [left, right] = texts.map(Spelled::start);
    let ratio = if left.is_ascii() && right.is_ascii() {
        osa::normalized_similarity(left.bytes(), right.bytes())
    } else {
        osa::normalized_similarity(left.chars(), right.chars())
    };
    let ratio = if lengths(texts)[1] > MOST_LETTERS { ratio.min(most_ratio) } else { ratio };
    if ratio < least { 0.0 } else { ratio }
}

/// Similarity of names, which are more often wrong at their ends. (Winkler 1990)
/// Zero below `least`.
pub(super) fn jaro(texts: [Spelled<'_>; 2], least: f64) -> f64 {
    let [left, right] = texts;
    let most_jaro = left.letters.most_jaro(right.letters);
    if most_jaro < least {
        return 0.0;
    }
    let [left, right] = texts.map(Spelled::start);
    let jaro = if left.is_ascii() && right.is_ascii() {
        jaro_winkler::similarity(left.bytes(), right.bytes())
    } else {
        jaro_winkler::similarity(left.chars(), right.chars())
    };
    if lengths(texts)[1] > MOST_LETTERS { jaro.min(most_jaro) } else { jaro }
}

pub(super) fn code_level(texts: [Spelled<'_>; 2]) -> Level {
    let [shorter, _] = lengths(texts);
    match slips(texts, 2) {
        // Two out of three letters are a different state, not a typing error.
        Some(1) if shorter >= 3 => 5,
        Some(2) if shorter >= 6 => 4,
        _ if shorter >= 5 && ratio(texts, 0.6) > 0.0 => 3,
        _ => DIFFERENT,
    }
}

/// Digits of a phone number within its area.
pub(in crate::link) const LOCAL_DIGITS: usize = 7;

pub(super) fn phone_level(texts: [Spelled<'_>; 2]) -> Level {
    let [left, right] = texts.map(Spelled::text);
    let last = |count: usize| {
        let [left, right] = [left, right].map(|text| text.len().checked_sub(count).map(|start| &text[start..]));
        left.is_some() && left == right
    };
    if last(LOCAL_DIGITS) {
        return 6;
    }
    let shorter = left.len().min(right.len());
    // An additional area code is not an error, so only the digits that both have are compared.
    let local = texts.map(|one| match one.text().len() - shorter {
        0 => one,
        start => Spelled::new(&one.text()[start..]),
    });
    match slips(local, 2) {
        Some(1) => 5,
        Some(2) if shorter >= LOCAL_DIGITS => 4,
        _ if last(4) => 3,
        _ => DIFFERENT,
    }
}

/// The part of an e-mail address before the @, and its domain.
pub(super) fn parts_of_email(text: &str) -> (&str, &str) {
    text.split_once('@').unwrap_or((text, ""))
}

pub(super) fn email_level(texts: [Spelled<'_>; 2]) -> Level {
    let [left, right] = texts.map(|one| parts_of_email(one.text()));
    let shorter = left.0.len().min(right.0.len());
    match slips(texts, 2) {
        Some(1) if shorter >= 3 => return 8,
        Some(2) if shorter >= 8 => return 8,
        _ => {}
    }
    if left.0 == right.0 && shorter >= 4 {
        return 7;
    }
    // Many addresses have the same domain: at least a third of the name must be equal too.
    if ratio(texts, 0.75) > 0.0 && ratio([left.0, right.0].map(Spelled::new), 0.34) > 0.0 {
        return 6;
    }
    if left.1 == right.1 && !left.1.is_empty() { 3 } else { DIFFERENT }
}

pub(super) fn number_level(texts: [Spelled<'_>; 2], numbers: [f64; 2]) -> Level {
    let apart = (numbers[0] - numbers[1]).abs() / numbers[0].abs().max(numbers[1].abs());
    if apart <= 0.005 {
        return 7;
    }
    if lengths(texts)[0] >= 2 && slips(texts, 1).is_some() {
        return 6;
    }
    match apart {
        _ if apart <= 0.05 => 5,
        _ if apart <= 0.2 => 4,
        _ if apart <= 0.5 => 3,
        _ => DIFFERENT,
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_phone_with_another_area_code_is_nearly_the_same() {
        let level = |left, right| phone_level([left, right].map(Spelled::new));
        assert_eq!(level("3102461501", "2132461501"), 6);
        assert_eq!(level("2461501", "2132461501"), 6);
        assert_eq!(level("3102461501", "3102461507"), 5);
        assert_eq!(level("3102461501", "3109991501"), 3);
        assert_eq!(level("3102461501", "8187621221"), DIFFERENT);
    }

    #[test]
    fn an_email_is_known_by_its_name_and_its_domain() {
        let level = |left, right| email_level([left, right].map(Spelled::new));
        assert_eq!(level("roberta25@smith.net", "robert255@smith.net"), 8);
        assert_eq!(level("ann.lee@old.org", "ann.lee@other-place.com"), 7);
        assert_eq!(level("ann.lee@corp.com", "xavier@corp.com"), 3);
        assert_eq!(level("h.k@long-domain.com", "f.j@long-domain.com"), 3);
    }

    #[test]
    fn numbers_are_near_by_their_difference_or_by_their_digits() {
        let level = |left: &str, right: &str| {
            number_level([left, right].map(Spelled::new), [left, right].map(|text| text.parse().unwrap()))
        };
        assert_eq!(level("99.95", "99.99"), 7);
        assert_eq!(level("925", "125"), 6);
        assert_eq!(level("100", "115"), 4);
        assert_eq!(level("1", "1000"), DIFFERENT);
    }

    proptest! {
        #[test]
        fn a_few_slips_are_counted_as_all_are(left in "[a-cé]{0,12}", right in "[a-cé]{0,12}", most in 0_usize..4) {
            let [left, right] = [left, right].map(|text| text.chars().collect::<Vec<_>>());
            let expected = Some(osa::distance(left.iter(), right.iter())).filter(|slips| *slips <= most);
            prop_assert_eq!(few_slips(&left, &right, most), expected);
            // Near each other.
            let mut slipped = left.clone();
            slipped.reverse();
            prop_assert_eq!(
                few_slips(&left, &slipped, most),
                Some(osa::distance(left.iter(), slipped.iter())).filter(|slips| *slips <= most)
            );
        }
    }

    /// Pseudorandom letters, always the same.
    fn by_chance(seed: u64, count: u64) -> String {
        let letter = |at: u64| {
            let noise = (seed << 32 | at).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            char::from(b'a' + ((noise ^ noise >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as u8 % 3)
        };
        (0..count).map(letter).collect()
    }

    #[test]
    fn long_texts_are_compared_by_their_starts_and_their_lengths() {
        let text = by_chance(1, 3_000);
        let mut slipped = text.clone();
        slipped.insert(1_500, 'é');
        let other = by_chance(2, 3_000);
        let with_end = format!("{text}{text}");
        let level = |left: &str, right: &str| {
            let levels = [[left, right], [right, left]].map(|texts| code_level(texts.map(Spelled::new)));
            assert_eq!(levels[0], levels[1]);
            levels[0]
        };
        assert_eq!(level(&text, &slipped), 5);
        assert_eq!(level(&text, &format!("{}{}", &text[..2_000], &other[2_000..])), 3);
        // Half of it is missing, whatever its beginning.
        assert_eq!(level(&text, &with_end), DIFFERENT);
        assert!((ratio([&*text, &*with_end].map(Spelled::new), 0.0) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn texts_four_times_as_long_take_no_more_than_four_times_as_long() {
        let took = |length: u64| {
            let texts: Vec<String> = (0..8).map(|seed| by_chance(seed, length)).collect();
            let texts: Vec<Spelled<'_>> = texts.iter().map(|text| Spelled::new(text)).collect();
            let time = |_| {
                let start = Instant::now();
                for (at, left) in texts.iter().enumerate() {
                    for right in &texts[..at] {
                        black_box((code_level([*left, *right]), email_level([*left, *right])));
                        black_box(jaro([*left, *right], 0.5));
                    }
                }
                start.elapsed()
            };
            (0..3).map(time).min().unwrap()
        };
        let (short, long) = (took(5_000), took(20_000));
        assert!(long < 8 * short + Duration::from_millis(20), "{short:?} {long:?}");
    }

    #[test]
    fn the_order_of_two_values_does_not_matter() {
        let texts = ["smith", "smiht", "smythe", "schmidt", "s", "", "šmit", "1234567", "7654321"];
        for (left, right) in texts.iter().flat_map(|left| texts.map(|right| (*left, right))) {
            let (one, other) = ([left, right].map(Spelled::new), [right, left].map(Spelled::new));
            assert_eq!(code_level(one), code_level(other));
            assert_eq!(email_level(one), email_level(other));
            assert_eq!(slips(one, 2), slips(other, 2));
            assert!((jaro(one, 0.0) - jaro(other, 0.0)).abs() < 1e-12, "{left} {right}");
        }
    }
}
