//! The main job: remove near-duplicates, and name the document that is kept in place of each.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use derive_setters::Setters;
use lookalike_core::decision::{Removed, Scope};
use lookalike_core::ids::Rank;
use lookalike_core::remedy::JobOption;
use lookalike_core::resolve::{Candidates, TakeFound, components, independent_set};
use lookalike_core::sources::PairFilter;
use lookalike_core::verify::Verifier;

use crate::boilerplate::{Learn, deciding_boilerplate};
use crate::candidates::additions::Additions;
use crate::candidates::against;
use crate::candidates::copies::Texts;
use crate::candidates::known::OpenIndex;
use crate::corpus::known::Known;
use crate::corpus::reread::{Reread, RereadBoth};
use crate::corpus::rules::Rules;
use crate::corpus::stored_id::field_of_ids;
use crate::corpus::{Corpus, keep_field};
use crate::error::{Error, Result};
use crate::options::{DedupOptions, Group, Output};
use crate::output::destination::{Destination, DocumentStream};
use crate::output::evidence::{Decisions, Fates};
use crate::output::rows::{DocumentRow, Removal, RowFate};
use crate::output::sink::Sink;
use crate::progress::Progress;
use crate::refused::Refused;
use crate::report::losses::BySource;
use crate::report::page;
use crate::report::page::rows::Gathered;
use crate::report::summary::Summary;
use crate::resources::work;
use crate::run::find::{Find, Found};
use crate::run::{Files, Run, result_of};

/// Removes near-duplicates.
///
/// Every removed document has a near-duplicate that is kept, and the output names it with their exact similarity. No
/// two kept documents are near-duplicates, up to the recall of the method. With a reference, the document named may
/// belong to it, and no kept document is a near-duplicate of a reference document.
///
/// # Errors
///
/// Fails if an input cannot be read, the output cannot be written, no document has the field of the keep order, or a
/// source or the whole input loses more than is allowed. Nothing is left under the output's name then.
pub fn dedup(options: &DedupOptions, progress: &dyn Progress) -> Result<Summary> {
    dedup_into(options, DedupRows::default(), progress)
}

/// Sinks for the rows of [`dedup_into()`].
#[derive(Default, Setters)]
#[setters(strip_option)]
#[non_exhaustive]
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
/// use lookalike::{DedupRequest, DedupRows, Removal, Silent};
///
/// # let folder = tempfile::tempdir()?;
/// # let news = folder.path().join("news.jsonl");
/// # std::fs::write(&news, "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"The storm hit the coast!\"}\n")?;
/// let mut removals: Vec<Removal> = Vec::new();
/// let rows = DedupRows::default().removals(&mut removals);
/// lookalike::dedup_into(&DedupRequest::new([news]).check()?, rows, &Silent)?;
/// assert_eq!((removals[0].removed_position, removals[0].kept_position), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dedup()`], and when a sink fails.
pub fn dedup_into(options: &DedupOptions, rows: DedupRows<'_>, progress: &dyn Progress) -> Result<Summary> {
    if options.is_stream {
        return Err(Refused::unknown_word(JobOption::Output, "-", "the name of a folder").into());
    }
    run(options, None, rows, progress)
}

/// Removes near-duplicates as [`dedup()`] does, from one file or standard input to a stream, which receives the bytes
/// that the file in the output folder would have, in the format and compression of the input; `options.folder` does not
/// matter.
///
/// Nothing is written before every decision stands. A reader that goes away is not an error.
///
/// # Errors
///
/// As [`dedup()`], and when the input has more than one file. The evidence is complete or absent.
pub fn filter(options: &DedupOptions, documents: &mut (dyn Write + Send), progress: &dyn Progress) -> Result<Summary> {
    run(options, Some(documents), DedupRows::default(), progress)
}

