//! A table of customers with few duplicates, linked and compared with the truth.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::bench::corpora::crm;
use crate::bench::measure::{self, Usage};
use crate::pairs::share;
use crate::table::Table;

/// Numbers of rows of the tables.
pub(super) const SIZES: [usize; 3] = [20_000, 200_000, 1_000_000];

/// Targets: for every size, and for the largest.
const LEAST_F1: f64 = 0.95;
const CPU_SECONDS: f64 = 60.0;
const PEAK_BYTES: f64 = 1.5e9;

/// Results for one table.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Measured {
    rows: usize,
    /// Pairs of rows of the same person.
    true_count: usize,
    usage: Usage,
    matches: Counted,
    clusters: Counted,
}

/// Number of found pairs, and of correct ones.
#[derive(Serialize, Deserialize)]
struct Counted {
    found: usize,
    right: usize,
}

impl Counted {
    fn f1(&self, true_count: usize) -> f64 {
        share(2 * self.right, self.found + true_count)
    }
}

pub(super) fn measure(rows: usize, folder: &Path, lookalike: &Path) -> Result<Measured> {
    let path = folder.join(format!("crm-{rows}.csv"));
    eprintln!("making a table of {rows} rows");
    let true_count = crm::write(rows, &path)?;
    let out = folder.join("link-out");
    let mut command = Command::new(lookalike);
    command.arg("link").arg(&path).args(["--id", crm::ID, "--force", "-o"]).arg(&out);
    eprintln!("linking it");
    let usage = measure::measure(&command)?;
    let matches = matches(&out.join("matches.csv"))?;
    let clusters = clusters(&out.join("clusters.csv"))?;
    Ok(Measured { rows, true_count, usage, matches, clusters })
}

/// The number of the person, with which an id begins.
fn person(id: &str) -> &str {
    id.split('-').next().unwrap_or(id)
}

/// The first two cells of each row.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().skip(1).filter_map(|row| {
        let mut cells = row.split(',');
        Some((cells.next()?, cells.next()?))
    })
}

fn matches(path: &Path) -> Result<Counted> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let right = rows(&text).filter(|(left, right)| person(left) == person(right)).count();
    Ok(Counted { found: rows(&text).count(), right })
}

/// All pairs of each cluster.
fn clusters(path: &Path) -> Result<Counted> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    rows(&text).for_each(|(id, cluster)| members.entry(cluster).or_default().push(person(id)));
    let mut counted = Counted { found: 0, right: 0 };
    for members in members.values() {
        for (at, one) in members.iter().enumerate() {
            counted.found += at;
            counted.right += members[..at].iter().filter(|other| *other == one).count();
        }
    }
    Ok(counted)
}

pub(super) fn table(measured: &[Measured]) -> Table {
    let headings =
        ["rows", "true pairs", "matches", "F1 of matches", "F1 of clusters", "processor seconds", "peak memory, MB"];
    let mut table = Table::new(&headings);
    for one in measured {
        table.row([
            one.rows.to_string(),
            one.true_count.to_string(),
            one.matches.found.to_string(),
            format!("{:.4}", one.matches.f1(one.true_count)),
            format!("{:.4}", one.clusters.f1(one.true_count)),
            one.usage.cpu_seconds.map_or(String::new(), |seconds| format!("{seconds:.1}")),
            format!("{:.0}", one.usage.peak_bytes.unwrap_or(0) as f64 / 1e6),
        ]);
    }
    table
}

pub(super) fn section(measured: &[Measured]) -> String {
    format!(
        "\nOne table in which {:.0} of 100 rows are of somebody who is in it already, among namesakes, households and \
         colleagues:\n\n{}",
        100.0 * crm::DUPLICATES,
        table(measured).to_markdown()
    )
}

pub(super) fn check(measured: &[Measured]) -> Result<()> {
    for one in measured {
        let f1 = one.clusters.f1(one.true_count);
        ensure!(f1 >= LEAST_F1, "F1 {f1:.4} of {} rows: {LEAST_F1} is wanted", one.rows);
        if one.rows == SIZES[SIZES.len() - 1] {
            let (seconds, peak) = (one.usage.cpu_seconds.unwrap_or(0.0), one.usage.peak_bytes.unwrap_or(0) as f64);
            ensure!(seconds <= CPU_SECONDS, "{seconds:.0} s of processor time: {CPU_SECONDS} are wanted");
            ensure!(peak <= PEAK_BYTES, "{:.0} MB: {:.0} are wanted", peak / 1e6, PEAK_BYTES / 1e6);
        }
    }
    Ok(())
}
