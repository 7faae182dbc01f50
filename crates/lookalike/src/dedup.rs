//! The main job: remove near-duplicates, and show for each what was kept in its place.

use std::io::Write;
use std::path::Path;

use lookalike_core::criterion::Criterion;
use lookalike_core::keep::{Ranking, keep_order};
use lookalike_core::resolve::{Scope, components, independent_set};
use lookalike_io::discover::unique;
use lookalike_io::place::Place;
use lookalike_io::write::{FileWriter, Staging, Written, annotated_name};
use rayon::prelude::*;

use crate::against;
use crate::copies::join_copies;
use crate::corpus::{Carried, Corpus};
use crate::error::Result;
use crate::evidence::{Fate, Fates};
use crate::find::Find;
use crate::options::{DedupOptions, Group, Output};
use crate::progress::Progress;
use crate::source::BySource;
use crate::stages::Stages;
use crate::summary::Summary;

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
    let against = options.against.as_ref();
    let (shelf, input_files) = against::shelf(&options.read, against, options.folder.as_deref())?;
    let stage = |folder: &Path| Staging::new(folder, options.force, ENTRIES, shelf.files());
    let staging = options.folder.as_deref().map(stage).transpose()?;
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let mut stages = Stages::start(progress);

    let similarity = &options.similarity;
    let method = &*similarity.method.method(similarity.criterion)?;
    let corpus = stages
        .run("sketch", Some(bytes), || Corpus::read(shelf, &options.read, similarity, method, progress))?
        .with_input_files(input_files);
    let texts = stages.run("copies", None, || {
        let ranking = Ranking { token_counts: lengths(&corpus, similarity.criterion), field_values: &corpus.values };
        join_copies(&corpus, &against::references_first(&corpus, keep_order(&options.keep, ranking)))
    });
    let references = against::references(&corpus, &texts, against);
    let find = Find { corpus: &corpus, texts: &texts, read: &options.read, similarity, method, progress };
    let found = find.run(&mut stages, |candidates, verifier| match (options.group, references.scope) {
        (Group::Components, Scope::Everything) => components(candidates, &texts.items, references, verifier),
        _ => independent_set(candidates, &texts.items, references, verifier),
    })?;
    let fates = Fates::new(&corpus, &texts, &found.result, references.scope, similarity);
    let by_source = BySource::new(&corpus, options.source, &fates);
    options.fail_if_source_loses.map_or(Ok(()), |share| by_source.check(share))?;
    if let Some(staging) = &staging {
        stages.run("write", None, || write(&corpus, &fates, options, staging))?;
    }

    let mut summary = Summary::new(&corpus, options, method, &fates, &by_source);
    summary.found.count_pairs(&found, references);
    summary.set_stages(stages.finish());
    corpus.shelf.check_unchanged()?;
    if let Some(staging) = staging {
        write_summary(&summary, &staging)?;
        staging.commit()?;
    }
    Ok(summary)
}

/// What makes a document longer than another: where one must lie inside of the other, the features that it has room for.
fn lengths(corpus: &Corpus, criterion: Criterion) -> &[u32] {
    if matches!(criterion, Criterion::Containment(_)) { &corpus.sizes } else { &corpus.token_counts }
}

fn write(corpus: &Corpus, fates: &Fates, options: &DedupOptions, staging: &Staging) -> Result<()> {
    let (name, output) = ("removed.jsonl", options.output);
    fates.write_removed(corpus, options.source, &mut staging.file(name)?).map_err(unwritable(staging, name))?;
    if output == Output::DryRun {
        return Ok(());
    }
    let by_file = entries_by_file(corpus, fates, output);
    let targets = targets(corpus, output);
    by_file.par_iter().zip(&targets).enumerate().try_for_each(|(file, (entries, target))| {
        let kind = &*corpus.kinds[file];
        // A document that is removed leaves no file behind; files of many may become empty.
        if kind.is_refused || kind.format.is_one_document() && entries.is_empty() {
            return Ok(());
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
        file_writer.write(entries, &path, &mut writer)?;
        writer.flush().map_err(unwritable(staging, target))
    })
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

/// What is written of each file of the input, in its order: documents and what is carried along.
fn entries_by_file(corpus: &Corpus, fates: &Fates, output: Output) -> Vec<Vec<Written>> {
    let mut by_file: Vec<Vec<Written>> = (0..corpus.input_files).map(|_| Vec::new()).collect();
    let carried = corpus.carried.iter().take_while(|carried| (carried.place.file as usize) < corpus.input_files);
    let mut carried = carried.peekable();
    let mut push = |place: Place, position, annotation| {
        by_file[place.file as usize].push(Written { place, position, annotation });
    };
    for (((document, fate), place), position) in (0..).zip(&fates.fates).zip(&corpus.places).zip(&corpus.positions) {
        let is_before = |carried: &&Carried| (carried.place.file, carried.position) < (place.file, *position);
        while let Some(carried) = carried.next_if(is_before) {
            push(carried.place, carried.position, None);
        }
        let annotation = (output == Output::Annotated).then(|| fates.annotation(corpus, document));
        if annotation.is_some() || *fate == Fate::Kept {
            push(*place, *position, annotation);
        }
    }
    carried.for_each(|carried| push(carried.place, carried.position, None));
    by_file
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
