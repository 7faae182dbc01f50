//! S8: the documents of a file that are kept, in its own format. And the commit: everything gets its name.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use lookalike_core::ids::Document;
use lookalike_core::method::Exact;
use lookalike_core::scheme::Scheme;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::Unit;
use lookalike_io::stored::Values;
use lookalike_io::write::{Annotation, Staging};
use serde_json::json;

use super::Context;
use super::decide::{FATES, Note, Targets};
use super::files::{Outputs, TaskRow, damaged};
use super::stage::TaskStage;
use crate::corpus::{Corpus, Kept, Reading};
use crate::error::{Error, Result};
use crate::options::{DedupOptions, Output};
use crate::output::captures::Pages;
use crate::output::destination::ENTRIES;
use crate::output::evidence::Verdicts;
use crate::output::kept::{EntriesToWrite, SUMMARY, Wrote, write_summary};
use crate::output::read_back::REMOVED;
use crate::progress::Progress;
use crate::report::summary::Summary;

/// Fates of the documents of one file, as decided.
struct FileFates {
    first: u32,
    /// The documents that are removed or noted, by number in the file.
    fates: HashMap<u32, (bool, Option<Annotation>)>,
}

impl Verdicts for FileFates {
    fn is_kept(&self, document: Document) -> bool {
        self.fates.get(&(document.0 - self.first)).is_none_or(|(is_kept, _)| *is_kept)
    }

    fn removes_any(&self) -> bool {
        self.fates.values().any(|(is_kept, _)| !is_kept)
    }

    fn annotation(&self, document: Document) -> Result<Annotation> {
        let noted = self.fates.get(&(document.0 - self.first)).and_then(|(_, note)| note.clone());
        noted.ok_or_else(|| damaged("decide"))
    }
}

/// Writes a file.
pub(super) fn write(context: &Context<'_>, file: usize, attempt: u32) -> Result<TaskRow> {
    let tasks = context.tasks;
    let mut outputs = Outputs::new(tasks, TaskStage::Write, file, attempt);
    let decided = tasks.row(TaskStage::Decide, 0)?;
    let targets = read_targets(context, &decided)?;
    let output = tasks.options().output;
    let Some(target) = targets.names.get(file) else { return Err(damaged("decide")) };
    if targets.refused.contains(&file) || output == Output::DryRun {
        return Ok(outputs.finish());
    }
    let units = units_of(context, file)?;
    // Documents are only looked over: no sketches and no checksums are stored.
    let plain = Scheme::default();
    let reading = Reading { method: &Exact, similarity: &plain, ..context.reading(Kept::Nothing, Some(&units)) };
    let mut corpus = Corpus::of_units(context.shelf().anew(), tasks.input_files(), reading)?;
    if units.len() < all_units_of(context, file).count() {
        corpus.note_lost(file as u32);
    }
    let documents = corpus.documents_of_file(file as u32);
    if documents.len() != targets.documents[file] as usize {
        let path = context.shelf().files()[file].shown();
        return Err(lookalike_io::Error::Changed { path }.into());
    }
    let table = tasks.open_table(&decided, 2, FATES)?;
    let mut fates = FileFates { first: documents.start, fates: HashMap::new() };
    let (first, count) = targets.groups[file];
    for group in first..first + count {
        let mut columns = table.read(group)?.into_iter();
        let mut next = || columns.next().ok_or_else(|| damaged("decide"));
        let (ordinals, kept, notes) = (next()?.into_whole(), next()?.into_whole(), next().map(Values::into_bytes)?);
        for ((ordinal, is_kept), note) in ordinals.iter().zip(kept).zip(notes) {
            let is_kept = is_kept != 0;
            let note: Option<Note> = serde_json::from_slice(&note).ok();
            fates.fates.insert(*ordinal as u32, (is_kept, note.map(|note| note.annotation(is_kept))));
        }
    }
    let pages = Pages::of_input(&corpus, &fates)?;
    let entries = EntriesToWrite { corpus: &corpus, fates: &fates, pages: &pages, output, progress: context.progress };
    let mut wrote = Wrote::default();
    let written = outputs.file(".kept", |path| {
        let mut is_open = false;
        wrote = entries.write_file(file as u32, tasks.options(), path, || {
            is_open = true;
            let file = File::create(path).map_err(Error::unwritable)?;
            Ok(BufWriter::with_capacity(1 << 20, file))
        })?;
        corpus.shelf.check_unchanged()?;
        Ok(is_open.then_some(()))
    })?;
    if written.is_some() {
        outputs.note("target", target.clone());
    }
    outputs.note("wrote", json!(wrote));
    Ok(outputs.finish())
}

