//! Converts a value of a column to an id, or to a value for keep order.
//!
//! The same bytes are a number, a time or a string depending on the type in the schema, given by [`Kind`].

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use lookalike_core::resolve::keep::FieldValue;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::data_type::{
    BoolType, ByteArrayType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::ColumnDescriptor;

use super::column::{Cells, Column};

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string; or bytes, which are one if they are UTF-8.
    Text,
    /// A signed integer, a date, a time.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A floating-point number, a boolean, a twelve-byte timestamp.
    AsItIs,
    /// Sixteen bytes written as hexadecimal digits.
    Uuid,
    /// A two-byte floating-point number.
    Half,
    /// An integer with this many digits after the decimal point.
    Decimal(i32),
    /// Bytes of fixed length without further meaning.
    Opaque,
}

impl Kind {
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        let logical = column.logical_type_ref();
        if let Some(LogicalType::Decimal(decimal)) = logical {
            return Self::Decimal(decimal.scale);
        }
        let converted = column.converted_type();
        if converted == ConvertedType::DECIMAL {
            return Self::Decimal(column.type_scale());
        }
        match column.physical_type() {
            Type::BYTE_ARRAY => Self::Text,
            Type::INT32 | Type::INT64 => match (logical, converted) {
                (Some(LogicalType::Integer(whole)), _) if !whole.is_signed => Self::Unsigned,
                (
                    _,
                    ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
                ) => Self::Unsigned,
                _ => Self::Signed,
            },
            Type::FIXED_LEN_BYTE_ARRAY => match logical {
                Some(LogicalType::Uuid) => Self::Uuid,
                Some(LogicalType::Float16) => Self::Half,
                _ => Self::Opaque,
            },
            Type::BOOLEAN | Type::INT96 | Type::FLOAT | Type::DOUBLE => Self::AsItIs,
        }
    }

    pub(super) fn is_id(self) -> bool {
        matches!(self, Self::Text | Self::Signed | Self::Unsigned | Self::Uuid)
    }

    pub(super) fn is_comparable(self) -> bool {
        self != Self::Opaque
    }
}

/// A physical value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'a> {
    Truth(bool),
    Short(i32),
    Long(i64),
    Time(Int96),
    Float(f32),
    Double(f64),
    Bytes(&'a [u8]),
}

/// The rows of a column of any type.
pub(super) enum AnyCells {
    Truth(Cells<BoolType>),
    Short(Cells<Int32Type>),
    Long(Cells<Int64Type>),
    Time(Cells<Int96Type>),
    Float(Cells<FloatType>),
    Double(Cells<DoubleType>),
    Bytes(Cells<ByteArrayType>),
    Fixed(Cells<FixedLenByteArrayType>),
}

impl AnyCells {
    pub(super) fn open(
        file: &Arc<File>,
        file_bytes: u64,
        group: &RowGroupMetaData,
        index: usize,
    ) -> Result<Self, String> {
        macro_rules! cells {
            ($variant:ident) => {
                Self::$variant(Cells::new(Column::open(file, file_bytes, group, index)?))
            };
        }
        Ok(match group.column(index).column_type() {
            Type::BOOLEAN => cells!(Truth),
            Type::INT32 => cells!(Short),
            Type::INT64 => cells!(Long),
            Type::INT96 => cells!(Time),
            Type::FLOAT => cells!(Float),
            Type::DOUBLE => cells!(Double),
            Type::BYTE_ARRAY => cells!(Bytes),
            Type::FIXED_LEN_BYTE_ARRAY => cells!(Fixed),
        })
    }

