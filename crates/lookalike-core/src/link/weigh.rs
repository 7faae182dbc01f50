//! Patterns to weights: how much each level of each field speaks for a match, estimated without labels.
//!
//! Fellegi and Sunter (1969): a level that has the share m among matches and u among other pairs adds log2(m / u). Shares among
//! others come from random pairs, those among matches by expectation maximisation over the candidates. What a reader
//! would get wrong: a missing value adds nothing, and equal values are weighed by how common the value is, so that
//! "Smith" says less than "Szczepanski".

use rayon::prelude::*;
use rdst::RadixSort;
use serde::{Deserialize, Serialize};

use super::config::Kind;
use super::key::Candidates;
use super::measure::{DIFFERENT, Level, Pattern, Scale, compare, level_of};
use super::records::{MISSING, Records};

/// What the fields of a pair say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The logarithm of the odds that a random pair is a match.
    pub prior: f64,
    /// How many matches there are, as far as can be told.
    pub match_count: f64,
    /// The fields in their order.
    pub fields: Vec<FieldModel>,
}

/// What one field says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldModel {
    /// Its column.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// The share of each level among matches, of the pairs where no value is missing.
    pub among_matches: Vec<f64>,
    /// The share among other pairs.
    pub among_others: Vec<f64>,
    /// What each level adds.
    pub weights: Vec<f64>,
    /// Whether it is long text.
    pub is_long: bool,
}

/// Random pairs that are looked at.
const RANDOM_PAIRS: usize = 1_000_000;

/// Rounds of expectation maximisation; it is at rest long before.
const MOST_ROUNDS: usize = 60;

/// How little a round may change before it was the last.
const AT_REST: f64 = 1e-4;

/// As many pairs are added to the matches, spread as at the start, so that no share is ever zero.
const PSEUDO_MATCHES: f64 = 2.0;

/// Patterns and how often each occurs.
type Counted = Vec<(Pattern, f64)>;

/// Compares all candidates.
pub fn compare_all(records: &Records, candidates: &Candidates) -> Vec<Pattern> {
    (0..candidates.len())
        .into_par_iter()
        .map(|at| {
            let (left, right) = candidates.pair(at);
            compare(records, left, right)
        })
        .collect()
}

impl Model {
    /// Estimates what each level says.
    pub fn estimate(records: &Records, pairs: &Candidates, patterns: &[Pattern], exclusive: bool) -> Self {
        let random = counted(random_patterns(records));
        let mut model = Self::estimate_all(records, &random, counted(patterns.to_vec()), Vec::new());
        if exclusive {
            for _ in 0..param("ROUNDS", 0.0) as usize {
                let weights: Vec<f64> = patterns.par_iter().map(|pattern| model.weight(*pattern)).collect();
                let mut best = vec![f64::NEG_INFINITY; records.count()];
                for (at, weight) in weights.iter().enumerate() {
                    let (left, right) = pairs.pair(at);
                    for record in [left, right] {
                        best[record as usize] = best[record as usize].max(*weight);
                    }
                }
                let is_best = |at: &usize| {
                    let (left, right) = pairs.pair(*at);
                    let margin = param("MARGIN", 0.0);
                    weights[*at] + margin >= best[left as usize] && weights[*at] + margin >= best[right as usize]
                };
                let (good, bad): (Vec<usize>, Vec<usize>) = (0..patterns.len()).partition(is_best);
                let take = |places: Vec<usize>| counted(places.into_iter().map(|at| patterns[at]).collect());
                model = Self::estimate_all(records, &random, take(good), take(bad));
            }
        }
        model
    }

    fn estimate_all(records: &Records, random: &Counted, candidates: Counted, excluded: Counted) -> Self {
        let mut model = Self::start(records, random);
        let equal: Vec<f64> = records.fields().iter().map(|field| equal_pairs(records, field)).collect();
        for _ in 0..MOST_ROUNDS {
            let before = model.match_count;
            model.maximize(records, &candidates, &excluded, random, &equal);
            if (model.match_count - before).abs() <= AT_REST * before.max(1.0) {
                break;
            }
        }
        model
    }

    fn start(records: &Records, random: &Counted) -> Self {
        let fields = records
            .fields()
            .iter()
            .enumerate()
            .map(|(at, field)| {
                let scale = Scale::of(field.kind);
                let among_matches = start_shares(scale);
                let among_others = shares(&level_counts(random, at, scale, |_| 1.0), &vec![1e-6; scale.len()]);
                let weights = vec![0.0; scale.len()];
                FieldModel { name: field.name.clone(), kind: field.kind, among_matches, among_others, weights, is_long: field.is_long() }
            })
            .collect();
        let records_count = if records.are_of_two_tables() {
            records.first_count().min(records.count() - records.first_count())
        } else {
            records.count()
        };
        let match_count = 0.5 * records_count as f64;
        let mut model = Self { prior: 0.0, match_count, fields };
        model.weigh(records);
        model
    }

