//! New records to a finished result: its clusters keep their numbers, and those that became one are listed.

use std::path::PathBuf;

use lookalike_core::link::config::Config;
use lookalike_core::link::extend::extend;
use lookalike_core::link::score::Scored;
use lookalike_core::table::Table;
use lookalike_io::table::{ReadTable, read_table};
use lookalike_io::write::Staging;

use super::output::{self, Output, match_row};
use super::report::LinkReport;
use super::{ENTRIES, Linking, Tables};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::stages::Stages;

/// What [`add_records`] is asked to do.
#[derive(Clone, Debug)]
pub struct AddOptions {
    /// The new records: a table with the columns of the old one.
    pub new: PathBuf,
    /// The folder of a result of one table.
    pub folder: PathBuf,
}

/// The columns that a result has before those of its table.
const OWN_COLUMNS: [&str; 2] = ["cluster", "is_best"];

/// Adds records to a finished result, which is replaced by the new one.
///
/// # Errors
///
/// When the folder has no result of one table, the new table has other columns, or an id is there already.
pub fn add_records(options: &AddOptions, progress: &dyn Progress) -> Result<LinkReport> {
    let folder = &options.folder;
    let config = config(options)?;
    let mut stages = Stages::start(progress);
    let (old, cluster_of) = stages.run("read", None, || old_records(options))?;
    let new = read_table(&options.new)?;
    let old_count = old.row_count();
    let tables = Tables { first: joined(old, new, options)?, second: None };
    let ids = tables.ids(&config)?;
    let linking = Linking::new(&tables, &config, &mut stages)?;
    let (matches, threshold) = linking.matches(&config);
    // What was decided about old records stays.
    let is_new = |found: &&Scored| found.right as usize >= old_count || found.left as usize >= old_count;
    let added: Vec<Scored> = matches.iter().filter(is_new).copied().collect();
    let extension = stages.run("cluster", None, || extend(&linking.scorer(), &added, &cluster_of));

    let staging = Staging::new(folder, true, ENTRIES, &[])?;
    let output = Output { tables: &tables, config: &config, ids: &ids, staging: &staging };
    stages.run("write", None, || {
        let before = read_table(&folder.join("matches.csv"))?.table;
        let names: Vec<&str> = before.names().iter().map(String::as_str).collect();
        output.write("matches.csv", &names, |writer| {
            for row in 0..before.row_count() {
                writer.write_record((0..names.len()).map(|column| before.column(column).get(row)))?;
            }
            added.iter().try_for_each(|found| writer.write_record(match_row(&linking.scorer(), found, &ids)))
        })?;
        output.clusters(&extension.cluster_of)?;
        output.linked(&linking.records, &extension.cluster_of)?;
        output.write("merges.csv", &["from", "into"], |writer| {
            let mut merges = extension.merges.iter();
            merges.try_for_each(|merge| writer.write_record([merge.from.to_string(), merge.into.to_string()]))
        })?;
        output.config()
    })?;
    let clusters = lookalike_core::link::cluster::Clusters::join(&linking.scorer(), &[]);
    let mut report = LinkReport::new(&tables, &config, &linking, &added, &clusters, threshold);
    report.set_clusters(&extension.cluster_of);
    report.merges = extension.merges.len() as u64;
    report.set_stages(stages.finish());
    output::summary(&report, &staging)?;
    staging.commit()?;
    Ok(report)
}

fn config(options: &AddOptions) -> Result<Config> {
    let path = options.folder.join("link.toml");
    let not_a_result = |reason: String| Error::NotALinkResult { folder: options.folder.display().to_string(), reason };
    let text = std::fs::read_to_string(&path).map_err(|error| not_a_result(format!("{}: {error}", path.display())))?;
    toml::from_str(&text).map_err(|error| not_a_result(format!("{}: {error}", path.display())))
}

/// The records of the result as they came, and the cluster of each.
fn old_records(options: &AddOptions) -> Result<(Table, Vec<u64>)> {
    let not_a_result = |reason: &str| Error::NotALinkResult {
        folder: options.folder.display().to_string(),
        reason: reason.to_owned(),
    };
    let linked = read_table(&options.folder.join("linked.csv"))?.table;
    if linked.names().iter().take(OWN_COLUMNS.len()).ne(OWN_COLUMNS.iter()) {
        return Err(not_a_result("linked.csv has other columns"));
    }
    if linked.names().get(OWN_COLUMNS.len()).is_some_and(|name| name == "table") {
        return Err(not_a_result("it links two tables: records can be added to a result of one"));
    }
    let clusters = linked.column(0).iter().map(str::parse::<u64>).collect::<std::result::Result<Vec<_>, _>>();
    let clusters = clusters.map_err(|_| not_a_result("a cluster is not a number"))?;
    let names = &linked.names()[OWN_COLUMNS.len()..];
    let mut table = Table::new(names.iter().cloned());
    for row in 0..linked.row_count() {
        let cells: Vec<&str> = (0..names.len()).map(|at| linked.column(OWN_COLUMNS.len() + at).get(row)).collect();
        table.push(&cells)?;
    }
    Ok((table, clusters))
}

/// Old records and new ones in one table, with the columns of the old.
fn joined(mut old: Table, new: ReadTable, options: &AddOptions) -> Result<ReadTable> {
    let places = old.names().iter().map(|name| new.table.find(name)).collect::<lookalike_core::error::Result<Vec<_>>>();
    let places = places.map_err(|error| Error::NotALinkResult {
        folder: options.folder.display().to_string(),
        reason: format!("{} does not fit: {error}", options.new.display()),
    })?;
    for row in 0..new.table.row_count() {
        let cells: Vec<&str> = places.iter().map(|place| new.table.column(*place).get(row)).collect();
        old.push(&cells)?;
    }
    Ok(ReadTable { table: old, ..new })
}
