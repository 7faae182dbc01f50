//! Parses page headers in Thrift's compact protocol, and checks that a footer may be parsed.
//!
//! The `parquet` crate parses both as well. But it trusts the length of a list and the number of children of a group
//! before it has read them, and follows nested groups to any depth; running out of memory or stack ends the process,
//! and `catch_unwind` does not help. Therefore all its input is walked here first, in the same way as the crate does,
//! by the number of a field and not by its encoded type: hence the [`Shape`]s.

/// Reason why bytes are not valid Thrift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// They are truncated: more bytes might complete them.
    Cut,
    /// They are invalid.
    Wrong,
}

type Walk<T> = Result<T, Broken>;

/// Maximum nesting depth of structs and lists. Parquet's own are six deep.
const DEEPEST: usize = 32;

/// Maximum nesting depth of groups in a schema: each uses stack space of the reader.
const DEEPEST_SCHEMA: usize = 128;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const WHOLE_16: u8 = 4;
const WHOLE_32: u8 = 5;
const WHOLE_64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// A forward walk through bytes.
struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Walker<'_> {
    fn byte(&mut self) -> Walk<u8> {
        let byte = *self.bytes.get(self.at).ok_or(Broken::Cut)?;
        self.at += 1;
        Ok(byte)
    }

    fn pass(&mut self, count: u64) -> Walk<()> {
        let left = (self.bytes.len() - self.at) as u64;
        if count > left {
            return Err(Broken::Cut);
        }
        self.at += count as usize;
        Ok(())
    }

    fn unsigned(&mut self) -> Walk<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Broken::Wrong)
    }

    fn signed(&mut self) -> Walk<i64> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn int(&mut self) -> Walk<i32> {
        i32::try_from(self.signed()?).map_err(|_| Broken::Wrong)
    }

    /// The next field of a struct: its number and its type. None at its end.
    fn field(&mut self, last: &mut i64) -> Walk<Option<(i64, u8)>> {
        let head = self.byte()?;
        let wire = head & 0x0F;
        if wire == 0 {
            return Ok(None);
        }
        *last = if head >> 4 == 0 { self.signed()? } else { last.saturating_add(i64::from(head >> 4)) };
        if i16::try_from(*last).is_err() {
            return Err(Broken::Wrong);
        }
        Ok(Some((*last, wire)))
    }

    /// The claimed number of elements of a list, and their type. Each takes at least a byte, so skipping them all
    /// verifies the number.
    fn list(&mut self) -> Walk<(usize, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.unsigned()? } else { u64::from(head >> 4) };
        let count = u32::try_from(count).map_err(|_| Broken::Wrong)?;
        Ok((count as usize, head & 0x0F))
    }

    /// Skips fields without a [`Shape`].
    fn skip(&mut self, wire: u8, depth: usize) -> Walk<()> {
        if depth == 0 {
            return Err(Broken::Wrong);
        }
        match wire {
            TRUE | FALSE => Ok(()),
            BYTE => self.pass(1),
            WHOLE_16 | WHOLE_32 | WHOLE_64 => self.unsigned().map(drop),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.unsigned()?;
                self.pass(length)
            }
            LIST | SET => {
                let (count, wire) = self.list()?;
                // Some encoders use a byte for a boolean in a list, and some none. Parquet has no such lists.
                if matches!(wire, TRUE | FALSE) {
                    return Err(Broken::Wrong);
                }
                (0..count).try_for_each(|_| self.skip(wire, depth - 1))
            }
            STRUCT => self.fields(|walker, _, wire| walker.skip(wire, depth - 1)),
            // Maps and similar types: Parquet has none.
            _ => Err(Broken::Wrong),
        }
    }

    /// Skips a field of a known shape.
    fn follow(&mut self, shape: &Shape, wire: u8) -> Walk<()> {
        match (shape, wire) {
            (Shape::Truth, TRUE | FALSE)
            | (Shape::Byte, BYTE)
            | (Shape::Whole, WHOLE_16 | WHOLE_32 | WHOLE_64)
            | (Shape::Double, DOUBLE)
            | (Shape::Binary, BINARY) => self.skip(wire, 1),
            (Shape::List(element), LIST) => {
                let (count, wire) = self.list()?;
                (0..count).try_for_each(|_| self.follow(element, wire))
            }
            (Shape::Struct(known), STRUCT) => self.fields(|walker, field, wire| walker.known(known, field, wire)),
            _ => Err(Broken::Wrong),
        }
    }

    fn known(&mut self, known: &[(i64, Shape)], field: i64, wire: u8) -> Walk<()> {
        match known.iter().find(|(number, _)| *number == field) {
            Some((_, shape)) => self.follow(shape, wire),
            None => self.skip(wire, DEEPEST),
        }
    }

    fn fields(&mut self, mut each: impl FnMut(&mut Self, i64, u8) -> Walk<()>) -> Walk<()> {
        let mut last = 0;
        while let Some((field, wire)) = self.field(&mut last)? {
            each(self, field, wire)?;
        }
        Ok(())
    }
}

