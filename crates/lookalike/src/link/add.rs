//! New records to a finished result: its clusters keep their numbers, and those that became one are listed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::slice;

use lookalike_core::link::config::Config;
use lookalike_core::link::decide::matches;
use lookalike_core::link::extend::{clusters_before, extend};
use lookalike_core::link::key::{Bounds, find_candidates};
use lookalike_core::link::records::Records;
use lookalike_core::link::weigh::{Frequencies, Model, compare_all};
use lookalike_core::table::Table;
use lookalike_io::bounds::InputLimit;
use lookalike_io::read::Settings;
use lookalike_io::table::{ReadTable, read_table};
use lookalike_io::write::Staging;

use super::need::{Need, check_candidates};
use super::output::{Decided, Output, PairRows};
use super::report::{Added, LinkReport};
use super::{ENTRIES, Linking, Tables};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::report::stages::Stages;
use crate::resources::memory::Memory;

/// What [`add_records`] is asked to do.
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// The new records: a table with the columns of the old one.
    pub new: PathBuf,
    /// The longest row that is read, in bytes.
    pub longest: u32,
    /// How much is read of all files together.
    pub limit: InputLimit,
    /// How much memory may be used.
    pub memory: Memory,
    /// The folder of a result of one table.
    pub folder: PathBuf,
}

/// The columns that a result has before those of its table.
const OWN_COLUMNS: [&str; 2] = ["cluster", "is_best"];

/// Adds records to a finished result, which is replaced by the new one.
///
/// What the result was decided by decides about the new records too: its config, its weights and its threshold. Only pairs
/// with a new record are compared.
///
/// # Errors
///
/// When the folder has no result of one table, the new table has other columns, or an id is there already.
pub fn add_records(options: &AddOptions, progress: &dyn Progress) -> Result<LinkReport> {
    let folder = &options.folder;
    let mut stages = Stages::start(progress);
    let (config, decided) = (read_config(folder)?, read_decided(folder)?);
    let (tables, old_clusters) = stages.run("read", None, || {
        let (old, old_clusters) = old_records(folder, options)?;
        let settings = Settings {
            longest: options.longest,
            limit: options.limit.anew().with_window_log(options.memory.window_log(1)),
            ..Settings::default()
        };
        let before = Need::of_table(&old);
        let new = read_table(slice::from_ref(&options.new), None, &settings, |reading| {
            progress.go_on()?;
            before.and(Need::of_reading(reading)).check_held(options.memory)
        })?;
        Ok::<_, Error>((Tables { first: joined(&old, new, &config, options)?, second: None }, old_clusters))
    })?;
    let ids = tables.ids(&config)?;
    let linking = stages.run("link", None, || added(options, &tables, &config, &old_clusters, decided.model))?;
    stages.go_on()?;
    let matches = matches(&linking.records, &linking.scored, decided.threshold);
    let extension = stages.run("cluster", None, || extend(&linking.scorer(), &matches, &old_clusters));

    let staging = Staging::new(folder, true, ENTRIES, &[], &progress.unfinished())?;
    let output = Output { tables: &tables, config: &config, ids: &ids, staging: &staging };
    stages.run("write", None, || {
        let before = result_table(folder, "matches.csv", options)?;
        let scorer = linking.scorer();
        let pairs = PairRows::new(&output, &scorer);
        if before.names() != pairs.names() {
            return Err(not_a_result(folder, "matches.csv has other columns: link everything again"));
        }
        output.write("matches.csv", before.names(), |writer| {
            for row in 0..before.row_count() {
                writer.write_record(before.row(row))?;
            }
            matches.iter().try_for_each(|found| writer.write_record(pairs.row(found)))
        })?;
        output.clusters(&extension.cluster_of)?;
        output.linked(&linking.records, &extension.cluster_of)?;
        output.write("merges.csv", &["from", "into"], |writer| {
            let mut merges = extension.merges.iter();
            merges.try_for_each(|merge| writer.write_record([merge.from.to_string(), merge.into.to_string()]))
        })?;
        output.decided(&linking.model, decided.threshold)?;
        output.config()
    })?;
    let mut report = LinkReport::new(&tables, &config, &linking, &matches, decided.threshold);
    report.set_clusters(&extension.cluster_of, &matches);
    report.added =
        Some(Added { records: (ids.len() - old_clusters.len()) as u64, merges: extension.merges.len() as u64 });
    stages.go_on()?;
    report.set_stages(stages.finish());
    output.summary(&report)?;
    staging.commit()?;
    Ok(report)
}

