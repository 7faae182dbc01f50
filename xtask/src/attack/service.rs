//! Clients that try to exhaust the memory of a server: unauthenticated forms whose header never ends, and texts of many
//! megabytes: of long words, and of single letters.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::{Means, Tally};
use crate::service::Service;

/// Number of concurrent clients.
const FORMS: usize = 20;
const CLIENTS: usize = 6;

/// Size of each form.
const FORM_BYTES: usize = 16 << 20;
const TEXT_BYTES: usize = 8 << 20;

/// Size of texts with a token in every byte or two. They need several times the memory.
const DENSE_BYTES: usize = 2 << 20;

/// Maximum memory for all forms together.
const FEW_BYTES: u64 = 64 << 20;

/// Maximum memory for a request, as a multiple of its size.
const TIMES: u64 = 12;

/// Maximum memory that remains when all texts have been processed: as much as one of them needs.
const HELD_BYTES: u64 = TIMES * TEXT_BYTES as u64;

/// Maximum memory for all requests, if the server supports a limit.
const MEMORY_BYTES: u64 = 256 << 20;

/// Maximum wait of another client.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Time for the server to release memory.
const AFTERWARDS: Duration = Duration::from_secs(15);

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let forms = forms(means, &mut tally)?;
    let texts = texts(means, &mut tally)?;
    tally.note = format!(
        "{FORMS} endless forms: {} MiB; {CLIENTS} texts of 2 or 8 MiB at once: {} MiB",
        forms >> 20,
        texts >> 20
    );
    Ok(tally)
}

/// Sends forms without a key to a server that requires keys. Returns the memory they took.
fn forms(means: &Means<'_>, tally: &mut Tally) -> Result<u64> {
    let keys = means.folder.join("keys.jsonl");
    let mut new = Command::new(means.lookalike);
    new.args(["serve", "keys", "new", "reader", "--scope", "search", "--keys"]).arg(&keys);
    new.stdout(Stdio::null()).stderr(Stdio::null()).status().context("cannot run lookalike serve keys")?;
    let root = means.folder.join("of-forms");
    fs::create_dir(&root)?;
    let service = Service::start_with(means.lookalike, &root, &["--keys", &keys.to_string_lossy()])?;
    let before = service.memory_bytes()?;
    let mut slowest = Duration::ZERO;
    let most = watched(&service, (0..FORMS).map(|_| || endless_form(service.address)).collect(), || {
        let start = Instant::now();
        service.client()?.send("GET", "/livez", "")?;
        slowest = slowest.max(start.elapsed());
        Ok(())
    })?;
    let taken = most.saturating_sub(before);
    tally.count((taken > FEW_BYTES).then(|| format!("forms take {} MiB of memory", taken >> 20)));
    tally.count((slowest > LONGEST_WAIT).then(|| format!("while forms come in, another client waits {slowest:.1?}")));
    tally.count(service.stop().err().map(|error| format!("after forms: {error:#}")));
    Ok(taken)
}

/// A form whose first header never ends. The expected result is a rejection.
fn endless_form(address: SocketAddr) -> Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let head = format!(
        "POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: {}\r\n\r\n--x\r\nX-A: ",
        2 * FORM_BYTES
    );
    let piece = vec![b'a'; 1 << 16];
    let mut sent = stream.write_all(head.as_bytes());
    for _ in 0..FORM_BYTES / piece.len() {
        sent = sent.and_then(|()| stream.write_all(&piece));
    }
    let _ = stream.read(&mut [0; 64]);
    Ok(())
}

