//! `cargo xtask bench index`: a saved index compared with `dedup` of the same file, with Lance's MinHash-LSH index,
//! with tantivy using bands as terms, and with datasketch in memory and on a redis server. Every speed is shown with
//! recall and precision.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::measure::measure;
use super::running::{Program, again_optimized};
use crate::bench::corpora::texts::Documents;
use crate::bench::corpora::truth::Truth;
use crate::bench::corpora::{mixed, texts, truth};
use crate::bench::peers::chart::{Bar, bars};
use crate::bench::peers::environment;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results, thousands};
use crate::bench::{DOCUMENTS, THRESHOLD};
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// One document in this many is searched for.
const EVERY: usize = 10;

/// Port of the redis server.
const PORT: &str = "7899";

/// Options of `cargo xtask bench index`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of documents to generate
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: usize,
    /// Number of timed runs
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// The Python for the peers' environment
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// Number of documents with precomputed keys, for measuring the index without texts
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    ready: u64,
    /// Measure no other tools
    #[arg(long)]
    alone: bool,
    #[command(flatten)]
    program: Program,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Indexed {
    /// Time to add the file relative to `dedup`, by run.
    ratios: Vec<f64>,
    indexes: Vec<Measured>,
    query_count: usize,
    /// Number of documents with precomputed keys, and the output of the measurement.
    ready_documents: u64,
    ready: String,
}

/// One index, filled and searched.
#[derive(Serialize, Deserialize)]
struct Measured {
    name: String,
    add_seconds: f64,
    search_seconds: f64,
    recall: f64,
    precision: f64,
}

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let folder = workspace.target().join("bench");
    let corpus = mixed::prepare(&folder, options.documents)?;
    let lookalike = options.program.path(workspace)?;
    let documents = texts::read(&corpus)?;
    let bench = Bench {
        queries: write_queries(&folder.join("queries.jsonl"), &documents)?,
        truth: truth::load_or_join(&folder, &documents)?,
        lookalike,
        corpus,
        documents,
        folder,
    };

    let mut ratios = Vec::new();
    let mut own = Vec::new();
    for _ in 0..options.runs {
        let dedup = bench.dedup()?;
        let measured = bench.own()?;
        ratios.push(measured.add_seconds / dedup);
        own.push(measured);
    }
    ratios.sort_by(f64::total_cmp);
    own.sort_by(|left, right| left.search_seconds.total_cmp(&right.search_seconds));
    println!("index add takes {:.2} times as long as dedup of the same file", ratios[ratios.len() / 2]);
    let mut all = vec![own.swap_remove(own.len() / 2)];
    if !options.alone {
        let python = environment::prepare(workspace, &options.python)?;
        let peer =
            |name, script: &str, port| bench.peer(name, &python, &environment::scripts(workspace).join(script), port);
        all.push(peer("Lance, MinHash-LSH", "index_lance.py", None)?);
        all.push(peer("tantivy, bands as terms", "index_tantivy.py", None)?);
        all.push(peer("datasketch, in memory", "index_datasketch.py", None)?);
        match Redis::start(&bench.folder) {
            Ok(_server) => all.push(peer("datasketch, on redis", "index_datasketch.py", Some(PORT))?),
            Err(error) => println!("{error:#}: it is not measured"),
        }
    }
    let ready = ready(workspace, &bench.folder, options.ready)?;
    let query_count = bench.documents.ids.len().div_ceil(EVERY);
    let indexed = Indexed { ratios, indexes: all, query_count, ready_documents: options.ready, ready };
    println!("{}\n{}", table(&indexed), indexed.ready);
    let is_whole = !options.alone && options.documents == DOCUMENTS;
    let name = if is_whole { "index" } else { "index-trial" };
    let file = results::write(workspace, name, &[&bench.lookalike], &indexed)?;
    println!("raw numbers in {}", file.display());
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    Ok(())
}

fn table(indexed: &Indexed) -> Table {
    let mut table = Table::new(&["index", "add", "search", "searches per second", "recall", "precision"]);
    for Measured { name, add_seconds, search_seconds, recall, precision } in &indexed.indexes {
        table.row([
            name.clone(),
            format!("{add_seconds:.2} s"),
            format!("{search_seconds:.2} s"),
            thousands((indexed.query_count as f64 / search_seconds).round() as u64),
            format!("{recall:.4}"),
            format!("{precision:.4}"),
        ]);
    }
    table
}

/// The chart beside the section.
pub(in crate::bench) fn chart(record: &Record<Indexed>) -> String {
    let Indexed { indexes, query_count, .. } = &record.results;
    let bar = |one: &Measured| Bar {
        name: one.name.clone(),
        value: *query_count as f64 / one.search_seconds,
        is_ours: one.name == "lookalike",
    };
    bars("Searches per second, with texts", "/s", indexes.iter().map(bar).collect())
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Indexed>) -> String {
    let Indexed { ratios, query_count, ready_documents, ready, .. } = &record.results;
    let ratio = ratios[ratios.len() / 2];
    let lines: String = ready.lines().map(|line| format!("- {line}\n")).collect();
    format!(
        "## The saved index\n\n{}\n{} documents of 6.7 kB are added, and every tenth is searched for. `index add` takes {ratio:.2} \
         times as long as\n`dedup` of the same file (target {}). Recall and precision are those of pairs at {THRESHOLD} among {} \
         queries; the time of\nlookalike includes the start of its process, that of the others does not.\n\n\
         ![Searches per second of each index](benchmarks-index.svg)\n\n{}\n\
         {} documents with ready keys (20 bands, 140 bytes of sketch, 512 bytes of text; random, so that lookups measure the \
         index alone):\n\n{lines}",
        record.origin(),
        thousands(DOCUMENTS as u64),
        against("2", ratio <= 2.0),
        thousands(*query_count as u64),
        table(&record.results).to_markdown(),
        thousands(*ready_documents)
    )
}

