//! One function a command: options, job, result.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use lookalike::io::remote::{Silence, on_silence};
use lookalike::io::work::WorkFolder;
use lookalike::io::write::OutputFile;
use lookalike::{Earlier, Progress, Silent, Stream, TextPair};

use crate::args::{
    Arguments, Command, CompareArguments, Dedup, DedupArguments, Destination, PairsArguments, ReportArgument,
    RunOptions, SummaryArgument,
};
use crate::assets;
use crate::evaluate::EvaluateArguments;
use crate::link::{self, Job, LinkArguments};
use crate::number;
use crate::prints::{self, PrintsArguments};
use crate::sets::{self, SetsArguments};
use crate::show;
use crate::side_by_side::Layout;
use crate::sources;
use crate::streams::{self, Pipe, talk};
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
    let dedup = arguments.options()?;
    let Dedup { options, run, .. } = &dedup;
    let mut stdout = streams::stdout();
    let result = with_threads(*run, |progress| {
        let documents: &mut (dyn Write + Send) = match dedup.documents {
            Destination::Folder => return lookalike::dedup(options, progress),
            Destination::Stdout => &mut *stdout,
            Destination::Nowhere => &mut io::sink(),
        };
        lookalike::filter(options, Stream { documents, removed: dedup.removed.as_deref() }, progress)
    })?;
    if let Err(error @ lookalike::Error::RunIsDone { skipped, .. }) = &result {
        talk!("lookalike: {}", show::one_line(&error.to_string()));
        return Ok(done(*skipped));
    }
    let summary = result?;
    let skipped = summary.input.skipped + summary.input.reference_skipped;
    show::skipped(&summary.skipped, skipped);
    show::doubts(&summary.input, &options.read, options.keep.field());
    show::replaced_fields(summary.wrote.replaced_fields);
    sources::note_nearly_lost(&summary.nearly_lost, &dedup);
    match (dedup.summary, dedup.documents) {
        (SummaryArgument::Text, _) if !run.quiet => {
            let mut text = Vec::new();
            show::summary(&mut text, &summary, &dedup)?;
            talk!("{}", String::from_utf8_lossy(&text).trim_end());
        }
        // Standard output has documents.
        (SummaryArgument::Json, Destination::Stdout) => streams::say_data(&serde_json::to_string(&summary)?),
        (SummaryArgument::Json, _) => {
            let json = serde_json::to_string_pretty(&summary)?;
            streams::show(|out| writeln!(out, "{json}"))?;
        }
        (SummaryArgument::Text | SummaryArgument::None, _) => {}
    }
    Ok(done(skipped))
}

fn pairs(arguments: PairsArguments) -> Result<Done> {
    let (target, force, is_shown) = (streams::file(arguments.output.clone()), arguments.force, arguments.show);
    let (options, run) = arguments.options()?;
    if let (Some(target), Some(work), Earlier::Resume) = (&target, &options.work.folder, options.work.earlier)
        && !force
        && target.exists()
        && WorkFolder::is_without_run(work)
    {
        let [work, target] = [work, target].map(|path| show::shown_path(path));
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
        let mut each = |pair: &TextPair| layout.write(writer, pair, &options.similarity);
        lookalike::pairs_with_texts(&options, &mut each, progress)
    })?;
    let skipped = report.input.skipped + report.input.reference_skipped;
    show::skipped(&report.skipped, skipped);
    show::doubts(&report.input, &options.read, None);
    if is_read && !run.quiet {
        show::pairs(&report);
    }
    Ok(done(skipped))
}

