//! `lookalike dedup`: which documents go where, and what is said of them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lookalike::core::decision::Scope;
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::resolve::keep::Keep;
use lookalike::index::Index;
use lookalike::{Against, AgainstIndex, DedupOptions, Group, Output, Scheme, Share, SourceBy, Stream};

use crate::commands::finished::seen_from;
use crate::commands::{Done, done, with_threads};
use crate::flags::command_line::command_line;
use crate::flags::output::{ReportTextsArgument, SummaryArgument};
use crate::flags::read::ReadArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::similarity::SimilarityArguments;
use crate::show::streams::{self, talk};
use crate::show::{losses, notes, numbers, one_line, shown_path, summary};

#[derive(Debug, Args)]
pub(crate) struct DedupArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Folder to write to, new or empty; - writes the kept documents of one file to standard output. Not needed to filter
    /// standard input (-) to standard output
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    against: AgainstArguments,
    /// Which of two near-duplicates to keep: longest (in tokens), first, last, max:FIELD or min:FIELD
    #[arg(long, value_name = "ORDER", default_value = "longest")]
    keep: String,
    /// How near-duplicates are grouped into removals
    #[arg(long, value_enum, value_name = "HOW", default_value_t = GroupArgument::Independent)]
    group: GroupArgument,
    #[command(flatten)]
    source: SourceArguments,
    /// Write only the evidence and the summary, no documents (to the output folder, if one is given)
    #[arg(long, conflicts_with = "annotate")]
    dry_run: bool,
    /// Write all documents, with notes in the fields cluster, kept, `kept_id` and similarity; existing fields of these names
    /// are replaced
    #[arg(long)]
    annotate: bool,
    /// Write the removals and their reasons to this file, in a run without an output folder
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArguments,
    /// How to print the summary: text to standard error; json to standard output, or to the last line of standard error if
    /// documents go to standard output
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SummaryArgument::Text)]
    summary: SummaryArgument,
    /// Replace what an earlier run wrote
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    similarity: SimilarityArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
struct ReportArguments {
    /// Do not write report.html to the output folder
    #[arg(long)]
    no_report: bool,
    #[command(flatten)]
    texts: ReportTextsArgument,
}

#[derive(Debug, Args)]
struct AgainstArguments {
    /// Also remove documents similar to any in REFERENCE, such as a test set, which itself is not changed (put INPUT before it)
    #[arg(long, value_name = "REFERENCE", num_args = 1.., group = "references")]
    against: Vec<PathBuf>,
    /// Also remove documents similar to any in this index (see lookalike index), by its threshold, shingle and method
    #[arg(long, value_name = "INDEX", group = "references")]
    against_index: Option<PathBuf>,
    /// Remove only documents similar to any in REFERENCE or INDEX, and keep duplicates within the input
    #[arg(long, requires = "references")]
    only_against: bool,
    /// Add the kept documents to INDEX in one commit, after the output is complete
    #[arg(long, requires = "against_index")]
    add_kept: bool,
}

#[derive(Debug, Args)]
struct SourceArguments {
    /// What the source of a document is: host, file, or the value of a field (field:host for a field named host)
    /// [default: the host of a page, else the file, or the folder of a file that is one document]
    #[arg(long, value_name = "FIELD|host|file")]
    source: Option<String>,
    /// Write nothing and exit with code 2 if the input, or a source of two documents or more, loses this share of its documents:
    /// above 0, at most 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    fail_if_source_loses: Option<f64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupArgument {
    /// Every removed document has a kept near-duplicate
    Independent,
    /// One document of each connected component is kept, however different the others are
    Components,
}

/// What `dedup` is to do, in one piece.
pub(crate) struct Dedup {
    pub(crate) options: DedupOptions,
    pub(crate) run: RunOptions,
    pub(crate) documents: Destination,
    pub(crate) removed: Option<PathBuf>,
    pub(crate) summary: SummaryArgument,
}

