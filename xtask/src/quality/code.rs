//! Versions of source files: those with the same program must be found and reported as equal, others never.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::table::Table;

/// Comparisons, each with its options.
const WAYS: [(&str, &[&str]); 3] = [
    ("words", &["--tokens", "words"]),
    ("code", &["--tokens", "code"]),
    ("code, identifiers folded", &["--tokens", "code", "--fold", "identifiers"]),
];

/// Versions of the same program, and of others.
const SAME: [&str; 3] = ["identical", "comments", "reformatted"];
const OTHER: [&str; 3] = ["operator", "constant", "renamed"];

/// Minimum share of versions of one program that are found.
const LEAST: f64 = 0.95;

/// Compares all versions in each way; returns the names of those missed with the tokens of source code.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let folder = data.join("code");
    let mut missed = Vec::new();
    if !folder.is_dir() {
        return Ok(missed);
    }
    let labels = labels(&folder)?;
    let originals = labels.values().filter(|(_, kind)| kind == "base").count();
    let mut table = Table::new(&["tokens", "version", "of", "found", "called equal", "of other files"]);
    for (name, flags) in WAYS {
        let found = Found::of(&pairs(lookalike, &folder, flags)?, &labels);
        for kind in SAME.into_iter().chain(OTHER) {
            let [joined, equal] = [&found.joined, &found.equal].map(|counts| counts.get(kind).copied().unwrap_or(0));
            if name == "code" {
                let is_met = if SAME.contains(&kind) { joined as f64 >= LEAST * originals as f64 } else { equal == 0 };
                if !is_met || found.wrong > 0 {
                    missed.push(format!("code: {kind}"));
                }
            }
            let cells = [originals, joined, equal, found.wrong].map(|count| count.to_string());
            let [of, joined, equal, wrong] = cells;
            table.row([name.to_owned(), kind.to_owned(), of, joined, equal, wrong]);
        }
    }
    print!("{table}");
    Ok(missed)
}

/// Pairs with the original, by the kind of the version.
#[derive(Default)]
struct Found {
    joined: BTreeMap<String, usize>,
    equal: BTreeMap<String, usize>,
    /// Pairs of different files.
    wrong: usize,
}

impl Found {
    fn of(rows: &[Value], labels: &HashMap<String, (String, String)>) -> Self {
        let mut found = Self::default();
        for row in rows {
            let of = |side: &str| labels.get(row[side].as_str().unwrap_or_default());
            let (Some((cluster, left)), Some((other, right))) = (of("left_id"), of("right_id")) else { continue };
            if cluster != other {
                found.wrong += 1;
            } else if left == "base" || right == "base" {
                let kind = if left == "base" { right } else { left };
                *found.joined.entry(kind.clone()).or_default() += 1;
                let is_equal = row["jaccard"].as_f64().is_some_and(|jaccard| jaccard >= 1.0);
                *found.equal.entry(kind.clone()).or_default() += usize::from(is_equal);
            }
        }
        found
    }
}

/// The original and the kind of each version.
fn labels(folder: &Path) -> Result<HashMap<String, (String, String)>> {
    let lines = std::fs::read_to_string(folder.join("labels.jsonl")).context("cannot read the labels of code")?;
    lines
        .lines()
        .map(|line| {
            let label: Value = serde_json::from_str(line)?;
            let word = |name: &str| label[name].as_str().unwrap_or_default().to_owned();
            Ok((word("id"), (word("cluster"), word("kind"))))
        })
        .collect()
}

fn pairs(lookalike: &Path, folder: &Path, flags: &[&str]) -> Result<Vec<Value>> {
    let mut command = Command::new(lookalike);
    command.arg("pairs").arg(folder.join("docs.jsonl.gz")).args(["--id", "id", "--copies", "all"]).args(flags);
    let output = command.output().with_context(|| format!("cannot run {}", lookalike.display()))?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}
