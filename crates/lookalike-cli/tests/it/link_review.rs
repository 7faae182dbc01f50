//! `lookalike link review DIR` with the real binary: pairs to label, labels that survive, and who may see them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::folder::{Folder, assert_refused};

/// A result of linking customers, many of whom share a name: with typing errors (x), and with others of the same name
/// in the same house (y), who differ only in the town.
fn linked() -> Folder {
    let folder = Folder::new();
    let given = ["Anna", "Bert", "Carla", "Dora", "Emil", "Franz", "Greta", "Hanna", "Ivan", "Julia"];
    let family = ["Adler", "Bauer", "Conrad", "Dietz", "Ebert", "Fuchs", "Graf"];
    let mut rows = "id,name,street,city\n".to_owned();
    for at in 0..140_usize {
        let name = format!("{} {}", given[at % 10], family[at * 3 % 7]);
        rows += &format!("{at},{name},{} Lake Street,{}\n", at * 7 % 50, ["Ulm", "Bonn", "Kiel"][at % 3]);
        if at % 3 == 0 {
            let slip = name.replace("er", "re");
            let (mark, city) = if at % 2 == 0 { ("x", at) } else { ("y", at + 1) };
            rows += &format!("{at}{mark},{slip},{} Lake St.,{}\n", at * 7 % 50, ["Ulm", "Bonn", "Kiel"][city % 3]);
        }
    }
    folder.write("customers.csv", rows);
    let ran = folder.run(&["link", "customers.csv", "--id", "id", "-q", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder
}

struct Served {
    child: Child,
    host: String,
    path: String,
}

impl Served {
    fn start(folder: &Folder) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(["link", "review", "out"])
            .current_dir(folder.0.path())
            .stdout(Stdio::null())
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
        Self { child, host: host.to_owned(), path: format!("/{path}") }
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    fn own(&self, below: &str, body: &str) -> (u16, String) {
        self.ask("POST", &format!("{}{below}", self.path), body)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number of the question that a page shows; none if nothing is asked.
fn number(page: &str) -> Option<u64> {
    page.split("data-number=\"").nth(1).unwrap().split('"').next().unwrap().parse().ok()
}

fn labels(folder: &Folder) -> Vec<Value> {
    folder.read("out/labels.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn answers_are_kept_undone_and_learned_from_and_asking_ends() {
    let folder = linked();
    let served = Served::start(&folder);
    let (status, page) = served.ask("GET", &served.path, "");
    assert_eq!((status, number(&page)), (200, Some(0)));
    assert!(page.contains("Content-Security-Policy") && !page.contains("probability"), "{page}");

    let (status, page) = served.own("answer/0", "{\"label\":\"same\"}");
    assert_eq!((status, number(&page)), (200, Some(1)));
    let first = labels(&folder);
    assert_eq!((first.len(), &first[0]["label"]), (1, &"same".into()));
    // A key that was pressed twice labels nothing else.
    assert_eq!(served.own("answer/0", "{\"label\":\"different\"}").0, 409);
    assert_eq!(served.own("answer/1", "{\"label\":\"maybe\"}").0, 422);
    assert_eq!(labels(&folder).len(), 1);
    let (status, page) = served.own("undo", "{}");
    assert_eq!((status, number(&page)), (200, Some(0)));
    assert!(labels(&folder)[1]["label"].is_null());

    // Somebody who knows which ids are of one customer.
    let mut asked = Some(0);
    let mut answers = 0;
    let mut page = page;
    while let Some(question) = asked {
        let heads: Vec<&str> = page.split("<th scope=\"col\" dir=\"auto\">").skip(1).collect();
        let id = |at: usize| heads[at].split('<').next().unwrap().trim_end_matches('x').to_owned();
        let label = if id(0) == id(1) { "same" } else { "different" };
        let (status, next) = served.own(&format!("answer/{question}"), &format!("{{\"label\":\"{label}\"}}"));
        assert_eq!(status, 200, "{next}");
        answers += 1;
        assert!(answers <= 120, "it never ends: {next}");
        (asked, page) = (number(&next), next);
    }
    assert!(page.contains("More labels would change next to nothing.") && answers >= 20, "{answers} {page}");
    assert_eq!(labels(&folder).iter().filter(|label| !label["label"].is_null()).count(), answers + 1);
    drop(served);

    // A later review goes on where the first ended.
    let served = Served::start(&folder);
    let (_, page) = served.ask("GET", &served.path, "");
    assert!(
        page.contains("different. The last ten answers") || page.contains("different. At least 20 labels"),
        "{page}"
    );
    assert!(!page.contains(">0 the same"), "{page}");
    drop(served);
    let ran = folder.run(&["link", "customers.csv", "--id", "id", "--labels", "out/labels.jsonl", "-o", "better"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{answers} labels: ")), "{answers} {}", ran.stderr);
}

#[test]
fn only_who_knows_the_address_of_this_machine_gets_anything() {
    let folder = linked();
    assert_refused(
        &folder,
        &["link", "review", "out", "--listen", "0.0.0.0:0"],
        &["can be reached from other machines"],
    );
    assert_refused(&folder, &["link", "review", "."], &["cannot review pairs of"]);
    let served = Served::start(&folder);
    for path in ["/", "/answer/0", "/00000000000000000000000000000000/"] {
        assert_eq!(served.ask("GET", path, "").0, 404, "{path}");
        assert_eq!(served.ask("POST", path, "{\"label\":\"same\"}").0, 404, "{path}");
    }
    assert!(!folder.0.path().join("out/labels.jsonl").exists());
}
