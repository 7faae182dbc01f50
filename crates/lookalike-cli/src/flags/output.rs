//! Where results go, and in which format.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lookalike::{ReportTexts, RowFormat};

/// Where rows go.
#[derive(Debug, Args)]
pub(crate) struct RowOutputArguments {
    /// File to write to, instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the pairs
    #[arg(long, value_enum, default_value_t = FormatArgument::Jsonl)]
    format: FormatArgument,
    /// Replace the output file if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

impl RowOutputArguments {
    /// The file; none if rows go to standard output.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.output.clone().filter(|output| output.as_os_str() != "-")
    }

    pub(crate) fn format(&self) -> RowFormat {
        match self.format {
            FormatArgument::Jsonl => RowFormat::Jsonl,
            FormatArgument::Tsv => RowFormat::Tsv,
            FormatArgument::Csv => RowFormat::Csv,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// One JSON object per line
    Jsonl,
    /// Tab-separated, with a header line
    Tsv,
    /// Comma-separated, with a header line
    Csv,
}

/// How a report is shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ReportArgument {
    /// For people
    Text,
    /// For programs
    Json,
}

/// How much of the documents `report.html` shows.
#[derive(Debug, Args)]
pub(crate) struct ReportTextsArgument {
    /// What report.html shows of the documents
    #[arg(long, value_enum, value_name = "HOW", default_value_t = TextsArgument::Excerpt)]
    report_texts: TextsArgument,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TextsArgument {
    /// Ids and places only, for private documents
    None,
    /// What differs between two documents, and a little around it
    Excerpt,
    /// Whole documents, as far as there is room
    Full,
}

impl ReportTextsArgument {
    pub(crate) fn texts(&self) -> ReportTexts {
        match self.report_texts {
            TextsArgument::None => ReportTexts::None,
            TextsArgument::Excerpt => ReportTexts::Excerpt,
            TextsArgument::Full => ReportTexts::Full,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SummaryArgument {
    /// For people
    Text,
    /// For programs: the content of summary.json
    Json,
    /// No summary
    None,
}
