//! Searches one state: candidates of each part from its columns, the closest of them by their sketches, and exact
//! measurement of these.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::search::{Probe, agreeing, best_first};
use rayon::prelude::*;
use roaring::RoaringBitmap;

use crate::error::Result;
use crate::kernel::{Kernel, Lookup};
use crate::log::{Cache, Record, Run};
use crate::part::Held;
use crate::row::{Place, Row};
use crate::state::State;

/// Up to this many rows are collected in a list; more are collected in a bitmap, so that a bucket of a million takes
/// little memory.
const LISTED: usize = 1 << 16;

/// Number of candidates of one search measured before only the best are kept.
const MEASURED_AT_ONCE: usize = 1 << 14;

/// Minimum number of candidates of one search for measuring in parallel.
const SHARED_OUT: usize = 256;

/// A prepared query.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) probe: Probe,
    /// Columns and keys.
    pub(crate) lookups: Vec<(usize, u64)>,
    /// A document to exclude from the results.
    pub(crate) except: Option<Place>,
    /// Part and row of the stored document that has the id of the query: if it also has the same text, it is the first
    /// result.
    pub(crate) own: Option<(u32, u32)>,
}

/// A match: its location, and its similarity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Part and row, which is the order of insertion.
    pub(crate) order: (u32, u32),
    pub(crate) row: Row,
    pub(crate) similarity: f64,
    pub(crate) likeness: Likeness,
    pub(crate) exact_copy: bool,
}

/// The matches, best first.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) found: Vec<Found>,
    /// Number of matches, of which `found` has the best.
    pub(crate) match_count: u64,
    pub(crate) candidates: u64,
    pub(crate) passed_over: u64,
}

/// Rows hit in one part.
#[derive(Debug)]
pub(crate) enum Met {
    List(Vec<u32>),
    /// Rows that were hit at least once, twice, and so on.
    Bits(Vec<RoaringBitmap>),
}

impl Met {
    pub(crate) fn new() -> Self {
        Self::List(Vec::new())
    }

    /// Adds the rows hit under one key, without repetition.
    fn add(&mut self, rows: &[u32], times: usize) {
        match self {
            Self::List(list) if list.len() + rows.len() <= LISTED => list.extend_from_slice(rows),
            Self::List(list) => {
                let mut bits = vec![RoaringBitmap::new(); times];
                let mut sorted = std::mem::take(list);
                sorted.sort_unstable();
                for same in sorted.chunk_by(|left, right| left == right) {
                    for bits in &mut bits[..same.len().min(times)] {
                        bits.insert(same[0]);
                    }
                }
                *self = Self::Bits(bits);
                self.add(rows, times);
            }
            Self::Bits(bits) => {
                let new = RoaringBitmap::from_sorted_iter(rows.iter().copied()).expect("rows of a bucket are in order");
                for level in (1..bits.len()).rev() {
                    let again = &bits[level - 1] & &new;
                    bits[level] |= again;
                }
                bits[0] |= new;
            }
        }
    }

    /// Rows that were hit often enough and are not deleted, in order.
    fn rows(self, times: usize, deleted: &RoaringBitmap) -> Rows {
        match self {
            Self::List(mut list) => {
                agreeing(&mut list, times);
                if !deleted.is_empty() {
                    list.retain(|row| !deleted.contains(*row));
                }
                Rows::List(list)
            }
            Self::Bits(mut bits) => Rows::Bits(bits.pop().unwrap_or_default() - deleted),
        }
    }
}

enum Rows {
    List(Vec<u32>),
    Bits(RoaringBitmap),
}

impl Rows {
    fn len(&self) -> u64 {
        match self {
            Self::List(list) => list.len() as u64,
            Self::Bits(bits) => bits.len(),
        }
    }

    fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::List(list) => Box::new(list.iter().copied()),
            Self::Bits(bits) => Box::new(bits.iter()),
        }
    }
}

/// Maximum number of rows of one key before they are merged with the others.
const BUCKET_PIECE: usize = 1 << 16;

/// A search of one state.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) cache: &'a Cache,
    pub(crate) state: &'a State,
    /// With the requested threshold.
    pub(crate) criterion: Criterion,
    pub(crate) threshold: f64,
    pub(crate) max_candidates: usize,
    /// Maximum number of matches to return.
    pub(crate) top: usize,
}

