//! Checks that a decompressed page can be decoded within limits.
//!
//! Nothing is decoded here. But a few bytes of a dictionary, of deltas or of runs can represent more values than fit in
//! memory, and the decoders of the `parquet` crate allocate space for all of them first.

use parquet::basic::{Encoding, Type};
use parquet::column::page::Page;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescriptor;

use super::pages::{LARGEST_ROW, VALUE_BYTES};

/// Maximum number of values held at once: of a dictionary, of the lengths in a page, of a row of a list.
const MOST_VALUES: u64 = LARGEST_ROW / VALUE_BYTES;

/// A dictionary stores its values verbatim, so it cannot have more values than bytes.
pub(super) fn check_dictionary(column: &ColumnDescriptor, bytes: usize, value_count: u32) -> Result<(), String> {
    let width = match column.physical_type() {
        Type::BOOLEAN => return Err("a dictionary of booleans".to_owned()),
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(column.type_length()).unwrap_or(0).max(1),
    };
    if u64::from(value_count).saturating_mul(width) > bytes as u64 || u64::from(value_count) > MOST_VALUES {
        return Err(format!("a dictionary of {value_count} values in {bytes} bytes"));
    }
    Ok(())
}

/// Checks a data page: its levels are within it, and neither its rows nor its lengths are too large.
pub(super) fn check_page(chunk: &ColumnChunkMetaData, page: &Page) -> Result<(), String> {
    let column = chunk.column_descr();
    let bytes = page.buffer();
    let value_count = u64::from(page.num_values());
    let (repetition, values) = match page {
        Page::DataPage { rep_level_encoding, def_level_encoding, .. } => {
            let first = levels(bytes, column.max_rep_level(), *rep_level_encoding, value_count)?;
            let second = levels(&bytes[first.end..], column.max_def_level(), *def_level_encoding, value_count)?;
            (&bytes[first.start..first.end], &bytes[first.end + second.end..])
        }
        Page::DataPageV2 { rep_levels_byte_len, def_levels_byte_len, .. } => {
            let first = *rep_levels_byte_len as usize;
            (&bytes[..first], &bytes[first + *def_levels_byte_len as usize..])
        }
        Page::DictionaryPage { .. } => return Ok(()),
    };
    if column.max_rep_level() > 0 && value_count > MOST_VALUES {
        check_rows(repetition, bits(column.max_rep_level()), value_count)?;
    }
    match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => deltas(values, value_count).map(drop),
        Encoding::DELTA_BYTE_ARRAY => {
            // The reader of such a column takes one value at a time, based on this flag.
            if !chunk.encodings_mask().is_set(Encoding::DELTA_BYTE_ARRAY) {
                return Err("a page has an encoding that its column does not say it has".to_owned());
            }
            let prefixes = deltas(values, value_count)?;
            deltas(&values[prefixes..], value_count).map(drop)
        }
        _ => Ok(()),
    }
}

fn bits(level: i16) -> u64 {
    u64::from(u16::BITS - level.unsigned_abs().leading_zeros())
}

fn short<T>(found: Option<T>) -> Result<T, String> {
    found.ok_or_else(|| "a page is shorter than it says".to_owned())
}

/// The range of the levels at the start of a version 1 page.
#[expect(deprecated, reason = "files of ten years ago have it")]
fn levels(bytes: &[u8], max: i16, encoding: Encoding, count: u64) -> Result<std::ops::Range<usize>, String> {
    if max == 0 {
        return Ok(0..0);
    }
    let range = match encoding {
        Encoding::RLE => {
            let length = short(bytes.first_chunk())?;
            4..4 + u32::from_le_bytes(*length) as usize
        }
        // All levels are stored individually, so the bytes limit the rows; such pages are small.
        Encoding::BIT_PACKED if count <= MOST_VALUES => 0..(count * bits(max)).div_ceil(8) as usize,
        _ => return Err(format!("levels in encoding {encoding}")),
    };
    short((range.end <= bytes.len()).then_some(range))
}

