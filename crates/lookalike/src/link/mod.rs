//! Records that mean the same: in one table, or between two.
//!
//! ```text
//! read → guess → prepare → find candidates → compare → estimate → score → decide → cluster → write
//! ```

mod add;
mod need;
mod output;
mod report;

use std::path::{Path, PathBuf};
use std::slice;

use lookalike_core::link::cluster::Clusters;
use lookalike_core::link::config::{Config, Kind};
use lookalike_core::link::decide::{matches, one_to_one, suggest_threshold};
use lookalike_core::link::explain::Explanation;
use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, Candidates, try_find_candidates};
use lookalike_core::link::measure::Pattern;
use lookalike_core::link::records::Records;
use lookalike_core::link::score::{Scored, Scorer};
use lookalike_core::link::validate::{Validation, Yardstick, validate};
use lookalike_core::link::weigh::{Frequencies, Model, try_compare_all};
use lookalike_core::table::Table;
use lookalike_io::bounds::InputLimit;
use lookalike_io::input::discover::{InputFile, discover};
use lookalike_io::read::Settings;
use lookalike_io::table::{ReadTable, Reading, read_table};
use lookalike_io::write::Staging;

pub use add::{AddOptions, add_records};
pub use report::{Added, ColumnReport, KeyKindReport, LinkReport, ScoreBand, ValidationBand, ValidationReport};

use self::need::Need;
pub(crate) use self::need::with_commas;
use self::output::Output;
use crate::error::{Error, Result};
use crate::progress::{Progress, Silent};
use crate::report::stages::Stages;
use crate::resources::memory::Memory;

/// What a run writes, and what a later run may replace.
const ENTRIES: &[&str] =
    &["matches.csv", "clusters.csv", "linked.csv", "merges.csv", "link.toml", "model.json", "summary.json"];

/// What [`link`] is asked to do.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// The table, or the first of two: a file, a folder, a pattern, an address, or `-` for standard input.
    pub first: PathBuf,
    /// The second table.
    pub second: Option<PathBuf>,
    /// The longest row that is read, in bytes.
    pub longest: u32,
    /// How much is read of all files together.
    pub limit: InputLimit,
    /// How much memory may be used.
    pub memory: Memory,
    /// The column that tells records apart; rows are numbered without it.
    pub id: Option<String>,
    /// What the columns are; guessed without it.
    pub config: Option<Config>,
    /// The probability from which on a pair is a match; suggested by the data without it.
    pub threshold: Option<f64>,
    /// No record of either table has more than one match in the other.
    pub one_to_one: bool,
    /// A column that is not compared, to hold matches against.
    pub validate: Option<String>,
    /// The folder to write to; none to write nothing.
    pub folder: Option<PathBuf>,
    /// Whether to replace what an earlier run wrote.
    pub force: bool,
}

/// Tables as they were read.
struct Tables {
    first: ReadTable,
    second: Option<ReadTable>,
}

impl Tables {
    fn read(options: &LinkOptions, progress: &dyn Progress) -> Result<Self> {
        let settings = Settings {
            longest: options.longest,
            limit: options.limit.anew().with_window_log(options.memory.window_log(1)),
            ..Settings::default()
        };
        let output = options.folder.as_deref();
        let read = |path: &PathBuf, before: Need| {
            let go_on = |reading: Reading| {
                progress.go_on()?;
                before.and(Need::of_reading(reading)).check_held(options.memory)
            };
            let read = read_table(slice::from_ref(path), output, &settings, go_on)?;
            read.require_rows()?;
            Ok::<_, Error>(read)
        };
        let first = read(&options.first, Need::default())?;
        let second = match &options.second {
            Some(second) => Some(read(second, Need::of_table(&first.table))?),
            None => None,
        };
        Ok(Self { first, second })
    }

    fn need(&self) -> Need {
        self.all().fold(Need::default(), |need, read| need.and(Need::of_table(&read.table)))
    }

    fn all(&self) -> impl Iterator<Item = &ReadTable> + Clone {
        std::iter::once(&self.first).chain(&self.second)
    }

    fn both(&self) -> (&Table, Option<&Table>) {
        (&self.first.table, self.second.as_ref().map(|second| &second.table))
    }

    /// The id of every record, those of the second table after all others. Without a column of ids they are numbered, file after
    /// file.
    fn ids(&self, config: &Config) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        for table in self.all().map(|read| &read.table) {
            match &config.id {
                Some(id) => ids.extend(table.column(table.find(id)?).iter().map(str::to_owned)),
                None => ids.extend((1..=table.row_count()).map(|row| row.to_string())),
            }
        }
        Ok(ids)
    }
}

/// What the columns are: as the user says, or as they look.
///
/// # Errors
///
/// When a table cannot be read, or a column is not there.
pub fn guess_config(options: &LinkOptions) -> Result<Config> {
    check_inputs(options)?;
    config(&Tables::read(options, &Silent)?, options)
}

