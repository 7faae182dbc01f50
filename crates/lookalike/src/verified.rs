//! What became of batches that were verified, in the work folder: a run that was interrupted does not verify them again.

use std::collections::HashMap;
use std::ops::Range;

use lookalike_core::feature_set::Overlap;
use lookalike_core::likeness::Likeness;
use lookalike_core::passed_over::{Drawn, PassedOver};
use lookalike_core::resolve::Match;
use lookalike_core::verify::PairCounts;
use lookalike_io::work::Log;

use crate::error::{Error, Result};
use crate::words::{both, pair};
use crate::work::Work;

/// What became of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) matches: Vec<Match>,
    pub(crate) counts: PairCounts,
    pub(crate) passed_over: PassedOver,
    /// How many items share a bucket with another, references not counted.
    pub(crate) sharing: u64,
}

/// Keeps what became of batches, where the user has named a work folder.
pub(crate) struct Verified {
    earlier: HashMap<(u32, u32), Batch>,
    log: Option<Log>,
}

/// The words before all else.
const HEAD: usize = 7;

/// The words of a drawn pair.
const DRAWN: usize = 3;

/// The words of a match.
const MATCH: usize = 3;

impl Verified {
    pub(crate) fn start(work: &Work) -> Result<Self> {
        let Some(folder) = work.named() else { return Ok(Self { earlier: HashMap::new(), log: None }) };
        let mut earlier = HashMap::new();
        for log in folder.earlier_logs("verify")? {
            log.scan::<Error>(|_, words| {
                earlier.extend(decode(words));
                Ok(())
            })?;
        }
        Ok(Self { earlier, log: Some(folder.log("verify")?) })
    }

    /// What became of the batch of these roots, if an earlier attempt has seen to it.
    pub(crate) fn take(&mut self, roots: &Range<u32>) -> Option<Batch> {
        self.earlier.remove(&(roots.start, roots.end))
    }

    /// Notes what became of a batch.
    pub(crate) fn push(&self, roots: &Range<u32>, batch: &Batch) -> Result<()> {
        self.log.as_ref().map_or(Ok(()), |log| Ok(log.append(&encode(roots, batch)).map(drop)?))
    }
}

fn encode(roots: &Range<u32>, batch: &Batch) -> Vec<u64> {
    let Batch { matches, counts, passed_over, sharing } = batch;
    let drawn = passed_over.drawn();
    let mut words = Vec::with_capacity(HEAD + drawn.len() * DRAWN + matches.len() * MATCH);
    let PairCounts { candidates, measured, matches: found } = *counts;
    words.extend([pair(roots.start, roots.end), *sharing, candidates, measured, found]);
    words.extend([passed_over.meetings(), drawn.len() as u64]);
    words.extend(drawn.iter().flat_map(|drawn| drawn_words(*drawn)));
    words.extend(matches.iter().flat_map(|found| match_words(*found)));
    words
}

fn decode(words: &[u64]) -> Option<((u32, u32), Batch)> {
    let (head, rest) = words.split_at_checked(HEAD)?;
    let [start, end] = both(head[0]);
    let counts = PairCounts { candidates: head[2], measured: head[3], matches: head[4] };
    let (drawn, rest) = rest.split_at_checked(usize::try_from(head[6]).ok()?.checked_mul(DRAWN)?)?;
    let drawn = drawn.as_chunks::<DRAWN>().0.iter().map(|words| drawn_of(*words)).collect();
    let passed_over = PassedOver::new(head[5], drawn);
    let (matches, rest) = rest.as_chunks::<MATCH>();
    let matches = matches.iter().map(|words| match_of(*words)).collect();
    rest.is_empty().then_some(((start, end), Batch { matches, counts, passed_over, sharing: head[1] }))
}

fn drawn_words(drawn: Drawn) -> [u64; DRAWN] {
    let Drawn { position, left, right, meetings, is_first } = drawn;
    [position, pair(left, right), pair(meetings, u32::from(is_first))]
}

fn drawn_of([position, items, meetings]: [u64; DRAWN]) -> Drawn {
    let ([left, right], [meetings, is_first]) = (both(items), both(meetings));
    Drawn { position, left, right, meetings, is_first: is_first == 1 }
}

/// A match in three words.
pub(crate) fn match_words(found: Match) -> [u64; MATCH] {
    let [what, sizes] = match found.likeness {
        Likeness::Features(Overlap { shared, left, right }) => [pair(shared, 0), pair(left, right)],
        Likeness::Bits { differing, of } => [pair(differing, 1), u64::from(of)],
    };
    [pair(found.left, found.right), what, sizes]
}

/// The match of three words.
pub(crate) fn match_of([items, what, sizes]: [u64; MATCH]) -> Match {
    let [left, right] = both(items);
    let likeness = match (both(what), both(sizes)) {
        ([shared, 0], [left, right]) => Likeness::Features(Overlap { shared, left, right }),
        ([differing, _], [of, _]) => Likeness::Bits { differing, of },
    };
    Match { left, right, likeness }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_comes_back_as_it_was() {
        let overlap = Overlap { shared: 5, left: 6, right: u32::MAX };
        let batch = Batch {
            matches: vec![
                Match { left: 1, right: u32::MAX, likeness: Likeness::Features(overlap) },
                Match { left: 7, right: 3, likeness: Likeness::Bits { differing: 3, of: 128 } },
            ],
            counts: PairCounts { candidates: 9, measured: 8, matches: 7 },
            passed_over: PassedOver::new(
                6,
                vec![Drawn { position: 1, left: 2, right: u32::MAX, meetings: 3, is_first: true }],
            ),
            sharing: 5,
        };
        assert_eq!(decode(&encode(&(3..9), &batch)), Some(((3, 9), batch)));
        assert_eq!(decode(&[1, 2]), None);
    }
}
