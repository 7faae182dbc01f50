//! Pairs of sets as lines.
//!
//! Few lines are formatted. An id is escaped once for all its lines, and the rest of a line, which has few distinct
//! values, is cached.

use lookalike_core::packed::Strings;

use super::rows::SetPair;
use crate::options::RowFormat;
use crate::output::sink::write_row;

/// Formats lines.
pub(super) struct Lines {
    /// Escaped ids.
    ids: Strings,
    format: RowFormat,
}

impl Lines {
    pub(super) fn new(ids: &Strings, format: RowFormat) -> Self {
        let ids = match format {
            RowFormat::Jsonl => ids.iter().map(|id| serde_json::Value::from(id).to_string()).collect(),
            RowFormat::Tsv | RowFormat::Csv => ids.iter().map(|id| format.cell(id)).collect(),
        };
        Self { ids, format }
    }

    /// Appends the line of a pair without ids, for these sets.
    pub(super) fn add(&self, pair: &SetPair, [left, right]: [u32; 2], ends: &mut Ends, lines: &mut Vec<u8>) {
        let [before, between, after]: [&[u8]; 3] = match self.format {
            RowFormat::Jsonl => [b"{\"left_id\":", b",\"right_id\":", b","],
            RowFormat::Tsv => [b"", b"\t", b"\t"],
            RowFormat::Csv => [b"", b",", b","],
        };
        let [left, right] = [left, right].map(|set| self.ids.get(set as usize).as_bytes());
        let end = ends.of(pair, || self.end(pair));
        for part in [before, left, between, right, after, end] {
            lines.extend_from_slice(part);
        }
    }

    /// The end of a line after the ids: that part of the row formatted without them.
    fn end(&self, pair: &SetPair) -> Vec<u8> {
        let mut line = Vec::new();
        write_row(self.format, pair, &mut line).expect("a vector takes every byte");
        let ids = match self.format {
            RowFormat::Jsonl => "{\"left_id\":\"\",\"right_id\":\"\",".len(),
            RowFormat::Tsv | RowFormat::Csv => 2,
        };
        line.split_off(ids)
    }
}

/// A direct-mapped cache of ends of lines.
pub(super) struct Ends(Vec<Option<(Key, Vec<u8>)>>);

/// The bits of the values in the end of a line.
type Key = [u64; 4];

impl Ends {
    const BITS: u32 = 10;

    pub(super) fn new() -> Self {
        Self(vec![None; 1 << Self::BITS])
    }

    fn of(&mut self, pair: &SetPair, make: impl FnOnce() -> Vec<u8>) -> &[u8] {
        let bits = |value: Option<f64>| value.map_or(0, f64::to_bits);
        // A run has counts or weights, never both.
        let shared = pair.shared_count.unwrap_or_else(|| bits(pair.shared_weight));
        let (left, right) = (bits(pair.containment_of_left), bits(pair.containment_of_right));
        let key = [pair.similarity.to_bits(), shared, left, right];
        // Multiplying by the golden ratio spreads adjacent values (Knuth, The Art of Computer Programming 3, 6.4).
        let mixed = key[0] ^ shared.rotate_left(48) ^ left.rotate_left(20) ^ right.rotate_left(40);
        let place = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - Self::BITS);
        let end = &mut self.0[place as usize];
        if end.as_ref().is_none_or(|(other, _)| *other != key) {
            *end = Some((key, make()));
        }
        end.as_ref().map_or(&[], |(_, end)| end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::sink::{RowWriter, Sink};

    #[test]
    fn lines_are_those_of_the_rows() {
        let ids = ["plain", "a \"b\", c", "tab\there", "", " blank "];
        let strings: Strings = ids.iter().collect();
        let half = |has: bool| has.then_some(0.5);
        let pair = |similarity: f64, count: Option<u64>, weight: Option<f64>, has_containments: bool| SetPair {
            similarity,
            shared_count: count,
            shared_weight: weight,
            containment_of_left: half(has_containments),
            containment_of_right: half(has_containments),
            ..SetPair::default()
        };
        let kinds =
            [pair(1.0, Some(3), None, false), pair(1.0 / 3.0, None, Some(2.5), true), pair(0.5, Some(1), None, true)];
        for format in [RowFormat::Jsonl, RowFormat::Tsv, RowFormat::Csv] {
            let (lines, mut ends) = (Lines::new(&strings, format), Ends::new());
            let (mut fast, mut rows) = (Vec::new(), Vec::new());
            for kind in kinds.iter().chain(&kinds) {
                for (left, right) in [(0, 1), (1, 2), (3, 4), (4, 0)] {
                    lines.add(kind, [left, right], &mut ends, &mut fast);
                    let [left_id, right_id] = [left, right].map(|set| ids[set as usize].to_owned());
                    rows.push(SetPair { left_id, right_id, ..kind.clone() });
                }
            }
            let mut plain = Vec::new();
            RowWriter::new(&mut plain, format).take(rows).unwrap();
            assert_eq!(String::from_utf8(fast).unwrap(), String::from_utf8(plain).unwrap(), "{format:?}");
        }
    }
}
