//! The main job: remove near-duplicates, and show for each what was kept in its place.

use std::io::Write;
use std::path::Path;

use lookalike_core::criterion::Criterion;
use lookalike_core::keep::{Ranking, keep_order};
use lookalike_core::resolve::{Candidates, Scope, components, independent_set};
use lookalike_core::verify::Verifier;
use lookalike_io::discover::unique;
use lookalike_io::write::{FileWriter, NOTES, Staging, Written, annotated_name};
use rayon::prelude::*;

use crate::against;
use crate::captures::Captures;
use crate::copies::join_copies;
use crate::corpus::{Corpus, FileEntry, Reading, What};
use crate::error::{Error, Result};
use crate::evidence::{Decisions, Fate, Fates};
use crate::find::Find;
use crate::options::{DedupOptions, Group, Output};
use crate::progress::Progress;
use crate::source::BySource;
use crate::space;
use crate::stages::Stages;
use crate::summary::{Summary, Wrote};
use crate::work::Work;

/// What a run writes; what `--force` may replace.
const ENTRIES: &[&str] = &["kept", "annotated", "removed.jsonl", "summary.json"];

/// Removes near-duplicates.
///
/// Every removed document has a near-duplicate that is kept, and the output names it with their exact similarity. No two
/// kept documents are near-duplicates, up to the recall of the banding. With a reference, the one that is named may be of
/// it, and no kept document is a near-duplicate of one of it.
///
/// # Errors
///
/// When an input cannot be read, the output cannot be written, or a source loses more than is allowed. Then nothing is left under the output's name.
pub fn dedup(options: &DedupOptions, progress: &dyn Progress) -> Result<Summary> {
    check_notes(options)?;
    let against = options.against.as_ref();
    let (shelf, input_files) = against::shelf(&options.read, against, options.folder.as_deref())?;
    let work = Work::start(options.memory, &options.work, &shelf, &options.label())?;
    let stage = |folder: &Path| {
        let force = options.force || work.named().is_some_and(|work| work.was_about_to_commit(folder));
        Staging::new(folder, force, ENTRIES, shelf.files())
    };
    let staging = options.folder.as_deref().map(stage).transpose()?;
    if let (Some(staging), Some(folder)) = (&staging, work.named()) {
        folder.note_staging(staging.path())?;
    }
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let mut stages = Stages::start(progress);

    let similarity = &options.similarity;
    let method = &*similarity.method.method(similarity.criterion)?;
    space::check(&shelf, &options.read.settings, method.layout().byte_count(), &work)?;
    let reading = Reading { options: &options.read, similarity, method, work: &work, progress };
    let corpus = stages.run("sketch", Some(bytes), || Corpus::read(shelf, input_files, reading))?;
    let texts = stages.run("copies", None, || {
        let ranking = Ranking { token_counts: lengths(&corpus, similarity.criterion), field_values: &corpus.values };
        join_copies(&corpus, &against::references_first(&corpus, keep_order(&options.keep, ranking)))
    })?;
    let references = against::references(&corpus, &texts, against);
    let find = Find {
        corpus: &corpus,
        texts: &texts,
        read: &options.read,
        similarity,
        method,
        references,
        work: &work,
        progress,
    };
    let mut decisions = Decisions::new(corpus.len());
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>| match (options.group, references.scope) {
        (Group::Components, Scope::Everything) => components(candidates, &texts.items, references, verifier),
        _ => independent_set(candidates, &texts.items, references, verifier),
    };
    let found = find.run(&mut stages, resolve, |removals| {
        decisions.add(&texts, &removals);
        Ok(())
    })?;
    let fates = Fates::new(&corpus, &texts, decisions, references.scope, similarity);
    let by_source = BySource::new(&corpus, options.source, &fates)?;
    options.fail_if_source_loses.map_or(Ok(()), |share| by_source.check(share))?;
    let wrote = match &staging {
        Some(staging) => stages.run("write", None, || write(&corpus, &fates, options, staging))?,
        None => Wrote::default(),
    };

    let mut summary = Summary::new(&corpus, options, method, &fates, &by_source)?;
    summary.found.count_pairs(found);
    summary.wrote = wrote;
    summary.set_stages(stages.finish());
    corpus.shelf.check_unchanged()?;
    if let Some(staging) = staging {
        write_summary(&summary, &staging)?;
        if let (Some(work), Some(output)) = (work.named(), &options.folder) {
            work.note_commit(output)?;
        }
        staging.commit()?;
    }
    work.finish()?;
    Ok(summary)
}

