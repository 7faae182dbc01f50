//! `lookalike report`: the report on a finished run, made again.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use lookalike::ReportOptions;

use crate::commands::finished::finished;
use crate::commands::{Done, with_threads};
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
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    #[command(flatten)]
    texts: ReportTextsArgument,
    /// Replace FILE if it exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    run: RunArguments,
}

impl ReportArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let run = self.run.options()?;
        let (read, references) = finished(&self.folder)?.map(|finished| (finished.read, finished.references)).unzip();
        let options = ReportOptions {
            folder: self.folder,
            output: self.output,
            force: self.force,
            texts: self.texts.report_texts.unwrap_or_default(),
            read,
            references: references.unwrap_or_default(),
            reference_tables: Vec::new(),
        };
        let reported = with_threads(&run, |progress| lookalike::report(&options, progress))??;
        if reported.without_text > 0 {
            talk!(
                "note: the texts of {} of {} are not shown: the input of the run is not there any more, or has changed",
                numbers::count(reported.without_text),
                numbers::of(reported.documents, "document")
            );
        }
        if !run.is_quiet() {
            talk!("wrote     {} ({})", shown_path(&reported.path), numbers::bytes(reported.bytes));
        }
        Ok(Done::All)
    }
}
