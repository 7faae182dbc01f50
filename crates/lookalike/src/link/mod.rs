//! Records that mean the same: in one table, or between two.
//!
//! ```text
//! read → guess → prepare → find candidates → compare → estimate → score → decide → cluster → write
//! ```

mod add;
mod analyze;
mod explain;
mod labels;
mod merge;
mod need;
mod output;
mod page;
mod report;
mod result;
mod rows;
mod tables;
#[cfg(test)]
mod tests;
mod warnings;

use std::path::Path;

use lookalike_core::link::cluster::Clusters;
use lookalike_core::link::config::{Config, Kind};
use lookalike_core::link::decide::{matches, one_to_one, one_to_one_prior, suggest_threshold};
use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, Candidates, try_find_candidates};
use lookalike_core::link::measure::Pattern;
use lookalike_core::link::records::Records;
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::link::validate::{Validation, Yardstick, validate};
use lookalike_core::link::weigh::{Frequencies, Known, Model, try_compare_all};
use lookalike_io::input::discover::{InputFile, discover_except};
use lookalike_io::write::Staging;

pub use add::add_records;
pub use analyze::{Analysis, BlockReport, KeyReport, analyze};
pub use explain::{ClusterExplanation, Compared, KeyExplanation, PairExplanation, explain, explain_result};
pub use labels::{Accuracy, LabelsReport};
pub use page::waterfall;
pub use report::{AddedRecords, ColumnReport, KeyKindReport, LinkReport, ScoreBand, ValidationBand, ValidationReport};
pub use result::{Decided, is_link_result};
pub use rows::{ClusterRow, FieldMatch, LinkedRow, MatchRow};

use self::labels::Labels;
pub(crate) use self::need::with_commas;
use self::output::{Made, Output, best_of_clusters};
use self::tables::{Tables, ignore};
use crate::error::{Error, Result};
use crate::options::{LinkModel, LinkOptions};
use crate::output::sink::Sink;
use crate::progress::{Progress, Silent};
use crate::run::stages::Stages;

/// What a run writes, and what a later run may replace.
const ENTRIES: &[&str] = &[
    "matches.csv",
    "clusters.csv",
    "linked.csv",
    "merged.csv",
    "merges.csv",
    "wrong.csv",
    "missed.csv",
    "link.toml",
    "model.json",
    "frequencies.bin",
    "summary.json",
];

impl LinkModel {
    fn read(&self) -> Result<Model> {
        let wrong = |reason: String| {
            let path = match self {
                Self::File(path) => path.display().to_string(),
                Self::Text(_) => "the model".to_owned(),
            };
            Error::NotAModel { path, reason }
        };
        let read;
        let text = match self {
            Self::File(path) => {
                read = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
                &read
            }
            Self::Text(text) => text,
        };
        let decided: Decided = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        Ok(decided.model)
    }
}

/// What the columns are: as the user says, or as they look.
///
/// # Errors
///
/// When a table cannot be read, or a column is not there.
pub fn guess_config(options: &LinkOptions) -> Result<Config> {
    check_inputs(options)?;
    Tables::read(options, &Silent)?.config(options)
}

/// The records of the tables. Ids of several tables that are one were looked at table by table.
fn prepare(tables: &Tables, config: &Config) -> Result<Records> {
    let (first, second) = tables.both();
    let config = Config { id: config.id.clone().filter(|_| !tables.are_one()), ..config.clone() };
    Ok(Records::prepare(first, second, &config)?)
}

/// How much is compared.
fn bounds(records: &Records, config: &Config) -> Bounds {
    Bounds::for_count(records.count()).times(config.effort.unwrap_or(1.0))
}

/// Everything between candidates and matches, which explanations and additions need as well.
struct Linking {
    records: Records,
    candidates: Candidates,
    model: Model,
    frequencies: Frequencies,
    scored: Vec<Scored>,
}

