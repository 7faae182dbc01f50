//! S2: joins documents with the same words, and numbers texts in keep order.

use std::collections::HashMap;
use std::sync::Mutex;

use lookalike_core::ids::{Document, Number};
use lookalike_core::method::Exact;
use lookalike_core::resolve::keep::{Ranking, keep_order};
use lookalike_io::format::Format;
use lookalike_io::stored::{Columns, Kind, TableReader, Values};

use super::Context;
use super::files::{Outputs, TaskRow, damaged};
use super::gathered::Sparse;
use super::stage::TaskStage;
use crate::candidates::against::references_first;
use crate::candidates::copies::{Texts, join_copies, lengths};
use crate::corpus::{Corpus, keep_field};
use crate::error::{Error, Result};
use crate::items::TextHashes;
use crate::output::captures::REVISIT;

const TEXTS: Columns<'_> = &[
    ("rank", Kind::Whole),
    ("unit", Kind::Whole),
    ("ordinal", Kind::Whole),
    ("document", Kind::Whole),
    ("bytes", Kind::Whole),
];

const COPIES: Columns<'_> = &[("document", Kind::Whole), ("first_copy", Kind::Whole), ("first_exact", Kind::Whole)];

/// Rows of a row group.
pub(super) const GROUP_ROWS: usize = 1 << 18;

/// Joins copies and ranks texts.
pub(super) fn rank(context: &Context<'_>, attempt: u32) -> Result<TaskRow> {
    let options = context.tasks.options();
    let mut outputs = Outputs::new(context.tasks, TaskStage::Rank, 0, attempt);
    let corpus = context.corpus()?;
    check(context, &corpus)?;
    keep_field::check(&corpus, &options.keep)?;
    let source_ranks = corpus.source_ranks(&options.keep, options.source)?;
    let token_counts = lengths(context.scheme.criterion(), &corpus.token_counts, &corpus.sizes);
    let ranking = Ranking { token_counts, field_values: &corpus.values, source_ranks: &source_ranks };
    let order = references_first(&corpus, keep_order(&options.keep, ranking));
    let texts = join(context, &corpus, &order)?;
    let features = texts.items.iter().map(|item| u64::from(corpus.sizes[item.index()])).sum();
    let is_small = options.exact_if_small && Exact::is_cheap(texts.items.len(), features);
    outputs.note("texts", texts.items.len());
    outputs.note("documents", corpus.len());
    outputs.note("references", texts.items.partition_point(|document| corpus.is_reference(*document)));
    outputs.note("is_small", is_small);
    write(context, &corpus, &texts, &mut outputs)?;
    Ok(outputs.finish())
}

/// Makes sure that files can be written one by one.
fn check(context: &Context<'_>, corpus: &Corpus) -> Result<()> {
    let crawls = corpus.kinds.iter().take(context.tasks.input_files()).filter(|kind| kind.format == Format::Warc);
    if corpus.others.carried.contains_key(REVISIT) && crawls.count() > 1 {
        return Err(Error::NotInTasks {
            what: "a crawl of several files with revisit records",
            instead: "use `lookalike dedup`, which looks up their pages in all files",
        });
    }
    Ok(())
}

/// Joins copies. Texts that seem to have the same words are read again first, all of a unit at once.
fn join(context: &Context<'_>, corpus: &Corpus, order: &[Document]) -> Result<Texts> {
    let mut hashes = Hashes { context, corpus, doubtful: Mutex::default(), words: None };
    let texts = join_copies(&hashes, order, corpus.shares)?;
    let doubtful = std::mem::take(&mut *hashes.doubtful.lock().expect("no thread panicked"));
    if doubtful.is_empty() {
        return Ok(texts);
    }
    hashes.words = Some(Sparse::read(context, corpus, doubtful)?.words_hashes()?);
    join_copies(&hashes, order, corpus.shares)
}

/// The hashes of a corpus. Hashes of words with the key of the run are only known after their documents were read
/// again; until then, the documents for which they are needed are noted.
struct Hashes<'a> {
    context: &'a Context<'a>,
    corpus: &'a Corpus,
    doubtful: Mutex<Vec<Document>>,
    words: Option<HashMap<Document, u128>>,
}

impl TextHashes for Hashes<'_> {
    fn token_counts(&self) -> &[u32] {
        &self.corpus.token_counts
    }

    fn is_compared(&self, document: Document) -> bool {
        self.corpus.sizes[document.index()] > 0
    }

    fn each_hashes(&self, each: &mut dyn FnMut(Document, u128, u128)) -> Result<()> {
        self.corpus.each_text_hash(each)
    }

    fn words_hash(&self, document: Document) -> Result<u128> {
        if let Some(words) = &self.words {
            return words.get(&document).copied().ok_or_else(|| damaged("the words of a document"));
        }
        self.doubtful.lock().expect("no thread panicked").push(document);
        Ok(0)
    }

    fn joins_exact_copies(&self) -> bool {
        self.context.scheme.method().checksum().is_some()
    }
}

