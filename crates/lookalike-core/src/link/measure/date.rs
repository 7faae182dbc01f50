//! Compares dates: typing errors, swapped days and months, and days that are close to each other.

use super::plain::{Spelled, slips};
use super::{DIFFERENT, Level};
use crate::link::normalize::Date;

pub(super) fn level(texts: [Spelled<'_>; 2], dates: [Date; 2]) -> Level {
    let [left, right] = dates;
    let is_partial = |date: Date| date.month == 0 || date.day == 0;
    if is_partial(left) || is_partial(right) {
        let agrees = |left: u8, right: u8| left == 0 || right == 0 || left == right;
        if left.year == right.year && agrees(left.month, right.month) && agrees(left.day, right.day) {
            return 8;
        }
    }
    if slips(texts, 1).is_some() {
        return 7;
    }
    if left.year == right.year && left.month == right.day && left.day == right.month {
        return 6;
    }
    let equal_parts = usize::from(left.year == right.year)
        + usize::from(left.month == right.month && left.month > 0)
        + usize::from(left.day == right.day && left.day > 0);
    if equal_parts == 2 {
        return 5;
    }
    match left.day_number().abs_diff(right.day_number()) {
        0..=45 => 4,
        46..=730 => 3,
        _ => DIFFERENT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::normalize::DateOrder;

    #[test]
    fn what_people_do_to_dates_is_told_apart() {
        for (left, right, expected) in [
            ("1971-06-24", "1971-05-24", 7),
            ("1971-06-24", "1917-06-24", 7),
            ("1971-06-04", "1971-04-06", 6),
            ("1971-06-24", "1985-06-24", 5),
            ("1971-06-24", "1971-07-03", 4),
            ("1971-06-24", "1972-01-03", 3),
            ("1971-06-24", "1999-01-03", 2),
            ("1971-06-24", "1971", 8),
        ] {
            let dates = [left, right].map(|text| Date::parse(text, DateOrder::MonthFirst).unwrap());
            assert_eq!(level([left, right].map(Spelled::new), dates), expected, "{left} {right}");
        }
    }
}
