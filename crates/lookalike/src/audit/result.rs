//! Computes how many removals are correct from labels: a row per band of similarity, by source, by super-shingles, and
//! all removals by their weight. (Henzinger 2006)

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::agreement::{Disagreement, Kappa, disagreements, kappas};
use super::labels::{Answer, Labels, PairKey};
use super::population::{BANDS, Population, Stratum, band};
use super::statistics::{self, Precision, Tally};
use crate::error::Result;
use crate::report::summary::Summary;

/// Name of the result file.
pub(crate) const AUDIT: &str = "audit.json";

/// Maximum number of disagreements to list.
const LISTED: usize = 1000;

/// The precision of a run, estimated from labels: the content of `audit.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AuditResult {
    /// The version that evaluated the labels.
    pub lookalike: String,
    /// Minimum similarity of near-duplicates in the run.
    pub threshold: f64,
    /// All documents that the run removed.
    pub removed_count: u64,
    /// Of these, exact copies of the kept document. They are correct without a label, and are in no row.
    pub exact_copy_count: u64,
    /// All other removals, with each stratum weighted by its share of removals.
    pub all: JudgedRow,
    /// The share of all removals that are correct, exact copies included.
    pub precision_with_exact_copies: Option<crate::Estimate>,
    /// By similarity, the lowest band first.
    pub bands: Vec<JudgedRow>,
    /// Documents of one source, and of two.
    pub sources: Vec<JudgedRow>,
    /// By the number of equal super-shingles, if the run compared these.
    pub super_shingles: Vec<JudgedRow>,
    /// Pairs of kept documents a little below the threshold. Their precision is the share of them that are the same: if
    /// it is high, the threshold could be lower.
    pub near_misses: Option<JudgedRow>,
    /// Removals of which most labelers say that something is lost.
    pub something_lost_count: u64,
    /// Removals of which most labelers say that the worse copy was kept.
    pub worse_kept_count: u64,
    /// Estimated number of additional labels that would halve the interval of all removals.
    pub label_count_to_halve: Option<u64>,
    /// Number of labeled pairs, by labeler.
    pub labelers: BTreeMap<String, u64>,
    /// Agreement of each pair of labelers.
    pub agreement: Vec<Kappa>,
    /// Pairs on which labelers disagree: the first of them.
    pub disagreements: Vec<Disagreement>,
    /// Labels of pairs that this run did not remove. They do not count.
    pub other_pair_count: u64,
}

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct JudgedRow {
    /// Description of the row, such as `0.80 to 0.85`.
    pub name: String,
    /// Number of pairs; `None` if they were not counted.
    pub pair_count: Option<u64>,
    /// Number of labeled pairs.
    pub labeled_count: u64,
    /// Of these, pairs that are the same.
    pub same_count: u64,
    /// Pairs that are different.
    pub different_count: u64,
    /// Pairs for which nobody can tell.
    pub cannot_tell_count: u64,
    /// The share of pairs that are the same; `None` without a label.
    pub precision: Option<Precision>,
}

/// The labeled pairs of a run.
struct Judged<'a> {
    labels: &'a Labels,
    tallies: BTreeMap<Stratum, Tally>,
}

impl AuditResult {
    /// Evaluates labels.
    pub(crate) fn new(folder: &Path, summary: &Summary, labels: &Labels) -> Result<Self> {
        let pairs: HashSet<PairKey> = labels.pairs().into_keys().cloned().collect();
        let population = Population::read(folder, 0, 0, &pairs)?;
        let judged = Judged::new(labels, &population);
        let of = |is_wanted: &dyn Fn(&Stratum) -> bool| -> Vec<Tally> {
            judged.tallies.iter().filter(|(stratum, _)| is_wanted(stratum)).map(|(_, tally)| *tally).collect()
        };
        let of_band = |band: u8| JudgedRow::new(&name(band), &of(&|stratum| stratum.band == band));
        let first_band = judged.tallies.keys().map(|stratum| stratum.band).min().unwrap_or(BANDS);
        let all = of(&|_| true);
        let row = JudgedRow::new("all but exact copies", &all);
        Ok(Self {
            lookalike: env!("CARGO_PKG_VERSION").to_owned(),
            threshold: summary.parameters.threshold,
            removed_count: population.removed,
            exact_copy_count: population.exact_copies,
            precision_with_exact_copies: row.precision.map(|precision| {
                with_copies(precision.estimate, population.exact_copies as f64 / population.removed.max(1) as f64)
            }),
            all: row,
            bands: (first_band..BANDS).map(of_band).collect(),
            sources: [(true, "same source"), (false, "other source")]
                .map(|(has_one, name)| JudgedRow::new(name, &of(&|stratum| stratum.has_one_source == has_one)))
                .to_vec(),
            super_shingles: judged.super_shingles(&population),
            near_misses: judged.near_misses(summary.parameters.threshold),
            something_lost_count: judged.count(&population, |label| label.something_lost),
            worse_kept_count: judged.count(&population, |label| label.worse_kept),
            label_count_to_halve: statistics::labels_to_halve(&all),
            labelers: labels.labelers().map(|(name, labels)| (name.to_owned(), labels.len() as u64)).collect(),
            agreement: kappas(labels),
            disagreements: disagreements(labels).into_iter().take(LISTED).collect(),
            other_pair_count: judged.other_pairs(&population),
        })
    }

