//! Recall of `lookalike decontaminate` on test items that were planted in real documents, and what it accuses falsely.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::table::Table;
use crate::workspace::words;

/// The least recall of planted items, over all kinds and of each kind.
const LEAST_RECALL: f64 = 0.97;
const LEAST_OF_KIND: f64 = 0.90;

/// The least share of planted bytes that are marked, and of marked bytes that are planted.
const LEAST_BYTES: f64 = 0.9;

/// The number of clean items, or of documents with common text, of which one may be accused.
const ONE_IN: usize = 40;

/// Runs the planted set of the folder `data`; names what was missed.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let data = data.join("decontamination");
    if !data.is_dir() {
        println!("no {}: planted items are not searched for", data.display());
        return Ok(Vec::new());
    }
    let hits = hits(lookalike, &data)?;
    let gold = rows(&data.join("gold.jsonl"))?;
    let mut table = Table::new(&["documents", "items", "found", "share", "verdict"]);
    let mut failures = Vec::new();
    let mut row = |kind: &str, all: usize, found: usize, is_met: bool| {
        let verdict = if is_met { "met" } else { "missed" };
        if !is_met {
            failures.push(format!("decontamination: {kind}"));
        }
        let share = format!("{:.3}", found as f64 / all.max(1) as f64);
        table.row([kind.to_owned(), all.to_string(), found.to_string(), share, verdict.to_owned()]);
    };
    let accusing: BTreeSet<(&str, &str)> = hits.iter().filter(|hit| !hit.is_common).map(Hit::pair).collect();
    let planted: Vec<Planted<'_>> = gold.iter().filter_map(Planted::of).collect();
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for item in &planted {
        let (all, found) = kinds.entry(item.kind).or_default();
        *all += 1;
        *found += usize::from(accusing.contains(&item.pair));
    }
    for (kind, (all, found)) in &kinds {
        row(kind, *all, *found, *found as f64 >= LEAST_OF_KIND * *all as f64);
    }
    let found = planted.iter().filter(|item| accusing.contains(&item.pair)).count();
    row("all planted", planted.len(), found, found as f64 >= LEAST_RECALL * planted.len() as f64);
    let (covered, marked, all) = bytes(&planted, &hits);
    row("planted bytes that are marked", all, covered, covered as f64 >= LEAST_BYTES * all as f64);
    row("marked bytes that are planted", marked, covered, covered as f64 >= LEAST_BYTES * marked as f64);
    let pairs: BTreeSet<(&str, &str)> = planted.iter().map(|item| item.pair).collect();
    let accused: BTreeSet<&str> = accusing.difference(&pairs).map(|(_, document)| *document).collect();
    for (kind, documents) in negatives(&gold) {
        let wrong = documents.intersection(&accused).count();
        row(kind, documents.len(), wrong, wrong * ONE_IN <= documents.len());
    }
    let clean: BTreeSet<String> = rows(&data.join("items_gold.jsonl"))?
        .iter()
        .filter(|item| item["contaminated"] == false)
        .filter_map(|item| item["item_id"].as_str().map(str::to_owned))
        .collect();
    let wrong = clean.iter().filter(|item| accusing.iter().any(|(accused, _)| accused == item)).count();
    row("clean items that are accused", clean.len(), wrong, wrong * ONE_IN <= clean.len().max(ONE_IN));
    print!("{table}");
    Ok(failures)
}

struct Hit {
    item: String,
    document: String,
    is_common: bool,
    start: u64,
    end: u64,
}

impl Hit {
    fn pair(&self) -> (&str, &str) {
        (&self.item, &self.document)
    }
}

/// An item in a document.
pub(crate) struct Planted<'g> {
    pub(crate) pair: (&'g str, &'g str),
    kind: &'g str,
    start: u64,
    end: u64,
}

impl<'g> Planted<'g> {
    /// Reads a row of the answer; none if it is about a document without the item.
    pub(crate) fn of(row: &'g Value) -> Option<Self> {
        let kind = row["kind"].as_str().filter(|kind| !kind.starts_with("negative"))?;
        let pair = (row["item_id"].as_str()?, row["document_id"].as_str()?);
        Some(Self { pair, kind, start: row["start"].as_u64()?, end: row["end"].as_u64()? })
    }
}

/// The documents of each kind that have no item.
pub(crate) fn negatives(gold: &[Value]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut negatives: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in gold {
        if let (Some(kind), Some(document)) = (row["kind"].as_str(), row["document_id"].as_str())
            && kind.starts_with("negative")
        {
            negatives.entry(kind).or_default().insert(document);
        }
    }
    negatives
}

/// Of planted items that were found: how many bytes are marked and planted, marked at all, and planted at all.
fn bytes(planted: &[Planted<'_>], hits: &[Hit]) -> (usize, usize, usize) {
    let (mut covered, mut marked, mut all) = (0, 0, 0);
    for item in planted {
        let places = hits.iter().filter(|hit| !hit.is_common && hit.pair() == item.pair);
        let bytes: BTreeSet<u64> = places.flat_map(|hit| hit.start..hit.end).collect();
        if !bytes.is_empty() {
            covered += bytes.range(item.start..item.end).count();
            marked += bytes.len();
            all += (item.end - item.start) as usize;
        }
    }
    (covered, marked, all)
}

fn hits(lookalike: &Path, data: &Path) -> Result<Vec<Hit>> {
    let folder = tempfile::tempdir().context("cannot make a folder for the hits")?;
    let out = folder.path().join("out");
    let mut command = Command::new(lookalike);
    command.arg("decontaminate").arg(data.join("corpus.jsonl.gz")).arg("--against").arg(data.join("items.jsonl"));
    command.args(["--id", "id", "--no-report", "--quiet", "-o"]).arg(&out);
    let output = command.output().with_context(|| format!("cannot run {}", lookalike.display()))?;
    ensure!(
        output.status.success(),
        "{}: {}\n{}",
        words(&command),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let hit = |row: Value| {
        Some(Hit {
            item: row["item_id"].as_str()?.to_owned(),
            document: row["document_id"].as_str()?.to_owned(),
            is_common: row["common"].as_bool()?,
            start: row["start"].as_u64()?,
            end: row["end"].as_u64()?,
        })
    };
    Ok(rows(&out.join("hits.jsonl"))?.into_iter().filter_map(hit).collect())
}

/// Reads a file of JSON lines.
pub(crate) fn rows(path: &Path) -> Result<Vec<Value>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let row = |line: &str| serde_json::from_str(line).with_context(|| format!("{}: not JSON", path.display()));
    text.lines().filter(|line| !line.is_empty()).map(row).collect()
}
