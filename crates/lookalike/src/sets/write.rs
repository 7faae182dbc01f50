//! Writes pairs as lines or rows, in the order of sets.

use std::io::{self, Write};
use std::ops::Range;

use lookalike_core::join::Near;
use lookalike_core::packed::Strings;
use rayon::prelude::*;

use super::SIMILARITY_STEPS;
use super::find::Finder;
use super::lines::{Ends, Lines};
use super::need::check_steps;
use super::rows::{Measures, SetPair};
use crate::error::{Error, Result};
use crate::options::RowFormat;
use crate::output::sink::{RowWriter, Sink};
use crate::progress::Progress;

/// Maximum number of sets a thread takes at a time.
const MOST_AT_ONCE: usize = 512;

/// Maximum number of batches written together.
const MOST_TURNS: usize = 32;

/// Approximate bytes written together: some sets have very many pairs, so a batch ends when it has its share of these.
const TOGETHER: usize = 8 << 20;

/// Number of steps after which a batch ends early: some sets have very many neighbors, and the limit is checked after
/// each batch.
const STEPS_TOGETHER: u64 = 1 << 28;

/// Number of batches processed together, and of sets in each.
#[derive(Clone, Copy)]
struct Pace {
    turns: usize,
    at_once: usize,
}

impl Pace {
    fn start() -> Self {
        Self { turns: rayon::current_num_threads().min(MOST_TURNS), at_once: MOST_AT_ONCE / 8 }
    }

    /// The next pace, after this one produced `bytes`, and batches ended early or not.
    fn next(self, bytes: usize, is_cut: bool) -> Self {
        let Self { turns, at_once } = self;
        if is_cut && at_once > 1 {
            Self { at_once: at_once / 2, ..self }
        } else if is_cut {
            Self { turns: (turns / 2).max(Self::start().turns), ..self }
        } else if bytes > TOGETHER / 4 {
            self
        } else if turns < MOST_TURNS {
            Self { turns: (2 * turns).min(MOST_TURNS), ..self }
        } else {
            Self { at_once: (2 * at_once).min(MOST_AT_ONCE), ..self }
        }
    }
}

/// Destination of pairs.
pub(super) enum Target<'a> {
    Lines(RowFormat, &'a mut (dyn Write + Send)),
    Rows(&'a mut (dyn Sink<SetPair> + Send)),
}

/// The pairs of some sets.
pub(super) struct Pairs<'a> {
    pub(super) ids: &'a Strings,
    pub(super) measures: Measures,
    pub(super) finder: &'a dyn Finder,
    pub(super) sets: Range<u32>,
    /// Maximum number of steps to find them. The estimate may be wrong if other sets have more neighbors than the
    /// sampled ones.
    pub(super) most_steps: u64,
}

