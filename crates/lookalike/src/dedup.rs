//! The main job: remove near-duplicates, and name the document that is kept in place of each.

use std::io::Write;
use std::path::Path;

use lookalike_core::decision::Scope;
use lookalike_core::resolve::keep::{Ranking, keep_order};
use lookalike_core::resolve::{Candidates, TakeMatches, components, independent_set};
use lookalike_core::verify::Verifier;
use lookalike_io::write::{NOTES, OutputFile, Staging};

use crate::candidates::Find;
use crate::candidates::against;
use crate::candidates::copies::{join_copies, lengths};
use crate::corpus::keep_field;
use crate::corpus::reread::RereadBoth;
use crate::corpus::{Corpus, Reading};
use crate::error::{Error, Result, until_closed};
use crate::options::{DedupOptions, Group, Output};
use crate::output::evidence::{Decisions, Fates};
use crate::output::kept::{EntriesToWrite, write, write_summary};
use crate::progress::Progress;
use crate::report::losses::BySource;
use crate::report::stages::Stages;
use crate::report::summary::{Summary, Wrote};
use crate::resources::space;
use crate::resources::work::{self, Work};

/// What a run writes, and what a later run may replace.
const ENTRIES: &[&str] = &["kept", "annotated", "removed.jsonl", "summary.json"];

/// Removes near-duplicates.
///
/// Every removed document has a near-duplicate that is kept, and the output names it with their exact similarity. No
/// two kept documents are near-duplicates, up to the recall of the method. With a reference, the document named may
/// belong to it, and no kept document is a near-duplicate of a reference document.
///
/// # Errors
///
/// When an input cannot be read, the output cannot be written, no document has the field of the keep order, or a source
/// or the whole input loses more than is allowed. Nothing is left under the output's name then.
pub fn dedup(options: &DedupOptions, progress: &dyn Progress) -> Result<Summary> {
    run(options, None, progress)
}

/// Where [`filter()`] writes.
pub struct Stream<'a> {
    /// Receives the bytes that the file in the output folder would have, in the format and compression of the input.
    pub documents: &'a mut (dyn Write + Send),
    /// The file for the evidence, if any: what would be `removed.jsonl`.
    pub removed: Option<&'a Path>,
}

/// Removes near-duplicates as [`dedup()`] does, from one file or standard input to a stream; `options.folder` does not
/// matter.
///
/// Nothing is written before every decision stands. A reader that goes away is not an error.
///
/// # Errors
///
/// As [`dedup()`], and when the input has more than one file. The evidence is complete or absent.
pub fn filter(options: &DedupOptions, stream: Stream<'_>, progress: &dyn Progress) -> Result<Summary> {
    run(options, Some(stream), progress)
}

