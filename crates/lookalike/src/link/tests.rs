//! Compares the typed rows of tables in memory with the files written from the same tables in files.

use std::path::PathBuf;

use lookalike_core::table::Table;
use lookalike_io::read::Settings;
use lookalike_io::table::memory::MemoryTable;
use lookalike_io::table::read_table;

use super::*;
use crate::options::RowFormat;
use crate::output::sink::{Row, RowWriter};
use crate::request::LinkRequest;

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/customers.csv")
}

fn options() -> LinkOptions {
    LinkRequest::default().id("id").check().unwrap()
}

fn customers() -> Table {
    read_table(&[examples()], None, &Settings::default(), |_| Ok::<_, Error>(())).unwrap().table
}

/// Rows as CSV, without the names of the columns.
fn lines<R: Row>(rows: Vec<R>) -> String {
    let mut bytes = Vec::new();
    RowWriter::new(&mut bytes, RowFormat::Csv).take(rows).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[derive(Default)]
struct Found {
    report: Option<LinkReport>,
    matches: Vec<MatchRow>,
    clusters: Vec<ClusterRow>,
    linked: Vec<LinkedRow>,
}

fn find(options: &LinkOptions) -> Found {
    let mut found = Found::default();
    let Found { matches, clusters, linked, .. } = &mut found;
    let rows = LinkRows::default().matches(matches).clusters(clusters).linked(linked);
    found.report = Some(link_into(options, rows, &Silent).unwrap());
    found
}

/// Checks that tables in files and the same tables in memory have the same output.
fn check(tables: &[Table], is_within: bool) -> Found {
    let folder = tempfile::tempdir().unwrap();
    let path = |at: usize| folder.path().join(format!("{at}.csv"));
    for (at, table) in tables.iter().enumerate() {
        let rows = (0..table.row_count()).map(|row| rows::TextRow(table.row(row).collect()));
        std::fs::write(path(at), format!("{}\n{}", table.names().join(","), lines(rows.collect()))).unwrap();
    }
    let out = folder.path().join("out");
    let written = LinkOptions {
        tables: (0..tables.len()).map(path).collect(),
        within: is_within,
        folder: Some(out.clone()),
        ..options()
    };
    link(&written, &Silent).unwrap();
    let in_memory = tables.iter().map(|table| MemoryTable::new("customers", table.clone())).collect();
    let found = find(&LinkOptions { in_memory, within: is_within, ..options() });
    let file = |name: &str| std::fs::read_to_string(out.join(name)).unwrap().split_once('\n').unwrap().1.to_owned();
    assert_eq!(file("matches.csv"), lines(found.matches.clone()));
    assert_eq!(file("clusters.csv"), lines(found.clusters.clone()));
    assert_eq!(file("linked.csv"), lines(found.linked.clone()));
    assert_eq!(std::fs::read_to_string(out.join("model.json")).unwrap(), found.report.as_ref().unwrap().model);
    found
}

#[test]
fn rows_of_a_table_in_memory_are_those_of_its_file() {
    let found = check(&[customers()], false);
    assert_eq!((found.matches.len(), found.clusters.len(), found.linked.len()), (5, 16, 16));
    assert!(found.matches.iter().all(|row| row.left_table.is_none() && row.fields.len() > 2), "{:?}", found.matches);
    let json = serde_json::to_string(&found.matches).unwrap();
    assert_eq!(serde_json::from_str::<Vec<MatchRow>>(&json).unwrap(), found.matches);
}

#[test]
fn two_tables_in_memory_are_linked_as_their_files_are() {
    let all = customers();
    let mut halves = [Table::new(all.names().to_vec()), Table::new(all.names().to_vec())];
    for row in 0..all.row_count() {
        halves[row % 2].push(&all.row(row).collect::<Vec<_>>()).unwrap();
    }
    assert!(check(&halves, false).clusters.iter().any(|row| row.table == Some(2)));
    assert!(check(&halves, true).matches.iter().all(|row| row.left_table.is_some()));
}

#[test]
fn the_weights_of_a_result_in_memory_are_those_of_its_file() {
    let in_memory = vec![MemoryTable::new("customers", customers())];
    let first = find(&LinkOptions { in_memory: in_memory.clone(), ..options() });
    let model = first.report.unwrap().model;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    std::fs::write(&path, &model).unwrap();
    let [by_text, by_file] = [LinkModel::Text(model), LinkModel::File(path)]
        .map(|model| find(&LinkOptions { in_memory: in_memory.clone(), model: Some(model), ..options() }));
    assert_eq!(by_text.matches, by_file.matches);
    let wrong = LinkOptions { in_memory, model: Some(LinkModel::Text("{}".to_owned())), ..options() };
    assert!(matches!(link(&wrong, &Silent), Err(Error::NotAModel { path, .. }) if path == "the model"));
}

#[test]
fn no_table_is_an_error() {
    assert!(link(&options(), &Silent).is_err());
}