    /// One round: how probable each pattern is a match, and from that new shares.
    fn maximize(&mut self, records: &Records, candidates: &Counted, excluded: &Counted, random: &Counted, equal: &[f64]) {
        let probable: Vec<f64> = candidates.iter().map(|(pattern, _)| probability(self.weight(*pattern))).collect();
        let improbable: Vec<f64> = random.iter().map(|(pattern, _)| 1.0 - probability(self.weight(*pattern))).collect();
        self.match_count = candidates.iter().zip(&probable).map(|((_, count), share)| count * share).sum::<f64>().max(1.0);
        let random_count: f64 = random.iter().map(|(_, count)| count).sum();
        let all = records.pair_count();
        for (at, field) in self.fields.iter_mut().enumerate() {
            let scale = Scale::of(field.kind);
            let matches = level_counts(candidates, at, scale, |pattern| probable[pattern]);
            let pseudo: Vec<f64> = start_shares(scale).iter().map(|share| share * PSEUDO_MATCHES).collect();
            field.among_matches = shares(&matches, &pseudo);

            let mut others = level_counts(candidates, at, scale, |pattern| 1.0 - probable[pattern]);
            others.iter_mut().zip(level_counts(excluded, at, scale, |_| 1.0)).for_each(|(all, more)| *all += more);
            let mut random = level_counts(random, at, scale, |pattern| improbable[pattern]);
            // Candidates know rare agreements better than a sample can.
            for (level, count) in random.iter_mut().enumerate().skip(usize::from(DIFFERENT) + 1) {
                *count = count.max(others[level] * random_count / all);
            }
            let top = usize::from(scale.equal());
            random[top] = (equal[at] - matches[top]).max(0.0) * random_count / all;
            let least = 0.5 * random_count / all.max(random_count);
            field.among_others = shares(&random, &vec![least; scale.len()]);
        }
        self.weigh(records);
    }

    fn weigh(&mut self, records: &Records) {
        let share = (self.match_count / records.pair_count()).min(0.5);
        self.prior = (share / (1.0 - share)).log2();
        for field in &mut self.fields {
            let scale = Scale::of(field.kind);
            for level in usize::from(DIFFERENT)..scale.len() {
                field.weights[level] = (field.among_matches[level] / field.among_others[level]).log2();
            }
            for chain in scale.chains() {
                make_rising(&mut field.weights, &field.among_matches, &field.among_others, chain.clone());
            }
        }
    }

    /// The logarithm of the odds that a pair of this pattern is a match, values of average rarity given.
    pub fn weight(&self, pattern: Pattern) -> f64 {
        let said = |(at, field): (usize, &FieldModel)| field.weights[usize::from(level_of(pattern, at))];
        self.prior + self.together(self.fields.iter().enumerate().map(said))
    }

    /// What fields say together.
    pub fn together(&self, said: impl Iterator<Item = f64>) -> f64 {
        let cap = -self.prior + param("CAP", 1.0);
        let place_cap = -self.prior + param("PLACE", 1.0);
        let (mut place, mut rest) = (0.0, 0.0);
        for (field, weight) in self.fields.iter().zip(said) {
            let cap = if matches!(field.kind, Kind::Organisation | Kind::FreeText) { cap + param("EXEMPT", 100.0) } else { cap };
            let weight = weight.min(cap);
            let long = param("LONG", 3.0);
            let weight = if field.is_long { weight.clamp(-long, long) } else { weight };
            if matches!(field.kind, Kind::Address | Kind::Phone) && weight > 0.0 { place += weight } else { rest += weight }
        }
        f64::min(place, place_cap) + rest
    }
}

/// The probability that belongs to a logarithm of odds.
pub fn probability(weight: f64) -> f64 {
    1.0 / (1.0 + (-weight).exp2())
}

fn counted(mut patterns: Vec<Pattern>) -> Counted {
    patterns.radix_sort_unstable();
    patterns.chunk_by(|left, right| left == right).map(|run| (run[0], run.len() as f64)).collect()
}

/// Patterns of pairs that were chosen by the content of their records.
fn random_patterns(records: &Records) -> Vec<Pattern> {
    let (first, second) = if records.are_of_two_tables() {
        (0..records.first_count() as u32, records.first_count() as u32..records.count() as u32)
    } else {
        (0..records.count() as u32, 0..records.count() as u32)
    };
    let by_content = |range: std::ops::Range<u32>| {
        let mut order: Vec<u32> = range.collect();
        order.par_sort_unstable_by_key(|record| records.content(*record));
        order
    };
    let (first, second) = (by_content(first), by_content(second));
    let steps = (RANDOM_PAIRS / first.len()).clamp(1, second.len());
    let is_enough = |at: usize| steps > 1 || at < RANDOM_PAIRS;
    first
        .par_iter()
        .enumerate()
        .filter(|(at, _)| is_enough(*at))
        .flat_map_iter(|(at, left)| {
            let second = &second;
            // Steps that spread over the whole table, another place for each left record.
            (0..steps).filter_map(move |step| {
                let right = second[(at + 1 + step * second.len() / steps) % second.len()];
                (right != *left).then(|| compare(records, *left, right))
            })
        })
        .collect()
}

