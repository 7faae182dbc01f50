//! Formats numbers for people.

/// A count: 1,234,567.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A count with its unit: 1 document, 2 documents.
pub fn of(number: u64, one: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {one}{ending}", count(number))
}

/// A short count: 950, 1.2k, 34k, 5.6M.
pub fn short(number: u64) -> String {
    let scaled = |scale: f64, unit: &str| {
        let value = number as f64 / scale;
        if value < 9.95 { format!("{value:.1}{unit}") } else { format!("{value:.0}{unit}") }
    };
    match number {
        0..1_000 => number.to_string(),
        1_000..999_500 => scaled(1e3, "k"),
        999_500..999_500_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// A share as a percentage; one that is not exactly 0 or 1 is never shown as such.
pub fn share(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        p if p > 0.0 && p < 0.05 => "under 0.1 %".to_owned(),
        p if (99.95..100.0).contains(&p) => "over 99.9 %".to_owned(),
        p if p <= 0.0 || p >= 100.0 => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

/// Bytes: 304 MB.
pub fn bytes(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, "B");
    for larger in ["kB", "MB", "GB", "TB"] {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, larger);
    }
    if unit == "B" || value >= 99.5 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// Seconds: 0.42 s, 12.3 s, 4 min 5 s.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 99.95 => format!("{s:.1} s"),
        s => {
            let whole = s.round() as u64;
            match (whole / 3600, whole / 60 % 60, whole % 60) {
                (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
                (hours, minutes, _) => format!("{hours} h {minutes} min"),
            }
        }
    }
}

/// A similarity with four digits, of which the last never rounds up to 1.
pub fn similarity(similarity: f64) -> String {
    let shown = format!("{similarity:.4}");
    if shown == "1.0000" && similarity < 1.0 { "0.9999".to_owned() } else { shown }
}

/// A number with at most four digits after the point, without trailing zeros: 0.8, 0.9911.
pub fn decimal(value: f64) -> String {
    let shown = format!("{value:.4}");
    let shown = shown.trim_end_matches('0').trim_end_matches('.');
    match shown {
        "1" if value < 1.0 => "0.9999".to_owned(),
        "0" | "-0" if value > 0.0 => "under 0.0001".to_owned(),
        "-0" => "0".to_owned(),
        shown => shown.to_owned(),
    }
}

/// The UTC date of a time in seconds since 1970: 2026-11-18.
pub fn date(seconds: u64) -> String {
    // Days are counted from March 1 of the year 0, so that the leap day is the last of its year.
    // (Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, civil_from_days)
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let of_years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * of_years + of_years / 4 - of_years / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = of_years + 400 * era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A number with two digits and its sign: +3.20, −1.05.
pub fn signed(value: f64) -> String {
    let shown = format!("{:.2}", value.abs());
    let sign = if value < 0.0 && shown != "0.00" { '−' } else { '+' };
    format!("{sign}{shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [999, 1000, 9_960, 999_499, 999_500, 2_000_000_000].map(short),
            ["999", "1.0k", "10k", "999k", "1.0M", "2.0G"]
        );
        assert_eq!(
            [0.0, 0.0001, 0.5, 0.9999, 1.0].map(share),
            ["0 %", "under 0.1 %", "50.0 %", "over 99.9 %", "100 %"]
        );
        assert_eq!([12, 1500, 304_000_000].map(bytes), ["12 B", "1.5 kB", "304 MB"]);
        assert_eq!([0.421, 12.34, 245.0, 7300.0].map(seconds), ["0.42 s", "12.3 s", "4 min 5 s", "2 h 1 min"]);
        assert_eq!([0.8, 0.99999, 1.0].map(similarity), ["0.8000", "0.9999", "1.0000"]);
        assert_eq!([3.2, -1.054, -0.001].map(signed), ["+3.20", "−1.05", "+0.00"]);
        assert_eq!(
            [0.8, 0.991_049_999, 1.0, 0.999_99, 0.000_01, 0.0].map(decimal),
            ["0.8", "0.991", "1", "0.9999", "under 0.0001", "0"]
        );
        assert_eq!(
            [0, 951_782_400, 951_868_800, 1_795_000_000].map(date),
            ["1970-01-01", "2000-02-29", "2000-03-01", "2026-11-18"]
        );
        assert_eq!([of(1, "pair"), of(2000, "pair")], ["1 pair", "2,000 pairs"]);
    }
}
