//! `cargo xtask bench decontaminate`: speed, memory, recall and false hits of `lookalike decontaminate`, compared with allenai's
//! `decon` and with shared 13-grams as lm-evaluation-harness looks for them. All read the same file: documents with planted
//! test items, among others that have none.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::measure::{Usage, measure};
use super::running::{Program, again_optimized};
use crate::bench::corpora::mixed;
use crate::bench::peers::environment;
use crate::bench::tables::report::first_line;
use crate::bench::tables::results::Record;
use crate::bench::tables::{pages, results};
use crate::quality::contamination::{Planted, negatives, rows};
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// Repository and version of decon.
const DECON: &str = "https://github.com/allenai/decon";
const DECON_COMMIT: &str = "e1bcb80";

/// Default number of documents without test items.
const DOCUMENTS: usize = 30_000;

/// Options of the benchmark.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The labeled data [default: that beside the repository]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Number of synthetic documents without test items
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: usize,
    /// Number of timed runs
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// The program decon [default: built from its repository]
    #[arg(long, value_name = "PATH")]
    decon: Option<PathBuf>,
    /// The Python that the peers' environment is made with
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    #[command(flatten)]
    program: Program,
}

/// Items with the documents that a tool accuses of having them, by their ids.
type Found = BTreeSet<(String, String)>;

/// Files of the benchmark.
struct Files {
    folder: PathBuf,
    /// The corpus, alone in its folder.
    corpus: PathBuf,
    items: PathBuf,
    /// The items as decon reads them, alone in their folder.
    evals: PathBuf,
}

/// The known answer.
struct Gold {
    rows: Vec<Value>,
    clean: BTreeSet<String>,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Contamination {
    megabytes: f64,
    /// Speed of `wc -w` on the same file.
    counting_megabytes_per_second: f64,
    tools: Vec<Tool>,
}

/// A tool, and what it found.
#[derive(Serialize, Deserialize)]
struct Tool {
    name: String,
    usage: Usage,
    judged: Judged,
}

/// Measures, prints and saves.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let data = options.data.clone().unwrap_or_else(|| workspace.data()).join("decontamination");
    ensure!(data.is_dir(), "no {}: there is nothing to compare", data.display());
    let files = Files::prepare(&workspace.target().join("bench"), &data, options.documents)?;
    let gold = Gold::read(&data)?;
    let lookalike = options.program.path(workspace)?;
    let bytes = files.corpus.metadata()?.len();
    let megabytes = bytes as f64 / 1e6;
    let mut wc = Command::new("wc");
    let counting = timed(wc.arg("-w").arg(&files.corpus), options.runs)?;
    let (usage, found) = files.lookalike(&lookalike, options.runs)?;
    let mut tools = vec![Tool { name: "lookalike".to_owned(), usage, judged: gold.judge(&found) }];
    let python = environment::prepare(workspace, &options.python)?;
    for (name, ran) in [
        ("decon", decon(workspace, options.decon.as_deref()).and_then(|program| files.decon(&program))),
        ("13-grams", files.thirteen_grams(&python, &environment::scripts(workspace))),
    ] {
        match ran {
            Ok((usage, found)) => tools.push(Tool { name: name.to_owned(), usage, judged: gold.judge(&found) }),
            Err(error) => println!("{name} is not measured: {error:#}"),
        }
    }
    let counting_megabytes_per_second = megabytes / counting.seconds;
    let measured = Contamination { megabytes, counting_megabytes_per_second, tools };
    print!("{}", table(&measured));
    println!("{megabytes:.0} MB of JSONL; {}", first_line(&lookalike));
    let is_whole = options.documents == DOCUMENTS;
    let name = if is_whole { "decontaminate" } else { "decontaminate-trial" };
    let file = results::write(workspace, name, &[&lookalike], &measured)?;
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("raw numbers in {}", file.display());
    Ok(())
}

/// The fastest of several runs.
fn timed(command: &Command, runs: u16) -> Result<Usage> {
    let usages = (0..runs).map(|_| measure(command)).collect::<Result<Vec<_>>>()?;
    usages.into_iter().min_by(|left, right| left.seconds.total_cmp(&right.seconds)).context("at least one run")
}

fn table(measured: &Contamination) -> Table {
    let mut table =
        Table::new(&["tool", "MB/s", "memory", "items found", "other documents accused", "clean items accused"]);
    for Tool { name, usage, judged } in &measured.tools {
        let memory = usage.peak_bytes.map_or("–".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6));
        let of = |(some, all): (usize, usize)| format!("{some} of {all}");
        table.row([
            name.clone(),
            format!("{:.0}", measured.megabytes / usage.seconds),
            memory,
            of(judged.found),
            of(judged.accused),
            of(judged.clean),
        ]);
    }
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Contamination>) -> String {
    let measured = &record.results;
    format!(
        "## Decontamination\n\nTest items planted in real documents, among synthetic ones that have none: {:.0} MB of JSONL. `wc -w` \
         counts its words at\n{:.0} MB/s.\n{}\n\n{}",
        measured.megabytes,
        measured.counting_megabytes_per_second,
        record.origin(),
        table(measured).to_markdown()
    )
}

