//! Discovery: every near-duplicate pair of a corpus, or of a corpus and a reference.

pub(crate) mod texts;

use std::io::Write;

use lookalike_core::bucket::passed_over::PassedOverEstimate;
use lookalike_core::decision::Scope;
use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::resolve::keep::Keep;
use lookalike_core::resolve::{Candidates, TakeMatches, each_match};
use lookalike_core::verify::Verifier;
use serde::Serialize;

use crate::candidates::against;
use crate::candidates::copies::Texts;
use crate::candidates::matches::Near;
use crate::corpus::Corpus;
use crate::error::{Error, Result, until_closed};
use crate::options::{Against, Copies, PairsOptions, Scheme, Selection};
use crate::output::measures::Measures;
use crate::output::rows::PairRow;
use crate::output::select::{FoundPair, Selecting};
use crate::output::sink::{RowWriter, Sink};
use crate::progress::Progress;
use crate::report::summary::{self, Input, SkippedEntry, Stage};
use crate::run::find::Find;
use crate::run::{Files, Run};

/// What a run of `pairs` did.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PairsReport {
    /// The input.
    pub input: Input,
    /// Whether all pairs were compared exactly because the input is small and no method was asked for.
    pub exact_because_small: bool,
    /// Number of pairs found; if a sample was asked for, not all were written.
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

/// Writes every near-duplicate pair, left before right in the order of the input, sorted by left and then right. With a
/// reference, left is of the input and right of the reference.
///
/// # Errors
///
/// When an input cannot be read, or `writer` cannot be written to.
pub fn pairs(options: &PairsOptions, writer: &mut dyn Write, progress: &dyn Progress) -> Result<PairsReport> {
    pairs_into(options, &mut RowWriter::new(writer, options.format), progress)
}

/// Hands the rows that [`pairs()`] would write to a sink; `options.format` does not matter.
///
/// # Errors
///
/// When an input cannot be read, or the sink fails.
pub fn pairs_into(
    options: &PairsOptions,
    sink: &mut dyn Sink<PairRow>,
    progress: &dyn Progress,
) -> Result<PairsReport> {
    let scheme = &options.scheme;
    run(options, &mut Rows { scheme, sink, left: None, waiting: Vec::new(), waiting_bytes: 0 }, progress)
}

/// What becomes of pairs: rows, or texts to look at.
pub(crate) trait TakePairs {
    /// Comes before all pairs.
    fn start(&mut self, corpus: &Corpus) -> Result<()>;

    /// Takes the next pair.
    fn take(&mut self, corpus: &Corpus, pair: FoundPair) -> Result<()>;

    /// Comes after all pairs.
    fn finish(&mut self) -> Result<()>;
}

/// Finds pairs, and hands on those that are wanted.
pub(crate) fn run(options: &PairsOptions, taker: &mut dyn TakePairs, progress: &dyn Progress) -> Result<PairsReport> {
    let Selection { references, tables, .. } = options.selection.clone();
    let scope = if options.has_reference() { Scope::References } else { Scope::Everything };
    let against = options.has_reference().then_some(Against { references, tables, scope });
    let files = Files::find(&options.read, against.as_ref(), options.output.as_deref(), &options.work)?;
    let resources = (options.resources.memory, &options.work);
    let run = Run::start(&files, &options.scheme, resources, &options.label(), progress)?
        .exact_if_small(options.exact_if_small);

    let mut corpus = run.read(files, &options.read)?;
    let reread = run.reread(&corpus, &options.read);
    // In the order of the input, so that the first copy stands for all.
    let texts = run.join_copies(&corpus, &reread.deciding, &Keep::First)?;
    let (texts, shared) = against::apart(&corpus, texts);
    let references = against::references(&corpus, &texts, scope);
    let mut near = Near::new(&corpus, &texts, options.copies, &run.work);
    for (input, reference) in shared {
        near.push(input, reference, run.scheme.method().likeness_of_copies(corpus.sizes[input.index()]))?;
    }
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeMatches<'_>| {
        each_match(candidates, &texts.items, references, verifier, take)
    };
    let find = Find { items: reread.items(), texts: &texts, references, kept: corpus.take_kept_features() };
    let found = find.run(&run, resolve, |matches| near.add(&texts, &matches))?;
    let mut selecting = Selecting::new(&options.selection, run.scheme.criterion());
    let written = run.stage("write", || write(taker, &mut selecting, (&corpus, &texts), near, options, progress));
    let pairs = until_closed(written)?;
    corpus.shelf.check_unchanged()?;
    let (stages, work) = run.end();
    work.finish()?;

    Ok(PairsReport {
        input: summary::input(&corpus, &options.read)?,
        exact_because_small: found.is_small,
        found_count: selecting.count,
        pair_count: pairs,
        passed_over: found.passed_over,
        stages,
        skipped: summary::skipped(&corpus),
        // Nobody needs them any more.
        lengths: std::mem::take(match options.scheme.criterion() {
            Criterion::Containment(_) => &mut corpus.sizes,
            _ => &mut corpus.token_counts,
        }),
    })
}

/// Hands on the pairs that are wanted, and says how many.
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
        // A text that input and reference share is known beforehand, and found as well.
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

/// Makes rows of pairs.
struct Rows<'a> {
    scheme: &'a Scheme,
    sink: &'a mut dyn Sink<PairRow>,
    /// The left document of the latest row, which often has more.
    left: Option<(Document, Left)>,
    /// Rows that wait for others, and about how long their texts are.
    waiting: Vec<PairRow>,
    waiting_bytes: usize,
}

/// What rows say of a left document.
#[derive(Clone)]
struct Left {
    id: String,
    file: String,
    position: u64,
    checksum: Option<String>,
}

/// How many rows wait for each other, and how many bytes of them: ids may be of any length.
const WAITING: usize = 512;
const WAITING_BYTES: usize = 1 << 18;

impl TakePairs for Rows<'_> {
    fn start(&mut self, corpus: &Corpus) -> Result<()> {
        // Whatever the pairs are, copies have the same columns.
        let measures = Measures::of(self.scheme.method().likeness_of_copies(1));
        self.sink.start(&PairRow::columns(measures, corpus.has_checksums())).map_err(Error::unwritable)
    }

    fn take(&mut self, corpus: &Corpus, (left, right, likeness): FoundPair) -> Result<()> {
        let Left { id: left_id, file: left_file, position: left_position, checksum } = self.left(corpus, left)?;
        let (right, measures) = (corpus.describe(right)?, Measures::of(likeness));
        let row = PairRow {
            left_id,
            right_id: right.id().into_owned(),
            similarity: likeness.similarity(self.scheme.criterion()),
            jaccard: measures.jaccard,
            containment_of_left: measures.containment_of_left,
            containment_of_right: measures.containment_of_right,
            hamming: measures.hamming,
            checksum,
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
