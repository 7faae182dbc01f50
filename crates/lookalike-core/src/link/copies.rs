//! Records that are equal in every compared field: rows that were imported more than once.
//!
//! If a bucket exceeds its bound, one copy represents all others, because no further key could ever separate them.
//! Copies also do not make a value common: a record that was copied a hundred times counts as ten.

use rayon::prelude::*;

use super::records::{Field, MISSING};
use crate::hash::mix;
use crate::ids::{Number, Record};

/// Maps each record to the one it is a copy of.
#[derive(Debug)]
pub(super) struct Copies {
    /// For each record, the record of its table that represents it: itself, unless it is a copy.
    first_of: Vec<Record>,
    /// Records that have copies; equal ones are adjacent.
    equal: Vec<Copy>,
}

/// A record that has copies, or is one. In sorted order, equal ones are adjacent, those of the first table before the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Copy {
    values: u64,
    is_second: bool,
    content: u64,
    record: Record,
}

/// Maximum number of copies of a record that count toward the frequency of its values: as many as are always compared
/// with each other.
const COUNTED: usize = 10;

impl Copies {
    /// Finds copies by sorting.
    pub(super) fn of(fields: &[Field], content: &[u64], first_count: usize) -> Self {
        let copy = |record: Record| {
            let (values, content) = (hash_of_values(fields, record)?, content[record.index()]);
            Some(Copy { values, is_second: record.index() >= first_count, content, record })
        };
        let mut equal: Vec<Copy> = (0..content.len() as u32).into_par_iter().map(Record).filter_map(copy).collect();
        equal.par_sort_unstable();
        let mut first_of: Vec<Record> = (0..content.len() as u32).map(Record).collect();
        let is_same = |left: &Copy, right: &Copy| (left.values, left.is_second) == (right.values, right.is_second);
        for copies in equal.chunk_by(is_same) {
            copies.iter().for_each(|copy| first_of[copy.record.index()] = copies[0].record);
        }
        equal =
            equal.chunk_by(|a, b| a.values == b.values).filter(|copies| copies.len() > 1).flatten().copied().collect();
        Self { first_of, equal }
    }

    /// True if the record represents itself, that is, is not a copy of another record.
    #[inline]
    pub(super) fn is_first(&self, record: Record) -> bool {
        self.first_of[record.index()] == record
    }

    /// Pairs that connect all copies, fewer than twice the number of records: within one table, the first copy with all
    /// others; between two tables, the first copy of each table with all copies of the other.
    pub(super) fn pairs(&self, are_of_two_tables: bool) -> Vec<(Record, Record)> {
        let mut pairs = Vec::new();
        for copies in self.equal.chunk_by(|left, right| left.values == right.values) {
            if !are_of_two_tables {
                pairs.extend(copies[1..].iter().map(|copy| (copies[0].record, copy.record)));
                continue;
            }
            let (first, second) = copies.split_at(copies.partition_point(|copy| !copy.is_second));
            if let (Some(of_first), Some(of_second)) = (first.first(), second.first()) {
                pairs.extend(second.iter().map(|copy| (of_first.record, copy.record)));
                pairs.extend(first.iter().map(|copy| (copy.record, of_second.record)));
            }
        }
        pairs
    }

    /// Excludes copies beyond [`COUNTED`] from the counts of each value.
    pub(super) fn leave_out_of_counts(&self, fields: &mut [Field]) {
        let is_same = |left: &Copy, right: &Copy| (left.values, left.is_second) == (right.values, right.is_second);
        for copies in self.equal.chunk_by(is_same).filter(|copies| copies.len() > COUNTED) {
            let too_many = (copies.len() - COUNTED) as u32;
            for field in &mut *fields {
                let value = field.of_record[copies[0].record.index()];
                if value != MISSING {
                    field.counts[usize::from(copies[0].is_second)][value as usize] -= too_many;
                }
            }
        }
    }
}

/// Hash of all compared values; `None` for a record without any.
fn hash_of_values(fields: &[Field], record: Record) -> Option<u64> {
    let values = fields.iter().map(|field| field.of_record[record.index()]);
    let has_one = values.clone().any(|value| value != MISSING);
    has_one.then(|| values.fold(0, |hash, value| mix(hash ^ u64::from(value)).rotate_left(5)))
}
