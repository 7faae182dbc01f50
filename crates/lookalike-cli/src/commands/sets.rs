//! `lookalike sets`: arguments to options, and the result for a person.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lookalike::core::bucket::banding::Banding;
use lookalike::core::join::Measure;
use lookalike::core::measure::similarity::Threshold;
use lookalike::{Finding, Separator, SetsForm, SetsOptions, SetsReport};

use crate::commands::{Done, done, to_output};
use crate::flags::output::RowOutputArguments;
use crate::flags::resources::{TableResourceArguments, TableResources};
use crate::flags::run::{RunArguments, RunOptions};
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, pages};

#[derive(Debug, Args)]
pub(crate) struct SetsArguments {
    /// One set per line, elements separated by blanks; or a table (CSV, TSV, JSON, Parquet) with one element per row or a column of
    /// lists; also compressed as .gz or .zst. Files, folders, patterns, addresses (s3://, gs://, az://, https://), or - for
    /// standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Minimum similarity of a pair: above 0, at most 1
    #[arg(short, long, value_name = "T", allow_negative_numbers = true, required_unless_present = "top")]
    threshold: Option<f64>,
    /// Write only the K most similar sets of each set, best first; without --threshold, however similar they are
    #[arg(long, value_name = "K")]
    top: Option<NonZeroUsize>,
    /// Measure of similarity
    #[arg(long, value_enum, default_value_t = MeasureArgument::Jaccard)]
    measure: MeasureArgument,
    /// Weigh each element by its rarity: ln(1 + N / n) if n of N sets have it; multiplied by --weights if given
    #[arg(long)]
    idf: bool,
    /// Find pairs by sketches, which miss some: the chance to find a pair at the threshold, such as 0.95 [default: exact]
    #[arg(
        long,
        value_name = "R",
        allow_negative_numbers = true,
        requires = "threshold",
        conflicts_with_all = ["weights", "idf"]
    )]
    recall: Option<f64>,
    /// Compare the sets of INPUT with those of FILE, in the same form, and not with each other
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,
    /// Swap sets and elements: compare films by their fans instead of fans by their films
    #[arg(long)]
    transpose: bool,
    /// Write what was found to this HTML file too, for your browser
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    output: RowOutputArguments,
    #[command(flatten)]
    resources: TableResourceArguments,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Debug, Args)]
struct FormArguments {
    /// Lines: the first element is the name of the set [default: the line number]; lines with the same name are one set
    #[arg(long, conflicts_with_all = ["set", "element", "column", "weights"])]
    id: bool,
    /// Separator of elements instead of blanks: a character, such as ',' or '|', or tab [default: blanks; or commas, semicolons
    /// or bars if lines have no blanks but beside these]
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<String>,
    /// Treat lines and cells as texts: their elements are the runs of N characters, in lower case, with a blank at each end
    #[arg(long, value_name = "N", conflicts_with_all = ["separator", "element", "weights", "id"])]
    grams: Option<NonZeroUsize>,
    /// Tables: column with the name of the set [default: set, or the first of two columns; with --column, the row number]
    #[arg(long, value_name = "COLUMN")]
    set: Option<String>,
    /// Tables with one element per row: its column [default: element, or the second of two columns]
    #[arg(long, value_name = "COLUMN", conflicts_with = "column")]
    element: Option<String>,
    /// Tables with one set per row: column of its elements, a JSON list or separated by blanks
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// Tables: column of the weights. Jaccard is then the sum of the smaller weights over the sum of the larger, and cosine that of
    /// vectors. Weights of a repeated element add up, and 0 means absent; with --column, a list of weights
    #[arg(long, value_name = "COLUMN")]
    weights: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MeasureArgument {
    /// Shared elements over all elements of both
    Jaccard,
    /// Shared elements over those of the smaller set; rows also have the share of each set that lies in the other
    Containment,
    /// Shared elements over the geometric mean of both sizes
    Cosine,
    /// The overlap coefficient: the same number as containment
    Overlap,
}

impl SetsArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (target, force, page) = (self.output.file(), self.output.force, self.report.clone());
        let (options, run) = self.options()?;
        let (report, is_read) = to_output(target.as_deref(), force, run, streams::stdout(), |writer, progress| {
            lookalike::sets(&options, writer, progress)
        })?;
        if let Some(path) = page {
            pages::write(&pages::sets(&report, &options), &path, force)?;
        }
        notes::skipped(&report.skipped_rows, report.skipped);
        let is_told = || options.form.set.is_some() || options.form.element.is_some() || options.form.weights.is_some();
        if report.skipped_rows.iter().any(|row| row.reason.contains(RAGGED)) && !is_told() {
            talk!("note: rows of different lengths: if each line of the file is a set, give --separator ','");
        }
        if is_read && !run.quiet {
            show(&report, &options);
        }
        Ok(done(report.skipped))
    }

    fn options(self) -> Result<(SetsOptions, RunOptions)> {
        let run = self.run.options()?;
        let measure = match self.measure {
            MeasureArgument::Jaccard => Measure::Jaccard,
            MeasureArgument::Containment => Measure::Containment,
            MeasureArgument::Cosine => Measure::Cosine,
            MeasureArgument::Overlap => Measure::Overlap,
        };
        let threshold = self.threshold.map(Threshold::new).transpose()?;
        let finding = match (threshold, self.recall) {
            (Some(threshold), Some(recall)) => {
                Finding::Sketched { threshold, banding: measure.banding(threshold, recall)? }
            }
            (threshold, _) => Finding::Exact { threshold },
        };
        let TableResources { memory, longest, limit } = self.resources.options()?;
        let options = SetsOptions {
            inputs: self.inputs,
            against: self.against,
            output: self.output.file(),
            longest,
            limit,
            memory,
            form: self.form.form()?,
            is_transposed: self.transpose,
            measure,
            by_rarity: self.idf,
            finding,
            top: self.top,
            format: self.output.format(),
        };
        Ok((options, run))
    }
}

