//! `lookalike serve`: promises to clients, tested on the real server.

use crate::folder;
use crate::service;
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use crate::folder::{Folder, assert_refused, text};
use crate::service::Service;
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");

/// A folder with room for indexes.
fn with_root() -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("all")).unwrap();
    folder
}

/// A server with one empty index, `news`.
fn with_news(folder: &Folder, arguments: &[&str]) -> Service {
    let service = Service::start(folder.0.path(), &[&["all", "--log", "json"], arguments].concat());
    assert_eq!(service.json("PUT", "/v1/indexes/news", &json!({})).status, 201);
    service
}

const DOCUMENTS: &str = "/v1/indexes/news/documents";
const SEARCH: &str = "/v1/indexes/news/search";

#[test]
fn a_newcomer_gets_an_empty_index_that_is_gone_afterwards() {
    let folder = Folder::new();
    let service = Service::start(folder.0.path(), &[]);
    let indexes = service.get("/v1/indexes").value();
    assert_eq!(indexes["indexes"][0]["name"], "scratch");
    assert_eq!(service.json("POST", "/v1/indexes/scratch/documents", &json!({"text": "a text"})).status, 200);
    let said = folder.read("serve.log");
    let (_, path) = said.split_once("an empty index to try it with is in ").unwrap();
    let path = path.split(',').next().unwrap().to_owned();
    assert!(fs::exists(&path).unwrap());
    assert_eq!(service.stop(), 0);
    assert!(!fs::exists(&path).unwrap(), "{path}");
}

#[test]
fn what_is_added_is_found_with_exact_measures_until_it_is_deleted() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let near = format!("{} closing", text(1));
    let added = service.json(
        "POST",
        DOCUMENTS,
        &json!([{"id": "a", "text": text(1), "fields": {"year": 1999}}, {"id": "b", "text": text(2)}]),
    );
    assert_eq!(added.status, 200, "{}", added.text());
    assert_eq!((&added.value()["added_count"], &added.value()["version"]), (&json!(2), &json!(2)));

    let found = service.json("POST", SEARCH, &json!({"text": near, "passages": true})).value();
    let first = &found["matches"][0];
    assert_eq!(found["matches"].as_array().unwrap().len(), 1);
    // 56 runs of five words of 60, and one more in the query.
    assert_eq!((&first["id"], &first["similarity"]), (&json!("a"), &json!(56.0 / 57.0)));
    assert_eq!((&first["containment_of_query"], &first["containment_of_match"]), (&json!(56.0 / 57.0), &json!(1.0)));
    assert_eq!((&first["exact_copy"], &first["fields"]["year"]), (&json!(false), &json!(1999)));
    assert_eq!((&found["complete"], &found["compared_count"], &found["version"]), (&json!(true), &json!(1), &json!(2)));
    assert!(found["recall"].as_f64().unwrap() > 0.99);
    let passages = first["passages"]["query"].as_array().unwrap();
    assert_eq!(passages.last().unwrap(), &json!({"shared": false, "text": "closing"}));

    let compared =
        service.json("POST", "/v1/compare", &json!({"index": "news", "left": {"id": "a"}, "right": {"text": near}}));
    assert_eq!(
        (&compared.value()["verdict"], &compared.value()["word_edit_count"]),
        (&json!("near_duplicates"), &json!(1))
    );

    assert_eq!(service.get("/v1/indexes/news/documents/a").value()["text"], json!(text(1)));
    let deleted = service.request("DELETE", "/v1/indexes/news/documents/a", &[], b"");
    assert_eq!((deleted.status, &deleted.value()["deleted_count"]), (200, &json!(1)));
    assert_eq!(service.json("POST", SEARCH, &json!({"text": near})).value()["matches"], json!([]));
    assert_eq!(service.get("/v1/indexes/news/documents/a").problem(), "no-such-document");
    // Repeating it has no effect.
    let again = service.json("POST", &format!("{DOCUMENTS}/delete"), &json!({"ids": ["a", "b", "c"]}));
    assert_eq!(again.value()["deleted_count"], json!(1));
}

#[test]
fn a_line_that_is_not_a_document_is_named_and_the_others_are_stored() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let lines = format!(
        "{}\n\nnot a document\n{}\n{{\"id\":\"\",\"text\":\"a\"}}\n{}\n",
        json!({"id": "a", "text": text(1)}),
        json!({"text": text(2)}),
        json!({"id": "c", "text": text(1), "color": "red"})
    );
    let added = service.lines(DOCUMENTS, &lines);
    let value = added.value();
    assert_eq!((added.status, &value["added_count"], &value["skipped_count"]), (207, &json!(2), &json!(3)), "{value}");
    let skipped: Vec<&Value> = value["skipped"].as_array().unwrap().iter().map(|line| &line["line"]).collect();
    assert_eq!(skipped, [&json!(3), &json!(5), &json!(6)]);

    // Without an id, the id is derived from the text: sending it again changes nothing.
    let again = service.json("POST", DOCUMENTS, &json!([{"text": text(2)}, {"id": "a", "text": text(1)}]));
    assert_eq!((again.status, &again.value()["unchanged_count"]), (200, &json!(2)));
    let list = service.json("POST", DOCUMENTS, &json!([{"id": "d", "text": text(4)}, 7]));
    assert_eq!((list.status, &list.value()["skipped"][0]["line"]), (207, &json!(2)));
}

