//! Checks both promises without the program under test: the judge measures similarities from the texts.
//!
//! Properties that can be checked for all removals are checked for all; measurements use a sample. Promise 2 holds up
//! to a recall, so a share of the true pairs may be left.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lookalike_judge::{Shingle, measure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::bench::corpora::dice::Dice;
use crate::bench::corpora::quadratic::{Kind, Texts};
use crate::bench::{RECALL, SHINGLE, THRESHOLD};

/// Number of removals and of pairs to measure.
const SAMPLE: usize = 2_000;

/// The verdict on a run.
#[derive(Serialize, Deserialize)]
pub(super) struct Verdict {
    /// Documents removed, and kept.
    pub(super) removed: usize,
    pub(super) kept: usize,
    /// Number of removals that were measured again.
    pub(super) measured_removals: usize,
    /// Number of invalid removals, for any reason.
    pub(super) wrong_removals: usize,
    /// The first problem.
    pub(super) example: Option<String>,
    /// Number of measured pairs of kept documents, and of near-duplicates among them.
    pub(super) measured_kept_pairs: usize,
    pub(super) near_duplicates_kept: usize,
    /// Estimated share of the corpus's near-duplicate pairs that is left.
    pub(super) left_share: f64,
    /// Mean similarity of the measured pairs of kept documents.
    pub(super) mean_similarity_kept: Option<f64>,
}

impl Verdict {
    /// True if both promises hold.
    pub(super) fn holds(&self) -> bool {
        self.wrong_removals == 0 && self.left_share <= 1.0 - RECALL
    }
}

/// One line of `removed.jsonl`.
#[derive(Deserialize)]
struct Line<'a> {
    removed_id: &'a str,
    kept_id: &'a str,
    jaccard: f64,
}

/// A removed document, by numbers.
struct Removal {
    removed: usize,
    kept: usize,
    jaccard: f64,
}

/// Checks the removals of a run on a corpus of this many documents.
pub(super) fn judge(texts: &Texts, kind: Kind, size: usize, removed_file: &Path) -> Result<Verdict> {
    let removals = read(removed_file, size)?;
    let shingle: Shingle = SHINGLE.parse()?;
    let similarity =
        |one: usize, other: usize| measure(&texts.text(kind, one), &texts.text(kind, other), shingle).jaccard();
    let mut gone = vec![false; size];
    let mut wrong: Vec<String> = Vec::new();
    for removal in &removals {
        if std::mem::replace(&mut gone[removal.removed], true) {
            wrong.push(format!("{} is removed twice", removal.removed));
        }
    }
    for Removal { removed, kept, jaccard } in &removals {
        if gone[*kept] {
            wrong.push(format!("{removed} is removed for {kept}, which is removed itself"));
        }
        if *jaccard < THRESHOLD {
            wrong.push(format!("{removed} is removed for {kept}, which is as like as {jaccard}"));
        }
    }
    let sample = sample(removals.len());
    // The same division of the same counts has the same bits, so there is no tolerance.
    wrong.par_extend(sample.par_iter().filter_map(|place| {
        let Removal { removed, kept, jaccard } = removals[*place];
        let measured = similarity(removed, kept);
        (measured.to_bits() != jaccard.to_bits())
            .then(|| format!("{removed} is removed for {kept} with {jaccard}, but it is {measured}"))
    }));

    let kept: Vec<usize> = (0..size).filter(|number| !gone[*number]).collect();
    let pairs = kept_pairs(kind, &kept);
    let similarities: Vec<f64> = pairs.par_iter().map(|(one, other)| similarity(*one, *other)).collect();
    let near_duplicates_kept = similarities.iter().filter(|similarity| **similarity >= THRESHOLD).count();
    let pair_count = pair_count(kind, &kept);
    let left = near_duplicates_kept as f64 / pairs.len().max(1) as f64 * pair_count as f64;
    let true_pairs = kind.true_pairs(size);
    Ok(Verdict {
        removed: removals.len(),
        kept: kept.len(),
        measured_removals: sample.len(),
        wrong_removals: wrong.len(),
        example: wrong.into_iter().next(),
        measured_kept_pairs: pairs.len(),
        near_duplicates_kept,
        // If there are no near-duplicates, none can be left.
        left_share: if left > 0.0 { left / true_pairs.max(1.0) } else { 0.0 },
        mean_similarity_kept: (!pairs.is_empty()).then(|| similarities.iter().sum::<f64>() / pairs.len() as f64),
    })
}

