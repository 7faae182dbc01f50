//! The score of every pair.

use lookalike_core::prints::Comparison;
use rayon::prelude::*;

use super::Run;
use super::near::COLUMNS;
use super::roll::Roll;
use super::rows::Row;
use crate::error::Result;

/// How many pairs are compared before their rows are written: all of a million prints do not fit any memory.
const TOGETHER: usize = 1 << 18;

/// Writes all pairs, left before right in the order of the input.
pub(super) fn compare(roll: &Roll, run: &mut Run<'_>) -> Result<()> {
    let prepared = run.stages.run("prepare", None, || roll.prepare());
    let count = roll.len();
    run.report.set_compared(count * count.saturating_sub(1) / 2, count);
    run.rows.start(COLUMNS)?;
    let threshold = run.options.threshold.unwrap_or(0.0);
    let lefts_together = (TOGETHER / count.max(1)).max(1);
    run.stages.go_on()?;
    run.stages.run("align", None, || {
        for start in (0..count).step_by(lefts_together) {
            let lefts = start..count.min(start + lefts_together);
            let pairs = lefts
                .into_par_iter()
                .flat_map(|left| (left + 1..count).into_par_iter().map(move |right| (left, right)));
            let compare = |(left, right): (usize, usize)| {
                let comparison = prepared[left].compare(&prepared[right]);
                (comparison.score >= threshold).then_some((left, right, comparison))
            };
            let compared: Vec<(usize, usize, Comparison)> = pairs.filter_map(compare).collect();
            for (left, right, Comparison { score, paired_count }) in compared {
                let (left_id, right_id) = (&*roll.ids[left], &*roll.ids[right]);
                run.rows.write(&Row { left_id, right_id, score, counts: [paired_count as u64] })?;
            }
        }
        Ok(())
    })
}
