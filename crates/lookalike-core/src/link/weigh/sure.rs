//! Weights for tables with few duplicates: they start from values typical of most data, and are corrected by pairs that
//! are sure matches even without the field in question.
//!
//! Rarity counts from the start here. Two records with the same common name are no evidence, and there are many more of
//! them than duplicates.

use super::super::key::Candidates;
use super::super::measure::{DIFFERENT, Level, Pattern, Scale, level_of};
use super::super::records::{Records, Tells};
use super::super::score::{Scored, Scorer};
use super::estimate::{Counted, equal_pairs, level_counts, shares, start_shares};
use super::{FieldModel, Frequencies, Known, Learned, Model, exact_probability, log_odds};
use crate::error::Result;

/// Rounds of scoring and correcting.
const ROUNDS: usize = 5;

/// Initial share of records that have a match.
const FEW: f64 = 0.02;

/// Weight of the prior knowledge from most data, as a number of sure pairs.
const USUAL: f64 = 60.0;

/// Minimum probability, from all other fields, at which a pair teaches the levels of a field.
const SURE: f64 = 0.99;

impl Model {
    /// Learns weights for a table with few duplicates, starting from a model of the initial shares.
    pub(super) fn learn_from_sure(
        mut self,
        records: &Records,
        candidates: &Candidates,
        patterns: &[Pattern],
        [all, random]: [&Counted; 2],
        known: Known,
    ) -> Self {
        self.learned = Learned::FromSurePairs;
        self.match_count = known.match_count(records).unwrap_or(FEW * records.first_count() as f64);
        self.weigh(records);
        let mut frequencies = Frequencies::of_matches(records, &[], &self);
        for _ in 0..ROUNDS {
            let scorer = Scorer { records, model: &self, frequencies: &frequencies };
            let scored = scorer.score_all(candidates, patterns);
            let taught = taught_by(&scorer, &scored);
            self.match_count = known.match_count(records).unwrap_or_else(|| expected(&scored)).max(1.0);
            self.correct(records, &taught, &scored, all, random);
            frequencies = Frequencies::of_matches(records, &scored, &self);
        }
        self
    }

    /// Applies the weights of this model, learned from another table, to these records: only the number of matches is
    /// estimated.
    ///
    /// # Errors
    ///
    /// As [`Model::check`].
    pub fn for_table(
        mut self,
        records: &Records,
        candidates: &Candidates,
        patterns: &[Pattern],
        known: Known,
    ) -> Result<Self> {
        self.check(records)?;
        self.learned = Learned::FromAnother;
        self.match_count = known.match_count(records).unwrap_or(FEW * records.first_count() as f64);
        self.set_prior(records);
        let mut frequencies = Frequencies::of_matches(records, &[], &self);
        for _ in 0..ROUNDS {
            let scored = Scorer { records, model: &self, frequencies: &frequencies }.score_all(candidates, patterns);
            self.match_count = known.match_count(records).unwrap_or_else(|| expected(&scored)).max(1.0);
            self.set_prior(records);
            frequencies = Frequencies::of_matches(records, &scored, &self);
        }
        Ok(self)
    }

    /// Estimates new shares among matches and among others.
    fn correct(&mut self, records: &Records, taught: &[Vec<f64>], scored: &[Scored], all: &Counted, random: &Counted) {
        let random_count: f64 = random.iter().map(|(_, count)| count).sum();
        let sampled = random_count / records.pair_count();
        for (at, field) in self.fields.iter_mut().enumerate() {
            let scale = Scale::of(field.kind);
            let usual: Vec<f64> = start_shares(scale).iter().map(|share| share * USUAL).collect();
            field.among_matches = shares(&taught[at], &usual);
            bound_different(field);
            let mut of_matches = vec![0.0; scale.len()];
            for pair in scored {
                of_matches[usize::from(level_of(pair.pattern, at))] += exact_probability(pair.weight);
            }
            let of_all = level_counts(all, at, scale, |_| 1.0);
            let mut others = level_counts(random, at, scale, |_| 1.0);
            for level in usize::from(DIFFERENT) + 1..scale.len() {
                others[level] = others[level].max((of_all[level] - of_matches[level]).max(0.0) * sampled);
            }
            let top = usize::from(scale.equal());
            others[top] = (equal_pairs(records, &records.fields()[at]) - of_matches[top]).max(0.0) * sampled;
            field.among_others = shares(&others, &vec![0.5 * sampled.min(1.0); scale.len()]);
        }
        self.weigh(records);
        self.learn_relatives(all);
    }
}

/// Expected number of matches among these pairs.
fn expected(scored: &[Scored]) -> f64 {
    scored.iter().map(|pair| exact_probability(pair.weight)).sum()
}

/// Maximum share of matches that differ in a field.
const MOST_DIFFERENT: f64 = 0.05;

/// Limits the share of matches that differ in a field: anything above it was wrongly taken for a match.
fn bound_different(field: &mut FieldModel) {
    let scale = Scale::of(field.kind);
    if field.tells == Tells::Likeness {
        return;
    }
    let cap = MOST_DIFFERENT;
    let is_different = |level: usize| level >= usize::from(DIFFERENT) && scale.level(level as Level).points < 50;
    let share: f64 =
        (0..scale.len()).filter(|level| is_different(*level)).map(|level| field.among_matches[level]).sum();
    if share <= cap {
        return;
    }
    for (level, one) in field.among_matches.iter_mut().enumerate() {
        *one *= if is_different(level) { cap / share } else { (1.0 - cap) / (1.0 - share) };
    }
}

/// Frequency of each level of each field among pairs that are sure matches without this field.
fn taught_by(scorer: &Scorer<'_>, scored: &[Scored]) -> Vec<Vec<f64>> {
    let model = scorer.model;
    let mut taught: Vec<Vec<f64>> = model.fields.iter().map(|field| vec![0.0; Scale::of(field.kind).len()]).collect();
    let least = log_odds(SURE);
    for pair in scored {
        let said = scorer.said(pair.left, pair.right, pair.pattern);
        for (at, counts) in taught.iter_mut().enumerate() {
            let mut without = said;
            without[at] = 0.0;
            // For names that differ, use the evidence of all other fields.
            if model.total(pair.pattern & !(15 << (4 * at)), &without) >= least {
                let level: Level = level_of(pair.pattern, at);
                counts[usize::from(level)] += 1.0;
            }
        }
    }
    taught
}
