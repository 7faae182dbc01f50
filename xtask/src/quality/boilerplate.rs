//! Removals on pages with boilerplate whose clusters are known: one article on several sites, and pages of one template
//! with different items.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::table::Table;
use crate::workspace::words;

/// A set of pages, and the minimum F1 of its removals by the purpose that suits it best.
struct Set {
    folder: &'static str,
    least_f1: f64,
}

const SETS: [Set; 2] = [Set { folder: "syndication", least_f1: 0.95 }, Set { folder: "templates", least_f1: 0.93 }];

/// The least F1 of the purpose for pages of any kind.
const LEAST_F1_OF_ANY: f64 = 0.92;

/// The same pages as plain text and as HTML.
const FILES: [(&str, &[&str]); 2] = [("text.jsonl.gz", &["--id", "id", "--source", "source"]), ("pages.warc.zst", &[])];

/// The settings, and whether they must reach an F1, and the precision.
const SETTINGS: [(&[&str], Held); 9] = [
    (&[], Held::No),
    (&["--threshold", "0.35"], Held::No),
    (&["--ignore-boilerplate"], Held::No),
    (&["--ignore-boilerplate", "--threshold", "0.5"], Held::No),
    (&["--ignore-boilerplate", "--threshold", "0.4"], Held::No),
    (&["--ignore-boilerplate", "--threshold", "0.35"], Held::No),
    (&["--ignore-boilerplate", "--threshold", "0.3"], Held::No),
    (&["--for", "web"], Held::ToAny),
    (&["--for", "news"], Held::ToSet),
];

/// F1 that settings must reach.
enum Held {
    No,
    ToAny,
    ToSet,
}

const LEAST_PRECISION: f64 = 0.98;

/// Runs all sets of the folder `data`; returns the names of those that failed. Missing sets are skipped.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let mut table =
        Table::new(&["set", "pages", "settings", "wanted", "removed", "precision", "recall", "F1", "verdict"]);
    let mut failures = Vec::new();
    for set in &SETS {
        let folder = data.join(set.folder);
        if !folder.is_dir() {
            println!("{} is absent: passed over", set.folder);
            continue;
        }
        let clusters = clusters(&folder.join("labels.jsonl"))?;
        for (file, reading) in FILES {
            for (settings, held) in &SETTINGS {
                let removals = removals(lookalike, &folder.join(file), &[reading, settings].concat())?;
                let score = Score::of(&removals, &clusters);
                let least_f1 = match held {
                    Held::No => None,
                    Held::ToAny => Some(LEAST_F1_OF_ANY),
                    Held::ToSet => Some(set.least_f1),
                };
                let is_met = least_f1.is_none_or(|least| score.f1() >= least && score.precision() >= LEAST_PRECISION);
                if !is_met {
                    failures.push(format!("{} of {} with {}", file, set.folder, settings.join(" ")));
                }
                table.row([
                    set.folder.to_owned(),
                    file.to_owned(),
                    if settings.is_empty() { "default".to_owned() } else { settings.join(" ") },
                    score.wanted.to_string(),
                    score.found.to_string(),
                    format!("{:.3}", score.precision()),
                    format!("{:.3}", score.recall()),
                    format!("{:.3}", score.f1()),
                    least_f1.map_or("", |_| if is_met { "met" } else { "missed" }).to_owned(),
                ]);
            }
        }
    }
    print!("{table}");
    Ok(failures)
}

/// Counts of removals: those wanted, which are all but one of each cluster, those found, and the correct ones.
struct Score {
    wanted: usize,
    found: usize,
    right: usize,
}

impl Score {
    fn of(removals: &[(String, String)], clusters: &HashMap<String, String>) -> Self {
        let mut sizes: HashMap<&str, usize> = HashMap::new();
        clusters.values().for_each(|cluster| *sizes.entry(cluster).or_default() += 1);
        let is_right = |(removed, kept): &&(String, String)| {
            clusters.get(removed).is_some_and(|cluster| clusters.get(kept) == Some(cluster))
        };
        Self {
            wanted: sizes.values().map(|size| size - 1).sum(),
            found: removals.len(),
            right: removals.iter().filter(is_right).count(),
        }
    }

    fn precision(&self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / self.wanted.max(1) as f64
    }

    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (self.found + self.wanted).max(1) as f64
    }
}

fn rows(file: &Path) -> Result<Vec<Value>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The cluster of each page.
fn clusters(labels: &Path) -> Result<HashMap<String, String>> {
    Ok(rows(labels)?.iter().map(|row| (plain(&row["id"]), row["cluster"].to_string())).collect())
}

/// An id without the parts that a record of a crawl adds.
fn plain(id: &Value) -> String {
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    id.trim_start_matches("<urn:page:").trim_end_matches('>').to_owned()
}

/// The ids of removed documents, each with that of the kept one.
pub(super) fn removals(lookalike: &Path, pages: &Path, settings: &[&str]) -> Result<Vec<(String, String)>> {
    let folder = tempfile::tempdir().context("cannot make a folder for the result")?;
    let out = folder.path().join("out");
    let mut command = Command::new(lookalike);
    command.arg("dedup").arg(pages).args(settings).args(["--dry-run", "--no-report", "-o"]).arg(&out);
    let output = command.output().with_context(|| format!("cannot run {}", lookalike.display()))?;
    if !output.status.success() {
        bail!("{}: {}\n{}", words(&command), output.status, String::from_utf8_lossy(&output.stderr));
    }
    let removed = rows(&out.join("removed.jsonl"))?;
    Ok(removed.iter().map(|row| (plain(&row["removed_id"]), plain(&row["kept_id"]))).collect())
}
