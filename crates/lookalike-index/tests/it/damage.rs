//! One flipped bit anywhere is an error that names its file, and never a wrong answer; whatever can be rebuilt from the
//! log is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::made::{Chance, documents};
use lookalike_index::disk::{Disk, Simulated};
use lookalike_index::{Answer, CreateOptions, Error, Index, NewDocument, Query, SearchOptions, Store, verify_on};

fn folder() -> &'static Path {
    Path::new("/index")
}

fn on(disk: &Simulated) -> Arc<dyn Disk> {
    Arc::new(disk.clone())
}

/// An index with two segments, deleted rows, two logs and documents in the log that are in no segment; and texts to
/// search for.
fn made_index(store: Store) -> (Simulated, Vec<String>) {
    let disk = Simulated::default();
    let index = Index::create_on(on(&disk), folder(), &CreateOptions::default().with_store(store)).unwrap();
    let writer = index.writer().unwrap();
    let mut chance = Chance::new(3);
    let texts: Vec<String> = (0..80).map(|_| chance.text(40)).collect();
    let ids: Vec<String> = (0..80).map(|at| format!("d{at}")).collect();
    let new: Vec<NewDocument<'_>> = ids.iter().zip(&texts).map(|(id, text)| NewDocument::new(id, text)).collect();
    writer.set_limits(1, 1);
    writer.put_many(&new[..40]).unwrap();
    writer.delete(&["d3", "d5"]).unwrap();
    writer.put_many(&new[40..70]).unwrap();
    writer.set_limits(1 << 20, 1 << 20);
    writer.put_many(&new[70..]).unwrap();
    writer.delete(&["d60"]).unwrap();
    writer.close().unwrap();
    (disk, texts)
}

type Everything = (Vec<(String, String, String)>, Vec<Answer>);

fn everything(disk: &Simulated, texts: &[String]) -> lookalike_index::Result<Everything> {
    let index = Index::open_on(on(disk), folder())?;
    let snapshot = index.snapshot()?;
    let all = snapshot.documents().collect::<lookalike_index::Result<Vec<_>>>()?;
    let all = all.into_iter().map(|document| (document.id, document.fields, document.text.unwrap_or_default()));
    let answers = texts.iter().map(|text| snapshot.search(Query::Text(text), &SearchOptions::default()));
    Ok((all.collect(), answers.collect::<lookalike_index::Result<_>>()?))
}

fn flipped(disk: &Simulated, file: &Path, bit: usize) -> Simulated {
    let copy = disk.copied();
    let mut bytes = copy.content(file).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    copy.set_content(file, bytes);
    copy
}

