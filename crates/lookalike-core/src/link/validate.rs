//! Estimates the share of matches that are right, without labels, from a field that was not used for matching, such as
//! a date.
//!
//! Let T be its mean difference among sure matches and R among random pairs. A pool of pairs with mean difference x is
//! then a mixture of both, and the share of matches in it is (R − x) / (R − T). (Leskovec, Rajaraman, Ullman, Mining of
//! Massive Datasets, 3.8.3)

use super::config::Kind;
use super::normalize::{Date, DateOrder, Normalizer};
use super::records::Records;
use super::score::Scored;
use super::weigh::{log_odds, random_pairs};
use crate::ids::{Number, Record};
use crate::packed::Strings;

/// A mean and its uncertainty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// Number of pairs of which both values are known.
    pub count: usize,
    /// Their mean difference.
    pub mean: f64,
    /// The standard error of the mean.
    pub error: f64,
}

/// A share with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The share, between 0 and 1.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The pairs with scores in one band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Lower end of the probabilities, inclusive.
    pub from: f64,
    /// Upper end of the probabilities, exclusive.
    pub to: f64,
    /// The differences of the pairs.
    pub differences: Mean,
    /// Share of right matches; `None` if nothing is known about the pairs.
    pub right: Option<Share>,
}

/// Evidence from a field about matches that were made without it.
#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// R: the differences of random pairs.
    pub random: Mean,
    /// T: the differences of sure matches.
    pub sure: Mean,
    /// All matches as one band.
    pub all: Band,
    /// Matches in bands of probability, lowest first.
    pub bands: Vec<Band>,
}

impl Validation {
    /// True if the matches are no more similar in the field than random pairs, as far as can be told.
    pub fn is_without_evidence(&self) -> bool {
        let error = self.random.error.hypot(self.sure.error);
        self.sure.count > 0 && self.random.count > 0 && self.sure.mean + NORMAL_95 * error >= self.random.mean
    }
}

/// Minimum probability of a sure match, if there are enough such matches.
pub const SURE: f64 = 0.999;

/// Upper ends of the bands: each has a tenth of the doubt of the one before.
const BANDS: [f64; 6] = [0.0, 0.5, 0.9, 0.99, SURE, 1.0 + f64::EPSILON];

/// Number of random pairs to examine.
const RANDOM_PAIRS: usize = 100_000;

/// Half of the interval that holds 95 % of a normal distribution, in standard errors.
const NORMAL_95: f64 = 1.96;

impl Mean {
    /// The mean of some differences.
    pub fn of(differences: impl IntoIterator<Item = f64>) -> Self {
        let (mut count, mut mean, mut squares) = (0, 0.0, 0.0);
        for difference in differences {
            // Welford's algorithm, which preserves precision.
            count += 1;
            let before = difference - mean;
            mean += before / f64::from(count);
            squares += before * (difference - mean);
        }
        let error = if count > 1 { (squares / f64::from(count - 1) / f64::from(count)).sqrt() } else { 0.0 };
        Self { count: count as usize, mean, error }
    }
}

/// Share of matches in a pool; `None` if the pool or either measure is empty, or if sure matches differ as much as
/// random pairs, so that the field says nothing.
///
/// ```
/// use lookalike_core::link::validate::{Mean, share_of_matches};
///
/// let exactly = |mean| Mean { count: 1000, mean, error: 0.0 };
/// let right = share_of_matches(exactly(45.0), exactly(10.0), exactly(17.0)).ok_or("nothing known")?;
/// assert_eq!(right.share, (45.0 - 17.0) / 35.0);
/// # Ok::<(), &str>(())
/// ```
pub fn share_of_matches(random: Mean, sure: Mean, pool: Mean) -> Option<Share> {
    let span = random.mean - sure.mean;
    if span <= 0.0 || [random, sure, pool].iter().any(|mean| mean.count == 0) {
        return None;
    }
    let share = (random.mean - pool.mean) / span;
    // The sensitivity of the share to each of the three means, whose errors are independent. A few pairs may be equal
    // by chance: the interval must allow for one more that is wrong.
    let by_pool = (pool.error / span).max(1.0 / (pool.count + 1) as f64);
    let by_random = random.error * (pool.mean - sure.mean) / span.powi(2);
    let by_sure = sure.error * (random.mean - pool.mean) / span.powi(2);
    let half = NORMAL_95 * (by_pool.powi(2) + by_random.powi(2) + by_sure.powi(2)).sqrt();
    let within = |share: f64| share.clamp(0.0, 1.0);
    Some(Share { share: within(share), low: within(share - half), high: within(share + half) })
}