fn write(context: &Context<'_>, corpus: &Corpus, texts: &Texts, outputs: &mut Outputs<'_>) -> Result<()> {
    // Places are found in the order of documents.
    let mut sorted = texts.items.clone();
    sorted.sort_unstable();
    let placed = context.placed(corpus, &sorted);
    let place = |document: &Document| placed[sorted.binary_search(document).unwrap_or_default()];
    outputs.table(".parquet", TEXTS, |writer| {
        for (at, items) in texts.items.chunks(GROUP_ROWS).enumerate() {
            let first = (at * GROUP_ROWS) as i64;
            let places: Vec<(usize, u32)> = items.iter().map(place).collect();
            let bytes = items.iter().map(|document| Ok(i64::from(corpus.row(*document)?.place.length)));
            writer.write(&[
                Values::Whole((first..).take(items.len()).collect()),
                Values::Whole(places.iter().map(|(unit, _)| *unit as i64).collect()),
                Values::Whole(places.iter().map(|(_, ordinal)| i64::from(*ordinal)).collect()),
                Values::Whole(items.iter().map(|document| i64::from(document.0)).collect()),
                Values::Whole(bytes.collect::<Result<_>>()?),
            ])?;
        }
        Ok(())
    })?;
    let is_copy = |at: &usize| {
        let document = Document(*at as u32);
        texts.first_copy[*at] != document || texts.first_exact[*at] != document
    };
    let copies: Vec<usize> = (0..texts.first_copy.len()).filter(is_copy).collect();
    outputs.table(".copies.parquet", COPIES, |writer| {
        for some in copies.chunks(GROUP_ROWS) {
            writer.write(&[
                Values::Whole(some.iter().map(|at| *at as i64).collect()),
                Values::Whole(some.iter().map(|at| i64::from(texts.first_copy[*at].0)).collect()),
                Values::Whole(some.iter().map(|at| i64::from(texts.first_exact[*at].0)).collect()),
            ])?;
        }
        Ok(())
    })
}

/// The row of S2, and the texts by rank: their units, numbers there, and bytes.
pub(super) struct Ranked {
    pub(super) row: TaskRow,
    pub(super) units: Vec<u32>,
    pub(super) ordinals: Vec<u32>,
    pub(super) documents: Vec<Document>,
    pub(super) bytes: Vec<u64>,
}

impl Ranked {
    pub(super) fn read(context: &Context<'_>) -> Result<Self> {
        let row = context.tasks.row(TaskStage::Rank, 0)?;
        let table = context.tasks.open_table(&row, 0, TEXTS)?;
        let (mut units, mut ordinals, mut documents, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for_each_group(&table, |columns| {
            units.extend(columns[1].iter().map(|unit| *unit as u32));
            ordinals.extend(columns[2].iter().map(|ordinal| *ordinal as u32));
            documents.extend(columns[3].iter().map(|document| Document(*document as u32)));
            bytes.extend(columns[4].iter().map(|bytes| *bytes as u64));
            Ok(())
        })?;
        Ok(Self { row, units, ordinals, documents, bytes })
    }

    /// True if all texts are one batch: the method does not find candidates by equal keys, or is not used.
    pub(super) fn is_one_batch(&self, context: &Context<'_>) -> bool {
        self.is_small() || context.scheme.method().banding().is_none()
    }

    /// True if the input is so small that it is compared exactly.
    pub(super) fn is_small(&self) -> bool {
        self.row.counts.get("is_small").and_then(serde_json::Value::as_bool) == Some(true)
    }

    /// Number of texts that are of the reference: the first ones.
    pub(super) fn references(&self) -> u32 {
        self.row.count("references") as u32
    }

    /// The texts of the corpus, as S2 has joined them.
    pub(super) fn texts(&self, context: &Context<'_>, document_count: usize) -> Result<Texts> {
        let mut first_copy: Vec<Document> = (0..document_count as u32).map(Document).collect();
        let mut first_exact = first_copy.clone();
        let table = context.tasks.open_table(&self.row, 1, COPIES)?;
        for_each_group(&table, |columns| {
            for (at, document) in columns[0].iter().enumerate() {
                let document = *document as usize;
                if document >= document_count {
                    return Err(damaged("S2"));
                }
                first_copy[document] = Document(columns[1][at] as u32);
                first_exact[document] = Document(columns[2][at] as u32);
            }
            Ok(())
        })?;
        Ok(Texts { items: self.documents.clone(), first_copy, first_exact })
    }
}

/// Gives the numbers of every row group of a table to `take`.
pub(super) fn for_each_group(table: &TableReader, mut take: impl FnMut(Vec<Vec<i64>>) -> Result<()>) -> Result<()> {
    (0..table.group_count()).try_for_each(|group| {
        let columns = table.read(group)?;
        take(columns.into_iter().map(Values::into_whole).collect())
    })
}