impl Linking {
    fn new(tables: &Tables, config: &Config, options: &LinkOptions, stages: &mut Stages<'_>) -> Result<Self> {
        let memory = options.resources.memory;
        let given = options.model.as_ref().map(LinkModel::read).transpose()?;
        let known = Known { share: options.expect };
        let most = tables.need().check(config, memory)?;
        let records = stages.run("prepare", None, || prepare(tables, config))?;
        let bounds = Bounds { most, ..bounds(&records, config) };
        let progress = stages.progress();
        let go_on = || progress.go_on();
        let candidates = stages.run("bucket", None, || try_find_candidates(&records, &bounds, go_on))?;
        need::check_candidates(&candidates, memory)?;
        stages.go_on()?;
        let patterns = stages.run("compare", None, || try_compare_all(&records, &candidates, go_on))?;
        stages.go_on()?;
        let mut model = stages.run("estimate", None, || match given {
            Some(model) => model.for_table(&records, &candidates, &patterns, known),
            None => Ok(Model::estimate_with(&records, &candidates, &patterns, known)),
        })?;
        model.set_by_hand(config)?;
        stages.go_on()?;
        let is_prior_given = config.prior.is_some() || options.expect.is_some();
        stages.run("score", None, || {
            let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
            let mut linking = Self::score(records, candidates, &patterns, model, frequencies, progress)?;
            if config.one_to_one && linking.records.are_of_two_tables() && !is_prior_given {
                let prior = one_to_one_prior(&linking.records, &linking.scored, linking.model.prior);
                let Self { records, candidates, model, frequencies, .. } = linking;
                let model = Model { prior, ..model };
                linking = Self::score(records, candidates, &patterns, model, frequencies, progress)?;
            }
            Ok(linking)
        })
    }

    fn score(
        records: Records,
        candidates: Candidates,
        patterns: &[Pattern],
        model: Model,
        frequencies: Frequencies,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
        let scored = scorer.try_score_all(&candidates, patterns, || progress.go_on())?;
        Ok(Self { records, candidates, model, frequencies, scored })
    }

    fn decided(&self, threshold: f64) -> Decided {
        let one_field_left_out = self.candidates.one_field_count() > 0;
        Decided { threshold, model: self.model.clone(), one_field_left_out }
    }

    fn scorer(&self) -> Scorer<'_> {
        Scorer { records: &self.records, model: &self.model, frequencies: &self.frequencies }
    }

    /// The matches, best first, and the probability from which on pairs are.
    fn matches(&self, config: &Config) -> (Vec<Scored>, f64) {
        let apart;
        let scored = if config.one_to_one && self.records.are_of_two_tables() {
            apart = one_to_one(&self.scorer(), &self.scored);
            &apart
        } else {
            &self.scored
        };
        let threshold = config.threshold.unwrap_or_else(|| suggest_threshold(scored));
        (matches(&self.records, scored, threshold), threshold)
    }
}

/// Finds the records that mean the same.
///
/// # Errors
///
/// When a table cannot be read, has no rows, or nothing in it can be compared; when a column is not there, or an id is not unique;
/// or when the output cannot be written. Then nothing is left under the output's name.
pub fn link(options: &LinkOptions, progress: &dyn Progress) -> Result<LinkReport> {
    link_into(options, LinkRows::default(), progress)
}

/// Sinks for the rows of [`link_into()`].
#[derive(Default)]
pub struct LinkRows<'a> {
    /// Receives every match, best first.
    pub matches: Option<&'a mut dyn Sink<MatchRow>>,
    /// Receives the cluster of every record, in input order.
    pub clusters: Option<&'a mut dyn Sink<ClusterRow>>,
    /// Receives every record as it came, with its cluster, in input order.
    pub linked: Option<&'a mut dyn Sink<LinkedRow>>,
}

impl LinkRows<'_> {
    fn are_wanted(&self) -> bool {
        self.matches.is_some() || self.clusters.is_some() || self.linked.is_some()
    }

    fn give(self, made: Made<'_>, scorer: &Scorer<'_>, matches: &[Scored], cluster_of: &[u64]) -> std::io::Result<()> {
        self.matches.map_or(Ok(()), |sink| made.matches(scorer, matches, sink))?;
        self.clusters.map_or(Ok(()), |sink| made.clusters(cluster_of, sink))?;
        self.linked.map_or(Ok(()), |sink| made.linked(&best_of_clusters(scorer.records, cluster_of), cluster_of, sink))
    }
}