/// The values of a column that was not used for matching.
#[derive(Debug)]
pub struct Yardstick {
    values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Missing,
    Number(f64),
    Text(Box<str>),
}

impl Yardstick {
    /// Reads a column of the first table, and of the second if there are two.
    pub fn new(kind: Kind, first: &Strings, second: Option<&Strings>) -> Self {
        let written = || first.iter().chain(second.into_iter().flat_map(Strings::iter));
        let normalizer = Normalizer::new(kind, written());
        let value = |written: &str| match (kind, normalizer.normalize(written)) {
            (_, normal) if normal.is_empty() => Value::Missing,
            (Kind::Date, normal) => match Date::parse(&normal, DateOrder::default()) {
                Some(date) if date.day > 0 => Value::Number(date.day_number() as f64),
                _ => Value::Missing,
            },
            (Kind::Number, normal) => normal.parse().map_or(Value::Missing, Value::Number),
            (_, normal) => Value::Text(normal.into()),
        };
        Self { values: written().map(value).collect() }
    }

    /// Difference between two records: days, or the difference of numbers, or 1 if texts are not equal.
    pub fn difference(&self, left: Record, right: Record) -> Option<f64> {
        match [left, right].map(|record| &self.values[record.index()]) {
            [Value::Number(left), Value::Number(right)] => Some((left - right).abs()),
            [Value::Text(left), Value::Text(right)] => Some(f64::from(u8::from(left != right))),
            _ => None,
        }
    }
}

/// Compares matches with a field that was not used to find them.
pub fn validate(records: &Records, yardstick: &Yardstick, matches: &[Scored]) -> Validation {
    let between = |from: f64, to: f64| {
        let pairs = matches.iter().filter(move |pair| (from..to).contains(&pair.probability()));
        Mean::of(pairs.filter_map(|pair| yardstick.difference(pair.left, pair.right)))
    };
    let random = random_pairs(records, RANDOM_PAIRS);
    let random = Mean::of(random.into_iter().filter_map(|(left, right)| yardstick.difference(left, right)));
    let last = BANDS[BANDS.len() - 1];
    let sure = sure(yardstick, matches);
    let band = |from: f64, to: f64| {
        let differences = between(from, to);
        Band { from, to: to.min(1.0), differences, right: share_of_matches(random, sure, differences) }
    };
    let bands = BANDS.windows(2).map(|ends| band(ends[0], ends[1])).filter(|band| band.differences.count > 0).collect();
    Validation { random, sure, all: band(0.0, last), bands }
}

