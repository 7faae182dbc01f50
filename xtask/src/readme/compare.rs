//! Compares the output of a command with that shown in the README.
//!
//! Times, speeds and sizes differ from machine to machine, so a number before such a unit matches any number; `…`
//! matches any text; and runs of spaces, which depend on the width of numbers, match one space.

/// The first of the shown lines that is neither in `stdout` nor in `stderr` after the previously found lines.
pub(super) fn first_missing<'a>(shown: &'a [String], stdout: &str, stderr: &str) -> Option<&'a str> {
    let mut outputs = [stdout, stderr].map(|output| output.lines().map(without_measures).collect::<Vec<_>>());
    let mut rests: Vec<&[String]> = outputs.iter_mut().map(|lines| &**lines).collect();

    shown.iter().map(String::as_str).filter(|line| !line.trim().is_empty()).find(|line| {
        let pattern = without_measures(line);
        let found = rests.iter_mut().find_map(|rest| {
            let place = rest.iter().position(|line| matches(&pattern, line))?;
            *rest = &rest[place + 1..];
            Some(())
        });
        found.is_none()
    })
}

/// True if a line matches the pattern, in which `…` matches any text.
fn matches(pattern: &str, line: &str) -> bool {
    let parts: Vec<&str> = pattern.split('…').collect();
    let [first, middle @ .., last] = &parts[..] else {
        return pattern == line;
    };
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// The line with single spaces, and a name in place of each measurement.
fn without_measures(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut plain = Vec::new();
    let mut place = 0;
    while place < words.len() {
        let (opening, number, after) = split_number(words[place]);
        let next = words.get(place + 1).copied();
        if !number.is_empty()
            && after.is_empty()
            && let Some(measure) = next.and_then(name_of_unit)
        {
            plain.push(format!("{opening}{measure}"));
            place += 2;
        } else if !number.is_empty()
            && let Some(measure) = name_of_unit(after)
        {
            plain.push(format!("{opening}{measure}"));
            place += 1;
        } else {
            plain.push(words[place].to_owned());
            place += 1;
        }
    }
    plain.join(" ")
}

/// Splits a word into the text before a number, the number, and the text after it.
fn split_number(word: &str) -> (&str, &str, &str) {
    let start = word.find(|character: char| character.is_ascii_digit()).unwrap_or(word.len());
    let (opening, rest) = word.split_at(start);
    let is_part = |character: char| character.is_ascii_digit() || character == '.' || character == ',';
    let end = rest.find(|character: char| !is_part(character)).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    // A letter before the digits makes it a name, as in `v2 s`.
    if opening.contains(char::is_alphanumeric) { (word, "", "") } else { (opening, number, after) }
}

/// The quantity of a unit, with the punctuation after it; none if it is not a unit of time, size or speed.
fn name_of_unit(word: &str) -> Option<String> {
    let unit = word.trim_end_matches([',', '.', ';', ':', ')']);
    let measure = match unit {
        "s" | "ms" | "µs" => "TIME",
        "kB" | "MB" | "GB" => "SIZE",
        "kB/s" | "MB/s" | "GB/s" => "SPEED",
        _ => return None,
    };
    Some(format!("{measure}{}", &word[unit.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(shown: &[&str], stdout: &str, stderr: &str) -> Option<String> {
        let shown: Vec<String> = shown.iter().map(|line| (*line).to_owned()).collect();
        first_missing(&shown, stdout, stderr).map(str::to_owned)
    }

    #[test]
    fn lines_must_come_in_the_order_shown() {
        assert_eq!(missing(&["a", "", "c"], "a\nb\nc\n", ""), None);
        assert_eq!(missing(&["c", "a"], "a\nb\nc\n", ""), Some("a".into()));
        assert_eq!(missing(&["a", "a"], "a\n", ""), Some("a".into()));
    }

    #[test]
    fn either_stream_will_do() {
        assert_eq!(missing(&["talk", "data"], "data\n", "talk\n"), None);
        assert_eq!(missing(&["silence"], "data\n", "talk\n"), Some("silence".into()));
    }

    #[test]
    fn measures_may_differ_and_counts_may_not() {
        assert_eq!(missing(&["60 read in 0.01 s (12 MB/s)"], "60 read in   1.5 s (1.2 GB/s)\n", ""), None);
        assert_eq!(missing(&["took 12ms, 3 MB."], "took 1.1s, 45 MB.", ""), None);
        assert!(missing(&["60 read in 0.01 s"], "61 read in 0.01 s\n", "").is_some());
        assert!(missing(&["5 s"], "5 MB\n", "").is_some());
    }

    #[test]
    fn an_ellipsis_stands_for_any_text() {
        assert_eq!(missing(&["{\"id\": …, \"kept\": …}", "…"], "{\"id\": 7, \"kept\": true}\nmore", ""), None);
        assert!(missing(&["a … c"], "a b d\n", "").is_some());
        assert!(missing(&["b …"], "a b c\n", "").is_some());
    }
}