#[test]
fn documents_are_added_unless_the_index_has_a_near_duplicate() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let near = format!("{} closing", text(1));
    let added = service.json(
        "POST",
        &format!("{DOCUMENTS}?unless_duplicate=true"),
        &json!([{"id": "a", "text": text(1)}, {"id": "b", "text": near}, {"id": "c", "text": text(2)}]),
    );
    let value = added.value();
    assert_eq!(
        (&value["added_count"], &value["duplicate_count"], &value["skipped_count"]),
        (&json!(2), &json!(1), &json!(0))
    );
    let duplicates = json!([{"line": 2, "id": "b", "kept_id": "a", "similarity": 56.0 / 57.0, "exact_copy": false}]);
    assert_eq!(value["duplicates"], duplicates);
    assert!(value["skipped"].is_null(), "only bad input is skipped");
}

#[test]
fn many_are_searched_for_at_once_and_answered_in_order() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let documents: Vec<Value> = (0..50).map(|at| json!({"id": at.to_string(), "text": text(at)})).collect();
    service.json("POST", DOCUMENTS, &json!(documents));
    let mut lines: Vec<String> = (0..50).map(|at| json!({"text": text(at), "top": 1}).to_string()).collect();
    lines.insert(20, "nonsense".to_owned());
    lines.insert(40, json!({"like": "none"}).to_string());
    let answer = service.lines(SEARCH, &lines.join("\n"));
    let answers: Vec<Value> = answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 52);
    assert_eq!((&answers[20]["status"], &answers[40]["status"]), (&json!(400), &json!(404)));
    let found = answers.iter().filter_map(|answer| answer["matches"][0]["id"].as_str()?.parse().ok());
    assert_eq!(found.collect::<Vec<usize>>(), (0..50).collect::<Vec<_>>());
}

#[test]
fn lines_that_are_searched_for_together_are_answered_as_each_alone() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let documents: Vec<Value> =
        (0..300).map(|at| json!({"id": at.to_string(), "text": text(at % 250), "fields": {"at": at}})).collect();
    service.json("POST", DOCUMENTS, &json!(documents));
    let near = |at: usize| format!("{} closing", text(at));
    // More than one batch, with every kind of request, including invalid ones.
    let request = |at: usize| match at % 10 {
        0 => json!({"like": at.to_string()}),
        1 => json!({"text": near(at), "passages": true}),
        2 => json!({"text": near(at), "threshold": 0.99}),
        3 => json!({"text": near(at), "top": 10_000, "fields": false}),
        4 => json!({"text": near(at), "threshold": 0.1}),
        5 => json!({"text": near(at), "top": 0}),
        6 => json!({"text": near(at), "like": "1"}),
        7 => json!({"text": "", "max_candidates": 1}),
        _ => json!({"text": near(at)}),
    };
    let requests: Vec<Value> = (0..250).map(request).collect();
    let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
    let together = service.lines(SEARCH, &lines.join("\n\n"));
    let without_time = |mut answer: Value| {
        answer.as_object_mut().unwrap().remove("seconds");
        answer
    };
    let answers = together.text();
    let mut answers = answers.lines().map(|line| without_time(serde_json::from_str(line).unwrap()));
    for request in &requests {
        let alone = without_time(service.json("POST", SEARCH, request).value());
        assert_eq!(answers.next().unwrap(), alone, "{request}");
    }
    assert_eq!(answers.next(), None);
}

#[test]
fn who_is_logged_in_with_a_key_can_log_out_by_a_form_and_not_by_a_link() {
    let folder = with_root();
    let key = folder.run(&["serve", "keys", "new", "reader", "--scope", "read", "--keys", "keys.jsonl"]);
    let key = key.stdout.trim().to_owned();
    let service = Service::start(folder.0.path(), &["--keys", "keys.jsonl"]);
    let cookie = format!("lookalike_key={key}");
    let button = "<form class=\"leave\" method=\"post\" action=\"/logout\"><span>Key: reader</span> <button>Log out</button></form>";
    for path in ["/", "/compare", "/results", "/indexes", "/indexes/none"] {
        let page = service.request("GET", path, &[("cookie", &cookie)], b"");
        assert!(page.text().contains(button), "{path}: {}", page.text());
    }
    assert!(!service.get("/login").text().contains("/logout"));
    assert_eq!(service.request("GET", "/logout", &[("cookie", &cookie)], b"").status, 405);
    let other_site = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    assert_eq!(service.request("POST", "/logout", &other_site, b"").status, 403);
    let left = service.request("POST", "/logout", &[("cookie", &cookie), ("sec-fetch-site", "same-origin")], b"");
    assert_eq!(left.status, 303);
    assert!(
        left.head.contains("location: /login") && left.head.contains("set-cookie: lookalike_key=;"),
        "{}",
        left.head
    );
    // Without keys there is no one to log out.
    let open = Service::start(folder.0.path(), &[]);
    assert!(!open.get("/").text().contains("/logout"));
}

#[test]
fn without_an_index_the_pages_say_how_to_make_one_and_what_there_is_to_see() {
    let folder = with_root();
    folder.write("in.jsonl", folder::lines());
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out"]).code, 0);
    let (to_results, by_request) = ("<a href=\"/results\">", "PUT /v1/indexes/NAME");
    let without_root = Service::start(folder.0.path(), &["--results", "out"]);
    let empty = Service::start(folder.0.path(), &["all"]);
    for path in ["/", "/indexes"] {
        let [page, of_empty] = [&without_root, &empty].map(|service| service.get(path).text().to_string());
        for page in [&page, &of_empty] {
            assert!(page.contains("no index to search") && page.contains("lookalike index create"), "{page}");
        }
        assert!(page.contains(to_results) && !page.contains(by_request), "{page}");
        assert!(of_empty.contains(by_request) && !of_empty.contains("a finished run to look at"), "{of_empty}");
    }
}