/// The matches with a probability of at least [`SURE`]; if there are only a few, the best ones.
fn sure(yardstick: &Yardstick, matches: &[Scored]) -> Mean {
    /// Minimum number of matches for a mean.
    const FEW: usize = 30;
    let known = |pair: &Scored| Some((pair.weight, yardstick.difference(pair.left, pair.right)?));
    let mut known: Vec<(f64, f64)> = matches.iter().filter_map(known).collect();
    // Includes all matches with the weight of the last one, so that nothing depends on the order of ties.
    known.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
    let least = known.get(FEW.min(known.len()).saturating_sub(1)).map_or(0.0, |last| last.0).min(log_odds(SURE));
    Mean::of(known.into_iter().take_while(|(weight, _)| *weight >= least).map(|(_, difference)| difference))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    fn exactly(mean: f64) -> Mean {
        Mean { count: 100, mean, error: 0.0 }
    }

    #[test]
    fn the_example_of_the_source() {
        // R = 45 days, T = 10: a pool with mean difference x is valid to the share (45 - x) / 35.
        for x in [10.0, 12.0, 27.5, 45.0] {
            let right = share_of_matches(exactly(45.0), exactly(10.0), exactly(x)).unwrap();
            assert!((right.share - (45.0 - x) / 35.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn a_field_that_does_not_tell_says_nothing() {
        assert_eq!(share_of_matches(exactly(10.0), exactly(10.0), exactly(10.0)), None);
        assert_eq!(share_of_matches(exactly(45.0), exactly(10.0), Mean::default()), None);
    }

    #[test]
    fn three_pairs_that_are_equal_do_not_make_a_pool_sure() {
        let pool = |count: usize| Mean { count, mean: 10.0, error: 0.0 };
        let low = |count: usize| share_of_matches(exactly(45.0), exactly(10.0), pool(count)).unwrap().low;
        assert!(low(3) < 0.6 && low(10_000) > 0.999);
    }

    #[test]
    fn matches_that_differ_as_random_pairs_do_are_without_evidence() {
        let band = Band { from: 0.0, to: 1.0, differences: exactly(45.0), right: None };
        let validation =
            |sure: f64| Validation { random: exactly(45.0), sure: exactly(sure), all: band, bands: Vec::new() };
        assert!(validation(45.0).is_without_evidence() && validation(60.0).is_without_evidence());
        assert!(!validation(10.0).is_without_evidence());
    }

    /// Differences of matches are exponential with mean 10, of others even up to 90 with mean 45.
    fn simulated(count: u64, share: f64, seed: u64) -> Mean {
        let even = |number: u64| mix(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed) as f64 / u64::MAX as f64;
        Mean::of((0..count).map(|at| {
            let is_match = even(2 * at) < share;
            let even = even(2 * at + 1);
            if is_match { -10.0 * (1.0 - even).max(1e-12).ln() } else { 90.0 * even }
        }))
    }

    #[test]
    fn a_known_share_is_found_and_lies_within_the_interval_as_often_as_promised() {
        for share in [0.3, 0.8, 0.95] {
            // In 200 trials the interval contains the true value 190 times on average, with a standard deviation of
            // 3.1.
            let held = (0..200).filter(|trial| {
                let seed = mix(trial + 1000);
                let random = simulated(5000, 0.0, seed);
                let sure = simulated(2000, 1.0, seed ^ 1);
                let right = share_of_matches(random, sure, simulated(1000, share, seed ^ 2)).unwrap();
                assert!((right.share - share).abs() < 0.12, "{share} {right:?}");
                (right.low..=right.high).contains(&share)
            });
            let held = held.count();
            assert!(held >= 178, "{share}: {held}");
        }
    }

    #[test]
    fn dates_are_days_apart_and_texts_are_equal_or_not() {
        let dates: Strings = ["2020-01-31", "1.2.2020", "", "2020"].into_iter().collect();
        let yardstick = Yardstick::new(Kind::Date, &dates, None);
        let difference = |left, right| yardstick.difference(Record(left), Record(right));
        // The first of February or the second of January: no day above 12 decides, so the month is first.
        assert_eq!(difference(0, 1), Some(29.0));
        assert_eq!((difference(0, 2), difference(0, 3)), (None, None));
        let codes: Strings = ["AB-1", "ab1", "ab2"].into_iter().collect();
        let yardstick = Yardstick::new(Kind::Code, &codes, None);
        let difference = |left, right| yardstick.difference(Record(left), Record(right));
        assert_eq!((difference(0, 1), difference(0, 2)), (Some(0.0), Some(1.0)));
    }
}
