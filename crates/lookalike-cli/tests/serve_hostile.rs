//! Hostile clients: none takes the service down, and none gets access.

mod folder;
mod service;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use folder::{Folder, text};
use serde_json::{Value, json};
use service::{Answer, Service, request};

const JSON: (&str, &str) = ("content-type", "application/json");
const LINES: (&str, &str) = ("content-type", "application/x-ndjson");
const DOCUMENTS: &str = "/v1/indexes/scratch/documents";
const SEARCH: &str = "/v1/indexes/scratch/search";

fn started() -> (Folder, Service) {
    let folder = Folder::new();
    let service = Service::start(folder.0.path(), &["--log", "json"]);
    service.json("POST", DOCUMENTS, &json!({"id": "a", "text": text(1)}));
    (folder, service)
}

/// Checks that other clients are served normally.
fn assert_well(service: &Service) {
    let start = Instant::now();
    let found = service.json("POST", SEARCH, &json!({"text": text(1)}));
    assert_eq!(found.value()["matches"][0]["id"], "a");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Peak memory of the process, in bytes.
fn peak_bytes(service: &Service) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// Reads until the other side closes, and returns how long that took.
fn until_closed(stream: &mut TcpStream) -> (Vec<u8>, Duration) {
    let start = Instant::now();
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    (all, start.elapsed())
}

#[test]
fn headers_and_bodies_that_trickle_are_given_up() {
    let (_folder, service) = started();
    let mut silent = service.connect();
    let mut half = service.connect();
    half.write_all(b"GET /livez HTTP/1.1\r\nhost: localhost\r\nx-long: ").unwrap();
    let mut body = service.connect();
    body.write_all(b"POST /v1/compare HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{").unwrap();
    let mut trickle = service.connect();
    let head = "POST /v1/compare HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n";
    trickle.write_all(head.as_bytes()).unwrap();
    let trickles = std::thread::spawn(move || {
        let start = Instant::now();
        trickle.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let mut answer = Vec::new();
        while start.elapsed() < Duration::from_secs(40) && trickle.write_all(b" ").is_ok() {
            let mut some = [0; 4096];
            match trickle.read(&mut some) {
                Ok(0) => break,
                Ok(count) => answer.extend_from_slice(&some[..count]),
                Err(_) => {}
            }
        }
        (answer, start.elapsed())
    });
    assert_well(&service);
    for stream in [&mut silent, &mut half, &mut body] {
        let (answer, took) = until_closed(stream);
        assert!(took < Duration::from_secs(25), "{took:?}");
        let status = Answer::parse(&answer).status;
        assert!([0, 408].contains(&status), "{status}");
    }
    let (answer, took) = trickles.join().unwrap();
    assert!(took < Duration::from_secs(35), "a body may not come a byte at a time: {took:?}");
    assert_eq!(Answer::parse(&answer).problem(), "too-slow");
    assert_well(&service);
}

#[test]
fn a_body_without_end_is_refused_and_takes_no_memory() {
    let (_folder, service) = started();
    // A body that declares its size is refused before it is received.
    for kind in [JSON, LINES] {
        let head = format!(
            "POST {DOCUMENTS} HTTP/1.1\r\nhost: localhost\r\n{}: {}\r\ncontent-length: 10000000000\r\n\r\n",
            kind.0, kind.1
        );
        let mut stream = service.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let (answer, _) = until_closed(&mut stream);
        assert_eq!(Answer::parse(&answer).problem(), "too-large");
    }
    // A body that does not is cut off: as a whole, and as one line.
    for kind in [JSON, LINES] {
        let head = format!(
            "POST {DOCUMENTS} HTTP/1.1\r\nhost: localhost\r\n{}: {}\r\ntransfer-encoding: chunked\r\n\r\n",
            kind.0, kind.1
        );
        let mut stream = service.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let chunk = [b"100000\r\n".as_slice(), &vec![b' '; 1 << 20], b"\r\n"].concat();
        let mut sent = 0u64;
        while stream.write_all(&chunk).is_ok() {
            sent += 1 << 20;
            assert!(sent < 10 << 30, "all of it was taken");
        }
        assert!(sent < 200 << 20, "{sent} bytes were taken");
    }
    assert!(peak_bytes(&service) < 300 << 20, "{}", peak_bytes(&service));
    assert_well(&service);
}

#[test]
fn a_form_header_that_never_ends_is_refused_and_takes_no_memory() {
    let folder = Folder::new();
    let key = folder.run(&["serve", "keys", "new", "a", "--scope", "admin", "--keys", "keys.jsonl"]);
    let service = Service::start(folder.0.path(), &["--keys", "keys.jsonl"]);
    let before = peak_bytes(&service);
    let head = "POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 1000000000\r\n\r\n--x\r\n";
    let long_value = format!("{head}Content-Disposition: form-data; name=\"key\"\r\n\r\n");
    for start in [format!("{head}X-A: "), long_value, head.to_owned()] {
        let senders: Vec<_> = (0..5)
            .map(|_| {
                let (mut stream, start) = (service.connect(), start.clone());
                std::thread::spawn(move || {
                    stream.write_all(start.as_bytes()).unwrap();
                    let mut sent = 0_u64;
                    while sent < 900 << 20 && stream.write_all(&[b'a'; 1 << 13]).is_ok() {
                        sent += 1 << 13;
                    }
                    sent
                })
            })
            .collect();
        for sender in senders {
            // No more is sent than the socket buffers of both sides hold, and none of it is read.
            let sent = sender.join().unwrap();
            assert!(sent < 32 << 20, "{sent} bytes were taken");
        }
    }
    assert!(peak_bytes(&service) - before < 16 << 20, "{}", peak_bytes(&service) - before);
    // A client that fails repeatedly must wait, and clients with a key need not log in.
    let enter = |key: &str| {
        let body = format!("--x\r\ncontent-disposition: form-data; name=\"key\"\r\n\r\n{key}\r\n--x--\r\n");
        service.request("POST", "/login", &[("content-type", "multipart/form-data; boundary=x")], body.as_bytes())
    };
    let statuses: Vec<u16> = (0..60).map(|_| enter("wrong").status).collect();
    let refused = statuses.iter().filter(|status| **status == 429).count();
    assert!(refused > 20 && statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
    let bearer = format!("Bearer {}", key.stdout.trim());
    let mine = service.request("GET", "/v1/indexes", &[("authorization", &bearer)], b"");
    assert_eq!(mine.status, 200, "{}", mine.text());
}

#[test]
fn bombs_in_packed_bodies_are_refused() {
    let (_folder, service) = started();
    // More than a gigabyte of zeros, compressed to a few megabytes at most.
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let piece = vec![b' '; 1 << 20];
        (0..1100).for_each(|_| encoder.write_all(&piece).unwrap());
        encoder.finish().unwrap()
    };
    let zstd = {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        let piece = b"\n".repeat(1 << 20);
        (0..1100).for_each(|_| encoder.write_all(&piece).unwrap());
        encoder.finish().unwrap()
    };
    for (packing, bomb) in [("gzip", &gzip), ("zstd", &zstd)] {
        for kind in [JSON, LINES] {
            for path in [DOCUMENTS, SEARCH] {
                let answer = service.request("POST", path, &[kind, ("content-encoding", packing)], bomb);
                // The connection may be closed while the rest is still being sent.
                assert!(["too-large", ""].contains(&&*answer.problem()), "{packing} {}", answer.text());
                assert!(answer.status == 0 || answer.status == 413);
            }
        }
        let cut = service.request("POST", DOCUMENTS, &[JSON, ("content-encoding", packing)], &bomb[..40]);
        assert_eq!(cut.problem(), "malformed", "{packing}");
    }
    let nested = service.request("POST", DOCUMENTS, &[JSON, ("content-encoding", "gzip, gzip")], &gzip);
    assert!(["other-content", ""].contains(&&*nested.problem()));
    assert!(peak_bytes(&service) < 300 << 20, "{}", peak_bytes(&service));
    assert_well(&service);
}

#[test]
fn ten_thousand_connections_do_not_shut_others_out_for_long() {
    let (_folder, service) = started();
    let mut held = Vec::new();
    let mut refused = 0;
    for _ in 0..10_000 {
        let mut stream = TcpStream::connect(service.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        let mut some = [0; 64];
        // Clients that find no capacity are told so at once.
        if stream.read(&mut some).is_ok() {
            refused += 1;
        } else {
            held.push(stream);
        }
        if held.len() > 2000 {
            held.remove(0);
        }
    }
    assert!(refused > 1000, "{refused}");
    // Silent connections are dropped, and there is capacity again.
    let end = Instant::now() + Duration::from_secs(30);
    while service.get("/livez").status != 200 {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(200));
    }
    drop(held);
    assert_well(&service);
    assert!(service.get("/metrics").text().contains("lookalike_refused_connections_total"));
}

#[test]
fn what_is_not_http_or_not_json_is_refused() {
    let (_folder, mut service) = started();
    let long = "x".repeat(100_000);
    let raw: [&[u8]; 7] = [
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nhost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /v1/compare HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
        b"POST /v1/compare HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\n",
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
    ];
    for bytes in raw {
        let status = Answer::parse(&service.raw(bytes)).status;
        assert!(status == 0 || status >= 400, "{status} for {}", String::from_utf8_lossy(bytes));
    }
    let answer = service.request("GET", "/livez", &[("x-long", &long)], b"");
    assert!([0, 431].contains(&answer.status), "{}", answer.status);

    let deep = "[".repeat(200_000);
    let bodies = [
        "",
        "{",
        "nonsense",
        "{\"text\":}",
        "[1",
        "\u{feff}{}",
        "{\"text\":\"\\ud800\"}",
        "{\"text\":1e999}",
        "null",
        &deep,
        "{\"text\":\"a\",\"text\":\"b\"}",
    ];
    for body in bodies {
        for (method, path) in [
            ("POST", DOCUMENTS),
            ("POST", SEARCH),
            ("POST", "/v1/compare"),
            ("POST", "/v1/indexes/scratch/documents/delete"),
        ] {
            let answer = service.request(method, path, &[JSON], body.as_bytes());
            assert_eq!((answer.status, answer.problem()), (400, "malformed".to_owned()), "{path} {body:.20}");
        }
    }
    let invalid = service.request("POST", DOCUMENTS, &[JSON], b"{\"text\":\"\xff\xfe\"}");
    assert_eq!(invalid.problem(), "malformed");
    let lines = service.request("POST", DOCUMENTS, &[LINES], b"{\"text\":\"\xff\"}\n\0\n{\"text\":\"fine\"}\n");
    assert_eq!(
        (lines.status, &lines.value()["skipped_count"], &lines.value()["added_count"]),
        (207, &json!(2), &json!(1))
    );
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""] {
        let answer = service.request("POST", SEARCH, &[("content-type", kind)], b"{\"text\":\"a\"}");
        assert_eq!(answer.problem(), "other-content", "{kind}");
    }
    assert_eq!(service.request("BREW", SEARCH, &[], b"").problem(), "method-not-allowed");
    assert!(service.is_running());
    assert_well(&service);
}

