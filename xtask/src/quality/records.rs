//! Precision, recall and F1 of `lookalike link` on tables of which it is known who is who; no config, no labels.
//!
//! Inside one table all pairs of a cluster are held against the answer, since a cluster
//! says that they are all the same; between two tables the matches are.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::pairs::{Pair, pair, share};
use crate::table::Table;
use crate::workspace::words;

/// Tables with their answer.
struct Set {
    folder: &'static str,
    tables: &'static [&'static str],
    id: &'static str,
    more: &'static [&'static str],
    least_f1: f64,
}

const SETS: [Set; 6] = [
    Set { folder: "febrl4", tables: &["a.csv", "b.csv"], id: "rec_id", more: &[], least_f1: 0.996 },
    Set { folder: "febrl1", tables: &["records.csv"], id: "rec_id", more: &[], least_f1: 0.99 },
    Set { folder: "fake_1000", tables: &["records.csv"], id: "unique_id", more: &[], least_f1: 0.88 },
    Set { folder: "fodors_zagats", tables: &["fodors.csv", "zagats.csv"], id: "id", more: &[], least_f1: 0.98 },
    Set { folder: "early_childhood", tables: &["records.csv"], id: "id", more: &[], least_f1: 0.90 },
    Set {
        folder: "amazon_google",
        tables: &["amazon.csv", "google.csv"],
        id: "id",
        more: &["--one-to-one"],
        least_f1: 0.65,
    },
];

/// Runs all sets of the folder `data`; names those that were missed.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let mut table = Table::new(&["set", "true", "found", "precision", "recall", "F1", "wanted", "verdict"]);
    let mut missed = Vec::new();
    for set in &SETS {
        let folder = data.join(set.folder);
        let is_two = set.tables.len() == 2;
        let read = |folder: &Path, listed: &str, clusters: &str| {
            if is_two { pairs(&folder.join(listed)) } else { pairs_of_clusters(&folder.join(clusters)) }
        };
        let answer = read(&folder, "gold_pairs.csv", "gold_clusters.csv")?;
        let out = tempfile::tempdir().context("cannot make a folder for the result")?;
        let out = out.path().join("linked");
        link(lookalike, set, &folder, &out)?;
        let found = read(&out, "matches.csv", "clusters.csv")?;
        let right = found.intersection(&answer).count();
        let f1 = share(2 * right, found.len() + answer.len());
        let is_met = f1 >= set.least_f1;
        if !is_met {
            missed.push(format!("F1 {f1:.4} of {}", set.folder));
        }
        table.row([
            set.folder.to_owned(),
            answer.len().to_string(),
            found.len().to_string(),
            format!("{:.4}", share(right, found.len())),
            format!("{:.4}", share(right, answer.len())),
            format!("{f1:.4}"),
            set.least_f1.to_string(),
            if is_met { "met" } else { "missed" }.to_owned(),
        ]);
    }
    print!("{table}");
    Ok(missed)
}

fn link(lookalike: &Path, set: &Set, folder: &Path, out: &Path) -> Result<()> {
    let mut command = Command::new(lookalike);
    command.arg("link").args(set.tables.iter().map(|table| folder.join(table)));
    command.args(["--quiet", "--id", set.id]).args(set.more).arg("-o").arg(out);
    let output = command.output().with_context(|| format!("cannot run {}", lookalike.display()))?;
    if !output.status.success() {
        bail!("{}: {}\n{}", words(&command), output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// The first two columns of all rows.
fn rows(path: &Path) -> Result<Vec<[String; 2]>> {
    let mut reader = csv::Reader::from_path(path).with_context(|| format!("cannot read {}", path.display()))?;
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row?;
        let cell = |at: usize| row.get(at).map(str::to_owned).with_context(|| format!("a row of two cells: {row:?}"));
        anyhow::Ok([cell(0)?, cell(1)?])
    };
    reader.records().map(row).collect::<Result<_>>().with_context(|| path.display().to_string())
}

/// Pairs as they are listed. An id of the one table may be one of the other, which is somebody else.
fn pairs(path: &Path) -> Result<HashSet<Pair>> {
    Ok(rows(path)?.into_iter().map(|[left, right]| (left, right)).collect())
}

/// All pairs of records of one cluster.
fn pairs_of_clusters(path: &Path) -> Result<HashSet<Pair>> {
    let mut clusters: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for [id, cluster] in rows(path)? {
        clusters.entry(cluster).or_default().push(id);
    }
    let mut pairs = HashSet::new();
    for members in clusters.values() {
        for (at, one) in members.iter().enumerate() {
            pairs.extend(members[..at].iter().map(|other| pair(one, other)));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_says_that_all_its_records_are_the_same() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "id,cluster\nc,1\na,1\nb,1\nd,2\n").unwrap();
        let pairs = pairs_of_clusters(file.path()).unwrap();
        assert_eq!(pairs, HashSet::from([pair("a", "b"), pair("a", "c"), pair("b", "c")]));
    }
}
