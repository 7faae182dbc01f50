//! Records that mean the same: in one table, or between two.
//!
//! ```text
//! read → guess → prepare → find candidates → compare → estimate → score → decide → cluster → write
//! ```

mod add;
mod analyze;
mod explain;
mod gold;
mod merge;
mod need;
mod output;
mod page;
mod report;
mod result;
mod tables;
mod warnings;

use std::path::{Path, PathBuf};

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
use lookalike_io::bounds::InputLimit;
use lookalike_io::input::discover::{InputFile, discover};
use lookalike_io::write::Staging;

pub use add::{AddOptions, add_records};
pub use analyze::{Analysis, BlockReport, KeyReport, analyze};
pub use explain::{ClusterExplanation, Compared, KeyExplanation, PairExplanation, explain, explain_result};
pub use gold::{Accuracy, GoldReport};
pub use page::waterfall;
pub use report::{Added, ColumnReport, KeyKindReport, LinkReport, ScoreBand, ValidationBand, ValidationReport};
pub use result::is_link_result;

use self::gold::Gold;
pub(crate) use self::need::with_commas;
use self::output::{Output, best_of_clusters};
use self::tables::{Tables, ignore};
use crate::error::{Error, Result};
use crate::progress::{Progress, Silent};
use crate::report::stages::Stages;
use crate::resources::memory::Memory;

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

/// What [`link`] is asked to do.
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// The tables, one at least: each a file, a folder, a pattern, an address, or `-` for standard input. Between two, links are
    /// looked for; more than two are linked within each table as well.
    pub tables: Vec<PathBuf>,
    /// Two tables are linked within each table as well.
    pub within: bool,
    /// The longest row that is read, in bytes.
    pub longest: u32,
    /// How much is read of all files together.
    pub limit: InputLimit,
    /// How much memory may be used.
    pub memory: Memory,
    /// The column that tells records apart; rows are numbered without it.
    pub id: Option<String>,
    /// The same of the second table and those after it, where the column has another name.
    pub id_right: Option<String>,
    /// What the columns are; guessed without it.
    pub config: Option<Config>,
    /// The probability from which on a pair is a match; suggested by the data without it.
    pub threshold: Option<f64>,
    /// No record of either table has more than one match in the other.
    pub one_to_one: bool,
    /// How much more is compared than by default: 2 for buckets with twice the pairs.
    pub effort: Option<f64>,
    /// A column of dates: merged records have the newest value of each column.
    pub newest: Option<String>,
    /// A table of the true pairs or clusters, to judge the result by.
    pub gold: Option<PathBuf>,
    /// The share of records that have a match, where that is known.
    pub expect: Option<f64>,
    /// The `model.json` of another result, whose weights are used.
    pub model: Option<PathBuf>,
    /// A column that is not compared, to hold matches against.
    pub validate: Option<String>,
    /// Whether to make a page of it for a browser.
    pub has_page: bool,
    /// The folder to write to; none to write nothing.
    pub folder: Option<PathBuf>,
    /// Whether to replace what an earlier run wrote.
    pub force: bool,
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
        let memory = options.memory;
        let given = options.model.as_deref().map(read_model).transpose()?;
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
    let staging = options.folder.as_deref().map(|folder| stage(folder, options, progress)).transpose()?;
    let mut stages = Stages::start(progress);
    let tables = stages.run("read", None, || Tables::read(options, progress))?;
    let mut config = tables.config(options)?;
    let ids = tables.ids(&config)?;
    let gold = options.gold.as_deref().map(|path| Gold::read(path, options.memory, &tables, &ids)).transpose()?;
    if let Some(column) = gold.as_ref().and_then(|gold| gold.cluster_column.as_deref()) {
        ignore(&mut config, column, "it is the answer that matches are checked against");
    }
    let linking = Linking::new(&tables, &config, options, &mut stages)?;
    stages.go_on()?;
    let (matches, threshold) = linking.matches(&config);
    let clusters = stages.run("cluster", None, || Clusters::join(&linking.scorer(), &matches));
    let validation = options.validate.as_deref().map(|field| held_against(field, &tables, &linking.records, &matches));
    let validation = validation.transpose()?;

    let cluster_of: Vec<u64> = (0..ids.len() as u32).map(|record| u64::from(clusters.of(record)) + 1).collect();

    let mut report = LinkReport::new(&tables, &config, &linking, &matches, threshold);
    report.set_clusters(&cluster_of, &matches);
    report.validation = validation.as_ref().map(ValidationReport::new);
    report.warnings.extend(warnings::of(&linking, &matches, config.one_to_one, validation.as_ref()));
    let output = staging.as_ref().map(|staging| Output { tables: &tables, config: &config, ids: &ids, staging });
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
    if let Some(gold) = &gold {
        let judged =
            stages.run("judge", None, || gold.judge(&linking, &matches, threshold, &cluster_of, output.as_ref()));
        report.gold = Some(judged?);
    }
    stages.go_on()?;
    report.set_stages(stages.finish());
    report.page = options.has_page.then(|| page::page(&report, &linking, &matches, &ids));
    if let Some(output) = &output {
        output.summary(&report)?;
    }
    if let Some(staging) = staging {
        staging.commit()?;
    }
    Ok(report)
}

fn stage(folder: &Path, options: &LinkOptions, progress: &dyn Progress) -> Result<Staging> {
    Ok(Staging::new(folder, options.force, ENTRIES, &check_inputs(options)?, &progress.unfinished())?)
}

/// All files of all tables. No file is in two, and standard input is one of them at most.
fn check_inputs(options: &LinkOptions) -> Result<Vec<InputFile>> {
    if options.tables.iter().filter(|input| input.as_os_str() == "-").count() > 1 {
        return Err(lookalike_io::Error::StdinTwice.into());
    }
    Ok(discover(&options.tables, options.folder.as_deref())?.files)
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

/// The model of another result.
fn read_model(path: &Path) -> Result<Model> {
    let wrong = |reason: String| Error::NotAModel { path: path.display().to_string(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let decided: result::Decided = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    Ok(decided.model)
}
