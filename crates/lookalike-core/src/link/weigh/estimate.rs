//! Expectation maximization: from patterns alone, how often each level occurs among matches and among other pairs.
//!
//! Shares among others come from random pairs, and from the candidates where a sample is too small for what is rare.
//! Shares among matches start at values that are usual for most data, and are then estimated from the candidates.

use rayon::prelude::*;
use rdst::RadixSort;

use super::super::config::Kind;
use super::super::key::Candidates;
use super::super::measure::{DIFFERENT, Level, NAMED, NAMED_WITHIN_DOMAIN, Pattern, SAME_DOMAIN, Scale, level_of};
use super::super::records::{Field, MOST_FIELDS, Records, Tells};
use super::sample::random_patterns;
use super::{FieldModel, Known, Learned, Model, exact_probability, exact_weight};
use crate::ids::Number;

/// Number of times the best partners are chosen again.
const CHOICES: usize = 4;

/// Maximum distance of the weight of a pair below that of the best partner of a record. All pairs would count
/// neighbors, relatives and other versions as matches, for there are more of them; the best alone would ignore the
/// worse records of a cluster.
const NEARLY_BEST: f32 = 7.0;

/// Maximum number of rounds: by then, the estimate has converged or never will.
const MOST_ROUNDS: usize = 60;

/// Relative change of the number of matches up to which the estimate has converged.
const AT_REST: f64 = 1e-4;

/// Number of pairs that are added to the matches, distributed as at the start, so that no share is ever zero.
const PSEUDO_MATCHES: f64 = 2.0;

/// Minimum share of matches that differ in a field: any field has typing errors now and then, and nothing is impossible
/// only because it was never seen.
const WRONG: f64 = 0.01;

/// Patterns and how often each occurs.
pub(super) type Counted = Vec<(Pattern, f64)>;

impl Model {
    /// Estimates the weight of each level from the patterns of all candidates.
    pub fn estimate(records: &Records, candidates: &Candidates, patterns: &[Pattern]) -> Self {
        Self::estimate_with(records, candidates, patterns, Known::default())
    }

    /// The same, where something is known of the matches.
    pub fn estimate_with(records: &Records, candidates: &Candidates, patterns: &[Pattern], known: Known) -> Self {
        let all = counted(patterns.to_vec());
        let random = counted(random_patterns(records));
        let equal: Vec<f64> = records.fields().iter().map(|field| equal_pairs(records, field)).collect();
        let start = Self::start(records, &random);
        let mut model = start.clone();
        if model.fields.len() == 1 {
            model.weigh_by_points();
            return model;
        }
        for _ in 0..CHOICES {
            let chosen = counted(model.best_partners(records, candidates, patterns));
            for _ in 0..MOST_ROUNDS {
                let before = model.match_count;
                model.maximize(records, &chosen, &all, &random, &equal);
                if (model.match_count - before).abs() <= AT_REST * before {
                    break;
                }
            }
        }
        if model.is_credible() {
            model.correct_count(records, known);
            return model;
        }
        start.learn_from_sure(records, candidates, patterns, [&all, &random], known)
    }

    /// Uses the known number of matches if the learned number is far from it. If it is near, the learned number is the
    /// better number of pairs: a record may have several matches, and a person states how many records have one.
    fn correct_count(&mut self, records: &Records, known: Known) {
        /// Factor by which numbers that are far apart differ.
        const FAR: f64 = 4.0;
        if let Some(count) = known.match_count(records).map(|count| count.max(1.0))
            && !(count / FAR..=count * FAR).contains(&self.match_count)
        {
            self.match_count = count;
            self.set_prior(records);
        }
    }

    /// The patterns of pairs that are the best, or nearly, for one of their records.
    fn best_partners(&self, records: &Records, candidates: &Candidates, patterns: &[Pattern]) -> Vec<Pattern> {
        let weights: Vec<f32> = patterns.par_iter().map(|pattern| self.weight(*pattern) as f32).collect();
        let mut best = vec![f32::NEG_INFINITY; records.count()];
        for (at, weight) in weights.iter().enumerate() {
            let (left, right) = candidates.pair(at);
            for record in [left, right] {
                best[record.index()] = best[record.index()].max(*weight);
            }
        }
        let is_best = |at: &usize| {
            let (left, right) = candidates.pair(*at);
            weights[*at] + NEARLY_BEST >= best[left.index()].min(best[right.index()])
        };
        (0..patterns.len()).into_par_iter().filter(is_best).map(|at| patterns[at]).collect()
    }

