//! Commands that maintain an index: delete, compact, stat, verify, export, merge, snapshot, upgrade.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use lookalike::index::{Document, Lost};
use lookalike::{Cell, Row, RowFormat, RowWriter, Sink, until_closed};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{open, show};
use crate::commands::{Done, to_output};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::run::{QuietArgument, RunArguments};
use crate::flags::words::words;
use crate::show::streams::{self, talk};
use crate::show::{numbers, one_line, shown_path};

#[derive(Debug, Args)]
pub(crate) struct DeleteArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The ids of documents
    #[arg(value_name = "ID", required_unless_present = "ids_from")]
    ids: Vec<String>,
    /// File with more ids, one per line; - for standard input
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    ids_from: Option<PathBuf>,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

/// The summary of `index delete`, for programs.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct Deleted {
    /// Documents that were deleted.
    deleted_count: u64,
    /// Ids that no document has.
    unknown_count: u64,
}

impl DeleteArguments {
    pub(crate) fn run(mut self) -> Result<Done> {
        self.quiet.apply();
        if let Some(file) = &self.ids_from {
            let list = if file.as_os_str() == "-" {
                std::io::read_to_string(std::io::stdin())
            } else {
                std::fs::read_to_string(file)
            };
            let list = list.with_context(|| format!("cannot read the ids of {}", shown_path(file)))?;
            self.ids.extend(list.lines().filter(|id| !id.is_empty()).map(str::to_owned));
        }
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let writer = open(&self.index)?.writer()?;
        let deleted = writer.delete(&ids)?;
        writer.close()?;
        let unknown = ids.len() as u64 - deleted;
        let missing =
            if unknown == 0 { String::new() } else { format!("; {} of these ids had none", numbers::count(unknown)) };
        let summary = Deleted { deleted_count: deleted, unknown_count: unknown };
        let documents = numbers::of(deleted, "document");
        self.summary.print_or_say(&summary, format_args!("deleted {documents}{missing}"))?;
        Ok(Done::All)
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompactArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Remove every byte of deleted and replaced documents
    #[arg(long, help_heading = "Output")]
    purge: bool,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

/// The summary of `index compact`, for programs.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct Compacted {
    /// Size of the index before.
    before_bytes: u64,
    /// Size of the index now.
    after_bytes: u64,
}

impl CompactArguments {
    pub(crate) fn run(self) -> Result<Done> {
        self.quiet.apply();
        let index = open(&self.index)?;
        let writer = index.writer()?;
        let bytes = |stat: lookalike::index::Stat| stat.segment_bytes + stat.log_bytes;
        let before = bytes(writer.snapshot()?.stat());
        writer.compact(self.purge)?;
        let after = bytes(writer.snapshot()?.stat());
        writer.close()?;
        let summary = Compacted { before_bytes: before, after_bytes: after };
        let [before, after] = [before, after].map(numbers::bytes);
        self.summary.print_or_say(&summary, format_args!("{before} before, {after} now"))?;
        Ok(Done::All)
    }
}

#[derive(Debug, Args)]
pub(crate) struct StatArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

impl StatArguments {
    pub(crate) fn run(self) -> Result<Done> {
        self.quiet.apply();
        let stat = open(&self.index)?.snapshot()?.stat();
        self.summary
            .print(&stat, RowsGo::ToFile, || streams::show(|out| write!(out, "{}", show::stat(&self.index, &stat))))?;
        Ok(Done::All)
    }
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Rebuild damaged parts from the log, recover the intact parts of a damaged log, and list what is lost
    #[arg(long, help_heading = "Output")]
    repair: bool,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

impl VerifyArguments {
    pub(crate) fn run(self) -> Result<Done> {
        self.quiet.apply();
        let found = lookalike::index::verify(&self.index, self.repair)?;
        let documents = numbers::of(found.document_count, "document");
        self.summary.print(&found, RowsGo::ToFile, || {
            match (found.problems.len(), found.repaired) {
                (0, _) => talk!("whole: {documents}, {} checked", numbers::bytes(found.checked_bytes)),
                (_, true) => talk!("repaired: {documents}"),
                (_, false) => {}
            }
            Ok(())
        })?;
        for problem in &found.problems {
            streams::say_error(format_args!("{}: {}", one_line(&problem.file), one_line(&problem.message)));
        }
        found.lost.iter().for_each(lost);
        if !found.problems.is_empty() && !found.repaired {
            let what = if self.repair { "could not be repaired" } else { "give --repair to rebuild what is damaged" };
            let problems = numbers::of(found.problems.len() as u64, "problem");
            bail!("{} is damaged ({problems}): {what}", shown_path(&self.index));
        }
        Ok(if found.lost.is_empty() { Done::All } else { Done::WithSkipped })
    }
}

/// Lists the documents that a repair could not save.
fn lost(lost: &Lost) {
    const MOST_NAMED: usize = 10;
    let mut what = match lost.document_count {
        Some(count) => numbers::of(count, "document"),
        None => "an unknown number of documents".to_owned(),
    };
    if lost.deletion_count > 0 {
        what += &format!(" and {}", numbers::of(lost.deletion_count, "deletion"));
    }
    if !lost.ids.is_empty() {
        let more = if lost.ids.len() > MOST_NAMED { ", …" } else { "" };
        let ids: Vec<_> = lost.ids.iter().take(MOST_NAMED).map(|id| one_line(id)).collect();
        what += &format!(" ({}{more})", ids.join(", "));
    }
    let kept_as =
        lost.kept_as.as_ref().map_or_else(String::new, |name| format!("; the damaged file is kept as {name}"));
    streams::say_error(format_args!("lost: {what} in {}, bytes {} to {}{kept_as}", lost.file, lost.from, lost.to));
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// File to write to, instead of standard output (-)
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Replace the output file if it exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Format of the documents: JSON objects, or tab- or comma-separated with a header line [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = words::<RowFormat>(), help_heading = "Output")]
    format: Option<RowFormat>,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    run: RunArguments,
}

/// A document of the export.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct Exported<'a> {
    /// The id of the document.
    id: &'a str,
    /// The fields that are stored with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    fields: Option<&'a RawValue>,
    /// Its text, if the index stores texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl Exported<'_> {
    const COLUMNS: [&'static str; 3] = ["id", "fields", "text"];
}

impl Row for Exported<'_> {
    fn each_cell(&self, each: &mut dyn FnMut(Cell<'_>) -> io::Result<()>) -> io::Result<()> {
        each(Cell::Text(self.id))?;
        each(self.fields.map(RawValue::get).into())?;
        each(self.text.into())
    }
}

/// The summary of `index export`, for programs.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct ExportSummary {
    /// Documents that were written.
    document_count: u64,
}

