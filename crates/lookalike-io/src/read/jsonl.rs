//! A line of JSONL to a document.
//!
//! The whole line is checked to be JSON, but nothing is built of it beyond the fields that are wanted.

use std::borrow::Cow;
use std::fmt;

use lookalike_core::keep::FieldValue;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Document, Fields, Role, Wanted};

/// Parses one line. `text` is a buffer to unescape into.
pub(super) fn parse<'a>(line: &[u8], fields: &Fields, text: &'a mut String) -> Result<Document<'a>, String> {
    // With its end, an error would be said to lie in a second line.
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = simdutf8::compat::from_utf8(line).map_err(|error| {
        format!("not UTF-8: byte {} of the line is not part of a character", error.valid_up_to() + 1)
    })?;
    text.clear();
    let mut found = Found::default();
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let wanted: Vec<Wanted<'_>> = fields.wanted().collect();
    let object = Object { wanted: &wanted, found: &mut found, text };
    let read = deserializer.deserialize_map(object).and_then(|()| deserializer.end());
    read.map_err(|error| format!("not a document in JSON: {}", without_line(&error)))?;
    match found.text {
        Text::Found => Ok(Document {
            id: found.id.map(Cow::Owned),
            text,
            uri: None,
            source: found.source.map(Cow::Owned),
            value: found.value,
        }),
        Text::Missing => Err(format!("no field '{}': name the field of the text with --text", fields.text)),
        Text::Other => Err(format!("field '{}' is not a text", fields.text)),
    }
}

/// A line is parsed by itself, so the error's own "line 1" would mislead.
pub(super) fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

#[derive(Default)]
struct Found {
    text: Text,
    id: Option<String>,
    source: Option<String>,
    value: FieldValue,
}

#[derive(Default)]
enum Text {
    #[default]
    Missing,
    Other,
    Found,
}

/// What a value of another kind than the wanted one gives.
macro_rules! for_anything_else {
    ($result:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($result)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($result)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($result)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($result)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($result)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok($result)
        }
    };
}

/// An object in which fields are looked for, also inside of its fields.
struct Object<'s, 'f> {
    wanted: &'s [Wanted<'f>],
    found: &'s mut Found,
    text: &'s mut String,
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object in braces")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { wanted, found, text } = self;
        while let Some(key) = map.next_key_seed(Key)? {
            let mut here = wanted.iter().filter(|wanted| wanted.path == key).map(|wanted| wanted.role);
            match (here.next(), here.next()) {
                (None, _) => {
                    let inside: Vec<Wanted<'_>> = wanted.iter().filter_map(|wanted| wanted.inside(&key)).collect();
                    if inside.is_empty() {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        map.next_value_seed(Object { wanted: &inside, found: &mut *found, text: &mut *text })?;
                    }
                }
                // Nearly always the text is only that, and is unescaped where it will stay.
                (Some(Role::Text), None) => {
                    text.clear();
                    found.text = if map.next_value_seed(TextSeed(text))? { Text::Found } else { Text::Other };
                }
                (Some(first), second) => {
                    let value = map.next_value_seed(ValueSeed)?;
                    for role in [first].into_iter().chain(second).chain(here) {
                        found.take(role, &value, text);
                    }
                }
            }
        }
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    for_anything_else!(());
}

impl Found {
    fn take(&mut self, role: Role, value: &Value<'_>, text: &mut String) {
        match role {
            Role::Text => {
                text.clear();
                self.text = value.to_text().map_or(Text::Other, |found| {
                    text.push_str(&found);
                    Text::Found
                });
            }
            Role::Id => self.id = value.to_id(),
            Role::Source => self.source = value.to_id(),
            Role::Value => self.value = value.to_field_value(),
        }
    }
}

/// A key, borrowed where it has no escapes.
pub(super) struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

/// Unescapes a string into a buffer; says whether it was a string.
struct TextSeed<'s>(&'s mut String);

impl<'de> DeserializeSeed<'de> for TextSeed<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        self.0.push_str(text);
        Ok(true)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }

    for_anything_else!(false);
}

