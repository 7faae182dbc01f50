//! Finds every near-duplicate pair of a corpus, or between a corpus and a reference.

pub(crate) mod texts;

use std::borrow::Cow;
use std::io::Write;

use lookalike_core::bucket::passed_over::PassedOverEstimate;
use lookalike_core::decision::Scope;
use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::resolve::keep::Keep;
use lookalike_core::resolve::{Candidates, TakeMatches, each_match};
use lookalike_core::sources::PairFilter;
use lookalike_core::verify::Verifier;
use serde::Serialize;

use crate::boilerplate::Learn;
use crate::candidates::against;
use crate::candidates::copies::Texts;
use crate::candidates::matches::Near;
use crate::corpus::Corpus;
use crate::corpus::rules::Rules;
use crate::error::{Error, Result, until_closed};
use crate::options::{Against, Copies, PairsOptions, Scheme, Selection};
use crate::output::measures::Measures;
use crate::output::rows::PairRow;
use crate::output::select::{FoundPair, Selecting};
use crate::output::sink::{RowWriter, Sink};
use crate::progress::Progress;
use crate::report::parameters::PurposeSettings;
use crate::report::summary::{self, Input, SkippedEntry, Stage};
use crate::run::find::Find;
use crate::run::{Files, Run};

/// Result of a run of `pairs`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PairsReport {
    /// The input.
    pub input: Input,
    /// True if all pairs were compared exactly because the input is small and no method was requested.
    pub exact_because_small: bool,
    /// The purpose that settings were taken from, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<PurposeSettings>,
    /// The number of files for whose names the tokens of source code were chosen, if they were and no tokens were
    /// requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_file_count: Option<u64>,
    /// Number of pairs found; if a sample was requested, not all were written.
    pub found_count: u64,
    /// Number of pairs written.
    pub pair_count: u64,
    /// Pairs that shared a bucket and were not compared, since it has too many members.
    pub passed_over: PassedOverEstimate,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
    /// The length of every document, those of a reference last: what the keep order `longest` compares.
    #[serde(skip)]
    pub lengths: Vec<u32>,
}

/// Writes every near-duplicate pair, left before right in input order, sorted by left and then right. With a reference,
/// left is from the input and right from the reference.
///
/// # Errors
///
/// If an input cannot be read, or `writer` fails.
pub fn pairs(options: &PairsOptions, writer: &mut dyn Write, progress: &dyn Progress) -> Result<PairsReport> {
    pairs_into(options, &mut RowWriter::new(writer, options.format), progress)
}

/// Passes the rows that [`pairs()`] would write to a sink; `options.format` is ignored.
///
/// # Errors
///
/// If an input cannot be read, or the sink fails.
pub fn pairs_into(
    options: &PairsOptions,
    sink: &mut dyn Sink<PairRow>,
    progress: &dyn Progress,
) -> Result<PairsReport> {
    let scheme = &options.scheme;
    run(options, &mut Rows { scheme, sink, left: None, waiting: Vec::new(), waiting_bytes: 0 }, progress)
}

/// Receives pairs, and converts them to rows, or to texts for people to read.
pub(crate) trait TakePairs {
    /// Called before all pairs.
    fn start(&mut self, corpus: &Corpus) -> Result<()>;

    /// Receives the next pair.
    fn take(&mut self, corpus: &Corpus, pair: FoundPair) -> Result<()>;

    /// Called after all pairs.
    fn finish(&mut self) -> Result<()>;
}

/// Finds pairs, and passes on the selected ones.
pub(crate) fn run(options: &PairsOptions, taker: &mut dyn TakePairs, progress: &dyn Progress) -> Result<PairsReport> {
    let ((pair_count, found_count), report) = find(options, progress, |corpus, texts, near, run| {
        let mut selecting = Selecting::new(&options.selection, run.scheme.criterion());
        let written = run.stage("write", || write(taker, &mut selecting, (corpus, texts), near, options, progress));
        Ok((until_closed(written)?, selecting.count))
    })?;
    Ok(PairsReport { found_count, pair_count, ..report })
}

