//! Finds the start and end of consecutive JSON values, in a list or not.
//!
//! Note that this checks only braces, brackets and strings. The characters between values, such as the commas and
//! brackets of a list, are ignored; the syntax of a value is checked when it is parsed.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::cut::Cut;

/// Cuts off the complete values of `bytes`. With `at_end`, nothing follows.
pub(super) fn cut(bytes: &[u8], at_end: bool, cut: &mut Cut) {
    let mut at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    loop {
        at += bytes[at..].iter().take_while(|byte| is_between(**byte)).count();
        cut.end = at;
        if at == bytes.len() {
            return;
        }
        match value_end(&bytes[at..]) {
            Some(length) => cut.push(at..at + length, None),
            None if at_end => cut.push(at..bytes.len(), Some("an object without an end".into())),
            None => return,
        }
        if cut.is_full() {
            return;
        }
        at = cut.end;
    }
}

fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b'[' | b']')
}

/// The length of the value at the start of `bytes`. A number or a word ends where something else starts, which must be
/// present.
fn value_end(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += string_end(&bytes[at..])?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return Some(if depth == 1 || at == 0 { at + 1 } else { at }),
            b'}' | b']' => depth -= 1,
            byte if depth == 0 && is_between(byte) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// A field of an object.
pub(crate) struct Field<'a> {
    /// Its name, in quotes and with escapes.
    pub(crate) name: &'a [u8],
    /// Its range, including surrounding spaces: everything between two commas or braces.
    pub(crate) all: Range<usize>,
}

/// The fields of the object in `entry`, which must be valid JSON.
pub(crate) fn fields(entry: &[u8]) -> impl Iterator<Item = Field<'_>> {
    let mut start = memchr(b'{', entry).map(|brace| brace + 1);
    std::iter::from_fn(move || {
        let field = field(entry, start?)?;
        start = (entry.get(field.all.end) == Some(&b',')).then_some(field.all.end + 1);
        Some(field)
    })
}

fn field(entry: &[u8], start: usize) -> Option<Field<'_>> {
    let blanks = |at: usize| entry.iter().skip(at).take_while(|byte| byte.is_ascii_whitespace()).count();
    let name = start + blanks(start);
    if entry.get(name) != Some(&b'"') {
        return None;
    }
    let name_end = name + string_end(&entry[name..])?;
    let colon = name_end + blanks(name_end);
    let value = colon + 1 + blanks(colon + 1);
    let value_end = value + value_end(entry.get(value..)?)?;
    Some(Field { name: &entry[name..name_end], all: start..value_end + blanks(value_end) })
}

/// The length of the string at the start of `bytes`, including quotes.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::cut::tests::all_entries;

    fn values(bytes: &str) -> Vec<&str> {
        all_entries(bytes.as_bytes(), cut).into_iter().map(|span| &bytes[span.all]).collect()
    }

    #[test]
    fn a_list_gives_its_values() {
        assert_eq!(
            values("\u{feff}[ {\"a\": \"}]\\\"{\"} ,\n{\"b\":[{}, [1]]},3, \"x\" ]\n"),
            ["{\"a\": \"}]\\\"{\"}", "{\"b\":[{}, [1]]}", "3", "\"x\""]
        );
        assert_eq!(values("{\n\"a\": 1\n}\n{\n\"b\": 2\n}\n"), ["{\n\"a\": 1\n}", "{\n\"b\": 2\n}"]);
        assert_eq!(values("[]"), [""; 0]);
    }

    #[test]
    fn the_fields_of_an_object_are_those_at_its_top() {
        let object =
            "\u{feff} { \"a\" : {\"in\": [\"b\", {}]} ,\"c\\\"}\":-1.5e3,\n\"d\":\"}, \\\"x\" , \"\":null}\r\n";
        let found: Vec<(&str, &str)> = fields(object.as_bytes())
            .map(|field| (std::str::from_utf8(field.name).unwrap(), &object[field.all]))
            .collect();
        assert_eq!(
            found,
            [
                ("\"a\"", " \"a\" : {\"in\": [\"b\", {}]} "),
                ("\"c\\\"}\"", "\"c\\\"}\":-1.5e3"),
                ("\"d\"", "\n\"d\":\"}, \\\"x\" "),
                ("\"\"", " \"\":null")
            ]
        );
        for none in ["{}", "{ }", "", "{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1"] {
            assert_eq!(fields(none.as_bytes()).count(), 0, "{none}");
        }
    }

    #[test]
    fn what_has_no_end_is_one_problem() {
        let mut cut_off = Cut::default();
        cut(b"[{\"a\":1}, {\"b\": [", true, &mut cut_off);
        assert_eq!(cut_off.spans.len(), 2);
        assert!(cut_off.spans[1].problem.is_some());
        for rubbish in ["}", "]]}}", "{]", "{\"a\\", "\"", "[{\"a\\u"] {
            cut(rubbish.as_bytes(), true, &mut Cut::default());
        }
    }
}
