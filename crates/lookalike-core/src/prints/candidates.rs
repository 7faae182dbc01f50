//! A gallery of prints, and the selection of candidates to align with a query.
//!
//! Every triangle of the query votes for the prints of the gallery that have a similar one, and for the rotation that
//! aligns them. The true print collects votes at one rotation; chance spreads votes over all of them.
//!
//! Candidates are not matches yet. On FVC2002 (the B sets; the first impressions of 40 fingers as the gallery, the
//! other 280 as queries), the right print is the first candidate for 0.95 of the queries, and among the first 5, 10 and
//! 20 for 0.993, 0.996 and all of them; with 312 other prints instead of 39, for 0.95, 0.964 and 0.971, and among the
//! first 50 for 0.989. `cargo xtask quality` measures this.

use std::ops::Range;

use rayon::prelude::*;

use super::Print;
use super::score::{Comparison, PreparedPrint};
use super::triangles::{Triangle, features, probes};

/// Default number of candidates to align.
pub const DEFAULT_ALIGNED: usize = 50;

/// Votes are counted in a window of this width, in 256ths of a full turn: 22 degrees, since skin is elastic.
const WINDOW: usize = 16;

/// Exponent for normalization: chance votes grow with the number of a print's triangles, true ones grow less, since a
/// query has only a limited number. The exact value between 0.5 and 1 matters little.
const CHANCE: f64 = 0.75;

/// Maximum number of votes per query. If there are more, only those of the rarest triangles count: otherwise a gallery
/// of nearly equal prints would take quadratic time. For usual prints of 30 minutiae, the limit is reached in a gallery
/// of about 36,000. On synthetic prints, a fifth of the votes, selected in this way, gives the same candidates.
const MOST_VOTES: usize = 1 << 18;

/// Prints to search.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    /// The features of all triangles of all prints, sorted.
    features: Vec<u64>,
    /// The print and direction of each.
    owners: Vec<(u32, u8)>,
    triangle_counts: Vec<u32>,
}

/// A print of the gallery that shares triangles with a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The position of the print in the gallery.
    pub print: u32,
    /// The number of votes, normalized by the triangles that could have voted by chance.
    pub votes: f64,
}

/// A print of the gallery, compared with a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The position of the print in the gallery.
    pub print: u32,
    /// The result of the comparison.
    pub comparison: Comparison,
}

impl Gallery {
    /// Creates a gallery of these prints, identified by their positions.
    pub fn new(prints: &[Print]) -> Self {
        let by_print: Vec<Vec<Triangle>> = prints.par_iter().map(features).collect();
        let triangle_counts = by_print.iter().map(|own| own.len() as u32).collect();
        let mut triangles: Vec<(u64, u32, u8)> = Vec::new();
        for (owner, own) in (0..).zip(by_print) {
            triangles.extend(own.into_iter().map(|triangle| (triangle.feature, owner, triangle.turn)));
        }
        triangles.par_sort_unstable();
        let features = triangles.iter().map(|triangle| triangle.0).collect();
        let owners = triangles.iter().map(|triangle| (triangle.1, triangle.2)).collect();
        Self { features, owners, triangle_counts }
    }

    /// Number of prints.
    pub fn print_count(&self) -> usize {
        self.triangle_counts.len()
    }

    /// The prints with the most shared triangles, best first, at most `most`. Prints without any are not included.
    pub fn candidates(&self, query: &Print, most: usize) -> Vec<Candidate> {
        let mut votes = self.votes(query);
        votes.sort_unstable();
        let mut candidates: Vec<Candidate> = votes
            .chunk_by(|one, other| one.0 == other.0)
            .map(|votes| {
                let print = votes[0].0;
                let by_chance = f64::from(self.triangle_counts[print as usize]).powf(CHANCE);
                Candidate { print, votes: f64::from(at_one_turn(votes)) / by_chance }
            })
            .collect();
        candidates.sort_unstable_by(|one, other| other.votes.total_cmp(&one.votes).then(one.print.cmp(&other.print)));
        candidates.truncate(most);
        candidates
    }

    /// The prints that triangles of a query vote for, each with the rotation: at most [`MOST_VOTES`].
    fn votes(&self, query: &Print) -> Vec<(u32, u8)> {
        let mut alike: Vec<(Range<usize>, u8)> = Vec::new();
        let mut rest = 0;
        for probe in probes(query) {
            // Both are sorted, so the search continues where the last one ended.
            rest += self.features[rest..].partition_point(|&feature| feature < probe.feature);
            let mut reach = 1;
            while self.features.get(rest + reach) == Some(&probe.feature) {
                reach *= 2;
            }
            let reached = &self.features[rest..self.features.len().min(rest + reach)];
            let count = reached.partition_point(|&feature| feature == probe.feature);
            if count > 0 {
                alike.push((rest..rest + count, probe.turn));
            }
        }
        // The sort is stable, so the selection depends on nothing else.
        alike.sort_by_key(|(places, _)| places.len());
        let all = alike.into_iter().flat_map(|(places, probe_turn)| {
            self.owners[places].iter().map(move |&(owner, turn)| (owner, turn.wrapping_sub(probe_turn)))
        });
        all.take(MOST_VOTES).collect()
    }

