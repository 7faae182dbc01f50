//! The saved index and the job agree: what is added online is what would be kept in one run, an index stands for its files, and every
//! answer is that of the judge.

mod made;

use std::fs;

use lookalike::core::decision::Scope;
use lookalike::core::resolve::keep::Keep;
use lookalike::index::{
    self, AddOptions, CreateOptions, Index, NewDocument, Put, Query, SearchOptions, Searchable, Store,
};
use lookalike::texts::{self, Fate, TextOptions};
use lookalike::{Against, AgainstIndex, DedupOptions, ReadOptions, Scheme, Silent, dedup};
use lookalike_judge::Shingle;
use made::{Case, any_corpus, similarity};
use proptest::prelude::*;
use serde_json::{Value, json};

fn new_index(case: &Case, scheme: &Scheme, store: Store) -> Index {
    Index::create(&case.path("index"), &CreateOptions { scheme: scheme.clone(), store }).unwrap()
}

/// Texts with the ids 0, 1, 2 … as one file of JSONL.
fn jsonl<'a>(texts: impl Iterator<Item = (usize, &'a String)>) -> String {
    texts.map(|(id, text)| format!("{}\n", json!({"id": id.to_string(), "text": text}))).collect()
}

fn read(case: &Case, name: &str) -> ReadOptions {
    let mut read = ReadOptions::new([case.path(name)]);
    read.settings.fields.id = Some("id".to_owned());
    read
}

/// A chain of texts each like the next, copies of one text, and texts that share a template.
fn chains_copies_and_templates() -> Vec<String> {
    let words: Vec<String> = (0..60).map(|word| format!("word{word}")).collect();
    let chain = (0..12).map(|at| words[at..at + 30].join(" "));
    let copies = (0..5).map(|at| format!("The quick brown fox jumps over the lazy dog{}", ["", "!", "?", "", "!"][at]));
    let template = |at: usize| format!("{} {}", words[..25].join(" "), ["north", "south", "east", "west"][at % 4]);
    chain.chain(copies).chain((0..8).map(template)).collect()
}

/// What one run keeps of texts in their order.
fn kept_first(texts: &[String], scheme: &Scheme) -> Vec<bool> {
    let options = TextOptions { keep: Keep::First, ..TextOptions::default() };
    let fates = texts::dedup_with(texts, scheme, &options, &Silent).unwrap();
    fates.iter().map(|fate| *fate == Fate::Kept).collect()
}

fn check_online_equals_batch(texts: &[String], scheme: &Scheme, at_once: usize) {
    let case = Case::new();
    let writer = new_index(&case, scheme, Store::Text).writer().unwrap();
    let ids: Vec<String> = (0..texts.len()).map(|id| id.to_string()).collect();
    let documents: Vec<NewDocument<'_>> = ids.iter().zip(texts).map(|(id, text)| NewDocument::new(id, text)).collect();
    let mut put = Vec::new();
    for some in documents.chunks(at_once) {
        put.extend(writer.put_unless_alike(some).unwrap());
    }
    let kept: Vec<bool> = put.iter().map(|put| !matches!(put, Put::Alike { .. })).collect();
    assert_eq!(kept, kept_first(texts, scheme));
    for (text, put) in texts.iter().zip(&put) {
        if let Put::Alike { id, similarity, .. } = put {
            let by: usize = id.parse().unwrap();
            assert!(kept[by], "what is named is kept");
            let shingle: Shingle = scheme.shingle.to_string().parse().unwrap();
            let measured = lookalike_judge::measure(text, &texts[by], shingle).jaccard();
            assert!((measured - similarity).abs() < 1e-12, "{measured} is not {similarity}");
        }
    }
}

/// The rows of evidence, without what says where the kept document was read.
fn rows(case: &Case, options: &DedupOptions) -> Vec<Value> {
    dedup(options, &Silent).unwrap();
    let written = fs::read_to_string(case.path("out/removed.jsonl")).unwrap();
    fs::remove_dir_all(case.path("out")).unwrap();
    let row = |line: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        for field in ["kept_file", "kept_position", "kept_source", "cluster"] {
            row.as_object_mut().unwrap().remove(field);
        }
        row
    };
    written.lines().map(row).collect()
}

fn check_index_stands_for_files(texts: &[String], references: usize, scheme: &Scheme, keep: &Keep, scope: Scope) {
    let case = Case::new();
    case.write("reference.jsonl", jsonl(texts.iter().enumerate().take(references)));
    case.write("input.jsonl", jsonl(texts.iter().enumerate().skip(references)));
    let archive = new_index(&case, scheme, Store::Text);
    index::add(&archive.writer().unwrap(), &AddOptions::new(read(&case, "reference.jsonl")), &Silent).unwrap();
    let options = DedupOptions {
        read: read(&case, "input.jsonl"),
        ..DedupOptions::new(["none"]).to_folder(case.path("out")).with_scheme(scheme.clone()).keeping(keep.clone())
    };
    let against = Against { references: vec![case.path("reference.jsonl")], scope };
    let by_files = rows(&case, &DedupOptions { against: Some(against), ..options.clone() });
    let against = AgainstIndex { folder: case.path("index"), scope, add_kept: false };
    let by_index = rows(&case, &DedupOptions { against_index: Some(against), ..options });
    assert_eq!(by_index, by_files);
}

#[test]
fn adding_one_after_the_other_keeps_what_one_run_keeps() {
    let texts = chains_copies_and_templates();
    for threshold in [0.5, 0.8, 0.95] {
        for at_once in [1, 7, 100] {
            check_online_equals_batch(&texts, &similarity("word:2", threshold, 1.0), at_once);
        }
    }
}

