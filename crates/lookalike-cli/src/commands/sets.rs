//! `lookalike sets`: converts arguments to a request, and shows the result to people.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::core::bucket::banding::Banding;
use lookalike::core::join::Measure;
use lookalike::core::measure::similarity::Threshold;
use lookalike::{Delimiter, Finding, SetsOptions, SetsReport, SetsRequest, SkipReason};

use crate::commands::{Done, done, to_output};
use crate::flags::output::{RowOutputArguments, RowsGo};
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::words::described;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, pages};

#[derive(Debug, Args)]
pub(crate) struct SetsArguments {
    /// One set per line, elements separated by blanks; or a table (CSV, TSV, JSON, Parquet) with one element per row or a column of
    /// lists; also compressed as .gz or .zst. Files, folders, patterns, addresses (s3://, gs://, az://, https://), or - for
    /// standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    output: RowOutputArguments,
    /// Write what was found to this HTML file too, for your browser
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,
    #[command(flatten)]
    similarity: SimilarityArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Similarity")]
struct SimilarityArguments {
    /// Minimum similarity of a pair: above 0, at most 1; needed unless --top is given
    #[arg(short, long, value_name = "T", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Write only the K most similar sets of each set, best first; without --threshold, however similar they are
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    top: Option<i64>,
    /// Measure of similarity [default: jaccard]
    #[arg(long, value_name = "MEASURE", value_parser = described::<Measure>(&MEASURES))]
    measure: Option<Measure>,
    /// Weigh each element by its rarity: ln(1 + N / n) if n of N sets have it; multiplied by --weight if given
    #[arg(long, hide_short_help = true)]
    idf: bool,
    /// Find pairs by sketches, which miss some: the probability of finding a pair at the threshold, such as 0.95 [default: exact]
    #[arg(long, value_name = "R", allow_negative_numbers = true, hide_short_help = true)]
    recall: Option<f64>,
    /// Swap sets and elements: compare films by their fans instead of fans by their films
    #[arg(long, hide_short_help = true)]
    transpose: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct FormArguments {
    /// Compare the sets of INPUT with those of FILE, in the same form, and not with each other
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,
    /// Lines: the first element is the name of the set [default: the line number]; lines with the same name are one set
    #[arg(long)]
    named: bool,
    /// Separator of elements instead of blanks: a character, such as ',' or '|', or tab [default: blanks; or commas, semicolons
    /// or bars, if blanks occur only next to these]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// Treat lines and cells as texts: their elements are the runs of N characters, in lower case, with a blank at each end
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    grams: Option<i64>,
    /// Tables: column with the name of the set [default: set, or the first of two columns; with --column, the row number]
    #[arg(long, value_name = "COLUMN")]
    set: Option<String>,
    /// Tables with one element per row: its column [default: element, or the second of two columns]
    #[arg(long, value_name = "COLUMN")]
    element: Option<String>,
    /// Tables with one set per row: column of its elements, a JSON list or separated by blanks
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    column: Option<String>,
    /// Tables: column of the weights. Jaccard is then the sum of the smaller weights over the sum of the larger, and cosine that of
    /// vectors. Weights of a repeated element add up, and 0 means absent; with --column, a list of weights
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    weight: Option<String>,
}

/// In the order of the variants in the library.
const MEASURES: [&str; 4] = [
    "Shared elements over all elements of both",
    "Shared elements over those of the smaller set; rows also have the share of each set that lies in the other",
    "Shared elements over the geometric mean of both sizes",
    "The overlap coefficient: the same number as containment",
];

impl SetsArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (target, force, page) = (self.output.file(), self.output.force, self.report.clone());
        let how = self.output.summary;
        let (options, run) = self.options()?;
        let (report, is_read) = to_output(target.as_deref(), force, &run, streams::stdout(), |writer, progress| {
            lookalike::sets(&options, writer, progress)
        })?;
        if let Some(path) = page {
            pages::write(&pages::sets(&report, &options), &path, force)?;
        }
        notes::skipped(&report.skipped, report.skipped_count);
        if report.skipped.iter().any(|row| matches!(row.reason, SkipReason::RaggedRow(_))) && !options.names_columns() {
            talk!("note: rows of different lengths: if each line of the file is a set, give --delimiter ','");
        }
        how.print(&report, RowsGo::to(target.as_deref()), || {
            if is_read && !run.is_quiet() {
                show(&report, &options);
            }
            Ok(())
        })?;
        Ok(done(report.skipped_count))
    }

    fn options(self) -> Result<(SetsOptions, RunOptions)> {
        let mut request = SetsRequest::new(self.inputs);
        request.resources = self.resources.request();
        request.against = self.form.against;
        request.named = self.form.named.then_some(true);
        request.delimiter = self.form.delimiter;
        request.grams = self.form.grams;
        request.set = self.form.set;
        request.element = self.form.element;
        request.column = self.form.column;
        request.weight = self.form.weight;
        request.threshold = self.similarity.threshold;
        request.top = self.similarity.top;
        request.measure = self.similarity.measure;
        request.idf = self.similarity.idf.then_some(true);
        request.recall = self.similarity.recall;
        request.transpose = self.similarity.transpose.then_some(true);
        request.output = self.output.file();
        request.format = self.output.format;
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok((options, run))
    }
}

/// Shows the number of pairs, and how they were found.
fn show(report: &SetsReport, options: &SetsOptions) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let against = report.reference_count.map_or(String::new(), |count| format!(" and {}", numbers::of(count, "set")));
    let pairs = numbers::of(report.pair_count, "pair");
    let sets = numbers::of(report.set_count, "set");
    talk!("{pairs} among {sets}{against}, in {}", numbers::seconds(seconds));
    if let Finding::Sketched { threshold, banding } = options.finding() {
        talk!("note: found by {}", recall(options.measure(), threshold, banding));
    }
    match report.delimiter {
        Some(Delimiter::Certain(separator)) => {
            talk!("note: elements are separated by '{separator}', as it seems; otherwise give --delimiter ' '");
        }
        Some(Delimiter::Possible(separator)) => {
            talk!(
                "note: elements are separated by blanks, but most lines have a '{separator}': should it be --delimiter '{separator}'?"
            );
        }
        _ => {}
    }
    if report.empty_count > 0 {
        talk!("note: {} without elements, which match nothing", numbers::of(report.empty_count, "set"));
    }
}

fn recall(measure: Measure, threshold: Threshold, banding: Banding) -> String {
    // The minimum Jaccard similarity, which sketches estimate, of a pair at the threshold.
    let least = if measure == Measure::Cosine { threshold.value().powi(2) } else { threshold.value() };
    let recall = Threshold::new(least).map_or(0.0, |least| banding.recall_at(least.into()));
    let (bands, rows) = (banding.bands(), banding.rows());
    format!(
        "{bands} bands of {rows} rows: a pair at the threshold is found with a chance of {recall:.4}, more similar pairs more often"
    )
}