fn config(tables: &Tables, options: &LinkOptions) -> Result<Config> {
    let (first, second) = tables.both();
    if let Some(id) = &options.id {
        first.find(id)?;
    }
    let given = options.config.clone();
    let mut config = given.unwrap_or_else(|| guess(first, second, options.id.as_deref()));
    config.id = options.id.clone().or(config.id);
    config.threshold = options.threshold.or(config.threshold);
    config.one_to_one |= options.one_to_one;
    if let Some(field) = &options.validate {
        first.find(field)?;
        for column in config.columns.iter_mut().filter(|column| column.name == *field) {
            column.kind = Kind::Ignored;
            "matches are checked against it".clone_into(&mut column.why);
        }
    }
    Ok(config)
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
    fn new(tables: &Tables, config: &Config, memory: Memory, stages: &mut Stages<'_>) -> Result<Self> {
        let (first, second) = tables.both();
        let most = tables.need().check(config, memory)?;
        let records = stages.run("prepare", None, || Records::prepare(first, second, config))?;
        let bounds = Bounds { most, ..Bounds::for_count(records.count()) };
        let progress = stages.progress();
        let go_on = || progress.go_on();
        let candidates = stages.run("bucket", None, || try_find_candidates(&records, &bounds, go_on))?;
        need::check_candidates(&candidates, memory)?;
        stages.go_on()?;
        let patterns = stages.run("compare", None, || try_compare_all(&records, &candidates, go_on))?;
        stages.go_on()?;
        let model = stages.run("estimate", None, || Model::estimate(&records, &candidates, &patterns));
        stages.go_on()?;
        stages.run("score", None, || {
            let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
            Self::score(records, candidates, &patterns, model, frequencies, progress)
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
            apart = one_to_one(&self.records, &self.scored);
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
    let config = config(&tables, options)?;
    let ids = tables.ids(&config)?;
    let linking = Linking::new(&tables, &config, options.memory, &mut stages)?;
    stages.go_on()?;
    let (matches, threshold) = linking.matches(&config);
    let clusters = stages.run("cluster", None, || Clusters::join(&linking.scorer(), &matches));
    let validation = options.validate.as_deref().map(|field| held_against(field, &tables, &linking.records, &matches));
    let validation = validation.transpose()?;

    let cluster_of: Vec<u64> = (0..ids.len() as u32).map(|record| u64::from(clusters.of(record)) + 1).collect();

    let mut report = LinkReport::new(&tables, &config, &linking, &matches, threshold);
    report.set_clusters(&cluster_of, &matches);
    report.validation = validation.as_ref().map(ValidationReport::new);
    if let Some(staging) = &staging {
        let output = Output { tables: &tables, config: &config, ids: &ids, staging };
        stages.run("write", None, || {
            output.matches(&linking.scorer(), &matches)?;
            output.clusters(&cluster_of)?;
            output.linked(&linking.records, &cluster_of)?;
            output.decided(&linking.model, threshold)?;
            output.config()
        })?;
    }
    stages.go_on()?;
    report.set_stages(stages.finish());
    if let Some(staging) = staging {
        Output { tables: &tables, config: &config, ids: &ids, staging: &staging }.summary(&report)?;
        staging.commit()?;
    }
    Ok(report)
}

fn stage(folder: &Path, options: &LinkOptions, progress: &dyn Progress) -> Result<Staging> {
    Ok(Staging::new(folder, options.force, ENTRIES, &check_inputs(options)?, &progress.unfinished())?)
}

/// All files of both tables. No file is in both, and standard input is one of them at most.
fn check_inputs(options: &LinkOptions) -> Result<Vec<InputFile>> {
    let inputs: Vec<PathBuf> = [Some(&options.first), options.second.as_ref()].into_iter().flatten().cloned().collect();
    if inputs.len() > 1 && inputs.iter().all(|input| input.as_os_str() == "-") {
        return Err(lookalike_io::Error::StdinTwice.into());
    }
    Ok(discover(&inputs, options.folder.as_deref())?.files)
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

/// Why two records are a match, or are none.
///
/// # Errors
///
/// As [`link`]; and when there is no record of an id.
pub fn explain(options: &LinkOptions, ids: [&str; 2], progress: &dyn Progress) -> Result<Explanation> {
    check_inputs(options)?;
    let mut stages = Stages::start(progress);
    let tables = stages.run("read", None, || Tables::read(options, progress))?;
    let config = config(&tables, options)?;
    let of_records = tables.ids(&config)?;
    let first_count = tables.first.table.row_count();
    // In two tables the left id is of the first, and the right one of the second.
    let is_two = tables.second.is_some();
    let find = |id: &str, places: std::ops::Range<usize>| {
        let at = of_records[places.clone()].iter().position(|other| other == id);
        at.map(|at| (places.start + at) as u32).ok_or_else(|| Error::NoSuchRecord { id: id.to_owned() })
    };
    let left = find(ids[0], 0..first_count)?;
    let right = find(ids[1], if is_two { first_count..of_records.len() } else { 0..first_count })?;
    let linking = Linking::new(&tables, &config, options.memory, &mut stages)?;
    stages.finish();
    Ok(linking.scorer().explain(left, right))
}
