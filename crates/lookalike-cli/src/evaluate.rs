//! `lookalike evaluate`: methods side by side.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
use lookalike::io::write::OutputFile;
use lookalike::{EvaluateOptions, Evaluation, MethodOptions};

use crate::args::{ReadArguments, ReportArgument, RunOptions};
use crate::number;
use crate::similarity::{MethodArguments, SimilarityArguments};
use crate::streams;

#[derive(Debug, Args)]
pub(crate) struct EvaluateArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// The methods to compare, with their parameters after colons, such as simhash:bits=6:verify
    #[arg(long, value_name = "METHODS", value_delimiter = ',', conflicts_with_all = ["method", "exact"],
        default_value = "minhash,minhash:sketch=classic,supershingle,simhash,simhash:bits=6:verify")]
    methods: Vec<String>,
    /// A file of the pairs that are true, as `pairs` writes them, instead of finding them by an exact join
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Write everything to this file too, as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output file if it is there
    #[arg(long)]
    force: bool,
    /// How to show it
    #[arg(long, value_enum, default_value_t = ReportArgument::Text)]
    format: ReportArgument,
    #[command(flatten)]
    similarity: SimilarityArguments,
}

/// What is to be done, in one piece.
pub(crate) struct Evaluate {
    pub(crate) options: EvaluateOptions,
    pub(crate) run: RunOptions,
    output: Option<PathBuf>,
    force: bool,
    format: ReportArgument,
}

/// A method as it is written between commas, read by the parser of its flags.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Written {
    #[command(flatten)]
    method: MethodArguments,
}

impl EvaluateArguments {
    pub(crate) fn options(self) -> Result<Evaluate> {
        let run = self.read.run_options()?;
        if self.output.as_deref().is_some_and(|output| output.as_os_str() == "-") {
            bail!("-o - is not possible: standard output has the table; give --format json to have JSON there instead");
        }
        let similarity = self.similarity.options()?;
        let method = |written: &String| Ok((written.clone(), self.method(written)?));
        let methods = self.methods.iter().map(method).collect::<Result<Vec<_>>>()?;
        let read = self.read.options(None, lookalike::Memory::half_of_machine())?;
        let options = EvaluateOptions { read, similarity, methods, truth: self.truth };
        Ok(Evaluate { options, run, output: self.output, force: self.force, format: self.format })
    }

    fn method(&self, written: &str) -> Result<MethodOptions> {
        let mut parts = written.split(':');
        let mut flags = vec!["--method".to_owned(), parts.next().unwrap_or_default().to_owned()];
        for part in parts {
            match part.split_once('=') {
                Some((name, value)) => flags.extend([format!("--{name}"), value.to_owned()]),
                None => flags.push(format!("--{part}")),
            }
        }
        let read = Written::try_parse_from(flags).map_err(|error| {
            let line = error.to_string().lines().next().unwrap_or_default().replace("error: ", "");
            anyhow::anyhow!("'{written}' is not a method: {line}; write it such as simhash:bits=6:verify")
        })?;
        self.similarity.method_of(&read.method).with_context(|| format!("the method '{written}'"))
    }
}

impl Evaluate {
    pub(crate) fn show(&self, evaluation: &Evaluation) -> Result<()> {
        if let Some(path) = &self.output {
            let mut file = OutputFile::new(path, self.force)?;
            let json = serde_json::to_string_pretty(evaluation)?;
            writeln!(file.writer(), "{json}").with_context(|| format!("cannot write {}", path.display()))?;
            file.commit()?;
        }
        let shown = match self.format {
            ReportArgument::Json => serde_json::to_string_pretty(evaluation)? + "\n",
            ReportArgument::Text => text(evaluation),
        };
        streams::show(|out| out.write_all(shown.as_bytes()))
    }
}

fn text(evaluation: &Evaluation) -> String {
    let truth = &evaluation.truth;
    let took = truth.seconds.map_or(String::new(), |seconds| format!(", in {}", number::seconds(seconds)));
    let unknown = match truth.unknown {
        0 => String::new(),
        unknown => format!(" ({} of documents that are not there)", number::of(unknown, "pair")),
    };
    let mut text = format!(
        "{} of {}, {} shingles, {} of {} or more\ntruth: {} by {}{took}{unknown}\n\n",
        number::of(evaluation.texts, "distinct text"),
        number::of(evaluation.input.documents, "document"),
        evaluation.shingle,
        evaluation.measure,
        evaluation.threshold,
        number::of(truth.pairs, "pair"),
        truth.by,
    );
    text += &table(evaluation);
    text += &bands(evaluation);
    text += &super_shingles(evaluation);
    text
}

fn table(evaluation: &Evaluation) -> String {
    let name_width = evaluation.methods.iter().map(|method| method.name.len()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:name_width$}  {:>9} {:>8} {:>9} {:>8} {:>10} {:>9} {:>8} {:>10}\n",
        "method", "pairs", "recall", "precision", "F1", "candidates", "seconds", "bytes", "memory"
    );
    for method in &evaluation.methods {
        let score = &method.score;
        let memory = method.peak_memory_bytes.map_or("–".to_owned(), number::bytes);
        let candidates = method.candidates.map_or("–".to_owned(), number::count);
        text += &format!(
            "{:name_width$}  {:>9} {:>8.4} {:>9.4} {:>8.4} {candidates:>10} {:>9.2} {:>8} {memory:>10}\n",
            method.name,
            number::count(score.found),
            score.recall,
            score.precision,
            score.f1,
            method.seconds,
            method.sketch_bytes,
        );
    }
    text
}

/// Bands whose numbers are much the same are not all worth a line: the first, and all together.
fn bands(evaluation: &Evaluation) -> String {
    if evaluation.bands.is_empty() {
        return String::new();
    }
    let mut text = "\nscores of the pairs that agree in a band\n".to_owned();
    for band in &evaluation.bands {
        text += &format!("  band {}: {}\n    score    portion    number\n", band.band, number::of(band.pairs, "pair"));
        for step in band.scores.iter().filter(|step| step.number > 0) {
            text += &format!("    {:<6.1} {:>9.4} {:>9}\n", step.score, step.portion, number::count(step.number));
        }
    }
    text
}

fn super_shingles(evaluation: &Evaluation) -> String {
    if evaluation.super_shingles.is_empty() {
        return String::new();
    }
    let mut text = "\npairs by equal super-shingles\n           pairs   mean similarity   near-duplicates\n".to_owned();
    for row in &evaluation.super_shingles {
        let share = 100.0 * row.near_duplicates;
        let pairs = number::count(row.pairs);
        text += &format!("  {}-sim {pairs:>9} {:>17.4} {share:>15.1} %\n", row.equal, row.mean_similarity);
    }
    text
}