impl FormArguments {
    fn form(self) -> Result<SetsForm> {
        let separator = match self.separator.as_deref() {
            None => None,
            Some("tab" | "\\t") => Some('\t'),
            Some(written) => {
                let mut characters = written.chars();
                match (characters.next(), characters.next()) {
                    (Some(character), None) if !matches!(character, '\n' | '\r') => Some(character),
                    _ => bail!("--separator {written:?} is not possible: give one character, or tab"),
                }
            }
        };
        Ok(SetsForm {
            has_names: self.id,
            separator,
            grams: self.grams,
            set: self.set,
            element: self.element,
            column: self.column,
            weights: self.weights,
        })
    }
}

/// What is said of a row that has more cells than there are columns.
const RAGGED: &str = " fields where the table has ";

/// How many pairs there are, and how they were found.
fn show(report: &SetsReport, options: &SetsOptions) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let against = report.against.map_or(String::new(), |count| format!(" and {}", numbers::of(count, "set")));
    let pairs = numbers::of(report.pairs, "pair");
    let sets = numbers::of(report.sets, "set");
    talk!("{pairs} among {sets}{against}, in {}", numbers::seconds(seconds));
    if let Finding::Sketched { threshold, banding } = options.finding {
        talk!("note: found by {}", recall(options.measure, threshold, banding));
    }
    match report.separator {
        Some(Separator::Certain(separator)) => {
            talk!("note: elements are separated by '{separator}', as it seems; otherwise give --separator ' '");
        }
        Some(Separator::Possible(separator)) => {
            talk!(
                "note: elements are separated by blanks, but most lines have a '{separator}': should it be --separator '{separator}'?"
            );
        }
        None => {}
    }
    if report.empty > 0 {
        talk!("note: {} without elements, which match nothing", numbers::of(report.empty, "set"));
    }
}

fn recall(measure: Measure, threshold: Threshold, banding: Banding) -> String {
    // The least similarity that sketches see in a pair at the threshold.
    let least = if measure == Measure::Cosine { threshold.value().powi(2) } else { threshold.value() };
    let recall = Threshold::new(least).map_or(0.0, |least| banding.recall_at(least.into()));
    let (bands, rows) = (banding.bands(), banding.rows());
    format!(
        "{bands} bands of {rows} rows: a pair at the threshold is found with a chance of {recall:.4}, more similar pairs more often"
    )
}
