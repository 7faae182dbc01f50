//! The score of every pair.

use lookalike_core::prints::Comparison;
use rayon::prelude::*;

use super::Run;
use super::near::{COLUMNS, aligned};
use super::roll::Roll;
use crate::error::Result;

/// Number of pairs compared before their rows are written: the pairs of a million prints would not fit in memory.
const TOGETHER: usize = 1 << 18;

/// Writes all pairs, left before right in input order.
pub(super) fn compare(roll: &Roll, run: &mut Run<'_>) -> Result<()> {
    let progress = run.stages.progress();
    let prepared = run.stages.run("prepare", None, || roll.prepare(progress))?;
    let count = roll.len();
    run.report.set_compared(count * count.saturating_sub(1) / 2, count);
    run.rows.start(COLUMNS)?;
    let (threshold, sure) = (run.options.threshold.unwrap_or(0.0), run.options.match_threshold());
    let lefts_together = (TOGETHER / count.max(1)).max(1);
    run.stages.go_on()?;
    let turning = &mut run.report.turning;
    run.stages.run("direction", None, || turning.sample(&roll.prints, sure, progress))?;
    run.stages.run("align", None, || {
        for start in (0..count).step_by(lefts_together) {
            let lefts = start..count.min(start + lefts_together);
            let pairs = lefts
                .into_par_iter()
                .flat_map(|left| (left + 1..count).into_par_iter().map(move |right| (left, right)));
            let compare = |(left, right): (usize, usize)| {
                progress.go_on().map(|()| (left, right, prepared[left].compare(&prepared[right])))
            };
            let compared = pairs.map(compare).collect::<Result<Vec<(usize, usize, Comparison)>>>()?;
            let mut rows = Vec::new();
            for (left, right, comparison) in compared.iter().filter(|(.., found)| found.score >= threshold) {
                if comparison.score >= sure {
                    run.report.turning.add(comparison);
                }
                rows.push(aligned(&roll.ids[*left], &roll.ids[*right], comparison));
            }
            run.rows.take(rows)?;
        }
        Ok(())
    })
}
