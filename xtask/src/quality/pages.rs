//! The accuracy of `lookalike extract` on real pages: the share of their main content that it finds, and of other text
//! that it does not.
//!
//! The tables of `--extract article` were learned from these pages, so the accuracy on other pages is lower:
//! `docs/extraction.md` has the numbers of a cross-validation. This test detects changes that reduce it.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::bufread::GzDecoder;
use serde_json::Value;

use crate::table::Table;
use crate::workspace::words;

/// Minimum mean F1 of `--extract article` by kind of page.
const LEAST: [(&str, f64); 4] = [("all", 0.88), ("article", 0.945), ("forum", 0.78), ("product", 0.72)];

/// Extracts all pages in both ways, and returns the kinds with a lower F1 than required; none if the pages are missing.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let folder = data.join("web-pages");
    if !folder.is_dir() {
        println!("no {}: extraction is not measured", folder.display());
        return Ok(Vec::new());
    }
    let gold = gold(&folder)?;
    let [text, article] = ["text", "article"].map(|what| extracted(lookalike, &folder, what));
    let [text, article] = [scores(&gold, &text?), scores(&gold, &article?)];
    let mut table = Table::new(&["pages", "count", "F1 of text", "F1 of article", "least", "verdict"]);
    let mut missed = Vec::new();
    for (kind, scores) in &article {
        let least = LEAST.iter().find(|(of, _)| of == kind).map(|(_, least)| *least);
        let is_missed = least.is_some_and(|least| mean(scores) < least);
        if is_missed {
            missed.push(format!("web-pages, {kind}"));
        }
        table.row([
            kind.clone(),
            scores.len().to_string(),
            format!("{:.3}", mean(&text[kind])),
            format!("{:.3}", mean(scores)),
            least.map_or(String::new(), |least| least.to_string()),
            least.map_or("", |_| if is_missed { "missed" } else { "met" }).to_owned(),
        ]);
    }
    print!("{table}");
    Ok(missed)
}

/// Number of occurrences of each word in a text.
type Words = HashMap<String, u64>;

/// The main content of a page, and the kind of the page.
struct Gold {
    kind: Option<String>,
    words: Words,
}

fn gold(folder: &Path) -> Result<HashMap<String, Gold>> {
    let path = folder.join("gold.jsonl.gz");
    let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut gold = HashMap::new();
    for line in BufReader::new(GzDecoder::new(BufReader::new(file))).lines() {
        let row: Value = serde_json::from_str(&line?)?;
        if let (Some(id), Some(text)) = (row["id"].as_str(), row["gold_text"].as_str()) {
            let kind = row["page_type"].as_str().map(str::to_owned);
            gold.insert(format!("<urn:page:{id}>"), Gold { kind, words: words_of(text) });
        }
    }
    Ok(gold)
}

/// The text that the command extracts from each page, as words.
fn extracted(lookalike: &Path, folder: &Path, what: &str) -> Result<HashMap<String, Words>> {
    let mut command = Command::new(lookalike);
    command.arg("extract").arg(folder.join("pages.warc.zst")).args(["--extract", what, "--quiet"]);
    let output = command.output().with_context(|| format!("cannot run {}", lookalike.display()))?;
    ensure!(output.status.success(), "{}: {}", words(&command), String::from_utf8_lossy(&output.stderr));
    let mut found = HashMap::new();
    for line in output.stdout.lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let [id, text] = ["id", "text"].map(|field| row[field].as_str().unwrap_or_default());
        found.insert(id.to_owned(), words_of(text));
    }
    Ok(found)
}

fn words_of(text: &str) -> Words {
    let mut words = Words::new();
    let lower = text.to_lowercase();
    for word in lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).filter(|word| !word.is_empty())
    {
        *words.entry(word.to_owned()).or_default() += 1;
    }
    words
}

/// F1 of each page, by kind and for all.
fn scores(gold: &HashMap<String, Gold>, found: &HashMap<String, Words>) -> BTreeMap<String, Vec<f64>> {
    let mut scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let nothing = Words::new();
    for (id, Gold { kind, words }) in gold {
        let found = found.get(id).unwrap_or(&nothing);
        let shared: u64 = words.iter().map(|(word, count)| *count.min(found.get(word).unwrap_or(&0))).sum();
        let both: u64 = words.values().chain(found.values()).sum();
        for kind in [Some("all".to_owned()), kind.clone()].into_iter().flatten() {
            scores.entry(kind).or_default().push(2.0 * shared as f64 / both.max(1) as f64);
        }
    }
    scores
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}