fn run(
    options: &DedupOptions,
    stream: Option<DocumentStream<'_>>,
    rows: DedupRows<'_>,
    progress: &dyn Progress,
) -> Result<Summary> {
    let options = &*with_ids(options, progress)?;
    let options = &*with_boilerplate(options, progress)?;
    let files = find_files(options, stream.as_ref())?;
    let result_of = check_not_done(options, stream.as_ref(), &files)?;
    let resources = (options.resources.memory, &options.work);
    let run = Run::start(&files, &options.scheme, resources, &options.label(), progress)?
        .exact_if_small(options.exact_if_small);
    let index = options.compare_with.index().map(|against| OpenIndex::open(against, run.scheme)).transpose()?;
    let mut destination = Destination::open(folder(options, stream.as_ref()), stream, options, &files, &run)?;

    let corpus = run.read(files, &options.read)?;
    keep_field::check(&corpus, &options.keep)?;
    let reread = run.reread(&corpus, &options.read);
    let source_ranks = corpus.source_ranks(&options.keep, options.source)?;
    let texts = run.join_copies(&corpus, &reread.deciding, &options.keep, &source_ranks)?;
    let index = index.map(|index| index.without_own(&corpus, &reread.deciding, progress)).transpose()?;
    let known = index.as_ref().map(|index| search(index, &corpus, &texts, &reread.deciding, options, &run));
    let Decided { texts, decisions, found } = decide(texts, known.transpose()?, &reread, &corpus, options, &run)?;
    let mut fates = Fates::new(&corpus, &texts, decisions, options.compare_with.scope(), run.scheme);
    let rules = Rules::new(&options.matching, run.scheme, &reread.deciding);
    fates.note_different_numbers(&rules)?;
    fates.count_sources(options.source)?;
    let by_source = BySource::new(&corpus, options.source, &fates)?;
    options.fail_if_source_loses.map_or(Ok(()), |share| by_source.check(share))?;
    let read_kept = |index: &OpenIndex| index.additions(&corpus, &fates.kept(), &reread.deciding, options);
    let additions = index.as_ref().map_or_else(|| Ok(Additions::default()), read_kept)?;
    rows.write(&fates, options)?;

    let mut summary = Summary::new(&corpus, options, &*run.method, &fates, &by_source)?;
    summary.set_found(found);
    summary.boilerplate_decides = deciding_boilerplate(&corpus, &fates, options, |_| Ok(&reread.deciding))?;
    let mut gathered = destination.has_report(options).then(|| Gathered::new(&summary));
    let mut seen = |removal: &Removal| gathered.iter_mut().for_each(|gathered| gathered.add(removal));
    summary.wrote = destination.write(&corpus, &fates, options, &mut seen, &run)?;
    summary.wrote.count_additions(&additions);
    summary.run = result_of;
    summary.input.reference_document_count += index.as_ref().map_or(0, OpenIndex::document_count);
    let report = gathered.map(|gathered| page::of_run(gathered, &corpus, &summary, options, &run));
    let (stages, work) = run.end();
    summary.set_stages(stages);
    corpus.shelf.check_unchanged()?;
    // From here on it is too late to stop: what has its name is complete.
    progress.go_on()?;
    let page = report.map(|report| report.page(&summary));
    index.as_ref().map_or(Ok(()), |index| index.add(&additions, &options.work.faults))?;
    destination.commit(&summary, page.as_deref(), options, &work)?;
    work.finish()?;
    Ok(summary)
}

/// Texts with the decisions about them, and the counts of pairs that led there.
struct Decided {
    texts: Texts,
    decisions: Decisions,
    found: Found,
}

