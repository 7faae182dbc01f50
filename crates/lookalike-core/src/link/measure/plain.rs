//! Codes, phones, e-mails and numbers: what a slip of the hand does to them.

use rapidfuzz::distance::{jaro_winkler, osa};

use super::{DIFFERENT, Level};

/// How many slips lie between two texts: a letter put in, left out, replaced, or two swapped; none above `most`.
pub(super) fn slips(texts: [&str; 2], most: usize) -> Option<usize> {
    let [left, right] = texts;
    if left.len().abs_diff(right.len()) > most * 4 {
        return None;
    }
    let args = osa::Args::default().score_cutoff(most);
    if left.is_ascii() && right.is_ascii() {
        if left.len().abs_diff(right.len()) > most {
            return None;
        }
        osa::distance_with_args(left.bytes(), right.bytes(), &args)
    } else {
        osa::distance_with_args(left.chars(), right.chars(), &args)
    }
}

/// The share of letters that need no slip.
pub(super) fn ratio(texts: [&str; 2]) -> f64 {
    let [left, right] = texts;
    if left.is_ascii() && right.is_ascii() {
        osa::normalized_similarity(left.bytes(), right.bytes())
    } else {
        osa::normalized_similarity(left.chars(), right.chars())
    }
}

/// Likeness of names, which are more often wrong at their ends. (Winkler 1990)
pub(super) fn jaro(texts: [&str; 2]) -> f64 {
    let [left, right] = texts;
    if left.is_ascii() && right.is_ascii() {
        jaro_winkler::similarity(left.bytes(), right.bytes())
    } else {
        jaro_winkler::similarity(left.chars(), right.chars())
    }
}

pub(super) fn code_level(texts: [&str; 2]) -> Level {
    let shorter = texts[0].len().min(texts[1].len());
    match slips(texts, 2) {
        // Two of three letters are another state, not a slip.
        Some(1) if shorter >= 3 => 5,
        Some(2) if shorter >= 6 => 4,
        _ if shorter >= 5 && ratio(texts) >= 0.6 => 3,
        _ => DIFFERENT,
    }
}

/// Digits of a phone within its area.
pub(in crate::link) const LOCAL_DIGITS: usize = 7;

pub(super) fn phone_level(texts: [&str; 2]) -> Level {
    let last = |count: usize| {
        let [left, right] = texts.map(|text| text.len().checked_sub(count).map(|start| &text[start..]));
        left.is_some() && left == right
    };
    if last(LOCAL_DIGITS) {
        return 6;
    }
    let shorter = texts[0].len().min(texts[1].len());
    // An area code more or less is no slip, so that only the local digits are looked at.
    let local = texts.map(|text| &text[text.len().saturating_sub(shorter)..]);
    match slips(local, 2) {
        Some(1) => 5,
        Some(2) if shorter >= LOCAL_DIGITS => 4,
        _ if last(4) => 3,
        _ => DIFFERENT,
    }
}

pub(super) fn email_level(texts: [&str; 2]) -> Level {
    if slips(texts, 2).is_some() {
        return 6;
    }
    let [left, right] = texts.map(|text| text.split_once('@').unwrap_or((text, "")));
    if left.0 == right.0 && left.0.len() >= 4 {
        return 5;
    }
    if ratio(texts) >= 0.7 {
        return 4;
    }
    if left.1 == right.1 && !left.1.is_empty() { 3 } else { DIFFERENT }
}

pub(super) fn number_level(texts: [&str; 2], numbers: [f64; 2]) -> Level {
    let apart = (numbers[0] - numbers[1]).abs() / numbers[0].abs().max(numbers[1].abs());
    if apart <= 0.005 {
        return 7;
    }
    let shorter = texts[0].len().min(texts[1].len());
    if shorter >= 2 && slips(texts, 1).is_some() {
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
        assert_eq!(phone_level(["3102461501", "2132461501"]), 6);
        assert_eq!(phone_level(["2461501", "2132461501"]), 6);
        assert_eq!(phone_level(["3102461501", "3102461507"]), 5);
        assert_eq!(phone_level(["3102461501", "3109991501"]), 3);
        assert_eq!(phone_level(["3102461501", "8187621221"]), DIFFERENT);
    }

    #[test]
    fn an_email_is_known_by_its_name_and_its_domain() {
        assert_eq!(email_level(["roberta25@smith.net", "robert255@smith.net"]), 6);
        assert_eq!(email_level(["ann.lee@old.org", "ann.lee@other-place.com"]), 5);
        assert_eq!(email_level(["ann.lee@corp.com", "xavier@corp.com"]), 3);
    }

    #[test]
    fn numbers_are_near_by_their_difference_or_by_their_digits() {
        let level = |left: &str, right: &str| number_level([left, right], [left, right].map(|text| text.parse().unwrap()));
        assert_eq!(level("99.95", "99.99"), 7);
        assert_eq!(level("925", "125"), 6);
        assert_eq!(level("100", "115"), 4);
        assert_eq!(level("1", "1000"), DIFFERENT);
    }

    #[test]
    fn the_order_of_two_values_does_not_matter() {
        let texts = ["smith", "smiht", "smythe", "schmidt", "s", "", "šmit", "1234567", "7654321"];
        for left in texts {
            for right in texts {
                assert_eq!(code_level([left, right]), code_level([right, left]));
                assert_eq!(phone_level(["1234567", "2234567"]), phone_level(["2234567", "1234567"]));
                assert_eq!(slips([left, right], 2), slips([right, left], 2));
                assert!((jaro([left, right]) - jaro([right, left])).abs() < 1e-12, "{left} {right}");
            }
        }
    }
}
