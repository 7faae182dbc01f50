//! The tables of refused and accepted requests through the command and the service: each verdict is that of the library.

use crate::service;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::folder::{Folder, lines};
use crate::service::Service;
use serde_json::{Map, Value};

fn table(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Options as flags: they have the names of the request, with hyphens.
fn flags(given: &Map<String, Value>) -> Vec<String> {
    let mut flags = Vec::new();
    for (name, value) in given {
        let flag = flag(name);
        match value {
            Value::Bool(true) => flags.push(flag),
            Value::String(text) => flags.push(format!("{flag}={text}")),
            Value::Array(values) => {
                let separator = if name == "size" { "x" } else { "," };
                let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
                let values: Vec<String> = values.iter().map(text).collect();
                flags.push(format!("{flag}={}", values.join(separator)));
            }
            other => flags.push(format!("{flag}={other}")),
        }
    }
    flags
}

/// The flag of an option. A purpose is what near-duplicates are looked for: `for` is a keyword elsewhere.
fn flag(option: &str) -> String {
    if option == "purpose" { "--for".to_owned() } else { format!("--{}", option.replace('_', "-")) }
}

/// The words before the flags of a job.
fn command(job: &str) -> &'static [&'static str] {
    match job {
        "dedup" | "dedup_files" => &["dedup", "in.jsonl"],
        "dedup_with_index" => &["dedup", "in.jsonl", "--against-index", "loose"],
        "decontaminate" => &["decontaminate", "in.jsonl", "--against", "in.jsonl"],
        "pairs" => &["pairs", "in.jsonl"],
        "passages" => &["passages", "in.jsonl"],
        "splits" | "splits_files" => &["splits", "in.jsonl", "in.csv"],
        "boilerplate" => &["boilerplate", "in.jsonl"],
        "add" => &["index", "add", "archive", "in.jsonl"],
        "extract_files" => &["extract", "in.jsonl"],
        "create" => &["index", "create", "made"],
        "search" => &["search", "archive", "a text"],
        "search_for" => &["search", "archive"],
        "tune" => &["tune"],
        "evaluate" => &["evaluate", "in.jsonl"],
        "sets" => &["sets", "in.txt"],
        "prints" => &["prints", "in.csv"],
        "link" | "link_files" => &["link", "in.csv"],
        "report" => &["report", "out"],
        "audit" => &["audit", "out"],
        other => panic!("no job {other}"),
    }
}

/// The folder that a job writes to, if it has to.
fn output(job: &str, given: &Map<String, Value>) -> &'static [&'static str] {
    const JOBS: [&str; 8] =
        ["decontaminate", "dedup", "dedup_files", "dedup_with_index", "link", "link_files", "passages", "splits_files"];
    let writes_folder = JOBS.contains(&job);
    if writes_folder && !given.contains_key("output") { &["-o", "out"] } else { &[] }
}

/// Options that a message offers, some with a value.
fn offers(refusal: &Value) -> Vec<Vec<String>> {
    refusal.get("offers").map_or(Vec::new(), |offers| serde_json::from_value(offers.clone()).unwrap())
}

#[test]
fn every_refusal_names_its_flag_in_one_line() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines()).write("in.txt", "a b\nb c\n").write("in.csv", "id,name\n1,a\n2,b\n");
    assert_eq!(folder.run(&["index", "create", "archive", "-q"]).code, 0);
    assert_eq!(folder.run(&["index", "create", "loose", "-q", "--threshold", "0.7"]).code, 0);
    let names = folder.names();
    for refusal in table("refusals.json") {
        let given = refusal["given"].as_object().unwrap();
        let job = refusal["job"].as_str().unwrap();
        let mut named = given.clone();
        // The text to search for has no flag.
        let query = if job == "search_for" { named.remove("text") } else { None };
        let query = query.as_ref().and_then(Value::as_str);
        let flags = flags(&named);
        let before = command(job).iter().chain(output(job, given)).copied().chain(query);
        let words: Vec<&str> = before.chain(flags.iter().map(String::as_str)).collect();
        let ran = folder.run(&words);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{words:?}: {}", ran.stderr);
        let said = ran.stderr.strip_prefix("lookalike: ").unwrap_or_else(|| panic!("{words:?}: {}", ran.stderr));
        assert_eq!(said.lines().count(), 1, "{words:?}: {said}");
        let option = refusal["option"].as_str().unwrap();
        let flag = if option == "output" { "-o".to_owned() } else { flag(option) };
        let is_said = match refusal["kind"].as_str().unwrap() {
            "needs" => said.starts_with(&format!("{flag} needs ")),
            "not_with" => [" cannot be combined with ", " would replace "]
                .iter()
                .any(|words| said.starts_with(&format!("{flag}{words}"))),
            "missing" if job == "search_for" => said.starts_with("a text, --input or --like must be given"),
            "missing" => said.starts_with(&format!("{flag} or ")),
            // A parser of arguments finds what is not a number or not among the words that are listed.
            "wrong_type" => said.contains("invalid value") && said.contains(&flag),
            "unknown_word" => {
                said.starts_with(&format!("{flag} must be "))
                    || said.contains("possible values: ") && said.contains(&flag)
            }
            "unknown_option" => said.starts_with(&format!("unexpected argument '{flag}'")),
            // What no sketch can do is said by the library, with the flags that help.
            "out_of_range" => {
                said.starts_with(&format!("{flag} must be ")) || said.contains(&flag) || said.contains(option)
            }
            other => panic!("no kind {other}"),
        };
        assert!(is_said, "{words:?}: {said}");
        for offer in offers(&refusal) {
            let offer = format!("--{}", offer.join(" "));
            assert!(said.split_once("; give ").is_some_and(|(_, help)| help.contains(&offer)), "{words:?}: {said}");
        }
        assert_eq!(folder.names(), names, "{words:?}");
    }
}

