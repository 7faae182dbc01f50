//! Parses a line of JSONL to a document.
//!
//! The syntax of the whole line is checked, but only the requested fields are built.

use std::borrow::Cow;
use std::fmt;

use lookalike_core::resolve::keep::FieldValue;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::gather::gather;
use super::{Document, Entry, Fields, NO_TEXT_FIELD, NULL_TEXT, Role, Wanted};
use crate::composed::{Composer, is_composed, paths};

/// Parses one line. `text` is a buffer for unescaping.
pub(super) fn parse<'a>(line: &[u8], fields: &Fields, text: &'a mut String) -> Entry<'a> {
    match find(line, fields, text) {
        Err(reason) | Ok(Found { composed: Some(reason), .. }) => Entry::Skipped(reason.into()),
        Ok(found) => match found.text {
            Text::Found => Entry::Document(Document {
                id: found.id.map(Cow::Owned),
                text,
                uri: None,
                source: found.source.map(Cow::Owned),
                value: found.value,
                others: found.others.into(),
            }),
            Text::Null => Entry::Carried(NULL_TEXT),
            Text::Missing => Entry::Carried(NO_TEXT_FIELD),
            Text::Other => Entry::Skipped(format!("field '{}' is not a text", fields.text).into()),
        },
    }
}

/// Finds the requested fields of a line; the text is written to `text`.
fn find(line: &[u8], fields: &Fields, text: &mut String) -> Result<Found, String> {
    // With the line end, an error would be reported in a second line.
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = simdutf8::compat::from_utf8(line).map_err(|error| {
        format!("not UTF-8: byte {} of the line is not part of a character", error.valid_up_to() + 1)
    })?;
    let is_composed = is_composed(&fields.text);
    let wanted: Vec<Wanted<'_>> = fields.wanted().filter(|wanted| !is_composed || wanted.role != Role::Text).collect();
    let mut read = |line: &str| {
        text.clear();
        let mut found = Found::default();
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let object = Object { wanted: &wanted, found: &mut found, text };
        deserializer.deserialize_map(object).and_then(|()| deserializer.end())?;
        if is_composed {
            found.compose(line, fields, text);
        }
        Ok(found)
    };
    let found = read(line).or_else(|error| without_lone_surrogates(line).map_or(Err(error), |line| read(&line)));
    found.map_err(|error| format!("not a document in JSON: {}", without_line(&error)))
}

/// Replaces lone surrogates in JSON by U+FFFD; none if there are none. Python and JavaScript write half of a pair, such
/// as `"\ud83d"`, if a string was cut within a character.
pub(super) fn without_lone_surrogates(json: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = json.as_bytes().get(at..at + 6)?.strip_prefix(br"\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut repaired = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(escape) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
        at += escape;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                repaired.push_str(&json[copied..at]);
                repaired.push_str(r"\ufffd");
                copied = at + 6;
                6
            }
            // The character after a backslash does not start another escape.
            _ => 2.min(json.len() - at),
        };
    }
    (copied > 0).then(|| repaired + &json[copied..])
}

/// Unescapes a string; none if it is something else.
fn unescaped(written: &str) -> Option<String> {
    let read = |written: &str| serde_json::from_str(written).ok();
    read(written).or_else(|| read(&without_lone_surrogates(written)?))
}

/// A line is parsed by itself, so the error's own "line 1" would mislead.
pub(super) fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

#[derive(Default)]
struct Found {
    text: Text,
    /// Reason why a text of several fields could not be combined.
    composed: Option<String>,
    id: Option<String>,
    source: Option<String>,
    value: FieldValue,
    others: Vec<(usize, String)>,
}

#[derive(Default)]
enum Text {
    #[default]
    Missing,
    Null,
    Other,
    Found,
}

/// The result for a value of another type, and for null.
macro_rules! for_anything_else {
    ($result:expr, $null:expr) => {
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
            Ok($null)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok($result)
        }
    };
}

/// An object in which fields are searched, including nested ones.
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
                // Usually this is all of the text, and it is unescaped directly into its destination.
                (Some(Role::Text), None) => {
                    text.clear();
                    found.text = map.next_value_seed(TextSeed(text))?;
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

    for_anything_else!((), ());
}

impl Found {
    /// Combines the text from all its fields.
    fn compose(&mut self, line: &str, fields: &Fields, text: &mut String) {
        let mut composer = Composer::new(text, fields.tells_fields_apart);
        for path in paths(&fields.text) {
            composer.begin_field();
            if let Err(reason) = gather(line, path, &mut composer) {
                self.composed = Some(format!("field '{path}' {reason}"));
            }
        }
        self.text = match (composer.has_text(), composer.is_there()) {
            (true, _) => Text::Found,
            (false, true) => Text::Null,
            (false, false) => Text::Missing,
        };
    }

    fn take(&mut self, role: Role, value: &Value<'_>, text: &mut String) {
        match role {
            Role::Text => {
                text.clear();
                self.text = match unescaped(value.0.get()) {
                    Some(found) => {
                        text.push_str(&found);
                        Text::Found
                    }
                    None if value.0.get() == "null" => Text::Null,
                    None => Text::Other,
                };
            }
            Role::Id => self.id = value.to_id(),
            Role::Source => self.source = value.to_id(),
            Role::Value => self.value = value.to_field_value(),
            Role::Other(at) => self.others.push((at, value.0.get().to_owned())),
        }
    }
}