    /// The prints that match a query best, best first, at most `top`: the best `aligned` candidates are compared.
    /// `prepared` are the gallery's prints, in the same order.
    pub fn identify(&self, query: &Print, prepared: &[PreparedPrint], aligned: usize, top: usize) -> Vec<Found> {
        let own = PreparedPrint::new(query);
        let compared = self.candidates(query, aligned).into_iter().filter_map(|candidate| {
            let other = prepared.get(candidate.print as usize)?;
            Some(Found { print: candidate.print, comparison: own.compare(other) })
        });
        let mut found: Vec<Found> = compared.collect();
        found.sort_by(|one, other| {
            other.comparison.score.total_cmp(&one.comparison.score).then(one.print.cmp(&other.print))
        });
        found.truncate(top);
        found
    }
}

/// The maximum number of votes in a window of rotations.
fn at_one_turn(votes: &[(u32, u8)]) -> u32 {
    let mut by_turn = [0_u32; 256];
    votes.iter().for_each(|&(_, turn)| by_turn[usize::from(turn)] += 1);
    let mut within: u32 = by_turn[..WINDOW].iter().sum();
    let mut most = within;
    for turn in 0..by_turn.len() {
        within = within - by_turn[turn] + by_turn[(turn + WINDOW) % by_turn.len()];
        most = most.max(within);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Minutia};
    use super::*;
    use crate::hash::mix;

    /// A random print.
    fn print(seed: u64) -> Print {
        let number = |place: u64, below: u64| (mix(seed << 32 | place) % below) as f64;
        let minutia = |place: u64| Minutia {
            x: number(3 * place, 300),
            y: number(3 * place + 1, 400),
            angle: number(3 * place + 2, 360),
            kind: Kind::Ending,
        };
        Print::new((1..=30).map(minutia).collect())
    }

    fn turned_over(print: &Print) -> Print {
        let minutiae = print.minutiae.iter();
        let half_turn = |minutia: &Minutia| Minutia {
            x: 300.0 - minutia.x,
            y: 400.0 - minutia.y,
            angle: minutia.angle + 180.0,
            ..*minutia
        };
        Print::new(minutiae.map(half_turn).collect())
    }

    #[test]
    fn a_print_is_its_own_first_candidate_however_it_lies() {
        let prints: Vec<Print> = (1..=50).map(print).collect();
        let gallery = Gallery::new(&prints);
        assert_eq!(gallery.print_count(), 50);
        for (place, print) in prints.iter().enumerate() {
            assert_eq!(gallery.candidates(&turned_over(print), 3)[0].print as usize, place);
        }
    }

    #[test]
    fn identification_gives_the_best_first_and_no_more_than_asked_for() {
        let mut prints: Vec<Print> = (1..=20).map(print).collect();
        prints.push(Print::new(prints[7].minutiae[..20].to_vec()));
        let prepared: Vec<PreparedPrint> = prints.iter().map(PreparedPrint::new).collect();
        let found = Gallery::new(&prints).identify(&turned_over(&prints[7]), &prepared, 10, 3);
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].print, found[1].print), (7, 20));
        assert!(found[0].comparison.score >= found[1].comparison.score);
        assert!(found[1].comparison.score > 3.0 * found[2].comparison.score);
    }

    #[test]
    fn empty_prints_and_galleries_have_no_candidates() {
        assert!(Gallery::new(&[]).candidates(&print(1), 5).is_empty());
        let gallery = Gallery::new(&[Print::new(Vec::new()), print(1)]);
        assert!(gallery.candidates(&Print::new(Vec::new()), 5).is_empty());
        assert_eq!(gallery.candidates(&print(1), 5).len(), 1);
    }

    #[test]
    fn equal_prints_cost_no_square_and_have_the_same_candidates() {
        let own = print(1);
        let of_gallery = |count: usize| {
            let others = (2..20).map(print);
            let gallery = Gallery::new(&others.chain(vec![own.clone(); count]).collect::<Vec<_>>());
            (
                gallery.votes(&own).len(),
                gallery.candidates(&own, 10).iter().map(|found| found.print).collect::<Vec<_>>(),
            )
        };
        let [(few_votes, few), (votes, many), (more_votes, more)] = [100, 2_000, 8_000].map(of_gallery);
        assert!(
            few_votes < MOST_VOTES && votes == MOST_VOTES && more_votes == MOST_VOTES,
            "{few_votes} {votes} {more_votes}"
        );
        assert_eq!(few, (18..28).collect::<Vec<_>>());
        assert_eq!([&many, &more], [&few; 2]);
    }

    #[test]
    fn votes_are_counted_around_the_full_turn() {
        let votes: Vec<(u32, u8)> = [250, 255, 0, 3, 100, 101].map(|turn| (0, turn)).to_vec();
        assert_eq!(at_one_turn(&votes), 4);
    }
}