impl Pairs<'_> {
    /// Passes all pairs to the target, and counts them by similarity.
    pub(super) fn write(&self, target: &mut Target<'_>, progress: &dyn Progress) -> Result<BySimilarity> {
        let columns = self.measures.columns();
        match target {
            Target::Lines(format, writer) => {
                let start = Sink::<SetPair>::start(&mut RowWriter::new(&mut **writer, *format), &columns);
                start.map_err(Error::unwritable)?;
                let lines = Lines::new(self.ids, *format);
                let make = || {
                    let (lines, mut ends) = (&lines, Ends::new());
                    move |set: u32, near: &Near, made: &mut Vec<u8>| {
                        lines.add(&self.measures.of(self.finder, set, near), [set, near.item], &mut ends, made);
                    }
                };
                let counted = self.each_part(make, |part| writer.write_all(&part), progress)?;
                writer.flush().map_err(Error::unwritable)?;
                Ok(counted)
            }
            Target::Rows(sink) => {
                sink.start(&columns).map_err(Error::unwritable)?;
                let id = |set: u32| self.ids.get(set as usize).to_owned();
                let make = || {
                    |set: u32, near: &Near, made: &mut Vec<SetPair>| {
                        let pair = self.measures.of(self.finder, set, near);
                        made.push(SetPair { left_id: id(set), right_id: id(near.item), ..pair });
                    }
                };
                let counted = self.each_part(make, |rows| sink.take(rows), progress)?;
                sink.finish().map_err(Error::unwritable)?;
                Ok(counted)
            }
        }
    }

    /// Passes the converted pairs to `take`, part by part. Each thread converts with its own result of `make`.
    fn each_part<T: Send, M: FnMut(u32, &Near, &mut Vec<T>)>(
        &self,
        make: impl Fn() -> M + Sync,
        mut take: impl FnMut(Vec<T>) -> io::Result<()> + Send,
        progress: &dyn Progress,
    ) -> Result<BySimilarity> {
        let (mut sets, mut counted, mut pace) = (self.sets.clone(), NONE, Pace::start());
        let mut steps = 0;
        let mut ready: Vec<Part<T>> = Vec::new();
        // While one thread passes on completed parts, the others compute the next ones.
        while !sets.is_empty() || !ready.is_empty() {
            progress.go_on()?;
            let Pace { turns, at_once } = pace;
            let end = sets.start.saturating_add((at_once * turns) as u32).min(sets.end);
            let block: Vec<u32> = (sets.start..end).collect();
            let take_all = || ready.into_iter().try_for_each(|part| take(part.made));
            let make_one = |some| self.part(some, make(), TOGETHER / turns, progress);
            let make_all = || -> Vec<Part<T>> { block.par_chunks(at_once).map(make_one).collect() };
            let (taken, mut next) = rayon::join(take_all, make_all);
            taken.map_err(Error::unwritable)?;
            progress.go_on()?;
            // Parts after a batch that ended early are computed again, since rows are in the order of sets.
            let cut = block.chunks(at_once).zip(&next).position(|(some, part)| part.sets < some.len());
            next.truncate(cut.map_or(next.len(), |cut| cut + 1));
            sets.start += next.iter().map(|part| part.sets as u32).sum::<u32>();
            pace = pace.next(next.iter().map(Part::bytes).sum(), cut.is_some());
            for part in &next {
                counted.iter_mut().zip(part.counted).for_each(|(all, of_part)| *all += of_part);
                steps += part.steps;
            }
            check_steps(self.sets.len(), steps, self.most_steps)?;
            ready = next;
        }
        Ok(counted)
    }

    /// Converts the pairs of the first of these sets, until the limit of bytes or steps is reached, or the job should
    /// stop.
    fn part<T>(
        &self,
        sets: &[u32],
        mut make: impl FnMut(u32, &Near, &mut Vec<T>),
        most_bytes: usize,
        progress: &dyn Progress,
    ) -> Part<T> {
        let (mut seeker, mut near) = (self.finder.seeker(), Vec::new());
        let mut part = Part { made: Vec::new(), counted: NONE, sets: 0, steps: 0 };
        for set in sets {
            if part.bytes() >= most_bytes || seeker.steps() >= STEPS_TOGETHER || progress.is_stopped() {
                break;
            }
            part.sets += 1;
            self.finder.near(*set, &mut seeker, &mut near);
            for near in &near {
                part.counted[step(near.similarity)] += 1;
                make(*set, near, &mut part.made);
            }
        }
        part.steps = seeker.steps();
        part
    }
}

/// Number of pairs per step of similarity.
type BySimilarity = [u64; SIMILARITY_STEPS + 1];

const NONE: BySimilarity = [0; SIMILARITY_STEPS + 1];

/// The step of a similarity. The added constant is less than the difference of two quotients, and more than rounding
/// errors.
fn step(similarity: f64) -> usize {
    ((similarity * SIMILARITY_STEPS as f64 + 1e-9) as usize).min(SIMILARITY_STEPS)
}

/// Completed lines or rows.
struct Part<T> {
    made: Vec<T>,
    counted: BySimilarity,
    /// Number of sets to which the pairs belong.
    sets: usize,
    /// Number of steps to find them.
    steps: u64,
}

impl<T> Part<T> {
    /// Approximate memory: rows also have ids.
    fn bytes(&self) -> usize {
        size_of_val::<[T]>(&self.made)
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::join::{Measure, Nearest, Sets, WeightedSets};

    use super::super::find::{Around, By};
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn sets_that_take_too_many_steps_are_refused_on_the_way() {
        // Each shares half of its elements with each other, in a different way.
        let features: Vec<Vec<u64>> = (0..200_u64)
            .map(|set| (0..40).filter(|element| (set * 37 + element * element) % 7 < 4).collect())
            .collect();
        let sets = WeightedSets::of_equal_weights(&Sets::new(&features));
        let nearest = Nearest::new(&sets, Measure::Jaccard, 0.0, Some(3), 0..200);
        let by = By { measure: Measure::Jaccard, top: std::num::NonZeroUsize::new(3), references: None };
        let ids: Strings = (0..200).map(|set| set.to_string()).collect();
        let around = Around { nearest, sets: &sets, by };
        let write = |most_steps: u64| {
            let measures = Measures { measure: Measure::Jaccard, has_weights: false };
            let pairs = Pairs { ids: &ids, measures, finder: &around, sets: 0..200, most_steps };
            pairs.write(&mut Target::Lines(RowFormat::Csv, &mut Vec::new()), &Silent)
        };
        assert_eq!(write(u64::MAX).unwrap().iter().sum::<u64>(), 600);
        assert!(matches!(write(1000), Err(Error::SetsTooDense { sets: 200, steps }) if steps > 1000));
    }
}
