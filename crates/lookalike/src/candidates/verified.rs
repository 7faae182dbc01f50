//! Saves the results of verified batches in the work folder, so that a resumed run does not verify them again.

use std::collections::HashMap;
use std::ops::Range;

use lookalike_core::bucket::passed_over::{Drawn, PassedOver};
use lookalike_core::decision::{Match, Removed};
use lookalike_core::ids::{Number, Rank};
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::verify::PairCounts;
use lookalike_io::work::Log;

use crate::error::{Error, Result};
use crate::resources::words::{both, pair};
use crate::resources::work::Work;

/// The result of a batch, except its matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) counts: PairCounts,
    pub(crate) passed_over: PassedOver,
    /// Number of items that share a bucket with another, excluding references.
    pub(crate) sharing: u64,
    /// Number of items of the largest family.
    pub(crate) largest_family: u64,
}

/// Saves the results of batches, if the user has named a work folder. Matches come first, in blocks; a batch without
/// its last block is incomplete, and ignored.
pub(crate) struct Verified {
    earlier: HashMap<(u32, u32), Earlier>,
    earlier_logs: Vec<Log>,
    log: Option<Log>,
}

/// A batch that an earlier attempt has completed.
pub(crate) struct Earlier {
    pub(crate) batch: Batch,
    /// The log of its matches.
    log: usize,
    /// Their positions and numbers.
    matches: Vec<(u64, usize)>,
}

/// Second word of a block with matches of a batch.
const OF_MATCHES: u64 = u64::from_le_bytes(*b"matches\0");

/// Second word of a block that ends a batch.
const OF_END: u64 = u64::from_le_bytes(*b"batch\0\0\0");

/// Number of words before matches: the batch, and the kind of block.
const MARK: usize = 2;

/// Number of words at the start of a block that ends a batch.
const HEAD: usize = MARK + 7;

/// Number of words of a drawn pair.
const DRAWN: usize = 3;

/// Number of words of a match.
pub(crate) const MATCH_WORDS: usize = 3;

impl Verified {
    pub(crate) fn start(work: &Work) -> Result<Self> {
        let mut verified = Self { earlier: HashMap::new(), earlier_logs: Vec::new(), log: None };
        let Some(folder) = work.named() else { return Ok(verified) };
        for log in folder.earlier_logs("verify")? {
            let mut matches: HashMap<u64, Vec<(u64, usize)>> = HashMap::new();
            log.scan::<Error>(|offset, words| {
                if let [roots, OF_MATCHES, rest @ ..] = words {
                    let start = offset + (MARK * size_of::<u64>()) as u64;
                    matches.entry(*roots).or_default().push((start, rest.len() / MATCH_WORDS));
                } else if let Some((roots, batch)) = decode(words) {
                    let matches = matches.remove(&roots).unwrap_or_default();
                    let [start, end] = both(roots);
                    verified.earlier.insert((start, end), Earlier { batch, log: verified.earlier_logs.len(), matches });
                }
                Ok(())
            })?;
            verified.earlier_logs.push(log);
        }
        verified.log = Some(folder.log("verify")?);
        Ok(verified)
    }

    /// The result of the batch with these roots, if an earlier attempt has completed it.
    pub(crate) fn take(&mut self, roots: &Range<u32>) -> Option<Earlier> {
        self.earlier.remove(&(roots.start, roots.end))
    }

    /// Passes the matches or removals of an earlier batch to `take`, unchanged.
    pub(crate) fn each_resolved<R: Resolved>(
        &self,
        earlier: &Earlier,
        mut take: impl FnMut(Vec<R>) -> Result<()>,
    ) -> Result<()> {
        for (offset, count) in &earlier.matches {
            let mut words = vec![0; count * MATCH_WORDS];
            self.earlier_logs[earlier.log].read(*offset, &mut words)?;
            take(words.as_chunks().0.iter().map(|words| R::of_words(*words)).collect())?;
        }
        Ok(())
    }

    /// Saves some matches or removals of a batch in progress.
    pub(crate) fn push_resolved<R: Resolved>(&self, roots: &Range<u32>, found: &[R]) -> Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let mut words = Vec::with_capacity(MARK + found.len() * MATCH_WORDS);
        words.extend([pair(roots.start, roots.end), OF_MATCHES]);
        words.extend(found.iter().flat_map(|found| found.words()));
        Ok(log.append(&words).map(drop)?)
    }

    /// Saves the result of a batch, after all its matches.
    pub(crate) fn push(&self, roots: &Range<u32>, batch: &Batch) -> Result<()> {
        self.log.as_ref().map_or(Ok(()), |log| Ok(log.append(&encode(roots, batch)).map(drop)?))
    }
}

fn encode(roots: &Range<u32>, batch: &Batch) -> Vec<u64> {
    let Batch { counts, passed_over, sharing, largest_family } = batch;
    let drawn = passed_over.drawn();
    let mut words = Vec::with_capacity(HEAD + drawn.len() * DRAWN);
    let PairCounts { candidates, measured, matches } = *counts;
    words.extend([pair(roots.start, roots.end), OF_END, *sharing, candidates, measured, matches]);
    words.extend([passed_over.meetings(), drawn.len() as u64, *largest_family]);
    words.extend(drawn.iter().flat_map(|drawn| drawn_words(*drawn)));
    words
}

fn decode(words: &[u64]) -> Option<(u64, Batch)> {
    let (head, drawn) = words.split_at_checked(HEAD)?;
    let counts = PairCounts { candidates: head[3], measured: head[4], matches: head[5] };
    let (drawn, rest) = drawn.as_chunks::<DRAWN>();
    let is_whole = rest.is_empty() && drawn.len() as u64 == head[7];
    let passed_over = PassedOver::new(head[6], drawn.iter().map(|words| drawn_of(*words)).collect());
    let batch = Batch { counts, passed_over, sharing: head[2], largest_family: head[8] };
    (head[1] == OF_END && is_whole).then_some((head[0], batch))
}

