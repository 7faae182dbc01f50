//! `lookalike boilerplate`: finds the text that sources have on most of their pages, and writes it as a table for other
//! commands to ignore.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::{BoilerplateReport, BoilerplateRequest, LearnedSource};

use crate::commands::{Done, done, to_output};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::read::ReadArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::scheme::ShingleArguments;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line};

#[derive(Debug, Args)]
pub(crate) struct BoilerplateArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// The source of a document: host, file, or the value of a field (field:host for a field named host)
    /// [default: the host of a page, else the file, or the folder of a file that is one document]
    #[arg(long, value_name = "FIELD|host|file", help_heading = "Input")]
    source: Option<String>,
    /// File to write the table to, for --ignore-boilerplate=FILE; without it, the sources are only shown
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    summary: SummaryArguments,
    /// Share of a source's pages above which repeated text is boilerplate: above 0, below 1 [default: 0.3]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Similarity")]
    share: Option<f64>,
    #[command(flatten)]
    shingle: ShingleArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

/// Maximum number of sources to show.
const SHOWN: usize = 20;

/// Maximum number of characters of an example to show.
const EXAMPLE: usize = 100;

impl BoilerplateArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let mut request = BoilerplateRequest::default();
        request.read = self.read.request()?;
        request.scheme = self.shingle.request()?;
        request.resources = self.resources.request();
        request.source = self.source;
        request.share = self.share;
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        // The table goes only to its file; the text for people is the same without one.
        let nowhere = Box::new(std::io::sink());
        let (report, _) = to_output(self.output.as_deref(), self.force, &run, nowhere, |writer, progress| {
            let (table, report) = lookalike::boilerplate(&options, progress)?;
            lookalike::write_boilerplate(&table, writer).map_err(lookalike::Error::unwritable)?;
            Ok(report)
        })?;
        notes::skipped(&report.skipped, report.input.skipped_count);
        notes::doubts(&report.input, options.read(), None);
        self.summary.print(&report, RowsGo::ToFile, || {
            streams::show(|out| show(out, &report))?;
            if let Some(output) = &self.output {
                talk!("wrote     {}", crate::show::shown_path(output));
            }
            Ok(())
        })?;
        Ok(done(report.input.skipped_count))
    }
}

fn show(out: &mut dyn Write, report: &BoilerplateReport) -> std::io::Result<()> {
    writeln!(
        out,
        "{} in {}; {} with boilerplate, {} with too few pages to tell",
        numbers::of(report.input.document_count, "document"),
        numbers::of(report.source_count, "source"),
        numbers::count(report.sources.len() as u64),
        numbers::count(report.small_source_count)
    )?;
    for learned in report.sources.iter().take(SHOWN) {
        let LearnedSource { source, page_count, share, undecided_count, examples, .. } = learned;
        let undecided = match undecided_count {
            0 => String::new(),
            count => format!(", nearly all of {} sampled", numbers::of(*count, "page")),
        };
        writeln!(
            out,
            "\n{}: {:.0} % of {}{undecided}",
            one_line(source),
            100.0 * share,
            numbers::of(*page_count, "page")
        )?;
        for example in examples {
            let shown: String =
                example.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(EXAMPLE).collect();
            writeln!(out, "    {}", one_line(&shown))?;
        }
    }
    if report.sources.len() > SHOWN {
        writeln!(out, "\nand {} more", numbers::of((report.sources.len() - SHOWN) as u64, "source"))?;
    }
    Ok(())
}