#[test]
fn pages_of_other_sites_get_nothing() {
    let (_folder, service) = started();
    for host in ["evil.example", "localhost.evil.example", "evil.example:7811", ""] {
        let answer = service.request("GET", "/v1/indexes", &[("host", host)], b"");
        assert_eq!((answer.status, answer.problem()), (421, "other-host".to_owned()), "{host}");
    }
    let without = Answer::parse(&service.raw(b"GET /v1/indexes HTTP/1.1\r\nconnection: close\r\n\r\n"));
    assert_eq!(without.problem(), "other-host");
    for origin in ["http://evil.example", "null", "https://localhost:1"] {
        let body = br#"{"id":"planted","text":"planted by another site"}"#;
        let answer = service.request("POST", DOCUMENTS, &[JSON, ("origin", origin)], body);
        assert_eq!((answer.status, answer.problem()), (403, "other-origin".to_owned()), "{origin}");
    }
    assert_eq!(service.get(&format!("{DOCUMENTS}/planted")).status, 404);
    let asked = service.request(
        "OPTIONS",
        DOCUMENTS,
        &[("origin", "http://evil.example"), ("access-control-request-method", "POST")],
        b"",
    );
    assert!(!asked.head.contains("access-control-allow"), "{}", asked.head);
    let answer = service.get("/v1/indexes");
    for header in
        ["x-content-type-options: nosniff", "content-security-policy: default-src 'none'", "cache-control: no-store"]
    {
        assert!(answer.head.contains(header), "{}", answer.head);
    }
}

