//! Many processes create and revoke keys at once: none is lost, and no revoked key reappears.

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};
use std::thread;

use anyhow::{Context, Result};

use super::{Means, Tally};

/// Number of keys created at once.
const AT_ONCE: usize = 8;

/// Maximum number of rounds.
const ROUNDS: usize = 40;

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut expected = BTreeSet::new();
    for round in 0..ROUNDS {
        if !means.has_time() {
            break;
        }
        let old = format!("old{round}");
        serve_keys(means, &["new", &old, "--scope", "search"])?;
        let new: Vec<String> = (0..AT_ONCE).map(|number| format!("new{round}-{number}")).collect();
        let outputs: Vec<Result<Output>> = thread::scope(|scope| {
            let mut calls: Vec<_> = new
                .iter()
                .map(|name| scope.spawn(move || serve_keys(means, &["new", name, "--scope", "write"])))
                .collect();
            // In the middle: a writer that has read the file earlier must not write it back later.
            calls.insert(AT_ONCE / 2, scope.spawn(|| serve_keys(means, &["revoke", &old])));
            calls.into_iter().map(|call| call.join().expect("a call does not panic")).collect()
        });
        let outputs = outputs.into_iter().collect::<Result<Vec<Output>>>()?;
        let failed = outputs.iter().find(|output| !output.status.success());
        expected.extend(new);
        let listed = serve_keys(means, &["list"])?;
        let text = String::from_utf8_lossy(&listed.stdout);
        let found: BTreeSet<String> =
            text.lines().filter_map(|line| Some(line.split_once('\t')?.0.to_owned())).collect();
        let failure = match failed {
            Some(output) => Some(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())),
            None if found.contains(&old) => Some("a key that was revoked is back".to_owned()),
            None if found != expected => {
                Some(format!("{} of {} keys are there", found.intersection(&expected).count(), expected.len()))
            }
            None => None,
        };
        tally.count(failure.map(|why| format!("round {round}: {why}")));
        // A lost key is counted once.
        expected = found;
    }
    tally.note = format!("{AT_ONCE} keys made and one revoked at once, {} times", tally.tried);
    Ok(tally)
}

fn serve_keys(means: &Means<'_>, arguments: &[&str]) -> Result<Output> {
    let mut command = Command::new(means.lookalike);
    command.args(["serve", "keys"]).args(arguments).arg("--keys").arg(means.folder.join("keys.jsonl"));
    command.stdin(Stdio::null()).output().context("cannot run lookalike serve keys")
}
