//! The Arrow schema that Arrow's writers store in a file beside the Parquet schema: it describes what Parquet cannot,
//! such as lists of fixed size, or values to be read as a dictionary.
//!
//! It must match the fields of the file one to one; otherwise readers reject or ignore it. It is therefore updated when
//! columns are added or removed. Like everything in a file it is untrusted: a small schema can refer to the same string
//! a million times.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use polars_arrow_format::ipc::planus::{Builder, ReadAsRoot};
use polars_arrow_format::ipc::{
    Bool, Field, FieldRef, FloatingPoint, Int, KeyValueRef, Message, MessageHeader, MessageHeaderRef, MessageRef,
    Precision, Type, TypeRef, Utf8,
};

use crate::notes::NOTES;

/// Key of the schema in the file's metadata.
pub(super) const KEY: &str = "ARROW:schema";

/// Start of a message, before its length; very old ones start with the length.
const START: [u8; 4] = [0xFF; 4];

/// Maximum ratio of the contents of a message to its length: writers store a string once even if many fields use it.
const MOST_TIMES: usize = 16;

/// Maximum nesting depth of fields: a hundred is the limit for Parquet schemas elsewhere.
const DEEPEST: usize = 100;

/// Returns the schema of a file with `field_count` fields, without the fields numbered `replaced` and with those of
/// notes at its end; none if it cannot be parsed, or does not match the file.
pub(super) fn with_notes(encoded: &str, field_count: usize, replaced: &[usize]) -> Option<String> {
    let bytes = BASE64_STANDARD.decode(encoded).ok()?;
    let message = match bytes.strip_prefix(&START) {
        Some(rest) => rest.get(4..)?,
        None => &bytes,
    };
    let mut message = read(message)?;
    let Some(MessageHeader::Schema(schema)) = &mut message.header else { return None };
    let fields = schema.fields.as_mut().filter(|fields| fields.len() == field_count)?;
    let mut number = 0;
    fields.retain(|_| {
        number += 1;
        !replaced.contains(&(number - 1))
    });
    let count = || Type::Int(Box::new(Int { bit_width: 64, is_signed: true }));
    let types = [
        (count(), false),
        (Type::Bool(Box::new(Bool {})), false),
        (Type::Utf8(Box::new(Utf8 {})), true),
        (Type::FloatingPoint(Box::new(FloatingPoint { precision: Precision::Double })), true),
        (count(), true),
        (count(), true),
    ];
    fields.extend(NOTES.into_iter().zip(types).map(|(name, (kind, nullable))| Field {
        name: Some(name.to_owned()),
        nullable,
        type_: Some(kind),
        // Some readers require a list of children, even if empty.
        children: Some(Vec::new()),
        ..Field::default()
    }));
    let mut builder = Builder::new();
    let written = builder.finish(&message, None);
    let padded = written.len().next_multiple_of(8);
    let mut bytes = [&START[..], &(padded as u32).to_le_bytes(), written].concat();
    bytes.resize(8 + padded, 0);
    Some(BASE64_STANDARD.encode(bytes))
}

/// Parses the message, if its contents are not much larger than the message.
fn read(bytes: &[u8]) -> Option<Message> {
    let message = MessageRef::read_as_root(bytes).ok()?;
    let Some(MessageHeaderRef::Schema(schema)) = message.header().ok()? else { return None };
    let mut left = MOST_TIMES * bytes.len();
    for field in schema.fields().ok()?? {
        spend_field(field.ok()?, DEEPEST, &mut left)?;
    }
    for pairs in [schema.custom_metadata().ok()?, message.custom_metadata().ok()?].into_iter().flatten() {
        pairs.into_iter().try_for_each(|pair| spend_pair(pair.ok()?, &mut left))?;
    }
    Message::try_from(message).ok()
}

/// Subtracts the size of a field from what is left; none if that is not enough.
fn spend_field(field: FieldRef<'_>, depth: usize, left: &mut usize) -> Option<()> {
    /// Size of a reference to a field, and of an empty table.
    const LEAST: usize = 8;
    spend(LEAST + field.name().ok()?.map_or(0, str::len), left)?;
    match field.type_().ok()? {
        // Parquet has no unions, and their lists of types are unlimited.
        Some(TypeRef::Union(_)) => return None,
        Some(TypeRef::Timestamp(timestamp)) => spend(timestamp.timezone().ok()?.map_or(0, str::len), left)?,
        _ => {}
    }
    for pair in field.custom_metadata().ok()?.into_iter().flatten() {
        spend_pair(pair.ok()?, left)?;
    }
    let inside = depth.checked_sub(1)?;
    field.children().ok()?.into_iter().flatten().try_for_each(|child| spend_field(child.ok()?, inside, left))
}

