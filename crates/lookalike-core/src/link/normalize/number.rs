//! Parses numbers with currency, thousands separators and decimal points.

/// Parses a number; a unit before or after it is ignored.
pub(in crate::link) fn parse_number(value: &str) -> Option<f64> {
    let trimmed = value
        .trim_start_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '.'))
        .trim_end_matches(|c: char| !c.is_ascii_digit());
    // A currency or a unit, but not a name.
    if value.chars().filter(|c| c.is_alphabetic()).count() > 3 {
        return None;
    }
    let is_number =
        |text: &str| text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b' ' | b'-' | b'\''));
    if !trimmed.bytes().any(|b| b.is_ascii_digit()) || !is_number(trimmed) || trimmed[1..].contains('-') {
        return None;
    }
    let last_point = trimmed.rfind('.');
    let last_comma = trimmed.rfind(',');
    // In "1.099,50" the later sign is the decimal one. A lone comma is one unless three digits follow it.
    let comma_is_decimal = match (last_point, last_comma) {
        (Some(point), Some(comma)) => comma > point,
        (None, Some(comma)) => trimmed.len() - comma != 4 && trimmed.matches(',').count() == 1,
        _ => false,
    };
    let plain: String = trimmed
        .chars()
        .filter_map(|c| match c {
            ',' if comma_is_decimal => Some('.'),
            '.' if comma_is_decimal => None,
            ',' | ' ' | '\'' => None,
            other => Some(other),
        })
        .collect();
    plain.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (written, number) in [
            ("12", 12.0),
            ("$1,099.50", 1099.5),
            ("1.099,50 €", 1099.5),
            ("-3", -3.0),
            ("2,5", 2.5),
            ("10,000", 10_000.0),
        ] {
            assert_eq!(parse_number(written), Some(number), "{written}");
        }
        for wrong in ["", "abc", "12 main", "1-2", "1.2.3"] {
            assert_eq!(parse_number(wrong), None, "{wrong}");
        }
    }
}
