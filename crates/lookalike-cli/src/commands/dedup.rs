//! `lookalike dedup`: destinations of documents, and the messages about them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use lookalike::{DedupOptions, DedupRequest, Group};

use crate::commands::finished::seen_from;
use crate::commands::{Done, done, with_threads};
use crate::flags::command_line::command_line;
use crate::flags::matching::MatchArguments;
use crate::flags::output::{ReportTextsArgument, RowsGo, SummaryArguments};
use crate::flags::read::ReadArguments;
use crate::flags::resources::{ResourceArguments, WorkArguments};
use crate::flags::run::RunOptions;
use crate::flags::scheme::{BoilerplateArgument, SchemeArguments};
use crate::flags::words::described;
use crate::show::streams::{self, talk};
use crate::show::{losses, notes, numbers, one_line, summary};

#[derive(Debug, Args)]
pub(crate) struct DedupArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    against: AgainstArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    matching: MatchArguments,
    #[command(flatten)]
    boilerplate: BoilerplateArgument,
    #[command(flatten)]
    resources: ResourceArguments,
    #[command(flatten)]
    work: WorkArguments,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArguments {
    /// Folder to write to, new or empty; - writes the kept documents of one file to standard output. Not needed to filter
    /// standard input (-) to standard output
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Document to keep of several near-duplicates: longest (in tokens), first, last, max:FIELD, min:FIELD, or source:A>B>* (from
    /// the source listed first); several separated by commas, such as 'source:cnn.com>*,max:score,longest', decide one
    /// after the other [default: longest]
    #[arg(long, value_name = "ORDER")]
    keep: Option<String>,
    /// Write only the evidence and the summary, no documents (to the output folder, if one is given)
    #[arg(long, hide_short_help = true)]
    dry_run: bool,
    /// Replace what an earlier run wrote
    #[arg(long)]
    force: bool,
    /// Write all documents, with notes in the fields cluster, kept, `kept_id` and similarity; existing fields of these names
    /// are replaced
    #[arg(long, hide_short_help = true)]
    annotate: bool,
    /// Write the removals and their reasons to this file, in a run without an output folder
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    removed: Option<PathBuf>,
    /// Grouping of near-duplicates into removals [default: independent]
    #[arg(long, value_name = "HOW", value_parser = described::<Group>(&GROUPS), hide_short_help = true)]
    group: Option<Group>,
    /// The source of a document: host, file, or the value of a field (field:host for a field named host)
    /// [default: the host of a page, else the file, or the folder of a file that is one document]
    #[arg(long, value_name = "FIELD|host|file", hide_short_help = true)]
    source: Option<String>,
    /// Write nothing and exit with code 2 if the input, or a source of two documents or more, loses this share of its documents:
    /// above 0, at most 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, hide_short_help = true)]
    fail_if_source_loses: Option<f64>,
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

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct AgainstArguments {
    /// Also remove documents similar to any in REFERENCE, such as a test set, which itself is not changed (put INPUT before it)
    #[arg(long, value_name = "REFERENCE", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Also remove documents similar to any in this index (see lookalike index), by its threshold, shingle and method
    #[arg(long, value_name = "INDEX", hide_short_help = true)]
    against_index: Option<PathBuf>,
    /// Remove only documents similar to any in REFERENCE or INDEX, and keep duplicates within the input
    #[arg(long, hide_short_help = true)]
    only_against: bool,
    /// Add the kept documents to INDEX in one commit, after the output is complete
    #[arg(long, hide_short_help = true)]
    add_kept: bool,
}

/// In the order of the variants in the library.
const GROUPS: [&str; 2] = [
    "Every removed document has a kept near-duplicate",
    "One document of each connected component is kept, however different the others are",
];

/// Checked options of a `dedup` command.
pub(crate) struct Dedup {
    pub(crate) options: DedupOptions,
    pub(crate) run: RunOptions,
    pub(crate) documents: Destination,
    summary: SummaryArguments,
}

/// Destination of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Folder,
    Stdout,
    Nowhere,
}

impl DedupArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let dedup = self.options()?;
        let Dedup { options, run, .. } = &dedup;
        let mut stdout = streams::stdout();
        let result = with_threads(run, |progress| match dedup.documents {
            Destination::Stdout => lookalike::filter(options, &mut *stdout, progress),
            Destination::Folder | Destination::Nowhere => lookalike::dedup(options, progress),
        })?;
        if let Err(error @ lookalike::Error::RunIsDone { skipped, .. }) = &result {
            streams::say_error(format_args!("lookalike: {}", one_line(&error.to_string())));
            return Ok(done(*skipped));
        }
        let summary = result?;
        let skipped = summary.input.skipped_count + summary.input.reference_skipped_count;
        notes::skipped(&summary.skipped, skipped);
        notes::doubts(&summary.input, options.read(), options.keep().field());
        notes::replaced_fields(summary.wrote.replaced_field_count);
        notes::boilerplate(summary.boilerplate_decides.as_ref());
        let threshold = Some(summary.parameters.threshold).filter(|_| summary.parameters.measure == "jaccard");
        notes::high_threshold(summary.boilerplate.as_ref(), threshold);
        losses::note_nearly_lost(&summary.nearly_lost, &dedup);
        if let Some(field) = &summary.input.id_field {
            notes::id_field(field);
        }
        let (added, replaced) = (summary.wrote.added_to_index_count, summary.wrote.replaced_in_index_count);
        if added > 0 && !run.is_quiet() {
            talk!("{} added to the index", numbers::of(added, "document"));
        }
        if replaced > 0 {
            talk!("{} replaced: kept documents have the same ids and other texts", numbers::of(replaced, "document"));
        }
        let rows = if dedup.documents == Destination::Stdout { RowsGo::ToStdout } else { RowsGo::ToFile };
        dedup.summary.print(&summary, rows, || {
            let mut text = Vec::new();
            summary::write(&mut text, &summary, &dedup)?;
            talk!("{}", String::from_utf8_lossy(&text).trim_end());
            Ok(())
        })?;
        Ok(done(skipped))
    }

    /// Chooses the destination of the documents from the flags.
    fn documents(&self) -> Result<Destination> {
        Ok(match &self.output.output {
            Some(output) if output.as_os_str() == "-" => Destination::Stdout,
            Some(_) => Destination::Folder,
            None if self.output.dry_run => Destination::Nowhere,
            None if self.read.is_stdin_alone() => Destination::Stdout,
            None => bail!(
                "no output is given: add -o DIR, or give - alone to filter standard input to standard output (for one file: -o -)"
            ),
        })
    }

    /// Makes input names, which were written relative to `there`, valid from every folder.
    pub(crate) fn seen_from(&mut self, there: &Path) {
        let AgainstArguments { against, against_index, .. } = &mut self.against;
        let names = self.read.names().chain(against).chain(against_index).chain(self.scheme.names());
        names.for_each(|name| seen_from(name, there));
        if let Some(table) = self.boilerplate.name() {
            let mut path = PathBuf::from(&*table);
            seen_from(&mut path, there);
            *table = path.to_string_lossy().into_owned();
        }
    }

    pub(crate) fn request(&self) -> Result<DedupRequest> {
        let Self { read, against, output, scheme, matching, boilerplate, resources, work } = self;
        let mut request = DedupRequest::default();
        request.read = read.request()?;
        request.scheme = scheme.request()?;
        request.matching = matching.request();
        request.resources = resources.request();
        request.work = work.request(output.force);
        request.against.clone_from(&against.against);
        request.against_index.clone_from(&against.against_index);
        request.only_against = against.only_against.then_some(true);
        request.add_kept = against.add_kept.then_some(true);
        request.ignore_boilerplate = boilerplate.request();
        request.keep.clone_from(&output.keep);
        request.group = output.group;
        request.source.clone_from(&output.source);
        request.fail_if_source_loses = output.fail_if_source_loses;
        request.output.clone_from(&output.output);
        request.removed.clone_from(&output.removed);
        request.dry_run = output.dry_run.then_some(true);
        request.annotate = output.annotate.then_some(true);
        request.report.clone_from(&output.report);
        request.no_report = output.no_report.then_some(true);
        request.report_texts = output.texts.report_texts;
        request.command = command_line(std::env::args_os());
        Ok(request)
    }

    pub(crate) fn options(self) -> Result<Dedup> {
        let options = self.request()?.check()?;
        let documents = self.documents()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok(Dedup { options, run, documents, summary: self.output.summary })
    }
}
