//! `decontaminate` from files to files: rows, documents, exit limits, and the same answer on any number of threads.

use crate::made;
use std::fs;
use std::path::Path;

use lookalike::{
    ContaminationAction, DecontaminateRequest, DecontaminateSummary, Error, HitRow, ItemRow, ResourceRequest, Silent,
    decontaminate,
};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn request(folder: &Path) -> DecontaminateRequest {
    let example = |name: &str| Path::new(EXAMPLES).join(name);
    DecontaminateRequest::new([example("crawl.jsonl")])
        .against([example("quiz.jsonl")])
        .id("id")
        .output(folder.join("out"))
}

fn rows<T: for<'de> serde::Deserialize<'de>>(path: &Path) -> Vec<T> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn run(request: DecontaminateRequest) -> DecontaminateSummary {
    decontaminate(&request.check().unwrap(), &Silent).unwrap()
}

fn texts(path: &Path) -> Vec<(String, String)> {
    let object = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let text = |object: &serde_json::Value, name: &str| object[name].as_str().unwrap().to_owned();
    let lines = fs::read_to_string(path).unwrap();
    lines.lines().map(object).map(|object| (text(&object, "id"), text(&object, "text"))).collect()
}

#[test]
fn every_hit_has_its_place_and_common_text_accuses_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let summary = run(request(folder.path()));
    let hits: Vec<HitRow> = rows(&folder.path().join("out/hits.jsonl"));
    let found: Vec<(&str, &str, bool, Option<bool>)> =
        hits.iter().map(|hit| (&*hit.item_id, &*hit.document_id, hit.common, hit.answer_near)).collect();
    let expected = [
        ("quiz-1", "page-1", false, Some(true)),
        ("quiz-2", "page-2", false, Some(false)),
        // The passage that is asked about has the answer in it, and choices have theirs: neither tells anything.
        ("quiz-5", "page-4", true, Some(false)),
        ("quiz-4", "page-5", false, Some(false)),
    ];
    assert_eq!(found, expected);
    for hit in &hits {
        let (_, text) = texts(&Path::new(EXAMPLES).join("crawl.jsonl")).swap_remove(hit.document_position as usize - 1);
        assert_eq!(text[hit.start as usize..hit.end as usize], hit.quote);
    }
    assert!(hits[0].quote.starts_with("A ferry makes six") && hits[0].quote.ends_with("7 days?"), "{}", hits[0].quote);
    let items: Vec<ItemRow> = rows(&folder.path().join("out/items.jsonl"));
    let contaminated: Vec<&str> = items.iter().filter(|item| item.contaminated).map(|item| &*item.item_id).collect();
    assert_eq!(contaminated, ["quiz-1", "quiz-2", "quiz-4"]);
    assert_eq!(
        (summary.sets[0].item_count, summary.sets[0].contaminated_count, summary.sets[0].short_count),
        (6, 3, 1)
    );
    assert_eq!((summary.common_passages.len(), summary.common_passages[0].document_count), (1, 1));
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("quiz-1") && page.contains("<mark class=\"p0\">A ferry makes six"), "{page}");
}

#[test]
fn documents_are_left_out_noted_or_cut() {
    let folder = tempfile::tempdir().unwrap();
    let input = texts(&Path::new(EXAMPLES).join("crawl.jsonl"));
    let act = |action: ContaminationAction| {
        let out = folder.path().join(action.to_string());
        (run(request(folder.path()).action(action).output(out.clone())), out)
    };
    let (summary, out) = act(ContaminationAction::Remove);
    let kept = texts(&out.join("kept/crawl.jsonl"));
    let ids: Vec<&str> = kept.iter().map(|(id, _)| &**id).collect();
    assert_eq!(ids, ["page-3", "page-4", "page-6", "page-7"]);
    assert_eq!((summary.written_document_count, summary.removed_document_count), (4, 3));
    let (summary, out) = act(ContaminationAction::Cut);
    let cut = texts(&out.join("cut/crawl.jsonl"));
    assert_eq!((cut.len(), summary.cut_count), (7, 3));
    assert_eq!(cut[0].1, "Homework help, page 3.  The answer is 1890, as you will see below.");
    assert_eq!(cut[2], input[2]);
    let (_, out) = act(ContaminationAction::Annotate);
    let lines = fs::read_to_string(out.join("annotated/crawl.jsonl")).unwrap();
    let noted: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&noted[0]["contaminated"], &noted[0]["contaminated_by"][0]), (&true.into(), &"quiz-1".into()));
    assert_eq!((&noted[2]["contaminated"], &noted[2]["text"]), (&false.into(), &input[2].1.clone().into()));
}

