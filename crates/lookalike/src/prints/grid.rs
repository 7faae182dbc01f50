//! The textbook grid: prints that share a bucket, with the similarity of their squares. Nothing is aligned.

use lookalike_core::prints::Print;
use lookalike_core::prints::grid::{Grid, Triples, chance_to_share_a_bucket};
use rayon::prelude::*;

use super::Run;
use super::report::GridReport;
use super::roll::Roll;
use super::rows::PrintPair;
use crate::error::{Error, Result};
use crate::options::GridOptions;

/// Number of prints compared with all others before their rows are written.
const TOGETHER: usize = 1024;

/// Seed of the triples, the same in every run.
const SEED: u64 = 0;

/// The textbook's probability that a minutia is in the same square of another impression.
const COMES_AGAIN: f64 = 0.8;

const COLUMNS: &[&str] = &["shared_bucket_count"];

/// Writes the pairs that share a bucket, left before right in input order; the similarity is the Jaccard similarity of
/// their squares.
pub(super) fn find(roll: &Roll, grid: &GridOptions, run: &mut Run<'_>) -> Result<()> {
    let on_grid = run.stages.run("bucket", None, || OnGrid::new(roll, grid))?;
    run.report.grid = Some(on_grid.report(grid.bucket_count));
    run.rows.start(COLUMNS)?;
    let threshold = run.options.threshold.unwrap_or(0.0);
    let mut candidate_count = 0;
    run.stages.go_on()?;
    run.stages.run("write", None, || {
        for start in (0..roll.len()).step_by(TOGETHER) {
            let lefts = start..roll.len().min(start + TOGETHER);
            let found: Vec<(usize, Vec<(u32, u64)>)> =
                lefts.into_par_iter().map(|left| (left, on_grid.sharing(left))).collect();
            let mut rows = Vec::new();
            for (left, others) in found {
                candidate_count += others.len();
                for (right, shared_buckets) in others {
                    let similarity = on_grid.jaccard(left, right as usize);
                    if similarity >= threshold {
                        let pair = PrintPair::new(&roll.ids[left], roll.id(right), similarity);
                        rows.push(PrintPair { shared_bucket_count: Some(shared_buckets), ..pair });
                    }
                }
            }
            run.rows.take(rows)?;
        }
        Ok::<_, Error>(())
    })?;
    run.report.set_compared(candidate_count, roll.len());
    Ok(())
}

/// Prints as squares and buckets.
struct OnGrid {
    square_count: u32,
    squares: Vec<Vec<u32>>,
    buckets: Vec<Vec<u32>>,
    /// The prints of each bucket, in order.
    members: Vec<Vec<u32>>,
}

impl OnGrid {
    fn new(roll: &Roll, options: &GridOptions) -> Result<Self> {
        let (width, height) = image(&roll.prints);
        let grid = Grid::new(width, height, options.side, options.margin);
        let grid = grid.ok_or(Error::NoGrid { side: options.side, margin: options.margin, width, height })?;
        let triples = Triples::new(grid.square_count(), options.bucket_count, SEED);
        let squares: Vec<Vec<u32>> = roll.prints.par_iter().map(|print| grid.squares(print)).collect();
        let buckets: Vec<Vec<u32>> = squares.par_iter().map(|squares| triples.buckets(squares).collect()).collect();
        let mut members = vec![Vec::new(); options.bucket_count];
        for (print, buckets) in (0..).zip(&buckets) {
            buckets.iter().for_each(|bucket| members[*bucket as usize].push(print));
        }
        Ok(Self { square_count: grid.square_count(), squares, buckets, members })
    }

    /// The later prints that share a bucket with a print, sorted, each with the number of shared buckets.
    fn sharing(&self, left: usize) -> Vec<(u32, u64)> {
        let mut others: Vec<u32> = Vec::new();
        for bucket in &self.buckets[left] {
            let members = &self.members[*bucket as usize];
            others.extend(&members[members.partition_point(|member| *member as usize <= left)..]);
        }
        others.sort_unstable();
        others.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u64)).collect()
    }

    fn jaccard(&self, left: usize, right: usize) -> f64 {
        let (left, right) = (&self.squares[left], &self.squares[right]);
        let shared = left.iter().filter(|square| right.binary_search(square).is_ok()).count();
        shared as f64 / (left.len() + right.len() - shared).max(1) as f64
    }

    /// Evaluates the formulas for the share of squares with a minutia.
    fn report(&self, bucket_count: usize) -> GridReport {
        let filled: usize = self.squares.iter().map(Vec::len).sum();
        let density = filled as f64 / (self.squares.len().max(1) as f64 * f64::from(self.square_count));
        GridReport {
            square_count: self.square_count,
            bucket_count: bucket_count as u64,
            density,
            comes_again: COMES_AGAIN,
            found: chance_to_share_a_bucket(density * COMES_AGAIN, bucket_count),
            by_chance: chance_to_share_a_bucket(density * density, bucket_count),
        }
    }
}

/// Width and height of an image that contains all prints: as declared, or as far as minutiae extend.
fn image(prints: &[Print]) -> (f64, f64) {
    let size = |print: &Print| match print.size {
        Some((width, height)) => (f64::from(width), f64::from(height)),
        None => print.minutiae.iter().fold((0.0, 0.0), |(width, height), minutia| {
            (f64::max(width, minutia.x + 1.0), f64::max(height, minutia.y + 1.0))
        }),
    };
    prints.iter().map(size).fold((1.0, 1.0), |most, size| (f64::max(most.0, size.0), f64::max(most.1, size.1)))
}