fn compare(arguments: CompareArguments) -> Result<Done> {
    let ids = [arguments.left.clone(), arguments.right.clone()];
    let format = arguments.format;
    let (read, similarity) = arguments.options()?;
    let [left, right] = lookalike::find_in_corpus(&read, [&ids[0], &ids[1]])?;
    let comparison = lookalike::compare(&left, &right, &similarity)?;
    // Without a corpus they are files or addresses, which may have secrets.
    let shown = |id: String| lookalike::io::remote::shown_path(Path::new(&id));
    let ids = if read.inputs.is_empty() { ids.map(shown) } else { ids };
    streams::show_painted(|out| match format {
        ReportArgument::Text => show::comparison(out, &ids, &comparison, &similarity),
        ReportArgument::Json => show::comparison_as_json(out, &ids, &comparison),
    })?;
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
            streams::show(|out| link::show_explanation(out, &ids, &explained))?;
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
    let (target, force) = (streams::file(arguments.output.clone()), arguments.force);
    let (options, run) = arguments.options()?;
    let (report, is_read) = to_output(target.as_deref(), force, run, streams::stdout(), |writer, progress| {
        lookalike::prints(&options, writer, progress)
    })?;
    show::skipped(&report.skipped.named, report.skipped.count);
    if is_read && !run.quiet {
        prints::show(&report);
    }
    Ok(done(report.skipped.count))
}

fn sets(arguments: SetsArguments) -> Result<Done> {
    let (target, force) = (streams::file(arguments.output.clone()), arguments.force);
    let (options, run) = arguments.options()?;
    let (report, is_read) = to_output(target.as_deref(), force, run, streams::stdout(), |writer, progress| {
        lookalike::sets(&options, writer, progress)
    })?;
    show::skipped(&report.skipped_rows, report.skipped);
    if is_read && !run.quiet {
        sets::show(&report, &options);
    }
    Ok(done(report.skipped))
}

fn tune(arguments: TuneArguments) -> Result<Done> {
    let tune = arguments.options()?;
    let tuning = with_threads(tune.run, |progress| lookalike::tune(tune.options(), progress))??;
    let skipped = tuning.sample.as_ref().map_or(0, |sample| sample.skipped);
    if let Some(first) = tuning.sample.as_ref().and_then(|sample| sample.first_skipped.as_ref()) {
        talk!("skipped {}, the first in {}", number::count(skipped), show::one_line(first));
    }
    tune.show(&tuning)?;
    Ok(done(skipped))
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

/// Runs a job that writes rows: to a file, which is complete or absent, or to standard output. Also says whether all of
/// them were read: if they were not, it is not known how many there are.
fn to_output<T: Send>(
    target: Option<&Path>,
    force: bool,
    run: RunOptions,
    mut stdout: Box<dyn Write + Send>,
    job: impl FnOnce(&mut (dyn Write + Send), &dyn Progress) -> lookalike::Result<T> + Send,
) -> Result<(T, bool)> {
    let mut file = target.map(|target| OutputFile::new(target, force)).transpose()?;
    let mut pipe = Pipe::new(file.as_mut().map_or(&mut *stdout, OutputFile::writer));
    let report = with_threads(run, |progress| job(&mut pipe, progress))??;
    let is_read = !pipe.is_closed();
    // Only a pipe is ever closed, and a pipe is not moved into place.
    if let Some(file) = file.filter(|_| is_read) {
        file.commit()?;
    }
    Ok((report, is_read))
}

/// Runs a job on the threads that were asked for, with someone watching or not.
fn with_threads<T: Send>(run: RunOptions, job: impl FnOnce(&dyn Progress) -> T + Send) -> Result<T> {
    let (asked, threads) = run.thread_count();
    if threads < asked && !run.quiet {
        let memory = run.memory.map_or_else(String::new, |memory| number::bytes(memory.bytes()));
        talk!("note: {threads} of {asked} threads are used: --memory of {memory} has no room for more");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.context("cannot start threads: give fewer with --threads")?;
    if !run.quiet {
        on_silence(|Silence { host, left }| {
            talk!("waiting for {host}: nothing received, giving up in {} s", left.as_secs())
        });
    }
    Ok(pool.install(|| if run.quiet { job(&Silent) } else { job(&Watch::default()) }))
}
