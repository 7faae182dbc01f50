//! Finds candidates: pairs of records that share a key, found by sorting, without comparing all records with all
//! others.
//!
//! First come the records that are identical in a field, then those that a forgiving key brings together: a deleted
//! letter, the same sound, rare words, swapped names, a phone without its area code. A bucket over
//! [`Bounds::bucket_pairs`] is not dropped but split by a further key of another field, with one record for all
//! identical ones; only buckets that are too large even then are left out, and counted.

mod analyze;
mod coarse;
mod gather;
mod household;
mod make;
mod phonetic;
mod shared;
mod split;

pub use analyze::{Block, KeyAnalysis, analyze};
pub use gather::Candidates;
pub use shared::{Outcome, SharedKey, share_two_fields, shared_keys};

use std::convert::Infallible;

use rayon::prelude::*;

use self::coarse::Coarse;
use self::household::Household;
use self::make::Maker;
use self::split::Splitter;
use super::records::Records;
use crate::ids::Record;

/// Kinds of keys, by how they are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum KeyKind {
    /// Equal in a field.
    Identical,
    /// Equal in a part of a field: a phone without its area code, the name before the @.
    Part,
    /// The given name of one is the family name of the other; the month of one the day of the other.
    Swapped,
    /// One letter or digit added, removed or replaced.
    Deletion,
    /// The same sound.
    Phonetic,
    /// A rare word in common.
    RareWord,
    /// Two words in common.
    WordPair,
    /// Many three-letter pieces in common, by `MinHash`.
    Grams,
}

impl KeyKind {
    /// All kinds, in the order in which they are tried.
    pub const ALL: [Self; 8] = [
        Self::Identical,
        Self::Part,
        Self::Swapped,
        Self::Deletion,
        Self::Phonetic,
        Self::RareWord,
        Self::WordPair,
        Self::Grams,
    ];

    /// True if sharing a key of this kind says little, because a record has many such keys or a key has many records.
    fn forgives_much(self) -> bool {
        matches!(self, Self::Part | Self::Deletion | Self::WordPair | Self::Grams)
    }

    /// Name in a summary.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Part => "part",
            Self::Swapped => "swapped",
            Self::Deletion => "deletion",
            Self::Phonetic => "phonetic",
            Self::RareWord => "rare-word",
            Self::WordPair => "word-pair",
            Self::Grams => "grams",
        }
    }
}

/// Results of one kind of key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyReport {
    /// Candidates that this kind found.
    pub candidate_count: u64,
    /// Of these, those that no other kind found.
    pub alone_count: u64,
    /// Buckets that were over the bound and were split by a further key.
    pub split_bucket_count: u64,
    /// Pairs of such buckets that no further key brought together; another kind may have.
    pub not_compared_count: u64,
}

/// Limits on the number of comparisons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Maximum number of pairs in a bucket: larger ones are split.
    pub bucket_pairs: u64,
    /// First record of a pair that is wanted: for records added to a finished result. The first record of all for all
    /// pairs.
    pub from: Record,
    /// Maximum number of candidates in memory: if there are more, the search ends and reports it.
    pub most: usize,
    /// Number of candidates per record above which pairs that share keys of only one field are left out.
    pub most_a_record: usize,
    /// True if the table is so large that two kinds of pairs are left out because they are many and hardly ever match:
    /// those of split buckets of forgiving keys, and those of one household whose initials differ.
    pub is_large: bool,
}

impl Bounds {
    /// Limits for this many records: the more there are, the more selective a key must be for all of its records to be
    /// compared.
    pub fn for_count(count: usize) -> Self {
        /// Pairs per bucket in small tables.
        const MOST: u64 = 5_000;
        /// Pairs per bucket in large tables: seven records each.
        const LEAST: u64 = 50;
        /// Number of records times pairs per bucket.
        const PRODUCT: u64 = 10_000_000;
        let bucket_pairs = (PRODUCT / count.max(1) as u64).clamp(LEAST, MOST);
        let is_large = count.saturating_mul(MOST_A_RECORD) > ALWAYS;
        Self { bucket_pairs, from: Record(0), most: usize::MAX, most_a_record: MOST_A_RECORD, is_large }
    }

    /// Factor by which more is compared: buckets may have this many times the pairs.
    #[must_use]
    pub fn times(self, effort: f64) -> Self {
        let bucket_pairs = (self.bucket_pairs as f64 * effort).max(1.0) as u64;
        let most_a_record = (self.most_a_record as f64 * effort).max(1.0) as usize;
        Self { bucket_pairs, most_a_record, is_large: self.is_large && effort <= 1.0, ..self }
    }
}

/// Number of candidates per record above which pairs that share keys of only one field are left out. In small tables
/// more candidates do no harm.
pub const MOST_A_RECORD: usize = 20;

/// Number of candidates that are always compared.
pub const ALWAYS: usize = 2_000_000;

/// Finds the pairs that are worth comparing. If there is a limit, check whether the result is
/// [complete](Candidates::is_complete).
pub fn find_candidates(records: &Records, bounds: &Bounds) -> Candidates {
    let Ok(candidates) = try_find_candidates(records, bounds, || Ok::<(), Infallible>(()));
    candidates
}

/// The same; `go_on` is called repeatedly.
///
/// # Errors
///
/// An error of `go_on`, which ends the search.
pub fn try_find_candidates<E: Send>(
    records: &Records,
    bounds: &Bounds,
    go_on: impl Fn() -> Result<(), E> + Sync,
) -> Result<Candidates, E> {
    let coarse = Coarse::of(records);
    let household = Household::of(records, bounds);
    let mut candidates = Candidates::default();
    let copies = records.copies().pairs(records.are_of_two_tables());
    candidates.add_copies(copies.into_iter().filter(|(left, right)| *left.max(right) >= bounds.from));
    for maker in Maker::all(records) {
        let entries = maker.entries(records);
        let splitter = Splitter::new(records, &coarse, household.as_ref(), &maker, *bounds);
        let buckets: Vec<&[split::Entry]> =
            entries.chunk_by(|left, right| left.key == right.key).filter(|bucket| bucket.len() > 1).collect();
        let pairs = |buckets: &[&[split::Entry]]| go_on().map(|()| splitter.pairs(buckets));
        let found = buckets.par_chunks(256).map(pairs).collect::<Result<Vec<split::Found>, E>>()?;
        candidates.add(maker.kind(), maker.field_bits(), found);
        if candidates.len() > bounds.most {
            candidates.set_incomplete();
            return Ok(candidates);
        }
    }
    let most = bounds.most_a_record.saturating_mul(records.count()).max(ALWAYS);
    candidates.leave_out_one_field(most, household.as_ref().map_or(0, Household::field_bits));
    candidates.count();
    Ok(candidates)
}
