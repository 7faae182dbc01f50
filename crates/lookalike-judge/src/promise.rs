//! Checks the two promises, from texts and what was removed from them.
//!
//! Promise 1: each removed text is a near-duplicate of a kept text, with the stated similarity. Promise 2: no two kept
//! texts are near-duplicates. Both are recomputed from the texts; no stated value is trusted.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use crate::join::pairs;
use crate::measure::{check_threshold, measure};
use crate::shingle::Shingle;

/// A claimed removal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removal {
    /// The position of the removed text.
    pub removed: usize,
    /// The position of the text that was kept instead.
    pub kept: usize,
    /// The stated similarity.
    pub jaccard: f64,
}

/// Returns one sentence for each violation of either promise; none if both hold.
///
/// ```
/// use lookalike_judge::{Removal, Shingle, broken_promises};
///
/// let texts = ["a b c", "a b c", "x y z"];
/// let removal = Removal { removed: 1, kept: 0, jaccard: 1.0 };
/// assert!(broken_promises(&texts, Shingle::Word(2), 0.8, &[removal]).is_empty());
///
/// let removal = Removal { removed: 1, kept: 2, jaccard: 1.0 };
/// assert_eq!(broken_promises(&texts, Shingle::Word(2), 0.8, &[removal]).len(), 2);
/// ```
///
/// # Panics
///
/// If `threshold` is not above 0 and at most 1.
pub fn broken_promises(
    texts: &[impl AsRef<str> + Sync],
    shingle: Shingle,
    threshold: f64,
    removals: &[Removal],
) -> Vec<String> {
    let mut broken = unsupported_removals(texts, shingle, threshold, removals);
    broken.extend(duplicates_left(texts, shingle, threshold, removals));
    broken
}

/// Promise 1: returns one sentence for each problem of a removal, in the order of the removals.
///
/// # Panics
///
/// If `threshold` is not above 0 and at most 1.
pub fn unsupported_removals(
    texts: &[impl AsRef<str> + Sync],
    shingle: Shingle,
    threshold: f64,
    removals: &[Removal],
) -> Vec<String> {
    check_threshold(threshold);
    let mut first_removal = HashMap::new();
    for (place, removal) in removals.iter().enumerate() {
        first_removal.entry(removal.removed).or_insert(place);
    }

    removals
        .par_iter()
        .enumerate()
        .flat_map_iter(|(place, removal)| {
            let Removal { removed, kept, .. } = *removal;
            let mut wrong = Vec::new();
            if first_removal[&removed] != place {
                wrong.push(format!("{removed} is removed more than once"));
            }
            if first_removal.contains_key(&kept) {
                wrong.push(format!("{removed} is removed for {kept}, which is itself removed"));
            }
            wrong.extend(wrong_similarity(texts, shingle, threshold, *removal));
            wrong
        })
        .collect()
}

fn wrong_similarity(texts: &[impl AsRef<str>], shingle: Shingle, threshold: f64, removal: Removal) -> Vec<String> {
    let Removal { removed, kept, jaccard: stated } = removal;
    let (Some(removed_text), Some(kept_text)) = (texts.get(removed), texts.get(kept)) else {
        return vec![format!("{removed} is removed for {kept}, but there are only {} texts", texts.len())];
    };

    let jaccard = measure(removed_text.as_ref(), kept_text.as_ref(), shingle).jaccard();
    let mut wrong = Vec::new();
    if jaccard < threshold {
        wrong.push(format!("{removed} is removed for {kept}, but their similarity {jaccard} is below {threshold}"));
    }
    // The same division of the same counts has the same bits, so there is no tolerance. A stated NaN has different bits
    // and is wrong too.
    if stated.to_bits() != jaccard.to_bits() {
        wrong.push(format!("{removed} is removed for {kept} with similarity {stated}, but it is {jaccard}"));
    }
    wrong
}

/// Promise 2: returns one sentence for each near-duplicate pair of kept texts.
///
/// # Panics
///
/// If `threshold` is not above 0 and at most 1.
pub fn duplicates_left(
    texts: &[impl AsRef<str> + Sync],
    shingle: Shingle,
    threshold: f64,
    removals: &[Removal],
) -> Vec<String> {
    let removed: HashSet<usize> = removals.iter().map(|removal| removal.removed).collect();
    let (kept, kept_texts): (Vec<usize>, Vec<&str>) =
        texts.iter().map(AsRef::as_ref).enumerate().filter(|(text, _)| !removed.contains(text)).unzip();

    pairs(&kept_texts, shingle, threshold)
        .iter()
        .map(|pair| {
            format!(
                "{} and {} are both kept, but their similarity {} is not below {threshold}",
                kept[pair.left],
                kept[pair.right],
                pair.measures.jaccard()
            )
        })
        .collect()
}
