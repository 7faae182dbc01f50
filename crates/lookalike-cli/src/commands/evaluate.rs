//! `lookalike evaluate`: methods, thresholds and shingles side by side.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
use lookalike::io::write::OutputFile;
use lookalike::{EvaluateOptions, Evaluation, MethodEvaluation, MethodOptions, NamedScheme, Scheme};

use crate::commands::{Done, done, with_threads};
use crate::flags::method::MethodArguments;
use crate::flags::output::ReportArgument;
use crate::flags::read::ReadArguments;
use crate::flags::resources::memory;
use crate::flags::run::RunOptions;
use crate::flags::similarity::SimilarityArguments;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, pages};
use crate::stop;

#[derive(Debug, Args)]
pub(crate) struct EvaluateArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Methods to compare, with parameters after colons, such as simhash:bits=6:verify
    #[arg(long, value_name = "METHODS", value_delimiter = ',', conflicts_with_all = ["method", "exact"],
        default_value = "minhash,minhash:sketch=classic,supershingle,simhash,simhash:bits=6:verify")]
    methods: Vec<String>,
    /// Thresholds to compare, such as 0.7,0.8,0.9
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "threshold",
        allow_negative_numbers = true
    )]
    thresholds: Vec<f64>,
    /// Shingles to compare, such as word:3,word:5,char:5
    #[arg(long, value_name = "LIST", conflicts_with = "shingle")]
    shingles: Option<String>,
    /// Also show histograms: scores of the pairs that agree in a band, and pairs by equal super-shingles
    #[arg(long)]
    histograms: bool,
    /// File of the true pairs, as `pairs` writes them or two ids separated by a tab, instead of finding them by an exact join; or
    /// labels.jsonl of an audit, whose pairs alone count then
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Also write everything to this file, as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the table to this HTML file, for your browser
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Replace the output files if they exist
    #[arg(long)]
    force: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = ReportArgument::Text)]
    format: ReportArgument,
    #[command(flatten)]
    similarity: SimilarityArguments,
    /// Memory limit, such as 500M or 4G; what does not fit goes to the system's temporary folder [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    memory: Option<String>,
}

/// What is to be done, in one piece.
struct Evaluate {
    options: EvaluateOptions,
    run: RunOptions,
    output: Option<PathBuf>,
    report: Option<PathBuf>,
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
    pub(crate) fn run(self) -> Result<Done> {
        let evaluate = self.options()?;
        let evaluation = with_threads(evaluate.run, |progress| lookalike::evaluate(&evaluate.options, progress))??;
        notes::skipped(&evaluation.skipped, evaluation.input.skipped);
        evaluate.show(&evaluation)?;
        Ok(done(evaluation.input.skipped))
    }

    fn options(self) -> Result<Evaluate> {
        let run = self.read.run.options()?;
        if self.output.as_deref().is_some_and(|output| output.as_os_str() == "-") {
            bail!("-o - is not possible: standard output has the table; give --format json to have JSON there instead");
        }
        let schemes = self.schemes()?;
        let memory = memory(self.memory.as_deref())?;
        let read = self.read.options(None, memory)?;
        let options = EvaluateOptions { read, schemes, truth: self.truth, histograms: self.histograms, memory };
        Ok(Evaluate { options, run, output: self.output, report: self.report, force: self.force, format: self.format })
    }

    /// Every method with every threshold and shingle.
    fn schemes(&self) -> Result<Vec<NamedScheme>> {
        let (threshold, shingle) = self.similarity.typed();
        let thresholds = if self.thresholds.is_empty() { vec![threshold] } else { self.thresholds.clone() };
        let shingles = self.shingles.as_deref().map_or(vec![shingle.to_owned()], shingles);
        let mut schemes = Vec::new();
        for shingle in &shingles {
            for threshold in &thresholds {
                let arguments = self.similarity.with_shingle(shingle).with_threshold(*threshold);
                let similarity = arguments.options()?;
                for written in &self.methods {
                    let method = method(&arguments, written)?;
                    let similarity = Scheme { method, ..similarity.clone() };
                    schemes.push(NamedScheme { name: written.clone(), scheme: similarity });
                }
            }
        }
        Ok(schemes)
    }
}

/// Shingles between commas. What has no word before it is one more language of the stop words before it.
fn shingles(written: &str) -> Vec<String> {
    let mut shingles: Vec<String> = Vec::new();
    for part in written.split(',').map(str::trim) {
        match shingles.last_mut().filter(|last| last.starts_with("stopword:") && is_language(part)) {
            Some(last) => *last += &format!(",{part}"),
            None => shingles.push(part.to_owned()),
        }
    }
    shingles
}

fn is_language(part: &str) -> bool {
    !part.contains(':') && part != "stopword"
}

fn method(arguments: &SimilarityArguments, written: &str) -> Result<MethodOptions> {
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
    arguments.method_of(&read.method).with_context(|| format!("the method '{written}'"))
}

