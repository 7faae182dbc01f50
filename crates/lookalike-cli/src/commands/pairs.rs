//! `lookalike pairs`: near-duplicate pairs as rows, or side by side.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lookalike::io::work::WorkFolder;
use lookalike::{Between, Copies, Earlier, PairsOptions, PairsReport, Selection, TextPair};

use crate::commands::{Done, done, to_output};
use crate::flags::output::RowOutputArguments;
use crate::flags::read::ReadArguments;
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::flags::similarity::SimilarityArguments;
use crate::show::side_by_side::Layout;
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, shown_path};

#[derive(Debug, Args)]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    output: RowOutputArguments,
    /// Which pairs of documents with the same words to write: all, or only those with the first of them (star: n - 1 pairs
    /// for n documents). With --against, star pairs the first of each side
    #[arg(long, value_enum, default_value_t = CopiesArgument::All)]
    copies: CopiesArgument,
    /// Pair documents of INPUT (left) with documents of REFERENCE (right), and none within either (put INPUT before it)
    #[arg(long, value_name = "REFERENCE", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Only pairs with a similarity of LOW or more and below HIGH (a HIGH of 1 is included), instead of --threshold
    #[arg(long, value_name = "LOW,HIGH", conflicts_with = "threshold", allow_hyphen_values = true, value_parser = between)]
    between: Option<Between>,
    /// Only N random pairs, the same ones in every run
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Show pairs side by side with differences in [-…-] and [+…+], instead of writing rows; 20 pairs, unless --sample says
    /// otherwise
    #[arg(long, conflicts_with = "format")]
    show: bool,
    #[command(flatten)]
    similarity: SimilarityArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CopiesArgument {
    All,
    Star,
}

/// How many pairs are shown unless another number is asked for.
const SHOWN: NonZeroUsize = NonZeroUsize::new(20).expect("it is not zero");

impl PairsArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (target, force, is_shown) = (self.output.file(), self.output.force, self.show);
        let (options, run) = self.options()?;
        if let (Some(target), Some(work), Earlier::Resume) = (&target, &options.work.folder, options.work.earlier)
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
        let (report, is_read) = to_output(target.as_deref(), force, run, stdout, |writer, progress| {
            if !is_shown {
                return lookalike::pairs(&options, writer, progress);
            }
            let layout = Layout::of_terminal(target.is_none());
            let mut each = |pair: &TextPair| layout.write(writer, pair, &options.scheme);
            lookalike::pairs_with_texts(&options, &mut each, progress)
        })?;
        let skipped = report.input.skipped + report.input.reference_skipped;
        notes::skipped(&report.skipped, skipped);
        notes::doubts(&report.input, &options.read, None);
        if is_read && !run.quiet {
            show(&report);
        }
        Ok(done(skipped))
    }

    fn options(self) -> Result<(PairsOptions, RunOptions)> {
        let run = self.read.run.options()?;
        let (memory, work) = self.resources.options(self.output.force)?;
        let run = run.within(memory);
        let similarity = match self.between {
            Some(between) => self.similarity.with_threshold(between.low().value()),
            None => self.similarity,
        };
        let mut read = self.read.options(None, memory)?;
        read.settings.limit = read.settings.limit.with_window_log(memory.window_log(run.thread_count().1));
        let options = PairsOptions {
            read,
            scheme: similarity.options()?,
            output: self.output.file(),
            format: self.output.format(),
            copies: match self.copies {
                CopiesArgument::All => Copies::All,
                CopiesArgument::Star => Copies::Star,
            },
            selection: Selection {
                references: self.against,
                between: self.between,
                sample: self.sample.or(self.show.then_some(SHOWN)),
            },
            memory,
            work,
        };
        Ok((options, run))
    }
}

/// A range of similarities as it is typed.
fn between(written: &str) -> Result<Between> {
    let ends = written.split_once(',').map(|(low, high)| (low.trim().parse(), high.trim().parse()));
    let Some((Ok(low), Ok(high))) = ends else {
        bail!("give two similarities separated by a comma, such as 0.75,0.85");
    };
    Ok(Between::new(low, high)?)
}

/// How many pairs there are, and how many were passed over.
fn show(report: &PairsReport) {
    let seconds: f64 = report.stages.iter().map(|stage| stage.seconds).sum();
    let pairs = numbers::of(report.found, "pair");
    let pairs = if report.pairs < report.found {
        format!("{} of {pairs}, chosen at random (--sample N for more),", numbers::count(report.pairs))
    } else {
        pairs
    };
    let documents = numbers::of(report.input.documents, "document");
    let among = match report.input.reference_files {
        0 => format!("among {documents}"),
        _ => format!("of {documents} with {} of the reference", numbers::count(report.input.reference_documents)),
    };
    talk!("{pairs} {among} ({}), in {}", numbers::bytes(report.input.bytes), numbers::seconds(seconds));
    if report.passed_over.pairs > 0 {
        talk!("note: {}", notes::passed_over(&report.passed_over));
    }
}
