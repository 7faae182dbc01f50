//! Detects the separator of elements in lines, if none was given and spaces do not make sense.

use serde::Serialize;

/// Possible separators, most likely first.
const DELIMITERS: [char; 3] = [',', ';', '|'];

/// The separator that lines seem to have between their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delimiter {
    /// Certainly this one, since there are at most blanks beside it: lines were split at it.
    Certain(char),
    /// Possibly this one: most lines have it, but also blanks, and were split at the blanks.
    Possible(char),
}

impl Delimiter {
    /// The separator found in lines; none if spaces are appropriate.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let lines = lines.filter(|line| !line.trim().is_empty());
        let count = lines.clone().count();
        let delimiter = DELIMITERS.into_iter().find(|delimiter| {
            let having = lines.clone().filter(|line| line.contains(*delimiter)).count();
            having > 0 && having * 2 >= count
        })?;
        let has_blank = |line: &str| line.split(delimiter).any(|part| part.trim().contains(char::is_whitespace));
        Some(if lines.clone().any(has_blank) { Self::Possible(delimiter) } else { Self::Certain(delimiter) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Option<Delimiter> {
        Delimiter::of(lines.iter().copied())
    }

    #[test]
    fn commas_separate_where_blanks_do_not() {
        assert_eq!(of(&["milk,bread", "", "beer, milk", "eggs"]), Some(Delimiter::Certain(',')));
        assert_eq!(of(&["1;2;3", "4;5"]), Some(Delimiter::Certain(';')));
        assert_eq!(of(&["citrus fruit,ready soups", "milk,bread"]), Some(Delimiter::Possible(',')));
    }

    #[test]
    fn blanks_are_taken_where_few_lines_have_anything_else() {
        assert_eq!(of(&["milk bread", "beer milk", "1,5 eggs"]), None);
        assert_eq!(of(&["milk", "beer"]), None);
        assert_eq!(of(&[]), None);
    }
}