fn spend_pair(pair: KeyValueRef<'_>, left: &mut usize) -> Option<()> {
    spend(pair.key().ok()?.map_or(0, str::len) + pair.value().ok()?.map_or(0, str::len), left)
}

fn spend(bytes: usize, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(bytes)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use polars_arrow_format::ipc::Schema;

    use super::*;

    /// Written by pyarrow: a string, a fixed-size list of two numbers, a dictionary of strings, and a number named
    /// `cluster`.
    const OF_PYARROW: &str = "/////3ABAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAEAAAAfP///wQAAAAEAAAAGAEAAJwAAABIAAAABAAAAAj///8AAAECEAAAABgAAAAEAA\
    AAAAAAAAcAAABjbHVzdGVyAKz///8AAAABIAAAABAAGAAIAAYABwAMABAAFAAQAAAAAAABBRQAAABAAAAAIAAAAAQAAAAAAAAABAAAAGtpbmQA\
    AAAACAAIAAAABAAIAAAADAAAAAgADAAIAAcACAAAAAAAAAEIAAAAYP///5j///8AAAEQFAAAACQAAAAEAAAAAQAAACAAAAAGAAAAdmVjdG9yAA\
    AAAAYACAAEAAYAAAACAAAA0P///wAAAQMQAAAAHAAAAAQAAAAAAAAABAAAAGl0ZW0AAAYACAAGAAYAAAAAAAEAEAAUAAgABgAHAAwAAAAQABAA\
    AAAAAAEFEAAAABwAAAAEAAAAAAAAAAQAAAB0ZXh0AAAAAAQABAAEAAAAAAAAAA==";

    fn fields(encoded: &str) -> Vec<Field> {
        let bytes = BASE64_STANDARD.decode(encoded).unwrap();
        let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], bytes.len(), length % 8), (&START[..], 8 + length, 0));
        let Some(MessageHeader::Schema(schema)) = read(&bytes[8..]).unwrap().header else { panic!() };
        schema.fields.unwrap()
    }

    #[test]
    fn fields_stay_what_they_are_and_those_of_notes_follow() {
        let before = fields(OF_PYARROW);
        assert!(matches!(&before[1].type_, Some(Type::FixedSizeList(list)) if list.list_size == 2));
        assert!(before[2].dictionary.is_some());
        let after = fields(&with_notes(OF_PYARROW, 4, &[3]).unwrap());
        assert_eq!(after[..3], before[..3]);
        let names: Vec<&str> = after[3..].iter().map(|field| field.name.as_deref().unwrap()).collect();
        assert_eq!(names, NOTES);
        assert_eq!(fields(&with_notes(OF_PYARROW, 4, &[]).unwrap())[..4], before);
    }

    #[test]
    fn what_is_not_the_schema_of_the_file_is_left_out() {
        assert_eq!(with_notes(OF_PYARROW, 5, &[]), None);
        for rubbish in ["", "opaque", "/////w==", "/////3ABAAA=", &OF_PYARROW[..200]] {
            assert_eq!(with_notes(rubbish, 4, &[]), None, "{rubbish}");
        }
        let bytes = BASE64_STANDARD.decode(OF_PYARROW).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xFF;
            // Any input must be handled without a panic.
            let _ = with_notes(&BASE64_STANDARD.encode(damaged), 4, &[]);
        }
    }

    #[test]
    fn fields_that_need_more_than_there_is_or_lie_too_deep_are_given_up() {
        let text = "x".repeat(1000);
        let field =
            |children: Vec<Field>| Field { name: Some(text.clone()), children: Some(children), ..Field::default() };
        let message = |field: Field| {
            let schema = Schema { fields: Some(vec![field]), ..Schema::default() };
            let header = Some(MessageHeader::Schema(Box::new(schema)));
            Builder::new().finish(Message { header, ..Message::default() }, None).to_vec()
        };
        // The string is stored once, however many fields use it as a name.
        assert!(read(&message(field(vec![field(Vec::new()); 3]))).is_some());
        assert!(read(&message(field(vec![field(Vec::new()); 300]))).is_none());
        let bare = |children| Field { children: Some(children), ..Field::default() };
        let deep = |depth: usize| (1..depth).fold(bare(Vec::new()), |inner, _| bare(vec![inner]));
        assert!(read(&message(deep(DEEPEST))).is_some());
        assert!(read(&message(deep(DEEPEST + 1))).is_none());
    }
}