fn run(options: &DedupOptions, stream: Option<Stream<'_>>, progress: &dyn Progress) -> Result<Summary> {
    check_notes(options)?;
    let against = options.against.as_ref();
    let (folder, removed) = match &stream {
        None => (options.folder.as_deref(), None),
        Some(stream) => (None, stream.removed),
    };
    let (mut shelf, input_files) = against::shelf(&options.read, against, folder.or(removed))?;
    if let Some(work) = &options.work.folder {
        shelf.forget_work_folder(work);
    }
    let result_of = options.work.folder.as_ref().map(|_| work::result_of(&shelf, options)).transpose()?;
    result_of.as_deref().map_or(Ok(()), |result_of| work::check_not_done(&options.work, folder, result_of))?;
    if stream.is_some() && options.output != Output::DryRun && input_files != 1 {
        return Err(Error::ManyFilesToStream { files: input_files });
    }
    let unfinished = progress.unfinished();
    let work = Work::start(options.memory, &options.work, &shelf, &options.label(), unfinished.clone())?;
    let stage = |folder: &Path| {
        if work.named().is_some_and(|work| work.was_about_to_commit(folder)) {
            return Staging::again(folder, ENTRIES, shelf.files(), &unfinished);
        }
        Staging::new(folder, options.force, ENTRIES, shelf.files(), &unfinished)
    };
    let staging = folder.map(stage).transpose()?;
    let mut evidence = removed.map(|path| OutputFile::new(path, options.force, &unfinished)).transpose()?;
    if let (Some(staging), Some(folder)) = (&staging, work.named()) {
        folder.note_staging(staging.around())?;
    }
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let mut stages = Stages::start(progress);

    let similarity = &options.similarity;
    let method = &*similarity.method.method(similarity.criterion)?;
    space::check(&shelf, &options.read.settings, method.layout().byte_count(), &work)?;
    let reading = Reading { options: &options.read, similarity, method, work: &work, progress };
    let corpus = stages.run("sketch", Some(bytes), || Corpus::read(shelf, input_files, reading))?;
    keep_field::check(&corpus, &options.keep)?;
    let reread = RereadBoth::new(&corpus, &options.read, similarity, work.key(), progress);
    let texts = stages.run("copies", None, || {
        let ranking = Ranking {
            token_counts: lengths(similarity.criterion, &corpus.token_counts, &corpus.sizes),
            field_values: &corpus.values,
        };
        let order = against::references_first(&corpus, keep_order(&options.keep, ranking));
        join_copies(&reread.deciding, &order, corpus.shares)
    })?;
    let references = against::references(&corpus, &texts, against);
    let find =
        Find { items: reread.items(), texts: &texts, scheme: similarity, method, references, work: &work, progress };
    let mut decisions = Decisions::new(corpus.len());
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeMatches<'_>| {
        take(match (options.group, references.scope) {
            (Group::Components, Scope::Everything) => components(candidates, &texts.items, references, verifier)?,
            _ => independent_set(candidates, &texts.items, references, verifier)?,
        })
    };
    let found = find.run(&mut stages, resolve, |removals| {
        decisions.add(&texts, &corpus.sizes, &removals);
        Ok(())
    })?;
    let fates = Fates::new(&corpus, &texts, decisions, references.scope, similarity);
    let by_source = BySource::new(&corpus, options.source, &fates)?;
    options.fail_if_source_loses.map_or(Ok(()), |share| by_source.check(share))?;
    let mut wrote = Wrote::default();
    if let Some(staging) = &staging {
        wrote = stages.run("write", None, || write(&corpus, &fates, options, staging, progress))?;
    }
    if let Some(evidence) = &mut evidence {
        fates.write_removed(options.source, evidence.writer(), Error::unwritable)?;
    }
    if let Some(stream) = stream.filter(|_| options.output != Output::DryRun) {
        corpus.shelf.check_unchanged()?;
        progress.go_on()?;
        let entries = EntriesToWrite { corpus: &corpus, fates: &fates, output: options.output, progress };
        let write = || entries.write_file(0, options, Path::new("the output"), || Ok(stream.documents));
        wrote = stages.run("write", None, || until_closed(write()))?;
    }

    let mut summary = Summary::new(&corpus, options, method, &fates, &by_source)?;
    summary.run = result_of;
    summary.found.count_pairs(found);
    summary.wrote = wrote;
    summary.set_stages(stages.finish());
    corpus.shelf.check_unchanged()?;
    // From here on it is too late to stop: what has its name is complete.
    progress.go_on()?;
    if let Some(staging) = staging {
        write_summary(&summary, &staging)?;
        if let (Some(work), Some(output)) = (work.named(), folder) {
            work.note_commit(output)?;
        }
        staging.commit_with(&options.work.faults)?;
    }
    evidence.map_or(Ok(()), OutputFile::commit)?;
    work.finish()?;
    Ok(summary)
}

/// Makes sure that no note replaces a field that the run was told to use: the text would be lost, or what documents are
/// known by.
fn check_notes(options: &DedupOptions) -> Result<()> {
    if options.output != Output::Annotated {
        return Ok(());
    }
    let fields = &options.read.settings.fields;
    let used = [Some(&fields.text), fields.id.as_ref(), fields.source.as_ref(), fields.value.as_ref()];
    let is_note = |field: &&String| NOTES.contains(&field.split('.').next().unwrap_or_default());
    match used.into_iter().flatten().find(is_note) {
        Some(field) => Err(Error::NoteReplacesField { field: field.clone() }),
        None => Ok(()),
    }
}
