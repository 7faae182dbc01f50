//! Finds similar sets of any kind: baskets, sessions, fans of films, visitors of sites.
//!
//! ```text
//! read → join, sketch or look for the nearest → write
//! ```

mod delimiter;
mod find;
mod gather;
mod idf;
mod lines;
mod need;
mod read;
mod rows;
mod table;
mod write;

use std::io::Write;
use std::path::PathBuf;

use lookalike_core::hash::Key;
use lookalike_core::join::{Measure, Nearest, Neighbors, Sets, WeightedItem, WeightedSets, matches_by_one};
use lookalike_core::measure::similarity::Threshold;
use serde::Serialize;

pub use delimiter::Delimiter;
pub use rows::SetPair;

use self::find::{Around, By, Finder, Joined};
use self::gather::Collection;
use self::idf::Rarity;
use self::need::Need;
use self::read::read;
use self::rows::Measures;
use self::write::{Pairs, Target};
use crate::error::{Result, until_closed};
use crate::options::{Finding, SetsOptions};
use crate::output::sink::Sink;
use crate::progress::Progress;
use crate::report::summary::{SkippedEntry, Stage};
use crate::run::stages::Stages;

/// Number of steps of similarity in histograms.
pub const SIMILARITY_STEPS: usize = 20;

/// Result of a run of `sets`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SetsReport {
    /// Number of sets.
    pub set_count: u64,
    /// Number of sets in a second collection, if there is one.
    pub reference_count: Option<u64>,
    /// Number of sets without elements, which match nothing.
    pub empty_count: u64,
    /// The apparent delimiter of elements, if none was given and it is not white space.
    pub delimiter: Option<Delimiter>,
    /// Number of pairs that were found.
    pub pair_count: u64,
    /// Number of these pairs by similarity: from 0, in steps of 0.05; the last are pairs of equal sets.
    pub by_similarity: [u64; SIMILARITY_STEPS + 1],
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// Number of rows that were skipped.
    pub skipped_count: u64,
    /// The first skipped rows, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// Writes the pairs of similar sets, sorted by left and then right, in input order; or the nearest neighbors of each
