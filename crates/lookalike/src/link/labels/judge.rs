//! Comparison of a result with a known answer: counts, and the wrong or missed pairs with their reasons.

use std::collections::{BTreeMap, HashMap, HashSet};

use lookalike_core::ids::{Number, Record};
use lookalike_core::link::score::Scored;

use super::super::output::{Output, PairRows, texts};
use super::super::rows::JudgedMatch;
use super::super::{Found, Linking};
use super::answer::Answer;
use super::thresholds::{calibration, thresholds};
use super::{Accuracy, Labels, LabelsReport};
use crate::error::Result;
use crate::output::sink::Sink;

/// Pairs of each kind that are written with their reasons.
const MOST_WRITTEN: usize = 100_000;

/// Comparison of a result with a known answer.
pub(in crate::link) struct Judged {
    pub(in crate::link) report: LabelsReport,
    pub(in crate::link) pairs: JudgedPairs,
}

/// Pairs for which a known answer contradicts the weights.
#[derive(Default)]
pub(in crate::link) struct JudgedPairs {
    /// The surest first.
    pub(in crate::link) wrong: Vec<Scored>,
    /// In the order of the records, each with why it was missed.
    pub(in crate::link) missed: Vec<(Scored, &'static str)>,
}

/// Counts over all judged pairs.
struct Counts {
    matches: Accuracy,
    clusters: Option<Accuracy>,
    wrong: Vec<Scored>,
    missed: Vec<(Record, Record)>,
}

impl Labels {
    /// Judges matches and clusters.
    pub(in crate::link) fn judge(&self, linking: &Linking, found: &Found, cluster_of: &[u64]) -> Judged {
        let groups = Groups { is_two: linking.records.are_of_two_tables(), first_count: linking.records.first_count() };
        let Counts { matches, clusters, wrong, missed } = match &self.answer {
            Answer::Labeled(_) => labeled(linking, found.threshold),
            _ => self.complete(&found.by_weights, cluster_of, groups),
        };
        let scorer = linking.scorer();
        let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
        let explained = |(left, right): (Record, Record)| {
            let pair = scorer.score(left, right);
            let reason = why_missed(linking, &pair, found.threshold);
            *reasons.entry(reason.to_owned()).or_default() += 1;
            (pair, reason)
        };
        let pairs = JudgedPairs { wrong, missed: missed.into_iter().map(explained).collect() };
        let says = |pair: &Scored| self.answer.says(pair.left, pair.right);
        let judged: Vec<(Scored, bool)> =
            found.considered(linking).iter().filter_map(|pair| Some((*pair, says(pair)?))).collect();
        let (by_threshold, by_band) = if matches!(self.answer, Answer::Labeled(_)) {
            let labels = &linking.from_labels;
            let stated =
                labels.probabilities.iter().zip(&labels.labels).map(|(stated, label)| (*stated, label.is_same));
            (Vec::new(), calibration(stated))
        } else {
            let truth = matches.right_count + matches.missed_count;
            (
                thresholds(&judged, truth),
                calibration(judged.iter().map(|(pair, is_right)| (pair.probability(), *is_right))),
            )
        };
        let report = LabelsReport {
            matches,
            clusters,
            learned: linking.from_labels.report,
            not_judged_count: found.by_weights.iter().filter(|pair| says(pair).is_none()).count() as u64,
            unknown_row_count: self.unknown_row_count,
            missed: reasons,
            thresholds: by_threshold,
            calibration: by_band,
        };
        Judged { report, pairs }
    }

    /// Judges by an answer that is about all pairs.
    fn complete(&self, matches: &[Scored], cluster_of: &[u64], groups: Groups) -> Counts {
        let said = |found: &&Scored, is: bool| self.answer.says(found.left, found.right) == Some(is);
        let right = matches.iter().filter(|found| said(found, true)).count() as u64;
        let wrong: Vec<Scored> = matches.iter().filter(|found| said(found, false)).copied().collect();
        let truth = match &self.answer {
            Answer::Clusters(of) => groups.pairs(of.iter().copied()),
            Answer::Pairs(pairs) => pairs.len() as u64,
            Answer::Labeled(_) => unreachable!("only some pairs have a label"),
        };
        let is_together = |(left, right): &&(Record, Record)| cluster_of[left.index()] == cluster_of[right.index()];
        let (together, found_together) = match &self.answer {
            Answer::Clusters(of) => {
                let both = of.iter().zip(cluster_of).map(|(label, of)| Some((label.as_ref().copied()?, *of)));
                let judged = of.iter().zip(cluster_of).map(|(label, of)| label.map(|_| *of));
                (groups.pairs(both), groups.pairs(judged))
            }
            Answer::Pairs(pairs) => {
                let together = pairs.iter().filter(is_together).count() as u64;
                (together, groups.pairs(cluster_of.iter().map(|of| Some(*of))))
            }
            Answer::Labeled(_) => unreachable!("only some pairs have a label"),
        };
        Counts {
            matches: Accuracy::new(right, right + wrong.len() as u64, truth),
            clusters: Some(Accuracy::new(together, found_together, truth)),
            wrong,
            missed: self.missed(matches, groups),
        }
    }