    /// Takes the value of the next row, if it has one.
    pub(super) fn take(&mut self) -> Result<Option<Scalar<'_>>, String> {
        Ok(match self {
            Self::Truth(cells) => cells.take()?.copied().map(Scalar::Truth),
            Self::Short(cells) => cells.take()?.copied().map(Scalar::Short),
            Self::Long(cells) => cells.take()?.copied().map(Scalar::Long),
            Self::Time(cells) => cells.take()?.copied().map(Scalar::Time),
            Self::Float(cells) => cells.take()?.copied().map(Scalar::Float),
            Self::Double(cells) => cells.take()?.copied().map(Scalar::Double),
            Self::Bytes(cells) => cells.take()?.map(|bytes| Scalar::Bytes(bytes.data())),
            Self::Fixed(cells) => cells.take()?.map(|bytes| Scalar::Bytes(bytes.data())),
        })
    }

    /// Passes all values of the next row to `each`.
    pub(super) fn take_all(&mut self, mut each: impl FnMut(Scalar<'_>)) -> Result<(), String> {
        match self {
            Self::Truth(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Truth(*value))),
            Self::Short(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Short(*value))),
            Self::Long(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Long(*value))),
            Self::Time(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Time(*value))),
            Self::Float(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Float(*value))),
            Self::Double(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Double(*value))),
            Self::Bytes(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Bytes(value.data()))),
            Self::Fixed(cells) => cells.take_all()?.iter().for_each(|value| each(Scalar::Bytes(value.data()))),
        }
        Ok(())
    }
}

/// Appends an id. Returns false if the value cannot be one.
pub(super) fn write_id(kind: Kind, scalar: Scalar<'_>, bytes: &mut Vec<u8>) -> bool {
    let written = match (kind, scalar) {
        (Kind::Signed, Scalar::Short(whole)) => write!(bytes, "{whole}"),
        (Kind::Signed, Scalar::Long(whole)) => write!(bytes, "{whole}"),
        (Kind::Unsigned, Scalar::Short(whole)) => write!(bytes, "{}", whole as u32),
        (Kind::Unsigned, Scalar::Long(whole)) => write!(bytes, "{}", whole as u64),
        (Kind::Text, Scalar::Bytes(text)) if simdutf8::basic::from_utf8(text).is_ok() => bytes.write_all(text),
        (Kind::Uuid, Scalar::Bytes(digits)) if digits.len() == 16 => {
            digits.iter().enumerate().try_for_each(|(at, two)| {
                let dash = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
                write!(bytes, "{dash}{two:02x}")
            })
        }
        _ => return false,
    };
    written.is_ok()
}

/// The value for keep order. `scratch` is a buffer for the digits of a number.
pub(super) fn field_value(kind: Kind, scalar: Scalar<'_>, scratch: &mut String) -> FieldValue {
    scratch.clear();
    let written = match (kind, scalar) {
        (Kind::Decimal(scale), scalar) => return decimal(scalar, scale, scratch),
        (Kind::Text, Scalar::Bytes(text)) => {
            return std::str::from_utf8(text).map_or(FieldValue::Missing, |text| FieldValue::Text(text.into()));
        }
        (Kind::Half, Scalar::Bytes(&[low, high])) => write!(scratch, "{}", half(u16::from_le_bytes([low, high]))),
        (Kind::Uuid, scalar) => {
            let mut digits = Vec::new();
            let is_whole = write_id(kind, scalar, &mut digits);
            let digits = String::from_utf8(digits).ok().filter(|_| is_whole);
            return digits.map_or(FieldValue::Missing, |digits| FieldValue::Text(digits.into()));
        }
        (Kind::Unsigned, Scalar::Short(whole)) => write!(scratch, "{}", whole as u32),
        (Kind::Unsigned, Scalar::Long(whole)) => write!(scratch, "{}", whole as u64),
        (_, Scalar::Short(whole)) => write!(scratch, "{whole}"),
        (_, Scalar::Long(whole)) => write!(scratch, "{whole}"),
        (_, Scalar::Truth(truth)) => write!(scratch, "{}", u8::from(truth)),
        (_, Scalar::Float(number)) => write!(scratch, "{number}"),
        (_, Scalar::Double(number)) => write!(scratch, "{number}"),
        (_, Scalar::Time(time)) => write!(scratch, "{}", nanoseconds(time)),
        (_, Scalar::Bytes(_)) => return FieldValue::Missing,
    };
    if written.is_ok() { FieldValue::number(scratch) } else { FieldValue::Missing }
}

/// A twelve-byte timestamp is nanoseconds of a day and a Julian day number. As nanoseconds since 1970 it is comparable
/// with the eight-byte timestamps in other files of the same table.
fn nanoseconds(time: Int96) -> i128 {
    const FIRST_OF_1970: i128 = 2_440_588;
    const DAY: i128 = 86_400_000_000_000;
    let [low, high, day] = [0, 1, 2].map(|part| i128::from(time.data()[part]));
    let within_day = i128::from((low | high << 32) as i64);
    (i128::from(day as i32) - FIRST_OF_1970) * DAY + within_day
}

