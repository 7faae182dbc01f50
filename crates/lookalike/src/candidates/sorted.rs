//! Sorts matches by left and right: in memory as far as they fit, the rest in the work folder.
//!
//! Matches that do not fit are written as sorted runs, which are merged while reading.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lookalike_core::decision::Match;
use lookalike_core::ids::Number;
use lookalike_io::work::Log;
use rayon::prelude::*;

use crate::candidates::verified::{MATCH_WORDS, match_of, match_words};
use crate::error::Result;
use crate::resources::spill::Spill;
use crate::resources::work::Work;

/// Number of matches written at a time.
const PIECE: usize = 4096;

/// Minimum number of matches of a run read at a time.
const LEAST_READ: usize = 64;

/// Collects matches.
pub(crate) struct Sorting<'a, N> {
    spill: Spill<'a>,
    held: Vec<Match<N>>,
    most_held: usize,
    runs: Vec<Run>,
}

/// The pieces of a sorted run: positions and numbers of matches.
type Run = Vec<(u64, usize)>;

impl<'a, N: Number> Sorting<'a, N> {
    /// Holds this many bytes of matches in memory, and writes the rest to a log with this name.
    pub(crate) fn new(work: &'a Work, stage: &'static str, most_bytes: usize) -> Self {
        let most_held = (most_bytes / size_of::<Match<N>>()).max(PIECE);
        Self { spill: Spill::new(work, stage, most_bytes), held: Vec::new(), most_held, runs: Vec::new() }
    }

    pub(crate) fn push(&mut self, found: Match<N>) -> Result<()> {
        if self.held.len() == self.most_held {
            self.file()?;
        }
        if self.held.len() == self.held.capacity() {
            // Grow by half instead of doubling, and never beyond the limit.
            let more = (self.held.len() / 2).max(PIECE).min(self.most_held - self.held.len());
            self.held.reserve_exact(more);
        }
        self.held.push(found);
        Ok(())
    }

    fn file(&mut self) -> Result<()> {
        sort(&mut self.held);
        let piece = |piece: &[Match<N>]| {
            let words: Vec<u64> = piece.iter().flat_map(|found| match_words(*found)).collect();
            Ok((self.spill.append(&words)?, piece.len()))
        };
        self.runs.push(self.held.chunks(PIECE).map(piece).collect::<Result<_>>()?);
        self.held.clear();
        Ok(())
    }

    /// Returns all matches for reading in order.
    pub(crate) fn finish(mut self) -> Result<Sorted<N>> {
        if self.spill.has_log() && !self.held.is_empty() {
            // Free memory for reading the runs.
            self.file()?;
            self.held = Vec::new();
        }
        sort(&mut self.held);
        let at_once = (self.most_held / self.runs.len().max(1)).clamp(LEAST_READ, PIECE);
        Ok(Sorted { held: self.held, log: self.spill.into_log(), runs: self.runs, at_once })
    }
}

fn sort<N: Number>(matches: &mut [Match<N>]) {
    matches.par_sort_unstable_by_key(|found| (found.left, found.right));
}

/// Matches, sorted by left and right.
pub(crate) struct Sorted<N> {
    held: Vec<Match<N>>,
    log: Option<Log>,
    runs: Vec<Run>,
    /// Number of matches of a run read at a time.
    at_once: usize,
}

impl<N: Number> Sorted<N> {
    /// A reader positioned before the first match. There may be several.
    pub(crate) fn reader(&self) -> Result<Reader<N>> {
        let mut reader = Reader { held: 0, runs: Vec::new(), next: BinaryHeap::new() };
        for run in 0..self.runs.len() {
            reader.runs.push(Cursor { matches: Vec::new(), at: 0, piece: 0, of_piece: 0 });
            reader.advance(run, self)?;
        }
        Ok(reader)
    }

    /// All matches in order.
    pub(crate) fn in_order(&self) -> Result<impl Iterator<Item = Result<Match<N>>>> {
        let mut reader = self.reader()?;
        Ok(std::iter::from_fn(move || reader.next_up_to(N::of(u32::MAX), self).transpose()))
    }
}

/// The current position in sorted matches.
pub(crate) struct Reader<N> {
    /// Number of matches read from memory.
    held: usize,
    runs: Vec<Cursor<N>>,
    /// The next match of each run: left, right, and number of the run.
    next: BinaryHeap<Reverse<(N, N, usize)>>,
}

