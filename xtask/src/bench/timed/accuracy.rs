//! Compares the results of the command with the truth.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measure::measure;
use super::timing::output_folder;
use crate::bench::corpora::texts::Documents;
use crate::bench::corpora::truth::Truth;
use crate::pairs::{self, Pair, Pairs, share};

/// Accuracy of the results.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Accuracy {
    /// Number of true pairs.
    pub(in crate::bench) true_count: usize,
    /// Number of pairs that `pairs` found.
    pub(in crate::bench) found_count: usize,
    /// Number of true ones among them.
    pub(in crate::bench) right_count: usize,
    /// The largest difference between our similarity and the judge's.
    pub(in crate::bench) largest_difference: f64,
    /// Duration of `pairs` in seconds.
    pub(in crate::bench) pairs_seconds: f64,
    /// Number of documents that `dedup` removed.
    pub(in crate::bench) removed_count: usize,
    /// Number of those whose named kept document is not kept, or not similar enough.
    pub(in crate::bench) lost_count: usize,
    /// Number of true pairs of which both documents are kept.
    pub(in crate::bench) left_count: usize,
}

impl Accuracy {
    /// Share of the true pairs that were found.
    pub(in crate::bench) fn recall(&self) -> f64 {
        share(self.right_count, self.true_count)
    }

    /// Share of the found pairs that are true.
    pub(in crate::bench) fn precision(&self) -> f64 {
        share(self.right_count, self.found_count)
    }

    /// Share of the true pairs of which both documents are kept.
    pub(in crate::bench) fn left_share(&self) -> f64 {
        if self.true_count == 0 { 0.0 } else { self.left_count as f64 / self.true_count as f64 }
    }

    /// True if there are no false pairs or removals.
    pub(in crate::bench) fn is_sound(&self) -> bool {
        self.right_count == self.found_count && self.lost_count == 0
    }
}

/// One line of `removed.jsonl`.
#[derive(Deserialize)]
struct Removed {
    removed_id: String,
    kept_id: String,
}

/// Runs `lookalike pairs`, and reads the output of the last `lookalike dedup`.
pub(in crate::bench) fn judge(
    corpus: &Path,
    lookalike: &Path,
    folder: &Path,
    documents: &Documents,
    truth: &Truth,
) -> Result<Accuracy> {
    let out = folder.join("pairs.tsv");
    let mut command = Command::new(lookalike);
    command.arg("pairs").arg(corpus).args(["--id", "id", "--format", "tsv", "--threads", "2", "-o"]).arg(&out);
    if out.exists() {
        fs::remove_file(&out).with_context(|| format!("cannot remove {}", out.display()))?;
    }
    let pairs_seconds = measure(&command)?.seconds;
    let found = pairs::read(&out)?;

    let path = output_folder(folder).join("removed.jsonl");
    let removed = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let removed: Vec<Removed> = removed.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;

    let places = documents.places();
    let (right_count, largest_difference) = compare(&found, &places, truth);
    let (lost_count, left_count) = judge_removals(&removed, &places, truth);
    Ok(Accuracy {
        true_count: truth.len(),
        found_count: found.len(),
        right_count,
        largest_difference,
        pairs_seconds,
        removed_count: removed.len(),
        lost_count,
        left_count,
    })
}

/// The judge's similarity of two ids, if they are near-duplicates.
fn true_similarity(places: &HashMap<&str, usize>, truth: &Truth, one: &str, other: &str) -> Option<f64> {
    let (one, other) = (*places.get(one)?, *places.get(other)?);
    truth.get(&(one.min(other), one.max(other))).copied()
}

/// The number of true pairs, and the largest error of a similarity.
fn compare(found: &Pairs, places: &HashMap<&str, usize>, truth: &Truth) -> (usize, f64) {
    let differences = found.iter().filter_map(|((one, other), ours): (&Pair, &f64)| {
        true_similarity(places, truth, one, other).map(|theirs| (ours - theirs).abs())
    });
    differences.fold((0, 0.0), |(count, largest), difference| (count + 1, difference.max(largest)))
}

/// The number of unjustified removals, and of true pairs of which both documents are kept.
fn judge_removals(removed: &[Removed], places: &HashMap<&str, usize>, truth: &Truth) -> (usize, usize) {
    let gone: HashSet<usize> =
        removed.iter().filter_map(|removal| places.get(removal.removed_id.as_str()).copied()).collect();
    let is_for_nothing = |removal: &&Removed| {
        let is_kept = places.get(removal.kept_id.as_str()).is_some_and(|place| !gone.contains(place));
        !is_kept || true_similarity(places, truth, &removal.removed_id, &removal.kept_id).is_none()
    };
    let left_count = truth.keys().filter(|(left, right)| !gone.contains(left) && !gone.contains(right)).count();
    (removed.iter().filter(is_for_nothing).count(), left_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removal(removed: &str, kept: &str) -> Removed {
        Removed { removed_id: removed.into(), kept_id: kept.into() }
    }

    #[test]
    fn a_document_is_lost_when_what_is_kept_is_not_like_it() {
        let places = HashMap::from([("a", 0), ("b", 1), ("c", 2)]);
        // A chain: a matches b, b matches c, and a does not match c.
        let truth = Truth::from([((0, 1), 0.8), ((1, 2), 0.8)]);
        assert_eq!(judge_removals(&[removal("b", "a")], &places, &truth), (0, 0));
        assert_eq!(judge_removals(&[removal("b", "a"), removal("c", "a")], &places, &truth), (1, 0));
        assert_eq!(judge_removals(&[removal("b", "a"), removal("c", "b")], &places, &truth), (1, 0));
        assert_eq!(judge_removals(&[], &places, &truth), (0, 2));
    }

    #[test]
    fn a_found_pair_is_right_in_either_direction() {
        let places = HashMap::from([("z", 0), ("a", 1), ("c", 2)]);
        let found = Pairs::from([(pairs::pair("z", "a"), 0.75), (pairs::pair("a", "c"), 0.9)]);
        assert_eq!(compare(&found, &places, &Truth::from([((0, 1), 0.875)])), (1, 0.125));
    }
}