#[test]
fn all_documents_come_page_by_page() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let lines: String =
        (0..250).map(|at| json!({"id": format!("d{at}"), "text": text(at)}).to_string() + "\n").collect();
    assert_eq!(service.lines(DOCUMENTS, &lines).value()["added_count"], 250);
    let (mut next, mut ids) = (Some(json!(0)), Vec::new());
    while let Some(after) = next {
        let page = service.get(&format!("{DOCUMENTS}?after={after}&limit=70")).value();
        ids.extend(page["documents"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()));
        assert!(page["documents"][0]["text"].is_null(), "texts are sent only if they are asked for");
        next = Some(page["next"].clone()).filter(|next| !next.is_null());
        // Writes between two pages do not move them.
        service.json("POST", DOCUMENTS, &json!({"id": "d0", "text": text(ids.len())}));
    }
    let expected: Vec<String> = (0..250).map(|at| format!("d{at}")).chain(["d0".to_owned()]).collect();
    assert_eq!(ids, expected);
    assert_eq!(service.get(&format!("{DOCUMENTS}?limit=0")).problem(), "malformed");
    assert_eq!(service.get(&format!("{DOCUMENTS}?lmit=10")).problem(), "malformed");
}

#[test]
fn removals_and_clusters_come_page_by_page() {
    let folder = with_root();
    let lines: String = (0..90).map(|at| json!({"text": text(at / 3)}).to_string() + "\n").collect();
    folder.write("in.jsonl", lines);
    assert_eq!(folder.run(&["dedup", "in.jsonl", "-o", "out"]).code, 0);
    let service = Service::start(folder.0.path(), &["--results", "out"]);
    for (list, id, count, limit) in [("removed", "removed_id", 60, 25), ("clusters", "cluster", 30, 10)] {
        let (mut next, mut ids, mut pages) = (Some(json!(0)), Vec::new(), 0);
        while let Some(after) = next {
            let page = service.get(&format!("/v1/results/out/{list}?after={after}&limit={limit}")).value();
            ids.extend(page[list].as_array().unwrap().iter().map(|row| row[id].to_string()));
            next = Some(page["next"].clone()).filter(|next| !next.is_null());
            pages += 1;
        }
        assert_eq!((ids.len(), pages), (count, 3), "{list}");
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{list}: no row comes twice");
    }
    assert_eq!(service.get("/v1/results/out/removed?offset=10").problem(), "malformed");
}

#[test]
fn an_index_is_made_once_and_keeps_its_parameters() {
    let folder = with_root();
    let service = Service::start(folder.0.path(), &["all"]);
    let put = |body: &Value| service.json("PUT", "/v1/indexes/other", body);
    assert_eq!(put(&json!({"threshold": 0.9, "shingle": "char:7"})).status, 201);
    assert_eq!(put(&json!({"threshold": 0.9, "shingle": "char:7"})).status, 200);
    let refused = put(&json!({"threshold": 0.7}));
    assert_eq!((refused.status, refused.problem()), (409, "other-parameters".to_owned()));
    assert!(refused.value()["found"].as_str().unwrap().starts_with("char:7 jaccard 0.9"));
    assert!(refused.value()["asked"].as_str().unwrap().starts_with("word:5 jaccard 0.7"));
    assert_eq!(put(&json!({"threshold": 7})).problem(), "not-possible");
    let too_low = service.json("POST", "/v1/indexes/other/search", &json!({"text": "a", "threshold": 0.5}));
    assert_eq!(too_low.problem(), "not-possible");
    for name in ["..", ".", "..%2Fescape", "a%2Fb", "%2e%2e%2fescape", "a%00b", ".hidden", "a b"] {
        let path = format!("/v1/indexes/{}", name.replace(' ', "%20"));
        assert!([404, 422].contains(&service.request("PUT", &path, &[], b"").status), "{name}");
    }
    let left = fs::read_dir(folder.0.path()).unwrap().count();
    assert_eq!(left, 3, "the folder of indexes, the log, and the temporary folder of results");

    assert_eq!(service.request("DELETE", "/v1/indexes/other", &[], b"").status, 204);
    assert!(!folder.0.path().join("all/other").exists());
    assert_eq!(service.get("/v1/indexes/other").problem(), "no-such-index");
    assert_eq!(put(&json!({"threshold": 0.7})).status, 201);
}

#[test]
fn ids_may_be_anything_that_can_be_written_in_a_path() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let ids = ["a/b", "../../etc/passwd", "line\nbreak", "\u{0}", "ä ö?#%&+", "delete", ".", "..", "\u{202e}", "a\\b"];
    for id in ids {
        assert_eq!(service.json("POST", DOCUMENTS, &json!({"id": id, "text": text(3)})).status, 200, "{id:?}");
        let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("{DOCUMENTS}/{encoded}");
        assert_eq!(service.get(&path).value()["id"], json!(id));
        assert_eq!(service.request("DELETE", &path, &[], b"").value()["deleted_count"], json!(1), "{id:?}");
        assert_eq!(service.get(&path).problem(), "no-such-document");
    }
    // One line per request, whatever is in its path.
    let log = folder.read("serve.log");
    for line in log.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
}