/// How many pairs have equal values in a field.
fn equal_pairs(records: &Records, field: &super::records::Field) -> f64 {
    (0..field.values.len())
        .map(|value| {
            let [first, second] = [0, 1].map(|table: usize| f64::from(field.counts[table][value]));
            if records.are_of_two_tables() { first * second } else { first * (first - 1.0) / 2.0 }
        })
        .sum()
}

fn start_shares(scale: Scale) -> Vec<f64> {
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

/// How often each level occurs, each pattern weighed.
fn level_counts(patterns: &Counted, field: usize, scale: Scale, weight: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut counts = vec![0.0; scale.len()];
    for (at, (pattern, count)) in patterns.iter().enumerate() {
        counts[usize::from(level_of(*pattern, field))] += count * weight(at);
    }
    counts
}

/// Shares of the levels where no value is missing.
fn shares(counts: &[f64], pseudo: &[f64]) -> Vec<f64> {
    let known = usize::from(DIFFERENT)..counts.len();
    let total: f64 = known.clone().map(|level| counts[level] + pseudo[level]).sum();
    (0..counts.len())
        .map(|level| if known.contains(&level) { (counts[level] + pseudo[level]) / total } else { 0.0 })
        .collect()
}

/// Closer values must not weigh less: runs that fall are made level at what they weigh together.
fn make_rising(
    weights: &mut [f64],
    among_matches: &[f64],
    among_others: &[f64],
    chain: std::ops::RangeInclusive<Level>,
) {
    let mut runs: Vec<(f64, f64, usize)> = Vec::new();
    for level in chain.clone() {
        let level = usize::from(level);
        let mut run = (among_matches[level], among_others[level], 1);
        while let Some(before) = runs.last()
            && before.0 / before.1 > run.0 / run.1
        {
            run = (run.0 + before.0, run.1 + before.1, run.2 + before.2);
            runs.pop();
        }
        runs.push(run);
    }
    let mut levels = chain.map(usize::from);
    for (matches, others, length) in runs {
        for level in levels.by_ref().take(length) {
            weights[level] = (matches / others).log2();
        }
    }
}

/// How common the values of a field are among pairs that are no match.
#[derive(Debug)]
pub struct Frequencies {
    /// For each field and value what its equality adds to the weight of equal values.
    pub(super) adjustments: Vec<Vec<f32>>,
}

impl Frequencies {
    /// Counts, for each value, how often it meets itself by chance.
    pub fn new(records: &Records, candidates: &Candidates, patterns: &[Pattern], model: &Model) -> Self {
        let fields = records.fields();
        let mut matched: Vec<Vec<f64>> = fields.iter().map(|field| vec![0.0; field.values.len()]).collect();
        for (at, pattern) in patterns.iter().enumerate() {
            let probable = probability(model.weight(*pattern));
            if probable < 0.01 {
                continue;
            }
            let (left, right) = candidates.pair(at);
            for (field, matched) in fields.iter().zip(&mut matched) {
                let value = field.of_record[left as usize];
                if value != MISSING && value == field.of_record[right as usize] {
                    matched[value as usize] += probable;
                }
            }
        }
        let (first_total, second_total) = if records.are_of_two_tables() {
            (records.first_count() as f64, (records.count() - records.first_count()) as f64)
        } else {
            (records.count() as f64, records.count() as f64)
        };
        let size = (first_total * second_total).sqrt();
        let adjustments = fields
            .iter()
            .zip(&matched)
            .zip(&model.fields)
            .map(|((field, matched), weights)| {
                let average = weights.among_others[usize::from(Scale::of(field.kind).equal())];
                // A value that was met once may be met again.
                let least = (average * size).min(0.5);
                (0..field.values.len())
                    .map(|value| {
                        let [first, second] = [0, 1].map(|table: usize| f64::from(field.counts[table][value]));
                        let by_chance = if records.are_of_two_tables() {
                            (first * second - matched[value]).max(0.0) / (first * second).sqrt().max(1.0)
                        } else {
                            (first * (first - 1.0) - 2.0 * matched[value]).max(0.0) / first.max(1.0)
                        };
                        (average / (by_chance.max(least) / size)).log2() as f32
                    })
                    .collect()
            })
            .collect();
        Self { adjustments }
    }
}

/// For experiments.
pub fn param(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