/// The required type of a field, which the `parquet` crate assumes without checking.
enum Shape {
    Truth,
    Byte,
    Whole,
    Double,
    Binary,
    List(&'static Shape),
    Struct(&'static [(i64, Shape)]),
}

use Shape::{Binary, Byte, Double, List, Struct, Truth, Whole};

/// All fields that the crate reads, by the numbers in `parquet.thrift`. The schema itself is checked by
/// [`check_schema`].
const FILE: &[(i64, Shape)] = &[
    (1, Whole),
    (3, Whole),
    (4, List(&Struct(ROW_GROUP))),
    (5, List(&Struct(&[(1, Binary), (2, Binary)]))),
    (6, Binary),
    (7, List(&Struct(&[(1, EMPTY)]))),
];
const ROW_GROUP: &[(i64, Shape)] = &[
    (1, List(&Struct(COLUMN_CHUNK))),
    (2, Whole),
    (3, Whole),
    (4, List(&Struct(&[(1, Whole), (2, Truth), (3, Truth)]))),
    (5, Whole),
    (7, Whole),
];
const COLUMN_CHUNK: &[(i64, Shape)] =
    &[(1, Binary), (2, Whole), (3, Struct(COLUMN)), (4, Whole), (5, Whole), (6, Whole), (7, Whole)];
const COLUMN: &[(i64, Shape)] = &[
    (1, Whole),
    (2, List(&Whole)),
    (4, Whole),
    (5, Whole),
    (6, Whole),
    (7, Whole),
    (9, Whole),
    (10, Whole),
    (11, Whole),
    (12, Struct(STATISTICS)),
    (13, List(&Struct(&[(1, Whole), (2, Whole), (3, Whole)]))),
    (14, Whole),
    (15, Whole),
    (16, Struct(&[(1, Whole), (2, List(&Whole)), (3, List(&Whole))])),
    (17, Struct(&[(1, Struct(BOX)), (2, List(&Whole))])),
];
const STATISTICS: &[(i64, Shape)] =
    &[(1, Binary), (2, Binary), (3, Whole), (4, Whole), (5, Binary), (6, Binary), (7, Truth), (8, Truth)];
const BOX: &[(i64, Shape)] =
    &[(1, Double), (2, Double), (3, Double), (4, Double), (5, Double), (6, Double), (7, Double), (8, Double)];
const SCHEMA: &[(i64, Shape)] = &[
    (1, Whole),
    (2, Whole),
    (3, Whole),
    (4, Binary),
    (6, Whole),
    (7, Whole),
    (8, Whole),
    (9, Whole),
    (10, Struct(LOGICAL)),
];
const LOGICAL: &[(i64, Shape)] = &[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    (5, Struct(&[(1, Whole), (2, Whole)])),
    (6, EMPTY),
    (7, Struct(TIME)),
    (8, Struct(TIME)),
    (10, Struct(&[(1, Byte), (2, Truth)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Binary)])),
    (18, Struct(&[(1, Binary), (2, Whole)])),
];
const TIME: &[(i64, Shape)] = &[(1, Truth), (2, Struct(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)]))];
const EMPTY: Shape = Struct(&[]);

/// Checks that a footer is complete, claims no more than it contains, and does not nest its schema too deeply.
pub(super) fn check_footer(bytes: &[u8]) -> Walk<()> {
    let mut walker = Walker { bytes, at: 0 };
    walker.fields(|walker, field, wire| match (field, wire) {
        (2, LIST) => check_schema(walker),
        (2, _) => Err(Broken::Wrong),
        _ => walker.known(FILE, field, wire),
    })
}

/// The schema is a list of elements, each followed by its children.
fn check_schema(walker: &mut Walker<'_>) -> Walk<()> {
    let (count, wire) = walker.list()?;
    if wire != STRUCT {
        return Err(Broken::Wrong);
    }
    let mut open: Vec<usize> = Vec::new();
    for passed in 1..=count {
        let mut children = 0;
        walker.fields(|walker, field, wire| match (field, wire) {
            (5, WHOLE_32) => walker.int().map(|count| children = count),
            (5, _) => Err(Broken::Wrong),
            _ => walker.known(SCHEMA, field, wire),
        })?;
        let children = usize::try_from(children).map_err(|_| Broken::Wrong)?;
        if children > count - passed {
            return Err(Broken::Wrong);
        }
        if let Some(siblings) = open.last_mut() {
            *siblings -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > DEEPEST_SCHEMA {
            return Err(Broken::Wrong);
        }
    }
    Ok(())
}

/// A page header as written; nothing in it is trusted yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub kind: i32,
    pub unpacked_bytes: i32,
    pub packed_bytes: i32,
    pub value_count: i32,
    pub encoding: i32,
    pub definition_encoding: i32,
    pub repetition_encoding: i32,
    pub null_count: i32,
    pub row_count: i32,
    pub definition_bytes: i32,
    pub repetition_bytes: i32,
    /// True if the values of a version 2 page are not compressed.
    pub is_plain: bool,
}