/// Decides about every text: first by what the index has, then by the other texts.
fn decide(
    mut texts: Texts,
    known: Option<&Known>,
    reread: &RereadBoth<'_>,
    corpus: &Corpus,
    options: &DedupOptions,
    run: &Run<'_>,
) -> Result<Decided> {
    let mut decisions = Decisions::new(corpus.len());
    if let Some(known) = known {
        known.removed.iter().for_each(|(text, by, likeness)| decisions.add_known(*text, *by, *likeness));
        // A removed text cannot be the reason to remove another one.
        texts.items.retain(|text| !decisions.has(*text));
    }
    let references = against::references(corpus, &texts, options.compare_with.scope());
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeFound<'_, Removed<Rank>>| {
        take(match (options.group, references.scope) {
            (Group::Components, Scope::Everything) => components(candidates, &texts.items, references, verifier)?,
            _ => independent_set(candidates, &texts.items, references, verifier)?,
        })
    };
    let rules = Rules::new(&options.matching, run.scheme, &reread.deciding);
    let allow: &PairFilter<'_> = &|left, right| rules.allow(left, right);
    let filter = rules.are_any().then_some(allow);
    let find = Find { items: reread.items(), texts: &texts, references, filter, kept: corpus.take_kept_features() };
    let found = find.run(run, resolve, |removals| {
        decisions.add(&texts, &corpus.sizes, &removals);
        Ok(())
    })?;
    Ok(Decided { texts, decisions, found })
}

/// Searches the index for all texts.
fn search<'c>(
    index: &OpenIndex,
    corpus: &'c Corpus,
    texts: &Texts,
    deciding: &Reread<'_>,
    options: &DedupOptions,
    run: &Run<'_>,
) -> Result<&'c Known> {
    let known = run.stage("index", || index.find(corpus, texts, deciding, &options.keep, run.progress))?;
    Ok(corpus.set_known(known))
}

/// The same options with the field of ids that the index needs, if nobody named one and there is one.
fn with_ids<'o>(options: &'o DedupOptions, progress: &dyn Progress) -> Result<Cow<'o, DedupOptions>> {
    if !options.compare_with.index().is_some_and(|against| against.add_kept) {
        return Ok(Cow::Borrowed(options));
    }
    Ok(match field_of_ids(&options.read, progress)? {
        Some(field) => Cow::Owned(options.clone().with_id_field(field)),
        None => Cow::Borrowed(options),
    })
}

/// The same options with the boilerplate of the input, if it is to be ignored.
fn with_boilerplate<'o>(options: &'o DedupOptions, progress: &dyn Progress) -> Result<Cow<'o, DedupOptions>> {
    let Some(share) = options.learn_boilerplate else { return Ok(Cow::Borrowed(options)) };
    let learn = Learn {
        read: &options.read,
        reference: options.compare_with.reference(),
        output: folder(options, None).or(options.removed.as_deref()),
        scheme: &options.scheme,
        by: options.source,
        share: share.value(),
        memory: options.resources.memory,
    };
    Ok(Cow::Owned(options.clone().with_boilerplate(learn.scheme(progress)?)))
}

/// Finds the files of the input and of the reference; a stream takes one file of input.
fn find_files(options: &DedupOptions, stream: Option<&DocumentStream<'_>>) -> Result<Files> {
    let written = folder(options, stream).or(options.removed.as_deref());
    let files = Files::find(&options.read, options.compare_with.reference(), written, &options.work)?;
    if stream.is_some() && options.output != Output::DryRun && files.input_count != 1 {
        return Err(Error::ManyFilesToStream { files: files.input_count });
    }
    Ok(files)
}

/// Refuses to resume a run that is done; returns the name of a run with a work folder.
fn check_not_done(
    options: &DedupOptions,
    stream: Option<&DocumentStream<'_>>,
    files: &Files,
) -> Result<Option<String>> {
    if options.work.folder.is_none() {
        return Ok(None);
    }
    let name = result_of(&files.shelf, options)?;
    work::check_not_done(&options.work, folder(options, stream), &name)?;
    Ok(Some(name))
}

/// The folder to write to, if the result does not go to a stream.
fn folder<'a>(options: &'a DedupOptions, stream: Option<&DocumentStream<'_>>) -> Option<&'a Path> {
    options.folder.as_deref().filter(|_| stream.is_none())
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
