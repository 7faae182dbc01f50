//! Sets of anything that are similar: baskets, sessions, fans of films, visitors of sites.
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
use lookalike_core::join::{Measure, Nearest, Neighbors, Sets, WeightedItem, WeightedSets};
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

/// Steps that similarities are counted in.
pub const SIMILARITY_STEPS: usize = 20;

/// What a run of `sets` did.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SetsReport {
    /// How many sets there are.
    pub set_count: u64,
    /// How many sets a second collection has, if there is one.
    pub reference_count: Option<u64>,
    /// How many sets have no elements, and so match nothing.
    pub empty_count: u64,
    /// What seems to stand between elements, if that was not given and is not blanks.
    pub delimiter: Option<Delimiter>,
    /// How many pairs were found.
    pub pair_count: u64,
    /// Of these, how many of each similarity: from 0 on, in steps of 0.05; the last are those of equal sets.
    pub by_similarity: [u64; SIMILARITY_STEPS + 1],
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// How many rows were skipped.
    pub skipped_count: u64,
    /// Which, and why: the first of them.
    pub skipped: Vec<SkippedEntry>,
}

/// Writes the pairs of sets that are similar, sorted by left and then right, in the order of the input; or the nearest of
/// each set, the nearest first.
///
/// # Errors
///
/// When an input cannot be read, has no sets or not the columns that were asked for, or `writer` cannot be written to.
pub fn sets(options: &SetsOptions, writer: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<SetsReport> {
    run(options, Target::Lines(options.format, writer), progress)
}

/// Finds pairs as [`sets()`] does, and gives them to a sink as typed rows.
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
/// As [`sets()`], and when the sink fails.
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
    // Those that others are held against come first, as everywhere.
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
        let sets = stages.run("order", None, || {
            let items = weighted(&all, options.by_rarity);
            if by.measure == Measure::Cosine { WeightedSets::of_vectors(&items) } else { WeightedSets::new(&items) }
        });
        look_around(&all, &sets, by, options, &mut target, &mut stages, &mut report)?;
    } else {
        let sets =
            stages.run("order", None, || Sets::new(&(0..all.len()).map(|set| all.features(set)).collect::<Vec<_>>()));
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
                    // The pairs of one set at a time fit any memory, and are the same; only to find them takes longer.
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

/// A collection may be compared with itself, but standard input is read once.
fn check_inputs(options: &SetsOptions) -> Result<()> {
    let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
    if options.inputs.iter().any(is_stdin) && options.against.iter().any(is_stdin) {
        return Err(lookalike_io::Error::StdinTwice.into());
    }
    Ok(())
}

/// The elements of each set with their weights: those of the input, or 1 each, and times their rarity if that counts.
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

/// Each set looks for others by itself, which finds the nearest without a threshold, and knows weights.
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