/// set, nearest first.
///
/// # Errors
///
/// If an input cannot be read, has no sets or lacks the requested columns, or `writer` fails.
pub fn sets(options: &SetsOptions, writer: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<SetsReport> {
    run(options, Target::Lines(options.format, writer), progress)
}

/// Finds pairs like [`sets()`], and passes them to a sink as typed rows.
///
/// ```
/// use lookalike::core::table::Table;
/// use lookalike::{MemoryTable, SetPair, SetsRequest, Silent};
///
/// let mut baskets = Table::new(["set", "element"]);
/// for row in [["ann", "milk"], ["ann", "bread"], ["bob", "milk"], ["bob", "bread"], ["bob", "tea"]] {
///     baskets.push(&row)?;
/// }
/// let options = SetsRequest::default().in_memory(vec![MemoryTable::new("baskets", baskets)]).threshold(0.5).check()?;
/// let mut pairs: Vec<SetPair> = Vec::new();
/// lookalike::sets_into(&options, &mut pairs, &Silent)?;
/// assert_eq!((&*pairs[0].left_id, &*pairs[0].right_id, pairs[0].shared_count), ("ann", "bob", Some(2)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`sets()`], and if the sink fails.
pub fn sets_into(
    options: &SetsOptions,
    sink: &mut (dyn Sink<SetPair> + Send),
    progress: &dyn Progress,
) -> Result<SetsReport> {
    run(options, Target::Rows(sink), progress)
}

fn run(options: &SetsOptions, mut target: Target<'_>, progress: &dyn Progress) -> Result<SetsReport> {
    let (mut stages, key) = (Stages::start(progress), Key::random());
    let (references, input) = stages.run("read", None, || {
        check_inputs(options)?;
        let (against, tables) = (&options.against, &options.against_in_memory);
        let references = if against.is_empty() && tables.is_empty() {
            None
        } else {
            Some(read(against, tables, Need::default(), key, options, progress)?)
        };
        let before = references.as_ref().map_or(Need::default(), Collection::need);
        let input = read(&options.inputs, &options.in_memory, before, key, options, progress)?;
        Ok::<_, crate::Error>((references, input))
    })?;
    let mut report = SetsReport {
        set_count: input.len() as u64,
        reference_count: references.as_ref().map(|references| references.len() as u64),
        empty_count: input.empty_count(),
        delimiter: input.delimiter,
        pair_count: 0,
        by_similarity: [0; SIMILARITY_STEPS + 1],
        stages: Vec::new(),
        skipped_count: 0,
        skipped: Vec::new(),
    };
    // The reference collection comes first, as everywhere.
    let mut all = match references {
        Some(references) => references.followed_by(input),
        None => input,
    };
    if matches!(options.finding, Finding::Sketched { .. }) {
        all.number_elements();
    }
    stages.go_on()?;
    (report.skipped_count, report.skipped) = (all.skipped, all.skipped_rows.clone());
    let room = all.need().check(options)?;
    let by =
        By { measure: options.measure, top: options.top, references: report.reference_count.map(|count| count as u32) };
    if options.has_weights() {
        if all.has_collision(|_| true) {
            all.number_elements();
        }
        let sets = stages.run("order", None, || {
            let items = weighted(&all, options.by_rarity);
            if by.measure == Measure::Cosine { WeightedSets::of_vectors(&items) } else { WeightedSets::new(&items) }
        });
        look_around(&all, &sets, by, options, &mut target, &mut stages, &mut report)?;
    } else {
        let sets = stages.run("order", None, || {
            let sets = of_features(&all);
            let smallest = sets.sizes().iter().copied().filter(|size| *size > 0).min().unwrap_or(0);
            let criterion = options.finding.threshold().map(|threshold| options.measure.criterion(threshold));
            // Without a threshold, any pair may be among the nearest.
            let is_doubtful =
                |set| criterion.is_none_or(|criterion| matches_by_one(sets.size(set as u32), smallest, criterion));
            if !all.has_collision(is_doubtful) {
                return sets;
            }
            all.number_elements();
            of_features(&all)
        });
        match (options.finding, options.top) {
            (Finding::Exact { threshold: Some(threshold) }, None) => {
                let criterion = options.measure.criterion(threshold);
                let go_on = || progress.go_on();
                let neighbors =
                    stages.run("join", None, || Neighbors::within(&sets, criterion, by.references(), room, go_on))?;
                if let Some(neighbors) = neighbors {
                    let joined = Joined { neighbors, sets: &sets, by };
                    write(&all, &joined, options, &mut target, &mut stages, &mut report)?;
                } else {
                    // The pairs of one set at a time fit in any memory, and are the same; finding them only takes
                    // longer.
                    if !all.need().fits_around(options.resources.memory) {
                        return Err(need::too_many_pairs(options.resources.memory));
                    }
                    let sets = WeightedSets::of_equal_weights(&sets);
                    look_around(&all, &sets, by, options, &mut target, &mut stages, &mut report)?;
                }
            }
            (Finding::Sketched { threshold, banding }, _) => {
                let (bands, go_on) = ((threshold, banding), || progress.go_on());
                let neighbors = stages.run("join", None, || {
                    Neighbors::sketched(&sets, options.measure, bands, by.references(), room, go_on)
                })?;
                let neighbors = neighbors.ok_or_else(|| need::too_many_pairs(options.resources.memory))?;
                let joined = Joined { neighbors, sets: &sets, by };
                write(&all, &joined, options, &mut target, &mut stages, &mut report)?;
            }
            (Finding::Exact { .. }, _) => {
                let sets = WeightedSets::of_equal_weights(&sets);
                look_around(&all, &sets, by, options, &mut target, &mut stages, &mut report)?;
            }
        }
    }
    report.stages = stages.finish();
    Ok(report)
}

/// The sets of all features.
fn of_features(all: &Collection) -> Sets {
    Sets::new(&(0..all.len()).map(|set| all.features(set)).collect::<Vec<_>>())
}

/// A collection may be compared with itself, but standard input can be read only once.
fn check_inputs(options: &SetsOptions) -> Result<()> {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if options.inputs.iter().any(is_stdin) && options.against.iter().any(is_stdin) {
        return Err(lookalike_io::Error::StdinTwice.into());
    }
    Ok(())
}

/// The elements of each set with their weights: those of the input, or 1 each, times their rarity if requested.
fn weighted(all: &Collection, by_rarity: bool) -> Vec<Vec<WeightedItem>> {
    let rarity = by_rarity.then(|| Rarity::of(all));
    let times = |feature: u64| rarity.as_ref().map_or(1.0, |rarity| rarity.weight(feature));
    let of_set = |set: usize| {
        let Some(weights) = &all.weights else {
            let item = |feature: u64| WeightedItem { feature, weight: times(feature) };
            return all.distinct_features(set).into_iter().map(item).collect();
        };
        let item = |at: usize| {
            let feature = all.all_features()[at];
            WeightedItem { feature, weight: weights[at] * times(feature) }
        };
        all.places(set).map(item).collect()
    };
    (0..all.len()).map(of_set).collect()
}

/// Searches from each set separately, which finds the nearest without a threshold, and supports weights.
fn look_around(
    all: &Collection,
    sets: &WeightedSets,
    by: By,
    options: &SetsOptions,
    target: &mut Target<'_>,
    stages: &mut Stages<'_>,
    report: &mut SetsReport,
) -> Result<()> {
    let threshold = options.finding.threshold().map_or(0.0, Threshold::value);
    let others = 0..by.references.unwrap_or(sets.len() as u32);
    let count = by.top.map(std::num::NonZeroUsize::get);
    let nearest = stages.run("join", None, || Nearest::new(sets, by.measure, threshold, count, others));
    let around = Around { nearest, sets, by };
    let first = report.reference_count.unwrap_or(0) as u32;
    need::estimate_steps(&around, first..all.len() as u32, stages.progress())?;
    write(all, &around, options, target, stages, report)
}

fn write(
    all: &Collection,
    finder: &dyn Finder,
    options: &SetsOptions,
    target: &mut Target<'_>,
    stages: &mut Stages<'_>,
    report: &mut SetsReport,
) -> Result<()> {
    let measures = Measures { measure: options.measure, has_weights: options.has_weights() };
    let first = report.reference_count.unwrap_or(0) as u32;
    let sets = first..all.len() as u32;
    let pairs = Pairs { ids: &all.ids, measures, finder, sets, most_steps: need::MOST_STEPS };
    let progress = stages.progress();
    report.by_similarity = until_closed(stages.run("write", None, || pairs.write(target, progress)))?;
    report.pair_count = report.by_similarity.iter().sum();
    Ok(())
}
