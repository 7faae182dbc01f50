//! `cargo xtask bench link`: tables of customers, linked without a config and compared with the truth: two of a million
//! that share most customers, and one with few duplicates, of three sizes.

mod rare;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::running::{Program, again_optimized};
use crate::bench::corpora::customers;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results, thousands};
use crate::pairs::share;
use crate::table::Table;
use crate::workspace::Workspace;

/// Default number of customers of each table.
const CUSTOMERS: usize = 1_000_000;

/// Maximum seconds and memory for two tables of this size.
const SECONDS: f64 = 300.0;
const PEAK_BYTES: f64 = 8e9;

/// Options of `cargo xtask bench link`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of customers in each table
    #[arg(long, value_name = "N", default_value_t = CUSTOMERS)]
    customers: usize,
    /// Measure only a table of this many rows with few duplicates
    #[arg(long, value_name = "ROWS", conflicts_with = "customers")]
    crm: Option<usize>,
    #[command(flatten)]
    program: Program,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Linked {
    /// Two tables that share most customers.
    tables: Measured,
    /// One table with few duplicates, by size.
    rare: Vec<rare::Measured>,
}

/// Results for two linked tables.
#[derive(Serialize, Deserialize)]
struct Measured {
    customers: usize,
    shared: usize,
    usage: Usage,
    matches: usize,
    right: usize,
    summary: LinkSummary,
}

/// The program's own summary.
#[derive(Serialize, Deserialize)]
struct LinkSummary {
    candidate_count: u64,
    threshold: f64,
    keys: Vec<KeyKind>,
    stages: Vec<Stage>,
}

#[derive(Serialize, Deserialize)]
struct KeyKind {
    kind: String,
    candidate_count: u64,
    alone_count: u64,
    not_compared_count: u64,
}

#[derive(Serialize, Deserialize)]
struct Stage {
    name: String,
    seconds: f64,
}

impl Measured {
    fn precision(&self) -> f64 {
        share(self.right, self.matches)
    }

    fn recall(&self) -> f64 {
        share(self.right, self.shared)
    }
}

/// Measures, prints and saves.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let folder = workspace.target().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let lookalike = options.program.path(workspace)?;
    if let Some(rows) = options.crm {
        print!("{}", rare::table(&[rare::measure(rows, &folder, &lookalike)?]));
        return Ok(());
    }
    let tables = measure_link(options.customers, &folder, &lookalike)?;
    let sizes: &[usize] = if options.customers == CUSTOMERS { &rare::SIZES } else { &rare::SIZES[..1] };
    let rare = sizes.iter().map(|rows| rare::measure(*rows, &folder, &lookalike)).collect::<Result<Vec<_>>>()?;

    println!("machine   {}\n", results::Machine::here());
    print!("{}\n{}", table(&tables), rare::table(&rare));
    let linked = Linked { tables, rare };
    let is_whole = options.customers == CUSTOMERS;
    let name = if is_whole { "link".to_owned() } else { format!("link-{}", options.customers) };
    let file = results::write(workspace, &name, &[&lookalike], &linked)?;
    // Results of a trial are not for the documentation.
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("\nraw numbers in {}", file.display());
    rare::check(&linked.rare)
}

fn measure_link(customers: usize, folder: &Path, lookalike: &Path) -> Result<Measured> {
    let [first, second] = ["a", "b"].map(|side| folder.join(format!("customers-{customers}-{side}.csv")));
    eprintln!("making two tables of {customers} customers");
    customers::write(customers, &first, &second)?;
    let out = folder.join("link-out");
    let mut command = Command::new(lookalike);
    command.arg("link").args([&first, &second]).args(["--id", customers::ID, "--force", "-o"]).arg(&out);
    eprintln!("linking them");
    let usage = measure(&command)?;
    let (matches, right) = judge(&out.join("matches.csv"))?;
    let summary = fs::read_to_string(out.join("summary.json")).context("the summary is wanted")?;
    let summary = serde_json::from_str(&summary).context("the summary is not what was expected")?;
    Ok(Measured { customers, shared: customers::shared_count(customers), usage, matches, right, summary })
}

/// The number of matches, and of correct ones: both ids are a letter and the number of the customer.
fn judge(path: &Path) -> Result<(usize, usize)> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut seen = HashSet::new();
    let mut right = 0;
    for row in text.lines().skip(1) {
        let mut cells = row.split(',');
        let (Some(left), Some(other)) = (cells.next(), cells.next()) else {
            anyhow::bail!("two ids are wanted, not {row:?}");
        };
        ensure!(left.starts_with('a') && other.starts_with('b'), "{row:?} is not a match between the tables");
        ensure!(seen.insert((left, other)), "{left} and {other} are matched twice");
        right += usize::from(left[1..] == other[1..]);
    }
    Ok((seen.len(), right))
}

fn table(measured: &Measured) -> Table {
    let mut table = Table::new(&["measure", "link", "target"]);
    let mut row = |name: &str, value: String, target: String| table.row([name.to_owned(), value, target]);
    let usage = &measured.usage;
    // A trial with fewer customers has no targets.
    let target = |text: String, is_met: bool| {
        if measured.customers == CUSTOMERS { against(&text, is_met) } else { String::new() }
    };
    let is_quick = usage.seconds <= SECONDS;
    row("seconds", format!("{:.1}", usage.seconds), target(format!("≤ {SECONDS:.0}"), is_quick));
    row("processor seconds", usage.cpu_seconds.map_or(String::new(), |cpu| format!("{cpu:.1}")), String::new());
    let peak = usage.peak_bytes.unwrap_or(0) as f64;
    let is_small = peak <= PEAK_BYTES;
    row("peak memory, MB", format!("{:.0}", peak / 1e6), target(format!("≤ {:.0}", PEAK_BYTES / 1e6), is_small));
    let records = 2.0 * measured.customers as f64;
    row("peak memory per record, kB", format!("{:.1}", peak / 1e3 / records), String::new());
    row("records per second", format!("{:.0}", records / usage.seconds), String::new());
    row("pairs compared", measured.summary.candidate_count.to_string(), String::new());
    row("true matches", measured.shared.to_string(), String::new());
    row("matches found", measured.matches.to_string(), String::new());
    row("precision", format!("{:.4}", measured.precision()), String::new());
    row("recall", format!("{:.4}", measured.recall()), String::new());
    let (precision, recall) = (measured.precision(), measured.recall());
    row("F1", format!("{:.4}", 2.0 * precision * recall / (precision + recall)), String::new());
    for stage in &measured.summary.stages {
        row(&format!("  {}, s", stage.name), format!("{:.2}", stage.seconds), String::new());
    }
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Linked>) -> String {
    let Linked { tables, rare } = &record.results;
    format!(
        "## Records\n\nTwo synthetic tables of {} customers each, {} of them in both, with typing errors, moves, marriages, \
         missing\nfields and shared homes; no config, no labels. {}\n\n{}{}",
        thousands(tables.customers as u64),
        thousands(tables.shared as u64),
        record.origin(),
        table(tables).to_markdown(),
        rare::section(rare)
    )
}