/// The current position in a run.
struct Cursor<N> {
    matches: Vec<Match<N>>,
    at: usize,
    piece: usize,
    /// Number of matches of the piece that have been read.
    of_piece: usize,
}

impl<N: Number> Reader<N> {
    /// The next match, if its left is at most this.
    pub(crate) fn next_up_to(&mut self, left: N, sorted: &Sorted<N>) -> Result<Option<Match<N>>> {
        // Either all are in memory, or all are in runs.
        if let Some(found) = sorted.held.get(self.held).filter(|found| found.left <= left) {
            self.held += 1;
            return Ok(Some(*found));
        }
        let Some(Reverse((_, _, run))) = self.next.peek().copied().filter(|next| next.0.0 <= left) else {
            return Ok(None);
        };
        self.next.pop();
        let cursor = &mut self.runs[run];
        let found = cursor.matches[cursor.at];
        cursor.at += 1;
        self.advance(run, sorted)?;
        Ok(Some(found))
    }

    /// Adds the next match of a run to those of the others.
    fn advance(&mut self, run: usize, sorted: &Sorted<N>) -> Result<()> {
        let cursor = &mut self.runs[run];
        if cursor.at == cursor.matches.len()
            && let (Some((offset, length)), Some(log)) = (sorted.runs[run].get(cursor.piece), &sorted.log)
        {
            let count = sorted.at_once.min(length - cursor.of_piece);
            let mut words = vec![0; count * MATCH_WORDS];
            log.read(offset + (cursor.of_piece * MATCH_WORDS * size_of::<u64>()) as u64, &mut words)?;
            cursor.matches.clear();
            cursor.matches.extend(words.as_chunks().0.iter().map(|words| match_of(*words)));
            cursor.at = 0;
            cursor.of_piece += count;
            if cursor.of_piece == *length {
                (cursor.piece, cursor.of_piece) = (cursor.piece + 1, 0);
            }
        }
        if let Some(found) = cursor.matches.get(cursor.at) {
            self.next.push(Reverse((found.left, found.right, run)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::ids::Rank;
    use lookalike_core::measure::likeness::Likeness;
    use lookalike_io::input::discover::Discovered;
    use lookalike_io::input::shelf::Shelf;
    use lookalike_io::work::WorkOptions;
    use lookalike_io::write::Unfinished;

    use super::*;
    use crate::resources::memory::Memory;

    #[test]
    fn matches_come_back_in_order_whether_they_fit_the_memory_or_not() {
        let work = Work::start(
            Memory::default(),
            &WorkOptions::default(),
            &Shelf::new(Discovered::default()),
            &[],
            Unfinished::default(),
        )
        .unwrap();
        for (count, stage) in [(0, "none"), (3_000, "few"), (30_000, "many")] {
            let mut sorting = Sorting::new(&work, stage, 0);
            // A permutation of all numbers below a prime.
            let pair = |at: u32| (at * 7_919 % 30_011 / 10, at * 7_919 % 30_011);
            for at in 0..count {
                let likeness = Likeness::Bits { differing: at, of: 64 };
                sorting.push(Match { left: Rank(pair(at).0), right: Rank(pair(at).1), likeness }).unwrap();
            }
            let sorted = sorting.finish().unwrap();
            // At most a few thousand are in memory.
            assert_eq!((sorted.held.len(), sorted.runs.len()), if count > 4096 { (0, 8) } else { (count as usize, 0) });
            let mut expected: Vec<(u32, u32, u32)> = (0..count).map(|at| (pair(at).0, pair(at).1, at)).collect();
            expected.sort_unstable();
            for _ in 0..2 {
                let plain = |found: Result<Match<Rank>>| {
                    let Match { left, right, likeness } = found.unwrap();
                    let Likeness::Bits { differing, .. } = likeness else { panic!("they were bits") };
                    (left.0, right.0, differing)
                };
                assert_eq!(sorted.in_order().unwrap().map(plain).collect::<Vec<_>>(), expected);
            }
            let mut reader = sorted.reader().unwrap();
            let mut up_to = 0;
            while reader.next_up_to(Rank(100), &sorted).unwrap().is_some() {
                up_to += 1;
            }
            assert_eq!(up_to, expected.iter().filter(|found| found.0 <= 100).count());
        }
    }
}
