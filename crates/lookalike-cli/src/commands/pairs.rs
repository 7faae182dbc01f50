//! `lookalike pairs`: near-duplicate pairs as rows, or side by side.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use lookalike::io::work::WorkFolder;
use lookalike::{Copies, Earlier, PairsOptions, PairsReport, PairsRequest, TextPair};

use crate::commands::{Done, done, to_output};
use crate::flags::matching::MatchArguments;
use crate::flags::output::{RowOutputArguments, RowsGo};
use crate::flags::read::ReadArguments;
use crate::flags::resources::{ResourceArguments, WorkArguments};
use crate::flags::run::RunOptions;
use crate::flags::scheme::{IgnoreArguments, SchemeArguments};
use crate::flags::words::words;
use crate::show::side_by_side::Layout;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, shown_path};

#[derive(Debug, Args)]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Pair documents of INPUT (left) with documents of REFERENCE (right), and none within either (put INPUT before it)
    #[arg(long, value_name = "REFERENCE", num_args = 1.., help_heading = "Input")]
    against: Vec<PathBuf>,
    #[command(flatten)]
    output: RowOutputArguments,
    #[command(flatten)]
    selection: SelectionArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    matching: MatchArguments,
    #[command(flatten)]
    ignoring: IgnoreArguments,
    #[command(flatten)]
    resources: ResourceArguments,
    #[command(flatten)]
    work: WorkArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct SelectionArguments {
    /// Only pairs with a similarity of LOW or more and below HIGH (a HIGH of 1 is included), instead of --threshold
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = between, hide_short_help = true)]
    between: Option<[f64; 2]>,
    /// Only N random pairs, the same ones in every run
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    sample: Option<i64>,
    /// Show pairs side by side with differences in [-…-] and [+…+], instead of writing rows; 20 pairs, unless --sample says
    /// otherwise
    #[arg(long, conflicts_with = "format", hide_short_help = true)]
    show: bool,
    /// Pairs of documents with the same words to write: all, or only those with the first of them (star: n - 1 pairs
    /// for n documents). With --against, star pairs the first of each side [default: all]
    #[arg(long, value_name = "WHICH", value_parser = words::<Copies>(), hide_short_help = true)]
    copies: Option<Copies>,
}

/// Number of pairs that are shown by default.
const SHOWN: i64 = 20;

impl PairsArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (target, force, is_shown) = (self.output.file(), self.output.force, self.selection.show);
        let how = self.output.summary;
        let (options, run) = self.options()?;
        if let (Some(target), Some(work), Earlier::Resume) = (&target, &options.work().folder, options.work().earlier)
            && !force
            && target.exists()
            && WorkFolder::is_without_run(work)
        {
            let [work, target] = [work, target].map(|path| shown_path(path));
            // Nobody can tell whether it was this one.
            bail!(
                "no run to resume in {work}, and {target} is complete: a finished run wrote it; give --force to start over"
            );
        }
        let stdout = if is_shown { Box::new(streams::painted_stdout()) } else { streams::stdout() };
        let (report, is_read) = to_output(target.as_deref(), force, &run, stdout, |writer, progress| {
            if !is_shown {
                return lookalike::pairs(&options, writer, progress);
            }
            let layout = Layout::of_terminal(target.is_none());
            let mut each = |pair: &TextPair| layout.write(writer, pair, options.scheme());
            lookalike::pairs_with_texts(&options, &mut each, progress)
        })?;
        let skipped = report.input.skipped_count + report.input.reference_skipped_count;
        notes::skipped(&report.skipped, skipped);
        notes::doubts(&report.input, options.read(), None);
        how.print(&report, RowsGo::to(target.as_deref()), || {
            if is_read && !run.is_quiet() {
                show(&report);
            }
            Ok(())
        })?;
        Ok(done(skipped))
    }

    fn options(self) -> Result<(PairsOptions, RunOptions)> {
        let mut request = PairsRequest::default();
        request.read = self.read.request()?;
        request.scheme = self.scheme.request()?;
        request.matching = self.matching.request();
        request.resources = self.resources.request();
        request.work = self.work.request(self.output.force);
        request.ignoring = self.ignoring.request();
        request.against = self.against;
        request.between = self.selection.between;
        request.sample = self.selection.sample.or(self.selection.show.then_some(SHOWN));
        request.copies = self.selection.copies;
        request.output = self.output.file();
        request.format = self.output.format;
        let options = request.check()?;
        let run = RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() };
        Ok((options, run))
    }
}

/// A range of similarities as it is typed.
fn between(written: &str) -> Result<[f64; 2]> {
    let ends = written.split_once(',').map(|(low, high)| (low.trim().parse(), high.trim().parse()));
    let Some((Ok(low), Ok(high))) = ends else {
        bail!("give two similarities separated by a comma, such as 0.75,0.85");
    };
    Ok([low, high])
}

/// Shows the number of pairs, and how many were passed over.
fn show(report: &PairsReport) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let pairs = numbers::of(report.found_count, "pair");
    let pairs = if report.pair_count < report.found_count {
        format!("{} of {pairs}, chosen at random (--sample N for more),", numbers::count(report.pair_count))
    } else {
        pairs
    };
    let documents = numbers::of(report.input.document_count, "document");
    let among = match report.input.reference_file_count {
        0 => format!("among {documents}"),
        _ => format!("of {documents} with {} of the reference", numbers::count(report.input.reference_document_count)),
    };
    let how = if report.exact_because_small { ", compared exactly because the input is small" } else { "" };
    talk!("{pairs} {among} ({}){how}, in {}", numbers::bytes(report.input.bytes), numbers::seconds(seconds));
    if let Some(purpose) = &report.purpose {
        talk!("{}", notes::purpose(purpose));
    }
    if let Some(count) = report.code_file_count {
        talk!("note: {}", notes::source_code(count));
    }
    if report.passed_over.pair_count > 0 {
        talk!("note: {}", notes::passed_over(&report.passed_over));
    }
}
