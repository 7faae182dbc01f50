//! Records to candidates: pairs that share a key, found by sorting. Nobody compares all with all.
//!
//! First the records that are identical in a field, then those that a forgiving key brings together: a letter left out, the
//! same sound, rare words, swapped names, a phone without its area code. Note that a bucket over
//! [`Bounds::bucket_pairs`] is not dropped but split by a further key, one of another field, with one record for all that are
//! equal in everything; only what is too large even then is left out, and counted.

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

/// How a key came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum KeyKind {
    /// Equal in a field.
    Identical,
    /// Equal in a part of a field: a phone without its area code, the name before the @.
    Part,
    /// The given name of one is the family name of the other; the month of one the day of the other.
    Swapped,
    /// One letter or digit more, less or other.
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

    /// Whether one record has many keys of this kind, or a key so many records, that sharing one tells little.
    fn forgives_much(self) -> bool {
        matches!(self, Self::Part | Self::Deletion | Self::WordPair | Self::Grams)
    }

    /// What it is called in a summary.
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

/// What one kind of key did.
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

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// A bucket with more pairs is split.
    pub bucket_pairs: u64,
    /// Only pairs with a record from here on are wanted: those that are added to a finished result. The first record for all.
    pub from: Record,
    /// As many candidates are there room for: with more, the search ends, and says so.
    pub most: usize,
    /// Number of candidates per record above which pairs that share keys of only one field are left out.
    pub most_a_record: usize,
    /// Whether the table is so large that two kinds of pairs are left out, which are many and hardly ever matches: those of split
    /// buckets of forgiving keys, and those of one household whose initials differ.
    pub is_large: bool,
}

impl Bounds {
    /// For this many records: the more there are, the more a key must tell to be worth comparing all that have it.
    pub fn for_count(count: usize) -> Self {
        /// Pairs a bucket where tables are small.
        const MOST: u64 = 5_000;
        /// Pairs a bucket where they are large: seven records each.
        const LEAST: u64 = 50;
        /// Records times pairs a bucket.
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

/// Number of candidates per record above which pairs that share keys of only one field are left out. Small tables have as many without
/// harm, since they are small.
pub const MOST_A_RECORD: usize = 20;

/// As many candidates are compared in any case.
pub const ALWAYS: usize = 2_000_000;

/// Finds the pairs that are worth comparing. Ask whether the result is [complete](Candidates::is_complete) where there is a bound.
pub fn find_candidates(records: &Records, bounds: &Bounds) -> Candidates {
    let Ok(candidates) = try_find_candidates(records, bounds, || Ok::<(), Infallible>(()));
    candidates
}

/// The same; `go_on` is asked again and again.
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
