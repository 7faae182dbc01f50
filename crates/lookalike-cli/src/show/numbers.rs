//! Formats numbers for people.

/// Formats an integer with thousands separators.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut groups: Vec<&str> = if first > 0 { vec![&digits[..first]] } else { Vec::new() };
    groups.extend(digits.as_bytes()[first..].chunks(3).map(|group| str::from_utf8(group).expect("digits are ASCII")));
    groups.join(",")
}

/// Formats a count and its noun, in the plural unless the count is one.
pub(crate) fn of(number: u64, word: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {word}{s}", count(number))
}

/// Formats bytes in a unit that leaves few digits.
pub(crate) fn bytes(number: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value < 99.95);
    format!("{value:.digits$} {}", units[unit])
}

/// Formats seconds with only the significant digits.
pub(crate) fn seconds(number: f64) -> String {
    let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    format!("{number:.digits$} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!((&*count(0), &*count(999), &*count(1_234_567)), ("0", "999", "1,234,567"));
        assert_eq!((&*of(1, "document"), &*of(1200, "document")), ("1 document", "1,200 documents"));
        assert_eq!(
            (&*bytes(12), &*bytes(72_345), &*bytes(999_999), &*bytes(18_000_000_000)),
            ("12 B", "72.3 kB", "1.0 MB", "18.0 GB")
        );
        assert_eq!((&*seconds(0.1234), &*seconds(12.34), &*seconds(123.4)), ("0.12 s", "12.3 s", "123 s"));
    }
}
