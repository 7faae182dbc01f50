//! One function a command: options, job, result.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use lookalike::io::write::OutputFile;
use lookalike::{Output, Progress, Silent};

use crate::args::{Arguments, Command, CompareArguments, DedupArguments, PairsArguments, RunOptions};
use crate::assets;
use crate::evaluate::EvaluateArguments;
use crate::link::{self, Job, LinkArguments};
use crate::prints::{self, PrintsArguments};
use crate::sets::{self, SetsArguments};
use crate::show;
use crate::sources;
use crate::tune::TuneArguments;
use crate::watch::Watch;

/// How a command ended.
pub(crate) enum Done {
    All,
    /// Something of the input was skipped, and shown.
    WithSkipped,
}

pub(crate) fn run(arguments: Arguments) -> Result<Done> {
    match arguments.command {
        Command::Dedup(arguments) => dedup(arguments),
        Command::Pairs(arguments) => pairs(arguments),
        Command::Compare(arguments) => compare(arguments),
        Command::Link(arguments) => link(arguments),
        Command::Prints(arguments) => prints(arguments),
        Command::Sets(arguments) => sets(arguments),
        Command::Tune(arguments) => tune(arguments),
        Command::Evaluate(arguments) => evaluate(arguments),
        Command::Assets { folder } => assets::write(&folder).map(|()| Done::All),
    }
}

fn dedup(arguments: DedupArguments) -> Result<Done> {
    let (options, run) = arguments.options()?;
    let summary = with_threads(run, |progress| lookalike::dedup(&options, progress))??;
    let skipped = summary.input.skipped + summary.input.reference_skipped;
    show::skipped(&summary.skipped, skipped);
    show::doubts(&summary.input, &options.read, options.keep.field());
    show::replaced_fields(summary.wrote.replaced_fields);
    sources::note_nearly_lost(&summary.nearly_lost, options.folder.is_some());
    if !run.quiet {
        // The result is there; that nobody reads about it does not undo it.
        let _ = show::summary(&summary, options.folder.as_deref(), options.output);
    }
    debug_assert!(options.folder.is_some() || options.output == Output::DryRun, "clap asks for one of them");
    Ok(done(skipped))
}

fn pairs(arguments: PairsArguments) -> Result<Done> {
    let (target, force) = (arguments.output.clone(), arguments.force);
    let (options, run) = arguments.options()?;
    let report =
        to_output(target.as_deref(), force, run, |writer, progress| lookalike::pairs(&options, writer, progress))?;
    show::skipped(&report.skipped, report.input.skipped);
    show::doubts(&report.input, &options.read, None);
    if !run.quiet {
        show::pairs(&report);
    }
    Ok(done(report.input.skipped))
}

fn compare(arguments: CompareArguments) -> Result<Done> {
    let ids = [arguments.left.clone(), arguments.right.clone()];
    let (read, similarity) = arguments.options()?;
    let [left, right] = lookalike::find_in_corpus(&read, [&ids[0], &ids[1]])?;
    show::comparison(&ids, &lookalike::compare(&left, &right, &similarity)?, &similarity)?;
    Ok(Done::All)
}

fn link(arguments: LinkArguments) -> Result<Done> {
    let (job, run) = arguments.job()?;
    let (report, folder) = match job {
        Job::WriteConfig(options, path) => {
            link::write_config(&lookalike::guess_config(&options)?, &path)?;
            return Ok(Done::All);
        }
        Job::Explain(options, ids) => {
            let explained = with_threads(run, |progress| lookalike::explain(&options, [&ids[0], &ids[1]], progress))??;
            link::show_explanation(&ids, &explained)?;
            return Ok(Done::All);
        }
        Job::Link(options) => {
            let report = with_threads(run, |progress| lookalike::link(&options, progress))??;
            (report, options.folder.context("clap asks for a folder")?)
        }
        Job::Add(options) => {
            let report = with_threads(run, |progress| lookalike::add_records(&options, progress))??;
            (report, options.folder)
        }
    };
    show::skipped(&report.skipped_rows, report.skipped);
    if !run.quiet {
        // The result is there; that nobody reads about it does not undo it.
        let _ = link::show(&report, &folder);
    }
    Ok(done(report.skipped))
}

fn prints(arguments: PrintsArguments) -> Result<Done> {
    let (target, force) = (arguments.output.clone(), arguments.force);
    let (options, run) = arguments.options()?;
    let report =
        to_output(target.as_deref(), force, run, |writer, progress| lookalike::prints(&options, writer, progress))?;
    show::skipped(&report.skipped.named, report.skipped.count);
    if !run.quiet {
        prints::show(&report);
    }
    Ok(done(report.skipped.count))
}

fn sets(arguments: SetsArguments) -> Result<Done> {
    let (target, force) = (arguments.output.clone(), arguments.force);
    let (options, run) = arguments.options()?;
    let report =
        to_output(target.as_deref(), force, run, |writer, progress| lookalike::sets(&options, writer, progress))?;
    show::skipped(&report.skipped_rows, report.skipped);
    if !run.quiet {
        sets::show(&report, &options);
    }
    Ok(done(report.skipped))
}

fn tune(arguments: TuneArguments) -> Result<Done> {
    let tune = arguments.options()?;
    let tuning = with_threads(tune.run, |progress| lookalike::tune(tune.options(), progress))??;
    tune.show(&tuning)?;
    Ok(Done::All)
}

fn evaluate(arguments: EvaluateArguments) -> Result<Done> {
    let evaluate = arguments.options()?;
    let evaluation = with_threads(evaluate.run, |progress| lookalike::evaluate(&evaluate.options, progress))??;
    show::skipped(&evaluation.skipped, evaluation.input.skipped);
    evaluate.show(&evaluation)?;
    Ok(done(evaluation.input.skipped))
}

fn done(skipped: u64) -> Done {
    if skipped == 0 { Done::All } else { Done::WithSkipped }
}

/// Runs a job that writes rows: to a file, which is complete or absent, or to standard output.
fn to_output<T: Send>(
    target: Option<&Path>,
    force: bool,
    run: RunOptions,
    job: impl FnOnce(&mut (dyn Write + Send), &dyn Progress) -> lookalike::Result<T> + Send,
) -> Result<T> {
    if let Some(target) = target {
        let mut file = OutputFile::new(target, force)?;
        let report = with_threads(run, |progress| job(file.writer(), progress))??;
        file.commit()?;
        Ok(report)
    } else {
        let mut stdout = BufWriter::with_capacity(1 << 20, io::stdout());
        let report = with_threads(run, |progress| job(&mut stdout, progress))??;
        stdout.flush().context("cannot write to standard output")?;
        Ok(report)
    }
}

/// Runs a job on the threads that were asked for, with someone watching or not.
fn with_threads<T: Send>(run: RunOptions, job: impl FnOnce(&dyn Progress) -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(run.threads.unwrap_or(0)).build();
    let pool = pool.context("cannot start threads: give fewer with --threads")?;
    Ok(pool.install(|| if run.quiet { job(&Silent) } else { job(&Watch::default()) }))
}
