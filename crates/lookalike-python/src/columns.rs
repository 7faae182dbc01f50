//! Reads columns of Arrow as texts, ids and values, in place from their buffers.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray, StringViewArray,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use lookalike::core::resolve::keep::FieldValue;
use lookalike::io::input::held::HeldText;

/// A column of texts.
#[derive(Debug)]
pub(crate) enum Texts {
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    /// Index of each row's value; `None` for null.
    Dictionary(Vec<Option<u32>>, Box<Texts>),
    /// Nothing but nulls.
    Null,
}

/// Reason for skipping a row of a binary column.
const NOT_UTF8: &str = "not UTF-8";

impl Texts {
    /// Reads a column as texts; `None` if it has a different type.
    pub(crate) fn new(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string::<i32>().clone()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string::<i64>().clone()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view().clone()),
            DataType::Binary => Self::Binary(array.as_binary::<i32>().clone()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary::<i64>().clone()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view().clone()),
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary();
                let values = Self::new(dictionary.values())?;
                let keys = dictionary.keys();
                let key = |(row, key): (usize, usize)| keys.is_valid(row).then_some(key as u32);
                // An empty dictionary has no valid keys.
                let all = if dictionary.values().is_empty() {
                    vec![None; array.len()]
                } else {
                    dictionary.normalized_keys().into_iter().enumerate().map(key).collect()
                };
                Self::Dictionary(all, Box::new(values))
            }
            DataType::Null => Self::Null,
            _ => return None,
        })
    }

    /// The text of a row.
    pub(crate) fn text(&self, row: usize) -> HeldText<'_> {
        match self {
            Self::Utf8(array) => of_text(array.is_valid(row), || array.value(row)),
            Self::LargeUtf8(array) => of_text(array.is_valid(row), || array.value(row)),
            Self::Utf8View(array) => of_text(array.is_valid(row), || array.value(row)),
            Self::Binary(array) => of_bytes(array.is_valid(row), || array.value(row)),
            Self::LargeBinary(array) => of_bytes(array.is_valid(row), || array.value(row)),
            Self::BinaryView(array) => of_bytes(array.is_valid(row), || array.value(row)),
            Self::Dictionary(keys, values) => keys[row].map_or(HeldText::Null, |key| values.text(key as usize)),
            Self::Null => HeldText::Null,
        }
    }

    /// The same as a name; `None` for a null or unusable text, which names nothing.
    pub(crate) fn name(&self, row: usize) -> Option<Cow<'_, str>> {
        match self.text(row) {
            HeldText::Text(text) => Some(Cow::Borrowed(text)),
            HeldText::Null | HeldText::Unusable(_) => None,
        }
    }
}

fn of_text<'a>(is_valid: bool, text: impl FnOnce() -> &'a str) -> HeldText<'a> {
    if is_valid { HeldText::Text(text()) } else { HeldText::Null }
}

fn of_bytes<'a>(is_valid: bool, bytes: impl FnOnce() -> &'a [u8]) -> HeldText<'a> {
    if !is_valid {
        return HeldText::Null;
    }
    std::str::from_utf8(bytes()).map_or(HeldText::Unusable(NOT_UTF8), HeldText::Text)
}

/// A column of ids or sources: texts as they are, and anything else as it is written.
pub(crate) fn names(array: &ArrayRef) -> Result<Texts, ArrowError> {
    match Texts::new(array) {
        Some(texts) => Ok(texts),
        None => Ok(Texts::LargeUtf8(cast(array, &DataType::LargeUtf8)?.as_string::<i64>().clone())),
    }
}

/// A column that the keep order compares.
#[derive(Debug)]
pub(crate) enum Values {
    /// Compared as texts.
    Texts(Texts),
    /// Compared as numbers, to the last digit.
    Numbers(LargeStringArray),
    /// True is more than false.
    Flags(arrow_array::BooleanArray),
}

impl Values {
    pub(crate) fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        let kind = array.data_type();
        if *kind == DataType::Boolean {
            return Ok(Self::Flags(array.as_boolean().clone()));
        }
        if let Some(texts) = Texts::new(array) {
            return Ok(Self::Texts(texts));
        }
        let written = cast(array, &DataType::LargeUtf8)?.as_string::<i64>().clone();
        let is_number = kind.is_numeric();
        Ok(if is_number { Self::Numbers(written) } else { Self::Texts(Texts::LargeUtf8(written)) })
    }

    pub(crate) fn value(&self, row: usize) -> FieldValue {
        match self {
            Self::Texts(texts) => texts.name(row).map_or(FieldValue::Missing, |text| FieldValue::Text((*text).into())),
            Self::Numbers(written) if written.is_valid(row) => FieldValue::number(written.value(row)),
            Self::Flags(flags) if flags.is_valid(row) => FieldValue::number(if flags.value(row) { "1" } else { "0" }),
            Self::Numbers(_) | Self::Flags(_) => FieldValue::Missing,
        }
    }
}
