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
mod review;
mod rows;
mod tables;
#[cfg(test)]
mod tests;
mod warnings;

use std::path::Path;

use derive_setters::Setters;
use lookalike_core::link::cluster::Clusters;
use lookalike_core::link::config::{Config, Kind};
use lookalike_core::link::decide::{matches, one_to_one, one_to_one_prior, suggest_threshold};
use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, Candidates, try_find_candidates};
use lookalike_core::link::measure::Pattern;
use lookalike_core::link::records::{Records, Tells};
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::link::teach::{LabeledPair, teach};
use lookalike_core::link::validate::{Validation, Yardstick, validate};
use lookalike_core::link::verdicts::Verdicts;
use lookalike_core::link::weigh::{Frequencies, Known, Learned, Model, try_compare_all};
use lookalike_io::input::discover::{InputFile, discover_except};
use lookalike_io::write::Staging;

pub use add::add_records;
pub use analyze::{Analysis, BlockReport, KeyReport, analyze};
pub use explain::{ClusterExplanation, Compared, KeyExplanation, PairExplanation, explain, explain_result};
pub use labels::{Accuracy, CalibrationBand, LabelsReport, LearnedReport, ThresholdReport};
pub use page::waterfall;
pub use report::{AddedRecords, ColumnReport, KeyKindReport, LinkReport, ScoreBand, ValidationBand, ValidationReport};
pub use result::{Decided, is_link_result};
pub use review::{Question, QuestionField, RecordLabel, Review, ReviewState};
pub use rows::{ClusterRow, FieldMatch, LinkedRow, MatchRow};
pub use warnings::LinkWarning;

use self::labels::{FromLabels, Judged, JudgedPairs, Labels, free};
pub(crate) use self::need::with_commas;
use self::output::{Made, Output, best_of_clusters};
use self::page::Shown;
use self::tables::{Tables, ignore};
use crate::error::{Error, Result};
use crate::options::{LinkModel, LinkOptions};
use crate::output::destination::REPORT;
use crate::output::kept::{commit_report, open_report, place_report};
use crate::output::sink::Sink;
use crate::progress::{Progress, Silent};
use crate::run::stages::Stages;

/// Names that a run writes, and that a later run may replace.
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
    REPORT,
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

/// Returns the configuration of the columns: as the user gave it, or guessed from their values.
///
/// # Errors
///
/// Fails if a table cannot be read, or a column does not exist.
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

/// Limits on the number of comparisons.
fn bounds(records: &Records, config: &Config) -> Bounds {
    Bounds::for_count(records.count()).times(config.effort.unwrap_or(1.0))
}

/// Everything between candidates and matches, which explanations and additions need as well.
#[derive(Debug)]
struct Linking {
    records: Records,
    candidates: Candidates,
    model: Model,
    frequencies: Frequencies,
    scored: Vec<Scored>,
    from_labels: FromLabels,
}

/// The matches, and what they were chosen from.
struct Found {
    /// The best pairs of each record, where it has one match at most; otherwise all pairs were considered.
    best: Option<Vec<Scored>>,
    /// Matches by the weights alone.
    by_weights: Vec<Scored>,
    /// Pairs that are matches, best first.
    matches: Vec<Scored>,
    /// Minimum probability of a match.
    threshold: f64,
}

impl Found {
    /// The pairs that matches were chosen from.
    fn considered<'a>(&'a self, linking: &'a Linking) -> &'a [Scored] {
        self.best.as_deref().unwrap_or(&linking.scored)
    }
}

impl Linking {
    fn new(
        tables: &Tables,
        config: &Config,
        options: &LinkOptions,
        labels: Option<Vec<LabeledPair>>,
        stages: &mut Stages<'_>,
    ) -> Result<Self> {
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
        let is_known = options.expect.is_some() && model.learned != Learned::FromAllPairs;
        let is_prior_given = config.prior.is_some() || is_known;
        stages.run("score", None, || {
            let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
            let mut linking = Self::score(records, candidates, &patterns, model, frequencies, progress)?;
            if config.one_to_one && linking.records.are_of_two_tables() && !is_prior_given {
                let prior = one_to_one_prior(&linking.records, &linking.scored, linking.model.prior);
                let model = Model { prior, ..linking.model.clone() };
                linking = linking.with_model(model, &patterns, progress)?;
            }
            match labels {
                Some(labels) => linking.learn(labels, config, &patterns, progress),
                None => Ok(linking),
            }
        })
    }