/// Finds all matches, and passes them to `take` by document, with the documents of each text. The report has no counts
/// of pairs yet.
pub(crate) fn find<T>(
    options: &PairsOptions,
    progress: &dyn Progress,
    take: impl FnOnce(&Corpus, &Texts, Near<'_>, &Run<'_>) -> Result<T>,
) -> Result<(T, PairsReport)> {
    let Selection { references, tables, .. } = options.selection.clone();
    let scope = if options.has_reference() { Scope::References } else { Scope::Everything };
    let against = options.has_reference().then_some(Against { references, tables, scope });
    let options = &*with_boilerplate(options, against.as_ref(), progress)?;
    let files = Files::find(&options.read, against.as_ref(), options.output.as_deref(), &options.work)?;
    let resources = (options.resources.memory, &options.work);
    let run = Run::start(&files, &options.scheme, resources, &options.label(), progress)?
        .exact_if_small(options.exact_if_small);

    let mut corpus = run.read(files, &options.read)?;
    let reread = run.reread(&corpus, &options.read);
    // In input order, so that the first copy represents all.
    let texts = run.join_copies(&corpus, &reread.deciding, &Keep::First, &[])?;
    let (texts, shared) = against::apart(&corpus, texts);
    let references = against::references(&corpus, &texts, scope);
    let mut near = Near::new(&corpus, &texts, options.copies, &run.work);
    for (input, reference) in shared {
        near.push(input, reference, run.scheme.method().likeness_of_copies(corpus.sizes[input.index()]))?;
    }
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeMatches<'_>| {
        each_match(candidates, &texts.items, references, verifier, take)
    };
    let rules = Rules::new(&options.matching, run.scheme, &reread.deciding);
    let allow: &PairFilter<'_> = &|left, right| rules.allow(left, right);
    let filter = rules.are_any().then_some(allow);
    let kept = corpus.take_kept_features();
    let find = Find { items: reread.items(), texts: &texts, references, filter, kept };
    let found = find.run(&run, resolve, |matches| near.add(&texts, &matches))?;
    let taken = take(&corpus, &texts, near, &run)?;
    corpus.shelf.check_unchanged()?;
    let (stages, work) = run.end();
    work.finish()?;

    let report = PairsReport {
        input: summary::input(&corpus, &options.read)?,
        exact_because_small: found.is_small,
        purpose: options.purpose.map(PurposeSettings::new),
        code_file_count: options.code_file_count,
        found_count: 0,
        pair_count: 0,
        passed_over: found.passed_over,
        stages,
        skipped: summary::skipped(&corpus),
        // They are no longer needed.
        lengths: std::mem::take(match options.scheme.criterion() {
            Criterion::Containment(_) => &mut corpus.sizes,
            _ => &mut corpus.token_counts,
        }),
    };
    Ok((taken, report))
}

/// Adds the boilerplate of the input to the options, if it is to be ignored.
fn with_boilerplate<'o>(
    options: &'o PairsOptions,
    reference: Option<&Against>,
    progress: &dyn Progress,
) -> Result<Cow<'o, PairsOptions>> {
    let Some(learning) = options.learning else { return Ok(Cow::Borrowed(options)) };
    let learn = Learn::new(learning, &options.read, &options.scheme, options.resources.memory);
    let learn = Learn { reference, output: options.output.as_deref(), ..learn };
    Ok(Cow::Owned(options.clone().with_boilerplate(learn.scheme(progress)?)))
}

