//! `cargo xtask bench passages`: speed and memory of `lookalike passages` compared with `wc -w`, and copies in source code compared
//! with jscpd on the same tree of labeled versions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Value};

use super::measure::{Usage, measure};
use super::running::{Program, again_optimized};
use crate::bench::DOCUMENTS;
use crate::bench::corpora::mixed;
use crate::bench::tables::report::first_line;
use crate::bench::tables::results::Record;
use crate::bench::tables::{against, pages, results};
use crate::quality::contamination::rows;
use crate::table::Table;
use crate::workspace::{Workspace, succeed};

/// Units, with the megabytes of text per second that they are to reach on two cores.
const UNITS: [(&str, f64); 3] = [("line", 250.0), ("paragraph", 250.0), ("run:50", 100.0)];

/// The version of jscpd.
const JSCPD: &str = "jscpd@5.3.3";

/// Versions of a file that have the same program.
const SAME: [&str; 3] = ["identical", "comments", "reformatted"];

/// Options of the benchmark.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The labeled data [default: that beside the repository]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Number of documents to generate
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: usize,
    /// Number of timed runs
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    #[command(flatten)]
    program: Program,
}

/// All that is measured.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Repeated {
    megabytes: f64,
    units: Vec<UnitSpeed>,
    /// Copies in source code: none if there is no labeled tree.
    clones: Vec<Clones>,
}

/// The fastest run of a unit.
#[derive(Serialize, Deserialize)]
struct UnitSpeed {
    unit: String,
    megabytes_per_second: f64,
    wanted: f64,
    /// Speed of `wc -w`, alternating with it.
    counting_megabytes_per_second: f64,
    peak_bytes: Option<u64>,
}

/// The linked files of a tree, by the difference between them.
#[derive(Serialize, Deserialize)]
struct Clones {
    tool: String,
    usage: Usage,
    identical: usize,
    comments: usize,
    reformatted: usize,
    all: usize,
    others: usize,
}

/// Measures, prints and saves.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let target = workspace.target().join("bench");
    let lookalike = options.program.path(workspace)?;
    let corpus = mixed::prepare(&target, options.documents)?;
    let megabytes = corpus.metadata()?.len() as f64 / 1e6;
    let folder = target.join("passages");
    let mut units = Vec::new();
    for (unit, wanted) in UNITS {
        // Both alternate, so that whatever slows the machine down slows both.
        let (mut own, mut counting): (Vec<Usage>, Vec<Usage>) = (Vec::new(), Vec::new());
        for _ in 0..options.runs {
            let mut command = Command::new(&lookalike);
            command.arg("passages").arg(&corpus).args(["--id", "id", "--unit", unit, "--quiet", "--force", "-o"]);
            own.push(measure(command.arg(folder.join("out")))?);
            counting.push(measure(Command::new("wc").arg("-w").arg(&corpus))?);
        }
        let speed = |usages: &[Usage]| usages.iter().map(|usage| megabytes / usage.seconds).fold(0.0, f64::max);
        let memory = own.iter().filter_map(|usage| usage.peak_bytes).max();
        units.push(UnitSpeed {
            unit: unit.to_owned(),
            megabytes_per_second: speed(&own),
            wanted,
            counting_megabytes_per_second: speed(&counting),
            peak_bytes: memory,
        });
    }
    let data = options.data.clone().unwrap_or_else(|| workspace.data()).join("code");
    let clones = if data.is_dir() {
        clones(&Tree::unpack(&data, &folder)?, &lookalike, &folder)
    } else {
        println!("no {}: copies in source code are not compared", data.display());
        Vec::new()
    };
    let measured = Repeated { megabytes, units, clones };
    print!("{}", unit_table(&measured));
    println!("{megabytes:.0} MB of JSONL; {}\n", first_line(&lookalike));
    print!("{}", clone_table(&measured));
    let is_whole = options.documents == DOCUMENTS;
    let name = if is_whole { "passages" } else { "passages-trial" };
    let file = results::write(workspace, name, &[&lookalike], &measured)?;
    if is_whole {
        pages::refresh(workspace.root())?;
    }
    println!("raw numbers in {}", file.display());
    Ok(())
}

fn clones(tree: &Tree, lookalike: &Path, folder: &Path) -> Vec<Clones> {
    let mut clones = Vec::new();
    for (name, ran) in [("lookalike", tree.lookalike(lookalike)), (JSCPD, tree.jscpd(&folder.join("jscpd")))] {
        match ran {
            Ok((usage, links)) => clones.push(tree.judge(name, usage, &links)),
            Err(error) => println!("{name} is not measured: {error:#}"),
        }
    }
    clones
}

fn unit_table(measured: &Repeated) -> Table {
    let mut table = Table::new(&["unit", "MB/s", "target", "wc -w, MB/s", "memory"]);
    for unit in &measured.units {
        table.row([
            unit.unit.clone(),
            format!("{:.0}", unit.megabytes_per_second),
            against(&format!("≥ {:.0}", unit.wanted), unit.megabytes_per_second >= unit.wanted),
            format!("{:.0}", unit.counting_megabytes_per_second),
            unit.peak_bytes.map_or("–".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6)),
        ]);
    }
    table
}

