//! Index files with arbitrary bytes: they are read without a panic, and not trusted.

use std::fs;
use std::path::Path;

use crate::made::Chance;
use lookalike_index::{CreateOptions, Index, NewDocument, hostile};

/// Valid files, each with the fuzz target that reads it.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = Index::create(&path, &CreateOptions::default()).unwrap();
    let writer = index.writer().unwrap();
    let mut chance = Chance::new(1);
    for at in 0..10 {
        writer.put(NewDocument::new(&format!("d{at}"), &chance.text(30)).with_fields("{\"a\":1}")).unwrap();
    }
    writer.delete(&["d1", "d2"]).unwrap();
    writer.compact(false).unwrap();
    drop(writer);
    let mut seeds = Vec::new();
    for (target, folder) in [("frame", "log"), ("segment", "segment"), ("manifest", "manifest")] {
        for entry in fs::read_dir(path.join(folder)).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            // The fuzzer starts at the first frame.
            seeds.push((target, if target == "frame" { bytes[32..].to_vec() } else { bytes }));
        }
    }
    seeds
}

#[test]
fn good_files_are_read() {
    for (number, (target, bytes)) in seeds().into_iter().enumerate() {
        // The fuzzer starts from these files if it requests them.
        if let Some(corpus) = std::env::var_os("FUZZ_CORPUS") {
            let corpus = Path::new(&corpus).join(target);
            fs::create_dir_all(&corpus).unwrap();
            fs::write(corpus.join(format!("seed-{number}")), &bytes).unwrap();
        }
        match target {
            "frame" => assert!(hostile::log(&bytes) > 0),
            "segment" => assert!(hostile::segment(bytes).unwrap() > 0),
            _ => assert!(hostile::manifest(&bytes)),
        }
    }
}

#[test]
fn changed_files_are_read_without_a_panic() {
    let mut chance = Chance::new(2);
    for (target, good) in seeds() {
        for _ in 0..2000 {
            let mut bytes = good.clone();
            for _ in 0..=chance.below(4) {
                let at = chance.below(bytes.len() as u64) as usize;
                // Often near the end, where the footer is.
                let at = if chance.below(2) == 0 { at } else { bytes.len() - 1 - at % bytes.len().min(900) };
                match chance.below(4) {
                    0 => bytes[at] = chance.next() as u8,
                    1 => bytes[at] = b'9',
                    2 => drop(bytes.splice(at..at, [chance.next() as u8])),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            match target {
                "frame" => drop(Some(hostile::log(&bytes))),
                "segment" => drop(hostile::segment(bytes)),
                _ => drop(Some(hostile::manifest(&bytes))),
            }
        }
    }
}