/// Passes on the selected pairs, and returns their number.
fn write(
    taker: &mut dyn TakePairs,
    selecting: &mut Selecting<'_>,
    (corpus, texts): (&Corpus, &Texts),
    near: Near<'_>,
    options: &PairsOptions,
    progress: &dyn Progress,
) -> Result<u64> {
    taker.start(corpus)?;
    let mut near = near.finish()?;
    let (copies, has_reference) = (options.copies, options.has_reference());
    let mut count = 0;
    for document in (0..corpus.input_count() as u32).map(Document) {
        progress.go_on()?;
        let first = texts.first_copy[document.index()];
        if copies == Copies::Star && first != document {
            continue;
        }
        let mut others: Vec<(Document, Likeness)> = Vec::new();
        for (other, likeness) in near.of(document)? {
            match copies {
                Copies::All => others.extend(near.copies(other).iter().map(|(_, copy)| (*copy, likeness))),
                Copies::Star => others.push((other, likeness)),
            }
        }
        if !has_reference {
            // Its own copies.
            let equals = options.scheme.method().likeness_of_copies(corpus.sizes[document.index()]);
            others.extend(near.copies(first).iter().map(|(_, copy)| (*copy, equals)));
        }
        others.retain(|(other, _)| *other > document);
        others.sort_unstable_by_key(|(other, _)| *other);
        // A text that input and reference share is known in advance, and found as well.
        others.dedup_by_key(|(other, _)| *other);
        for pair in others.into_iter().filter_map(|(other, likeness)| selecting.take((document, other, likeness))) {
            taker.take(corpus, pair)?;
            count += 1;
        }
    }
    for pair in selecting.sample() {
        taker.take(corpus, pair)?;
        count += 1;
    }
    taker.finish()?;
    Ok(count)
}

/// Converts pairs to rows.
struct Rows<'a> {
    scheme: &'a Scheme,
    sink: &'a mut dyn Sink<PairRow>,
    /// The left document of the latest row, which often has more.
    left: Option<(Document, Left)>,
    /// Rows that wait to be written together, and their approximate size.
    waiting: Vec<PairRow>,
    waiting_bytes: usize,
}

/// The part of rows that depends on the left document.
#[derive(Clone)]
struct Left {
    id: String,
    file: String,
    position: u64,
    checksum: Option<String>,
}

/// Maximum number of rows that wait, and of their bytes: ids may be of any length.
const WAITING: usize = 512;
const WAITING_BYTES: usize = 1 << 18;

impl TakePairs for Rows<'_> {
    fn start(&mut self, corpus: &Corpus) -> Result<()> {
        // Whatever the pairs are, copies have the same columns.
        let measures = Measures::of(self.scheme.method().likeness_of_copies(1));
        self.sink
            .start(&PairRow::columns(measures, corpus.has_checksums(), corpus.ignores()))
            .map_err(Error::unwritable)
    }

    fn take(&mut self, corpus: &Corpus, (left, right_document, likeness): FoundPair) -> Result<()> {
        let Left { id: left_id, file: left_file, position: left_position, checksum } = self.left(corpus, left)?;
        let (right, measures) = (corpus.describe(right_document)?, Measures::of(likeness));
        let row = PairRow {
            left_id,
            right_id: right.id().into_owned(),
            similarity: likeness.similarity(self.scheme.criterion()),
            jaccard: measures.jaccard,
            containment_of_left: measures.containment_of_left,
            containment_of_right: measures.containment_of_right,
            hamming: measures.hamming,
            checksum,
            ignored_of_left: corpus.ignored_share(left),
            ignored_of_right: corpus.ignored_share(right_document),
            left_file,
            left_position,
            right_file: right.file().to_owned(),
            right_position: right.position(),
        };
        self.waiting_bytes += row.left_id.len() + row.right_id.len() + row.left_file.len() + row.right_file.len();
        self.waiting.push(row);
        if self.waiting.len() >= WAITING || self.waiting_bytes >= WAITING_BYTES { self.hand_on() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<()> {
        self.hand_on()?;
        self.sink.finish().map_err(Error::unwritable)
    }
}

impl Rows<'_> {
    fn left(&mut self, corpus: &Corpus, document: Document) -> Result<Left> {
        if let Some((_, left)) = self.left.as_ref().filter(|(latest, _)| *latest == document) {
            return Ok(left.clone());
        }
        let described = corpus.describe(document)?;
        let (id, file) = (described.id().into_owned(), described.file().to_owned());
        let left = Left { id, file, position: described.position(), checksum: corpus.checksum(document)? };
        self.left = Some((document, left.clone()));
        Ok(left)
    }

    fn hand_on(&mut self) -> Result<()> {
        self.waiting_bytes = 0;
        self.sink.take(std::mem::take(&mut self.waiting)).map_err(Error::unwritable)
    }
}