    /// The same by other weights.
    fn with_model(self, model: Model, patterns: &[Pattern], progress: &dyn Progress) -> Result<Self> {
        let Self { records, candidates, frequencies, .. } = self;
        Self::score(records, candidates, patterns, model, frequencies, progress)
    }

    /// Learns from labeled pairs. What was said of these is so, whatever the weights say.
    fn learn(
        self,
        labels: Vec<LabeledPair>,
        config: &Config,
        patterns: &[Pattern],
        progress: &dyn Progress,
    ) -> Result<Self> {
        let scorer = self.scorer();
        let stated = labels.iter().map(|label| scorer.score(label.left, label.right).probability()).collect();
        let taught = teach(&scorer, &labels, &free(config, &self.records));
        let from_labels = FromLabels::new(labels, stated, taught.as_ref());
        let model = taught.map(|taught| taught.model).filter(|_| from_labels.are_used());
        let learned = match model {
            Some(model) => self.with_model(model, patterns, progress)?,
            None => self,
        };
        Ok(Self { from_labels, ..learned })
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
        Ok(Self { records, candidates, model, frequencies, scored, from_labels: FromLabels::default() })
    }

    fn decided(&self, threshold: f64) -> Decided {
        let one_field_left_out = self.candidates.one_field_count() > 0;
        Decided { threshold, model: self.model.clone(), one_field_left_out }
    }

    fn scorer(&self) -> Scorer<'_> {
        Scorer { records: &self.records, model: &self.model, frequencies: &self.frequencies }
    }

    /// The matches.
    fn matches(&self, config: &Config) -> Found {
        let verdicts = self.verdicts();
        let best = (config.one_to_one && self.records.are_of_two_tables()).then(|| {
            let open = (!verdicts.is_empty()).then(|| verdicts.open(&self.scored, true));
            one_to_one(&self.scorer(), open.as_deref().unwrap_or(&self.scored))
        });
        let scored = best.as_deref().unwrap_or(&self.scored);
        let threshold = config.threshold.unwrap_or_else(|| suggest_threshold(scored));
        let by_weights = matches(&self.records, scored, threshold);
        let matches = verdicts.settle(&self.scorer(), by_weights.clone());
        Found { best, by_weights, matches, threshold }
    }

    /// True if probabilities are calibrated. Related things are similar in ways that no table tells, and weights that
    /// are mostly the default ones were not learned from the table; labels make up for both.
    fn is_calibrated(&self) -> bool {
        let are_people = self.model.fields.iter().any(|field| field.tells == Tells::Name);
        self.from_labels.are_used() || are_people && self.model.learned == Learned::FromAllPairs
    }

    fn verdicts(&self) -> &Verdicts {
        &self.from_labels.verdicts
    }
}

/// Finds the records that mean the same.
///
/// # Errors
///
/// Fails if a table cannot be read, has no rows, or nothing in it can be compared; if a column does not exist, or an id
/// is not unique; or if the output cannot be written. Then nothing is left under the output's name.
pub fn link(options: &LinkOptions, progress: &dyn Progress) -> Result<LinkReport> {
    link_into(options, LinkRows::default(), progress)
}

