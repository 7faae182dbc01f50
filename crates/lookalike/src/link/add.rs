//! Adds new records to a finished result: its clusters keep their numbers, and merged clusters are listed.

use std::collections::HashSet;
use std::path::Path;
use std::slice;

use lookalike_core::ids::Record;
use lookalike_core::link::config::Config;
use lookalike_core::link::decide::matches;
use lookalike_core::link::extend::{clusters_before, extend};
use lookalike_core::link::key::{Bounds, try_find_candidates};
use lookalike_core::link::records::Records;
use lookalike_core::link::weigh::{Frequencies, Model, try_compare_all};
use lookalike_core::table::Table;
use lookalike_io::read::Settings;
use lookalike_io::table::{ReadTable, read_table_except};
use lookalike_io::write::Staging;

use super::need::{Need, check_candidates};
use super::output::{Made, Output, PairRows, best_of_clusters, texts};
use super::report::{AddedRecords, LinkReport};
use super::result::Finished;
use super::rows::{MatchRow, TextRow};
use super::tables::Tables;
use super::{ENTRIES, Linking, bounds};
use crate::error::{Error, Result};
use crate::options::AddRecordsOptions;
use crate::output::sink::Sink;
use crate::progress::Progress;
use crate::run::stages::Stages;

/// The columns of `merges.csv`: the run that added records, the cluster that was merged, and the one it became part of.
const MERGES: [&str; 3] = ["run", "from", "into"];

/// Adds records to a finished result, which is replaced by the new one.
///
/// New records are judged by the config, the weights and the threshold of the result. Only pairs with a new record are
/// compared.
///
/// # Errors
///
/// If the folder has no result of a single table, the new table has other columns, or an id already exists.
pub fn add_records(options: &AddRecordsOptions, progress: &dyn Progress) -> Result<LinkReport> {
    let folder = &options.folder;
    let finished = Finished { folder, memory: options.resources.memory, refuse: not_a_result };
    let mut stages = Stages::start(progress);
    let (config, decided) = (finished.config()?, finished.decided()?);
    let (tables, old_clusters) = stages.run("read", None, || {
        let (old, old_clusters) = finished.records(&config)?;
        if old.are_several() {
            return Err(finished.refused("it links several tables, and records can be added to a result of one"));
        }
        let old = old.first.table;
        let settings = Settings {
            longest: options.resources.longest,
            limit: options.resources.limit.anew().with_window_log(options.resources.memory.window_log(1)),
            ..Settings::default()
        };
        let before = Need::of_table(&old);
        let (new, exclude) = (slice::from_ref(&options.new), &options.resources.exclude);
        let new = read_table_except(new, exclude, None, &settings, |reading| {
            progress.go_on()?;
            before.and(Need::of_reading(reading)).check_held(options.resources.memory)
        })?;
        Ok::<_, Error>((Tables::one(joined(&old, new, &config, &finished)?), old_clusters))
    })?;
    let ids = tables.ids(&config)?;
    let link = || added(&finished, &tables, &config, &old_clusters, decided.model, progress);
    let linking = stages.run("link", None, link)?;
    stages.go_on()?;
    let matches = matches(&linking.records, &linking.scored, decided.threshold);
    let extension = stages.run("cluster", None, || extend(&linking.scorer(), &matches, &old_clusters));

    let staging = Staging::new(folder, true, ENTRIES, &[], &progress.unfinished())?;
    let output = Output { made: Made { tables: &tables, config: &config, ids: &ids }, staging: &staging };
    stages.run("write", None, || {
        let before = finished.table("matches.csv")?;
        let scorer = linking.scorer();
        let pairs = PairRows::new(output.made, &scorer);
        if before.names() != pairs.names() {
            return Err(finished.refused("matches.csv has other columns: link everything again"));
        }
        output.write("matches.csv", |file| {
            Sink::<MatchRow>::start(file, &texts(before.names()))?;
            file.take(all_rows(&before))?;
            file.take(matches.iter().map(|found| pairs.row(found)).collect())?;
            Sink::<MatchRow>::finish(file)
        })?;
        output.clusters(&extension.cluster_of)?;
        let is_best = best_of_clusters(&linking.records, &extension.cluster_of);
        output.linked(&is_best, &extension.cluster_of)?;
        output.merged(&is_best, &extension.cluster_of)?;
        let (mut merges, runs) = merges_before(&finished)?;
        for merge in &extension.merges {
            merges.push(&[runs + 1, merge.from, merge.into].map(|number| number.to_string()))?;
        }
        output.write("merges.csv", |file| {
            Sink::<TextRow<'_>>::start(file, &MERGES)?;
            file.take(all_rows(&merges))?;
            Sink::<TextRow<'_>>::finish(file)
        })?;
        output.decided(&linking, decided.threshold)?;
        output.config()
    })?;
    let mut report = LinkReport::new(&tables, &config, &linking, &matches, decided.threshold);
    report.set_clusters(&extension.cluster_of, &matches);
    report.added = Some(AddedRecords {
        record_count: (ids.len() - old_clusters.len()) as u64,
        merge_count: extension.merges.len() as u64,
    });
    stages.go_on()?;
    report.set_stages(stages.finish());
    output.summary(&report)?;
    staging.commit()?;
    Ok(report)
}

/// Compares the new records with all records, by the model of the result.
fn added(
    finished: &Finished<'_>,
    tables: &Tables,
    config: &Config,
    old_clusters: &[u64],
    model: Model,
    progress: &dyn Progress,
) -> Result<Linking> {
    let most = tables.need().check(config, finished.memory)?;
    let records = Records::prepare(&tables.first.table, None, config)?;
    finished.check(&model, &records)?;
    let bounds = Bounds { from: Record(old_clusters.len() as u32), most, ..bounds(&records, config) };
    let go_on = || progress.go_on();
    let candidates = try_find_candidates(&records, &bounds, go_on)?;
    check_candidates(&candidates, finished.memory)?;
    let patterns = try_compare_all(&records, &candidates, go_on)?;
    let frequencies = Frequencies::of_clusters(&records, &clusters_before(&records, old_clusters), &model);
    Linking::score(records, candidates, &patterns, model, frequencies, progress)
}

/// The rows of a table, unchanged.
fn all_rows(table: &Table) -> Vec<TextRow<'_>> {
    (0..table.row_count()).map(|row| TextRow(table.row(row).collect())).collect()
}

fn not_a_result(folder: &Path, reason: String) -> Error {
    Error::NotALinkResult { folder: lookalike_io::remote::shown_path(folder), reason }
}

/// The clusters that became part of another in earlier runs, and the number of runs.
fn merges_before(finished: &Finished<'_>) -> Result<(Table, u64)> {
    let mut merges = Table::new(MERGES);
    if finished.folder.join("merges.csv").is_file() {
        let before = finished.table("merges.csv")?;
        if before.names() == MERGES {
            merges = before;
        }
    }
    let runs = merges.column(0).iter().filter_map(|run| run.parse().ok()).max().unwrap_or(0);
    Ok((merges, runs))
}

/// Old and new records in one table, with the columns of the old one.
fn joined(old: &Table, mut new: ReadTable, config: &Config, finished: &Finished<'_>) -> Result<ReadTable> {
    new.require_rows()?;
    let does_not_fit = |reason: String| finished.refused(format!("{}: {reason}", new.name));
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
