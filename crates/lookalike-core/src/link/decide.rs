//! Scores to a decision: the threshold that the data suggests, matches, and clusters that one weak link does not chain.

use std::cmp::Ordering;

use super::records::Records;
use super::score::{Scored, Scorer};

/// The probability from which on the matches are expected to have the best F1.
pub fn suggest_threshold(scored: &[Scored]) -> f64 {
    let mut probabilities: Vec<f64> = scored.iter().map(Scored::probability).collect();
    probabilities.sort_unstable_by(|a, b| b.total_cmp(a));
    let total: f64 = probabilities.iter().sum();
    let (mut best, mut threshold, mut right) = (0.0, 0.5, 0.0);
    for (count, probability) in (1..).zip(&probabilities) {
        right += probability;
        let expected = 2.0 * right / (f64::from(count) + total);
        if expected > best {
            (best, threshold) = (expected, *probability);
        }
    }
    threshold.clamp(0.1, 0.99)
}

/// Best first; ties by content, never by row.
pub fn best_first(records: &Records, scored: &mut [Scored]) {
    scored.sort_by(|a, b| compare_scored(records, a, b));
}

fn compare_scored(records: &Records, a: &Scored, b: &Scored) -> Ordering {
    let contents = |scored: &Scored| {
        let (left, right) = (records.content(scored.left), records.content(scored.right));
        if records.are_of_two_tables() { (left, right) } else { (left.min(right), left.max(right)) }
    };
    b.weight.total_cmp(&a.weight).then_with(|| contents(a).cmp(&contents(b)))
}

/// Keeps, best first, pairs of records that both have no better match.
pub fn one_to_one(records: &Records, scored: &[Scored]) -> Vec<Scored> {
    let mut sorted = scored.to_vec();
    best_first(records, &mut sorted);
    let mut is_taken = vec![false; records.count()];
    sorted.retain(|pair| {
        let is_free = !is_taken[pair.left as usize] && !is_taken[pair.right as usize];
        is_taken[pair.left as usize] |= is_free;
        is_taken[pair.right as usize] |= is_free;
        is_free
    });
    sorted
}

/// Joins matches to clusters, best first. Two clusters become one only when their members agree on the whole.
pub fn clusters(scorer: &Scorer<'_>, matches: &[Scored]) -> Vec<Vec<u32>> {
    let records = scorer.records;
    let mut sorted = matches.to_vec();
    best_first(records, &mut sorted);
    let mut cluster_of: Vec<u32> = (0..records.count() as u32).collect();
    let mut members: Vec<Vec<u32>> = (0..records.count() as u32).map(|record| vec![record]).collect();
    for pair in &sorted {
        let [a, b] = [pair.left, pair.right].map(|record| cluster_of[record as usize]);
        if a == b {
            continue;
        }
        let (from, into) = if members[a as usize].len() < members[b as usize].len() { (a, b) } else { (b, a) };
        if !agree(scorer, &members[from as usize], &members[into as usize]) {
            continue;
        }
        let moved = std::mem::take(&mut members[from as usize]);
        moved.iter().for_each(|record| cluster_of[*record as usize] = into);
        members[into as usize].extend(moved);
        members[into as usize].sort_unstable_by_key(|record| records.content(*record));
    }
    members.retain(|members| !members.is_empty());
    members
}

/// Members of each side that are looked at.
const MOST_MEMBERS: usize = 20;

fn agree(scorer: &Scorer<'_>, left: &[u32], right: &[u32]) -> bool {
    if left.len() == 1 && right.len() == 1 {
        return true;
    }
    let [left, right] = [left, right].map(|side| &side[..side.len().min(MOST_MEMBERS)]);
    let said: f64 = left.iter().flat_map(|a| right.iter().map(|b| scorer.evidence(*a, *b))).sum();
    said >= -scorer.model.prior * super::weigh::param("CL", 0.8) * (left.len() * right.len()) as f64
}
