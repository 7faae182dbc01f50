//! Numbers as people read them.

/// With a comma every three digits.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut groups: Vec<&str> = if first > 0 { vec![&digits[..first]] } else { Vec::new() };
    groups.extend(digits.as_bytes()[first..].chunks(3).map(|group| str::from_utf8(group).expect("digits are ASCII")));
    groups.join(",")
}

/// A count and its word, which gets an s unless there is one.
pub(crate) fn of(number: u64, word: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {word}{s}", count(number))
}

/// Bytes in a unit that leaves few digits.
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

/// A size as people write it: 500, 64k, 256M, 1.5GB, 2GiB. Without an `i`, steps are of a thousand, as they are shown.
pub(crate) fn parse_bytes(written: &str) -> Option<u64> {
    let written = written.trim();
    let unit = written.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(written.len());
    let number: f64 = written[..unit].trim().parse().ok()?;
    let (steps, step): (i32, f64) = match written[unit..].to_ascii_lowercase().as_str() {
        "" | "b" => (0, 1000.0),
        "k" | "kb" => (1, 1000.0),
        "m" | "mb" => (2, 1000.0),
        "g" | "gb" => (3, 1000.0),
        "t" | "tb" => (4, 1000.0),
        "kib" => (1, 1024.0),
        "mib" => (2, 1024.0),
        "gib" => (3, 1024.0),
        "tib" => (4, 1024.0),
        _ => return None,
    };
    (number.is_finite() && number >= 0.0).then(|| (number * step.powi(steps)) as u64)
}

/// A size to be typed, no less than this one.
pub(crate) fn typed_bytes(number: u64) -> String {
    if number < 10_000_000_000 {
        format!("{}M", number.div_ceil(1_000_000))
    } else {
        format!("{}G", number.div_ceil(1_000_000_000))
    }
}

/// Seconds with as many digits as say something.
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
        for (written, bytes) in [("500", 500), ("64k", 64_000), ("1.5 GB", 1_500_000_000), ("2GiB", 2 << 30)] {
            assert_eq!(parse_bytes(written), Some(bytes), "{written}");
        }
        assert_eq!((&*typed_bytes(64_000_001), &*typed_bytes(10_000_000_001)), ("65M", "11G"));
        assert_eq!(["", "M", "-1", "1x", "nan"].map(parse_bytes), [None; 5]);
        assert_eq!((&*seconds(0.1234), &*seconds(12.34), &*seconds(123.4)), ("0.12 s", "12.3 s", "123 s"));
    }
}
