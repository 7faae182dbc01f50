//! `lookalike decontaminate`: arguments to a request, and what was found for a person.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::{
    ContaminatedSet, ContaminationAction, DecontaminateOptions, DecontaminateRequest, DecontaminateSummary,
};

use crate::commands::{Done, done, with_threads};
use crate::flags::command_line::command_line;
use crate::flags::output::{ReportTextsArgument, RowsGo, SummaryArguments};
use crate::flags::read::ReadArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::words::described;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line, shown_path};

#[derive(Debug, Args)]
pub(crate) struct DecontaminateArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    items: ItemArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct ItemArguments {
    /// Test sets whose items are looked for in INPUT (put INPUT before it)
    #[arg(long, value_name = "TESTSET", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Fields or columns of an item, the question first and the answer last; lists and objects count with all their text
    /// [default: question,choices,answer]
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',')]
    fields: Vec<String>,
    /// Field of an item's id [default: that of --id where items have it, else file and position]
    #[arg(long, value_name = "FIELD", hide_short_help = true)]
    item_id: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    /// Folder to write to, new or empty [default: print the table only]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Action to take on documents that have an item [default: report]
    #[arg(long, value_name = "ACTION", value_parser = described::<ContaminationAction>(&ACTIONS))]
    action: Option<ContaminationAction>,
    /// Exit with code 1, once everything is written, if this share of a test set's items is contaminated, or more: above 0, at most 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    fail_if_contaminated: Option<f64>,
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
    texts: ReportTextsArgument,
    #[command(flatten)]
    summary: SummaryArguments,
}

/// In the order of the words of the library.
const ACTIONS: [&str; 4] = [
    "Name them, and write no documents",
    "Write all other documents, in the format of the input",
    "Write all documents, with the fields `contaminated` and `contaminated_by`",
    "Write all documents without the passages that are test items",
];

#[derive(Debug, Args)]
#[command(next_help_heading = "Similarity")]
struct SearchArguments {
    /// Number of words in a row that an item and a document share, from 4 to 60; a shorter item must be there in whole
    /// [default: 13]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    ngram: Option<i64>,
    /// Share of a question that a document must have, weighted by how rare its n-grams are [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    coverage: Option<f64>,
    /// Share of the documents of a file that makes a passage common, if ten or more have it [default: 0.01]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, hide_short_help = true)]
    common_share: Option<f64>,
}

impl DecontaminateArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let how = self.output.summary;
        let are_fields_given = !self.items.fields.is_empty();
        let (options, run) = self.options()?;
        let summary = with_threads(&run, |progress| lookalike::decontaminate(&options, progress))??;
        notes::skipped(&summary.skipped, summary.skipped_count());
        notes::left_out(&summary.corpus.left_out);
        notes::without_effect(&summary.corpus.without_effect);
        for field in summary.absent_fields.iter().filter(|_| are_fields_given) {
            talk!("note: no item has the field '{}'", one_line(field));
        }
        how.print(&summary, RowsGo::ToFile, || show(&summary, &options))?;
        Ok(if summary.over_limit { Done::OverLimit } else { done(summary.skipped_count()) })
    }

    fn options(self) -> Result<(DecontaminateOptions, RunOptions)> {
        let mut request = DecontaminateRequest::default();
        request.read = self.read.request()?;
        request.resources = self.resources.request();
        request.against = self.items.against;
        request.fields = self.items.fields;
        request.item_id = self.items.item_id;
        request.ngram = self.search.ngram;
        request.coverage = self.search.coverage;
        request.common_share = self.search.common_share;
        request.action = self.output.action;
        request.output = self.output.output;
        request.force = self.output.force.then_some(true);
        request.report = self.output.report;
        request.no_report = self.output.no_report.then_some(true);
        request.report_texts = self.output.texts.report_texts;
        request.fail_if_contaminated = self.output.fail_if_contaminated;
        request.command = command_line(std::env::args_os());
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok((options, run))
    }
}