/// Parses a header; also returns its length.
pub(super) fn page_header(bytes: &[u8]) -> Walk<(usize, Header)> {
    let mut header = Header::default();
    let mut walker = Walker { bytes, at: 0 };
    walker.fields(|walker, field, wire| {
        match (field, wire) {
            (1, WHOLE_32) => header.kind = walker.int()?,
            (2, WHOLE_32) => header.unpacked_bytes = walker.int()?,
            (3, WHOLE_32) => header.packed_bytes = walker.int()?,
            (5, STRUCT) => walker.fields(|walker, field, wire| {
                match (field, wire) {
                    (1, WHOLE_32) => header.value_count = walker.int()?,
                    (2, WHOLE_32) => header.encoding = walker.int()?,
                    (3, WHOLE_32) => header.definition_encoding = walker.int()?,
                    (4, WHOLE_32) => header.repetition_encoding = walker.int()?,
                    _ => walker.skip(wire, DEEPEST)?,
                }
                Ok(())
            })?,
            (7, STRUCT) => walker.fields(|walker, field, wire| {
                match (field, wire) {
                    (1, WHOLE_32) => header.value_count = walker.int()?,
                    (2, WHOLE_32) => header.encoding = walker.int()?,
                    _ => walker.skip(wire, DEEPEST)?,
                }
                Ok(())
            })?,
            (8, STRUCT) => walker.fields(|walker, field, wire| {
                match (field, wire) {
                    (1, WHOLE_32) => header.value_count = walker.int()?,
                    (2, WHOLE_32) => header.null_count = walker.int()?,
                    (3, WHOLE_32) => header.row_count = walker.int()?,
                    (4, WHOLE_32) => header.encoding = walker.int()?,
                    (5, WHOLE_32) => header.definition_bytes = walker.int()?,
                    (6, WHOLE_32) => header.repetition_bytes = walker.int()?,
                    (7, FALSE) => header.is_plain = true,
                    _ => walker.skip(wire, DEEPEST)?,
                }
                Ok(())
            })?,
            _ => walker.skip(wire, DEEPEST)?,
        }
        Ok(())
    })?;
    Ok((walker.at, header))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer with this schema: a list of elements with only their number of children.
    fn footer(children: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x29, 0xFC, (children.len() as u8 & 0x7F) | 0x80, (children.len() >> 7) as u8];
        for count in children {
            bytes.extend([0x55, count * 2, 0]);
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn a_schema_that_is_what_it_claims_is_let_through() {
        assert_eq!(check_footer(&footer(&[2, 0, 1, 0])), Ok(()));
        assert_eq!(check_footer(&footer(&[1; 100])), Err(Broken::Wrong), "the last one has no child");
    }

    #[test]
    fn a_schema_deeper_than_a_stack_is_refused() {
        let nested = |depth: usize| [vec![1; depth], vec![0]].concat();
        assert_eq!(check_footer(&footer(&nested(DEEPEST_SCHEMA))), Ok(()));
        assert_eq!(check_footer(&footer(&nested(DEEPEST_SCHEMA + 1))), Err(Broken::Wrong));
    }

    #[test]
    fn a_list_longer_than_the_bytes_is_refused() {
        let row_groups = [0x49, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0];
        assert_eq!(check_footer(&row_groups), Err(Broken::Cut));
    }

    #[test]
    fn lists_in_lists_end() {
        let mut bytes = vec![0x19];
        bytes.resize(10_000, 0x19);
        assert_eq!(check_footer(&bytes), Err(Broken::Wrong));
    }

    #[test]
    fn a_header_cut_short_asks_for_more() {
        let header =
            [0x15, 0x00, 0x15, 0x28, 0x15, 0x14, 0x2C, 0x15, 0x06, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x00, 0x00];
        let expected = Header {
            unpacked_bytes: 20,
            packed_bytes: 10,
            value_count: 3,
            definition_encoding: 3,
            repetition_encoding: 3,
            ..Header::default()
        };
        assert_eq!(page_header(&header), Ok((header.len(), expected)));
        for end in 0..header.len() {
            assert_eq!(page_header(&header[..end]), Err(Broken::Cut));
        }
    }
}
