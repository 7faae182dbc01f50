//! `lookalike sets`: arguments to options, and the result for a person.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lookalike::core::bucket::banding::Banding;
use lookalike::core::join::Measure;
use lookalike::core::measure::similarity::Threshold;
use lookalike::{Finding, SetsForm, SetsOptions, SetsReport};

use crate::args::{FormatArgument, RunOptions};
use crate::number;
use crate::resources::{TableResourceArguments, TableResources};
use crate::streams::talk;

#[derive(Debug, Args)]
pub(crate) struct SetsArguments {
    /// One set per line, its elements separated by blanks; or a table (CSV, TSV, JSON, Parquet) of pairs, or with a column of
    /// lists; also as .gz or .zst. Files, folders, patterns, addresses (s3://, gs://, az://, https://), or - for standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// The similarity from which on two sets are a pair: above 0, at most 1
    #[arg(short, long, value_name = "T", allow_negative_numbers = true, required_unless_present = "top")]
    threshold: Option<f64>,
    /// Write only the K sets most similar to each set, the most similar first; without --threshold whatever their similarity
    #[arg(long, value_name = "K")]
    top: Option<NonZeroUsize>,
    /// What is measured
    #[arg(long, value_enum, default_value_t = MeasureArgument::Jaccard)]
    measure: MeasureArgument,
    /// Find pairs by sketches, which miss some, instead of exactly: the chance to find a pair at the threshold, such as 0.95
    #[arg(long, value_name = "R", allow_negative_numbers = true, requires = "threshold", conflicts_with = "weights")]
    recall: Option<f64>,
    /// Compare the sets of the input with those of a second collection of the same form, and not with each other
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,
    /// Elements become sets: films by their fans, instead of fans by their films
    #[arg(long)]
    transpose: bool,
    #[command(flatten)]
    form: FormArguments,
    /// The file to write to, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to write pairs
    #[arg(long, value_enum, default_value_t = FormatArgument::Jsonl)]
    format: FormatArgument,
    /// Replace the output file if it is there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    resources: TableResourceArguments,
    /// How many threads to use, instead of one a core
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Args)]
struct FormArguments {
    /// Lines: the first element is the name of the set, instead of the number of the line; lines of one name are one set
    #[arg(long, conflicts_with_all = ["set", "element", "column", "weights"])]
    id: bool,
    /// What stands between elements, instead of blanks: a character, such as '|', or tab
    #[arg(long, value_name = "CHARACTER")]
    separator: Option<String>,
    /// Lines and cells are texts: their sets are the N characters in a row that they have, in lower case, with a blank at each end
    #[arg(long, value_name = "N", conflicts_with_all = ["separator", "element", "weights", "id"])]
    grams: Option<NonZeroUsize>,
    /// Tables: the column that names the set [default: set, or the first of two columns; with --column the number of the row]
    #[arg(long, value_name = "COLUMN")]
    set: Option<String>,
    /// Tables with an element a row: its column [default: element, or the second of two columns]
    #[arg(long, value_name = "COLUMN", conflicts_with = "column")]
    element: Option<String>,
    /// Tables with a set a row: the column of its elements, as a JSON list or with blanks between
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// Tables: the column of weights, for weighted Jaccard: the lesser weights over the greater ones. Weights of a repeated
    /// element add up, and 0 is not there; with --column a list of weights
    #[arg(long, value_name = "COLUMN")]
    weights: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MeasureArgument {
    /// Shared elements over all elements of both
    Jaccard,
    /// Shared elements over those of the smaller set; rows also tell how much of each set lies in the other
    Containment,
    /// Shared elements over the geometric mean of both sizes
    Cosine,
    /// The same number under another name: the overlap coefficient
    Overlap,
}

impl SetsArguments {
    pub(crate) fn options(self) -> Result<(SetsOptions, RunOptions)> {
        let run = RunOptions::checked(self.threads, self.quiet)?;
        let measure = match self.measure {
            MeasureArgument::Jaccard => Measure::Jaccard,
            MeasureArgument::Containment => Measure::Containment,
            MeasureArgument::Cosine => Measure::Cosine,
            MeasureArgument::Overlap => Measure::Overlap,
        };
        if self.form.weights.is_some() && measure != Measure::Jaccard {
            bail!("--weights are for --measure jaccard: leave out one of them");
        }
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
            output: self.output,
            longest,
            limit,
            memory,
            form: self.form.form()?,
            is_transposed: self.transpose,
            measure,
            finding,
            top: self.top,
            format: self.format.into(),
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

/// How many pairs there are, and how they were found.
pub(crate) fn show(report: &SetsReport, options: &SetsOptions) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let against = report.against.map_or(String::new(), |count| format!(" and {}", number::of(count, "set")));
    let pairs = number::of(report.pairs, "pair");
    let sets = number::of(report.sets, "set");
    talk!("{pairs} among {sets}{against}, in {}", number::seconds(seconds));
    if let Finding::Sketched { threshold, banding } = options.finding {
        talk!("note: found by {}", recall(options.measure, threshold, banding));
    }
    if report.empty > 0 {
        talk!("note: {} without elements, like nothing", number::of(report.empty, "set"));
    }
}

fn recall(measure: Measure, threshold: Threshold, banding: Banding) -> String {
    // The least similarity that sketches see in a pair at the threshold.
    let least = if measure == Measure::Cosine { threshold.value().powi(2) } else { threshold.value() };
    let recall = Threshold::new(least).map_or(0.0, |least| banding.recall_at(least.into()));
    let (bands, rows) = (banding.bands(), banding.rows());
    format!(
        "{bands} bands of {rows} rows: a pair at the threshold with a chance of {recall:.4}, others with a greater one"
    )
}