/// Where documents go.
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
        let result = with_threads(*run, |progress| {
            let documents: &mut (dyn Write + Send) = match dedup.documents {
                Destination::Folder => return lookalike::dedup(options, progress),
                Destination::Stdout => &mut *stdout,
                Destination::Nowhere => &mut io::sink(),
            };
            lookalike::filter(options, Stream { documents, removed: dedup.removed.as_deref() }, progress)
        })?;
        if let Err(error @ lookalike::Error::RunIsDone { skipped, .. }) = &result {
            talk!("lookalike: {}", one_line(&error.to_string()));
            return Ok(done(*skipped));
        }
        let summary = result?;
        let skipped = summary.input.skipped + summary.input.reference_skipped;
        notes::skipped(&summary.skipped, skipped);
        notes::doubts(&summary.input, &options.read, options.keep.field());
        notes::replaced_fields(summary.wrote.replaced_fields);
        losses::note_nearly_lost(&summary.nearly_lost, &dedup);
        if summary.wrote.added_to_index > 0 && !run.quiet {
            talk!("{} added to the index", numbers::of(summary.wrote.added_to_index, "document"));
        }
        match (dedup.summary, dedup.documents) {
            (SummaryArgument::Text, _) if !run.quiet => {
                let mut text = Vec::new();
                summary::write(&mut text, &summary, &dedup)?;
                talk!("{}", String::from_utf8_lossy(&text).trim_end());
            }
            // Standard output has documents.
            (SummaryArgument::Json, Destination::Stdout) => streams::say_data(&serde_json::to_string(&summary)?),
            (SummaryArgument::Json, _) => {
                let json = serde_json::to_string_pretty(&summary)?;
                streams::show(|out| writeln!(out, "{json}"))?;
            }
            (SummaryArgument::Text | SummaryArgument::None, _) => {}
        }
        Ok(done(skipped))
    }

    /// Where documents go, by the flags that say so.
    fn documents(&self) -> Result<Destination> {
        let is_stream = |path: &PathBuf| path.as_os_str() == "-";
        let documents = match &self.output {
            Some(output) if is_stream(output) && self.dry_run => {
                bail!("--dry-run writes no documents: leave out -o -, or give -o DIR for the evidence and the summary")
            }
            Some(output) if is_stream(output) => Destination::Stdout,
            Some(_) => Destination::Folder,
            None if self.dry_run => Destination::Nowhere,
            None if self.read.is_stdin_alone() => Destination::Stdout,
            None => bail!(
                "no output is given: add -o DIR, or give - alone to filter standard input to standard output (for one file: -o -)"
            ),
        };
        if self.removed.is_some() && documents == Destination::Folder {
            bail!(
                "--removed is for runs without an output folder: leave it out, removed.jsonl is written to the folder"
            );
        }
        if self.removed.as_ref().is_some_and(is_stream) {
            bail!("--removed - is not possible: give the name of a file");
        }
        Ok(documents)
    }

    /// Makes names of what is read hold in every folder; they were written in `there`.
    pub(crate) fn seen_from(&mut self, there: &Path) {
        let AgainstArguments { against, against_index, .. } = &mut self.against;
        let names = self.read.names().chain(against).chain(against_index).chain(self.similarity.names());
        names.for_each(|name| seen_from(name, there));
    }

    pub(crate) fn options(self) -> Result<Dedup> {
        let documents = self.documents()?;
        let keep: Keep = self.keep.parse()?;
        let run = self.read.run.options()?;
        let (memory, work) = self.resources.options(self.force)?;
        let run = run.within(memory);
        let mut read = self.read.options(keep.field(), memory)?;
        read.settings.limit = read.settings.limit.with_window_log(memory.window_log(run.thread_count().1));
        let source = self.source.source()?;
        read.settings.fields.source = source.1;
        if self.against.only_against && matches!(self.group, GroupArgument::Components) {
            bail!("--only-against cannot be combined with --group components: leave out one of them");
        }
        if self.against.against_index.is_some() && matches!(self.group, GroupArgument::Components) {
            bail!("--against-index cannot be combined with --group components: leave out one of them");
        }
        let similarity = self.against.scheme(self.similarity.options()?)?;
        if matches!(similarity.criterion, Criterion::Containment(_)) && keep != Keep::Longest {
            bail!("--measure containment removes the shorter of two documents: leave out --keep");
        }
        let options = DedupOptions {
            read,
            scheme: similarity,
            against_index: self.against.index(),
            against: self.against.options(),
            keep,
            group: match self.group {
                GroupArgument::Independent => Group::Independent,
                GroupArgument::Components => Group::Components,
            },
            source: source.0,
            fail_if_source_loses: self.source.fail_if_source_loses.map(Share::new).transpose()?,
            folder: self.output.filter(|_| documents == Destination::Folder),
            output: match (self.dry_run, self.annotate) {
                (true, _) => Output::DryRun,
                (false, true) => Output::Annotated,
                (false, false) => Output::Kept,
            },
            force: self.force,
            report: (!self.report.no_report).then(|| self.report.texts.texts()),
            command: command_line(std::env::args_os()),
            memory,
            work,
        };
        Ok(Dedup { options, run, documents, removed: self.removed, summary: self.summary })
    }
}

impl AgainstArguments {
    fn options(self) -> Option<Against> {
        let scope = self.scope();
        (!self.against.is_empty()).then_some(Against { references: self.against, scope })
    }

    fn index(&self) -> Option<AgainstIndex> {
        let folder = self.against_index.clone()?;
        Some(AgainstIndex { folder, scope: self.scope(), add_kept: self.add_kept })
    }

    fn scope(&self) -> Scope {
        if self.only_against { Scope::References } else { Scope::Everything }
    }

    /// That of the index, if there is one: it is fixed, and whoever asks for another is told so.
    fn scheme(&self, asked: Scheme) -> Result<Scheme> {
        let Some(folder) = &self.against_index else { return Ok(asked) };
        let index = Index::open(folder)?;
        let (has, wants) = (index.scheme().fingerprint(), asked.fingerprint());
        if wants != has && wants != Scheme::default().fingerprint() {
            bail!(
                "the index {} has {}, and {asked} is asked for: leave out what differs, or make an index with it",
                shown_path(folder),
                index.scheme()
            );
        }
        Ok(index.scheme().clone())
    }
}

impl SourceArguments {
    /// What tells a document's source, and the field if it is one.
    fn source(&self) -> Result<(SourceBy, Option<String>)> {
        Ok(match self.source.as_deref() {
            None => (SourceBy::HostOrFile, None),
            Some("host") => (SourceBy::Host, None),
            Some("file") => (SourceBy::File, None),
            Some(typed) => match typed.strip_prefix("field:").unwrap_or(typed) {
                "" => {
                    bail!("--source needs a name: give host, file, or the field that names a document's source")
                }
                field => (SourceBy::Field, Some(field.to_owned())),
            },
        })
    }
}
