//! Mutated files with every command: no panic, no signal, no silent failure, output complete or absent.

use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::files::{self, For, Good};
use super::guarded::{Guarded, Ran};
use super::{Means, Tally};
use crate::bench::dice::Dice;

/// The attacked commands: the kind of files, and the arguments after the file name.
const COMMANDS: [(For, &str, &[&str]); 16] = [
    (For::Documents, "dedup", &["-o", "out"]),
    (For::Documents, "dedup", &["-o", "out", "--annotate", "--id", "id"]),
    (For::Documents, "dedup", &["-o", "out", "--exact", "--extract", "article"]),
    (For::Documents, "dedup", &["-o", "out", "--memory", "64M", "--max-record", "1M", "--threads", "4"]),
    (For::Documents, "pairs", &["--threshold", "0.5"]),
    (For::Documents, "pairs", &["--method", "simhash", "--format", "tsv"]),
    (For::Documents, "tune", &[]),
    (For::Documents, "evaluate", &[]),
    (For::Table, "link", &["-o", "out", "--id", "id"]),
    (For::Table, "dedup", &["-o", "out", "--text", "name"]),
    (For::Workbook, "link", &["-o", "out", "--id", "id"]),
    (For::Workbook, "sets", &["--set", "name", "--element", "city", "--threshold", "0.5"]),
    (For::Sets, "sets", &["--threshold", "0.3"]),
    (For::Sets, "sets", &["--top", "2"]),
    (For::Table, "sets", &["--set", "name", "--element", "city", "--threshold", "0.5"]),
    (For::Prints, "prints", &[]),
];

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut dice = Dice::new(means.seed);
    let good = files::all()?;
    // First the unmodified files: a command that rejects them would test nothing.
    for (number, good) in good.iter().enumerate() {
        for (command, arguments) in commands_for(good) {
            let (ran, failure) = run(means, good.name, &(good.pack)(&good.bytes)?, command, arguments)?;
            let is_refused = (ran.code == Some(2)).then(|| ran.stderr.clone());
            let failure = failure.or(is_refused).map(|why| format!("{} unchanged, {command}: {why}", good.name));
            tally.count(failure.inspect(|_| keep(means, &format!("good-{number}"), good.name, &good.bytes)));
        }
    }
    while means.has_time() {
        let file = &good[dice.below(good.len())];
        let bytes = (file.pack)(&mutate(&file.bytes, &mut dice))?;
        let commands = commands_for(file);
        let (command, arguments) = commands[dice.below(commands.len())];
        let (_, failure) = run(means, file.name, &bytes, command, arguments)?;
        let case = format!("case-{}", tally.tried);
        tally.count(failure.map(|why| {
            keep(means, &case, file.name, &bytes);
            format!("{case}/{}, {command} {}: {why}", file.name, arguments.join(" "))
        }));
    }
    tally.note = format!("{} files of every format, {} commands", good.len(), COMMANDS.len());
    Ok(tally)
}

fn commands_for(good: &Good) -> Vec<(&'static str, &'static [&'static str])> {
    // Documents without fields have no id field, and a field that no document has is rejected.
    let has_ids = good.is_for != For::Documents || !["a.txt", "a.html", "a.arc"].contains(&good.name);
    let fits = |(is_for, _, arguments): &&(For, &str, &[&str])| {
        *is_for == good.is_for && (has_ids || !arguments.contains(&"--id"))
    };
    let fitting = COMMANDS.iter().filter(fits);
    fitting.map(|(_, command, arguments)| (*command, *arguments)).collect()
}

/// Runs a command on a file, and describes any failure.
fn run(
    means: &Means<'_>,
    name: &str,
    bytes: &[u8],
    command: &str,
    arguments: &[&str],
) -> Result<(Ran, Option<String>)> {
    let folder = means.folder.join("case");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), bytes)?;
    let ran = Guarded::new(means.lookalike, &folder, &[&[command, name], arguments, &["--quiet"]].concat()).run()?;
    let failure = ran.failure().or_else(|| wrong_output(&folder, &ran, command)).or_else(|| leftovers(&folder, name));
    Ok((ran, failure))
}

/// Output must be complete or absent.
fn wrong_output(folder: &Path, ran: &Ran, command: &str) -> Option<String> {
    let out = folder.join("out");
    if !["dedup", "link"].contains(&command) {
        return None;
    }
    if ran.code == Some(2) {
        return out.exists().then(|| "an output though the run failed".to_owned());
    }
    let summary =
        fs::read(out.join("summary.json")).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let Some(summary) = summary else { return Some("no summary.json".to_owned()) };
    if command != "dedup" {
        return None;
    }
    let count = |group: &str, name: &str| summary[group][name].as_u64().unwrap_or(u64::MAX);
    let rows = fs::read_to_string(out.join("removed.jsonl")).map_or(u64::MAX, |rows| rows.lines().count() as u64);
    let (documents, kept, removed) =
        (count("input", "document_count"), count("found", "kept_count"), count("found", "removed_count"));
    let is_whole = kept.checked_add(removed) == Some(documents) && rows == removed;
    (!is_whole).then(|| format!("{documents} documents, {kept} kept, {removed} removed, {rows} rows"))
}

/// There must be no leftovers beside the output.
fn leftovers(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let other: Vec<String> = entries.filter(|entry| entry != name && entry != "out").collect();
    (!other.is_empty()).then(|| format!("left behind: {}", other.join(", ")))
}

fn keep(means: &Means<'_>, case: &str, name: &str, bytes: &[u8]) {
    let folder = means.kept.join(case);
    // A file that cannot be kept is still counted and reported.
    let _ = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(name), bytes));
}

/// Bytes with a special meaning in some format.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n\r\n",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\t",
    b"<",
    b"&#0;",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\\ud800",
    b"WARC/1.0\r\n",
    b"Content-Length: 99999999999999999999\r\n",
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
    b"\x1b]0;x\x07",
    b"9223372036854775808",
    b"4294967295",
    b"-1",
];

/// One to four mutations: bits flipped; bytes replaced, removed, duplicated or inserted; or truncation.
fn mutate(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + 1 + dice.below(64)).min(bytes.len());
        match dice.below(7) {
            0 | 1 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            2 if at < bytes.len() => bytes[at] = dice.below(256) as u8,
            3 => drop(bytes.drain(at..end.max(at))),
            4 => {
                let again = bytes[at..end.max(at)].to_vec();
                bytes.splice(at..at, again);
            }
            5 => drop(bytes.splice(at..at, ODD[dice.below(ODD.len())].iter().copied())),
            _ => bytes.truncate(at),
        }
    }
    bytes
}
