//! Memory of `lookalike serve`: a request takes about a dozen times its size, and all requests together stay within the
//! budget.
#![cfg(target_os = "linux")]

mod folder;
mod service;

use std::fmt::Write as _;

use folder::Folder;
use serde_json::json;
use service::Service;

const DOCUMENTS: &str = "/v1/indexes/news/documents";
const SEARCH: &str = "/v1/indexes/news/search";

fn status(service: &Service, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Peak memory while something is done, in addition to the memory used before.
fn cost(service: &Service, done: impl FnOnce()) -> u64 {
    // Reset the peak.
    std::fs::write(format!("/proc/{}/clear_refs", service.process_id()), "5").unwrap();
    let before = status(service, "VmRSS");
    done();
    status(service, "VmHWM") - before
}

/// A text of this many bytes, with words of realistic length.
fn prose(bytes: usize, seed: u64) -> String {
    let mut text = String::with_capacity(bytes + 16);
    let mut at = seed << 32;
    while text.len() < bytes {
        at += 1;
        let word = at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (36 + at % 9);
        write!(text, "{word:x} ").unwrap();
    }
    text
}

fn served(folder: &Folder, memory: &str) -> Service {
    std::fs::create_dir_all(folder.0.path().join("all")).unwrap();
    let service = Service::start(folder.0.path(), &["all", "--log", "none", "--memory", memory]);
    assert!(service.json("PUT", "/v1/indexes/news", &json!({})).status < 300);
    service
}

#[test]
fn a_request_costs_at_most_a_dozen_times_its_size() {
    let folder = Folder::new();
    let (mib, size) = (1 << 20, 16 << 20);
    let text = prose(size, 1);
    let near = format!("{text} closing");
    let half = &text[..3 << 20];
    let list: Vec<_> = (0..5).map(|at| json!({"id": at.to_string(), "text": prose(size / 5, 10 + at)})).collect();
    let lines = list.iter().map(|line| format!("{line}\n")).collect::<String>().replace("\"id\":\"", "\"id\":\"l");
    let requests = [
        ("search", SEARCH, json!({"text": text}).to_string(), size),
        ("write", DOCUMENTS, json!({"id": "a", "text": text}).to_string(), size),
        ("search that finds", SEARCH, json!({"text": near}).to_string(), size),
        ("search by id", SEARCH, json!({"like": "a"}).to_string(), size),
        (
            "unless",
            "/v1/indexes/news/documents?unless_duplicate=true",
            json!({"id": "b", "text": near}).to_string(),
            size,
        ),
        ("list", DOCUMENTS, json!(list).to_string(), size),
        ("lines", DOCUMENTS, lines, size),
        (
            "compare",
            "/v1/compare",
            json!({"left": {"text": half}, "right": {"text": format!("{half} closing")}}).to_string(),
            2 * half.len(),
        ),
    ];
    for (name, path, body, size) in requests {
        // A separate service for each, so that none reuses the memory that another freed.
        let service = served(&folder, "2G");
        let kind = if name == "lines" { "application/x-ndjson" } else { "application/json" };
        let taken = cost(&service, || {
            let answer = service.request("POST", path, &[("content-type", kind)], body.as_bytes());
            assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        });
        let times = taken as f64 / size as f64;
        println!("{name}: {times:.1} times {} MiB", size / mib);
        // In addition, the server itself grows a little: threads, and pages of its own code.
        assert!(
            taken <= 12 * size as u64 + (8 << 20),
            "{name} of {} MiB took {} MiB: {times:.1} times",
            size / mib,
            taken / mib as u64
        );
    }
}

#[test]
fn many_large_requests_at_once_keep_to_the_budget_and_what_never_fits_is_told_with_what_would_do() {
    let folder = Folder::new();
    let service = served(&folder, "600M");
    let bodies: Vec<String> =
        (0..10).map(|at| json!({"id": at.to_string(), "text": prose(10 << 20, at)}).to_string()).collect();
    let mut statuses = Vec::new();
    let taken = cost(&service, || {
        std::thread::scope(|scope| {
            let kind = &[("content-type", "application/json")];
            let ask = |(at, body): (usize, &String)| {
                let path = if at % 2 == 0 { DOCUMENTS } else { "/v1/indexes/news/documents?unless_duplicate=true" };
                service.request("POST", path, kind, body.as_bytes())
            };
            let threads: Vec<_> = bodies.iter().enumerate().map(|body| scope.spawn(move || ask(body))).collect();
            statuses.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
        });
    });
    assert!(statuses.iter().any(|answer| answer.status == 200), "{statuses:?}");
    for answer in &statuses {
        let is_told = answer.status == 503 && answer.head.contains("retry-after");
        assert!(answer.status == 200 || is_told, "{} {}", answer.status, answer.text());
    }
    assert!(taken < 600_000_000, "{} MiB", taken >> 20);
    // Too large for the memory, but not for a server.
    let large = json!({"text": prose(28 << 20, 77)}).to_string();
    let refused = service.request("POST", SEARCH, &[("content-type", "application/json")], large.as_bytes());
    let detail = refused.value()["detail"].as_str().unwrap().to_owned();
    assert!(refused.problem() == "too-large" && detail.contains("MB of memory"), "{detail}");
    // A text of single letters has more tokens, and they are counted.
    let dense = json!({"text": "a b ".repeat(5 << 20)}).to_string();
    let refused = service.request("POST", SEARCH, &[("content-type", "application/json")], dense.as_bytes());
    assert_eq!(refused.problem(), "too-large", "{}", refused.text());
    assert_eq!(service.json("POST", SEARCH, &json!({"text": "a few words"})).status, 200);
}

#[test]
#[cfg(target_env = "gnu")]
fn what_large_texts_took_is_given_back() {
    let folder = Folder::new();
    let service = served(&folder, "2G");
    let before = status(&service, "VmRSS");
    let body = json!({"text": prose(16 << 20, 1)}).to_string();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let answer = service.request("POST", SEARCH, &[("content-type", "application/json")], body.as_bytes());
                assert!(answer.status == 200 || answer.status == 503, "{}", answer.text());
            });
        }
    });
    let kept = status(&service, "VmRSS").saturating_sub(before);
    assert!(kept < 48 << 20, "{} MiB stay", kept >> 20);
}
