//! A password or a signature in an address is only for the server: it does not appear in any output or message.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use crate::folder::{Folder, Ran, lines};

const SECRETS: [&str; 2] = ["hunter2", "t0psecret"];

/// A web server with one file, for as long as the test runs.
fn serve(body: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, body) = (stream.unwrap(), body.clone());
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut request = String::new();
                while reader.read_line(&mut request).is_ok_and(|count| count > 2) {}
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nETag: \"1\"\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let body = if request.starts_with("HEAD") { "" } else { &body };
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            });
        }
    });
    at
}

fn assert_no_secret(folder: &Path, ran: &Ran) {
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let written = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            for secret in SECRETS {
                assert!(!path.to_string_lossy().contains(secret), "{}", path.display());
                assert!(!String::from_utf8_lossy(&written).contains(secret), "{secret} in {}", path.display());
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    for secret in SECRETS {
        assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn secrets_of_addresses_are_neither_written_nor_said() {
    let folder = Folder::new();
    let at = serve(lines());
    folder.write("own.jsonl", lines());
    let url = format!("http://user:hunter2@{at}/data/a.jsonl?token=t0psecret&X-Amz-Signature=t0psecret");
    let page = format!("http://user:hunter2@{}/page.txt?token=t0psecret", serve("one text".to_owned()));
    let gone = format!("http://user:hunter2@{}/x.jsonl?sig=t0psecret", SocketAddr::from(([127, 0, 0, 1], 1)));
    let twice = format!("--threshold={url}");
    for (arguments, code) in [
        (&["dedup", &url, "-o", "out", "--work", "work"][..], 0),
        // Runs that leave their work folders behind.
        (&["dedup", &url, "-o", "failed", "--work", "left", "--fail-if-source-loses", "0.01"], 2),
        (&["dedup", "own.jsonl", "--against", &url, "-o", "x", "--work", "other", "--fail-if-source-loses", "0.01"], 2),
        (&["dedup", &url, &url, "-o", "twice"], 2),
        (&["pairs", &url], 0),
        (&["pairs", &url, "-o", &gone], 2),
        (&["sets", &url, "-t", "0.5", "--column", "text"], 0),
        (&["link", &url, "-o", "linked"], 0),
        (&["prints", &url], 2),
        (&["tune", &url], 0),
        (&["evaluate", &url], 0),
        (&["compare", "a", "b", "--in", &url, "--id", "id"], 0),
        (&["compare", &page, &page], 0),
        (&["compare", &url, &page], 2),
        // Invalid calls quote the arguments that they do not understand.
        (&["compare", "a", "b", &url], 2),
        (&["dedup", "own.jsonl", "-o", "x", &twice], 2),
        (&["dedup", "own.jsonl", "-o", "https://user:hunter2@"], 2),
        (&["dedup", "ftp://user:hunter2@host/x", "-o", "unknown"], 2),
    ] {
        let ran = folder.run(arguments);
        assert_no_secret(folder.0.path(), &ran);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
    }
    assert!(folder.read("out/removed.jsonl").contains("a.jsonl"), "{:?}", folder.read("out/removed.jsonl"));
    assert!(folder.read("left/run.json").contains("/data/a.jsonl?…"), "{}", folder.read("left/run.json"));
}
