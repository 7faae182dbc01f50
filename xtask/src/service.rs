//! A running `lookalike serve`, and clients with persistent connections, for measurements and long tests.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::bench::dice::Dice;

/// A server that is stopped when this is dropped.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Service {
    /// Serves a folder of indexes, and waits until all are open.
    pub(crate) fn start(lookalike: &Path, root: &Path) -> Result<Self> {
        Self::start_with(lookalike, root, &[])
    }

    /// The same with additional arguments.
    pub(crate) fn start_with(lookalike: &Path, root: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(lookalike);
        command.arg("serve").arg(root).args(["--listen", "127.0.0.1:0", "--log", "none"]).args(arguments);
        command.stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start lookalike serve")?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("it has an output")?).read_line(&mut line)?;
        let address = line.trim().rsplit_once("//").context("lookalike serve does not say where it is")?.1.parse()?;
        let service = Self { child, address };
        while service.client()?.send("GET", "/readyz", "")?.0 != 200 {
            thread::sleep(Duration::from_millis(50));
        }
        Ok(service)
    }

    /// Another connection.
    pub(crate) fn client(&self) -> Result<Client> {
        Client::connect(self.address)
    }

    /// Its memory in bytes.
    pub(crate) fn memory_bytes(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }

    /// Number of open files and connections.
    pub(crate) fn descriptors(&self) -> Result<usize> {
        Ok(fs::read_dir(format!("/proc/{}/fd", self.child.id()))?.count())
    }

    /// Stops it, and checks that it ended properly.
    pub(crate) fn stop(mut self) -> Result<()> {
        let stopped = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        ensure!(stopped.success(), "kill: {stopped}");
        let ended = self.child.wait()?;
        ensure!(ended.success(), "lookalike serve: {ended}");
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection for consecutive requests.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    request: String,
}

impl Client {
    fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_mins(2)))?;
        Ok(Self { stream: BufReader::new(stream), request: String::new() })
    }

    /// Sends JSON, and returns the status and the body of the response.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, Vec<u8>)> {
        self.send_as(method, path, "application/json", body)
    }

    /// Sends a body of another type.
    pub(crate) fn send_as(&mut self, method: &str, path: &str, kind: &str, body: &str) -> Result<(u16, Vec<u8>)> {
        self.request.clear();
        let length = body.len();
        write!(
            self.request,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
        )?;
        self.stream.get_mut().write_all(self.request.as_bytes())?;
        let (mut status, mut length) = (0, 0);
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.stream.read_line(&mut line)? > 0, "the server closed the connection");
            let line = line.trim_end();
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.split(' ').next().unwrap_or_default().parse()?;
            } else if let Some(rest) = line.strip_prefix("content-length: ") {
                length = rest.parse()?;
            } else if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((status, body))
    }

    /// Sends JSON, and returns an error unless the request succeeds.
    pub(crate) fn done(&mut self, method: &str, path: &str, body: &str) -> Result<Value> {
        let (status, answer) = self.send(method, path, body)?;
        if status >= 300 {
            bail!("{method} {path}: {status} {}", String::from_utf8_lossy(&answer));
        }
        Ok(if answer.is_empty() { Value::Null } else { serde_json::from_slice(&answer)? })
    }
}

/// Number of words of a document.
const WORDS: usize = 80;

/// Size of the vocabulary.
const VOCABULARY: usize = 50_000;

/// The text of document `number`, which never changes. Every tenth is the previous one with a word replaced.
pub(crate) fn text(number: u64) -> String {
    let is_edit = number % 10 == 9;
    let mut words = words(number - u64::from(is_edit));
    if is_edit {
        words[WORDS / 2] = format!("edit{number}");
    }
    words.join(" ")
}

/// The same text with its last word replaced, as a query.
pub(crate) fn edited(number: u64) -> String {
    let text = text(number);
    let (kept, _) = text.rsplit_once(' ').unwrap_or_default();
    format!("{kept} query")
}

fn words(number: u64) -> Vec<String> {
    let mut dice = Dice::new(number);
    (0..WORDS).map(|_| format!("word{}", dice.below(VOCABULARY))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_texts_are_edits_of_the_one_before() {
        let differing = |left: &str, right: &str| {
            left.split(' ').zip(right.split(' ')).filter(|(left, right)| left != right).count()
        };
        assert_eq!(differing(&text(8), &text(9)), 1);
        assert_eq!(differing(&text(8), &edited(8)), 1);
        assert!(differing(&text(9), &text(10)) > 70);
        assert_eq!(text(7), text(7));
    }
}
