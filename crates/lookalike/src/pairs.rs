//! Discovery: every near-duplicate pair of a corpus.

use std::io::{self, Write};

use lookalike_core::keep::{Keep, Ranking, keep_order};
use lookalike_core::likeness::Likeness;
use lookalike_core::resolve::{Candidates, References, matches};
use lookalike_core::verify::Verifier;
use serde::Serialize;

use crate::copies::{Texts, join_copies};
use crate::corpus::{Corpus, Described, Reading};
use crate::error::{Error, Result};
use crate::find::Find;
use crate::measures::Measures;
use crate::near::Near;
use crate::options::{Copies, PairsOptions, RowFormat, SimilarityOptions};
use crate::progress::Progress;
use crate::space;
use crate::stages::Stages;
use crate::summary::{self, Input, SkippedEntry, Stage};
use crate::work::Work;

/// What a run of `pairs` did.
#[derive(Clone, Debug)]
pub struct PairsReport {
    /// What came in.
    pub input: Input,
    /// How many pairs were written.
    pub pairs: u64,
    /// How many pairs shared a bucket and were not looked at, since it has too many members; at most so many.
    pub passed_over: u64,
    /// How many of these are near-duplicates, if they are as often alike as those looked at.
    pub passed_over_matches: u64,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// What was skipped, and why: the first of them.
    pub skipped: Vec<SkippedEntry>,
}

/// Writes every near-duplicate pair, left before right in the order of the input, sorted by left and then right.
///
/// # Errors
///
/// When an input cannot be read, or `writer` cannot be written to.
pub fn pairs(options: &PairsOptions, writer: &mut dyn Write, progress: &dyn Progress) -> Result<PairsReport> {
    let shelf = Corpus::shelf(&options.read, options.output.as_deref())?;
    let work = Work::start(options.memory, &options.work, &shelf, &options.label())?;
    let input_files = shelf.files().len();
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let mut stages = Stages::start(progress);

    let similarity = &options.similarity;
    let method = &*similarity.method.method(similarity.criterion)?;
    space::check(&shelf, &options.read.settings, method.layout().byte_count(), &work)?;
    let reading = Reading { options: &options.read, similarity, method, work: &work, progress };
    let corpus = stages.run("sketch", Some(bytes), || Corpus::read(shelf, input_files, reading))?;
    let texts = stages.run("copies", None, || {
        // In the order of the input, so that the first copy stands for all.
        let ranking = Ranking { token_counts: &corpus.token_counts, field_values: &[] };
        join_copies(&corpus, &keep_order(&Keep::First, ranking))
    })?;
    let references = References::default();
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
    let mut near = Near::new(&corpus, &texts, options.copies, &work);
    let resolve = |candidates: Candidates<'_>, verifier: &Verifier<'_>| matches(candidates, &texts.items, verifier);
    let found = find.run(&mut stages, resolve, |matches| near.add(&texts, &matches))?;
    let mut rows = Rows { corpus: &corpus, similarity, format: options.format, writer, count: 0 };
    stages.run("write", None, || write(&mut rows, &corpus, &texts, near, options.copies))?;
    corpus.shelf.check_unchanged()?;
    work.finish()?;

    let pairs = rows.count;
    Ok(PairsReport {
        input: summary::input(&corpus, &options.read)?,
        pairs,
        passed_over: found.counts.map_or(0, |counts| counts.passed_over),
        passed_over_matches: found.counts.map_or(0, |counts| counts.expected_matches_passed_over()),
        stages: stages.finish(),
        skipped: summary::skipped(&corpus),
    })
}

fn write(rows: &mut Rows<'_>, corpus: &Corpus, texts: &Texts, near: Near<'_>, copies: Copies) -> Result<()> {
    rows.header().map_err(unwritable)?;
    let mut near = near.finish()?;
    for document in 0..corpus.len() as u32 {
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
        // Its own copies.
        let equals = rows.similarity.method.likeness_of_copies(corpus.sizes[document as usize]);
        others.extend(near.copies(first).iter().map(|(_, copy)| (*copy, equals)));
        others.retain(|(other, _)| *other > document);
        others.sort_unstable_by_key(|(other, _)| *other);
        if others.is_empty() {
            continue;
        }
        let described = corpus.describe(document)?;
        let checksum = corpus.checksum(document)?;
        for (other, likeness) in others {
            rows.row(&described, &corpus.describe(other)?, likeness, checksum.as_deref()).map_err(unwritable)?;
        }
    }
    rows.writer.flush().map_err(unwritable)
}

fn unwritable(cause: io::Error) -> Error {
    lookalike_io::Error::Unwritable { path: "the output".into(), cause }.into()
}

struct Rows<'a> {
    corpus: &'a Corpus,
    similarity: &'a SimilarityOptions,
    format: RowFormat,
    writer: &'a mut dyn Write,
    count: u64,
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

impl Rows<'_> {
    fn header(&mut self) -> io::Result<()> {
        if self.format == RowFormat::Jsonl {
            return Ok(());
        }
        // Whatever the pairs are, copies have the same columns.
        let names = self.measures(self.similarity.method.likeness_of_copies(1)).names();
        let checksum = if self.corpus.has_checksums() { "\tchecksum" } else { "" };
        writeln!(self.writer, "left_id\tright_id\t{names}{checksum}\t{PLACES}")
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
        self.count += 1;
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
            RowFormat::Tsv => {
                write!(self.writer, "{}\t{}\t{measures}", one_cell(left_id), one_cell(right_id))?;
                checksum.map_or(Ok(()), |checksum| write!(self.writer, "\t{checksum}"))?;
                let [left_file, right_file] = [left_file, right_file].map(one_cell);
                writeln!(self.writer, "\t{left_file}\t{left_position}\t{right_file}\t{right_position}")
            }
        }
    }
}

/// An id in one cell of one line, whatever is in it.
pub(crate) fn one_cell(id: &str) -> std::borrow::Cow<'_, str> {
    if id.contains(['\t', '\n', '\r', '\\']) {
        id.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r").into()
    } else {
        id.into()
    }
}