/// Compares the new records with all, by what decided about the old.
fn added(
    options: &AddOptions,
    tables: &Tables,
    config: &Config,
    old_clusters: &[u64],
    model: Model,
) -> Result<Linking> {
    let folder = &options.folder;
    let most = tables.need().check(config, options.memory)?;
    let records = Records::prepare(&tables.first.table, None, config)?;
    let fields = records.fields().iter().map(|field| (&field.name, field.kind));
    if fields.ne(model.fields.iter().map(|field| (&field.name, field.kind))) {
        return Err(not_a_result(
            folder,
            "link.toml was changed since, and other columns are compared: link everything again",
        ));
    }
    let bounds = Bounds { from: old_clusters.len() as u32, most, ..Bounds::for_count(records.count()) };
    let candidates = find_candidates(&records, &bounds);
    check_candidates(&candidates, options.memory)?;
    let patterns = compare_all(&records, &candidates);
    let frequencies = Frequencies::of_clusters(&records, &clusters_before(&records, old_clusters), &model);
    Ok(Linking::score(records, candidates, &patterns, model, frequencies))
}

fn not_a_result(folder: &Path, reason: impl Into<String>) -> Error {
    Error::NotALinkResult { folder: lookalike_io::remote::shown_path(folder), reason: reason.into() }
}

fn read_result(folder: &Path, name: &str) -> Result<String> {
    std::fs::read_to_string(folder.join(name)).map_err(|error| not_a_result(folder, format!("{name}: {error}")))
}

fn read_config(folder: &Path) -> Result<Config> {
    let text = read_result(folder, "link.toml")?;
    toml::from_str(&text).map_err(|error| not_a_result(folder, format!("link.toml: {}", error.message())))
}

fn read_decided(folder: &Path) -> Result<Decided> {
    let text = read_result(folder, "model.json")?;
    serde_json::from_str(&text).map_err(|error| not_a_result(folder, format!("model.json: {error}")))
}

/// A table of the result.
fn result_table(folder: &Path, name: &str, options: &AddOptions) -> Result<Table> {
    let settings = Settings { delimiter: Some(b','), ..Settings::default() };
    let go_on = |reading| Need::of_reading(reading).check_held(options.memory);
    Ok(read_table(&[folder.join(name)], None, &settings, go_on)?.table)
}

/// The records of the result as they came, and the cluster of each.
fn old_records(folder: &Path, options: &AddOptions) -> Result<(Table, Vec<u64>)> {
    let linked = result_table(folder, "linked.csv", options)?;
    if linked.names().iter().take(OWN_COLUMNS.len()).ne(OWN_COLUMNS.iter()) {
        return Err(not_a_result(folder, "linked.csv has other columns"));
    }
    if linked.names().get(OWN_COLUMNS.len()).is_some_and(|name| name == "table") {
        return Err(not_a_result(folder, "it links two tables, and records can be added to a result of one"));
    }
    let clusters = linked.column(0).iter().map(str::parse::<u64>).collect::<std::result::Result<Vec<_>, _>>();
    let clusters = clusters.map_err(|_| not_a_result(folder, "a cluster of linked.csv is not a number"))?;
    let mut table = Table::new(&linked.names()[OWN_COLUMNS.len()..]);
    for row in 0..linked.row_count() {
        table.push(&linked.row(row).skip(OWN_COLUMNS.len()).collect::<Vec<_>>())?;
    }
    Ok((table, clusters))
}

/// Old records and new ones in one table, with the columns of the old.
fn joined(old: &Table, mut new: ReadTable, config: &Config, options: &AddOptions) -> Result<ReadTable> {
    new.require_rows()?;
    let does_not_fit = |reason: String| not_a_result(&options.folder, format!("{}: {reason}", new.name));
    let places = old.names().iter().map(|name| new.table.find(name)).collect::<lookalike_core::error::Result<Vec<_>>>();
    let places = places.map_err(|error| does_not_fit(error.to_string()))?;
    if let Some(id) = &config.id {
        let known: HashSet<&str> = old.column(old.find(id)?).iter().collect();
        if let Some(twice) = new.table.column(new.table.find(id)?).iter().find(|id| known.contains(id)) {
            return Err(does_not_fit(format!("the result has the id '{twice}' already")));
        }
    }
    let mut table = old.clone();
    for row in 0..new.table.row_count() {
        let cells: Vec<&str> = places.iter().map(|place| new.table.column(*place).get(row)).collect();
        table.push(&cells)?;
    }
    new.table = table;
    Ok(new)
}
