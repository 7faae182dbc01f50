//! Lists the fields of records, for messages about a missing text field.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::refused::listed;

/// Maximum nesting depth of listed fields.
const DEPTH: usize = 4;

/// The names of the fields in these JSON objects, in order of occurrence, for a message. Nested names have dots.
pub fn json_fields<'a>(objects: impl Iterator<Item = &'a [u8]>) -> String {
    let mut names = Vec::new();
    for object in objects {
        if let Ok(object) = std::str::from_utf8(super::cut::without_mark(object)) {
            add(object.trim(), "", DEPTH, &mut names);
        }
    }
    listed(&names)
}

fn add(object: &str, before: &str, depth: usize, names: &mut Vec<String>) {
    for (key, value) in entries(object) {
        let name = format!("{before}{key}");
        if depth > 1 && value.starts_with('{') {
            add(value, &format!("{name}."), depth - 1, names);
        } else if !names.contains(&name) {
            names.push(name);
        }
    }
}

/// The fields of an object with their values as written; empty if it is not an object.
pub(super) fn entries(object: &str) -> Vec<(String, &str)> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<(String, &'de str)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                entries.push((key, value.get()));
            }
            Ok(entries)
        }
    }
    serde_json::Deserializer::from_str(object).deserialize_map(Entries).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_once_in_their_order_and_inside_of_others_with_dots() {
        let objects = [
            &b"\xEF\xBB\xBF{\"id\": 1, \"body\": {\"content\": \"x\", \"meta\": {\"n\": []}}}\n"[..],
            b"{\"title\": null, \"id\": 2}",
            b"not json",
        ];
        assert_eq!(json_fields(objects.into_iter()), "id, body.content, body.meta.n, title");
        assert_eq!(json_fields([&b"{}"[..]].into_iter()), "none");
    }

    #[test]
    fn a_list_of_names_has_an_end_and_moves_no_cursor() {
        let names: Vec<String> = (0..40).map(|number| format!("f{number}\u{1b}")).collect();
        let list = listed(&names);
        assert!(list.starts_with("f0 , f1 ,") && list.ends_with(", 10 more"), "{list}");
    }
}