#[test]
fn maintenance_is_a_task_that_can_be_asked_about() {
    let folder = with_root();
    fs::create_dir(folder.0.path().join("copies")).unwrap();
    let service = with_news(&folder, &["--snapshots", "copies"]);
    let documents: Vec<Value> = (0..20).map(|at| json!({"id": at.to_string(), "text": text(at)})).collect();
    service.json("POST", DOCUMENTS, &json!(documents));
    service.json("POST", &format!("{DOCUMENTS}/delete"), &json!({"ids": ["3"]}));
    let done = |path: &str, body: &[u8]| {
        let begun = service.request("POST", path, &[JSON], body);
        assert_eq!(begun.status, 202, "{}", begun.text());
        let place = format!("/v1/tasks/{}", begun.value()["id"]);
        assert!(begun.head.contains(&format!("location: {place}")));
        loop {
            let task = service.get(&place).value();
            if task["state"] != "running" {
                return task;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let compacted = done("/v1/indexes/news/compact", b"{\"purge\":true}");
    assert_eq!((&compacted["state"], &compacted["result"]["deleted_count"]), (&json!("done"), &json!(0)));
    let verified = done("/v1/indexes/news/verify", b"");
    assert_eq!((&verified["result"]["document_count"], &verified["result"]["problems"]), (&json!(19), &json!([])));
    let copied = done("/v1/indexes/news/snapshots", b"{\"name\":\"monday\"}");
    assert_eq!((&copied["state"], &copied["result"]["name"]), (&json!("done"), &json!("monday")));
    let stat = folder.run(&["index", "stat", "copies/monday", "--summary", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&stat.stdout).unwrap()["document_count"], 19);
    let refused = service.json("POST", "/v1/indexes/news/snapshots", &json!({"name": "../escape"}));
    assert_eq!(refused.problem(), "not-possible");
    assert_eq!(service.get("/v1/tasks").value()["tasks"].as_array().unwrap().len(), 3);
    assert_eq!(service.get("/v1/tasks/99").problem(), "no-such-task");
}

#[test]
fn a_key_opens_what_its_scope_allows_and_nothing_else() {
    let folder = with_root();
    let key = |scope: &str| {
        let ran = folder.run(&["serve", "keys", "new", scope, "--scope", scope, "--keys", "keys.jsonl"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        format!("Bearer {}", ran.stdout.trim())
    };
    let keys = ["search", "read", "write", "admin"].map(key);
    let service = Service::start(folder.0.path(), &["all", "--keys", "keys.jsonl"]);
    let admin = &[("authorization", keys[3].as_str()), JSON];
    assert_eq!(service.request("PUT", "/v1/indexes/news", admin, b"").status, 201);
    assert_eq!(service.request("POST", DOCUMENTS, admin, br#"{"id":"a","text":"one two"}"#).status, 200);

    let search = br#"{"text":"one two"}"#.as_slice();
    let document = br#"{"id":"b","text":"three"}"#.as_slice();
    // The method, the path, the body, and the first of the keys that is allowed.
    let routes = [
        ("POST", SEARCH, search, 0),
        ("POST", "/v1/compare", br#"{"left":{"text":"a"},"right":{"text":"b"}}"#, 0),
        // It shows the whole document.
        ("POST", "/v1/compare", br#"{"index":"news","left":{"text":"a"},"right":{"id":"a"}}"#, 1),
        ("GET", "/v1/indexes", b"", 1),
        ("GET", "/v1/indexes/news", b"", 1),
        ("GET", DOCUMENTS, b"", 1),
        ("GET", "/v1/indexes/news/documents/a", b"", 1),
        ("GET", "/v1/tasks", b"", 1),
        ("POST", DOCUMENTS, document, 2),
        ("DELETE", "/v1/indexes/news/documents/b", b"", 2),
        ("POST", "/v1/indexes/news/documents/delete", br#"{"ids":["b"]}"#, 2),
        ("PUT", "/v1/indexes/more", b"", 3),
        ("POST", "/v1/indexes/news/compact", b"", 3),
        ("DELETE", "/v1/indexes/more", b"", 3),
    ];
    for (method, path, body, first) in routes {
        for (at, key) in keys.iter().enumerate() {
            let answer = service.request(method, path, &[("authorization", key), JSON], body);
            let is_let_in = answer.status < 300;
            assert_eq!(is_let_in, at >= first, "{method} {path} with {at}: {} {}", answer.status, answer.text());
            assert!(is_let_in || answer.problem() == "scope-too-low");
        }
        assert_eq!(service.request(method, path, &[JSON], body).problem(), "key-missing");
        let basic = service.request(method, path, &[("authorization", "Basic YTpi"), JSON], body);
        assert_eq!((basic.status, basic.problem()), (401, "key-missing".to_owned()));
        let wrong = format!("{}0", keys[3]);
        assert_eq!(service.request(method, path, &[("authorization", &wrong), JSON], body).problem(), "key-unknown");
    }
    for open in ["/livez", "/readyz", "/metrics", "/openapi.json", "/problems/key-missing"] {
        assert_eq!(service.get(open).status, 200, "{open}");
    }

    let listed = folder.run(&["serve", "keys", "list", "--keys", "keys.jsonl"]).stdout;
    assert_eq!(listed, "search\tsearch\nread\tread\nwrite\twrite\nadmin\tadmin\n");
    assert_eq!(folder.run(&["serve", "keys", "revoke", "search", "--keys", "keys.jsonl"]).code, 0);
    let end = Instant::now() + Duration::from_secs(10);
    let revoked = || service.request("POST", SEARCH, &[("authorization", &keys[0]), JSON], search);
    while revoked().problem() != "key-unknown" {
        assert!(Instant::now() < end, "a key that was revoked still opens");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_cannot_be_served_is_refused_with_what_helps() {
    let folder = with_root();
    assert_refused(
        &folder,
        &["serve", "--listen", "0.0.0.0:0"],
        &["reached from other machines", "serve keys new", "--keys FILE"],
    );
    assert_refused(&folder, &["serve", "nowhere"], &["nowhere does not exist", "index create"]);
    folder.write("all/notes.txt", "something else");
    assert_refused(
        &folder,
        &["serve", "--results", "all"],
        &["neither the output of a finished run", "nor a folder of such results"],
    );
    fs::remove_file(folder.0.path().join("all/notes.txt")).unwrap();
    assert_refused(&folder, &["serve", "--keys", "none.jsonl"], &["has no keys"]);
    folder.write("keys.jsonl", "nonsense\n");
    assert_refused(&folder, &["serve", "--keys", "keys.jsonl"], &["not a file of keys", "line 1"]);
    folder.write("cert.pem", "nonsense");
    assert_refused(
        &folder,
        &["serve", "--tls-cert", "cert.pem", "--tls-key", "cert.pem"],
        &["cannot be used for HTTPS"],
    );
}

#[test]
fn an_index_that_another_process_writes_to_can_be_read() {
    let folder = with_root();
    let writer = with_news(&folder, &[]);
    let ran = folder.run(&["serve", "all", "--listen", "127.0.0.1:0"]);
    assert!(ran.code == 2 && ran.stderr.contains("--read-only"), "{}", ran.stderr);
    let reader_log = Folder::new();
    let all = folder.0.path().join("all");
    let reader = Service::start(reader_log.0.path(), &[all.to_str().unwrap(), "--read-only"]);
    writer.json("POST", DOCUMENTS, &json!({"id": "a", "text": text(1)}));
    let found = reader.json("POST", SEARCH, &json!({"text": text(1)})).value();
    assert_eq!(found["matches"][0]["id"], "a");
    let refused = [
        reader.json("POST", DOCUMENTS, &json!({"text": "a"})),
        reader.request("DELETE", "/v1/indexes/news", &[], b""),
        reader.request("PUT", "/v1/indexes/more", &[], b""),
        reader.request("POST", "/v1/indexes/news/compact", &[], b""),
    ];
    refused.iter().for_each(|answer| assert_eq!((answer.status, answer.problem()), (403, "read-only".to_owned())));
}

#[test]
fn a_finished_run_can_be_served_without_an_index() {
    let folder = Folder::new();
    folder.write("news.jsonl", folder::lines());
    assert_eq!(folder.run(&["dedup", "news.jsonl", "-o", "out"]).code, 0);
    let service = Service::start(folder.0.path(), &["--results", "out"]);
    assert_eq!(service.get("/v1/indexes").value()["indexes"], json!([]));
    assert_eq!(service.request("PUT", "/v1/indexes/news", &[], b"").problem(), "impossible");
    assert_eq!(service.stop(), 0);
}

#[test]
fn what_is_under_way_is_answered_when_the_server_is_told_to_stop() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let lines: String =
        (0..3000).map(|at| json!({"id": format!("d{at}"), "text": text(at)}).to_string() + "\n").collect();
    let address = service.address;
    let sends = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let bytes = service::request("POST", DOCUMENTS, &[("content-type", "application/x-ndjson")], lines.as_bytes());
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let (first, rest) = bytes.split_at(bytes.len() / 2);
        stream.write_all(first).unwrap();
        std::thread::sleep(Duration::from_millis(500));
        stream.write_all(rest).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        service::Answer::parse(&all)
    });
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(service.stop(), 0);
    let answer = sends.join().unwrap();
    assert_eq!((answer.status, &answer.value()["added_count"]), (200, &json!(3000)));
    let stat = folder.run(&["index", "stat", "all/news", "--summary", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&stat.stdout).unwrap()["document_count"], 3000);
}

#[test]
fn what_was_acknowledged_is_there_after_a_restart() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    for at in 0..30 {
        service.json("POST", DOCUMENTS, &json!({"id": at.to_string(), "text": text(at)}));
    }
    assert_eq!(service.stop(), 0);
    let service = Service::start(folder.0.path(), &["all/news"]);
    assert_eq!(service.get("/v1/indexes/news").value()["document_count"], 30);
    service.json("POST", DOCUMENTS, &json!({"id": "last", "text": text(99)}));
    service.kill();
    let service = Service::start(folder.0.path(), &["all/news"]);
    assert_eq!(service.get("/v1/indexes/news").value()["document_count"], 31);
    // A server of single indexes has no folder for others.
    assert_eq!(service.request("PUT", "/v1/indexes/more", &[], b"").problem(), "impossible");
}

#[test]
fn every_example_of_the_description_works() {
    // In an order in which each request finds what it needs.
    const ORDER: [(&str, &str); 20] = [
        ("put", "/v1/indexes/{index}"),
        ("get", "/v1/indexes"),
        ("get", "/v1/indexes/{index}"),
        ("post", "/v1/indexes/{index}/documents"),
        ("get", "/v1/indexes/{index}/documents"),
        ("get", "/v1/indexes/{index}/documents/{id}"),
        ("post", "/v1/indexes/{index}/search"),
        ("post", "/v1/compare"),
        ("delete", "/v1/indexes/{index}/documents/{id}"),
        ("post", "/v1/indexes/{index}/documents/delete"),
        ("post", "/v1/indexes/{index}/compact"),
        ("post", "/v1/indexes/{index}/snapshots"),
        ("post", "/v1/indexes/{index}/verify"),
        ("get", "/v1/tasks"),
        ("get", "/v1/tasks/{task}"),
        ("get", "/livez"),
        ("get", "/readyz"),
        ("get", "/metrics"),
        ("get", "/openapi.json"),
        ("delete", "/v1/indexes/{index}"),
    ];
    let folder = with_root();
    fs::create_dir(folder.0.path().join("copies")).unwrap();
    let service = Service::start(folder.0.path(), &["all", "--snapshots", "copies"]);
    let description = service.get("/openapi.json").value();
    let paths = description["paths"].as_object().unwrap();
    let described: BTreeSet<(&str, &str)> = paths
        .iter()
        .flat_map(|(path, operations)| operations.as_object().unwrap().keys().map(|method| (&**method, &**path)))
        .filter(|(_, path)| !path.starts_with("/v1/results"))
        .collect();
    assert_eq!(described, ORDER.into_iter().collect::<BTreeSet<_>>());

    for (method, path) in ORDER {
        let operation = &paths[path][method];
        let mut place = path.to_owned();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "path" {
                let example = parameter["example"].as_str().map_or(parameter["example"].to_string(), str::to_owned);
                place = place.replace(&format!("{{{}}}", parameter["name"].as_str().unwrap()), &example);
            }
        }
        let contents = operation["requestBody"]["content"].as_object();
        let mut bodies: Vec<(String, String)> = Vec::new();
        for (kind, content) in contents.into_iter().flatten() {
            let example = &content["example"];
            assert!(!example.is_null(), "{method} {path} has no example of {kind}");
            bodies.push((kind.clone(), example.as_str().map_or(example.to_string(), str::to_owned)));
        }
        if bodies.is_empty() {
            bodies.push((String::new(), String::new()));
        }
        for (kind, body) in bodies {
            let send = || service.request(&method.to_uppercase(), &place, &[("content-type", &kind)], body.as_bytes());
            let mut answer = send();
            // Tasks run one after the other.
            while answer.problem() == "busy" {
                std::thread::sleep(Duration::from_millis(10));
                answer = send();
            }
            let is_described = operation["responses"].get(answer.status.to_string()).is_some();
            assert!(answer.status < 300 && is_described, "{method} {place}: {} {}", answer.status, answer.text());
        }
    }
}

#[test]
fn what_is_counted_says_what_was_done() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    service.json("POST", DOCUMENTS, &json!({"id": "a", "text": text(1)}));
    service.json("POST", SEARCH, &json!({"text": text(1)}));
    service.json("POST", SEARCH, &json!({"text": 7}));
    let answer = service.get("/metrics");
    let text = answer.text();
    for line in [
        "lookalike_requests_total{method=\"POST\",route=\"/v1/indexes/{index}/search\",status=\"200\"} 1",
        "lookalike_requests_total{method=\"POST\",route=\"/v1/indexes/{index}/search\",status=\"422\"} 1",
        "lookalike_documents{index=\"news\"} 1",
        "lookalike_request_seconds_count{method=\"POST\",route=\"/v1/indexes/{index}/documents\"} 1",
        "lookalike_waiting{lane=\"write\"} 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    let log = folder.read("serve.log");
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let search = lines.iter().find(|line| line["path"] == SEARCH && line["status"] == 422).unwrap();
    assert_eq!((&search["method"], &search["key"], &search["level"]), (&json!("POST"), &json!("-"), &json!("INFO")));
    assert!(search["problem"].as_str().unwrap().contains("a string"), "{search}");
}

#[test]
fn a_port_alone_is_one_of_this_machine() {
    use std::io::{BufRead, BufReader};
    let folder = Folder::new();
    for listen in ["0", ":0", "localhost:0"] {
        let mut child = folder.start(&["serve", "--listen", listen, "--log", "none"]);
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(line.starts_with("lookalike serve: http://127.0.0.1:"), "{listen}: {line}");
    }
    let ran = folder.run(&["serve", "--listen", "example"]);
    assert!(ran.code == 2 && ran.stderr.contains("give a port, such as 7811"), "{}", ran.stderr);
}

#[test]
fn a_command_that_wants_to_write_to_a_served_index_is_told_to_use_the_api() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    folder.write("in.jsonl", folder::lines());
    let said = format!("use its HTTP API at {}/v1/indexes/news", service.url);
    for command in [
        &["index", "add", "all/news", "in.jsonl"][..],
        &["index", "delete", "all/news", "a"],
        &["index", "compact", "all/news"],
        &["dedup", "in.jsonl", "-o", "out", "--against-index", "all/news", "--add-kept"],
    ] {
        let ran = folder.run(command);
        assert!(ran.code == 2 && ran.stderr.contains(&said), "{command:?}: {}", ran.stderr);
    }
    // Reading needs no lock.
    assert_eq!(folder.run(&["search", "all/news", "x"]).code, 0);
    assert_eq!(service.stop(), 0);
    assert_eq!(folder.run(&["index", "add", "all/news", "in.jsonl"]).code, 0);
}

#[test]
fn an_answer_states_the_total_and_the_querys_own_document_comes_first() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    let documents: Vec<Value> = (0..51).map(|at| json!({"id": format!("d{at}"), "text": text(1)})).collect();
    service.json("POST", DOCUMENTS, &json!(documents));
    let asked = json!({"text": text(1), "id": "d50"});
    let found = service.json("POST", SEARCH, &asked).value();
    assert_eq!((&found["match_count"], &found["complete"]), (&json!(51), &json!(false)));
    assert_eq!((found["matches"].as_array().unwrap().len(), &found["matches"][0]["id"]), (10, &json!("d50")));
    // Of many lines, each has its own total.
    let lines = service.lines(SEARCH, &format!("{asked}\n{}\n", json!({"text": text(1), "id": "d49", "top": 100})));
    let lines: Vec<Value> = lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["matches"], &lines[0]["complete"]), (&found["matches"], &json!(false)));
    assert_eq!((&lines[1]["matches"][0]["id"], &lines[1]["complete"]), (&json!("d49"), &json!(true)));
    let refused = service.json("POST", SEARCH, &json!({"like": "d1", "id": "d1"}));
    assert_eq!((refused.status, &refused.value()["option"]), (422, &json!("id")), "{}", refused.text());
    let low = service.json("POST", SEARCH, &json!({"text": text(1), "threshold": 0.3})).value();
    assert!(low["detail"].as_str().unwrap().contains("make another index with a threshold of 0.3"), "{low}");
}

/// A form as a browser sends it.
fn form(service: &Service, path: &str, fields: &[(&str, &str)], file: (&str, &[u8])) -> service::Answer {
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend(format!("--cut\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes());
    }
    let head = format!("--cut\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\r\n", file.0);
    body.extend([head.as_bytes(), file.1, b"\r\n--cut--\r\n"].concat());
    service.request("POST", path, &[("content-type", "multipart/form-data; boundary=cut")], &body)
}

/// A table of ids and texts.
fn parquet(rows: &[(&str, &str)]) -> Vec<u8> {
    use parquet::data_type::{ByteArray, ByteArrayType};
    let schema = "message table { required binary id (STRING); required binary text (STRING); }";
    let schema = parquet::schema::parser::parse_message_type(schema).unwrap();
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(Vec::new(), schema.into(), std::sync::Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in [|row: &(&str, &str)| ByteArray::from(row.0), |row: &(&str, &str)| ByteArray::from(row.1)] {
        let values: Vec<ByteArray> = rows.iter().map(column).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn a_file_on_the_search_page_is_searched_document_by_document() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    service.json("POST", DOCUMENTS, &json!([{"id": "a", "text": text(1)}, {"id": "b", "text": text(2)}]));
    let lines = format!(
        "{}\n{}\n{}\n",
        json!({"id": "q1", "text": text(1)}),
        json!({"id": "q2", "text": text(7)}),
        json!({"id": "q3", "text": format!("{} more", text(2))})
    );
    let fields = [("index", "news"), ("text", "left over from before"), ("id_field", "id")];
    let shown = form(&service, "/matches", &fields, ("queries.jsonl", lines.as_bytes()));
    assert_eq!(shown.status, 200, "{}", shown.text());
    let shown = shown.text();
    assert!(shown.contains("2 of 3 documents in the file matched, among 2 stored documents"), "{shown}");
    assert_eq!(shown.matches("<details class=\"group\"").count(), 2, "{shown}");
    assert!(shown.contains("No match:</b> q2") && !shown.contains("left over"), "{shown}");
    // Without a field of ids, documents are identified by the name of the file, not by its location on the server.
    let shown = form(&service, "/", &[("index", "news")], ("queries.jsonl", lines.as_bytes()));
    assert!(shown.text().contains(">queries.jsonl:1<"), "{}", shown.text());
    let table = parquet(&[("q1", &text(1)), ("q2", &text(7))]);
    let fields = [("index", "news"), ("id_field", "id")];
    let shown = form(&service, "/matches", &fields, ("queries.parquet", &table)).text().to_owned();
    assert!(shown.contains("1 of 2 documents in the file matched") && shown.contains("No match:</b> q2"), "{shown}");
    let wrong = form(&service, "/matches", &[("index", "news")], ("queries.parquet", b"nonsense"));
    assert!(wrong.status >= 400 && wrong.text().contains("queries.parquet"), "{}", wrong.text());
}

#[test]
fn a_search_form_carries_no_threshold_but_the_one_that_was_asked_for() {
    let folder = with_root();
    let service = with_news(&folder, &[]);
    service.json("PUT", "/v1/indexes/strict", &json!({"threshold": 0.95}));
    let page = service.get("/").text().to_owned();
    assert!(page.contains("placeholder=\"0.8\" value=\"\""), "{page}");
    assert!(page.contains("data-threshold=\"0.8\">news") && page.contains("data-threshold=\"0.95\">strict"), "{page}");
    let asked = service.get("/?index=strict&text=x&threshold=0.97").text().to_owned();
    assert!(asked.contains("placeholder=\"0.95\" value=\"0.97\""), "{asked}");
}

#[test]
fn a_key_that_may_only_search_sees_of_documents_what_it_has_itself() {
    let folder = with_root();
    let key = |scope: &str| {
        let ran = folder.run(&["serve", "keys", "new", scope, "--scope", scope, "--keys", "keys.jsonl"]);
        format!("Bearer {}", ran.stdout.trim())
    };
    let [search, admin] = ["search", "admin"].map(key);
    let service = Service::start(folder.0.path(), &["all", "--keys", "keys.jsonl"]);
    let admin = &[("authorization", admin.as_str()), JSON];
    assert_eq!(service.request("PUT", "/v1/indexes/news", admin, br#"{"threshold":0.3}"#).status, 201);
    let text = "one two three four five six seven eight nine ten";
    for (id, end) in [("a", "and a secret at the end"), ("b", "and a secret of another kind")] {
        let stored = json!({"id": id, "text": format!("{text} {end}")}).to_string();
        assert_eq!(service.request("POST", DOCUMENTS, admin, stored.as_bytes()).status, 200);
    }
    let asked = |key: &str, path: &str, kind: &str, body: &str| {
        service.request("POST", path, &[("authorization", key), ("content-type", kind)], body.as_bytes())
    };
    // Two stored documents may share all of their text, so none of it is shown.
    let like = asked(&search, SEARCH, JSON.1, &json!({"like": "a", "passages": true}).to_string());
    assert_eq!(like.problem(), "scope-too-low");
    let query = json!({"text": text, "passages": true});
    let page = format!("--cut\r\ncontent-disposition: form-data; name=\"text\"\r\n\r\n{text}\r\n--cut--\r\n");
    let form = "multipart/form-data; boundary=cut";
    for (path, kind, body) in [
        (SEARCH, JSON.1, query.to_string()),
        (SEARCH, "application/x-ndjson", format!("{query}\n")),
        ("/", form, page.clone()),
        ("/matches", form, page),
    ] {
        let seen = |key: &str| {
            let answer = asked(key, path, kind, &body);
            assert_eq!(answer.status, 200, "{}", answer.text());
            answer.text().to_owned()
        };
        let (shared, everything) = (seen(&search), seen(admin[0].1));
        assert!(!shared.contains("secret") && shared.contains("three four"), "{path}: {shared}");
        assert!(everything.contains("secret"), "{path}: {everything}");
    }
    let page = |path: &str| service.request("GET", path, &[("authorization", &search)], b"");
    assert!(!page("/?index=news&like=a").text().contains("three four"));
    assert!(page("/?index=news&like=a").text().contains(">b<"), "{}", page("/?index=news&like=a").text());
    for path in ["/compare?index=news&left=a&right=b", "/indexes/news/document?id=a", "/indexes/news", "/results"] {
        assert_eq!(page(path).status, 403, "{path}");
    }
}

#[test]
fn no_answer_tells_where_files_are_on_the_server() {
    let folder = with_root();
    let ran = folder.write("news.jsonl", "{\"text\":\"a\"}\n").run(&["dedup", "news.jsonl", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let service = with_news(&folder, &["--results", "out", "--snapshots", "copies"]);
    for at in 0..3 {
        service.json("POST", DOCUMENTS, &json!({"id": at.to_string(), "text": text(at)}));
    }
    assert_eq!(service.json("POST", "/v1/indexes/news/snapshots", &json!({"name": "same"})).status, 202);
    let done = |service: &Service| {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let tasks = service.get("/v1/tasks");
            if !tasks.text().contains("running") {
                return tasks;
            }
            assert!(Instant::now() < end);
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    done(&service);
    // Copied to a name that is taken, damaged, and deleted.
    service.json("POST", "/v1/indexes/news/snapshots", &json!({"name": "same"}));
    let mut answers = vec![done(&service)];
    let index = folder.0.path().join("all/news/log");
    for entry in fs::read_dir(&index).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        // With a good one behind it, the first frame was good as well.
        bytes[80] ^= 0x55;
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(service.json("POST", "/v1/indexes/news/verify", &json!({})).status, 202);
    answers.push(done(&service));
    assert!(answers[1].text().contains("checksum"), "the damage is told: {}", answers[1].text());
    let damaged = service.get("/v1/indexes/news/documents/0");
    assert_eq!(damaged.problem(), "unreadable", "{}", damaged.text());
    answers.push(damaged);
    answers.push(service.json("POST", SEARCH, &json!({"text": text(1), "passages": true})));
    fs::remove_dir_all(folder.0.path().join("all")).unwrap();
    fs::remove_dir_all(folder.0.path().join("out")).unwrap();
    for path in ["/v1/indexes", "/v1/indexes/news", "/v1/indexes/none", DOCUMENTS, "/readyz", "/metrics"] {
        answers.push(service.get(path));
    }
    for path in ["", "/removed", "/files", "/files/summary.json", "/export", "/clusters", "/sources", "/files/..%2fx"] {
        answers.push(service.get(&format!("/v1/results/out{path}")));
        answers.push(service.get(&format!("/results/out{path}")));
    }
    answers.push(service.json("PUT", "/v1/indexes/more", &json!({})));
    answers.push(service.json("POST", DOCUMENTS, &json!({"text": "new"})));
    answers.push(form(&service, "/indexes/news/add", &[], ("a.parquet", b"nonsense")));
    answers.push(form(&service, "/results", &[], ("a.parquet", b"nonsense")));
    answers.push(form(&service, "/", &[("index", "news")], ("a.parquet", b"nonsense")));
    answers.push(service.request("DELETE", "/v1/indexes/news", &[], b""));
    answers.push(done(&service));
    let place = folder.0.path().to_str().unwrap();
    for answer in &answers {
        let text = String::from_utf8_lossy(&answer.body);
        assert!(!text.contains(place) && !text.contains("/tmp/"), "{} {text}", answer.head);
    }
    assert!(answers.iter().filter(|answer| answer.status >= 400).count() > 12);
}