    /// The tables of the result as part of a page.
    pub fn to_html(&self) -> lookalike_page::Html {
        super::page::section(self)
    }

    /// Number of labeled pairs of the run, including near misses.
    pub fn labeled(&self) -> u64 {
        self.all.labeled_count + self.near_misses.as_ref().map_or(0, |row| row.labeled_count)
    }
}

/// The precision of all removals, some of which are correct by definition.
fn with_copies(estimate: crate::Estimate, copies: f64) -> crate::Estimate {
    let of_all = |share: f64| copies + (1.0 - copies) * share;
    crate::Estimate { value: of_all(estimate.value), low: of_all(estimate.low), high: of_all(estimate.high) }
}

impl<'a> Judged<'a> {
    fn new(labels: &'a Labels, population: &Population) -> Self {
        let tally = |(stratum, size): (&Stratum, &u64)| (*stratum, Tally { population: *size, ..Tally::default() });
        let mut tallies: BTreeMap<Stratum, Tally> = population.sizes.iter().map(tally).collect();
        for (pair, stratum) in &population.strata_of {
            if let Some(tally) = tallies.get_mut(stratum) {
                tally.add(labels.answer(pair));
            }
        }
        Self { labels, tallies }
    }

    fn super_shingles(&self, population: &Population) -> Vec<JudgedRow> {
        let mut by_number: BTreeMap<u32, Tally> = BTreeMap::new();
        for (pair, facts) in self.labels.pairs() {
            let Some(number) = facts.equal_super_shingle_count.filter(|_| population.strata_of.contains_key(pair))
            else {
                continue;
            };
            by_number.entry(number).or_default().add(self.labels.answer(pair));
        }
        let row = |(number, tally): (u32, Tally)| {
            // The number of equal super-shingles is known only for pairs that were read again.
            let endless = Tally { population: u64::MAX / 2, ..tally };
            JudgedRow { pair_count: None, ..JudgedRow::new(&format!("{number}-sim"), &[endless]) }
        };
        by_number.into_iter().map(row).collect()
    }

    fn near_misses(&self, threshold: f64) -> Option<JudgedRow> {
        let mut tally = Tally::default();
        for (pair, _) in self.labels.pairs().into_iter().filter(|(_, facts)| facts.near_miss) {
            tally.add(self.labels.answer(pair));
        }
        let endless = Tally { population: u64::MAX / 2, ..tally };
        let name = format!("near misses, below {threshold}");
        (tally.labeled() > 0).then(|| JudgedRow { pair_count: None, ..JudgedRow::new(&name, &[endless]) })
    }

    /// Number of removals for which `says` holds for at least half of the labelers.
    fn count(&self, population: &Population, says: impl Fn(&super::labels::Label) -> bool) -> u64 {
        let is_said = |pair: &&PairKey| {
            let (said, all) =
                self.labels.of(pair).fold((0, 0), |(said, all), label| (said + u32::from(says(label)), all + 1));
            2 * said >= all && said > 0
        };
        population.strata_of.keys().filter(is_said).count() as u64
    }

    fn other_pairs(&self, population: &Population) -> u64 {
        let is_other = |(pair, facts): &(&PairKey, &super::labels::PairFacts)| {
            !facts.near_miss && !population.strata_of.contains_key(*pair)
        };
        self.labels.pairs().into_iter().filter(is_other).count() as u64
    }
}

impl Tally {
    fn add(&mut self, answer: Option<Answer>) {
        match answer {
            Some(Answer::Same) => self.same += 1,
            Some(Answer::Different) => self.different += 1,
            Some(Answer::CannotTell) => self.cannot_tell += 1,
            None => {}
        }
    }
}

impl JudgedRow {
    fn new(name: &str, tallies: &[Tally]) -> Self {
        let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum();
        Self {
            name: name.to_owned(),
            pair_count: Some(sum(|tally| tally.population)),
            labeled_count: sum(|tally| tally.labeled()),
            same_count: sum(|tally| tally.same),
            different_count: sum(|tally| tally.different),
            cannot_tell_count: sum(|tally| tally.cannot_tell),
            precision: statistics::precision(tallies),
        }
    }
}

/// Labels by the similarity of their pairs, both removed and near misses, to show where people start to consider two
/// documents different. The lowest band comes first.
///
/// # Errors
///
/// If a file cannot be read, or contains anything except labels.
pub fn labels_by_similarity(files: &[PathBuf]) -> Result<Vec<JudgedRow>> {
    let labels = Labels::read(files)?;
    let mut by_band: BTreeMap<u8, Tally> = BTreeMap::new();
    for (pair, facts) in labels.pairs() {
        by_band.entry(band(facts.similarity)).or_default().add(labels.answer(pair));
    }
    let row = |(band, tally): (u8, Tally)| {
        let endless = Tally { population: u64::MAX / 2, ..tally };
        JudgedRow { pair_count: None, ..JudgedRow::new(&name(band), &[endless]) }
    };
    Ok(by_band.into_iter().map(row).collect())
}

/// The name of a band in a row.
fn name(band: u8) -> String {
    let edge = |band: u8| f64::from(band) / f64::from(BANDS);
    format!("{:.2} to {:.2}", edge(band), edge(band + 1))
}