/// A key, borrowed if it has no escapes.
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

/// Unescapes a string into a buffer, and returns its kind.
struct TextSeed<'s>(&'s mut String);

impl<'de> DeserializeSeed<'de> for TextSeed<'_> {
    type Value = Text;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_> {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        self.0.push_str(text);
        Ok(Text::Found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::Other)
    }

    for_anything_else!(Text::Other, Text::Null);
}

/// Any value as written: ids and ranks are short, and numbers must not lose digits.
struct ValueSeed;

struct Value<'de>(&'de serde_json::value::RawValue);

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'de>, D::Error> {
        serde::Deserialize::deserialize(deserializer).map(Value)
    }
}

impl Value<'_> {
    fn to_id(&self) -> Option<String> {
        let written = self.0.get();
        match written.as_bytes().first()? {
            b'"' => unescaped(written),
            b'-' | b'0'..=b'9' => Some(written.to_owned()),
            _ => None,
        }
    }

    fn to_field_value(&self) -> FieldValue {
        let written = self.0.get();
        match written.as_bytes().first() {
            Some(b'"') => unescaped(written).map_or(FieldValue::Missing, |text| FieldValue::Text(text.into())),
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

    fn parse<'a>(line: &[u8], fields: &Fields, text: &'a mut String) -> Result<Document<'a>, String> {
        match super::parse(line, fields, text) {
            Entry::Document(document) => Ok(document),
            Entry::Carried(kind) => Err(kind.to_owned()),
            Entry::Skipped(reason) => Err(reason.to_string()),
        }
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
            others: vec!["meta".to_owned(), "body.more.content".to_owned(), "none".to_owned()],
            object: None,
            ..Fields::default()
        };
        let mut text = String::new();
        let line = br#"{"content":"no","body":{"meta":{"id":"x"},"content":"a","more":{"content":1}},"meta":{"id":2}}"#;
        let document = parse(line, &fields, &mut text).unwrap();
        assert_eq!(*document.others, [(1, "1".to_owned()), (0, r#"{"id":2}"#.to_owned())], "as they are written");
        assert_eq!((document.text, document.id.as_deref(), document.source.as_deref()), ("a", Some("x"), Some("x")));
        assert_eq!(document.value, FieldValue::Text("a".into()));
        // A key may contain a dot; and a value that is not an object has no fields.
        assert_eq!(parse(br#"{"body.content":"b"}"#, &fields, &mut text).unwrap().text, "b");
        let error = parse(br#"{"body":["content"]}"#, &fields, &mut text).unwrap_err();
        assert_eq!(error, NO_TEXT_FIELD);
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
            (b"{\"text\":\"\\ud800\", 5}", "key must be a string at column 19"),
            (b"{\"text\":\"\\ud8zz\"}", "not a document in JSON"),
            (b"{\"body\":\"a\"}", NO_TEXT_FIELD),
            (b"{\"text\":null}", NULL_TEXT),
            (b"{\"text\":5}", "field 'text' is not a text"),
            (b"{\"text\":{\"text\":\"a\"}}", "field 'text' is not a text"),
            (b"{\"text\":\"\xFF\"}", "not UTF-8: byte 10 of the line"),
        ] {
            let error = parse(line, &fields(), &mut String::new()).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn half_of_a_pair_is_a_replacement_character_wherever_it_stands() {
        let mut text = String::new();
        let wanted = Fields { source: Some("from".to_owned()), ..fields() };
        let line = concat!(
            r#"{"text":"a \ud83d b \udE00\ud83d\ude00 \\ud83d \ud83d\n","#,
            r#""id":"\udc00x","from":"\ud800","score":"\udfff"}"#
        );
        let document = parse(line.as_bytes(), &wanted, &mut text).unwrap();
        assert_eq!(document.text, "a \u{fffd} b \u{fffd}\u{1f600} \\ud83d \u{fffd}\n");
        assert_eq!((document.id.as_deref(), document.source.as_deref()), (Some("\u{fffd}x"), Some("\u{fffd}")));
        assert_eq!(document.value, FieldValue::Text("\u{fffd}".into()));
        // In a key, and in an unused value.
        for line in [&br#"{"\ud800":1,"text":"x"}"#[..], br#"{"other":["\ud800"],"text":"x"}"#] {
            assert_eq!(parse(line, &fields(), &mut text).unwrap().text, "x");
        }
        // One field with two roles.
        let twice = Fields { id: Some("text".to_owned()), ..Fields::default() };
        assert_eq!(parse(br#"{"text":"\ud83d"}"#, &twice, &mut text).unwrap().text, "\u{fffd}");
        assert_eq!(parse(br#"{"text":null}"#, &twice, &mut text).unwrap_err(), NULL_TEXT);
        for broken in [r"\", r"\u", r"\ud8", r"\ud800\", r"\ud800\u", r"\é\ud800é"] {
            assert_eq!(without_lone_surrogates(broken).is_some(), broken.contains("d800"), "{broken}");
        }
    }
}