#[test]
fn an_index_stands_for_its_files() {
    let texts = chains_copies_and_templates();
    for keep in [Keep::Longest, Keep::First, Keep::Last] {
        for scope in [Scope::Everything, Scope::References] {
            for references in [0, 9, 15, 20] {
                check_index_stands_for_files(&texts, references, &similarity("word:2", 0.7, 1.0), &keep, scope);
            }
        }
    }
}

#[test]
fn what_is_kept_is_added_in_one_commit_and_found_by_the_next_run() {
    let case = Case::new();
    let texts = chains_copies_and_templates();
    case.write("first.jsonl", jsonl(texts.iter().enumerate().take(15)));
    case.write("second.jsonl", jsonl(texts.iter().enumerate().skip(15)));
    let scheme = similarity("word:2", 0.7, 1.0);
    let archive = new_index(&case, &scheme, Store::Text);
    let mut kept = Vec::new();
    for (name, out) in [("first.jsonl", "one"), ("second.jsonl", "two")] {
        let against = AgainstIndex { folder: case.path("index"), scope: Scope::Everything, add_kept: true };
        let options = DedupOptions {
            read: read(&case, name),
            against_index: Some(against),
            ..DedupOptions::new(["none"]).to_folder(case.path(out)).with_scheme(scheme.clone()).keeping(Keep::First)
        };
        let summary = dedup(&options, &Silent).unwrap();
        assert_eq!(summary.wrote.added_to_index, summary.found.kept);
        let written = fs::read_to_string(case.path(&format!("{out}/kept/{name}"))).unwrap();
        kept.extend(written.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()));
    }
    let in_one_run: Vec<Value> = kept_first(&texts, &scheme)
        .iter()
        .enumerate()
        .filter(|(_, is_kept)| **is_kept)
        .map(|(id, _)| Value::from(id.to_string()))
        .collect();
    assert_eq!(kept, in_one_run);
    let stored: Vec<Value> =
        archive.snapshot().unwrap().documents().map(|document| document.unwrap().id.into()).collect();
    assert_eq!(stored, kept);
}

#[test]
fn an_index_of_another_scheme_is_refused_and_not_touched() {
    let case = Case::new();
    case.write("input.jsonl", jsonl([(0, &"a b c d e f".to_owned())].into_iter()));
    new_index(&case, &similarity("word:2", 0.7, 1.0), Store::Text);
    let against = AgainstIndex { folder: case.path("index"), scope: Scope::Everything, add_kept: true };
    let options = DedupOptions {
        against_index: Some(against),
        ..DedupOptions::new([case.path("input.jsonl")]).to_folder(case.path("out"))
    };
    let error = dedup(&options, &Silent).unwrap_err().to_string();
    assert!(error.contains("word:2") && error.contains("word:5"), "{error}");
    assert!(!case.path("out").exists());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn online_equals_batch(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8)],
        at_once in 1_usize..40,
    ) {
        check_online_equals_batch(&texts, &similarity("word:3", threshold, 1.0), at_once);
    }

    #[test]
    fn an_index_of_any_documents_stands_for_their_files(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8)],
        references in any::<prop::sample::Index>(),
        keep in prop_oneof![Just(Keep::Longest), Just(Keep::First), Just(Keep::Last)],
        is_everything in any::<bool>(),
    ) {
        let scope = if is_everything { Scope::Everything } else { Scope::References };
        let references = references.index(texts.len());
        check_index_stands_for_files(&texts, references, &similarity("word:3", threshold, 1.0), &keep, scope);
    }

    #[test]
    fn every_answer_is_that_of_the_judge_and_every_document_finds_itself(
        texts in any_corpus(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8)],
        keeps_texts in any::<bool>(),
    ) {
        let case = Case::new();
        let scheme = similarity("word:3", threshold, 1.0);
        let archive = new_index(&case, &scheme, if keeps_texts { Store::Text } else { Store::Features });
        case.write("all.jsonl", jsonl(texts.iter().enumerate()));
        index::add(&archive.writer().unwrap(), &AddOptions::new(read(&case, "all.jsonl")), &Silent).unwrap();
        let snapshot = Index::open(&case.path("index")).unwrap().snapshot().unwrap();
        let options = SearchOptions { limit: usize::MAX, ..SearchOptions::default() };
        let mut in_memory = texts::Index::new(scheme).unwrap();
        texts.iter().enumerate().for_each(|(id, text)| in_memory.insert(&id.to_string(), text));
        for (own, text) in texts.iter().enumerate() {
            // An index in memory gives the same answer, in the same order.
            let answers = [in_memory.near_duplicates(text).unwrap(), snapshot.clone().near_duplicates(text).unwrap()];
            prop_assert_eq!(&answers[0], &answers[1]);
            let answer = snapshot.search(Query::Text(text), &options).unwrap();
            prop_assert!(answer.complete);
            let mut found: Vec<(usize, f64)> =
                answer.hits.iter().map(|hit| (hit.id.parse().unwrap(), hit.similarity)).collect();
            found.sort_by_key(|(id, _)| *id);
            let mut judged: Vec<(usize, f64)> = Vec::new();
            let has_words = |text: &String| !lookalike_judge::tokens(text, Shingle::Word(3)).is_empty();
            for (id, other) in texts.iter().enumerate().filter(|(_, other)| has_words(text) && has_words(other)) {
                let similarity = lookalike_judge::measure(text, other, Shingle::Word(3)).jaccard();
                if similarity >= threshold {
                    judged.push((id, similarity));
                }
            }
            prop_assert_eq!(&found, &judged);
            prop_assert!(!has_words(text) || found.contains(&(own, 1.0)));
        }
    }
}
