//! `lookalike extract`: the text by which each document is compared, as rows.

use std::time::Instant;

use anyhow::Result;
use clap::Args;
use lookalike::{ExtractOptions, ExtractReport, ExtractRequest};

use crate::commands::{Done, done, to_output};
use crate::flags::output::{RowOutputArguments, RowsGo};
use crate::flags::read::ReadArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::scheme::{IgnoreArguments, ShingleArguments};
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line};

#[derive(Debug, Args)]
pub(crate) struct ExtractArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    output: RowOutputArguments,
    #[command(flatten)]
    shingle: ShingleArguments,
    #[command(flatten)]
    ignoring: IgnoreArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

impl ExtractArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (target, force, how) = (self.output.file(), self.output.force, self.output.summary);
        let (options, run) = self.options()?;
        let start = Instant::now();
        let (report, is_read) = to_output(target.as_deref(), force, &run, streams::stdout(), |writer, progress| {
            lookalike::extract(&options, writer, progress)
        })?;
        notes::skipped(&report.skipped, report.skipped_count);
        notes::left_out(&report.left_out);
        if report.undecided_count > 0 {
            let documents = numbers::of(report.undecided_count, "document");
            talk!("note: {documents} with no text to compare: nearly all of it is boilerplate of their source");
        }
        notes::without_effect(&report.without_effect);
        if let (Some(field), 1..) = (&options.read().settings().fields.id, report.without_id_count) {
            let documents = numbers::of(report.without_id_count, "document");
            talk!("note: {documents} without a field '{}': named by file and position", one_line(field));
        }
        how.print(&report, RowsGo::to(target.as_deref()), || {
            if is_read && !run.is_quiet() {
                show(&report, start.elapsed().as_secs_f64());
            }
            Ok(())
        })?;
        Ok(done(report.skipped_count))
    }

    fn options(self) -> Result<(ExtractOptions, RunOptions)> {
        let mut request = ExtractRequest::default();
        request.read = self.read.request()?;
        request.scheme = self.shingle.request()?;
        request.ignoring = self.ignoring.request();
        request.resources = self.resources.request();
        request.output = self.output.file();
        request.format = self.output.format;
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok((options, run))
    }
}

/// Shows the number of texts, and their share of the input.
fn show(report: &ExtractReport, seconds: f64) {
    let without = match report.without_text_count {
        0 => String::new(),
        count => format!(", {} without a text", numbers::count(count)),
    };
    talk!(
        "{} ({}) read{without}: {} of text, in {}",
        numbers::of(report.document_count, "document"),
        numbers::bytes(report.input_bytes),
        numbers::bytes(report.text_bytes),
        numbers::seconds(seconds)
    );
}