impl ExportArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let snapshot = open(&self.index)?.snapshot()?;
        let target = self.output.filter(|output| output.as_os_str() != "-");
        let run = self.run.options()?;
        let (count, is_read) = to_output(target.as_deref(), self.force, &run, streams::stdout(), |writer, _| {
            let mut count = 0;
            let mut rows = RowWriter::new(writer, self.format.unwrap_or_default());
            let started = Sink::<Exported<'_>>::start(&mut rows, &Exported::COLUMNS);
            if !until_closed(started.map(|()| true).map_err(lookalike::Error::unwritable))? {
                return Ok(count);
            }
            for document in snapshot.documents() {
                let Document { id, fields, text, .. } = document?;
                let fields = (!fields.is_empty()).then(|| serde_json::from_str(&fields)).transpose();
                let fields: Option<&RawValue> = fields.map_err(|error| lookalike::Error::unwritable(error.into()))?;
                let row = Exported { id: &id, fields, text: text.as_deref() };
                let written = rows.take(vec![row]).map(|()| true);
                if !until_closed(written.map_err(lookalike::Error::unwritable))? {
                    return Ok(count);
                }
                count += 1;
            }
            until_closed(Sink::<Exported<'_>>::finish(&mut rows).map_err(lookalike::Error::unwritable))?;
            Ok(count)
        })?;
        self.summary.print(&ExportSummary { document_count: count }, RowsGo::to(target.as_deref()), || {
            if is_read {
                talk!("{} written", numbers::of(count, "document"));
            }
            Ok(())
        })?;
        Ok(Done::All)
    }
}

#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The index to add to
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// The indexes to read
    #[arg(value_name = "FROM", required = true)]
    from: Vec<PathBuf>,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

/// The summary of `index merge`, for programs.
#[derive(Default, Serialize, JsonSchema)]
pub(in crate::commands) struct MergeSummary {
    /// Documents that are new.
    added_count: u64,
    /// Documents that replaced others with the same id.
    replaced_count: u64,
    /// Documents that were there already.
    unchanged_count: u64,
}

impl MergeArguments {
    pub(crate) fn run(self) -> Result<Done> {
        self.quiet.apply();
        let writer = open(&self.index)?.writer()?;
        let (mut all, mut lines) = (MergeSummary::default(), Vec::new());
        for from in &self.from {
            let merged = writer.merge_from(&open(from)?)?;
            all.added_count += merged.added_count;
            all.replaced_count += merged.replaced_count;
            all.unchanged_count += merged.unchanged_count;
            let [added, replaced, unchanged] =
                [merged.added_count, merged.replaced_count, merged.unchanged_count].map(numbers::count);
            lines.push(format!("{}: {added} added, {replaced} replaced, {unchanged} unchanged", shown_path(from)));
        }
        writer.close()?;
        self.summary.print_or_say(&all, format_args!("{}", lines.join("\n")))?;
        Ok(Done::All)
    }
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Folder to create
    #[arg(value_name = "DIR")]
    destination: PathBuf,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

impl SnapshotArguments {
    pub(crate) fn run(self) -> Result<Done> {
        self.quiet.apply();
        lookalike::index::snapshot_to(&self.index, &self.destination)?;
        let copied = open(&self.destination)?.snapshot()?.stat();
        let [from, to] = [&self.index, &self.destination].map(|path| shown_path(path));
        self.summary.print_or_say(&copied, format_args!("copied {from} to {to}"))?;
        Ok(Done::All)
    }
}

#[derive(Debug, Args)]
pub(crate) struct UpgradeArguments {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    quiet: QuietArgument,
}

/// The summary of `index upgrade`, for programs.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct Upgraded {
    /// True if the index was created by an earlier version.
    upgraded: bool,
}

impl UpgradeArguments {
    pub(crate) fn run(self) -> Result<Done> {
        self.quiet.apply();
        let upgraded = matches!(lookalike::index::upgrade(&self.index)?, lookalike::index::Upgrade::Done);
        let index = shown_path(&self.index);
        let line = if upgraded { format!("upgraded {index}") } else { format!("{index} is up to date") };
        self.summary.print_or_say(&Upgraded { upgraded }, format_args!("{line}"))?;
        Ok(Done::All)
    }
}