/// Any value as it is written: ids and ranks are short, and a number must not lose digits.
struct ValueSeed;

struct Value<'de>(&'de serde_json::value::RawValue);

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'de>, D::Error> {
        serde::Deserialize::deserialize(deserializer).map(Value)
    }
}

impl Value<'_> {
    fn to_text(&self) -> Option<String> {
        serde_json::from_str(self.0.get()).ok()
    }

    fn to_id(&self) -> Option<String> {
        let written = self.0.get();
        match written.as_bytes().first()? {
            b'"' => serde_json::from_str(written).ok(),
            b'-' | b'0'..=b'9' => Some(written.to_owned()),
            _ => None,
        }
    }

    fn to_field_value(&self) -> FieldValue {
        let written = self.0.get();
        match written.as_bytes().first() {
            Some(b'"') => serde_json::from_str(written).map_or(FieldValue::Missing, FieldValue::Text),
            Some(b't') => FieldValue::number("1"),
            Some(b'f') => FieldValue::number("0"),
            _ => FieldValue::number(written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Fields {
        Fields { id: Some("id".to_owned()), value: Some("score".to_owned()), ..Fields::default() }
    }

    #[test]
    fn wanted_fields_are_found_among_others() {
        let mut text = String::new();
        let line =
            br#"{"meta":{"text":"no"},"score":2.5,"id":17,"te\u0078t":"a \"b\"\n\u00e9\ud83d\ude00","more":[1]}"#;
        let document = parse(line, &fields(), &mut text).unwrap();
        assert_eq!((document.text, document.id.as_deref()), ("a \"b\"\né😀", Some("17")));
        assert_eq!(document.value, FieldValue::number("2.5"));
    }

    #[test]
    fn fields_inside_of_fields_are_found_and_one_field_may_serve_twice() {
        let fields = Fields {
            text: "body.content".to_owned(),
            id: Some("body.meta.id".to_owned()),
            source: Some("body.meta.id".to_owned()),
            value: Some("body.content".to_owned()),
        };
        let mut text = String::new();
        let line = br#"{"content":"no","body":{"meta":{"id":"x"},"content":"a","more":{"content":1}},"meta":{"id":2}}"#;
        let document = parse(line, &fields, &mut text).unwrap();
        assert_eq!((document.text, document.id.as_deref(), document.source.as_deref()), ("a", Some("x"), Some("x")));
        assert_eq!(document.value, FieldValue::Text("a".into()));
        // A key may have a dot of its own; and what is no object has no fields.
        assert_eq!(parse(br#"{"body.content":"b"}"#, &fields, &mut text).unwrap().text, "b");
        let error = parse(br#"{"body":["content"]}"#, &fields, &mut text).unwrap_err();
        assert!(error.contains("no field 'body.content'"), "{error}");
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let line = format!("{{\"a\":{deep},\"text\":\"x\"}}");
        assert_eq!(parse(line.as_bytes(), &fields(), &mut String::new()).unwrap().text, "x");
        let line = format!("{{\"text\":{deep}}}");
        assert!(parse(line.as_bytes(), &fields(), &mut String::new()).is_err());
        let line = format!("{{\"id\":{deep},\"text\":\"x\"}}");
        assert_eq!(parse(line.as_bytes(), &fields(), &mut String::new()).unwrap().id, None);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, reason) in [
            (&b"not json"[..], "not a document in JSON"),
            (b"[1]", "not a document in JSON"),
            (b"{\"text\":\"a\"", "EOF while parsing an object at column 11"),
            (b"{\"text\":\"a\"} {}", "trailing characters"),
            (b"{\"text\":\"\\ud800\"}", "not a document in JSON"),
            (b"{\"body\":\"a\"}", "no field 'text': name the field of the text with --text"),
            (b"{\"text\":null}", "field 'text' is not a text"),
            (b"{\"text\":{\"text\":\"a\"}}", "field 'text' is not a text"),
            (b"{\"text\":\"\xFF\"}", "not UTF-8: byte 10 of the line"),
        ] {
            let error = parse(line, &fields(), &mut String::new()).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