struct Bench {
    lookalike: PathBuf,
    corpus: PathBuf,
    queries: PathBuf,
    documents: Documents,
    truth: Truth,
    folder: PathBuf,
}

impl Bench {
    fn dedup(&self) -> Result<f64> {
        let out = self.folder.join("index-dedup");
        let mut command = Command::new(&self.lookalike);
        command.arg("dedup").arg(&self.corpus).args(["--id", "id", "--force", "-o"]).arg(&out);
        Ok(measure(&command)?.seconds)
    }

    fn own(&self) -> Result<Measured> {
        let index = self.folder.join("index");
        let found = self.folder.join("index-found.tsv");
        let _ = fs::remove_dir_all(&index);
        succeed(Command::new(&self.lookalike).args(["index", "create"]).arg(&index).stderr(Stdio::null()))?;
        let mut add = Command::new(&self.lookalike);
        add.args(["index", "add"]).arg(&index).arg(&self.corpus).args(["--id", "id"]);
        let mut search = Command::new(&self.lookalike);
        search.arg("search").arg(&index).arg("--input").arg(&self.queries).args(["--id", "id", "--top", "100000"]);
        search.args(["--format", "tsv", "--force", "-o"]).arg(&found);
        let (add, search) = (measure(&add)?.seconds, measure(&search)?.seconds);
        self.judged("lookalike", add, search, &found)
    }

    /// Runs another tool through a script.
    fn peer(&self, name: &str, python: &Path, script: &Path, port: Option<&str>) -> Result<Measured> {
        let out = self.folder.join("index-peer");
        let mut command = Command::new(python);
        command.arg(script);
        succeed(command.args([&self.corpus, &self.queries, &out]).args(port))?;
        let seconds = fs::read_to_string(out.join("seconds.json")).with_context(|| format!("{name} left no times"))?;
        let seconds: serde_json::Value = serde_json::from_str(&seconds)?;
        let of = |name: &str| seconds[name].as_f64().unwrap_or(f64::NAN);
        self.judged(name, of("add"), of("search"), &out.join("pairs.tsv"))
    }

    /// Recall and precision: a document itself does not count.
    fn judged(&self, name: &str, add_seconds: f64, search_seconds: f64, pairs: &Path) -> Result<Measured> {
        let places = self.documents.places();
        let mut found: HashSet<(usize, usize)> = HashSet::new();
        for line in fs::read_to_string(pairs).with_context(|| format!("cannot read {}", pairs.display()))?.lines() {
            let mut cells = line.split('\t').map(|id| places.get(id).copied());
            if let (Some(Some(query)), Some(Some(other))) = (cells.next(), cells.next())
                && query != other
            {
                found.insert((query, other));
            }
        }
        let is_true = |(left, right): &(usize, usize)| {
            self.truth.get(&(*left.min(right), *left.max(right))).is_some_and(|similarity| *similarity >= THRESHOLD)
        };
        let right = found.iter().filter(|pair| is_true(pair)).count() as f64;
        let is_query = |place: usize| place.is_multiple_of(EVERY);
        let wanted: usize =
            self.truth.keys().map(|(left, right)| usize::from(is_query(*left)) + usize::from(is_query(*right))).sum();
        let (recall, precision) = (right / (wanted as f64).max(1.0), right / (found.len() as f64).max(1.0));
        Ok(Measured { name: name.to_owned(), add_seconds, search_seconds, recall, precision })
    }
}

fn write_queries(path: &Path, documents: &Documents) -> Result<PathBuf> {
    let line = |(id, text): (&String, &String)| format!("{}\n", serde_json::json!({"id": id, "text": text}));
    let lines: String = documents.ids.iter().zip(&documents.texts).step_by(EVERY).map(line).collect();
    fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path.to_owned())
}

/// A redis server that is stopped with the measurement.
struct Redis(Child);

impl Redis {
    fn start(folder: &Path) -> Result<Self> {
        let mut command = Command::new("redis-server");
        command.args(["--port", PORT, "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(folder);
        let child = command.stdout(Stdio::null()).spawn();
        let child = child.context("there is no redis-server (apt-get install redis-server)")?;
        std::thread::sleep(Duration::from_secs(1));
        Ok(Self(child))
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The speed of the index without texts: insertion of precomputed keys, lookups in one segment and in eight, single
/// durable puts.
fn ready(workspace: &Workspace, folder: &Path, documents: u64) -> Result<String> {
    let folder = folder.join("index-ready");
    let _ = fs::remove_dir_all(&folder);
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "lookalike-index", "--example", "index_speed", "--"]);
    let output =
        cargo.arg(&folder).arg(documents.to_string()).stderr(Stdio::inherit()).output().context("cargo run")?;
    ensure!(output.status.success(), "index_speed: {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