impl Search<'_> {
    /// Finds all matches, best first.
    pub(crate) fn run(&self, question: &Question) -> Result<Outcome> {
        if question.probe.is_empty() {
            return Ok(Outcome::default());
        }
        let mut chosen = Chosen::new(self.max_candidates);
        for (part, held) in (0..).zip(&self.state.parts) {
            let met = self.meet(held, question)?;
            self.choose(part, held, question, met, &mut chosen)?;
        }
        self.measure(question, chosen)
    }

    /// Collects the rows of a part with any of the keys.
    pub(crate) fn meet(&self, held: &Held, question: &Question) -> Result<Met> {
        let times = self.times();
        let mut met = Met::new();
        let mut rows: Vec<u32> = Vec::new();
        for (column, key) in &question.lookups {
            rows.clear();
            held.bucket(*column, *key, |row| {
                if rows.len() == BUCKET_PIECE {
                    met.add(&rows, times);
                    rows.clear();
                }
                rows.push(row);
            })?;
            met.add(&rows, times);
        }
        Ok(met)
    }

    /// Number of columns in which a candidate must be hit.
    pub(crate) fn times(&self) -> usize {
        match self.kernel.lookup {
            Lookup::Bands(agreeing) => agreeing,
            Lookup::Parts | Lookup::All => 1,
        }
    }

    /// Selects the candidates of one part to be measured.
    pub(crate) fn choose(
        &self,
        part: u32,
        held: &Held,
        question: &Question,
        met: Met,
        chosen: &mut Chosen,
    ) -> Result<()> {
        let rows = match self.kernel.lookup {
            Lookup::All => {
                let mut all = RoaringBitmap::new();
                all.insert_range(0..held.rows());
                Rows::Bits(all - &*held.deleted)
            }
            Lookup::Bands(_) | Lookup::Parts => {
                let mut rows = met.rows(self.times(), &held.deleted);
                self.with_copies(held, question, &mut rows)?;
                rows
            }
        };
        if rows.len() == 0 {
            return Ok(());
        }
        chosen.candidates += rows.len();
        let Question { probe, .. } = question;
        let method = &*self.kernel.method;
        held.each_sketch(rows.iter(), |row, sketch| {
            if method.allows(&probe.bytes, sketch) {
                // The query's own document is measured however many others are as close.
                let is_own = question.own == Some((part, row));
                let closeness = if is_own { u32::MAX } else { method.closeness(&probe.bytes, sketch) };
                chosen.push(closeness, (part, row));
            }
        })
    }

    /// Adds documents with the same words: they are found even if only some bands are searched.
    fn with_copies(&self, held: &Held, question: &Question, rows: &mut Rows) -> Result<()> {
        let mut copies: Vec<u32> = Vec::new();
        let key = (question.probe.summary.text_hash >> 64) as u64;
        held.bucket(self.kernel.shape().copies(), key, |row| {
            // Any further copies are in the buckets as well.
            if copies.len() < LISTED && !held.deleted.contains(row) {
                copies.push(row);
            }
        })?;
        match rows {
            Rows::List(list) if !copies.is_empty() => {
                list.extend(copies);
                list.sort_unstable();
                list.dedup();
            }
            Rows::List(_) => {}
            Rows::Bits(bits) => bits.extend(copies),
        }
        Ok(())
    }

    /// Measures the selected candidates in portions: the rows of a million candidates would not fit in memory.
    pub(crate) fn measure(&self, question: &Question, chosen: Chosen) -> Result<Outcome> {
        let (candidates, passed_over) = (chosen.candidates, chosen.passed_over);
        let mut found: Vec<Found> = Vec::new();
        let mut match_count = 0;
        // Nothing is more similar than a copy, so copies come first: the query's own document, then other copies.
        let order = |found: &Found| {
            let is_own = found.exact_copy && question.own == Some(found.order);
            (!is_own, !found.exact_copy, found.order)
        };
        for piece in chosen.places().chunks(MEASURED_AT_ONCE) {
            let measured = self.measure_piece(question, piece)?;
            match_count += measured.len() as u64;
            found.extend(measured);
            best_first(&mut found, |found| found.similarity, order);
            found.truncate(self.top);
        }
        Ok(Outcome { found, match_count, candidates, passed_over })
    }

    /// Returns the matches among these rows, in any order.
    fn measure_piece(&self, question: &Question, places: &[(u32, u32)]) -> Result<Vec<Found>> {
        let mut rows: Vec<((u32, u32), Row)> = Vec::with_capacity(places.len());
        for of_part in places.chunk_by(|left, right| left.0 == right.0) {
            let part = of_part[0].0;
            let held = &self.state.parts[part as usize];
            held.each_row(of_part.iter().map(|(_, row)| *row), |row, data| rows.push(((part, row), data)))?;
        }
        let is_measure = self.kernel.method.is_measure();
        let size = question.probe.summary.size;
        rows.retain(|(_, row)| {
            row.size > 0
                && question.except != Some(row.place)
                && (is_measure || self.criterion.allows_sizes(size, row.size))
        });
        rows.sort_unstable_by_key(|(_, row)| row.place);
        if rows.len() < SHARED_OUT {
            return self.measure_some(question, &rows);
        }
        let parts = rows.par_chunks(64).map(|some| self.measure_some(question, some)).collect::<Result<Vec<_>>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn measure_some(&self, question: &Question, rows: &[((u32, u32), Row)]) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        for (order, row) in rows {
            let summary = &question.probe.summary;
            let has_same_words = row.text_hash == summary.text_hash;
            let exact_copy = has_same_words && row.content_hash == summary.content_hash;
            let likeness = if exact_copy {
                Some(self.kernel.scheme.method().likeness_of_copies(question.probe.size()))
            } else if self.kernel.method.is_measure() {
                let held = &self.state.parts[order.0 as usize];
                let mut likeness = None;
                held.each_sketch(std::iter::once(order.1), |_, sketch| {
                    likeness = self.kernel.method.likeness(&question.probe.bytes, sketch);
                })?;
                likeness
            } else {
                let (run, index) = self.run_of(row)?;
                let record = run.record(index).ok_or_else(|| self.state.damaged(row))?;
                self.measure_record(&question.probe, row, &record)?
            };
            if let Some(likeness) = likeness {
                let similarity = likeness.similarity(self.criterion);
                if similarity >= self.threshold {
                    found.push(Found { order: *order, row: *row, similarity, likeness, exact_copy });
                }
            }
        }
        Ok(found)
    }

    /// Measures a stored document if it is a match. Fails if it is damaged.
    pub(crate) fn measure_record(&self, probe: &Probe, row: &Row, record: &Record<'_>) -> Result<Option<Likeness>> {
        let damaged = || self.state.damaged(row);
        let measure = |features: &[u64]| probe.measure(self.criterion, row.size, features);
        let measured = self.kernel.with_features(record, measure).ok_or_else(damaged)?;
        let Some(likeness) = measured else { return Ok(None) };
        let is_confirmed = self.kernel.is_confirmed(probe, likeness, record).ok_or_else(damaged)?;
        Ok(is_confirmed.then_some(likeness))
    }

    /// The run that holds a document, and its number in the run.
    pub(crate) fn run_of(&self, row: &Row) -> Result<(Arc<Run>, u32)> {
        self.state.run_of(self.cache, row)
    }
}

