//! The main job: remove near-duplicates, and name the document that is kept in place of each.

use std::io::Write;
use std::path::Path;

use lookalike_core::decision::{References, Scope};
use lookalike_core::resolve::{Candidates, TakeMatches, components, independent_set};
use lookalike_core::verify::Verifier;
use lookalike_io::write::NOTES;

use crate::candidates::known::OpenIndex;
use crate::candidates::{Find, against};
use crate::corpus::keep_field;
use crate::error::{Error, Result};
use crate::options::{DedupOptions, Group, Output};
use crate::output::destination::Destination;
use crate::output::evidence::{Decisions, Fates};
use crate::output::rows::{DocumentRow, Removal, RowFate};
use crate::output::sink::Sink;
use crate::progress::Progress;
use crate::report::losses::BySource;
use crate::report::summary::Summary;
use crate::resources::work;
use crate::run::{Files, Run};

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
    run(options, None, DedupRows::default(), progress)
}

/// Sinks for the rows of [`dedup_into()`].
#[derive(Default)]
pub struct DedupRows<'a> {
    /// Receives every removed document, in input order.
    pub removals: Option<&'a mut dyn Sink<Removal>>,
    /// Receives every document of the input, kept or removed, in input order.
    pub documents: Option<&'a mut dyn Sink<DocumentRow>>,
    /// Receives the same by numbers alone.
    pub fates: Option<&'a mut dyn Sink<RowFate>>,
}

/// Removes near-duplicates as [`dedup()`] does, and also passes the decisions on as typed rows, before the output, if
/// any, is moved into place.
///
/// ```
/// use lookalike::{DedupOptions, DedupRows, Removal, Silent};
///
/// # let folder = tempfile::tempdir()?;
/// # let news = folder.path().join("news.jsonl");
/// # std::fs::write(&news, "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"The storm hit the coast!\"}\n")?;
/// let mut removals: Vec<Removal> = Vec::new();
/// let rows = DedupRows { removals: Some(&mut removals), ..DedupRows::default() };
/// lookalike::dedup_into(&DedupOptions::new([news]), rows, &Silent)?;
/// assert_eq!((removals[0].removed_position, removals[0].kept_position), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dedup()`], and when a sink fails.
pub fn dedup_into(options: &DedupOptions, rows: DedupRows<'_>, progress: &dyn Progress) -> Result<Summary> {
    run(options, None, rows, progress)
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
    run(options, Some(stream), DedupRows::default(), progress)
}

fn run(
    options: &DedupOptions,
    stream: Option<Stream<'_>>,
    rows: DedupRows<'_>,
    progress: &dyn Progress,
) -> Result<Summary> {
    check_notes(options)?;
    check_held(options, stream.is_some())?;
    let against = options.against.as_ref();
    let (folder, removed) = match &stream {
        None => (options.folder.as_deref(), None),
        Some(stream) => (None, stream.removed),
    };
    let files = Files::find(&options.read, against, folder.or(removed), &options.work)?;
    let result_of = options.work.folder.as_ref().map(|_| work::result_of(&files.shelf, options)).transpose()?;
    result_of.as_deref().map_or(Ok(()), |result_of| work::check_not_done(&options.work, folder, result_of))?;
    if stream.is_some() && options.output != Output::DryRun && files.input_count != 1 {
        return Err(Error::ManyFilesToStream { files: files.input_count });
    }
    let resources = (options.memory, &options.work);
    let run = Run::start(&files, &options.scheme, resources, &options.label(), progress)?;
    let index = options.against_index.as_ref().map(|against| OpenIndex::open(against, run.scheme)).transpose()?;
    let mut destination = Destination::open(folder, stream, options, &files, &run)?;

    let corpus = run.read(files, &options.read)?;
    keep_field::check(&corpus, &options.keep)?;
    let reread = run.reread(&corpus, &options.read);
    let mut texts = run.join_copies(&corpus, &reread.deciding, &options.keep)?;
    let mut decisions = Decisions::new(corpus.len());
    if let Some(index) = &index {
        let find = || index.find(&corpus, &texts, &reread.deciding, &options.keep, progress);
        let known = corpus.set_known(run.stage("index", find)?);
        known.removed.iter().for_each(|(text, by, likeness)| decisions.add_known(*text, *by, *likeness));
        // What is removed already removes nobody.
        texts.items.retain(|text| !decisions.has(*text));
    }
    let scope = options.against_index.as_ref().map(|against| against.scope);
    let references = against::references(&corpus, &texts, against);
    let references = References { scope: scope.unwrap_or(references.scope), ..references };
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeMatches<'_>| {
        take(match (options.group, references.scope) {
            (Group::Components, Scope::Everything) => components(candidates, &texts.items, references, verifier)?,
            _ => independent_set(candidates, &texts.items, references, verifier)?,
        })
    };
    let find = Find { items: reread.items(), texts: &texts, references };
    let found = find.run(&run, resolve, |removals| {
        decisions.add(&texts, &corpus.sizes, &removals);
        Ok(())
    })?;
    let fates = Fates::new(&corpus, &texts, decisions, references.scope, run.scheme);
    let by_source = BySource::new(&corpus, options.source, &fates)?;
    options.fail_if_source_loses.map_or(Ok(()), |share| by_source.check(share))?;
    index.as_ref().map_or(Ok(()), |index| index.check_room(&corpus, &fates, options.memory))?;
    rows.write(&fates, options)?;
    let wrote = destination.write(&corpus, &fates, options, &run)?;

    let mut summary = Summary::new(&corpus, options, &*run.method, &fates, &by_source)?;
    summary.run = result_of;
    summary.input.reference_documents += index.as_ref().map_or(0, OpenIndex::document_count);
    summary.found.count_pairs(found);
    summary.wrote = wrote;
    let report = destination.report(&corpus, &summary, options, &run)?;
    let (stages, work) = run.end();
    summary.set_stages(stages);
    corpus.shelf.check_unchanged()?;
    // From here on it is too late to stop: what has its name is complete.
    progress.go_on()?;
    destination.commit(&summary, report, options, &work)?;
    if let Some(index) = index {
        summary.wrote.added_to_index = index.add_kept(&corpus, &fates, &reread.deciding, options.memory)?;
    }
    work.finish()?;
    Ok(summary)
}

impl DedupRows<'_> {
    fn write(self, fates: &Fates<'_>, options: &DedupOptions) -> Result<()> {
        if let Some(sink) = self.removals {
            fates.write_removals(options.source, sink, Error::unwritable)?;
        }
        if let Some(sink) = self.documents {
            fates.write_documents(sink, Error::unwritable)?;
        }
        self.fates.map_or(Ok(()), |sink| fates.write_fates(sink, Error::unwritable))
    }
}

/// Makes sure that what has no file is not to be written as one.
fn check_held(options: &DedupOptions, is_stream: bool) -> Result<()> {
    match options.read.held.tables.first() {
        Some(table) if options.output != Output::DryRun && (is_stream || options.folder.is_some()) => {
            Err(Error::TableIsNoFile { table: table.name.clone() })
        }
        _ => Ok(()),
    }
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