#[test]
fn the_answer_is_the_same_in_every_format_and_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let run_with = |name: &str, request: DecontaminateRequest, threads: usize| {
        let out = folder.path().join(name);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(request.output(out.clone())));
        rows::<HitRow>(&out.join("hits.jsonl"))
            .into_iter()
            .map(|hit| (hit.item_id, hit.document_position, hit.start, hit.end, hit.common))
            .collect::<Vec<_>>()
    };
    let expected = run_with("one", request(folder.path()), 1);
    assert_eq!(run_with("many", request(folder.path()), 8), expected);
    let input = texts(&Path::new(EXAMPLES).join("crawl.jsonl"));
    let csv: String = input.iter().map(|(id, text)| format!("{id},\"{}\"\n", text.replace('"', "\"\""))).collect();
    let path = folder.path().join("crawl.csv");
    fs::write(&path, format!("id,text\n{csv}")).unwrap();
    let of_csv = DecontaminateRequest::new([path]).against([Path::new(EXAMPLES).join("quiz.jsonl")]).id("id");
    // The row of names is the first.
    let found = run_with("csv", of_csv, 2)
        .into_iter()
        .map(|(item, row, start, end, common)| (item, row - 1, start, end, common));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_test_set_of_one_field_needs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let items = folder.path().join("items.txt");
    fs::write(&items, "A ferry makes 6 crossings a day and takes 45 cars on each of them.\n").unwrap();
    let summary = run(request(folder.path()).against([items]));
    assert_eq!((summary.sets[0].contaminated_count, summary.hit_count), (1, 1));
}

#[test]
fn a_limit_is_told_after_all_is_written() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!run(request(folder.path()).fail_if_contaminated(0.6)).over_limit);
    assert!(run(request(folder.path()).fail_if_contaminated(0.5).force(true)).over_limit);
    assert!(folder.path().join("out/hits.jsonl").exists());
}

#[test]
fn a_limit_without_anything_to_check_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name)
    };
    let (empty, short) = (file("empty.jsonl", ""), file("short.jsonl", "{\"question\":\"Who wrote Hamlet?\"}\n"));
    let refused = |request: DecontaminateRequest| {
        let error = decontaminate(&request.fail_if_contaminated(0.1).check().unwrap(), &Silent).unwrap_err();
        assert!(matches!(error, Error::NothingToCheck { .. }) && !error.remedies().is_empty(), "{error}");
        error.to_string()
    };
    let quiz = Path::new(EXAMPLES).join("quiz.jsonl");
    let message = refused(request(folder.path()).against([quiz.clone(), empty.clone()]));
    assert!(message.ends_with("empty.jsonl has no items, so there is nothing to check"), "{message}");
    refused(request(folder.path()).against([short]));
    refused(DecontaminateRequest::new([empty.clone()]).against([quiz.clone()]));
    assert!(!folder.path().join("out").exists());
    // Without a limit, the table says it.
    let summary = run(request(folder.path()).against([quiz, empty]));
    let counts: Vec<u64> = summary.sets.iter().map(|set| set.item_count).collect();
    assert_eq!(counts, [6, 0]);
}

