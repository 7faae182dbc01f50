//! Dates in all common notations; a year or a month alone is a date too.

use std::fmt;

use super::words::words;

/// A day, or the known month or year. Unknown parts are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day, from 1.
    pub day: u8,
}

/// Meaning of the first number in "3/4/1999".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// As in the United States.
    #[default]
    MonthFirst,
    /// As in most of the world.
    DayFirst,
}

impl DateOrder {
    /// The order in which more of the values can be parsed: a day above 12 decides.
    pub fn of<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let (mut first_is_day, mut second_is_day) = (0, 0);
        for value in values {
            if let [first, second, year] = numbers(value)[..]
                && year > 31
            {
                first_is_day += usize::from(first > 12);
                second_is_day += usize::from(second > 12);
            }
        }
        if first_is_day > second_is_day { Self::DayFirst } else { Self::MonthFirst }
    }
}

/// Range of years in dates of people and businesses.
const YEARS: std::ops::RangeInclusive<u32> = 1000..=2199;

impl Date {
    /// Parses a date; returns `None` if it is not one.
    pub fn parse(value: &str, order: DateOrder) -> Option<Self> {
        // Ignore the time of day.
        let value = value.split_once('T').filter(|(date, _)| date.len() >= 8).map_or(value, |(date, _)| date);
        let parts = words(value);
        let month_at = parts.iter().position(|part| month_of(part).is_some());
        let numbers = numbers(value);
        if let Some(month) = month_at.and_then(|at| month_of(&parts[at])) {
            return match numbers[..] {
                [day, year] if year > 31 => Self::new(if year < 100 { century(year) + year } else { year }, month, day),
                [year, day] if year > 31 => Self::new(year, month, day),
                [year] if year > 31 => Self::new(year, month, 0),
                _ => None,
            };
        }
        if parts.iter().any(|part| part.bytes().any(|b| b.is_ascii_alphabetic())) {
            return None;
        }
        match numbers[..] {
            [whole] if value.trim().len() == 8 => Self::new(whole / 10_000, whole / 100 % 100, whole % 100)
                .or_else(|| Self::ordered(whole / 1_000_000, whole / 10_000 % 100, whole % 10_000, order)),
            [year] => Self::new(year, 0, 0),
            [year, month] if year > 31 => Self::new(year, month, 0),
            [month, year] => Self::new(year, month, 0),
            [year, month, day, ..] if year > 31 => Self::new(year, month, day),
            [first, second, year] if year < 100 && has_two_digits(value) => {
                Self::ordered(first, second, century(year) + year, order)
            }
            [first, second, year, ..] => Self::ordered(first, second, year, order),
            _ => None,
        }
    }

    fn ordered(first: u32, second: u32, year: u32, order: DateOrder) -> Option<Self> {
        let (month, day) = if order == DateOrder::DayFirst { (second, first) } else { (first, second) };
        // A single value in the other order must not be lost.
        Self::new(year, month, day).or_else(|| Self::new(year, day, month))
    }

    fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let is_date = YEARS.contains(&year) && month <= 12 && day <= 31 && (day == 0 || month > 0);
        is_date.then_some(Self { year: year as u16, month: month as u8, day: day as u8 })
    }

    /// Days since the beginning of the year 0, in the Gregorian calendar; an unknown month or day counts as the middle.
    pub fn day_number(self) -> i64 {
        let month = i64::from(if self.month == 0 { 7 } else { self.month });
        let day = i64::from(if self.day == 0 { 15 } else { self.day });
        // March first, so that the leap day is the last of its year. (Howard Hinnant, days_from_civil)
        let year = i64::from(self.year) - i64::from(month <= 2);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        year * 365 + year / 4 - year / 100 + year / 400 + day_of_year
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if self.month > 0 {
            write!(f, "-{:02}", self.month)?;
        }
        if self.day > 0 {
            write!(f, "-{:02}", self.day)?;
        }
        Ok(())
    }
}

fn numbers(value: &str) -> Vec<u32> {
    value.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

/// The century of a two-digit year: the most recent one that is possible.
fn century(year: u32) -> u32 {
    /// Later two-digit years belong to the previous century.
    const LAST: u32 = 30;
    if year > LAST { 1900 } else { 2000 }
}

/// True if a date ends in a two-digit year, as in "3/31/54".
fn has_two_digits(value: &str) -> bool {
    let year = value.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    year.len() == 2 && value.contains(['/', '-', '.'])
}

/// Number of a month by its first three letters, which are enough in English and related languages.
fn month_of(word: &str) -> Option<u32> {
    const MONTHS: [&[&str]; 12] = [
        &["jan"],
        &["feb"],
        &["mar", "maerz", "mrz"],
        &["apr", "avr"],
        &["may", "mai", "mei"],
        &["jun", "juin"],
        &["jul", "juil"],
        &["aug", "aou"],
        &["sep"],
        &["oct", "okt"],
        &["nov"],
        &["dec", "dez"],
    ];
    (word.len() >= 3 && word.bytes().all(|b| b.is_ascii_alphabetic()))
        .then(|| MONTHS.iter().position(|starts| starts.iter().any(|start| word.starts_with(start))))
        .flatten()
        .map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &str, order: DateOrder) -> Option<String> {
        Date::parse(value, order).map(|date| date.to_string())
    }

    #[test]
    fn one_day_in_many_ways() {
        for written in [
            "1971-06-24",
            "19710624",
            "24/06/1971",
            "24.6.1971",
            "24 Jun 1971",
            "June 24, 1971",
            "1971-06-24T10:00:00Z",
            "24/6/71",
            "24-Jun-71",
        ] {
            assert_eq!(parsed(written, DateOrder::DayFirst).as_deref(), Some("1971-06-24"), "{written}");
        }
        assert_eq!(parsed("3/4/1999", DateOrder::MonthFirst).as_deref(), Some("1999-03-04"));
        assert_eq!(parsed("3/4/1999", DateOrder::DayFirst).as_deref(), Some("1999-04-03"));
    }

    #[test]
    fn a_month_or_a_year_is_a_date_and_other_things_are_not() {
        assert_eq!(parsed("1999", DateOrder::MonthFirst).as_deref(), Some("1999"));
        assert_eq!(parsed("May 1999", DateOrder::MonthFirst).as_deref(), Some("1999-05"));
        for wrong in ["", "7364009", "12", "99999999", "1 2 30", "3 Main St", "1999-13-01"] {
            assert_eq!(parsed(wrong, DateOrder::MonthFirst), None, "{wrong}");
        }
    }

    #[test]
    fn a_day_above_twelve_tells_the_order_of_its_column() {
        assert_eq!(DateOrder::of(["1/2/1999", "24/6/1971"].into_iter()), DateOrder::DayFirst);
        assert_eq!(DateOrder::of(["1/2/1999", "6/24/1971"].into_iter()), DateOrder::MonthFirst);
    }

    #[test]
    fn days_are_counted() {
        let day = |written| Date::parse(written, DateOrder::MonthFirst).unwrap().day_number();
        assert_eq!(day("2000-03-01") - day("2000-02-28"), 2);
        assert_eq!(day("2001-01-01") - day("2000-01-01"), 366);
        assert_eq!(day("1970-01-01") - day("1969-12-31"), 1);
    }
}
