//! Readers and writers in other processes: acknowledged writes are visible, and survive the death of the writer.

mod made;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use lookalike_index::{CreateOptions, Error, Index, NewDocument, Query, SearchOptions};
use made::{Chance, documents};

const FOLDER: &str = "LOOKALIKE_INDEX_OF_A_TEST";

/// Number of writers to kill; `cargo xtask kills` sets a high one.
const KILLS: &str = "LOOKALIKE_KILLS";

#[test]
#[ignore = "not a test: the process that others kill"]
fn the_other_process_writes() {
    let folder = std::env::var(FOLDER).unwrap();
    let index = Index::open(Path::new(&folder)).unwrap();
    let writer = index.writer().unwrap();
    writer.set_limits(30_000, 40_000);
    let start = index.snapshot().unwrap().stat().manifest * 100_000;
    for at in start.. {
        let id = format!("d{at}");
        writer.put(NewDocument::new(&id, &text_of(&id))).unwrap();
        if at % 3 == 0 {
            writer.delete(&[&id]).unwrap();
            println!("\ndeleted {id}");
        } else {
            println!("\nput {id}");
        }
    }
}

fn text_of(id: &str) -> String {
    Chance::new(id[1..].parse().unwrap()).text(25)
}

fn start(folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "the_other_process_writes", "--ignored", "--nocapture"]);
    command.env(FOLDER, folder).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_writer_that_is_killed_loses_nothing_that_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let reader = Index::create(&path, &CreateOptions::default()).unwrap();
    let (mut put, mut deleted): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let rounds = std::env::var(KILLS).map_or(5, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let mut child = start(&path);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut seen = 0;
        for line in lines {
            let Some((what, id)) = line.split_once(' ') else { continue };
            match what {
                "put" => put.push(id.to_owned()),
                "deleted" => deleted.push(id.to_owned()),
                _ => continue,
            }
            seen += 1;
            if seen == 5 {
                assert!(
                    matches!(reader.writer(), Err(Error::Locked { process_id, .. }) if process_id == Some(child.id()))
                );
            }
            if seen % 10 == 0 && what == "put" {
                // This process sees what the other one has acknowledged.
                let hits = reader
                    .snapshot()
                    .unwrap()
                    .search(Query::Text(&text_of(id)), &SearchOptions::default())
                    .unwrap()
                    .hits;
                assert!(hits.iter().any(|hit| hit.id == id && hit.exact_copy), "{id}");
            }
            if seen == 20 + round * 17 % 157 {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        for index in [&reader, &Index::open(&path).unwrap()] {
            let found: Vec<String> = documents(&index.snapshot().unwrap()).into_iter().map(|(id, ..)| id).collect();
            assert!(put.iter().all(|id| found.contains(id)), "nothing is lost");
            assert!(!deleted.iter().any(|id| found.contains(id)), "nothing comes back");
        }
    }
    let verification = lookalike_index::verify(&path, false).unwrap();
    assert!(verification.problems.is_empty(), "{verification:?}");
}