#[test]
fn an_accepted_request_has_its_fingerprint() {
    let folder = Folder::new();
    folder.write("in.jsonl", lines());
    for accepted in table("accepted.json") {
        let flags = flags(accepted["given"].as_object().unwrap());
        let words = ["dedup", "in.jsonl", "--dry-run", "-q", "--summary", "json"];
        let words: Vec<&str> = words.into_iter().chain(flags.iter().map(String::as_str)).collect();
        let ran = folder.run(&words);
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
        let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(summary["parameters"]["fingerprint"], accepted["fingerprint"], "{words:?}");
    }
}

/// Options in the table that a form does not take: they name files of the server's machine, or limit its resources.
const NOT_IN_A_FORM: [&str; 13] = [
    "add_kept",
    "annotate",
    "dry_run",
    "exclude",
    "max_input",
    "max_record",
    "memory",
    "only_against",
    "output",
    "removed",
    "report",
    "resume",
    "threads",
];

/// A request to deduplicate a file, as a browser sends it.
fn form(service: &Service, given: &Map<String, Value>) -> service::Answer {
    let field = |name: &str, value: &str| {
        format!("--cut\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let mut body: String = given.iter().map(|(name, value)| field(name, &text(value))).collect();
    body += "--cut\r\ncontent-disposition: form-data; name=\"file\"; filename=\"in.jsonl\"\r\n\r\n";
    body += &format!("{}\r\n--cut--\r\n", lines());
    service.request("POST", "/v1/results", &[("content-type", "multipart/form-data; boundary=cut")], body.as_bytes())
}

#[test]
fn the_service_gives_the_same_verdicts() {
    let folder = Folder::new();
    fs::create_dir(folder.0.path().join("all")).unwrap();
    let service = Service::start(folder.0.path(), &["all"]);
    assert_eq!(service.json("PUT", "/v1/indexes/archive", &Value::Object(Map::new())).status, 201);
    let (mut count, mut untaken) = (0, BTreeSet::new());
    for refusal in table("refusals.json") {
        let mut given = refusal["given"].as_object().unwrap().clone();
        let answer = match refusal["job"].as_str().unwrap() {
            "create" => service.json("PUT", "/v1/indexes/made", &Value::Object(given.clone())),
            "search" => {
                given.insert("text".to_owned(), "a text".into());
                service.json("POST", "/v1/indexes/archive/search", &Value::Object(given.clone()))
            }
            "search_for" => service.json("POST", "/v1/indexes/archive/search", &Value::Object(given.clone())),
            "dedup" | "dedup_files" => {
                // A browser sends every field of a form: one without a value is not given.
                if given.values().any(|value| value == "") {
                    continue;
                }
                let answer = form(&service, &given);
                let is_untaken = answer.value()["refusal"] == "unknown_option" && refusal["kind"] != "unknown_option";
                if is_untaken {
                    untaken.insert(answer.value()["option"].as_str().unwrap().to_owned());
                    continue;
                }
                answer
            }
            _ => continue,
        };
        count += 1;
        let problem = answer.value();
        assert_eq!(
            (answer.status, &problem["option"], &problem["refusal"]),
            (422, &refusal["option"], &refusal["kind"]),
            "{given:?}: {problem}"
        );
        for offer in offers(&refusal) {
            let offer = offer.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(": ");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.split_once("; give ").is_some_and(|(_, help)| help.contains(&offer)), "{given:?}: {detail}");
        }
    }
    assert!(count >= 60, "{count}");
    assert_eq!(untaken.iter().collect::<Vec<_>>(), NOT_IN_A_FORM);
    assert_eq!(service.get("/v1/results").value()["results"], Value::Array(Vec::new()), "nothing was made");
    let given = |value: Value| form(&service, value.as_object().unwrap());
    let problem = given(serde_json::json!({ "exact": "yes" }));
    assert_eq!(
        (problem.status, &problem.value()["option"], &problem.value()["refusal"]),
        (422, &"exact".into(), &"wrong_type".into())
    );
    let taken = given(serde_json::json!({ "exact": false, "alt": true, "links": true, "no_report": true }));
    assert_eq!(taken.status, 202, "{}", taken.value());
    for (at, accepted) in table("accepted.json").iter().enumerate() {
        let given = accepted["given"].as_object().unwrap();
        let answer = service.json("PUT", &format!("/v1/indexes/of{at}"), &accepted["given"]);
        // An index takes no method that needs all texts first, and draws a random key once.
        if answer.status == 201 && given.get("key") != Some(&"random".into()) {
            assert_eq!(answer.value()["fingerprint"], accepted["fingerprint"], "{given:?}");
            count += 1;
        }
    }
    assert!(count >= 60 + 15, "{count}");
}
