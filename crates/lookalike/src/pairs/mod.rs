//! Discovery: every near-duplicate pair of a corpus, or of a corpus and a reference.

pub(crate) mod texts;

use std::io::{self, Write};

use lookalike_core::bucket::passed_over::PassedOverEstimate;
use lookalike_core::decision::Scope;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::resolve::keep::{Keep, Ranking, keep_order};
use lookalike_core::resolve::{Candidates, TakeMatches, each_match};
use lookalike_core::verify::Verifier;
use serde::Serialize;

use crate::candidates::Find;
use crate::candidates::against;
use crate::candidates::copies::{Texts, join_copies};
use crate::candidates::matches::Near;
use crate::corpus::reread::RereadBoth;
use crate::corpus::{Corpus, Described, Reading};
use crate::error::{Error, Result, until_closed};
use crate::options::{Against, Copies, PairsOptions, RowFormat, Scheme};
use crate::output::measures::Measures;
use crate::output::select::{FoundPair, Selecting};
use crate::progress::Progress;
use crate::report::stages::Stages;
use crate::report::summary::{self, Input, SkippedEntry, Stage};
use crate::resources::space;
use crate::resources::work::Work;

/// What a run of `pairs` did.
#[derive(Clone, Debug)]
pub struct PairsReport {
    /// What came in.
    pub input: Input,
    /// How many pairs were found, of which a sample may have been written.
    pub found: u64,
    /// How many pairs were written.
    pub pairs: u64,
    /// Pairs that shared a bucket and were not compared, since it has too many members.
    pub passed_over: PassedOverEstimate,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// What was skipped, and why: the first of them.
    pub skipped: Vec<SkippedEntry>,
}

