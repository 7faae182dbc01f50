//! `lookalike tune`: pairs by similarity, a suggested threshold, and what bands and rows find and cost.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use lookalike::io::write::OutputFile;
use lookalike::{Estimate, JudgedRow, Plan, Sampled, Suggestion, TuneOptions, TuneRequest, Tuning};

use crate::commands::{Done, done, with_threads};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::SettingArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::scheme::{IgnoreArguments, SchemeArguments};
use crate::show::streams::talk;
use crate::show::{chart, notes, numbers, one_line, pages, streams};
use crate::stop;

#[derive(Debug, Args)]
pub(crate) struct TuneArguments {
    /// The corpus, if there is one: counts its pairs by similarity, suggests a threshold, and estimates the cost of a run
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Read at most this much of INPUT, such as 500M, in parts from all over it [default: 1G]
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    sample_bytes: Option<String>,
    #[command(flatten)]
    settings: SettingArguments,
    /// Also show what people say of pairs by similarity: files of labels that lookalike audit made (put INPUT before it)
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Input")]
    labels: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    ignoring: IgnoreArguments,
    /// Choose bands and rows by the bytes per document that a sketch may take, such as 64B
    #[arg(long, value_name = "SIZE", help_heading = "Method", hide_short_help = true)]
    budget: Option<String>,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    #[command(flatten)]
    summary: SummaryArguments,
    /// Draw the curve to this SVG file
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    svg: Option<PathBuf>,
    /// Write everything to this HTML file too, for your browser
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Replace the SVG or HTML file if it exists
    #[arg(long)]
    force: bool,
}

/// All options of the command, checked.
struct Tune {
    options: TuneOptions,
    output: OutputArguments,
}

/// Steps of the curve as it is drawn.
const DRAWN: u32 = 240;

impl TuneArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let talk = self.resources.run.talk();
        let tune = self.options()?;
        let run = RunOptions { resources: tune.options.resources().clone(), talk };
        let tuning = with_threads(&run, |progress| lookalike::tune(&tune.options, progress))??;
        let skipped = tuning.sample.as_ref().map_or(0, |sample| sample.skipped_count);
        if let Some(first) = tuning.sample.as_ref().and_then(|sample| sample.first_skipped.as_ref()) {
            talk!("skipped {}, the first in {}", numbers::count(skipped), one_line(first));
        }
        if let Some(sample) = &tuning.sample {
            notes::left_out(&sample.left_out);
            notes::without_effect(&sample.without_effect);
        }
        tune.show(&tuning)?;
        Ok(done(skipped))
    }

    fn options(self) -> Result<Tune> {
        let mut request = TuneRequest::default();
        request.read = self.settings.request(self.inputs);
        request.scheme = self.scheme.request()?;
        request.ignoring = self.ignoring.request();
        request.resources = self.resources.request();
        request.sample_bytes = self.sample_bytes.map(Into::into);
        request.budget = self.budget.map(Into::into);
        request.labels = self.labels;
        Ok(Tune { options: request.check()?, output: self.output })
    }
}

