//! `lookalike passages`: repeated lines, paragraphs and runs of words, listed, cut or marked.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lookalike::{Action, KeepCopy, PassageFormat, PassagesOptions, PassagesRequest, PassagesSummary};

use crate::commands::{Done, done, with_threads};
use crate::flags::command_line::command_line;
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::ReadArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::words::{described, words};
use crate::show::streams::talk;
use crate::show::{notes, numbers, one_line, shown_path};

#[derive(Debug, Args)]
pub(crate) struct PassagesArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    method: MethodArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    /// Folder to write to, new or empty
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Action on repeated passages [default: report]
    #[arg(long, value_name = "WHAT", value_parser = described::<Action>(&ACTIONS))]
    action: Option<Action>,
    /// Copy of a passage to keep [default: first]
    #[arg(long, value_name = "COPY", value_parser = described::<KeepCopy>(&KEPT))]
    keep: Option<KeepCopy>,
    /// Format of the passages: jsonl, or sarif, which code hosts and editors show beside the lines, in cuts.sarif [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = words::<PassageFormat>(), hide_short_help = true)]
    format: Option<PassageFormat>,
    /// Passages of an earlier run, its cuts.jsonl or cuts.sarif: mark passages missing from it as new, and exit with code 1 if
    /// there are any
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    baseline: Option<PathBuf>,
    /// Exit with code 1, once everything is written, if passages are more than this share of the text; with --baseline, new
    /// passages [default: never, or 0 with --baseline]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, hide_short_help = true)]
    fail_if_repeated: Option<f64>,
    /// Report documents with fewer than N words outside their passages as husks, in husks.jsonl [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    husk: Option<i64>,
    /// Do not write husks
    #[arg(long, hide_short_help = true)]
    remove_husks: bool,
    /// The source of a document: host, file, or the value of a field (field:host for a field named host)
    /// [default: the host of a page, else the file, or the folder of a file that is one document]
    #[arg(long, value_name = "FIELD|host|file", hide_short_help = true)]
    source: Option<String>,
    /// Replace what an earlier run wrote
    #[arg(long)]
    force: bool,
    /// Write the report to this file instead of report.html in the output folder
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    report: Option<PathBuf>,
    /// Write no report
    #[arg(long, hide_short_help = true)]
    no_report: bool,
    #[command(flatten)]
    summary: SummaryArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Method")]
struct MethodArguments {
    /// Kind of passage to find: line, paragraph, or run:N for at least N words in a row [default: run:50]
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// Tokens of a run: words; or code, the identifiers, numbers, strings and operators of source code without its
    /// comments (code:LANGUAGE if the text does not tell: code:python) [default: words]
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    tokens: Option<String>,
    /// Find only what at least N documents have [default: 2]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    at_least: Option<i64>,
    /// Also find what one document repeats; --at-least then counts places
    #[arg(long, hide_short_help = true)]
    within: bool,
    /// Join passages with at most N words between them [default: 3 for runs, 0 for lines and paragraphs]
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    gap: Option<i64>,
}

/// In the order of the words of the library.
const ACTIONS: [&str; 3] = [
    "List them in cuts.jsonl, and write no documents",
    "Also write documents without them, to cut/",
    "Also write documents with a list of them in the field passages, to annotated/",
];
const KEPT: [&str; 2] = ["The first in input order", "None: cut all copies, as for boilerplate"];

impl PassagesArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let how = self.output.summary;
        let (options, run) = self.options()?;
        let summary = with_threads(&run, |progress| lookalike::passages(&options, progress))??;
        let skipped = summary.input.skipped_count;
        notes::skipped(&summary.skipped, skipped);
        notes::left_out(&summary.input.left_out);
        notes::without_effect(&summary.input.without_effect);
        if summary.input.without_text_count > 0 && summary.action != Action::Report {
            let records = numbers::of(summary.input.without_text_count, "record");
            talk!("note: {records} without text left out of what is written");
        }
        how.print(&summary, RowsGo::ToFile, || {
            if !run.is_quiet() {
                show(&summary, &options);
            }
            Ok(())
        })?;
        if let (true, Some(most)) = (summary.over_limit, summary.fail_if_repeated) {
            let what = if summary.baseline.is_some() { "new passages" } else { "passages" };
            if most > 0.0 {
                talk!("failed: {what} are more than {} of the text", percent(most));
            } else {
                talk!("failed: there are {what}");
            }
            return Ok(Done::OverLimit);
        }
        Ok(done(skipped))
    }

    fn options(self) -> Result<(PassagesOptions, RunOptions)> {
        let mut request = PassagesRequest::default();
        request.read = self.read.request()?;
        request.resources = self.resources.request();
        request.unit = self.method.unit;
        request.tokens = self.method.tokens;
        request.at_least = self.method.at_least;
        request.within = self.method.within.then_some(true);
        request.gap = self.method.gap;
        request.action = self.output.action;
        request.keep = self.output.keep;
        request.husk = self.output.husk;
        request.remove_husks = self.output.remove_husks.then_some(true);
        request.source = self.output.source;
        request.output = self.output.output;
        request.force = self.output.force.then_some(true);
        request.report = self.output.report;
        request.no_report = self.output.no_report.then_some(true);
        request.format = self.output.format;
        request.baseline = self.output.baseline;
        request.fail_if_repeated = self.output.fail_if_repeated;
        request.command = command_line(std::env::args_os());
        let options = request.check()?;
        if options.folder().is_none() && !options.has_report() {
            bail!("no output is given: add -o DIR");
        }
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok((options, run))
    }
}

/// Maximum number of sources to print.
const SOURCES: usize = 10;

fn show(summary: &PassagesSummary, options: &PassagesOptions) {
    let found = &summary.found;
    let with = if summary.input.document_count == 1 { "document has" } else { "documents have" };
    let passages = numbers::of(found.passage_count, "passage");
    let (documents, all) = (numbers::count(found.document_count), numbers::count(summary.input.document_count));
    talk!("{documents} of {all} {with} {passages} that other documents have too ({})", summary.unit);
    let (bytes, share) = (numbers::bytes(found.cut_bytes), percent(found.share));
    talk!(
        "{bytes} of {} of text ({share}), in {}",
        numbers::bytes(found.text_bytes),
        numbers::seconds(summary.seconds)
    );
    if let (Some(new), Some(bytes)) = (found.new_passage_count, found.new_cut_bytes) {
        talk!("{} not in the baseline ({})", numbers::of(new, "passage"), numbers::bytes(bytes));
    }
    if summary.sources.len() > 1 {
        let width = summary.sources.iter().take(SOURCES).map(|source| one_line(&source.source).chars().count()).max();
        let width = width.unwrap_or(0).max("source".len());
        talk!("{:width$}  {:>12}  {:>12}  {:>8}", "source", "documents", "passages", "share");
        for source in summary.sources.iter().take(SOURCES) {
            let (documents, passages) = (numbers::count(source.document_count), numbers::count(source.passage_count));
            let share = percent(source.share);
            talk!("{:width$}  {documents:>12}  {passages:>12}  {share:>8}", one_line(&source.source));
        }
    }
    if found.husk_count > 0 {
        let have = if found.husk_count == 1 { "document has" } else { "documents have" };
        let count = numbers::count(found.husk_count);
        talk!("{count} {have} fewer than {} words left: see husks.jsonl", summary.husk);
    }
    for written in [options.folder(), options.report_file()].into_iter().flatten() {
        talk!("wrote {}", shown_path(written));
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