/// Offsets throughout a file: every byte at both ends, and every nth in between.
fn places(length: usize) -> Vec<usize> {
    let step = (length / 60).max(1);
    let mut places: Vec<usize> =
        (0..length).step_by(step).chain(0..length.min(48)).chain(length.saturating_sub(48)..length).collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[test]
fn one_flipped_bit_is_an_error_that_names_its_file_and_never_another_answer() {
    for store in [Store::Text, Store::Features] {
        let (disk, texts) = made_index(store);
        let before = everything(&disk, &texts).unwrap();
        assert!(verify_on(&on(&disk), folder(), false).unwrap().problems.is_empty());
        let mut kinds: Vec<String> = Vec::new();
        for file in disk.files() {
            kinds.push(file.extension().map(|end| end.to_string_lossy().into_owned()).unwrap_or_default());
            let length = disk.content(&file).unwrap().len();
            for (at, place) in places(length).into_iter().enumerate() {
                let damaged = flipped(&disk, &file, place * 8 + at % 8);
                let shown = format!("{} byte {place}", file.display());
                match everything(&damaged, &texts) {
                    Ok(after) => assert_eq!(after, before, "{shown}"),
                    Err(Error::Damaged { path, .. }) => assert_eq!(path, file, "{shown}"),
                    Err(other) => panic!("{shown}: {other}"),
                }
                let found = verify_on(&on(&damaged), folder(), false).unwrap();
                let name = file.strip_prefix(folder()).unwrap().to_string_lossy().into_owned();
                assert!(found.problems.iter().any(|problem| problem.file == name), "{shown}: {found:?}");
            }
        }
        kinds.sort();
        kinds.dedup();
        assert_eq!(kinds, ["bits", "json", "log", "seg"]);
    }
}

#[test]
fn what_the_log_can_make_again_is_repaired() {
    for store in [Store::Text, Store::Features] {
        let (disk, texts) = made_index(store);
        let before = everything(&disk, &texts).unwrap();
        let repaired = |file: &PathBuf| {
            file.extension().is_some_and(|end| end == "seg" || end == "bits")
                || file.parent().is_some_and(|parent| parent.ends_with("manifest"))
        };
        for file in disk.files().into_iter().filter(repaired) {
            let length = disk.content(&file).unwrap().len();
            for place in [length / 3, length - 9] {
                let damaged = flipped(&disk, &file, place * 8);
                let verification = verify_on(&on(&damaged), folder(), true).unwrap();
                assert!(verification.repaired, "{}: {verification:?}", file.display());
                assert_eq!(everything(&damaged, &texts).unwrap(), before, "{}", file.display());
                // It can also be written to.
                let index = Index::open_on(on(&damaged), folder()).unwrap();
                index.writer().unwrap().put(NewDocument::new("new", "a new document after the repair")).unwrap();
                assert_eq!(documents(&index.snapshot().unwrap()).len(), before.0.len() + 1);
            }
        }
    }
}

/// Contents of an index, by id.
fn by_id(disk: &Simulated) -> BTreeMap<String, Option<String>> {
    let index = Index::open_on(on(disk), folder()).unwrap();
    let snapshot = index.snapshot().unwrap();
    snapshot.documents().map(Result::unwrap).map(|document| (document.id, document.text)).collect()
}

#[test]
fn of_a_log_with_a_flipped_bit_all_else_is_saved_and_what_is_lost_is_named() {
    for store in [Store::Text, Store::Features] {
        let (disk, _) = made_index(store);
        let before = by_id(&disk);
        let logs: Vec<PathBuf> =
            disk.files().into_iter().filter(|file| file.extension().is_some_and(|end| end == "log")).collect();
        assert!(logs.len() > 1);
        let mut lost_count = 0;
        for log in &logs {
            let length = disk.content(log).unwrap().len();
            for (at, place) in places(length).into_iter().enumerate() {
                let damaged = flipped(&disk, log, place * 8 + at % 8);
                let bytes = damaged.content(log).unwrap();
                let shown = format!("{} byte {place}", log.display());
                let verification = verify_on(&on(&damaged), folder(), true).unwrap();
                assert!(verification.repaired, "{shown}: {verification:?}");
                let after = by_id(&damaged);
                let gone: Vec<&String> = before.keys().filter(|id| !after.contains_key(*id)).collect();
                // A deleted document that is not in a segment reappears if its deletion is lost.
                let again: Vec<&String> = after.keys().filter(|id| !before.contains_key(*id)).collect();
                let counts: Option<u64> = verification.lost.iter().map(|lost| lost.document_count).sum();
                assert!(counts.is_none_or(|count| count == gone.len() as u64), "{shown}: {gone:?} {verification:?}");
                let deletions: u64 = verification.lost.iter().map(|lost| lost.deletion_count).sum();
                assert!(again.is_empty() || deletions > 0, "{shown}: {again:?}");
                assert!(gone.is_empty() || verification.lost.iter().any(|lost| lost.file.starts_with("log/")));
                for lost in &verification.lost {
                    assert!((lost.from..lost.to).contains(&(place as u64)), "{shown}: {lost:?}");
                    // Ids of documents in a segment are known by their hashes; others are as damaged as their frame.
                    let is_known = |id: &String| gone.contains(&id) || log == logs.last().unwrap();
                    assert!(lost.ids.iter().all(is_known) && lost.ids.len() <= gone.len(), "{shown}: {lost:?}");
                }
                // Frames are small: one bit costs only a part of the log.
                assert!(gone.len() < 40, "{shown}: {} of {} documents", gone.len(), before.len());
                assert!(after.iter().all(|(id, text)| again.contains(&id) || before[id] == *text), "{shown}");
                let aside = folder().join("damaged").join(log.file_name().unwrap());
                assert!(damaged.content(&aside).is_none_or(|kept| kept == bytes), "{shown}");
                assert!(verification.lost.is_empty() || damaged.content(&aside).is_some(), "{shown}");
                lost_count += gone.len();
                let index = Index::open_on(on(&damaged), folder()).unwrap();
                index.writer().unwrap().put(NewDocument::new("new", "a new document after the repair")).unwrap();
                assert_eq!(index.snapshot().unwrap().len() as usize, after.len() + 1, "{shown}");
            }
        }
        assert!(lost_count > 0);
    }
}

#[test]
fn of_an_index_without_one_of_its_logs_the_others_are_saved() {
    let (disk, _) = made_index(Store::Text);
    let before = by_id(&disk);
    let log = disk.files().into_iter().find(|file| file.extension().is_some_and(|end| end == "log")).unwrap();
    disk.remove(&log).unwrap();
    let verification = verify_on(&on(&disk), folder(), true).unwrap();
    assert!(verification.repaired, "{verification:?}");
    let after = by_id(&disk);
    assert!(!after.is_empty() && after.iter().all(|(id, text)| before[id] == *text));
    let [lost] = &verification.lost[..] else { panic!("{verification:?}") };
    assert_eq!(lost.document_count, Some((before.len() - after.len()) as u64), "{lost:?}");
}

#[test]
fn files_of_others_and_leftovers_are_ignored() {
    let (disk, texts) = made_index(Store::Text);
    let before = everything(&disk, &texts).unwrap();
    let foreign = [
        "manifest/notes.txt",
        "segment/99999999.seg",
        "log/00000099.log",
        "log/.hidden",
        "deleted/00000001-9.bits",
        "manifest/00000099.tmp",
    ];
    for name in foreign {
        disk.set_content(&folder().join(name), b"not ours".to_vec());
    }
    assert_eq!(everything(&disk, &texts).unwrap(), before);
    // A writer removes only files with names of the index.
    let index = Index::open_on(on(&disk), folder()).unwrap();
    index.writer().unwrap().put(NewDocument::new("one more", "one more document")).unwrap();
    let left: Vec<&str> = foreign.into_iter().filter(|name| disk.content(&folder().join(name)).is_some()).collect();
    assert_eq!(left, ["manifest/notes.txt", "log/.hidden"]);
    assert_eq!(index.snapshot().unwrap().len() as usize, before.0.len() + 1);
}
