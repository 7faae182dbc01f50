//! Random puts, replacements, deletes, compactions, merges, copies and reopenings, compared with a map and brute force.

use std::num::NonZeroUsize;
use std::path::Path;

use crate::made::{Chance, Model, check_answer, documents};
use lookalike_index::{CreateOptions, Index, NewDocument, Put, Query, SearchOptions, Store, Writer, snapshot_to};

const THRESHOLD: f64 = 0.8;

/// From this similarity on, one pair in 10^5 is missed: 1 - (1 - 0.93^7)^20, so that a few hundred searches miss none.
const CERTAIN: f64 = 0.93;

fn options() -> SearchOptions {
    SearchOptions::default().with_top(NonZeroUsize::new(1000).unwrap())
}

fn check(index: &Index, model: &Model, chance: &mut Chance) {
    let snapshot = index.snapshot().unwrap();
    assert_eq!(documents(&snapshot), model.documents());
    assert_eq!(snapshot.len(), model.len());
    let ids = model.ids();
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..3.min(ids.len()) {
        let id = &ids[chance.below(ids.len() as u64) as usize];
        let document = snapshot.document(id).unwrap().unwrap();
        assert_eq!(document.text.as_deref(), model.text(id));
        let text = model.text(id).unwrap();
        texts.extend([text.to_owned(), chance.changed(text, 1)]);
    }
    texts.push(chance.text(40));
    let answers = snapshot.search_many(&texts.iter().map(|text| &**text).collect::<Vec<_>>(), &options()).unwrap();
    for (text, answer) in texts.iter().zip(&answers) {
        check_answer(model, text, answer, THRESHOLD, CERTAIN);
        assert_eq!(&snapshot.search(Query::Text(text), &options()).unwrap(), answer);
        assert!(answer.complete);
    }
    assert!(snapshot.document("never").unwrap().is_none());
}

fn small(writer: &Writer) {
    // Low limits, so that a few hundred documents cause flushes, merges and new logs.
    writer.set_limits(40_000, 60_000);
}

fn run(folder: &Path, seed: u64, steps: u64) {
    let chance = &mut Chance::new(seed);
    let mut model = Model::default();
    let mut index = Index::create(&folder.join("index"), &CreateOptions::default()).unwrap();
    let mut writer = index.writer().unwrap();
    small(&writer);
    for step in 0..steps {
        match chance.below(20) {
            0..8 => {
                let mut new: Vec<(String, String, String)> = Vec::new();
                for _ in 0..=chance.below(12) {
                    let id = format!("d{}", chance.below(150));
                    let known = model.ids();
                    let text = match chance.below(4) {
                        0 if !known.is_empty() => {
                            let other = &known[chance.below(known.len() as u64) as usize];
                            let (text, changes) = (model.text(other).unwrap().to_owned(), chance.below(4));
                            if text.is_empty() { text } else { chance.changed(&text, changes) }
                        }
                        1 if chance.below(8) == 0 => String::new(),
                        _ => {
                            let words = 30 + chance.below(60);
                            chance.text(words)
                        }
                    };
                    let fields = if chance.below(2) == 0 { String::new() } else { format!("{{\"step\":{step}}}") };
                    new.push((id, fields, text));
                }
                let all: Vec<NewDocument<'_>> =
                    new.iter().map(|(id, fields, text)| NewDocument::new(id, text).with_fields(fields)).collect();
                let puts = writer.put_many(&all).unwrap();
                for ((id, fields, text), put) in new.iter().zip(puts) {
                    let before = model.clone();
                    model.put(id, fields, text);
                    let expected = match before.text(id) {
                        None => Put::Added,
                        Some(_) if before == model => Put::Unchanged,
                        Some(_) => Put::Replaced,
                    };
                    assert_eq!(put, expected, "{id}");
                }
            }
            8..12 => {
                let ids: Vec<String> = (0..=chance.below(5)).map(|_| format!("d{}", chance.below(150))).collect();
                let deleted = writer.delete(&ids.iter().map(|id| &**id).collect::<Vec<_>>()).unwrap();
                assert_eq!(deleted, ids.iter().filter(|id| model.delete(id)).count() as u64);
            }
            12..15 => check(&index, &model, chance),
            15 => writer.compact(chance.below(2) == 0).unwrap(),
            16 => {
                drop(writer);
                index = Index::open(&folder.join("index")).unwrap();
                check(&index, &model, chance);
                writer = index.writer().unwrap();
                small(&writer);
            }
            17 => {
                let copy = folder.join(format!("copy{step}"));
                snapshot_to(&folder.join("index"), &copy).unwrap();
                let before = model.clone();
                writer.put(NewDocument::new("after", "something that was written after the copy")).unwrap();
                let copied = Index::open(&copy).unwrap();
                check(&copied, &before, chance);
                // The copy is independent.
                copied.writer().unwrap().put(NewDocument::new("own", "a document of the copy alone")).unwrap();
                model.put("after", "", "something that was written after the copy");
                check(&index, &model, chance);
            }
            18 => {
                let other = Index::create(&folder.join(format!("other{step}")), &CreateOptions::default()).unwrap();
                let text = chance.text(50);
                other.writer().unwrap().put(NewDocument::new("from another", &text)).unwrap();
                writer.merge_from(&other).unwrap();
                model.put("from another", "", &text);
            }
            _ => {
                // A reader that does not share state with the writer.
                check(&Index::open(&folder.join("index")).unwrap(), &model, chance);
            }
        }
    }
    check(&index, &model, chance);
    drop(writer);
    let verification = lookalike_index::verify(&folder.join("index"), false).unwrap();
    assert!(verification.problems.is_empty(), "{verification:?}");
    assert_eq!(verification.document_count, model.len());
}

#[test]
fn an_index_has_what_a_map_has_and_finds_what_brute_force_finds() {
    for seed in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), seed, 100);
    }
}

#[test]
fn every_stored_document_finds_itself() {
    let folder = tempfile::tempdir().unwrap();
    for store in [Store::Text, Store::Features] {
        let options = CreateOptions::default().with_store(store);
        let index = Index::create(&folder.path().join(format!("{store:?}")), &options).unwrap();
        let mut chance = Chance::new(5);
        let texts: Vec<String> = (0..300).map(|at| chance.text(1 + at % 90)).collect();
        let ids: Vec<String> = (0..300).map(|at| format!("{at}")).collect();
        let new = ids.iter().zip(&texts).map(|(id, text)| NewDocument::new(id, text));
        let writer = index.writer().unwrap();
        writer.put_many(&new.collect::<Vec<_>>()).unwrap();
        writer.compact(false).unwrap();
        let snapshot = index.snapshot().unwrap();
        for (id, text) in ids.iter().zip(&texts) {
            let answer = snapshot.search(Query::Text(text), &SearchOptions::default()).unwrap();
            let itself = answer.hits.iter().find(|hit| hit.id == *id).unwrap();
            assert!(itself.similarity >= 1.0 && itself.exact_copy);
            let others = snapshot.search(Query::Id(id), &SearchOptions::default()).unwrap();
            assert!(others.hits.iter().all(|hit| hit.id != *id));
        }
    }
}
