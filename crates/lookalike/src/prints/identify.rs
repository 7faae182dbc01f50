//! Searches for queries in a second collection: selects candidates, and aligns only those.

use std::collections::HashMap;

use lookalike_core::prints::candidates::Found;
use lookalike_core::prints::{Gallery, PreparedPrint};
use rayon::prelude::*;

use super::Run;
use super::near::aligned;
use super::recall::{CandidateRecall, Sample};
use super::roll::Roll;
use super::rows::PrintPair;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Number of queries answered before their rows are written.
const TOGETHER: usize = 4096;

const COLUMNS: &[&str] = &["paired_count", "rank"];

/// The collection and the parameters of a search.
pub(super) struct Identify<'a> {
    pub(super) known: &'a Roll,
    /// Number of candidates to align per query.
    pub(super) most: usize,
    /// Number of candidates to write.
    pub(super) top: usize,
}

impl Identify<'_> {
    /// Writes the best matches of each query, best first, with queries in input order.
    pub(super) fn find(&self, queries: &Roll, run: &mut Run<'_>) -> Result<()> {
        let progress = run.stages.progress();
        let prepared = run.stages.run("prepare", None, || self.known.prepare(progress))?;
        let gallery = run.stages.run("index", None, || Gallery::new(&self.known.prints));
        run.rows.start(COLUMNS)?;
        let (threshold, sure) = (run.options.threshold.unwrap_or(0.0), run.options.match_threshold());
        let mut compared_count = 0;
        run.stages.go_on()?;
        run.stages.run("align", None, || {
            for (start, some) in (0..).step_by(TOGETHER).zip(queries.prints.chunks(TOGETHER)) {
                let answer =
                    |query| progress.go_on().map(|()| gallery.identify(query, &prepared, self.most, usize::MAX));
                let answers = some.par_iter().map(answer).collect::<Result<Vec<Vec<Found>>>>()?;
                let mut rows = Vec::new();
                for (query, answer) in (start..).zip(&answers) {
                    for found in answer.iter().filter(|found| found.comparison.score >= sure) {
                        run.report.turning.add(&found.comparison);
                    }
                    compared_count += answer.len();
                    rows.extend(self.rows(queries.id(query), answer, threshold));
                }
                run.rows.take(rows)?;
            }
            Ok::<_, Error>(())
        })?;
        run.report.set_compared_against(compared_count, queries.len(), self.known.len());
        let sample = Sample::new(queries.len(), self.known.len(), compared_count);
        let search = (&gallery, &*prepared);
        let recall = run.stages.run("sample", None, || self.recall(&sample, queries, search, sure, progress))?;
        run.report.recall = Some(recall);
        Ok(())
    }

    fn rows(&self, query: &str, answer: &[Found], threshold: f64) -> impl Iterator<Item = PrintPair> {
        let reaching = answer.iter().filter(move |found| found.comparison.score >= threshold);
        (1..).zip(reaching.take(self.top)).map(move |(rank, found)| PrintPair {
            rank: Some(rank),
            ..aligned(query, self.known.id(found.print), &found.comparison)
        })
    }

    /// Compares some queries with the whole collection.
    fn recall(
        &self,
        sample: &Sample,
        queries: &Roll,
        (gallery, prepared): (&Gallery, &[PreparedPrint]),
        threshold: f64,
        progress: &dyn Progress,
    ) -> Result<CandidateRecall> {
        let sampled: HashMap<u32, (PreparedPrint, Vec<u32>)> = sample
            .prints()
            .par_iter()
            .map(|&query| {
                let print = &queries.prints[query as usize];
                let candidates = gallery.candidates(print, self.most).iter().map(|found| found.print).collect();
                (query, (PreparedPrint::new(print), candidates))
            })
            .collect();
        sample.measure(
            |query, other| sampled[&query].0.compare(&prepared[other as usize]).score >= threshold,
            |query, other| sampled[&query].1.contains(&other),
            progress,
        )
    }
}