fn all_units_of<'c>(context: &'c Context<'_>, file: usize) -> impl Iterator<Item = (usize, &'c Unit)> {
    context.tasks.units().iter().enumerate().filter(move |(_, unit)| unit.file as usize == file)
}

/// The units of a file that S1 could read.
fn units_of(context: &Context<'_>, file: usize) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    for (at, unit) in all_units_of(context, file) {
        let row = context.tasks.row(TaskStage::Sketch, at)?;
        if !row.counts.contains_key("skipped") {
            units.push(unit.clone());
        }
    }
    Ok(units)
}

fn read_targets(context: &Context<'_>, decided: &TaskRow) -> Result<Targets> {
    let path = context.tasks.checked(decided, 3)?;
    let bytes = fs::read(&path).map_err(|cause| lookalike_io::Error::Unreadable { path, cause })?;
    let targets: Targets = serde_json::from_slice(&bytes).map_err(|_| damaged("decide"))?;
    let count = targets.names.len();
    let is_whole = targets.groups.len() == targets.documents.len() && targets.groups.len() >= count;
    if is_whole { Ok(targets) } else { Err(damaged("decide")) }
}

/// Refuses an output folder that [`commit`] would refuse.
pub(super) fn check_target(options: &DedupOptions, shelf: &Shelf, progress: &dyn Progress) -> Result<()> {
    if let Some(folder) = &options.folder {
        Staging::new(folder, options.force, ENTRIES, shelf.files(), &progress.unfinished())?;
    }
    Ok(())
}

/// Puts everything into a folder beside the output, and gives it its name.
pub(super) fn commit(context: &Context<'_>, attempt: u32) -> Result<TaskRow> {
    let tasks = context.tasks;
    let outputs = Outputs::new(tasks, TaskStage::Commit, 0, attempt);
    let options = tasks.options();
    let decided = tasks.row(TaskStage::Decide, 0)?;
    let rows = tasks.rows(TaskStage::Write)?;
    context.shelf().check_unchanged()?;
    let path = tasks.checked(&decided, 1)?;
    let bytes = fs::read(&path).map_err(|cause| lookalike_io::Error::Unreadable { path, cause })?;
    let mut summary: Summary = serde_json::from_slice(&bytes).map_err(|_| damaged("decide"))?;
    for row in &rows {
        let wrote = row.counts.get("wrote").and_then(|wrote| serde_json::from_value(wrote.clone()).ok());
        summary.wrote = std::mem::take(&mut summary.wrote).and(wrote.unwrap_or_default());
    }
    let Some(folder) = &options.folder else { return Ok(outputs.finish()) };
    let mut written = serde_json::to_vec_pretty(&summary).expect("a summary is numbers and texts");
    written.push(b'\n');
    if fs::read(folder.join(SUMMARY)).is_ok_and(|earlier| earlier == written) {
        // An earlier attempt ended just after everything was renamed: the summary is moved last.
        return Ok(outputs.finish());
    }
    let unfinished = context.progress.unfinished();
    let staging = Staging::new(folder, options.force, ENTRIES, context.shelf().files(), &unfinished)?;
    place(&tasks.checked(&decided, 0)?, &staging, REMOVED)?;
    for row in &rows {
        if let Some(target) = row.counts.get("target").and_then(|target| target.as_str()) {
            place(&tasks.checked(row, 0)?, &staging, target)?;
        }
    }
    write_summary(&summary, &staging)?;
    context.progress.go_on()?;
    staging.commit()?;
    Ok(outputs.finish())
}

/// Puts a file into the folder that becomes the output: as a hard link where possible, so that a commit can be repeated
/// and nothing is written twice; otherwise as a copy.
fn place(from: &Path, staging: &Staging, name: &str) -> Result<()> {
    let to = staging.path().join(name);
    let unwritable = |cause| lookalike_io::Error::Unwritable { path: to.clone(), cause };
    fs::create_dir_all(to.parent().unwrap_or(&to)).map_err(unwritable)?;
    if fs::hard_link(from, &to).is_ok() {
        return Ok(());
    }
    let mut source = File::open(from).map_err(|cause| lookalike_io::Error::Unreadable { path: from.into(), cause })?;
    io::copy(&mut source, &mut staging.file(name)?).map(drop).map_err(unwritable)?;
    Ok(())
}
