//! Estimates the memory that linking needs, before it starts.
//!
//! The numbers were fitted to peaks reported by the kernel: they are 10 to 30 % above those of 25,000 to 2,000,000
//! customers with eight fields. A table with one field may have fewer candidates, and need only half of the estimate.

use lookalike_core::link::config::{Config, Kind};
use lookalike_core::link::key::{ALWAYS, Candidates, MOST_A_RECORD};
use lookalike_core::link::records::MOST_FIELDS;
use lookalike_core::table::Table;
use lookalike_io::table::Reading;

use crate::error::{Error, Result};
use crate::resources::memory::Memory;

/// The program itself, and buffers of its threads.
const BASE: u64 = 32 << 20;

/// Bytes per byte of text: in its table, normalized, as a value, and in words.
const TEXT: u64 = 5;

/// Bytes per cell in a table, not counting its text.
const CELL: u64 = size_of::<usize>() as u64;

/// Bytes per field of a record: its value, the summary that is compared first, and the memory for sorting values.
const FIELD: u64 = 48;

/// Bytes per record: its id, and the keys of the field with the most keys.
const RECORD: u64 = 400;

/// Bytes per candidate: as a pair, merged with others, compared and scored.
const CANDIDATE: u64 = 56;

/// Advice for reducing the memory needed.
const ADVICE: &str = "link a part of them";

/// Known properties of the tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Need {
    rows: u64,
    cells: u64,
    /// Bytes of all cells, not counting the overhead of a table.
    text: u64,
    columns: usize,
    /// The share of the rows that have been read.
    share: f64,
}

impl Need {
    pub(super) fn of_table(table: &Table) -> Self {
        let (rows, columns) = (table.row_count() as u64, table.names().len());
        Self::of_reading(Reading { rows, bytes: table.byte_count(), columns, share: 1.0 })
    }

    pub(super) fn of_reading(reading: Reading) -> Self {
        let cells = reading.rows * reading.columns as u64;
        let text = reading.bytes.saturating_sub(cells * CELL);
        Self { rows: reading.rows, cells, text, columns: reading.columns, share: reading.share }
    }

    /// Two tables together; the second may not have been read to its end.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            cells: self.cells + other.cells,
            text: self.text + other.text,
            columns: self.columns.max(other.columns),
            share: other.share,
        }
    }

    /// Returns an error if the rows read so far already need all memory.
    pub(super) fn check_held(self, memory: Memory) -> Result<()> {
        if BASE + self.text + self.cells * CELL <= memory.bytes() {
            return Ok(());
        }
        let whole = |part: u64| (part as f64 / self.share) as u64;
        let all = Self { rows: whole(self.rows), cells: whole(self.cells), text: whole(self.text), ..self };
        Err(all.too_much(all.fixed(all.columns) + all.candidates() * CANDIDATE, memory))
    }

    /// Returns an error if linking would not fit in memory; otherwise the number of candidates that fit.
    pub(super) fn check(self, config: &Config, memory: Memory) -> Result<usize> {
        let fields = config.columns.iter().filter(|column| column.kind != Kind::Ignored).count();
        let fixed = self.fixed(fields);
        let needed = fixed + self.candidates() * CANDIDATE;
        if needed > memory.bytes() {
            return Err(self.too_much(needed, memory));
        }
        Ok(((memory.bytes() - fixed) / CANDIDATE) as usize)
    }

    /// Bytes of everything except candidates.
    fn fixed(self, fields: usize) -> u64 {
        let fields = fields.min(MOST_FIELDS) as u64;
        BASE + self.text * TEXT + self.cells * CELL + self.rows * (fields * FIELD + RECORD)
    }

    /// Maximum number of candidates, unless values are extremely similar.
    fn candidates(self) -> u64 {
        let pairs = self.rows.saturating_mul(self.rows.saturating_sub(1)) / 2;
        (self.rows * MOST_A_RECORD as u64).max(ALWAYS as u64).min(pairs)
    }

    fn too_much(self, needed: u64, memory: Memory) -> Error {
        let (count, bytes) = (with_commas(self.rows), memory.bytes());
        Error::MemoryTooSmallForTables { job: "link", count, what: "rows", bytes, needed, advice: ADVICE }
    }
}

/// Returns an error if candidates are incomplete because they did not fit in memory.
pub(super) fn check_candidates(candidates: &Candidates, memory: Memory) -> Result<()> {
    if candidates.is_complete() {
        return Ok(());
    }
    let bytes = memory.bytes();
    Err(Error::MemoryTooSmallForPairs { job: "link", bytes, needed: 2 * bytes, advice: ADVICE })
}

/// A number with thousands separators.
pub(crate) fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
    digits.char_indices().map(|(at, digit)| format!("{}{digit}", comma(at))).collect()
}
