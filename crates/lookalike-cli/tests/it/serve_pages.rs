//! Actions of people on the pages of `lookalike serve`, as their browsers send them: start, filter, label, export,
//! delete and undo.

use std::fs;
use std::time::{Duration, Instant};

use crate::folder::{Folder, text};
use crate::service::{Answer, Service};
use serde_json::{Value, json};

/// A form as a browser sends it.
fn form(service: &Service, path: &str, fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> Answer {
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(format!("--cut\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes());
    }
    if let Some((name, bytes)) = file {
        let head = format!("--cut\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(b"--cut--\r\n");
    service.request("POST", path, &[("content-type", "multipart/form-data; boundary=cut")], &body)
}

fn location(answer: &Answer) -> String {
    let line = answer.head.lines().find_map(|line| line.strip_prefix("location: "));
    line.unwrap_or_else(|| panic!("{} {}", answer.head, answer.text())).to_owned()
}

/// Waits for the last task, and returns it.
fn last_task(service: &Service) -> Value {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let task = service.get("/v1/tasks").value()["tasks"][0].clone();
        if task["state"] != "running" {
            return task;
        }
        assert!(Instant::now() < end, "{task}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Documents of two sources: each text three times, one of them with an extra word.
fn documents() -> String {
    let document = |at: usize| {
        let more = if at % 3 == 1 { " more" } else { "" };
        let source = if at.is_multiple_of(2) { "even.example" } else { "odd.example" };
        json!({"id": format!("d{at:02}"), "text": text(at / 3) + more, "site": source}).to_string() + "\n"
    };
    (0..30).map(document).collect()
}

fn ids(rows: &Value) -> Vec<String> {
    rows["removed"].as_array().unwrap().iter().map(|row| row["removed_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_file_that_is_sent_is_deduplicated_downloaded_and_deleted() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("made")).unwrap();
    let service = Service::start(folder.0.path(), &["--results", "made"]);
    assert!(service.get("/results").text().contains("Deduplicate a file"));
    let fields = [("id", "id"), ("source", "site"), ("threshold", "0.7"), ("text", "")];
    let sent = form(&service, "/results", &fields, Some(("My news.jsonl", documents().as_bytes())));
    assert_eq!((sent.status, location(&sent)), (303, "/results/my-news".to_owned()), "{}", sent.text());
    let task = last_task(&service);
    assert_eq!((&task["state"], &task["result"]["removed_count"]), (&json!("done"), &json!(20)), "{task}");
    let page = service.get("/results/My-news");
    assert!(page.text().contains("30 documents") && page.text().contains("Download"), "{}", page.text());
    let pair = service.get("/results/My-news/pair?n=0");
    assert!(pair.text().contains("<mark"), "texts of a file that was sent are read again");

    let files = service.get("/v1/results/My-news/files").value();
    let names: Vec<&str> =
        files["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["removed.jsonl", "summary.json", "report.html", "kept/My news.jsonl"]);
    let kept = service.get("/v1/results/My-news/files/kept/My%20news.jsonl");
    assert_eq!(kept.text().lines().count(), 10);
    assert!(kept.head.contains("content-disposition: attachment"), "{}", kept.head);
    for outside in ["..%2f..%2fnews%2flookalike-job.json", "..%2f..%2f..%2fserve.log", "lookalike-job.json"] {
        assert_eq!(service.get(&format!("/v1/results/My-news/files/{outside}")).problem(), "no-such-result");
    }

    assert_eq!(service.stop(), 0);
    let again = Service::start(folder.0.path(), &["--results", "made"]);
    assert_eq!(
        again.get("/v1/results").value()["results"][0],
        json!({"name": "My-news", "kind": "dedup", "can_be_deleted": true})
    );
    assert!(again.get("/results/My-news/delete").text().contains("Delete the result My-news?"));
    assert_eq!(again.get("/results/My-news").status, 200, "asking deletes nothing");
    assert_eq!(location(&form(&again, "/results/My-news/delete", &[], None)), "/results");
    assert_eq!(again.get("/v1/results/My-news").problem(), "no-such-result");
    assert!(!folder.0.path().join("made/My-news").exists());
}

#[test]
fn what_cannot_be_deduplicated_is_refused_with_the_reason_and_leaves_nothing() {
    let folder = Folder::new();
    let service = Service::start(folder.0.path(), &[]);
    let file = Some(("news.jsonl", &b"{\"body\": \"a\"}\n"[..]));
    assert_eq!(form(&service, "/v1/results", &[("threshold", "7")], file).problem(), "not-possible");
    assert_eq!(form(&service, "/v1/results", &[("against", "/etc")], file).problem(), "not-possible");
    assert_eq!(form(&service, "/v1/results", &[("name", "../up")], file).problem(), "not-possible");
    assert_eq!(form(&service, "/v1/results", &[], None).problem(), "malformed");
    assert_eq!(form(&service, "/v1/results", &[], file).status, 202);
    let task = last_task(&service);
    let detail = task["problem"]["detail"].as_str().unwrap();
    assert!(detail.contains("news.jsonl") && detail.contains("body"), "{task}");
    assert!(!detail.contains("lookalike-results"), "no folder of the server: {detail}");
    let page = service.get("/results/news");
    assert!(page.status == 422 && page.text().contains("was not deduplicated"), "{}", page.text());
    assert_eq!(service.get("/v1/results").value()["results"], json!([]));
    let reader = Service::start(Folder::new().0.path(), &["--read-only"]);
    assert_eq!(form(&reader, "/v1/results", &[], file).problem(), "read-only");
    assert!(!reader.get("/results").text().contains("Deduplicate a file"));
}

#[test]
fn an_example_can_be_tried_and_an_index_made_on_the_page() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("all")).unwrap();
    let service = Service::start(folder.0.path(), &["all"]);
    assert_eq!(location(&form(&service, "/results/example", &[], None)), "/results/example");
    assert_eq!(last_task(&service)["result"]["document_count"], 61);
    assert!(service.get("/results/example/sources").text().contains("Removed from one source because of another"));

    assert!(service.get("/indexes").text().contains("New index"));
    let search = location(&form(&service, "/indexes/example", &[], None));
    assert!(service.get(&search).text().contains("href=\"/compare?"), "the search finds something: {search}");
    assert_eq!(service.get("/v1/indexes/example").value()["document_count"], 61);
    let made = form(
        &service,
        "/indexes",
        &[("name", "essays"), ("threshold", "0.2"), ("measure", "containment"), ("store", "")],
        None,
    );
    assert_eq!(location(&made), "/indexes/essays");
    let essays = service.get("/v1/indexes/essays").value();
    assert_eq!((&essays["measure"], &essays["threshold"]), (&json!("containment"), &json!(0.2)));
    let wrong = form(&service, "/indexes", &[("name", "a b")], None);
    assert!(wrong.status == 422 && wrong.text().contains("A name has up to 64 letters"), "{}", wrong.text());
}

#[test]
fn filters_and_orders_hold_for_all_rows_and_for_what_is_exported() {
    let folder = Folder::new();
    folder.write("news.jsonl", documents());
    let ran = folder.run(&["dedup", "news.jsonl", "--id", "id", "--source", "site", "-o", "out", "--threshold", "0.7"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let service = Service::start(folder.0.path(), &["--results", "out"]);
    let rows = |query: &str| service.get(&format!("/v1/results/out/removed?limit=1000&{query}")).value();
    let all = ids(&rows(""));
    assert_eq!(all.len(), 20);
    let even = rows("source=even.example");
    let expected: Vec<String> = all.iter().filter(|id| id[1..].parse::<u32>().unwrap() % 2 == 0).cloned().collect();
    assert_eq!((ids(&even), &even["count"]), (expected.clone(), &json!(expected.len())));
    let both = rows("source=even.example&kept_source=odd.example");
    assert!(both["removed"].as_array().unwrap().iter().all(|row| row["kept_source"] == "odd.example"));
    let copies = rows("kind=copy");
    assert!(copies["removed"].as_array().unwrap().iter().all(|row| row["exact_copy"] == true));
    assert_eq!(copies["count"].as_u64().unwrap() + rows("kind=near_duplicate")["count"].as_u64().unwrap(), 20);
    let low = rows("similarity_to=0.9999");
    assert!(low["removed"].as_array().unwrap().iter().all(|row| row["similarity"].as_f64().unwrap() < 1.0));
    assert_eq!(low["count"].as_u64().unwrap() + rows("similarity_from=1")["count"].as_u64().unwrap(), 20);
    let named = rows("text=D07");
    let named = named["removed"].as_array().unwrap();
    assert!(!named.is_empty() && named.iter().all(|row| row["removed_id"] == "d07" || row["kept_id"] == "d07"));
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(ids(&rows("order=removed")), sorted);
    let most = rows("order=most_similar");
    let similarities: Vec<f64> =
        most["removed"].as_array().unwrap().iter().map(|row| row["similarity"].as_f64().unwrap()).collect();
    assert!(similarities.is_sorted_by(|left, right| left >= right), "{similarities:?}");
    // First words are searched too: the text of the first document is in its copies alone.
    let word = text(0).split(' ').next().unwrap().to_owned();
    assert!(rows(&format!("text={word}"))["count"].as_u64().unwrap() >= 1, "{word}");

    let exported = service.get("/v1/results/out/export?source=even.example&format=jsonl&order=removed");
    let lines: Vec<Value> = exported.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), expected.len());
    let csv = service.get("/v1/results/out/export?source=even.example");
    assert!(csv.text().starts_with("removed_id,kept_id,similarity,"), "{}", csv.text());
    assert_eq!(csv.text().lines().count(), 1 + expected.len());
    assert!(csv.head.contains("attachment; filename=\"out-removed.csv\""), "{}", csv.head);
    let tsv = service.get("/v1/results/out/export?source=even.example&format=tsv");
    assert!(tsv.text().starts_with("removed_id\tkept_id\tsimilarity\t"), "{}", tsv.text());
    assert!(tsv.head.contains("attachment; filename=\"out-removed.tsv\""), "{}", tsv.head);
    let columns = csv.text().lines().next().unwrap().split(',').count();
    let mut removal = lines[0].as_object().unwrap().clone();
    removal.retain(|name, _| !csv.text().lines().next().unwrap().split(',').any(|column| column == name));
    assert!(removal.is_empty() && columns > 18, "all that a removal has is exported: {removal:?}");
    assert_eq!(service.get("/v1/results/out/export?sort=best").problem(), "malformed");
    let nothing = service.get("/v1/results/out/export?source=none");
    assert_eq!(nothing.text().lines().count(), 1, "a header alone");
    for wrong in ["order=best", "kind=twin", "similarity_from=2", "band=81", "band=80&cluster=1"] {
        assert_eq!(service.get(&format!("/v1/results/out/removed?{wrong}")).problem(), "malformed", "{wrong}");
        assert_eq!(service.get(&format!("/results/out/removed?{wrong}")).status, 400, "{wrong}");
    }
    let list = service.get("/results/out/removed?source=even.example");
    assert!(list.text().contains(&format!("<b>{} removals</b>", expected.len())), "{}", list.text());
    assert!(list.text().contains(&format!("<b>{word}")), "rows have the first words: {}", list.text());
}

#[test]
fn a_pair_leads_to_the_next_and_takes_the_labels_of_the_audit() {
    let folder = Folder::new();
    folder.write("news.jsonl", documents());
    assert_eq!(folder.run(&["dedup", "news.jsonl", "--id", "id", "-o", "out", "--threshold", "0.7"]).code, 0);
    let service = Service::start(folder.0.path(), &["--results", "out"]);
    let first = service.get("/results/out/pair?order=removed&n=0").text().to_owned();
    assert!(first.contains("href=\"/results/out/pair?order=removed&amp;n=1\">Next") && !first.contains("Previous"));
    let last = service.get("/results/out/pair?order=removed&n=19").text().to_owned();
    assert!(last.contains("n=18\">Previous") && !last.contains(">Next"), "{last}");
    let to = location(&form(
        &service,
        "/results/out/label",
        &[("order", "removed"), ("n", "0"), ("answer", "different")],
        None,
    ));
    assert_eq!(to, "/results/out/pair?order=removed&n=1");
    let label: Value = serde_json::from_str(folder.read("out/labels.jsonl").trim()).unwrap();
    let rows = service.get("/v1/results/out/removed?order=removed&limit=1").value();
    assert_eq!((&label["left_id"], &label["label"]), (&rows["removed"][0]["removed_id"], &json!("different")));
    let labeled = service.get("/results/out/pair?order=removed&n=0").text().to_owned();
    assert!(labeled.contains("value=\"different\" aria-pressed=\"true\"") && labeled.contains("Take back"));
    form(&service, "/results/out/label", &[("order", "removed"), ("n", "0"), ("answer", "none")], None);
    assert!(!service.get("/results/out/pair?order=removed&n=0").text().contains("aria-pressed=\"true\""));
    assert_eq!(form(&service, "/results/out/label", &[("n", "0"), ("answer", "maybe")], None).status, 400);
    form(&service, "/results/out/label", &[("n", "3"), ("answer", "same")], None);
    let judged = folder.run(&["audit", "out", "--labels", "out/labels.jsonl"]);
    assert_eq!(judged.code, 0, "the audit counts them: {}", judged.stderr);
}

#[test]
fn deleting_a_document_asks_first_and_can_be_undone_until_it_is_compacted() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("all")).unwrap();
    let service = Service::start(folder.0.path(), &["all"]);
    assert_eq!(service.json("PUT", "/v1/indexes/news", &json!({})).status, 201);
    let document = json!({"id": "a/b", "text": text(1), "fields": {"year": 1999}});
    assert_eq!(service.json("POST", "/v1/indexes/news/documents", &document).status, 200);
    let document = "/v1/indexes/news/documents/a%2Fb";
    assert!(service.get("/indexes/news/document?id=a%2Fb").text().contains("href=\"/indexes/news/delete?id=a%2Fb\""));
    assert!(service.get("/indexes/news/delete?id=a%2Fb").text().contains("Delete this document?"));
    assert_eq!(service.get(document).status, 200, "asking deletes nothing");
    assert!(form(&service, "/indexes/news/delete", &[("id", "a/b")], None).text().contains("Undo"));
    assert_eq!(service.get(document).status, 404);
    let restored = form(&service, "/indexes/news/restore", &[("id", "a/b")], None);
    assert_eq!((restored.status, location(&restored)), (303, "/indexes/news/document?id=a%2fb".to_owned()));
    let again = service.get(document).value();
    assert_eq!((&again["text"], &again["fields"]), (&json!(text(1)), &json!({"year": 1999})));
    assert_eq!(form(&service, "/indexes/news/restore", &[("id", "a/b")], None).status, 404, "it is there");
    // Also by another server.
    form(&service, "/indexes/news/delete", &[("id", "a/b")], None);
    assert_eq!(service.stop(), 0);
    let service = Service::start(folder.0.path(), &["all"]);
    assert_eq!(service.get(document).status, 404);
    assert_eq!(form(&service, "/indexes/news/restore", &[("id", "a/b")], None).status, 303);
    assert_eq!(service.get(document).value()["text"], json!(text(1)));
    form(&service, "/indexes/news/delete", &[("id", "a/b")], None);
    assert_eq!(service.json("POST", "/v1/indexes/news/compact", &json!({"purge": true})).status, 202);
    assert_eq!(last_task(&service)["state"], "done");
    assert_eq!(form(&service, "/indexes/news/restore", &[("id", "a/b")], None).status, 404);
}

#[test]
fn every_source_and_every_cell_leads_to_its_removals() {
    let folder = Folder::new();
    folder.write("news.jsonl", documents());
    assert_eq!(folder.run(&["dedup", "news.jsonl", "--id", "id", "--source", "site", "-o", "out"]).code, 0);
    let service = Service::start(folder.0.path(), &["--results", "out"]);
    let page = service.get("/results/out/sources").text().to_owned();
    let flows = service.get("/v1/results/out/sources").value();
    for flow in flows["flows"].as_array().unwrap() {
        let (from, to) = (flow["removed_source"].as_str().unwrap(), flow["kept_source"].as_str().unwrap());
        let link = format!("/removed?source={from}&amp;kept_source={to}\"");
        assert!(page.contains(&link), "{link}");
        let rows = service.get(&format!("/v1/results/out/removed?source={from}&kept_source={to}")).value();
        assert_eq!(rows["count"], flow["document_count"]);
    }
    for source in flows["sources"].as_array().unwrap().iter().filter(|source| source["removed_count"] != 0) {
        assert!(page.contains(&format!("/removed?source={}\"", source["source"].as_str().unwrap())), "{source}");
    }
}
