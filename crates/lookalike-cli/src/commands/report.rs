//! `lookalike report`: the report on a finished run, made again.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Parser};
use lookalike::{DedupOptions, ReadOptions, ReportOptions};

use crate::commands::{Arguments, Command, Done, with_threads};
use crate::flags::output::ReportTextsArgument;
use crate::flags::run::RunArguments;
use crate::show::streams::talk;
use crate::show::{numbers, shown_path};

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The output folder of a finished run of dedup
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write [default: report.html in DIR, which is replaced]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    texts: ReportTextsArgument,
    /// Replace FILE if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

impl ReportArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let run = self.run.options()?;
        let (read, references) = input_of(lookalike::command_of(&self.folder)?).unzip();
        let options = ReportOptions {
            folder: self.folder,
            output: self.output,
            force: self.force,
            texts: self.texts.texts(),
            read,
            references: references.unwrap_or_default(),
        };
        let reported = with_threads(run, |progress| lookalike::report(&options, progress))??;
        if reported.without_text > 0 {
            talk!(
                "note: the texts of {} of {} are not shown: the input of the run is not there any more, or has changed",
                numbers::count(reported.without_text),
                numbers::of(reported.documents, "document")
            );
        }
        if !run.quiet {
            talk!("wrote     {} ({})", shown_path(&reported.path), numbers::bytes(reported.bytes));
        }
        Ok(Done::All)
    }
}

/// What the run in a folder read, if that is known.
pub(crate) fn input_of_run(folder: &Path) -> Option<(ReadOptions, Vec<PathBuf>)> {
    input_of(lookalike::command_of(folder).ok()?)
}

/// What a run read, by its command line: none where that was not files, or the line is not one of this version.
fn input_of(mut words: Vec<String>) -> Option<(ReadOptions, Vec<PathBuf>)> {
    // Its key is not known, and no matter.
    words.retain(|word| !word.starts_with("--key="));
    if let Some(key) = words.iter().position(|word| word == "--key") {
        words.drain(key..(key + 2).min(words.len()));
    }
    // Standard input was read once and for all.
    if words.iter().any(|word| word == "-") {
        return None;
    }
    let Command::Dedup(arguments) = Arguments::try_parse_from(words).ok()?.command else { return None };
    let DedupOptions { read, against, .. } = arguments.options().ok()?.options;
    Some((read, against.map(|against| against.references).unwrap_or_default()))
}