/// Searches for and writes long texts, all clients at once. Returns the memory they took.
fn texts(means: &Means<'_>, tally: &mut Tally) -> Result<u64> {
    let root = means.folder.join("of-texts");
    fs::create_dir(&root)?;
    let help = Command::new(means.lookalike).args(["serve", "--help"]).output().context("cannot run lookalike")?;
    let has_bound = String::from_utf8_lossy(&help.stdout).contains("--memory");
    let bound = MEMORY_BYTES.to_string();
    let arguments: &[&str] = if has_bound { &["--memory", bound.as_str()] } else { &[] };
    let service = Service::start_with(means.lookalike, &root, arguments)?;
    let before = service.memory_bytes()?;
    let allowed = if has_bound { MEMORY_BYTES + FEW_BYTES } else { TIMES * (CLIENTS * TEXT_BYTES) as u64 };
    let mut taken = 0;
    for (kind, index, text) in
        [("long words", "{}", long_text(TEXT_BYTES)), ("single letters", "{}", "a b ".repeat(DENSE_BYTES / 4))]
    {
        service.client()?.done("PUT", "/v1/indexes/texts", index)?;
        taken = taken.max(texts_of(&service, kind, &text, [before, allowed], tally)?);
        service.client()?.done("DELETE", "/v1/indexes/texts", "")?;
    }
    tally.count(service.stop().err().map(|error| format!("after long texts: {error:#}")));
    Ok(taken)
}

/// The same with one text, in the index `texts`. The memory before is given, and the memory that is allowed.
fn texts_of(service: &Service, kind: &str, text: &str, [before, allowed]: [u64; 2], tally: &mut Tally) -> Result<u64> {
    let mut taken = 0;
    for (what, path) in [("searches", "/v1/indexes/texts/search"), ("writes", "/v1/indexes/texts/documents")] {
        let client = |number: usize| {
            move || {
                let own = format!("own{number} {text}");
                let body = if what == "searches" {
                    format!("{{\"text\":\"{own}\"}}")
                } else {
                    format!("{{\"id\":\"{number}\",\"text\":\"{own}\"}}")
                };
                let (status, answer) = service.client()?.send("POST", path, &body)?;
                // Rejected for now, or as too large for the limit: both are valid responses.
                let is_answer = [200, 413, 429, 503].contains(&status);
                anyhow::ensure!(is_answer, "{status} {}", String::from_utf8_lossy(&answer));
                Ok(())
            }
        };
        let answered = watched(service, (0..CLIENTS).map(client).collect(), || Ok(()));
        let most = match answered {
            Ok(most) => most,
            Err(error) => {
                tally.count(Some(format!("{what} of {kind}: {error:#}")));
                continue;
            }
        };
        taken = taken.max(most.saturating_sub(before));
        tally.count((taken > allowed).then(|| format!("{what} of {kind} take {} MiB of memory", taken >> 20)));
        let held = settled(service, before + HELD_BYTES)?.saturating_sub(before);
        tally.count((held > HELD_BYTES).then(|| format!("after {what} of {kind} {} MiB are held", held >> 20)));
    }
    // One at a time must fit.
    let (status, _) =
        service.client()?.send("POST", "/v1/indexes/texts/search", &format!("{{\"text\":\"{text}\"}}"))?;
    tally.count((status != 200).then(|| format!("a search of {kind} alone: {status}")));
    Ok(taken)
}

/// Distinct words.
fn long_text(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 32);
    let mut number = 0_u64;
    while text.len() < bytes {
        let _ = write!(text, "w{} ", lookalike_core::hash::mix(number));
        number += 1;
    }
    text
}

/// Runs clients at once, repeats another action meanwhile, and returns the peak memory of the server.
fn watched<C: FnOnce() -> Result<()> + Send>(
    service: &Service,
    clients: Vec<C>,
    mut meanwhile: impl FnMut() -> Result<()>,
) -> Result<u64> {
    let mut most = 0;
    thread::scope(|scope| {
        let threads: Vec<_> = clients.into_iter().map(|client| scope.spawn(client)).collect();
        while !threads.iter().all(thread::ScopedJoinHandle::is_finished) {
            most = service.memory_bytes()?.max(most);
            meanwhile()?;
            thread::sleep(Duration::from_millis(5));
        }
        threads.into_iter().try_for_each(|thread| thread.join().expect("a client does not panic"))
    })?;
    Ok(most)
}

/// The memory of the server once it has fallen to `wanted`, or after a timeout.
fn settled(service: &Service, wanted: u64) -> Result<u64> {
    let start = Instant::now();
    loop {
        let held = service.memory_bytes()?;
        if held <= wanted || start.elapsed() > AFTERWARDS {
            return Ok(held);
        }
        thread::sleep(Duration::from_millis(100));
    }
}