/// What makes a document longer than another: where one must lie inside of the other, the features that it has room for.
fn lengths(corpus: &Corpus, criterion: Criterion) -> &[u32] {
    if matches!(criterion, Criterion::Containment(_)) { &corpus.sizes } else { &corpus.token_counts }
}

/// Makes sure that no note replaces a field that the run was told to use: the text would be lost, or what documents are known by.
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

fn write(corpus: &Corpus, fates: &Fates<'_>, options: &DedupOptions, staging: &Staging) -> Result<Wrote> {
    let (name, output) = ("removed.jsonl", options.output);
    fates.write_removed(options.source, &mut staging.file(name)?, |cause| unwritable(staging, name)(cause))?;
    if output == Output::DryRun {
        return Ok(Wrote::default());
    }
    let targets = targets(corpus, output);
    let write_file = |(file, target): (usize, &String)| {
        let kind = &*corpus.kinds[file];
        if kind.is_refused {
            return Ok(Wrote::default());
        }
        let captures = match output {
            Output::Kept => Captures::of_file(corpus, fates, file as u32)?,
            Output::Annotated | Output::DryRun => Captures::default(),
        };
        let entries = EntriesToWrite { corpus, fates, output, captures: &captures };
        let mut runs = entries.of_file(file as u32).peekable();
        // A document that is removed leaves no file behind; files of many may become empty.
        if kind.format.is_one_document() && runs.peek().is_none_or(|run| run.as_ref().is_ok_and(Vec::is_empty)) {
            return Ok(Wrote::default());
        }
        let path = staging.path().join(target);
        let mut writer = staging.file(target)?;
        let file_writer = FileWriter {
            shelf: &corpus.shelf,
            settings: &options.read.settings,
            file: file as u32,
            kind,
            is_annotated: output == Output::Annotated,
        };
        let replaced_fields = file_writer.write(runs, &path, &mut writer)?;
        writer.flush().map_err(unwritable(staging, target))?;
        Ok(Wrote { removed_along: captures.counts().clone(), replaced_fields })
    };
    targets.par_iter().enumerate().map(write_file).try_reduce(Wrote::default, |left, right| Ok(left.and(right)))
}

/// Where each file of the input goes.
fn targets(corpus: &Corpus, output: Output) -> Vec<String> {
    let files = corpus.shelf.files().iter().zip(&corpus.kinds).take(corpus.input_files);
    match output {
        Output::Annotated => {
            unique(files.map(|(file, kind)| format!("annotated/{}", annotated_name(&file.name, kind.format))).collect())
        }
        Output::Kept | Output::DryRun => files.map(|(file, _)| format!("kept/{}", file.name)).collect(),
    }
}

/// What is written of the files of the input: documents and what is carried along, in their order.
#[derive(Clone, Copy)]
struct EntriesToWrite<'a> {
    corpus: &'a Corpus,
    fates: &'a Fates<'a>,
    output: Output,
    captures: &'a Captures,
}

impl<'a> EntriesToWrite<'a> {
    /// Of one file, a run of neighbours at a time.
    fn of_file(self, file: u32) -> impl Iterator<Item = Result<Vec<Written>>> + 'a {
        self.corpus.blocks_of_file(file).map(move |block| {
            let entries = self.corpus.entries(block)?.into_iter();
            entries.filter_map(|entry| self.written(&entry).transpose()).collect()
        })
    }

    /// An entry as it is written, if it is.
    fn written(self, entry: &FileEntry) -> Result<Option<Written>> {
        let FileEntry { place, position, ref what } = *entry;
        let annotation = match *what {
            What::Document(document) if self.output == Output::Annotated => Some(self.fates.annotation(document)?),
            What::Document(document) if self.fates.of(document) != Fate::Kept => return Ok(None),
            What::Carried(_) if self.captures.is_removed(position) => return Ok(None),
            _ => None,
        };
        Ok(Some(Written { place, position, annotation }))
    }
}

fn write_summary(summary: &Summary, staging: &Staging) -> Result<()> {
    let name = "summary.json";
    let mut writer = staging.file(name)?;
    let written = serde_json::to_writer_pretty(&mut writer, summary).map_err(std::io::Error::from);
    written.and_then(|()| writer.write_all(b"\n")).and_then(|()| writer.flush()).map_err(unwritable(staging, name))
}

fn unwritable(staging: &Staging, name: &str) -> impl FnOnce(std::io::Error) -> crate::Error {
    let path = staging.path().join(name);
    move |cause| lookalike_io::Error::Unwritable { path, cause }.into()
}