fn clone_table(measured: &Repeated) -> Table {
    let mut table =
        Table::new(&["tool", "seconds", "identical", "comments", "reformatted", "of", "other files linked"]);
    for clones in &measured.clones {
        let [identical, comments, reformatted, all, others] =
            [clones.identical, clones.comments, clones.reformatted, clones.all, clones.others]
                .map(|count| count.to_string());
        let seconds = format!("{:.2}", clones.usage.seconds);
        table.row([clones.tool.clone(), seconds, identical, comments, reformatted, all, others]);
    }
    table
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Repeated>) -> String {
    let measured = &record.results;
    let clones = if measured.clones.is_empty() {
        String::new()
    } else {
        format!(
            "\nCopies in source code: versions of a file that are linked to another version, by how they differ.\n\n{}",
            clone_table(measured).to_markdown()
        )
    };
    format!(
        "## Repeated passages\n\n{:.0} MB of JSONL, the fastest of several runs that alternate with `wc -w`.\n{}\n\n{}{clones}",
        measured.megabytes,
        record.origin(),
        unit_table(measured).to_markdown()
    )
}

/// Two files that share a run of tokens, by their names.
type Links = BTreeSet<(String, String)>;

/// Versions of source files, in a folder.
struct Tree {
    folder: PathBuf,
    /// The program that a file is a version of, and how it differs.
    labels: BTreeMap<String, (String, String)>,
}

impl Tree {
    fn unpack(data: &Path, target: &Path) -> Result<Self> {
        let folder = target.join("tree");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let text =
            |row: &Value, name: &str| row[name].as_str().map(str::to_owned).with_context(|| format!("no {name}"));
        let mut of_id: BTreeMap<String, (String, String)> = BTreeMap::new();
        for label in rows(&data.join("labels.jsonl"))? {
            of_id.insert(text(&label, "id")?, (text(&label, "cluster")?, text(&label, "kind")?));
        }
        let mut labels = BTreeMap::new();
        let documents = MultiGzDecoder::new(File::open(data.join("docs.jsonl.gz"))?);
        for document in Deserializer::from_reader(documents).into_iter::<Value>() {
            let document = document?;
            let (name, label) = (text(&document, "path")?, &of_id[&text(&document, "id")?]);
            if label.1 == "base" || SAME.contains(&&*label.1) {
                fs::write(folder.join(&name), text(&document, "text")?)?;
                labels.insert(name, label.clone());
            }
        }
        Ok(Self { folder, labels })
    }

    fn lookalike(&self, program: &Path) -> Result<(Usage, Links)> {
        let out = self.folder.with_file_name("clones");
        let mut command = Command::new(program);
        command.arg("passages").arg(&self.folder).args(["--tokens", "code", "--quiet", "--force", "--no-report", "-o"]);
        let usage = measure(command.arg(&out))?;
        let link = |row: &Value| Some((row["file"].as_str()?.to_owned(), row["first_file"].as_str()?.to_owned()));
        Ok((usage, rows(&out.join("cuts.jsonl"))?.iter().filter_map(link).collect()))
    }

    fn jscpd(&self, folder: &Path) -> Result<(Usage, Links)> {
        let program = folder.join("node_modules/.bin/jscpd");
        if !program.exists() {
            fs::create_dir_all(folder)?;
            succeed(
                Command::new("npm").args(["install", "--silent", "--no-audit", "--no-fund", JSCPD]).current_dir(folder),
            )?;
        }
        let mut command = Command::new(program);
        command.args(["--min-tokens", "50", "--reporters", "json", "--silent", "--output"]).arg(folder.join("report"));
        let usage = measure(command.arg(&self.folder))?;
        let report: Value = serde_json::from_str(&fs::read_to_string(folder.join("report/jscpd-report.json"))?)?;
        let name = |file: &Value| Some(file["name"].as_str()?.rsplit('/').next()?.to_owned());
        let link = |row: &Value| Some((name(&row["firstFile"])?, name(&row["secondFile"])?));
        Ok((usage, report["duplicates"].as_array().into_iter().flatten().filter_map(link).collect()))
    }

    fn judge(&self, name: &str, usage: Usage, links: &Links) -> Clones {
        let label = |file: &str| self.labels.get(file);
        let is_right = |(left, right): &&(String, String)| {
            left != right && label(left).zip(label(right)).is_some_and(|(left, right)| left.0 == right.0)
        };
        let linked: BTreeSet<&String> = links.iter().filter(is_right).flat_map(|(left, right)| [left, right]).collect();
        let found = |kind: &str| linked.iter().filter(|file| label(file).is_some_and(|label| label.1 == kind)).count();
        let others = links.iter().filter(|link| link.0 != link.1 && !is_right(link)).count();
        let all = self.labels.values().filter(|label| label.1 == "base").count();
        let [identical, comments, reformatted] = SAME.map(found);
        Clones { tool: name.to_owned(), usage, identical, comments, reformatted, all, others }
    }
}
