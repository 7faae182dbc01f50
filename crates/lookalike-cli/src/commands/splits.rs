//! `lookalike splits`: leaks between splits, as a table and an exit code.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::{SplitsOptions, SplitsReport, SplitsRequest};

use crate::commands::{Done, done, with_threads};
use crate::flags::command_line::command_line;
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::ReadArguments;
use crate::flags::resources::{ResourceArguments, WorkArguments};
use crate::flags::run::RunOptions;
use crate::flags::scheme::SchemeArguments;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line, shown_path};

#[derive(Debug, Args)]
pub(crate) struct SplitsArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    resources: ResourceArguments,
    #[command(flatten)]
    work: WorkArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    /// Folder for leaks.jsonl, passages.jsonl, report.html and summary.json, new or empty [default: only the table is printed]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Count passages that splits share as leaks too: line, paragraph, or run:N for at least N words in a row, such as run:50
    #[arg(long, value_name = "UNIT")]
    passages: Option<String>,
    /// Exit with code 1 if a split shares more than this part of its documents with an earlier one, such as 0.001
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    fail_if_leaks: Option<f64>,
    /// Also write all documents to DIR/grouped/, with the number of their cluster in this field: splits that
    /// keep each cluster together have no leaks
    #[arg(long, value_name = "FIELD", hide_short_help = true)]
    group: Option<String>,
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

impl SplitsArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let how = self.output.summary;
        let (options, run) = self.options()?;
        let report = with_threads(&run, |progress| lookalike::splits(&options, progress))??;
        let skipped = report.input.skipped_count;
        notes::skipped(&report.skipped, skipped);
        notes::doubts(&report.input, options.read(), None);
        how.print(&report, RowsGo::ToFile, || show(&report, &options))?;
        if let (true, Some(most)) = (report.failed, report.fail_if_leaks) {
            talk!("splits share more than {most} of their documents");
            return Ok(Done::OverLimit);
        }
        Ok(done(skipped))
    }

    fn options(self) -> Result<(SplitsOptions, RunOptions)> {
        let mut request = SplitsRequest::default();
        request.read = self.read.request()?;
        request.scheme = self.scheme.request()?;
        request.resources = self.resources.request();
        request.work = self.work.request(self.output.force);
        request.passages = self.output.passages;
        request.fail_if_leaks = self.output.fail_if_leaks;
        request.group = self.output.group;
        request.output = self.output.output;
        request.report = self.output.report;
        request.no_report = self.output.no_report.then_some(true);
        request.command = command_line(std::env::args_os());
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok((options, run))
    }
}

/// Shows the table, which is the result, and the location of the other output.
fn show(report: &SplitsReport, options: &SplitsOptions) -> Result<()> {
    let names = report.splits.iter().map(|split| one_line(&split.split).chars().count());
    let width = names.max().unwrap_or(0).max("earlier split".len());
    let has_passages = report.passages.is_some();
    streams::show(|out| {
        write!(
            out,
            "{:width$}  {:width$}  {:>12}  {:>12}  {:>10}",
            "split", "earlier split", "documents", "leaks", "share"
        )?;
        write!(out, "  {:>16}  {:>12}", "near-duplicates", "same words")?;
        writeln!(out, "{}", if has_passages { "  with passages" } else { "" })?;
        for pair in &report.pairs {
            let [documents, leaks, near, same] =
                [pair.document_count, pair.leak_count, pair.near_duplicate_count, pair.same_words_count]
                    .map(numbers::count);
            let (split, other) = (one_line(&pair.split), one_line(&pair.other_split));
            write!(out, "{split:width$}  {other:width$}  {documents:>12}  {leaks:>12}  {:>10.4}", pair.share)?;
            write!(out, "  {near:>16}  {same:>12}")?;
            match pair.with_passage_count {
                Some(count) => writeln!(out, "  {:>13}", numbers::count(count))?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    })?;
    for split in report.splits.iter().filter(|split| split.document_count == 0) {
        talk!("note: {} has no documents", one_line(&split.split));
    }
    if let Some(count) = report.cluster_count {
        talk!("{} of near-duplicates, of which none may be parted", numbers::of(count, "cluster"));
    }
    for written in [options.folder(), options.report_file()].into_iter().flatten() {
        talk!("wrote {}", shown_path(written));
    }
    Ok(())
}