/// The table of test sets, and what became of documents.
fn show(summary: &DecontaminateSummary, options: &DecontaminateOptions) -> Result<()> {
    let items: u64 = summary.sets.iter().map(|set| set.item_count).sum();
    talk!(
        "{} looked for in {} ({}), in {}",
        numbers::of(items, "test item"),
        numbers::of(summary.corpus.document_count, "document"),
        numbers::bytes(summary.corpus.bytes),
        numbers::seconds(summary.seconds)
    );
    if options.folder().is_some() {
        let mut text = Vec::new();
        table(&mut text, summary)?;
        talk!("{}", String::from_utf8_lossy(&text).trim_end());
    } else {
        // Nothing else has the result.
        streams::show(|out| table(out, summary))?;
    }
    if let Some(passage) = summary.common_passages.first() {
        talk!(
            "note: {} of many items accuse nobody, the first in {} and {}: {}",
            numbers::of(summary.common_passages.len() as u64, "passage"),
            numbers::of(passage.item_count, "item"),
            numbers::of(passage.document_count, "document"),
            clipped(&passage.text)
        );
    }
    note_common(summary);
    let [written, removed] = [summary.written_document_count, summary.removed_document_count];
    match summary.action {
        ContaminationAction::Report => {}
        ContaminationAction::Cut => {
            talk!(
                "{} written, {} cut out{}",
                numbers::of(written, "document"),
                numbers::of(summary.cut_count, "passage"),
                if removed > 0 { format!(", {} left out", numbers::count(removed)) } else { String::new() }
            );
        }
        _ => talk!("{} written, {} left out", numbers::of(written, "document"), numbers::count(removed)),
    }
    if let Some(folder) = options.folder() {
        let is_inside = options.has_report() && options.report_file().is_none();
        let report = if is_inside { ", report.html to look at" } else { "" };
        talk!("in {}: hits.jsonl, items.jsonl, summary.json{report}", shown_path(folder));
    }
    if let Some(report) = options.report_file() {
        talk!("wrote {}", shown_path(report));
    }
    if let (true, Some(limit)) = (summary.over_limit, summary.fail_if_contaminated) {
        talk!("failed: a test set has {:.1} % or more of its items in the corpus", 100.0 * limit);
    }
    Ok(())
}

/// Notes about what accuses nobody, and about what was not looked for.
fn note_common(summary: &DecontaminateSummary) {
    let quoted = summary.common_hit_count - summary.widespread_hit_count;
    if quoted > 0 {
        talk!("note: {} that items quote accuse nobody", numbers::of(quoted, "passage"));
    }
    let widespread: u64 = summary.sets.iter().map(|set| set.widespread_count).sum();
    if widespread > 0 {
        let limit = if summary.fail_if_contaminated.is_some() { ", not even by the limit" } else { "" };
        talk!(
            "note: {} in more than {} % of a file's documents and not counted as contaminated{limit}: --common-share 1 counts them",
            if widespread == 1 { "1 item is".to_owned() } else { format!("{} items are", numbers::count(widespread)) },
            100.0 * summary.common_share
        );
    }
    for set in summary.sets.iter().filter(|set| set.item_count == 0) {
        talk!("note: {} has no items", one_line(&set.set));
    }
    if summary.corpus.document_count == 0 {
        talk!("note: the corpus has no documents");
    }
}

/// Number of characters of a name or passage that are shown.
const SHOWN: usize = 60;

fn clipped(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= SHOWN { line } else { line.chars().take(SHOWN - 1).chain(['…']).collect() }
}

/// A line for each test set.
fn table(out: &mut dyn Write, summary: &DecontaminateSummary) -> std::io::Result<()> {
    let header = ["test set", "items", "contaminated", "share", "answered", "documents", "widespread", "not searched"]
        .map(str::to_owned);
    let row = |set: &ContaminatedSet| {
        [
            clipped(&set.set),
            numbers::count(set.item_count),
            numbers::count(set.contaminated_count),
            format!("{:.1} %", 100.0 * set.share),
            numbers::count(set.answered_count),
            numbers::count(set.document_count),
            numbers::count(set.widespread_count),
            numbers::count(set.short_count + set.only_common_count),
        ]
    };
    let rows: Vec<[String; 8]> = std::iter::once(header).chain(summary.sets.iter().map(row)).collect();
    let widths: Vec<usize> =
        (0..8).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    for row in rows {
        write!(out, "{:<1$}", row[0], widths[0])?;
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            write!(out, "  {cell:>width$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