    fn start(records: &Records, random: &Counted) -> Self {
        let field = |(at, field): (usize, &Field)| {
            let scale = Scale::of(field.kind);
            FieldModel {
                name: field.name.clone(),
                kind: field.kind,
                tells: field.tells,
                among_matches: start_shares(scale),
                among_others: shares(&level_counts(random, at, scale, |_| 1.0), &vec![0.5; scale.len()]),
                weights: vec![0.0; scale.len()],
                factor: 1.0,
            }
        };
        let fields = records.fields().iter().enumerate().map(field).collect();
        // Every second record with a match: far from all and far from none.
        let match_count = 0.5 * records.first_count().max(2) as f64;
        let mut model = Self { prior: 0.0, match_count, learned: Learned::default(), relatives: Vec::new(), fields };
        model.weigh(records);
        model
    }

    /// One field alone cannot distinguish matches that differ from pairs that do not match: nothing else agrees or
    /// disagrees with it. In this case points decide, and 50 of 100 are even odds.
    fn weigh_by_points(&mut self) {
        /// Points that double the odds.
        const DOUBLE: f64 = 8.0;
        for field in &mut self.fields {
            let scale = Scale::of(field.kind);
            for level in usize::from(DIFFERENT)..scale.len() {
                let points = f64::from(scale.level(level as Level).points);
                field.weights[level] = exact_weight((points - 50.0) / DOUBLE - self.prior);
            }
        }
    }

    /// One round: how probable a match each pattern is, and from that new shares.
    fn maximize(&mut self, records: &Records, candidates: &Counted, all: &Counted, random: &Counted, equal: &[f64]) {
        let probable = |patterns: &Counted| -> Vec<f64> {
            patterns.iter().map(|(pattern, _)| exact_probability(self.weight(*pattern))).collect()
        };
        let (of_candidates, of_all, of_random) = (probable(candidates), probable(all), probable(random));
        let match_count: f64 = candidates.iter().zip(&of_candidates).map(|((_, count), share)| count * share).sum();
        self.match_count = match_count.max(1.0);
        let random_count: f64 = random.iter().map(|(_, count)| count).sum();
        let sampled = random_count / records.pair_count();
        for (at, field) in self.fields.iter_mut().enumerate() {
            let scale = Scale::of(field.kind);
            // Where nothing else is known, whatever a field says would be taken for granted.
            let matches = level_counts(candidates, at, scale, |pattern| {
                if is_alone(candidates[pattern].0) { 0.0 } else { of_candidates[pattern] }
            });
            let mut pseudo: Vec<f64> = start_shares(scale).iter().map(|share| share * PSEUDO_MATCHES).collect();
            pseudo[usize::from(scale.different())] += WRONG * matches.iter().skip(usize::from(DIFFERENT)).sum::<f64>();
            field.among_matches = shares(&matches, &pseudo);

            let others = level_counts(all, at, scale, |pattern| 1.0 - of_all[pattern]);
            let all_matches = level_counts(all, at, scale, |pattern| of_all[pattern]);
            let mut random = level_counts(random, at, scale, |pattern| 1.0 - of_random[pattern]);
            // Candidates know rare agreements better than a sample; but whether much alike texts are a match is what
            // is asked here, and must not be answered by itself.
            if !matches!(field.tells, Tells::Thing | Tells::Likeness) {
                for (level, count) in random.iter_mut().enumerate().skip(usize::from(DIFFERENT) + 1) {
                    *count = count.max(others[level] * sampled);
                }
            }
            // How many pairs are equal is known without a sample.
            let top = usize::from(scale.equal());
            random[top] = (equal[at] - all_matches[top]).max(0.0) * sampled;
            field.among_others = shares(&random, &vec![0.5 * sampled.min(1.0); scale.len()]);
        }
        self.weigh(records);
        self.learn_relatives(all);
    }

    pub(super) fn set_prior(&mut self, records: &Records) {
        let share = (self.match_count / records.pair_count()).min(0.5);
        self.prior = exact_weight((share / (1.0 - share)).log2());
    }

    pub(super) fn weigh(&mut self, records: &Records) {
        self.set_prior(records);
        self.fields.iter_mut().for_each(weigh_field);
    }
}

/// Sets the weight of each level of a field by its shares. Less similar values never weigh more.
fn weigh_field(field: &mut FieldModel) {
    for chain in Scale::of(field.kind).chains() {
        weigh_rising(field, chain);
    }
    bound_conflicts(field);
    if field.tells == Tells::Model {
        bound_nearly_equal(field);
    }
    if field.kind == Kind::Email {
        weigh_domain(field);
    }
}