impl Files {
    /// Writes the planted documents after a part of the others, so that no tool finds them at once.
    fn prepare(target: &Path, data: &Path, documents: usize) -> Result<Self> {
        let folder = target.join("decontaminate");
        let file = |folder: &Path, name: &str| -> Result<PathBuf> {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
            Ok(folder.join(name))
        };
        let corpus = file(&folder.join("corpus"), "corpus.jsonl")?;
        let evals = file(&folder.join("evals"), "planted-1.jsonl")?;
        let items = data.join("items.jsonl");
        let mut planted = String::new();
        MultiGzDecoder::new(File::open(data.join("corpus.jsonl.gz"))?).read_to_string(&mut planted)?;
        let others = fs::read_to_string(mixed::prepare(target, documents)?)?;
        let middle = others[..others.len() / 2].rfind('\n').map_or(0, |at| at + 1);
        fs::write(&corpus, [&others[..middle], &planted, &others[middle..]].concat())?;
        let mut lines = BufWriter::new(File::create(&evals)?);
        for (number, item) in rows(&items)?.iter().enumerate() {
            let eval = json!({
                "eval_key": "planted", "eval_instance_index": number, "split": "test", "question": item["question"],
                "answer": item["answer"], "config": "main", "doc_id": number, "fingerprint": format!("{number:016x}"),
            });
            writeln!(lines, "{eval}")?;
        }
        lines.flush()?;
        Ok(Self { folder, corpus, items, evals })
    }

    fn lookalike(&self, program: &Path, runs: u16) -> Result<(Usage, Found)> {
        let out = self.folder.join("out");
        let mut command = Command::new(program);
        command.arg("decontaminate").arg(&self.corpus).arg("--against").arg(&self.items);
        command.args(["--id", "id", "--quiet", "--force", "-o"]).arg(&out);
        let usage = timed(&command, runs)?;
        let hits = rows(&out.join("hits.jsonl"))?;
        let accusing = hits.iter().filter(|hit| hit["common"] == false);
        Ok((usage, accusing.filter_map(|hit| pair(&hit["item_id"], &hit["document_id"])).collect()))
    }

    fn decon(&self, program: &Path) -> Result<(Usage, Found)> {
        let out = self.folder.join("decon");
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        let mut command = Command::new(program);
        command.arg("detect").arg("--training-dir").arg(self.corpus.with_file_name(""));
        command.arg("--evals-dir").arg(self.evals.with_file_name("")).arg("--report-output-dir").arg(&out);
        let usage = measure(&command)?;
        let (items, documents) = (rows(&self.items)?, rows(&self.corpus)?);
        let mut found = Found::new();
        for entry in fs::read_dir(&out)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                found.extend(rows(&path)?.iter().filter_map(|hit| {
                    let item = &items.get(hit["eval_instance_index"].as_u64()? as usize)?["id"];
                    pair(item, &documents.get(hit["training_line"].as_u64()? as usize)?["id"])
                }));
            }
        }
        Ok((usage, found))
    }

    fn thirteen_grams(&self, python: &Path, scripts: &Path) -> Result<(Usage, Found)> {
        let out = self.folder.join("thirteen.jsonl");
        let mut command = Command::new(python);
        command.arg("-B").arg(scripts.join("thirteen_grams.py")).args([&self.corpus, &self.items, &out]);
        let usage = measure(&command)?;
        Ok((usage, rows(&out)?.iter().filter_map(|hit| pair(&hit["item_id"], &hit["document_id"])).collect()))
    }
}

fn pair(item: &Value, document: &Value) -> Option<(String, String)> {
    Some((item.as_str()?.to_owned(), document.as_str()?.to_owned()))
}

/// Builds decon, unless that was done before.
fn decon(workspace: &Workspace, given: Option<&Path>) -> Result<PathBuf> {
    let root = workspace.target().join("bench/decon");
    let program = given.map_or_else(|| root.join("bin/decon"), Path::to_owned);
    if !program.exists() {
        let mut cargo = workspace.cargo();
        succeed(
            cargo.args(["install", "--quiet", "--git", DECON, "--rev", DECON_COMMIT, "--locked", "--root"]).arg(&root),
        )?;
    }
    Ok(program)
}

/// Numbers of what a tool found, each with the number of all.
#[derive(Serialize, Deserialize)]
struct Judged {
    found: (usize, usize),
    /// Documents that have only an instruction, another question, or a public passage; and all that have no item.
    accused: (usize, usize),
    clean: (usize, usize),
}

impl Gold {
    fn read(data: &Path) -> Result<Self> {
        let is_clean = |item: &&Value| item["contaminated"] == false;
        let items = rows(&data.join("items_gold.jsonl"))?;
        let clean =
            items.iter().filter(is_clean).filter_map(|item| Some(item["item_id"].as_str()?.to_owned())).collect();
        Ok(Self { rows: rows(&data.join("gold.jsonl"))?, clean })
    }

    fn judge(&self, found: &Found) -> Judged {
        let planted: BTreeSet<(&str, &str)> = self.rows.iter().filter_map(Planted::of).map(|item| item.pair).collect();
        let found: BTreeSet<(&str, &str)> = found.iter().map(|(item, document)| (&**item, &**document)).collect();
        let without: BTreeSet<&str> = negatives(&self.rows).into_values().flatten().collect();
        let has_item: BTreeSet<&str> = planted.iter().map(|(_, document)| *document).collect();
        let accused: BTreeSet<&str> = found.difference(&planted).map(|(_, document)| *document).collect();
        let accused = accused.difference(&has_item).count();
        let clean = self.clean.iter().filter(|item| found.iter().any(|(accused, _)| accused == item)).count();
        Judged {
            found: (planted.intersection(&found).count(), planted.len()),
            accused: (accused, without.difference(&has_item).count()),
            clean: (clean, self.clean.len()),
        }
    }
}