#[test]
fn no_path_leads_out() {
    let (_folder, service) = started();
    let paths = [
        "/../../etc/passwd",
        "/v1/indexes/../../../etc/passwd",
        "/v1/indexes/%2e%2e/documents",
        "/v1/indexes/..%2f..%2fetc/search",
        "/problems/..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/v1/tasks/..",
        "/v1/tasks/-1",
        "/v1/indexes/scratch%00/documents",
        "/%",
        "/v1/indexes/%ff",
    ];
    for path in paths {
        for method in ["GET", "POST", "PUT", "DELETE"] {
            let answer = service.request(method, path, &[JSON], b"{}");
            assert!((400..500).contains(&answer.status), "{method} {path}: {} {}", answer.status, answer.text());
            assert!(!answer.text().contains("root:"));
        }
    }
    assert_well(&service);
}

#[test]
fn who_does_not_take_its_answers_holds_up_nobody() {
    let (_folder, service) = started();
    let documents: Vec<Value> =
        (0..200).map(|at| json!({"id": at.to_string(), "text": text(at).repeat(100)})).collect();
    assert_eq!(service.json("POST", DOCUMENTS, &json!(documents)).status, 200);
    // Answers of several megabytes each, to clients that never read them.
    let stuck: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = service.connect();
            let path = format!("{DOCUMENTS}?limit=200&text=true");
            stream.write_all(&request("GET", &path, &[], b"")).unwrap();
            stream
        })
        .collect();
    (0..20).for_each(|_| assert_well_in_any_case(&service));
    drop(stuck);
    assert_well_in_any_case(&service);
}

/// The document may have been replaced by another with the same id.
fn assert_well_in_any_case(service: &Service) {
    assert_eq!(service.json("POST", SEARCH, &json!({"text": text(1)})).status, 200);
}
