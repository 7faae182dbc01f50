//! Finds prints of the same finger within the input: candidates by triangles, then alignment.

use lookalike_core::prints::score::DEFAULT_THRESHOLD;
use lookalike_core::prints::{Comparison, Gallery, PreparedPrint};
use rayon::prelude::*;

use super::Run;
use super::recall::{CandidateRecall, Sample};
use super::roll::Roll;
use super::rows::PrintPair;
use crate::error::Result;
use crate::progress::Progress;

/// The columns of an alignment after its similarity.
pub(super) const COLUMNS: &[&str] = &["paired_count"];

/// Writes the candidate pairs that reach the threshold, left before right in input order.
pub(super) fn find(roll: &Roll, most: usize, run: &mut Run<'_>) -> Result<()> {
    let progress = run.stages.progress();
    let prepared = run.stages.run("prepare", None, || roll.prepare(progress))?;
    let candidates = run.stages.run("candidates", None, || candidates(roll, most, progress))?;
    let threshold = run.options.threshold.unwrap_or(DEFAULT_THRESHOLD);
    run.stages.go_on()?;
    let matches = run.stages.run("align", None, || matches(&candidates, &prepared, threshold, progress))?;
    let sure = run.options.match_threshold();
    run.report.recall = Some(run.stages.run("sample", None, || recall(&candidates, &prepared, sure, progress))?);
    for (_, comparison) in matches.iter().filter(|(_, comparison)| comparison.score >= sure) {
        run.report.turning.add(comparison);
    }
    let turning = &mut run.report.turning;
    run.stages.run("direction", None, || turning.sample(&roll.prints, sure, progress))?;
    run.report.set_compared(candidates.len(), roll.len());

    run.rows.start(COLUMNS)?;
    let row = |((left, right), found): ((u32, u32), Comparison)| aligned(roll.id(left), roll.id(right), &found);
    run.rows.take(matches.into_iter().map(row).collect())
}

/// The row of two aligned prints.
pub(super) fn aligned(left_id: &str, right_id: &str, found: &Comparison) -> PrintPair {
    let paired_count = Some(found.paired_count as u64);
    PrintPair { paired_count, ..PrintPair::new(left_id, right_id, found.score) }
}

/// Pairs of which one is among the best candidates of the other, sorted.
fn candidates(roll: &Roll, most: usize, progress: &dyn Progress) -> Result<Vec<(u32, u32)>> {
    let gallery = Gallery::new(&roll.prints);
    let of_print = |own: u32| {
        // One more, since each print is its own best candidate.
        progress.go_on()?;
        let candidates = gallery.candidates(&roll.prints[own as usize], most.saturating_add(1));
        let others = candidates.into_iter().filter(|other| other.print != own);
        Ok(others.map(|other| ordered(own, other.print)).collect())
    };
    let by_print = (0..roll.len() as u32).into_par_iter().map(of_print).collect::<Result<Vec<Vec<(u32, u32)>>>>()?;
    let mut pairs = by_print.concat();
    pairs.par_sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

fn ordered(one: u32, other: u32) -> (u32, u32) {
    (one.min(other), one.max(other))
}

fn matches(
    candidates: &[(u32, u32)],
    prepared: &[PreparedPrint],
    threshold: f64,
    progress: &dyn Progress,
) -> Result<Vec<((u32, u32), Comparison)>> {
    let compare = |&(left, right): &(u32, u32)| {
        progress.go_on().map(|()| ((left, right), prepared[left as usize].compare(&prepared[right as usize])))
    };
    let is_match = |found: &Result<((u32, u32), Comparison)>| {
        found.as_ref().map_or(true, |(_, comparison)| comparison.score >= threshold)
    };
    candidates.par_iter().map(compare).filter(is_match).collect()
}

/// Compares some prints with all others.
fn recall(
    candidates: &[(u32, u32)],
    prepared: &[PreparedPrint],
    threshold: f64,
    progress: &dyn Progress,
) -> Result<CandidateRecall> {
    let sample = Sample::new(prepared.len(), prepared.len(), candidates.len());
    sample.measure(
        |own, other| own != other && prepared[own as usize].compare(&prepared[other as usize]).score >= threshold,
        |own, other| candidates.binary_search(&ordered(own, other)).is_ok(),
        progress,
    )
}