/// Sinks for the rows of [`link_into()`].
#[derive(Default, Setters)]
#[setters(strip_option)]
#[non_exhaustive]
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
    let mut page_file = open_report(options.report_file.as_deref(), options.force, &progress.unfinished())?;
    let mut stages = Stages::start(progress);
    let tables = stages.run("read", None, || Tables::read(options, progress))?;
    let mut config = tables.config(options)?;
    let ids = tables.ids(&config)?;
    let memory = options.resources.memory;
    let labels = options.labels.as_deref().map(|path| Labels::read(path, memory, &tables, &ids)).transpose()?;
    if let Some(column) = labels.as_ref().and_then(|labels| labels.cluster_column.as_deref()) {
        ignore(&mut config, column, "it is the answer that matches are checked against");
    }
    let labeled = labels.as_ref().and_then(Labels::labeled);
    let linking = Linking::new(&tables, &config, options, labeled, &mut stages)?;
    stages.go_on()?;
    let found = linking.matches(&config);
    let (matches, threshold) = (&found.matches, found.threshold);
    let join = || Clusters::join_with(&linking.scorer(), matches, linking.verdicts());
    let clusters = stages.run("cluster", None, join);
    let validation = options.validate.as_deref().map(|field| held_against(field, &tables, &linking.records, matches));
    let validation = validation.transpose()?;

    let cluster_of: Vec<u64> = linking.records.all().map(|record| u64::from(clusters.of(record)) + 1).collect();

    let mut report = LinkReport::new(&tables, &config, &linking, matches, threshold);
    report.set_clusters(&cluster_of, matches);
    report.validation = validation.as_ref().map(ValidationReport::new);
    report.warnings.extend(warnings::of(&linking, &config, matches, validation.as_ref()));
    let made = Made { tables: &tables, config: &config, ids: &ids };
    if rows.are_wanted() {
        let give = || rows.give(made, &linking.scorer(), matches, &cluster_of);
        stages.run("rows", None, give).map_err(Error::unwritable)?;
    }
    let output = staging.as_ref().map(|staging| Output { made, staging });
    if let Some(output) = &output {
        stages.run("write", None, || {
            output.matches(&linking.scorer(), matches)?;
            output.clusters(&cluster_of)?;
            let is_best = best_of_clusters(&linking.records, &cluster_of);
            output.linked(&is_best, &cluster_of)?;
            output.merged(&is_best, &cluster_of)?;
            output.decided(&linking, threshold)?;
            output.config()
        })?;
    }
    let mut judged = JudgedPairs::default();
    if let Some(labels) = &labels {
        let Judged { report: of_labels, pairs } =
            stages.run("judge", None, || labels.judge(&linking, &found, &cluster_of));
        if let Some(output) = &output {
            pairs.write(&linking, &cluster_of, output)?;
        }
        (judged, report.labels) = (pairs, Some(of_labels));
    }
    stages.go_on()?;
    report.set_stages(stages.finish());
    if options.has_report() {
        let shown = Shown { ids: &ids, cluster_of: &cluster_of, judged: &judged };
        let page = page::page(&report, &linking, &found, &shown).render();
        page_file = place_report(&page, page_file, staging.as_ref())?;
    }
    if let Some(output) = &output {
        output.summary(&report)?;
    }
    if let Some(staging) = staging {
        staging.commit()?;
    }
    commit_report(page_file)?;
    Ok(report)
}

/// All files of all tables. No file is in two, and standard input is one of them at most.
fn check_inputs(options: &LinkOptions) -> Result<Vec<InputFile>> {
    if options.tables.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        return Err(lookalike_io::Error::StdinTwice.into());
    }
    Ok(discover_except(&options.tables, &[], options.folder.as_deref(), &options.resources.exclude)?.files)
}

/// Validates matches by a column that was not used to find them.
fn held_against(field: &str, tables: &Tables, records: &Records, matches: &[Scored]) -> Result<Validation> {
    let (first, second) = tables.both();
    // Its kind is guessed as if it were compared.
    let kind = guess(first, second, None).columns.iter().find(|column| column.name == field).map(|column| column.kind);
    let second = second.map(|second| second.find(field).map(|at| second.column(at))).transpose()?;
    let yardstick = Yardstick::new(kind.unwrap_or(Kind::FreeText), first.column(first.find(field)?), second);
    Ok(validate(records, &yardstick, matches))
}