/// A number that is copied is equal or another one: nearly equal numbers never speak for a match.
fn bound_nearly_equal(field: &mut FieldModel) {
    let levels = usize::from(DIFFERENT)..usize::from(Scale::of(field.kind).equal());
    for weight in &mut field.weights[levels] {
        *weight = weight.min(0.0);
    }
}

/// True if both records have a value in one field at most.
fn is_alone(pattern: Pattern) -> bool {
    (0..MOST_FIELDS).filter(|field| level_of(pattern, *field) >= DIFFERENT).nth(1).is_none()
}

fn counted(mut patterns: Vec<Pattern>) -> Counted {
    patterns.radix_sort_unstable();
    patterns.chunk_by(|left, right| left == right).map(|run| (run[0], run.len() as f64)).collect()
}

/// Number of pairs with equal values in a field.
pub(super) fn equal_pairs(records: &Records, field: &Field) -> f64 {
    (0..field.values.len())
        .map(|value| {
            let [first, second] = [0, 1].map(|table: usize| f64::from(field.counts[table][value]));
            if records.are_of_two_tables() { first * second } else { first * (first - 1.0) / 2.0 }
        })
        .sum()
}

/// Initial shares among matches.
pub(super) fn start_shares(scale: Scale) -> Vec<f64> {
    /// Most matches are equal in most fields, but not all.
    const EQUAL: f64 = 0.7;
    let points = |level: usize| f64::from(scale.level(level as Level).points) + 5.0;
    let others = usize::from(DIFFERENT)..usize::from(scale.equal());
    let total: f64 = others.clone().map(points).sum();
    (0..scale.len())
        .map(|level| match level {
            _ if level == usize::from(scale.equal()) => EQUAL,
            _ if others.contains(&level) => (1.0 - EQUAL) * points(level) / total,
            _ => 0.0,
        })
        .collect()
}

/// Counts how often each level of a field occurs, with patterns weighted by `weight`.
pub(super) fn level_counts(patterns: &Counted, field: usize, scale: Scale, weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut counts = vec![0.0; scale.len()];
    for (at, (pattern, count)) in patterns.iter().enumerate() {
        counts[usize::from(level_of(*pattern, field))] += count * weight(at);
    }
    counts
}

/// Shares of the levels where no value is missing.
pub(super) fn shares(counts: &[f64], pseudo: &[f64]) -> Vec<f64> {
    let known = usize::from(DIFFERENT)..counts.len();
    let total: f64 = known.clone().map(|level| counts[level] + pseudo[level]).sum();
    let share = |level: usize| if known.contains(&level) { (counts[level] + pseudo[level]) / total } else { 0.0 };
    (0..counts.len()).map(share).collect()
}

/// Closer values must not weigh less: levels that would are taken together, at what they weigh in sum.
fn weigh_rising(field: &mut FieldModel, chain: &[Level]) {
    let mut runs: Vec<(f64, f64, usize)> = Vec::new();
    for level in chain.iter().copied().map(usize::from) {
        let mut run = (field.among_matches[level], field.among_others[level], 1);
        while let Some(before) = runs.last()
            && before.0 * run.1 > run.0 * before.1
        {
            run = (run.0 + before.0, run.1 + before.1, run.2 + before.2);
            runs.pop();
        }
        runs.push(run);
    }
    let mut levels = chain.iter().copied().map(usize::from);
    for (matches, others, length) in runs {
        let weight = exact_weight((matches / others).log2());
        levels.by_ref().take(length).for_each(|level| field.weights[level] = weight);
    }
}

/// Other numbers never speak for a match as much as the same likeness without them does: "School 1" and "School 2". And what is
/// different never speaks for one.
fn bound_conflicts(field: &mut FieldModel) {
    let scale = Scale::of(field.kind);
    for (with, without) in scale.conflicts() {
        let [with, without] = [with, without].map(usize::from);
        if with == usize::from(DIFFERENT) && field.weights[with] > field.weights[without] {
            // Hardly any differ in words alone, so that little is known of them: both are taken together.
            let sum = |shares: &[f64]| shares[with] + shares[without];
            let weight = exact_weight((sum(&field.among_matches) / sum(&field.among_others)).log2());
            (field.weights[with], field.weights[without]) = (weight, weight);
        } else if with != usize::from(DIFFERENT) {
            field.weights[with] = field.weights[with].min(field.weights[without] - 1.0);
        }
    }
    for level in (usize::from(DIFFERENT)..scale.len()).filter(|level| scale.level(*level as Level).points == 0) {
        field.weights[level] = field.weights[level].min(0.0);
    }
    let equal = field.weights[usize::from(scale.equal())];
    for chain in scale.chains() {
        let mut most = equal;
        for level in chain.iter().rev().copied().map(usize::from) {
            most = most.min(field.weights[level]);
            field.weights[level] = most;
        }
    }
}

