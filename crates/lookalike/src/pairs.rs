//! Discovery: every near-duplicate pair of a corpus.

use std::io::{self, Write};

use lookalike_core::keep::{Keep, Ranking, keep_order};
use lookalike_core::likeness::Likeness;
use lookalike_core::resolve::{Match, matches};
use serde::Serialize;

use crate::copies::{Texts, join_copies};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::find::Find;
use crate::measures::Measures;
use crate::options::{Copies, PairsOptions, RowFormat, SimilarityOptions};
use crate::progress::Progress;
use crate::stages::Stages;
use crate::summary::{self, Input, SkippedEntry, Stage};

/// What a run of `pairs` did.
#[derive(Clone, Debug)]
pub struct PairsReport {
    /// What came in.
    pub input: Input,
    /// How many pairs were written.
    pub pairs: u64,
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
    let bytes = shelf.files().iter().map(|file| file.bytes).sum();
    let mut stages = Stages::start(progress);

    let similarity = &options.similarity;
    let method = &*similarity.method.method(similarity.criterion)?;
    let corpus =
        stages.run("sketch", Some(bytes), || Corpus::read(shelf, &options.read, similarity, method, progress))?;
    let texts = stages.run("copies", None, || {
        // In the order of the input, so that the first copy stands for all.
        let ranking = Ranking { token_counts: &corpus.token_counts, field_values: &[] };
        join_copies(&corpus, &keep_order(&Keep::First, ranking))
    });
    let find = Find { corpus: &corpus, texts: &texts, read: &options.read, similarity, method, progress };
    let matches = find.run(&mut stages, |candidates, verifier| matches(candidates, &texts.items, verifier))?.result;
    let mut rows = Rows { corpus: &corpus, similarity, format: options.format, writer, count: 0 };
    stages
        .run("write", None, || write(&mut rows, &corpus, &texts, &matches, options.copies))
        .map_err(|cause| lookalike_io::Error::Unwritable { path: "the output".into(), cause })?;
    corpus.shelf.check_unchanged()?;

    let pairs = rows.count;
    Ok(PairsReport {
        input: summary::input(&corpus, &options.read),
        pairs,
        stages: stages.finish(),
        skipped: summary::skipped(&corpus),
    })
}

fn write(rows: &mut Rows<'_>, corpus: &Corpus, texts: &Texts, matches: &[Match], copies: Copies) -> io::Result<()> {
    rows.header()?;
    let near = Near::new(corpus, texts, matches);
    for document in 0..corpus.len() as u32 {
        let first = texts.first_copy[document as usize];
        if copies == Copies::Star && first != document {
            continue;
        }
        let mut others: Vec<(u32, Likeness)> = Vec::new();
        // Its own copies.
        let equals = rows.similarity.method.likeness_of_copies(corpus.sizes[document as usize]);
        others.extend(near.copies(first).iter().map(|(_, copy)| (*copy, equals)));
        for (_, other, likeness) in near.matches(first) {
            match copies {
                Copies::All => others.extend(near.copies(*other).iter().map(|(_, copy)| (*copy, *likeness))),
                Copies::Star => others.push((*other, *likeness)),
            }
        }
        others.retain(|(other, _)| *other > document);
        others.sort_unstable_by_key(|(other, _)| *other);
        for (other, likeness) in others {
            rows.row(document, other, likeness)?;
        }
    }
    rows.writer.flush()
}

/// Who is near whom, by the documents that stand for texts.
struct Near {
    /// Text and copy, sorted. A text is a copy of itself.
    copies: Vec<(u32, u32)>,
    /// Both ways round, sorted by the first; it is on the left of the overlap.
    matches: Vec<(u32, u32, Likeness)>,
}

impl Near {
    fn new(corpus: &Corpus, texts: &Texts, matches: &[Match]) -> Self {
        let is_empty = |document: u32| corpus.token_counts[document as usize] == 0;
        let mut copies: Vec<(u32, u32)> = (0..)
            .zip(&texts.first_copy)
            .filter(|(copy, _)| !is_empty(*copy))
            .map(|(copy, first)| (*first, copy))
            .collect();
        copies.sort_unstable();
        let mut both: Vec<(u32, u32, Likeness)> = Vec::with_capacity(2 * matches.len());
        for Match { left, right, likeness } in matches {
            let [left, right] = [left, right].map(|rank| texts.items[*rank as usize]);
            both.push((left, right, *likeness));
            both.push((right, left, likeness.swapped()));
        }
        both.sort_unstable_by_key(|(left, right, _)| (*left, *right));
        Self { copies, matches: both }
    }

    fn copies(&self, text: u32) -> &[(u32, u32)] {
        equal_range(&self.copies, |(first, _)| *first, text)
    }

    fn matches(&self, text: u32) -> &[(u32, u32, Likeness)] {
        equal_range(&self.matches, |(left, _, _)| *left, text)
    }
}

/// The entries of a sorted slice with this key.
fn equal_range<T>(sorted: &[T], key: impl Fn(&T) -> u32, wanted: u32) -> &[T] {
    let start = sorted.partition_point(|entry| key(entry) < wanted);
    let length = sorted[start..].iter().take_while(|entry| key(entry) == wanted).count();
    &sorted[start..start + length]
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
}

impl Rows<'_> {
    fn header(&mut self) -> io::Result<()> {
        if self.format == RowFormat::Jsonl {
            return Ok(());
        }
        // Whatever the pairs are, copies have the same columns.
        let names = self.measures(self.similarity.method.likeness_of_copies(1)).names();
        let checksum = if self.corpus.has_checksums() { "\tchecksum" } else { "" };
        writeln!(self.writer, "left_id\tright_id\t{names}{checksum}")
    }

    fn measures(&self, likeness: Likeness) -> Measures {
        Measures::new(likeness, self.similarity.criterion)
    }

    fn row(&mut self, left: u32, right: u32, likeness: Likeness) -> io::Result<()> {
        self.count += 1;
        let checksum = self.corpus.checksum(left);
        let [left_id, right_id] = [left, right].map(|document| self.corpus.id(document));
        let measures = self.measures(likeness);
        match self.format {
            RowFormat::Jsonl => {
                let checksum = checksum.as_deref();
                let row = Row { left_id: &left_id, right_id: &right_id, measures, checksum };
                serde_json::to_writer(&mut *self.writer, &row)?;
                self.writer.write_all(b"\n")
            }
            RowFormat::Tsv => {
                write!(self.writer, "{}\t{}\t{measures}", one_cell(&left_id), one_cell(&right_id))?;
                checksum.map_or(Ok(()), |checksum| write!(self.writer, "\t{checksum}"))?;
                self.writer.write_all(b"\n")
            }
        }
    }
}

/// An id in one cell of one line, whatever is in it.
fn one_cell(id: &str) -> std::borrow::Cow<'_, str> {
    if id.contains(['\t', '\n', '\r', '\\']) {
        id.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r").into()
    } else {
        id.into()
    }
}