/// Closeness of a candidate, and its row: of equals, the one that was added first ranks higher.
type Ranked = (u32, Reverse<(u32, u32)>);

/// The closest candidates so far.
#[derive(Debug)]
pub(crate) struct Chosen {
    most: usize,
    pub(crate) candidates: u64,
    passed_over: u64,
    /// A heap once the limit is exceeded.
    list: Vec<Ranked>,
    heap: BinaryHeap<Reverse<Ranked>>,
}

impl Chosen {
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), candidates: 0, passed_over: 0, list: Vec::new(), heap: BinaryHeap::new() }
    }

    pub(crate) fn push(&mut self, closeness: u32, place: (u32, u32)) {
        let new = (closeness, Reverse(place));
        if self.heap.is_empty() && self.list.len() < self.most {
            self.list.push(new);
            return;
        }
        if self.heap.is_empty() {
            self.heap = std::mem::take(&mut self.list).into_iter().map(Reverse).collect();
        }
        self.passed_over += 1;
        if let Some(mut worst) = self.heap.peek_mut()
            && worst.0 < new
        {
            *worst = Reverse(new);
        }
    }

    /// Parts and rows, in order.
    pub(crate) fn places(self) -> Vec<(u32, u32)> {
        let chosen: Vec<Ranked> =
            if self.heap.is_empty() { self.list } else { self.heap.into_iter().map(|Reverse(one)| one).collect() };
        let mut places: Vec<(u32, u32)> = chosen.into_iter().map(|(_, Reverse(place))| place).collect();
        places.sort_unstable();
        places
    }
}
