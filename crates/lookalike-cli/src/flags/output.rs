//! Destinations and formats of results.

use std::fmt::Arguments;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use lookalike::{ReportTexts, RowFormat};
use serde::Serialize;

use super::words::{described, words};
use crate::show::streams;

/// Destination and format of rows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct RowOutputArguments {
    /// File to write to, instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the rows: JSON objects, or tab- or comma-separated with a header line [default: jsonl]
    #[arg(long, value_name = "FORMAT", value_parser = words::<RowFormat>())]
    pub(crate) format: Option<RowFormat>,
    /// Replace the output file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) summary: SummaryArguments,
}

impl RowOutputArguments {
    /// Returns the file; `None` if rows go to standard output.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.output.clone().filter(|output| output.as_os_str() != "-")
    }
}

/// Form of a printed summary.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SummaryArgument {
    /// For people
    Text,
    /// For programs
    Json,
    /// No summary
    None,
}

/// Options for printing a summary, the same for every command.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct SummaryArguments {
    /// Format of the summary or result. JSON goes to standard output, or, if rows or documents go there, to standard
    /// error as its last line
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SummaryArgument::Text, hide_short_help = true)]
    summary: SummaryArgument,
}

/// Destination of a command's rows. A command without rows counts as one whose rows do not go to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowsGo {
    /// To standard output.
    ToStdout,
    /// To a file or folder.
    ToFile,
}

impl RowsGo {
    /// To the file, if there is one.
    pub(crate) fn to(file: Option<&Path>) -> Self {
        if file.is_some() { Self::ToFile } else { Self::ToStdout }
    }
}

impl SummaryArguments {
    /// The format, if it is not the default.
    pub(crate) fn given(self) -> Option<String> {
        match self.summary {
            SummaryArgument::Text => None,
            format => format.to_possible_value().map(|value| value.get_name().to_owned()),
        }
    }

    /// Prints a summary: as JSON, or for people with `text`.
    pub(crate) fn print(self, summary: &impl Serialize, rows: RowsGo, text: impl FnOnce() -> Result<()>) -> Result<()> {
        match (self.summary, rows) {
            (SummaryArgument::Text, _) => text(),
            (SummaryArgument::Json, RowsGo::ToStdout) => {
                streams::say_data(&serde_json::to_string(summary)?);
                Ok(())
            }
            (SummaryArgument::Json, RowsGo::ToFile) => {
                let json = serde_json::to_string_pretty(summary)?;
                streams::show(|out| writeln!(out, "{json}"))
            }
            (SummaryArgument::None, _) => Ok(()),
        }
    }

    /// The same for a command without rows that prints one line for people.
    pub(crate) fn print_or_say(self, summary: &impl Serialize, line: Arguments<'_>) -> Result<()> {
        self.print(summary, RowsGo::ToFile, || {
            streams::say(line);
            Ok(())
        })
    }
}

/// Amount of text that `report.html` shows of documents.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ReportTextsArgument {
    /// Amount of text that the report shows of documents [default: excerpt]
    #[arg(long, value_name = "HOW", value_parser = described::<ReportTexts>(&TEXTS), hide_short_help = true)]
    pub(crate) report_texts: Option<ReportTexts>,
}

/// In the order of the variants in the library.
const TEXTS: [&str; 3] = [
    "Ids and places only, for private documents",
    "What differs between two documents, and a little around it",
    "Whole documents, as far as there is room",
];
