//! `cargo xtask bench passages`: speed and memory of `lookalike passages` compared with `wc -w`, and copies in source code compared
//! with jscpd on the same tree of labeled versions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use serde_json::{Deserializer, Value};

use super::measure::{Usage, measure};
use super::running::{Program, again_optimized};
use crate::bench::DOCUMENTS;
use crate::bench::corpora::mixed;
use crate::bench::tables::report::first_line;
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

/// Measures and prints.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        return again_optimized(workspace);
    }
    let target = workspace.target().join("bench");
    let lookalike = options.program.path(workspace)?;
    let corpus = mixed::prepare(&target, options.documents)?;
    let megabytes = corpus.metadata()?.len() as f64 / 1e6;
    let folder = target.join("passages");
    let mut table = Table::new(&["unit", "MB/s", "target", "wc -w, MB/s", "memory"]);
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
        table.row([
            unit.to_owned(),
            format!("{:.0}", speed(&own)),
            format!("{wanted:.0}"),
            format!("{:.0}", speed(&counting)),
            memory.map_or("–".to_owned(), |bytes| format!("{:.0} MB", bytes as f64 / 1e6)),
        ]);
    }
    print!("{table}");
    println!("{megabytes:.0} MB of JSONL; {}\n", first_line(&lookalike));
    let data = options.data.clone().unwrap_or_else(|| workspace.data()).join("code");
    if !data.is_dir() {
        println!("no {}: copies in source code are not compared", data.display());
        return Ok(());
    }
    let tree = Tree::unpack(&data, &folder)?;
    let mut table =
        Table::new(&["tool", "seconds", "identical", "comments", "reformatted", "of", "other files linked"]);
    for (name, ran) in [("lookalike", tree.lookalike(&lookalike)), (JSCPD, tree.jscpd(&folder.join("jscpd")))] {
        match ran {
            Ok((usage, links)) => table.row(tree.judge(name, &usage, &links)),
            Err(error) => println!("{name} is not measured: {error:#}"),
        }
    }
    print!("{table}");
    Ok(())
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

    fn judge(&self, name: &str, usage: &Usage, links: &Links) -> [String; 7] {
        let label = |file: &str| self.labels.get(file);
        let is_right = |(left, right): &&(String, String)| {
            left != right && label(left).zip(label(right)).is_some_and(|(left, right)| left.0 == right.0)
        };
        let linked: BTreeSet<&String> = links.iter().filter(is_right).flat_map(|(left, right)| [left, right]).collect();
        let found = |kind: &str| {
            linked.iter().filter(|file| label(file).is_some_and(|label| label.1 == kind)).count().to_string()
        };
        let others = links.iter().filter(|link| link.0 != link.1 && !is_right(link)).count();
        let all = self.labels.values().filter(|label| label.1 == "base").count();
        let [identical, comments, reformatted] = SAME.map(found);
        let seconds = format!("{:.2}", usage.seconds);
        [name.to_owned(), seconds, identical, comments, reformatted, all.to_string(), others.to_string()]
    }
}