/// An e-mail address built from the name fits everybody with that name, but for its domain: it weighs as much as two
/// equal domains do.
fn weigh_domain(field: &mut FieldModel) {
    let [same_domain, named, within] = [SAME_DOMAIN, NAMED, NAMED_WITHIN_DOMAIN].map(usize::from);
    let said = exact_weight(-field.among_others[same_domain].log2());
    let alike = field.weights[within + 1];
    field.weights[within] = said.max(0.0).max(field.weights[same_domain]).min(alike);
    field.weights[named] = field.weights[same_domain].max(0.0).min(field.weights[within]);
    field.weights[same_domain] = field.weights[same_domain].min(field.weights[named]);
    let different = usize::from(DIFFERENT);
    field.weights[different] = field.weights[different].min(field.weights[same_domain]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn closer_values_never_weigh_less() {
        let mut field = FieldModel {
            name: String::new(),
            kind: Kind::Code,
            tells: Tells::Person,
            among_matches: vec![0.0, 0.0, 0.1, 0.3, 0.1, 0.1, 0.4],
            among_others: vec![0.0, 0.0, 0.9, 0.01, 0.04, 0.04, 0.01],
            weights: vec![0.0; 7],
            factor: 1.0,
        };
        weigh_rising(&mut field, &[2, 3, 4, 5, 6]);
        assert!(field.weights.windows(2).skip(2).all(|two| two[0] <= two[1]), "{:?}", field.weights);
        assert!((field.weights[3] - (0.5_f64 / 0.09).log2()).abs() < 1e-6);
    }

    const KINDS: [Kind; 10] = [
        Kind::PersonName,
        Kind::Organization,
        Kind::Address,
        Kind::Phone,
        Kind::Date,
        Kind::Number,
        Kind::Code,
        Kind::Email,
        Kind::Category,
        Kind::FreeText,
    ];

    proptest! {
        #[test]
        fn what_is_less_alike_never_weighs_more_whatever_was_counted(
            counts in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64, 1..12_i32, 1..12_i32), 16),
        ) {
            for kind in KINDS {
                let scale = Scale::of(kind);
                let spread = |matches: bool| -> Vec<f64> {
                    let count = |&(m, u, a, b): &(f64, f64, i32, i32)| if matches { m.powi(a) } else { u.powi(b) };
                    let counts: Vec<f64> = counts.iter().take(scale.len()).map(count).collect();
                    shares(&counts, &vec![1e-6; scale.len()])
                };
                let mut field = FieldModel {
                    name: String::new(),
                    kind,
                    tells: Tells::of(kind),
                    among_matches: spread(true),
                    among_others: spread(false),
                    weights: vec![0.0; scale.len()],
                    factor: 1.0,
                };
                weigh_field(&mut field);
                let weight = |level: Level| field.weights[usize::from(level)];
                for chain in scale.chains() {
                    prop_assert!(chain.iter().is_sorted_by(|a, b| weight(**a) <= weight(**b)), "{kind} {:?}", field.weights);
                }
                for level in DIFFERENT..scale.equal() {
                    prop_assert!(weight(level) <= weight(scale.equal()), "{kind} {level} {:?}", field.weights);
                    prop_assert!(scale.level(level).points > 0 || weight(level) <= 0.0, "{kind} {level} {:?}", field.weights);
                }
                for (with, without) in scale.conflicts() {
                    prop_assert!(weight(with) <= weight(without), "{kind} {with} {:?}", field.weights);
                }
                if kind == Kind::Email {
                    prop_assert!((2..9).is_sorted_by(|a, b| weight(*a) <= weight(*b)), "{:?}", field.weights);
                }
            }
        }
    }

    #[test]
    fn shares_at_the_start_are_shares() {
        for kind in [Kind::PersonName, Kind::Date, Kind::Phone, Kind::Number, Kind::Code, Kind::Email, Kind::Address] {
            assert!((start_shares(Scale::of(kind)).iter().sum::<f64>() - 1.0).abs() < 1e-12, "{kind}");
        }
    }
}