fn unsigned(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Walks runs of repetition levels: level 0 starts a row, and no row may have too many.
fn check_rows(mut bytes: &[u8], width: u64, value_count: u64) -> Result<(), String> {
    let (mut passed, mut row) = (0, 0_u64);
    let too_large = |row: u64| format!("a row with more than {row} values");
    while passed < value_count {
        // An empty run would make no progress.
        let run = short(unsigned(&mut bytes).filter(|run| *run > 1))?;
        let mut pass = |level: u64, count: u64| {
            row = if level == 0 { 1 } else { row.saturating_add(count) };
            if row > MOST_VALUES { Err(too_large(MOST_VALUES)) } else { Ok(()) }
        };
        if run & 1 == 0 {
            let (level, rest) = short(bytes.split_at_checked(width.div_ceil(8) as usize))?;
            bytes = rest;
            let level = level.iter().fold(0, |level, byte| level | u64::from(*byte));
            passed += run >> 1;
            pass(level, run >> 1)?;
        } else {
            let length = short((run >> 1).checked_mul(width).filter(|length| *length <= bytes.len() as u64))?;
            let (levels, rest) = bytes.split_at(length as usize);
            bytes = rest;
            passed += (run >> 1) * 8;
            for at in 0..(run >> 1) * 8 {
                let level = (0..width).any(|bit| {
                    let bit = at * width + bit;
                    levels[(bit / 8) as usize] >> (bit % 8) & 1 == 1
                });
                pass(u64::from(level), 1)?;
            }
        }
    }
    Ok(())
}

/// Walks delta-encoded integers and returns their end. There must not be more of them than values.
fn deltas(bytes: &[u8], value_count: u64) -> Result<usize, String> {
    let mut rest = bytes;
    let mut head = || short(unsigned(&mut rest));
    let (block, miniblocks, count, _first) = (head()?, head()?, head()?, head()?);
    if count > value_count || count > MOST_VALUES || miniblocks == 0 || block == 0 || block % miniblocks != 0 {
        return Err(format!("{count} lengths for {value_count} values"));
    }
    let in_miniblock = block / miniblocks;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        short(unsigned(&mut rest))?;
        let (widths, after) = short(usize::try_from(miniblocks).ok().and_then(|count| rest.split_at_checked(count)))?;
        rest = after;
        for width in widths {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(in_miniblock);
            let length = (u64::from(*width)).saturating_mul(in_miniblock) / 8;
            let length = usize::try_from(length).ok();
            rest = short(length.and_then(|length| rest.get(length..)))?;
        }
    }
    Ok(bytes.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_list_that_no_memory_holds_is_refused() {
        let run = |level: u8, count: u64| {
            let mut bytes = Vec::new();
            let mut head = count << 1;
            while head > 0x7F {
                bytes.push(head as u8 | 0x80);
                head >>= 7;
            }
            bytes.extend([head as u8, level]);
            bytes
        };
        let rows = [run(0, 1), run(1, MOST_VALUES - 1), run(0, 5), run(1, 7)].concat();
        assert_eq!(check_rows(&rows, 1, MOST_VALUES + 12), Ok(()));
        let row = [run(0, 1), run(1, MOST_VALUES)].concat();
        assert!(check_rows(&row, 1, MOST_VALUES + 1).unwrap_err().starts_with("a row with more than"));
        assert!(check_rows(&run(0, 1), 1, 2).is_err(), "runs end before the values do");
    }

    #[test]
    fn packed_levels_are_walked_one_by_one() {
        // Eight levels of two bits: 0 1 2 0 1 1 1 1.
        let levels = [0x03, 0b0010_0100, 0b0101_0101];
        assert_eq!(check_rows(&levels, 2, 8), Ok(()));
    }

    #[test]
    fn more_lengths_than_values_are_refused() {
        // Blocks of 128 in four parts; two lengths, 5 and 6: one delta, and parts without bits.
        let two = [0x80, 0x01, 4, 2, 10, 2, 0, 0, 0, 0];
        assert_eq!(deltas(&two, 2), Ok(two.len()));
        assert_eq!(deltas(&[&two[..], b"more"].concat(), 2), Ok(two.len()));
        assert!(deltas(&two, 1).is_err());
        let huge = [0x80, 0x01, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 10, 2, 0, 0, 0, 0];
        assert!(deltas(&huge, 1 << 31).is_err());
    }
}
