//! `lookalike report`: writes the report of a finished run again.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::ReportRequest;

use crate::commands::finished::finished;
use crate::commands::{Done, with_threads};
use crate::flags::output::{ReportTextsArgument, SummaryArguments};
use crate::flags::run::RunArguments;
use crate::show::streams::talk;
use crate::show::{numbers, shown_path};

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The output folder of a finished run of dedup
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write [default: report.html in DIR, which is replaced]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    #[command(flatten)]
    texts: ReportTextsArgument,
    /// Replace FILE if it exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    run: RunArguments,
}

impl ReportArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let run = self.run.options()?;
        let mut request = ReportRequest::new(&self.folder);
        request.output = self.output;
        request.force = self.force.then_some(true);
        request.report_texts = self.texts.report_texts;
        // Check before reading the run: a mistake in a flag does not depend on it.
        request.clone().check()?;
        if let Some(finished) = finished(&self.folder)? {
            request.read = Some(finished.read);
            request.references = finished.references;
        }
        let options = request.check()?;
        let reported = with_threads(&run, |progress| lookalike::report(&options, progress))??;
        if reported.without_text_count > 0 {
            talk!(
                "note: the texts of {} of {} are not shown: the input of the run is not there any more, or has changed",
                numbers::count(reported.without_text_count),
                numbers::of(reported.document_count, "document")
            );
        }
        let wrote = (shown_path(&reported.path), numbers::bytes(reported.bytes));
        self.summary.print_or_say(&reported, format_args!("wrote     {} ({})", wrote.0, wrote.1))?;
        Ok(Done::All)
    }
}