impl Tune {
    /// Shows the result, and writes the picture.
    fn show(&self, tuning: &Tuning) -> Result<()> {
        let curve = lookalike::curve(self.options.banding(), DRAWN);
        if let Some(path) = &self.output.svg {
            let title = format!("{} bands of {} rows", tuning.bands, tuning.rows);
            let mut file = OutputFile::new(path, self.output.force, stop::unfinished())?;
            let picture = chart::as_svg(&curve, tuning.threshold, tuning.recall_at_threshold, &title);
            file.writer().write_all(picture.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
            file.commit()?;
        }
        if let Some(path) = &self.output.report {
            pages::write(&pages::tune(tuning, &curve), path, self.output.force)?;
        }
        self.output.summary.print(tuning, RowsGo::ToFile, || {
            let mut text = tuning.sample.as_ref().map_or(String::new(), sampled);
            text += &tuning.sample.as_ref().map_or(String::new(), chosen_tokens);
            text += &labeled(&tuning.labels);
            text += &parameters(tuning);
            text += &chart::in_terminal(&curve, tuning.threshold);
            text += &points(tuning);
            text += &tuning.sample.as_ref().map_or(String::new(), candidates);
            text += &tuning.sample.as_ref().map_or(String::new(), largest_family);
            text += &tuning.plan.map_or(String::new(), planned);
            text += &which_way(tuning);
            streams::show(|out| out.write_all(text.as_bytes()))
        })
    }
}

/// Notes that tokens were chosen by the names of files.
fn chosen_tokens(sample: &Sampled) -> String {
    sample.code_file_count.map_or(String::new(), |count| format!("{}\n", notes::source_code(count)))
}

fn parameters(tuning: &Tuning) -> String {
    let Tuning { bands, rows, agree, slots, sketch_bytes, recall_at_threshold, .. } = tuning;
    let small = match &tuning.sample {
        Some(sample) if sample.exact_because_small => {
            "dedup and pairs compare this input exactly because it is small: recall 1; what follows is for larger input\n\n"
        }
        _ => "",
    };
    let agreeing = if *agree > 1 { format!(", {agree} of which must agree") } else { String::new() };
    let mut text = format!(
        "{small}{bands} bands of {rows} rows{agreeing}: {slots} slots, {sketch_bytes} bytes per document\n\
         a pair at the threshold of {} is found with a chance of {recall_at_threshold:.4}; \
         half of the pairs at {:.3} are found\n\n",
        tuning.threshold, tuning.half_found_at,
    );
    if !tuning.budget.is_empty() {
        text += "bandings within the budget\n  rows  recall at the threshold  found at half of it\n";
        for bought in tuning.budget.iter().take(6) {
            let (recall, through) = (bought.recall_at_threshold, bought.at_half_the_threshold);
            text += &format!("  {:>4}  {recall:>23.4}  {through:>19.5}\n", bought.rows);
        }
        text += "  the first is used: the best recall of those that find at most 1 % of the pairs at half the threshold\n\n";
    }
    text + "the chance to be found, by similarity\n"
}

fn points(tuning: &Tuning) -> String {
    let mut text = "\n  similarity   found      missed\n".to_owned();
    for point in tuning.curve.iter().filter(|point| point.found >= 0.0005 && point.similarity < 1.0) {
        text += &format!("  {:<10.2} {:>8.5}  {:>9.6}\n", point.similarity, point.found, 1.0 - point.found);
    }
    text
}

/// Answers what people ask first: how many pairs there are, and which threshold to use.
fn sampled(sample: &Sampled) -> String {
    let mut text = if sample.complete {
        format!("all {} were read\n", numbers::of(sample.document_count, "document"))
    } else {
        format!(
            "{} of about {} were read, in parts from all over the input: intervals are wide, and hold if the rest is like \
             them; --sample-bytes reads more\n",
            numbers::count(sample.document_count),
            numbers::of(sample.corpus_document_count, "document")
        )
    };
    let mut rows =
        vec![["similarity", "pairs", "95 % interval", "removed, at most", "95 % interval"].map(str::to_owned)];
    for step in &sample.pairs {
        let count = |estimate: Estimate| numbers::count(estimate.value.round() as u64);
        let [removed, range] = match step.removed_count {
            Some(removed) => [count(removed), interval(removed)],
            None => ["–", "–"].map(str::to_owned),
        };
        let or_more = if step.similarity < 1.0 { " or more" } else { "" };
        let from = format!("{:.2}{or_more}", step.similarity);
        rows.push([from, count(step.pair_count), interval(step.pair_count), removed, range]);
    }
    let columns = if sample.complete { 5 } else { 3 };
    for row in &rows {
        let cell = |at: usize| {
            let width = rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
            if at == 0 { format!("{:<width$}", row[at]) } else { format!("  {:>width$}", row[at]) }
        };
        text += &format!("  {}\n", (0..columns).map(cell).collect::<String>());
    }
    let Suggestion { threshold, reason, .. } = &sample.suggestion;
    // Similarities around it, as people write them.
    let [low, high] = [threshold - 0.05, threshold + 0.05].map(|edge| (100.0 * edge).round().min(100.0) / 100.0);
    text + &format!(
        "\nsuggested threshold: {threshold}\n  {reason}\n  \
         to read pairs near it: lookalike pairs INPUT --between {low},{high} --show\n\n"
    )
}

/// Labels that people gave to pairs, by similarity.
fn labeled(rows: &[JudgedRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text =
        "labels by similarity\n  similarity    labeled    same  different  share that is the same\n".to_owned();
    for row in rows {
        let share = row.precision.map_or("–".to_owned(), |precision| {
            let Estimate { value, low, high, .. } = precision.estimate;
            format!("{value:.2} ({low:.2} to {high:.2})")
        });
        text += &format!(
            "  {:<12}  {:>8}  {:>6}  {:>9}  {share}\n",
            row.name, row.labeled_count, row.same_count, row.different_count
        );
    }
    text + "\n"
}

/// A range of numbers.
fn interval(estimate: Estimate) -> String {
    let [low, high] = [estimate.low, estimate.high].map(|end| numbers::count(end.round() as u64));
    format!("{low} to {high}")
}

/// Expected number of candidates.
fn candidates(sample: &Sampled) -> String {
    match (sample.candidate_count, sample.false_candidate_share) {
        (None, _) => String::new(),
        (Some(candidates), Some(share)) => format!(
            "\nabout {}, of which {:.1} % are below the threshold: measured, and dropped\n",
            numbers::of(candidates.round() as u64, "candidate pair"),
            100.0 * share
        ),
        (Some(_), None) => "\nno candidate pairs are expected\n".to_owned(),
    }
}

/// The largest family, which one thread decides. One pair is nothing to plan for.
fn largest_family(sample: &Sampled) -> String {
    match (sample.largest_family, sample.largest_family_bucket_count) {
        (Some(texts), Some(buckets)) if texts > 2 => format!(
            "the largest family, which is decided together: about {}, joined by {} of the sample\n",
            numbers::of(texts, "text"),
            numbers::of(buckets, "bucket")
        ),
        _ => String::new(),
    }
}

fn planned(plan: Plan) -> String {
    format!(
        "\nthe whole corpus: {}, {}, about {}; on {}\n  memory   {}\n  disk     {} at most, for what is written\n  time     {}\n",
        numbers::of(plan.file_count, "file"),
        numbers::bytes(plan.bytes),
        numbers::of(plan.document_count, "document"),
        numbers::of(plan.threads as u64, "thread"),
        numbers::bytes(plan.memory_bytes),
        numbers::bytes(plan.disk_bytes),
        numbers::seconds(plan.seconds),
    )
}

/// Direction in which each parameter moves the result.
fn which_way(tuning: &Tuning) -> String {
    let Tuning { bands, rows, .. } = tuning;
    format!(
        "\nwhat each parameter does\n\
         \x20 more bands    the curve moves left: more is found, and more is verified in vain; 8 more bytes per band\n\
         \x20 more rows     the curve moves right and gets steeper: less is verified in vain, and less is found\n\
         \x20 both          the curve gets steeper where it is: {bands} bands of {rows} rows cost {} slots\n\
         \x20 --threshold   what counts as a near-duplicate: higher is stricter, and takes fewer slots\n\
         \x20 --recall      the share of pairs at the threshold that is found, 0.99 by default; more similar pairs are found more often\n\
         \x20 --agree       how many bands must agree: with 2, far less is verified in vain, and less is found\n\
         \x20 --exact       no curve: nothing is missed, and every feature is held in memory\n",
        tuning.slots,
    )
}
