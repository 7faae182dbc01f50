//! Codes, phones, e-mails and numbers: what a slip of the hand does to them.

use rapidfuzz::distance::{jaro_winkler, osa};

use super::{DIFFERENT, Level};
use crate::link::letters::Letters;
use crate::strings::Strings;

/// A text with its letters, which are looked at first: texts lie all over the memory.
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
}

/// How many letters the shorter and the longer text have.
pub(super) fn lengths(texts: [Spelled<'_>; 2]) -> [u32; 2] {
    let [left, right] = texts.map(|one| one.letters.count());
    [left.min(right), left.max(right)]
}

/// How many slips lie between two texts: a letter put in, left out, replaced, or two swapped; none above `most`.
pub(super) fn slips(texts: [Spelled<'_>; 2], most: usize) -> Option<usize> {
    let [left, right] = texts;
    if left.letters.least_slips(right.letters) as usize > most {
        return None;
    }
    let args = osa::Args::default().score_cutoff(most);
    let [left, right] = [left.text(), right.text()];
    if left.is_ascii() && right.is_ascii() {
        osa::distance_with_args(left.bytes(), right.bytes(), &args)
    } else {
        osa::distance_with_args(left.chars(), right.chars(), &args)
    }
}

/// The share of letters that need no slip; zero below `least`.
pub(super) fn ratio(texts: [Spelled<'_>; 2], least: f64) -> f64 {
    let [left, right] = texts;
    if left.letters.most_ratio(right.letters) < least {
        return 0.0;
    }
    let [left, right] = [left.text(), right.text()];
    let ratio = if left.is_ascii() && right.is_ascii() {
        osa::normalized_similarity(left.bytes(), right.bytes())
    } else {
        osa::normalized_similarity(left.chars(), right.chars())
    };
    if ratio < least { 0.0 } else { ratio }
}

/// Likeness of names, which are more often wrong at their ends. (Winkler 1990)
/// Zero below `least`.
pub(super) fn jaro(texts: [Spelled<'_>; 2], least: f64) -> f64 {
    let [left, right] = texts;
    if left.letters.most_jaro(right.letters) < least {
        return 0.0;
    }
    let [left, right] = [left.text(), right.text()];
    if left.is_ascii() && right.is_ascii() {
        jaro_winkler::similarity(left.bytes(), right.bytes())
    } else {
        jaro_winkler::similarity(left.chars(), right.chars())
    }
}

pub(super) fn code_level(texts: [Spelled<'_>; 2]) -> Level {
    let [shorter, _] = lengths(texts);
    match slips(texts, 2) {
        // Two of three letters are another state, not a slip.
        Some(1) if shorter >= 3 => 5,
        Some(2) if shorter >= 6 => 4,
        _ if shorter >= 5 && ratio(texts, 0.6) > 0.0 => 3,
        _ => DIFFERENT,
    }
}

/// Digits of a phone within its area.
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
    // An area code more or less is no slip, so that only the digits that both have are looked at.
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

pub(super) fn email_level(texts: [Spelled<'_>; 2]) -> Level {
    let [left, right] = texts.map(|one| one.text().split_once('@').unwrap_or((one.text(), "")));
    let shorter = left.0.len().min(right.0.len());
    match slips(texts, 2) {
        Some(1) if shorter >= 3 => return 6,
        Some(2) if shorter >= 8 => return 6,
        _ => {}
    }
    if left.0 == right.0 && shorter >= 4 {
        return 5;
    }
    if ratio(texts, 0.75) > 0.0 {
        return 4;
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
        assert_eq!(level("roberta25@smith.net", "robert255@smith.net"), 6);
        assert_eq!(level("ann.lee@old.org", "ann.lee@other-place.com"), 5);
        assert_eq!(level("ann.lee@corp.com", "xavier@corp.com"), 3);
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
