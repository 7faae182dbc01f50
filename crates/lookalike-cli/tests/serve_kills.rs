//! A server that is killed while clients write to it: everything it acknowledged is there afterwards, and nothing else.
//!
//! Every client records its requests and the answers, in order, for ids that only it uses. So each id has a set of
//! states that are possible afterwards: the last one that was acknowledged, or one that was requested after it.

mod folder;
mod service;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use folder::Folder;
use serde_json::{Value, json};
use service::{Answer, Service, request};

const CLIENTS: usize = 8;

/// Number of servers to kill; `LOOKALIKE_KILLS` can raise it.
fn rounds() -> usize {
    std::env::var("LOOKALIKE_KILLS").map_or(4, |rounds| rounds.parse().unwrap())
}

/// The text of a document; `None` once it is deleted.
type State = Option<String>;

/// The possible states of a document: the last one that was acknowledged, and those requested since.
#[derive(Clone, Debug, Default)]
struct History {
    possible: Vec<State>,
}

impl History {
    fn asked(&mut self, state: State) {
        if self.possible.is_empty() {
            self.possible.push(None);
        }
        self.possible.push(state);
    }

    fn acknowledged(&mut self) {
        self.possible.drain(..self.possible.len() - 1);
    }
}

fn send(address: SocketAddr, method: &str, path: &str, body: &Value) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    stream.write_all(&request(method, path, &[("content-type", "application/json")], body.as_bytes())).ok()?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all).ok()?;
    let answer = Answer::parse(&all);
    (answer.status == 200).then_some(answer)
}

/// Writes until the server is gone.
fn write_on(
    address: SocketAddr,
    client: usize,
    round: usize,
    histories: &mut HashMap<String, History>,
    stop: &AtomicBool,
) {
    for at in 0.. {
        if stop.load(Relaxed) {
            return;
        }
        let id = format!("{client}-{}", at * 7 % 40);
        let history = histories.entry(id.clone()).or_default();
        let is_done = if at % 5 == 4 {
            history.asked(None);
            send(address, "DELETE", &format!("/v1/indexes/news/documents/{id}"), &Value::Null).is_some()
        } else {
            let text = format!("text of {id} in round {round} as number {at}");
            history.asked(Some(text.clone()));
            send(address, "POST", "/v1/indexes/news/documents", &json!({"id": id, "text": text})).is_some()
        };
        if !is_done {
            return;
        }
        history.acknowledged();
    }
}

#[test]
fn a_server_that_is_killed_loses_nothing_that_it_acknowledged() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["index", "create", "news"]).code, 0);
    let mut all: Vec<HashMap<String, History>> = vec![HashMap::new(); CLIENTS];
    let mut acknowledged = 0;
    for round in 0..rounds() {
        let service = Service::start(folder.0.path(), &["news", "--log", "none"]);
        let (address, stop) = (service.address, AtomicBool::new(false));
        std::thread::scope(|scope| {
            for (client, histories) in all.iter_mut().enumerate() {
                let stop = &stop;
                scope.spawn(move || write_on(address, client, round, histories, stop));
            }
            std::thread::sleep(Duration::from_millis(150 + 130 * (round as u64 % 5)));
            service.kill();
            stop.store(true, Relaxed);
        });

        let service = Service::start(folder.0.path(), &["news", "--log", "none"]);
        let mut documents = 0;
        for (id, history) in all.iter_mut().flatten() {
            let found = service.get(&format!("/v1/indexes/news/documents/{id}"));
            let state = (found.status == 200).then(|| found.value()["text"].as_str().unwrap().to_owned());
            assert!(history.possible.contains(&state), "{id}: {state:?} is none of {:?}", history.possible);
            documents += u64::from(state.is_some());
            acknowledged += 1;
            history.possible = vec![state];
        }
        assert_eq!(service.get("/v1/indexes/news").value()["document_count"], documents);
        service.kill();
    }
    assert!(acknowledged > 40 * rounds(), "too little was written to say anything: {acknowledged}");
    let verified = folder.run(&["index", "verify", "news"]);
    assert_eq!(verified.code, 0, "{}", verified.stderr);
}
