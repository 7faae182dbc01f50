//! A threshold for a corpus, by where its pairs are: in the valley between near-duplicates and what is merely similar.

use serde::Serialize;

use super::interval::Estimate;
use super::pairs::EDGES;

/// The threshold that is right for most corpora.
pub(super) const DEFAULT: f64 = 0.8;

/// How many times as many pairs there are on either side of a valley, at least.
const DEPTH: f64 = 2.0;

/// A threshold, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The threshold.
    pub threshold: f64,
    /// Whether it lies in a valley; if not, it is the default.
    pub is_valley: bool,
    /// Why, in a sentence.
    pub reason: String,
}

/// Suggests a threshold by the pairs in each step; `equal` is how many are wholly the same.
pub(super) fn suggest(steps: &[Estimate; EDGES.len()], equal: Estimate) -> Suggestion {
    let is_low = |at: &usize| {
        let most = |of: &[Estimate]| of.iter().map(|step| step.low).fold(0.0, f64::max);
        let (below, above) = (most(&steps[..*at]), most(&steps[at + 1..]).max(equal.low));
        // A pair or two on either side are no hills.
        DEPTH * steps[*at].high.max(1.0) <= below.min(above)
    };
    let lowest = (1..EDGES.len()).filter(is_low).min_by(|left, right| steps[*left].value.total_cmp(&steps[*right].value));
    let count = |value: f64| format!("{value:.0}");
    let Some(lowest) = lowest else {
        let all: f64 = steps.iter().map(|step| step.value).sum::<f64>() + equal.value;
        let reason = if all < 0.5 {
            format!("no pairs reach a similarity of {}, so that the default does no harm", EDGES[0])
        } else {
            "there is no gap between near-duplicates and what is merely similar, so this is the default".to_owned()
        };
        return Suggestion { threshold: DEFAULT, is_valley: false, reason };
    };
    // All of the valley: its neighbours that are as good as empty too.
    let is_floor = |at: &usize| is_low(at) && steps[*at].value <= steps[lowest].high.max(1.0);
    let start = (1..lowest).rev().take_while(is_floor).last().unwrap_or(lowest);
    let end = (lowest + 1..EDGES.len()).take_while(is_floor).last().unwrap_or(lowest);
    let edge = |at: usize| EDGES.get(at).copied().unwrap_or(1.0);
    let sum = |of: &[Estimate]| of.iter().map(|step| step.value).sum::<f64>();
    let reason = format!(
        "pairs are fewest from {:.2} to {:.2} (about {}), with about {} below, from {} on, and {} above",
        edge(start),
        edge(end + 1),
        count(sum(&steps[start..=end])),
        count(sum(&steps[..start])),
        EDGES[0],
        count(sum(&steps[end + 1..]) + equal.value),
    );
    // The middle, or the upper edge where there is none, since what is merely similar should stay. One itself would mean copies alone.
    let middle = (start + end + 2) / 2;
    Suggestion { threshold: EDGES[middle.min(EDGES.len() - 1)], is_valley: true, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(counts: [f64; EDGES.len()], equal: f64) -> (f64, bool) {
        let suggestion = suggest(&counts.map(Estimate::exactly), Estimate::exactly(equal));
        (suggestion.threshold, suggestion.is_valley)
    }

    #[test]
    fn the_threshold_lies_in_the_valley() {
        assert_eq!(suggested([900.0, 400.0, 90.0, 20.0, 1.0, 1.0, 30.0, 80.0, 200.0, 300.0], 10.0), (0.75, true));
        assert_eq!(suggested([50.0, 40.0, 30.0, 20.0, 20.0, 5.0, 30.0, 80.0, 20.0, 30.0], 0.0), (0.8, true));
        // Copies are a hill as well.
        assert_eq!(suggested([50.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 70.0).1, true);
    }

    #[test]
    fn without_a_valley_it_is_the_default() {
        assert_eq!(suggested([0.0; EDGES.len()], 0.0), (0.8, false));
        assert_eq!(suggested([90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 10.0, 5.0], 0.0), (0.8, false));
        assert_eq!(suggested([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 40.0, 90.0, 200.0], 50.0), (0.8, false));
    }

    #[test]
    fn a_valley_that_may_be_an_error_of_the_estimate_is_none() {
        let sure = Estimate::exactly(100.0);
        let mut steps = [sure; EDGES.len()];
        steps[4] = Estimate { value: 10.0, low: 0.0, high: 120.0 };
        assert!(!suggest(&steps, sure).is_valley);
        steps[4].high = 40.0;
        assert!(suggest(&steps, sure).is_valley);
    }
}
