//! A gallery of prints, and which of them are worth aligning with a query.
//!
//! Every triangle of the query votes for the prints of the gallery that have one like it, and for the turn that would
//! bring them together. The true print collects votes at one turn; chance spreads its votes over all of them.
//!
//! Nothing here is a match yet. On FVC2002 (the B sets; the first impressions of 40 fingers, searched for with the other
//! 280) the right print is the first candidate for .95 of the queries, and among the first 5, 10 and 20 for .993, .996 and
//! all of them; with 312 strangers instead of 39, .95, .964 and .971, and .989 among the first 50.
//! `cargo xtask quality` measures it.

use std::ops::Range;

use rayon::prelude::*;

use super::Print;
use super::score::{Comparison, PreparedPrint};
use super::triangles::{Triangle, features, probes};

/// How many candidates are aligned, unless another number is given.
pub const DEFAULT_ALIGNED: usize = 50;

/// Votes are counted over a window of this width, in 256ths of a full turn: 22 degrees, since skin is elastic.
const WINDOW: usize = 16;

/// Votes by chance grow with a print's triangles, true ones less than that, since a query has only so many. Between
/// a half and 1 it matters little.
const CHANCE: f64 = 0.75;

/// How many votes a query counts. Of more, those of its rarest triangles are counted: prints that are nearly equal would else cost the
/// square of their number. Other prints of 30 minutiae come to it in a gallery of about 36,000. On synthetic prints, a fifth of the
/// votes, counted in this way, gives the same candidates.
const MOST_VOTES: usize = 1 << 18;

/// Prints to search in.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    /// Of all triangles of all prints, sorted.
    features: Vec<u64>,
    /// The print and turn of each.
    owners: Vec<(u32, u8)>,
    triangle_counts: Vec<u32>,
}

/// A print of the gallery that shares triangles with a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The place of the print in the gallery.
    pub print: u32,
    /// How much speaks for it: the votes, in proportion to the triangles that could have voted by chance.
    pub votes: f64,
}

/// A print of the gallery, compared with a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The place of the print in the gallery.
    pub print: u32,
    /// How well it fits.
    pub comparison: Comparison,
}

impl Gallery {
    /// A gallery of these prints, named by their places.
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

    /// How many prints it has.
    pub fn print_count(&self) -> usize {
        self.triangle_counts.len()
    }

    /// The prints that share the most with a query, best first, at most so many. Prints that share nothing are none.
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

    /// The prints that triangles of a query vote for, each with the turn: at most [`MOST_VOTES`].
    fn votes(&self, query: &Print) -> Vec<(u32, u8)> {
        let mut alike: Vec<(Range<usize>, u8)> = Vec::new();
        let mut rest = 0;
        for probe in probes(query) {
            // Both are sorted, so the search goes on from where the last one ended.
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
        // The sort is stable: what is counted does not depend on anything else.
        alike.sort_by_key(|(places, _)| places.len());
        let all = alike.into_iter().flat_map(|(places, probe_turn)| {
            self.owners[places].iter().map(move |&(owner, turn)| (owner, turn.wrapping_sub(probe_turn)))
        });
        all.take(MOST_VOTES).collect()
    }

    /// The prints that fit a query best, best first, at most `top`: the candidates, `aligned` of them, each compared.
    /// `prepared` are the gallery's prints, in their places.
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

/// The most votes within a window of turns.
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

    /// A print like no other.
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