/// Finds the records that mean the same as [`link()`] does, and gives what is found to sinks as typed rows.
///
/// # Errors
///
/// As [`link()`], and when a sink fails.
pub fn link_into(options: &LinkOptions, rows: LinkRows<'_>, progress: &dyn Progress) -> Result<LinkReport> {
    let files = check_inputs(options)?;
    let stage = |folder: &Path| Staging::new(folder, options.force, ENTRIES, &files, &progress.unfinished());
    let staging = options.folder.as_deref().map(stage).transpose()?;
    let mut stages = Stages::start(progress);
    let tables = stages.run("read", None, || Tables::read(options, progress))?;
    let mut config = tables.config(options)?;
    let ids = tables.ids(&config)?;
    let memory = options.resources.memory;
    let labels = options.labels.as_deref().map(|path| Labels::read(path, memory, &tables, &ids)).transpose()?;
    if let Some(column) = labels.as_ref().and_then(|labels| labels.cluster_column.as_deref()) {
        ignore(&mut config, column, "it is the answer that matches are checked against");
    }
    let linking = Linking::new(&tables, &config, options, &mut stages)?;
    stages.go_on()?;
    let (matches, threshold) = linking.matches(&config);
    let clusters = stages.run("cluster", None, || Clusters::join(&linking.scorer(), &matches));
    let validation = options.validate.as_deref().map(|field| held_against(field, &tables, &linking.records, &matches));
    let validation = validation.transpose()?;

    let cluster_of: Vec<u64> = linking.records.all().map(|record| u64::from(clusters.of(record)) + 1).collect();

    let mut report = LinkReport::new(&tables, &config, &linking, &matches, threshold);
    report.set_clusters(&cluster_of, &matches);
    report.validation = validation.as_ref().map(ValidationReport::new);
    report.warnings.extend(warnings::of(&linking, &matches, config.one_to_one, validation.as_ref()));
    let made = Made { tables: &tables, config: &config, ids: &ids };
    if rows.are_wanted() {
        let give = || rows.give(made, &linking.scorer(), &matches, &cluster_of);
        stages.run("rows", None, give).map_err(Error::unwritable)?;
    }
    let output = staging.as_ref().map(|staging| Output { made, staging });
    if let Some(output) = &output {
        stages.run("write", None, || {
            output.matches(&linking.scorer(), &matches)?;
            output.clusters(&cluster_of)?;
            let is_best = best_of_clusters(&linking.records, &cluster_of);
            output.linked(&is_best, &cluster_of)?;
            output.merged(&is_best, &cluster_of)?;
            output.decided(&linking, threshold)?;
            output.config()
        })?;
    }
    if let Some(labels) = &labels {
        let judged =
            stages.run("judge", None, || labels.judge(&linking, &matches, threshold, &cluster_of, output.as_ref()));
        report.labels = Some(judged?);
    }
    stages.go_on()?;
    report.set_stages(stages.finish());
    report.page = options.report.is_some().then(|| page::page(&report, &linking, &matches, &ids));
    if let Some(output) = &output {
        output.summary(&report)?;
    }
    if let Some(staging) = staging {
        staging.commit()?;
    }
    Ok(report)
}

/// All files of all tables. No file is in two, and standard input is one of them at most.
fn check_inputs(options: &LinkOptions) -> Result<Vec<InputFile>> {
    if options.tables.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        return Err(lookalike_io::Error::StdinTwice.into());
    }
    Ok(discover_except(&options.tables, &[], options.folder.as_deref(), &options.resources.exclude)?.files)
}

/// Holds matches against a column that was not used to find them.
fn held_against(field: &str, tables: &Tables, records: &Records, matches: &[Scored]) -> Result<Validation> {
    let (first, second) = tables.both();
    // What it is, is guessed as if it were compared.
    let kind = guess(first, second, None).columns.iter().find(|column| column.name == field).map(|column| column.kind);
    let second = second.map(|second| second.find(field).map(|at| second.column(at))).transpose()?;
    let yardstick = Yardstick::new(kind.unwrap_or(Kind::FreeText), first.column(first.find(field)?), second);
    Ok(validate(records, &yardstick, matches))
}
