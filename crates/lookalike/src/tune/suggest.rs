//! Suggests a threshold for a corpus: in the gap between near-duplicates and merely similar texts.

use lookalike_page::number;
use serde::Serialize;

use super::pairs::EDGES;
use crate::statistics::Estimate;

/// The threshold that is appropriate for most corpora.
pub(super) const DEFAULT: f64 = 0.8;

/// Minimum ratio of the pairs on either side of a valley to those in it.
const DEPTH: f64 = 2.0;

/// There are few pairs below the default if there are this many times as many above it.
const FEW: f64 = 10.0;

/// A suggested threshold, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Suggestion {
    /// The threshold.
    pub threshold: f64,
    /// True if it is in such a gap; if not, it is the default.
    pub valley: bool,
    /// The reason, in one sentence.
    pub reason: String,
}

/// Suggests a threshold from the number of pairs of distinct texts in each step. Copies do not matter: every threshold
/// finds them.
///
/// The explanation uses the same counts as the table of pairs: `or_more` has the pairs from each edge upwards,
/// including copies, and finally those of similarity 1.
pub(super) fn suggest(steps: &[Estimate; EDGES.len()], or_more: &[u64]) -> Suggestion {
    let is_low = |at: &usize| {
        let most = |of: &[Estimate]| of.iter().map(|step| step.low).fold(0.0, f64::max);
        // A pair or two on either side are not a peak.
        DEPTH * steps[*at].high.max(1.0) <= most(&steps[..*at]).min(most(&steps[at + 1..]))
    };
    let lowest =
        (1..EDGES.len()).filter(is_low).min_by(|left, right| steps[*left].value.total_cmp(&steps[*right].value));
    let from = |at: usize| or_more.get(at).copied().unwrap_or(0);
    let between = |start: usize, end: usize| number::count(from(start).saturating_sub(from(end)));
    let sum = |of: &[Estimate]| of.iter().map(|step| step.value).sum::<f64>();
    let Some(lowest) = lowest else {
        let at_default = EDGES.iter().position(|edge| *edge >= DEFAULT).unwrap_or(0);
        let (below, above) = (sum(&steps[..at_default]), sum(&steps[at_default..]));
        let reason = if below + above < 0.5 {
            format!("the default; no different texts reach a similarity of {}", EDGES[0])
        } else if FEW * below <= above {
            let (below, above) = (between(0, at_default), number::count(from(at_default)));
            let edge = EDGES[at_default];
            format!(
                "the default; few pairs are just below it (about {below} from {} to {edge}, and {above} of {edge} or more)",
                EDGES[0]
            )
        } else {
            "the default, since no gap separates near-duplicates from texts that are merely similar".to_owned()
        };
        return Suggestion { threshold: DEFAULT, valley: false, reason };
    };
    // The whole valley, including adjacent steps that are almost as low.
    let is_floor = |at: &usize| is_low(at) && steps[*at].value <= steps[lowest].high.max(1.0);
    let start = (1..lowest).rev().take_while(is_floor).last().unwrap_or(lowest);
    let end = (lowest + 1..EDGES.len()).take_while(is_floor).last().unwrap_or(lowest);
    let edge = |at: usize| EDGES.get(at).copied().unwrap_or(1.0);
    let reason = format!(
        "the fewest pairs are between {:.2} and {:.2} (about {}), with about {} from {} to {:.2}, and {} of {:.2} or more",
        edge(start),
        edge(end + 1),
        between(start, end + 1),
        between(0, start),
        EDGES[0],
        edge(start),
        number::count(from(end + 1)),
        edge(end + 1),
    );
    // The middle, or the upper edge if there is none, since merely similar texts should be kept. A threshold of 1 would
    // find only copies.
    let middle = (start + end + 2) / 2;
    Suggestion { threshold: EDGES[middle.min(EDGES.len() - 1)], valley: true, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With ten pairs of copies.
    fn suggested(counts: [f64; EDGES.len()]) -> Suggestion {
        let from = |at: usize| counts[at..].iter().sum::<f64>() as u64 + 10;
        let or_more: Vec<u64> = (0..=EDGES.len()).map(from).collect();
        suggest(&counts.map(Estimate::exactly), &or_more)
    }

    #[test]
    fn the_threshold_lies_in_the_valley() {
        let wide = suggested([900.0, 400.0, 90.0, 20.0, 1.0, 1.0, 30.0, 80.0, 200.0, 300.0]);
        assert!((wide.threshold - 0.75).abs() < 1e-9 && wide.valley, "{wide:?}");
        assert_eq!(
            wide.reason,
            "the fewest pairs are between 0.70 and 0.80 (about 2), with about 1,410 from 0.5 to 0.70, and 620 of 0.80 or more"
        );
        let narrow = suggested([50.0, 40.0, 30.0, 20.0, 20.0, 5.0, 30.0, 80.0, 20.0, 30.0]);
        assert!((narrow.threshold - 0.8).abs() < 1e-9 && narrow.valley, "{narrow:?}");
    }

    #[test]
    fn without_a_valley_it_is_the_default_and_says_so() {
        for (counts, said) in [
            ([0.0; EDGES.len()], "no different texts"),
            ([90.0, 80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 10.0, 5.0], "no gap"),
            (
                [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0, 40.0, 90.0, 200.0],
                "few pairs are just below it (about 1 from 0.5 to 0.8, and 345 of 0.8 or more)",
            ),
        ] {
            let suggestion = suggested(counts);
            assert!((suggestion.threshold - DEFAULT).abs() < 1e-9 && !suggestion.valley);
            assert!(suggestion.reason.contains(said), "{}", suggestion.reason);
        }
    }

    #[test]
    fn a_valley_that_may_be_an_error_of_the_estimate_is_none() {
        let mut steps = [Estimate::exactly(100.0); EDGES.len()];
        steps[4] = Estimate { value: 10.0, low: 0.0, high: 120.0 };
        assert!(!suggest(&steps, &[]).valley);
        steps[4].high = 40.0;
        assert!(suggest(&steps, &[]).valley);
    }
}