impl Evaluate {
    fn show(&self, evaluation: &Evaluation) -> Result<()> {
        if let Some(path) = &self.output {
            let mut file = OutputFile::new(path, self.force, stop::unfinished())?;
            let json = serde_json::to_string_pretty(evaluation)?;
            writeln!(file.writer(), "{json}").with_context(|| format!("cannot write {}", path.display()))?;
            file.commit()?;
        }
        if let Some(path) = &self.report {
            pages::write(&pages::evaluate(evaluation), path, self.force)?;
        }
        if !self.run.quiet {
            talk!("{}", heading(evaluation).trim_end());
        }
        let shown = match self.format {
            ReportArgument::Json => serde_json::to_string_pretty(evaluation)? + "\n",
            ReportArgument::Text => table(evaluation) + &bands(evaluation) + &super_shingles(evaluation),
        };
        streams::show(|out| out.write_all(shown.as_bytes()))
    }
}

/// What was compared, and with what: talk, beside the table.
fn heading(evaluation: &Evaluation) -> String {
    let [shingles, thresholds] = [is_varied(evaluation, shingle), is_varied(evaluation, threshold)];
    let first = &evaluation.truth[0];
    let of_all = |is_varied: bool, said: String| if is_varied { String::new() } else { said };
    let mut text = format!(
        "{} of {}{}, {}{}\n",
        numbers::of(evaluation.texts, "distinct text"),
        numbers::of(evaluation.input.documents, "document"),
        of_all(shingles, format!(", {} shingles", first.shingle)),
        evaluation.measure,
        of_all(thresholds, format!(" of {} or more", first.threshold)),
    );
    for truth in &evaluation.truth {
        let took = truth.seconds.map_or(String::new(), |seconds| format!(", in {}", numbers::seconds(seconds)));
        let unknown = match truth.unknown {
            0 => String::new(),
            unknown => format!(" ({} of unknown documents)", numbers::of(unknown, "pair")),
        };
        let labelled = truth.different.map_or_else(String::new, |different| {
            format!("; with {} labelled different, precision is that of labelled pairs", numbers::count(different))
        });
        let mut which = String::new();
        if shingles {
            which += &format!(" with {}", truth.shingle);
        }
        if thresholds {
            which += &format!(" at {}", truth.threshold);
        }
        text +=
            &format!("truth{which}: {} by {}{took}{unknown}{labelled}\n", numbers::of(truth.pairs, "pair"), truth.by);
    }
    text + "\n"
}

/// Whether schemes differ in something.
fn is_varied(evaluation: &Evaluation, of: impl Fn(&MethodEvaluation) -> String) -> bool {
    evaluation.methods.iter().any(|method| of(method) != of(&evaluation.methods[0]))
}

fn shingle(method: &MethodEvaluation) -> String {
    method.shingle.clone()
}

fn threshold(method: &MethodEvaluation) -> String {
    method.threshold.to_string()
}

/// A line for each scheme. Thresholds and shingles that are the same for all are said beside it.
fn table(evaluation: &Evaluation) -> String {
    let mut columns = vec![("method", evaluation.methods.iter().map(|method| method.name.clone()).collect())];
    if is_varied(evaluation, threshold) {
        columns.insert(0, ("threshold", evaluation.methods.iter().map(threshold).collect()));
    }
    if is_varied(evaluation, shingle) {
        columns.insert(0, ("shingle", evaluation.methods.iter().map(shingle).collect()));
    }
    let padded = |(name, cells): &(&str, Vec<String>), row: Option<usize>| {
        let width = cells.iter().map(String::len).max().unwrap_or(0).max(name.len());
        format!("{:width$}  ", row.map_or(*name, |row| &*cells[row]))
    };
    let start = |row: Option<usize>| columns.iter().map(|column| padded(column, row)).collect::<String>();
    let mut text = format!(
        "{}{:>9} {:>8} {:>9} {:>8} {:>10} {:>9} {:>8} {:>10}\n",
        start(None),
        "pairs",
        "recall",
        "precision",
        "F1",
        "candidates",
        "seconds",
        "bytes",
        "memory"
    );
    for (row, method) in evaluation.methods.iter().enumerate() {
        let score = &method.score;
        let memory = method.peak_memory_bytes.map_or("–".to_owned(), numbers::bytes);
        let candidates = method.candidates.map_or("–".to_owned(), numbers::count);
        text += &format!(
            "{}{:>9} {:>8.4} {:>9.4} {:>8.4} {candidates:>10} {:>9.2} {:>8} {memory:>10}\n",
            start(Some(row)),
            numbers::count(score.found),
            score.recall,
            score.precision,
            score.f1,
            method.seconds,
            method.sketch_bytes,
        );
    }
    text
}

fn bands(evaluation: &Evaluation) -> String {
    if evaluation.bands.is_empty() {
        return String::new();
    }
    let mut text = "\nscores of the pairs that agree in a band\n".to_owned();
    for band in &evaluation.bands {
        text += &format!("  band {}: {}\n    score    portion    number\n", band.band, numbers::of(band.pairs, "pair"));
        for step in band.scores.iter().filter(|step| step.number > 0) {
            text += &format!("    {:<6.1} {:>9.4} {:>9}\n", step.score, step.portion, numbers::count(step.number));
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
        let pairs = numbers::count(row.pairs);
        text += &format!("  {}-sim {pairs:>9} {:>17.4} {share:>15.1} %\n", row.equal, row.mean_similarity);
    }
    text
}
