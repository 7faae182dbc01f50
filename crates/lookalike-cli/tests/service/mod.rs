//! The real server in its own process, and a client that sends exactly the given requests.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub struct Service {
    child: Child,
    pub address: SocketAddr,
    pub url: String,
}

impl Service {
    /// Starts `lookalike serve` in a folder, and waits until all indexes are open.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let service = Self::start_unready(folder, arguments);
        if service.url.starts_with("http:") {
            let end = Instant::now() + Duration::from_mins(1);
            while service.get("/readyz").status != 200 {
                assert!(Instant::now() < end, "the server is not ready");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        service
    }

    /// The same, but waits only until it listens.
    pub fn start_unready(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(folder)
            // Files left behind by a killed server are removed with the folder.
            .env("TMPDIR", folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some(url) = line.trim().strip_prefix("lookalike serve: ") else {
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            panic!("it did not start: {line}{said}");
        };
        let (_, address) = url.split_once("://").unwrap();
        // An unread pipe would block the process that writes to it.
        let mut stderr = child.stderr.take().unwrap();
        let mut log = std::fs::File::create(folder.join("serve.log")).unwrap();
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut log));
        Self { address: address.parse().unwrap(), url: url.to_owned(), child }
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream
    }

    /// Sends bytes as they are, and returns everything received until the connection is closed.
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // A request that is refused early is not read to the end.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        all
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        Answer::parse(&self.raw(&request(method, path, headers, body)))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], b"")
    }

    pub fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.request(method, path, &[("content-type", "application/json")], body.to_string().as_bytes())
    }

    pub fn lines(&self, path: &str, body: &str) -> Answer {
        self.request("POST", path, &[("content-type", "application/x-ndjson")], body.as_bytes())
    }

    /// Asks it to stop, as a supervisor does, and returns its exit code.
    pub fn stop(mut self) -> i32 {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().code().unwrap()
    }

    /// Kills it, as `kill -9` does.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request as a usual client does, on its own connection.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += "host: localhost\r\n";
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

#[derive(Debug)]
pub struct Answer {
    /// Status of the answer; 0 if there was none.
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn parse(bytes: &[u8]) -> Self {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Self { status: 0, head: String::new(), body: Vec::new() };
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let body = &bytes[end + 4..];
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_chunked = head.contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_vec() };
        Self { status, head, body }
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {} {}", self.head, self.text()))
    }

    /// Last part of the problem's type; empty if it is not a problem.
    pub fn problem(&self) -> String {
        let is_problem = self.head.contains("content-type: application/problem+json");
        let kind = || Some(self.value()["type"].as_str()?.strip_prefix("/problems/")?.to_owned());
        is_problem.then(kind).flatten().unwrap_or_default()
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap().trim(), 16).unwrap();
        let from = end + 2;
        if length == 0 {
            break;
        }
        all.extend_from_slice(&bytes[from..from + length]);
        bytes = &bytes[from + length + 2..];
    }
    all
}