    /// The first true pairs that are not matches, in the order of the records.
    fn missed(&self, matches: &[Scored], groups: Groups) -> Vec<(Record, Record)> {
        let found: HashSet<(Record, Record)> = matches.iter().map(|found| (found.left, found.right)).collect();
        let mut missed: Vec<(Record, Record)> = match &self.answer {
            Answer::Clusters(of) => {
                let mut members: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
                for (record, of) in (0..).map(Record).zip(of) {
                    of.iter().for_each(|of| members.entry(*of).or_default().push(record));
                }
                let pairs = members.values().flat_map(|members| {
                    let lefts = members.iter().enumerate();
                    lefts.flat_map(|(at, left)| members[at + 1..].iter().map(move |right| (*left, *right)))
                });
                let missed = pairs.filter(|pair| groups.are_compared(*pair) && !found.contains(pair));
                missed.take(MOST_WRITTEN).collect()
            }
            Answer::Pairs(pairs) => pairs.difference(&found).copied().collect(),
            Answer::Labeled(_) => Vec::new(),
        };
        missed.sort_unstable();
        missed.truncate(MOST_WRITTEN);
        missed
    }
}

/// Judges each label by weights that were learned without it: those that know it would only repeat it.
fn labeled(linking: &Linking, threshold: f64) -> Counts {
    let (scorer, labels) = (linking.scorer(), &linking.from_labels);
    let (mut right, mut same, mut wrong, mut missed) = (0, 0, Vec::new(), Vec::new());
    for (label, probability) in labels.labels.iter().zip(&labels.probabilities) {
        same += u64::from(label.is_same);
        match (label.is_same, *probability >= threshold) {
            (true, true) => right += 1,
            (false, true) => wrong.push(scorer.score(label.left, label.right)),
            (true, false) => missed.push((label.left, label.right)),
            (false, false) => {}
        }
    }
    Counts { matches: Accuracy::new(right, right + wrong.len() as u64, same), clusters: None, wrong, missed }
}

impl JudgedPairs {
    /// Writes what is wrong and what was missed, with the reason.
    pub(in crate::link) fn write(&self, linking: &Linking, cluster_of: &[u64], output: &Output<'_>) -> Result<()> {
        let scorer = linking.scorer();
        let pairs = PairRows::new(output.made, &scorer);
        let names = [vec!["reason".to_owned(), "in_cluster".to_owned()], pairs.names()].concat();
        let row = |found: &Scored, reason: String| JudgedMatch {
            reason,
            in_cluster: cluster_of[found.left.index()] == cluster_of[found.right.index()],
            pair: pairs.row(found),
        };
        let write = |name: &str, rows: Vec<JudgedMatch>| {
            output.write(name, |file| {
                Sink::<JudgedMatch>::start(file, &texts(&names))?;
                file.take(rows)?;
                Sink::<JudgedMatch>::finish(file)
            })
        };
        let wrong = self.wrong.iter().take(MOST_WRITTEN);
        write("wrong.csv", wrong.map(|found| row(found, pairs.strongest(found, 1.0))).collect())?;
        let missed = self.missed.iter().map(|(found, reason)| {
            let against = pairs.strongest(found, -1.0);
            let reason = if against.is_empty() { (*reason).to_owned() } else { format!("{reason}: {against}") };
            row(found, reason)
        });
        write("missed.csv", missed.collect())
    }
}

/// Returns the reason why a true pair is not a match.
fn why_missed(linking: &Linking, found: &Scored, threshold: f64) -> &'static str {
    let candidates = &linking.candidates;
    let pair = (found.left, found.right);
    let (mut low, mut high) = (0, candidates.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if candidates.pair(middle) < pair { low = middle + 1 } else { high = middle }
    }
    let is_candidate = low < candidates.len() && candidates.pair(low) == pair;
    if !is_candidate {
        "not compared"
    } else if found.probability() < threshold {
        "below the threshold"
    } else {
        "a better match was taken"
    }
}

/// Restricts pairs to those that count.
#[derive(Clone, Copy)]
struct Groups {
    is_two: bool,
    first_count: usize,
}

impl Groups {
    fn are_compared(self, (left, right): (Record, Record)) -> bool {
        !self.is_two || left.index() < self.first_count && right.index() >= self.first_count
    }

    /// Counts the pairs within the same group.
    fn pairs<K: std::hash::Hash + Eq>(self, group_of: impl Iterator<Item = Option<K>>) -> u64 {
        let mut counts: HashMap<K, [u64; 2]> = HashMap::new();
        for (record, group) in group_of.enumerate() {
            let side = usize::from(self.is_two && record >= self.first_count);
            group.into_iter().for_each(|group| counts.entry(group).or_default()[side] += 1);
        }
        let pairs = |[first, second]: &[u64; 2]| {
            if self.is_two { first * second } else { first * first.saturating_sub(1) / 2 }
        };
        counts.values().map(pairs).sum()
    }
}