fn drawn_words(drawn: Drawn) -> [u64; DRAWN] {
    let Drawn { position, left, right, meetings, is_first } = drawn;
    [position, pair(left, right), pair(meetings, u32::from(is_first))]
}

fn drawn_of([position, items, meetings]: [u64; DRAWN]) -> Drawn {
    let ([left, right], [meetings, is_first]) = (both(items), both(meetings));
    Drawn { position, left, right, meetings, is_first: is_first == 1 }
}

/// A match or a removal, as stored in the work folder. A job stores only one of them.
pub(crate) trait Resolved: Copy {
    /// As words.
    fn words(self) -> [u64; MATCH_WORDS];

    /// Parses these words.
    fn of_words(words: [u64; MATCH_WORDS]) -> Self;
}

impl Resolved for Match<Rank> {
    fn words(self) -> [u64; MATCH_WORDS] {
        match_words(self)
    }

    fn of_words(words: [u64; MATCH_WORDS]) -> Self {
        match_of(words)
    }
}

impl Resolved for Removed<Rank> {
    fn words(self) -> [u64; MATCH_WORDS] {
        match_words(Match { left: self.removed, right: self.kept, likeness: self.likeness })
    }

    fn of_words(words: [u64; MATCH_WORDS]) -> Self {
        let Match { left, right, likeness } = match_of(words);
        Self { removed: left, kept: right, likeness }
    }
}

/// A match in three words.
pub(crate) fn match_words<N: Number>(found: Match<N>) -> [u64; MATCH_WORDS] {
    let [what, sizes] = match found.likeness {
        Likeness::Features(Overlap { shared, left, right }) => [pair(shared, 0), pair(left, right)],
        Likeness::Bits { differing, of } => [pair(differing, 1), u64::from(of)],
    };
    [pair(found.left.number(), found.right.number()), what, sizes]
}

/// The match of three words.
pub(crate) fn match_of<N: Number>([items, what, sizes]: [u64; MATCH_WORDS]) -> Match<N> {
    let [left, right] = both(items).map(N::of);
    let likeness = match (both(what), both(sizes)) {
        ([shared, 0], [left, right]) => Likeness::Features(Overlap { shared, left, right }),
        ([differing, _], [of, _]) => Likeness::Bits { differing, of },
    };
    Match { left, right, likeness }
}

#[cfg(test)]
mod tests {
    use lookalike_io::input::discover::Discovered;
    use lookalike_io::input::shelf::Shelf;
    use lookalike_io::work::{Earlier as Before, WorkOptions};
    use lookalike_io::write::Unfinished;

    use super::*;
    use crate::resources::memory::Memory;

    fn work(folder: &std::path::Path, earlier: Before) -> Work {
        let options = WorkOptions { folder: Some(folder.to_owned()), earlier, ..WorkOptions::default() };
        Work::start(Memory::default(), &options, &Shelf::new(Discovered::default()), &[], Unfinished::default())
            .unwrap()
    }

    #[test]
    fn a_batch_comes_back_as_it_was() {
        let batch = Batch {
            counts: PairCounts { candidates: 9, measured: 8, matches: 7 },
            passed_over: PassedOver::new(
                6,
                vec![Drawn { position: 1, left: 2, right: u32::MAX, meetings: 3, is_first: true }],
            ),
            sharing: 5,
            largest_family: 4,
        };
        assert_eq!(decode(&encode(&(3..9), &batch)), Some((pair(3, 9), batch)));
        assert_eq!(decode(&[1, 2]), None);
    }

    #[test]
    fn a_removal_comes_back_with_its_sides_as_they_were() {
        let likeness = Likeness::Features(Overlap { shared: 5, left: 6, right: 7 });
        let removal = Removed { removed: Rank(9), kept: Rank(2), likeness };
        assert_eq!(Removed::of_words(removal.words()), removal);
        let Match { left, right, .. } = match_of::<Rank>(removal.words());
        assert_eq!((left, right), (removal.removed, removal.kept));
    }

    #[test]
    fn matches_of_a_batch_that_was_finished_come_back_and_others_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let overlap = Overlap { shared: 5, left: 6, right: u32::MAX };
        let all = [
            Match { left: Rank(1), right: Rank(u32::MAX), likeness: Likeness::Features(overlap) },
            Match { left: Rank(7), right: Rank(3), likeness: Likeness::Bits { differing: 3, of: 128 } },
            Match { left: Rank(8), right: Rank(4), likeness: Likeness::Bits { differing: 2, of: 128 } },
        ];
        let first = work(folder.path(), Before::Refuse);
        let verified = Verified::start(&first).unwrap();
        // Two concurrent batches, of which the second is incomplete.
        verified.push_resolved(&(0..9), &all[..1]).unwrap();
        verified.push_resolved(&(9..12), &all[1..2]).unwrap();
        verified.push_resolved(&(0..9), &all[2..]).unwrap();
        verified.push(&(0..9), &Batch { sharing: 3, ..Batch::default() }).unwrap();
        drop((verified, first));

        let second = work(folder.path(), Before::Resume);
        let mut verified = Verified::start(&second).unwrap();
        let earlier = verified.take(&(0..9)).unwrap();
        let mut found = Vec::new();
        verified
            .each_resolved(&earlier, |some: Vec<Match<Rank>>| {
                found.extend(some);
                Ok(())
            })
            .unwrap();
        assert_eq!((found, earlier.batch.sharing), (vec![all[0], all[2]], 3));
        assert!(verified.take(&(9..12)).is_none());
    }
}