#[test]
fn an_item_in_many_documents_is_counted_as_widespread() {
    let folder = tempfile::tempdir().unwrap();
    let question =
        "The lighthouse keeper counted forty two ships before breakfast and nineteen more before the fog came down.";
    let line = |text: &str| serde_json::json!({ "text": text }).to_string() + "\n";
    let pages: String = (0..30).map(|page| line(&format!("Page {page} of the site. {question}"))).collect();
    fs::write(folder.path().join("pages.jsonl"), pages).unwrap();
    fs::write(folder.path().join("items.jsonl"), format!("{{\"question\":\"{question}\",\"choice\":\"x\"}}\n"))
        .unwrap();
    let request = DecontaminateRequest::new([folder.path().join("pages.jsonl")])
        .against([folder.path().join("items.jsonl")])
        .fields(["question", "choices", "choice"].map(str::to_owned));
    let summary = run(request.clone());
    assert_eq!((summary.sets[0].widespread_count, summary.sets[0].contaminated_count), (1, 0));
    assert_eq!((summary.common_hit_count, summary.widespread_hit_count), (30, 30));
    assert_eq!(summary.absent_fields, ["choices"]);
    let summary = run(request.common_share(1.0));
    assert_eq!((summary.sets[0].widespread_count, summary.sets[0].contaminated_count), (0, 1));
}

#[test]
fn the_letters_of_choices_are_not_part_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let choices =
        serde_json::json!({"label": ["A", "B", "C", "D"], "text": ["Sydney", "Canberra", "Melbourne", "Perth"]});
    let item = serde_json::json!({"question": "What is the capital of Australia?", "choices": choices, "answer": "B"});
    fs::write(folder.path().join("items.jsonl"), item.to_string()).unwrap();
    let text = "What is the capital of Australia?\n(A) Sydney\n(B) Canberra\n(C) Melbourne\n(D) Perth\nAnswer: B";
    let page = serde_json::json!({ "text": text });
    fs::write(folder.path().join("pages.jsonl"), page.to_string()).unwrap();
    let summary = run(
        DecontaminateRequest::new([folder.path().join("pages.jsonl")]).against([folder.path().join("items.jsonl")])
    );
    assert_eq!(summary.sets[0].contaminated_count, 1);
}

/// Planted items of real documents, which are not part of this repository.
#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn planted_items_are_found_and_nothing_else_is_accused() {
    let data = made::labeled("decontamination");
    let folder = tempfile::tempdir().unwrap();
    let request = DecontaminateRequest::new([data.join("corpus.jsonl.gz")])
        .against([data.join("items.jsonl")])
        .id("id")
        .output(folder.path().join("out"));
    run(request);
    let gold: Vec<serde_json::Value> = rows(&data.join("gold.jsonl"));
    let planted = |row: &&serde_json::Value| !row["kind"].as_str().unwrap().starts_with("negative");
    let hits: Vec<HitRow> = rows(&folder.path().join("out/hits.jsonl"));
    let accusing: Vec<&HitRow> = hits.iter().filter(|hit| !hit.common).collect();
    let is_found = |row: &serde_json::Value| {
        accusing.iter().any(|hit| row["item_id"] == *hit.item_id && row["document_id"] == *hit.document_id)
    };
    let (all, found) =
        (gold.iter().filter(planted).count(), gold.iter().filter(planted).filter(|row| is_found(row)).count());
    assert!(100 * found >= 97 * all, "{found} of {all}");
    let is_planted = |hit: &&&HitRow| {
        gold.iter().filter(planted).any(|row| row["item_id"] == *hit.item_id && row["document_id"] == *hit.document_id)
    };
    let wrong = accusing.len() - accusing.iter().filter(is_planted).count();
    assert!(wrong <= 4, "{wrong} of {} are wrong", accusing.len());
}

#[test]
fn hits_of_thousands_of_equal_items_do_not_exceed_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let question = "A ferry makes six trips a day across the strait, and each of them takes forty minutes";
    let line = |id: usize| format!("{}\n", serde_json::json!({"id": id, "question": question, "text": question}));
    let [items, corpus] = ["items.jsonl", "corpus.jsonl"].map(|name| folder.path().join(name));
    fs::write(&items, (0..20_000).map(line).collect::<String>()).unwrap();
    fs::write(&corpus, (0..2_000).map(line).collect::<String>()).unwrap();
    let mut request = DecontaminateRequest::new([corpus]).against([items]).output(folder.path().join("out"));
    request.resources = ResourceRequest::default().memory("64M");
    let error = decontaminate(&request.check().unwrap(), &Silent).unwrap_err();
    let lookalike::Error::TooManyHits { hits, .. } = error else { panic!("{error}") };
    // The first that are too many end the search: all of them would be forty million.
    assert!(hits < 1_000_000, "{hits}");
    assert!(!folder.path().join("out").exists());
}
