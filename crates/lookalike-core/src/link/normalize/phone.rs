//! Normalizes phone numbers: digits only, without prefixes and extensions.

use super::words::fold;

/// Maximum number of digits in the international numbering plan. (ITU-T E.164)
const MOST_DIGITS: usize = 15;

/// Minimum number of digits of a phone number.
const LEAST_DIGITS: usize = 4;

pub(super) fn normalize(value: &str) -> String {
    let lower = fold(value);
    // An extension is after the number.
    let number =
        ["ext", "x", "#"].iter().filter_map(|mark| lower.find(mark)).min().map_or(&lower[..], |at| &lower[..at]);
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let trimmed = if digits.len() > 10 { digits.strip_prefix("00").unwrap_or(&digits) } else { &digits };
    // North America: eleven digits that begin with its country code.
    let trimmed = if trimmed.len() == 11 { trimmed.strip_prefix('1').unwrap_or(trimmed) } else { trimmed };
    let is_one_digit = trimmed.bytes().all(|digit| Some(digit) == trimmed.bytes().next());
    if trimmed.len() < LEAST_DIGITS || trimmed.len() > MOST_DIGITS || is_one_digit {
        return String::new();
    }
    trimmed.to_owned()
}
