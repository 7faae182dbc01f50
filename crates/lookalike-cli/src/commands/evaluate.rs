//! `lookalike evaluate`: methods, thresholds and shingles side by side.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use lookalike::io::write::OutputFile;
use lookalike::{EvaluateOptions, EvaluateRequest, Evaluation, MethodEvaluation, TruePairs};

use crate::commands::{Done, done, with_threads};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::ReadArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::scheme::{IgnoreArguments, SchemeArguments};
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, pages};
use crate::stop;

#[derive(Debug, Args)]
pub(crate) struct EvaluateArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// File of the true pairs, as `pairs` writes them or two ids separated by a tab, instead of finding them by an exact join; or
    /// labels.jsonl of an audit; then only the labeled pairs count
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    labels: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    compared: ComparedArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    ignoring: IgnoreArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Similarity")]
struct ComparedArguments {
    /// Methods to compare, with parameters after colons, such as simhash:bits=6:verify
    /// [default: minhash,minhash:sketch=classic,supershingle,simhash,simhash:bits=6:verify]
    #[arg(long, value_name = "METHODS", value_delimiter = ',')]
    methods: Option<Vec<String>>,
    /// Thresholds to compare, such as 0.7,0.8,0.9
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_negative_numbers = true)]
    thresholds: Option<Vec<f64>>,
    /// Shingles to compare, such as word:3,word:5,char:5
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    shingles: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    #[command(flatten)]
    summary: SummaryArguments,
    /// Also show histograms: scores of the pairs that agree in a band, and pairs by equal super-shingles
    #[arg(long, hide_short_help = true)]
    histograms: bool,
    /// Also write everything to this file, as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the table to this HTML file too, for your browser
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    report: Option<PathBuf>,
    /// Replace the output files if they exist
    #[arg(long)]
    force: bool,
}

/// All options of the command, checked.
struct Evaluate {
    options: EvaluateOptions,
    run: RunOptions,
    output: OutputArguments,
}

impl EvaluateArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let evaluate = self.options()?;
        let evaluation = with_threads(&evaluate.run, |progress| lookalike::evaluate(&evaluate.options, progress))??;
        notes::skipped(&evaluation.skipped, evaluation.input.skipped_count);
        notes::doubts(&evaluation.input, evaluate.options.read(), None);
        evaluate.show(&evaluation)?;
        let unknown = evaluation.true_pairs.first().map_or(0, |true_pairs| true_pairs.unknown_count);
        Ok(done(evaluation.input.skipped_count + unknown))
    }

    fn options(self) -> Result<Evaluate> {
        let mut request = EvaluateRequest::default();
        request.read = self.read.request()?;
        request.scheme = self.scheme.request()?;
        request.ignoring = self.ignoring.request();
        request.resources = self.resources.request();
        request.methods = self.compared.methods;
        request.thresholds = self.compared.thresholds;
        request.shingles = self.compared.shingles.as_deref().map(shingles);
        request.labels = self.labels;
        request.histograms = self.output.histograms.then_some(true);
        request.output.clone_from(&self.output.output);
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok(Evaluate { options, run, output: self.output })
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

impl Evaluate {
    fn show(&self, evaluation: &Evaluation) -> Result<()> {
        if let Some(path) = self.options.output() {
            let mut file = OutputFile::new(path, self.output.force, stop::unfinished())?;
            let json = serde_json::to_string_pretty(evaluation)?;
            writeln!(file.writer(), "{json}").with_context(|| format!("cannot write {}", path.display()))?;
            file.commit()?;
        }
        if let Some(path) = &self.output.report {
            pages::write(&pages::evaluate(evaluation), path, self.output.force)?;
        }
        self.output.summary.print(evaluation, RowsGo::ToFile, || {
            if !self.run.is_quiet() {
                talk!("{}", heading(evaluation).trim_end());
            }
            let text = table(evaluation) + &bands(evaluation) + &super_shingles(evaluation);
            streams::show(|out| out.write_all(text.as_bytes()))
        })
    }
}

/// Heading of the table: what was compared, and with what.
fn heading(evaluation: &Evaluation) -> String {
    let [shingles, thresholds] = [is_varied(evaluation, shingle), is_varied(evaluation, threshold)];
    let first = &evaluation.true_pairs[0];
    let of_all = |is_varied: bool, said: String| if is_varied { String::new() } else { said };
    let mut text = format!(
        "{} of {}{}, {}{}\n",
        numbers::of(evaluation.text_count, "distinct text"),
        numbers::of(evaluation.input.document_count, "document"),
        of_all(shingles, format!(", {} shingles", first.shingle)),
        evaluation.measure,
        of_all(thresholds, format!(" of {} or more", first.threshold)),
    );
    if evaluation.exact_because_small {
        text += "small input: dedup and pairs compare it exactly (recall 1) unless they are given a method\n";
    }
    for true_pairs in &evaluation.true_pairs {
        let took = true_pairs.seconds.map_or(String::new(), |seconds| format!(", in {}", numbers::seconds(seconds)));
        let unused = unused(true_pairs);
        let labeled = true_pairs.different_count.map_or_else(String::new, |different| {
            format!("; with {} labeled different, precision is that of labeled pairs", numbers::count(different))
        });
        let mut which = String::new();
        if shingles {
            which += &format!(" with {}", true_pairs.shingle);
        }
        if thresholds {
            which += &format!(" at {}", true_pairs.threshold);
        }
        text += &format!(
            "true pairs{which}: {} by {}{took}{unused}{labeled}\n",
            numbers::count(true_pairs.pair_count),
            true_pairs.by
        );
    }
    text + "\n"
}

/// The pairs of a file that are not used.
fn unused(true_pairs: &TruePairs) -> String {
    let unused = [(true_pairs.unknown_count, "name unknown documents"), (true_pairs.unusable_count, "cannot be used")];
    let said: Vec<String> = unused
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {why}", numbers::count(count)))
        .collect();
    match true_pairs.given_count.filter(|_| !said.is_empty()) {
        Some(given) => format!(" ({} given: {})", numbers::count(given), said.join(", ")),
        None => String::new(),
    }
}

/// True if schemes differ in `of`.
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
        let candidates = method.candidate_count.map_or("–".to_owned(), numbers::count);
        text += &format!(
            "{}{:>9} {:>8.4} {:>9.4} {:>8.4} {candidates:>10} {:>9.2} {:>8} {memory:>10}\n",
            start(Some(row)),
            numbers::count(score.found_count),
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
        text += &format!(
            "  band {}: {}\n    score    portion    number\n",
            band.band,
            numbers::of(band.pair_count, "pair")
        );
        for step in band.scores.iter().filter(|step| step.pair_count > 0) {
            text += &format!("    {:<6.1} {:>9.4} {:>9}\n", step.score, step.share, numbers::count(step.pair_count));
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
        let share = 100.0 * row.near_duplicate_share;
        let pairs = numbers::count(row.pair_count);
        text += &format!("  {}-sim {pairs:>9} {:>17.4} {share:>15.1} %\n", row.equal_count, row.mean_similarity);
    }
    text
}