/// Writes the number with an exponent, so that the standard library finds the nearest floating-point number.
fn decimal(scalar: Scalar<'_>, scale: i32, scratch: &mut String) -> FieldValue {
    let mut zeros = 0;
    let whole = match scalar {
        Scalar::Short(whole) => i128::from(whole),
        Scalar::Long(whole) => i128::from(whole),
        Scalar::Bytes(bytes) => {
            // The first sixteen significant bytes exceed the precision of a floating-point number.
            let sign = if bytes.first().is_some_and(|first| *first >= 0x80) { 0xFF } else { 0 };
            let plain = bytes.iter().take_while(|byte| **byte == sign).count();
            let digits = &bytes[plain..];
            let kept = &digits[..digits.len().min(15)];
            zeros = digits.len() - kept.len();
            kept.iter().fold(if sign == 0 { 0 } else { -1 }, |whole: i128, byte| whole << 8 | i128::from(*byte))
        }
        _ => return FieldValue::Missing,
    };
    if zeros > 0 {
        let near = whole as f64 * 256_f64.powi(zeros as i32) / 10_f64.powi(scale);
        return if near.is_finite() { FieldValue::Number { near, rest: 0 } } else { FieldValue::Missing };
    }
    let written =
        if scale == 0 { write!(scratch, "{whole}") } else { write!(scratch, "{whole}e{}", -i64::from(scale)) };
    if written.is_ok() { FieldValue::number(scratch) } else { FieldValue::Missing }
}

pub(super) fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 => return f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: Kind, scalar: Scalar<'_>) -> FieldValue {
        field_value(kind, scalar, &mut String::new())
    }

    #[test]
    fn decimals_are_compared_by_value() {
        for scalar in [Scalar::Short(-12345), Scalar::Long(-12345), Scalar::Bytes(&[0xFF, 0xFF, 0xCF, 0xC7])] {
            assert_eq!(value(Kind::Decimal(2), scalar), FieldValue::number("-123.45"));
        }
        assert_eq!(value(Kind::Decimal(0), Scalar::Bytes(&[0, 1, 0])), FieldValue::number("256"));
        let mut long = [0; 32];
        long[11] = 1;
        assert_eq!(
            value(Kind::Decimal(0), Scalar::Bytes(&long)),
            FieldValue::Number { near: 2_f64.powi(160), rest: 0 }
        );
        assert_eq!(value(Kind::Decimal(-3), Scalar::Short(7)), FieldValue::number("7000.0"));
    }

    #[test]
    fn times_of_twelve_bytes_compare_with_times_of_eight() {
        let mut time = Int96::new();
        time.set_data(1, 0, 2_440_589);
        assert_eq!(value(Kind::AsItIs, Scalar::Time(time)), FieldValue::number("86400000000001"));
    }

    #[test]
    fn numbers_without_a_sign_are_not_negative() {
        assert_eq!(value(Kind::Unsigned, Scalar::Short(-1)), FieldValue::number("4294967295"));
        let mut id = Vec::new();
        assert!(write_id(Kind::Unsigned, Scalar::Long(-1), &mut id));
        assert_eq!(id, b"18446744073709551615");
    }

    #[test]
    fn halves_are_numbers() {
        for (bits, number) in [(0x3C00, 1.0), (0xC000, -2.0), (0x3555, 0.333_251_953_125), (1, 2_f64.powi(-24))] {
            assert!((half(bits) - number).abs() < 1e-12, "{bits}");
        }
        assert_eq!(value(Kind::Half, Scalar::Bytes(&[0, 0x7C])), FieldValue::Missing);
    }

    #[test]
    fn a_uuid_is_written_as_people_write_it() {
        let mut id = Vec::new();
        let bytes: Vec<u8> = (0..16).collect();
        assert!(write_id(Kind::Uuid, Scalar::Bytes(&bytes), &mut id));
        assert_eq!(id, b"00010203-0405-0607-0809-0a0b0c0d0e0f");
    }
}