/// Writes every near-duplicate pair, left before right in the order of the input, sorted by left and then right. With a
/// reference, left is of the input and right of the reference.
///
/// # Errors
///
/// When an input cannot be read, or `writer` cannot be written to.
pub fn pairs(options: &PairsOptions, writer: &mut dyn Write, progress: &dyn Progress) -> Result<PairsReport> {
    run(
        options,
        &mut Rows { similarity: &options.similarity, format: options.format, writer, checksum_of: None },
        progress,
    )
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
    let references = &options.selection.references;
    let against =
        (!references.is_empty()).then(|| Against { references: references.clone(), scope: Scope::References });
    let (shelf, input_files) = against::shelf(&options.read, against.as_ref(), options.output.as_deref())?;
    let work = Work::start(options.memory, &options.work, &shelf, &options.label(), progress.unfinished())?;
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let mut stages = Stages::start(progress);

    let similarity = &options.similarity;
    let method = &*similarity.method.method(similarity.criterion)?;
    space::check(&shelf, &options.read.settings, method.layout().byte_count(), &work)?;
    let reading = Reading { options: &options.read, similarity, method, work: &work, progress };
    let corpus = stages.run("sketch", Some(bytes), || Corpus::read(shelf, input_files, reading))?;
    let reread = RereadBoth::new(&corpus, &options.read, similarity, work.key(), progress);
    let texts = stages.run("copies", None, || {
        // In the order of the input, so that the first copy stands for all.
        let ranking = Ranking { token_counts: &corpus.token_counts, field_values: &[] };
        let order = against::references_first(&corpus, keep_order(&Keep::First, ranking));
        join_copies(&reread.deciding, &order, corpus.shares)
    })?;
    let (texts, shared) = against::apart(&corpus, texts);
    let references = against::references(&corpus, &texts, against.as_ref());
    let find =
        Find { items: reread.items(), texts: &texts, scheme: similarity, method, references, work: &work, progress };
    let mut near = Near::new(&corpus, &texts, options.copies, &work);
    for (input, reference) in shared {
        near.push(input, reference, similarity.method.likeness_of_copies(corpus.sizes[input as usize]))?;
    }
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>, take: &TakeMatches<'_>| {
        each_match(candidates, &texts.items, references, verifier, take)
    };
    let found = find.run(&mut stages, resolve, |matches| near.add(&texts, &matches))?;
    let mut selecting = Selecting::new(&options.selection, similarity.criterion);
    let written =
        stages.run("write", None, || write(taker, &mut selecting, (&corpus, &texts), near, options, progress));
    let pairs = until_closed(written)?;
    corpus.shelf.check_unchanged()?;
    work.finish()?;

    Ok(PairsReport {
        input: summary::input(&corpus, &options.read)?,
        found: selecting.count,
        pairs,
        passed_over: found.passed_over,
        stages: stages.finish(),
        skipped: summary::skipped(&corpus),
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
    let (copies, has_reference) = (options.copies, !options.selection.references.is_empty());
    let mut count = 0;
    for document in 0..corpus.input_count() as u32 {
        progress.go_on()?;
        let first = texts.first_copy[document as usize];
        if copies == Copies::Star && first != document {
            continue;
        }
        let mut others: Vec<(u32, Likeness)> = Vec::new();
        for (other, likeness) in near.of(document)? {
            match copies {
                Copies::All => others.extend(near.copies(other).iter().map(|(_, copy)| (*copy, likeness))),
                Copies::Star => others.push((other, likeness)),
            }
        }
        if !has_reference {
            // Its own copies.
            let equals = options.similarity.method.likeness_of_copies(corpus.sizes[document as usize]);
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

struct Rows<'a> {
    similarity: &'a Scheme,
    format: RowFormat,
    writer: &'a mut dyn Write,
    /// The left document of the latest row, which has often more, and its checksum.
    checksum_of: Option<(u32, Option<String>)>,
}

#[derive(Serialize)]
struct Row<'a> {
    left_id: &'a str,
    right_id: &'a str,
    #[serde(flatten)]
    measures: Measures,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'a str>,
    left_file: &'a str,
    left_position: u64,
    right_file: &'a str,
    right_position: u64,
}

/// The columns that say where both documents are, after all others.
const PLACES: &str = "left_file\tleft_position\tright_file\tright_position";

impl TakePairs for Rows<'_> {
    fn start(&mut self, corpus: &Corpus) -> Result<()> {
        self.header(corpus.has_checksums()).map_err(Error::unwritable)
    }

    fn take(&mut self, corpus: &Corpus, (left, right, likeness): FoundPair) -> Result<()> {
        if self.checksum_of.as_ref().is_none_or(|(document, _)| *document != left) {
            self.checksum_of = Some((left, corpus.checksum(left)?));
        }
        let checksum = self.checksum_of.as_ref().and_then(|(_, checksum)| checksum.clone());
        let [left, right] = [corpus.describe(left)?, corpus.describe(right)?];
        self.row(&left, &right, likeness, checksum.as_deref()).map_err(Error::unwritable)
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.flush().map_err(Error::unwritable)
    }
}

impl Rows<'_> {
    fn header(&mut self, has_checksums: bool) -> io::Result<()> {
        if self.format == RowFormat::Jsonl {
            return Ok(());
        }
        // Whatever the pairs are, copies have the same columns.
        let names = self.measures(self.similarity.method.likeness_of_copies(1)).names();
        let checksum = if has_checksums { "\tchecksum" } else { "" };
        let names = format!("left_id\tright_id\t{names}{checksum}\t{PLACES}");
        writeln!(self.writer, "{}", self.separated(&names))
    }

    fn measures(&self, likeness: Likeness) -> Measures {
        Measures::new(likeness, self.similarity.criterion)
    }

    fn row(
        &mut self,
        left: &Described<'_>,
        right: &Described<'_>,
        likeness: Likeness,
        checksum: Option<&str>,
    ) -> io::Result<()> {
        let measures = self.measures(likeness);
        let (left_id, right_id) = (&*left.id(), &*right.id());
        let (left_file, left_position) = (left.file(), left.position());
        let (right_file, right_position) = (right.file(), right.position());
        match self.format {
            RowFormat::Jsonl => {
                let row =
                    Row { left_id, right_id, measures, checksum, left_file, left_position, right_file, right_position };
                serde_json::to_writer(&mut *self.writer, &row)?;
                self.writer.write_all(b"\n")
            }
            RowFormat::Tsv | RowFormat::Csv => {
                let between = self.format.separator();
                let [left_id, right_id, left_file, right_file] =
                    [left_id, right_id, left_file, right_file].map(|text| self.format.cell(text));
                let measures = self.separated(&measures.to_string());
                write!(self.writer, "{left_id}{between}{right_id}{between}{measures}")?;
                checksum.map_or(Ok(()), |checksum| write!(self.writer, "{between}{checksum}"))?;
                writeln!(
                    self.writer,
                    "{between}{left_file}{between}{left_position}{between}{right_file}{between}{right_position}"
                )
            }
        }
    }

    /// Names or numbers with tabs between, as the format has them.
    fn separated(&self, cells: &str) -> String {
        cells.replace('\t', &self.format.separator().to_string())
    }
}
