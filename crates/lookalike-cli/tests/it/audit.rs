//! `lookalike audit DIR` with the real binary: the page for this machine, labels that survive a kill, and the table.

use crate::folder;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::folder::{Folder, assert_refused};
use serde_json::{Value, json};

/// A run that removed twelve of 24 documents, and has two kept ones just below the threshold.
fn deduplicated() -> Folder {
    let folder = Folder::new();
    let words = |seed: usize, changed: usize| -> String {
        let word = |at: usize| if at + changed >= 100 { format!("w{seed}x{at}z ") } else { format!("w{seed}x{at} ") };
        (0..100).map(word).collect()
    };
    let pair = |at: usize| {
        let line = |id: String, text: String| json!({ "id": id, "text": text }).to_string() + "\n";
        let changed = if at < 12 { 1 + at % 8 } else { 13 };
        line(format!("a{at}"), words(at, 0) + "and an end") + &line(format!("b{at}"), words(at, changed))
    };
    folder.write("in.jsonl", (0..13).map(pair).collect::<String>());
    let ran = folder.run(&["dedup", "in.jsonl", "--id", "id", "-q", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder
}

/// The running command.
struct Served {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// Host and port, and the path with the token.
    host: String,
    path: String,
}

impl Served {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args([&["audit", "out"], arguments].concat())
            .current_dir(folder.0.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("open      http://") {
            line.clear();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "no address: {:?}", child.wait());
        }
        let (host, path) = line.trim().strip_prefix("open      http://").unwrap().split_once('/').unwrap();
        let (host, path) = (host.to_owned(), format!("/{path}"));
        Self { child, stderr, host, path }
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let length = body.len();
        let kind = "content-type: application/json";
        write!(stream, "{method} {path} HTTP/1.1\r\nhost: {}\r\n{kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}", self.host).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn own(&self, method: &str, below: &str, body: &str) -> (u16, String) {
        self.ask(method, &format!("{}{below}", self.path), body)
    }

    fn label(&self, number: usize, answer: &str) {
        let (status, body) = self.own("POST", &format!("label/{number}"), &format!("{{\"label\":\"{answer}\"}}"));
        assert_eq!(status, 204, "{body}");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn labels(folder: &Folder) -> Vec<Value> {
    folder.read("out/labels.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_kill_loses_no_acknowledged_label() {
    let folder = deduplicated();
    let mut acknowledged = 0;
    for round in 0..4 {
        let served = Served::start(&folder, &[]);
        for number in 0..=round {
            served.label(3 * round % 13 + number % 2, "same");
            acknowledged += 1;
        }
        // SIGKILL, with a request still unanswered.
        let mut stream = TcpStream::connect(&served.host).unwrap();
        write!(stream, "POST {}label/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\n{{\"label\"", served.path)
            .unwrap();
        drop(served);
        assert_eq!(labels(&folder).len(), acknowledged);
    }
    // A line cut off by a crash is not a label, and the next line is one.
    let torn = folder.read("out/labels.jsonl") + "{\"left_id\":\"a1";
    folder.write("out/labels.jsonl", torn);
    Served::start(&folder, &[]).label(0, "different");
    let labels = labels(&folder);
    assert_eq!(labels.len(), acknowledged + 1);
    assert_eq!(labels.last().unwrap()["label"], "different");
}

#[test]
fn only_who_knows_the_address_gets_anything() {
    let folder = deduplicated();
    let served = Served::start(&folder, &[]);
    assert_eq!(served.path.len(), 34, "128 bits in hexadecimal between slashes: {}", served.path);
    assert!(served.host.starts_with("127.0.0.1:"));
    let other = format!("/{}/", "0".repeat(32));
    for path in ["/", "/pair/0", &other, &format!("{other}pair/0"), &served.path[..33]] {
        let (status, body) = served.ask("GET", path, "");
        assert!(status == 404 && !body.contains("w1x1"), "{path}: {status} {body}");
    }
    assert_eq!(served.ask("POST", &format!("{other}label/0"), "{\"label\":\"same\"}").0, 404);
    assert!(!folder.0.path().join("out/labels.jsonl").exists());
    let (status, page) = served.own("GET", "", "");
    assert!(status == 200 && page.contains("connect-src &#39;self&#39;") && !page.contains("http://"));
    let (status, pair) = served.own("GET", "pair/0", "");
    assert!(status == 200 && pair.contains("class=\"side left\"") && !pair.contains("kept"));
    assert_eq!((served.own("GET", "pair/999", "").0, served.own("POST", "label/999", "{}").0), (404, 404));
    for wrong in ["{\"label\":\"perhaps\"}", "{", ""] {
        assert!((400..500).contains(&served.own("POST", "label/0", wrong).0), "{wrong}");
    }
    assert!((400..500).contains(&served.own("POST", "label/0", &format!("{{\"note\":\"{}\"}}", "x".repeat(70_000))).0));
    assert_refused(&folder, &["audit", "out", "--listen", "0.0.0.0:0", "-q"], &["0.0.0.0:0", "127.0.0.1"]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_page_and_shows_the_table() {
    let folder = deduplicated();
    let mut served = Served::start(&folder, &["--labeler", "anna"]);
    assert!(served.own("GET", "result", "").1.contains("No pair is labeled yet"));
    (0..13).for_each(|number| served.label(number, if number == 4 { "different" } else { "same" }));
    assert!(served.own("GET", "result", "").1.contains("<table"));
    let id = served.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = served.child.wait().unwrap();
    let mut said = String::new();
    served.stderr.read_to_string(&mut said).unwrap();
    assert_eq!(status.code(), Some(0), "{said}");
    let mut table = String::new();
    served.child.stdout.take().unwrap().read_to_string(&mut table).unwrap();
    assert!(table.starts_with("pairs ") && table.contains("all but exact copies"), "{table}");
    assert!(said.contains("wrote     out/audit.json"), "{said}");
    // Labels are still there the next time, and are counted without a page.
    let ran = folder.run(&["audit", "out", "--labels"]);
    assert_eq!((ran.code, ran.stdout), (0, table));
    let ran = folder.run(&["audit", "out", "--labels", "--summary", "json"]);
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&result["all"]["labeled_count"], &result["labelers"]["anna"]), (&json!(12), &json!(13)));
    assert_eq!(result, serde_json::from_str::<Value>(&folder.read("out/audit.json")).unwrap());
    // And for the report.
    assert_eq!(folder.run(&["report", "out", "-q"]).code, 0);
    assert!(folder.read("out/report.html").contains("Precision by labels"));
}

#[test]
fn a_page_for_somebody_else_is_one_file() {
    let folder = deduplicated();
    let ran = folder.run(&["audit", "out", "--report", "label.html", "--sample", "5", "--near-misses", "1"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("6 pairs to label (seed 0): 5 removals and 1 near miss"), "{}", ran.stderr);
    assert!(ran.stderr.contains("wrote     label.html ("), "{}", ran.stderr);
    let page = folder.read("label.html");
    assert_eq!(page.matches("<template").count(), 6);
    assert!(!page.contains("connect-src") && !page.contains("http://"));
    assert_refused(&folder, &["audit", "out", "--report", "label.html", "-q"], &["label.html", "--force"]);
    assert_refused(&folder, &["audit", "out", "--labels"], &["nobody has labeled pairs of out yet"]);
    folder.write("bad.jsonl", "{\"left_id\":\"a\"}\n");
    assert_refused(&folder, &["audit", "out", "--labels", "bad.jsonl"], &["bad.jsonl:1: not a label"]);
    assert_refused(&folder, &["audit", "out", "--sample", "0"], &["--sample must be at least 1, not 0"]);
}

#[test]
fn standard_input_cannot_be_read_again() {
    let folder = Folder::new();
    let ran = folder.run_with(&["dedup", "-", "-q", "-o", "out"], folder::lines().as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_refused(&folder, &["audit", "out"], &["the texts of out cannot be read again", "standard input"]);
}