fn read(file: &Path, size: usize) -> Result<Vec<Removal>> {
    let lines = BufReader::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?);
    let number = |id: &str| -> Result<usize> {
        let number = id.parse()?;
        ensure!(number < size, "{number} is no document");
        Ok(number)
    };
    lines
        .lines()
        .map(|line| {
            let line = line?;
            let line: Line<'_> = serde_json::from_str(&line)?;
            Ok(Removal { removed: number(line.removed_id)?, kept: number(line.kept_id)?, jaccard: line.jaccard })
        })
        .collect::<Result<_>>()
        .with_context(|| file.display().to_string())
}

/// Some positions below `count`, or all of them if there are few.
fn sample(count: usize) -> Vec<usize> {
    if count <= SAMPLE {
        return (0..count).collect();
    }
    let mut dice = Dice::new(count as u64);
    let mut chosen = HashSet::new();
    while chosen.len() < SAMPLE {
        chosen.insert(dice.below(count));
    }
    let mut chosen: Vec<usize> = chosen.into_iter().collect();
    chosen.sort_unstable();
    chosen
}

/// Number of pairs of kept documents from which a sample is drawn: in a chain only adjacent ones are near-duplicates.
fn pair_count(kind: Kind, kept: &[usize]) -> usize {
    match kind {
        Kind::Chain => kept.windows(2).filter(|pair| pair[0] + 1 == pair[1]).count(),
        _ => kept.len() * kept.len().saturating_sub(1) / 2,
    }
}

/// Pairs of kept documents: in a chain all adjacent ones that are both kept; otherwise a sample, or all if there are
/// few.
fn kept_pairs(kind: Kind, kept: &[usize]) -> Vec<(usize, usize)> {
    if kind == Kind::Chain {
        return kept.windows(2).filter(|pair| pair[0] + 1 == pair[1]).map(|pair| (pair[0], pair[1])).collect();
    }
    if pair_count(kind, kept) <= SAMPLE {
        let pairs =
            kept.iter().enumerate().flat_map(|(place, one)| kept[..place].iter().map(move |other| (*other, *one)));
        return pairs.collect();
    }
    let mut dice = Dice::new(kept.len() as u64);
    let draw = |dice: &mut Dice| {
        let one = dice.below(kept.len());
        let other = dice.below(kept.len() - 1);
        (kept[one], kept[other + usize::from(other >= one)])
    };
    (0..SAMPLE).map(|_| draw(&mut dice)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn verdict(kind: Kind, size: usize, removals: &[(usize, usize, f64)]) -> Verdict {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line = |(removed, kept, jaccard): &(usize, usize, f64)| {
            format!("{{\"removed_id\":\"{removed}\",\"kept_id\":\"{kept}\",\"jaccard\":{jaccard:?}}}\n")
        };
        fs::write(file.path(), removals.iter().map(line).collect::<String>()).unwrap();
        judge(&Texts::new(), kind, size, file.path()).unwrap()
    }

    #[test]
    fn a_right_answer_holds() {
        assert!(verdict(Kind::Copies, 3, &[(1, 0, 1.0), (2, 0, 1.0)]).holds());
        assert!(verdict(Kind::Chain, 4, &[(1, 0, 87.0 / 105.0), (3, 2, 87.0 / 105.0)]).holds());
        assert!(verdict(Kind::Boilerplate, 50, &[]).holds());
    }

    #[test]
    fn each_kind_of_wrong_answer_is_seen() {
        let neighbors = 87.0 / 105.0;
        // A wrong similarity; a kept one that is not kept; a repeated removal; one that is not similar.
        for removals in [
            vec![(1, 0, 0.9), (3, 2, neighbors)],
            vec![(1, 0, neighbors), (2, 1, neighbors)],
            vec![(1, 0, neighbors), (1, 2, neighbors)],
            vec![(2, 0, 78.0 / 114.0), (1, 0, neighbors)],
        ] {
            assert!(verdict(Kind::Chain, 4, &removals).wrong_removals > 0, "{removals:?}");
        }
        let left = verdict(Kind::Chain, 4, &[]);
        assert_eq!((left.wrong_removals, left.near_duplicates_kept), (0, 3));
        assert!(!left.holds());
    }
}
