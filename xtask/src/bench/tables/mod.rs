//! Output of the benchmarks: tables, saved results, and the pages generated from them.

pub(in crate::bench) mod pages;
pub(in crate::bench) mod report;
pub(in crate::bench) mod results;

/// A target with its result; one that was missed is highlighted.
pub(in crate::bench) fn against(target: &str, is_met: bool) -> String {
    format!("{target}: {}", if is_met { "met" } else { "**missed**" })
}

/// A count with a comma after every three digits.
pub(in crate::bench) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        assert_eq!([0, 999, 1_000, 45_000, 2_000_000].map(thousands), ["0", "999", "1,000", "45,000", "2,000,000"]);
    }

    #[test]
    fn a_missed_target_stands_out() {
        assert_eq!(against("≤ 2", true), "≤ 2: met");
        assert_eq!(against("≤ 2", false), "≤ 2: **missed**");
    }
}
