//! One immutable state of an index.

use std::num::NonZeroU32;
use std::sync::Arc;

use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::similarity::{Similarity, Threshold};
use rayon::prelude::*;

use crate::bulk;
use crate::disk::DiskFile;
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::log::{Cache, Operation, Record, each_frame};
use crate::part::{Held, Part};
use crate::row::Row;
use crate::search::{Found, Outcome, Question, Search};
use crate::shared::Shared;
use crate::state::{Changes, State};
use crate::types::{Answer, Document, Hit, Query, SearchOptions, Stat, Store};

/// One state of an index, which does not include later writes. Shared among threads.
///
/// ```
/// use lookalike_index::{CreateOptions, Index, NewDocument, Query, SearchOptions};
///
/// # let folder = tempfile::tempdir().unwrap();
/// let index = Index::create(&folder.path().join("index"), &CreateOptions::default())?;
/// let writer = index.writer()?;
/// writer.put(NewDocument::new("a", "one two three four five six seven eight").with_fields(r#"{"year":1999}"#))?;
/// let snapshot = index.snapshot()?;
/// writer.delete(&["a"])?;
///
/// let answer = snapshot.search(Query::Text("One, two, three, four, five, six, seven, eight!"), &SearchOptions::default())?;
/// assert_eq!(answer.hits[0].fields, r#"{"year":1999}"#);
/// assert!(answer.complete && snapshot.len() == 1 && index.snapshot()?.is_empty());
/// # Ok::<(), lookalike_index::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    kernel: Arc<Kernel>,
    cache: Arc<Cache>,
    pub(crate) state: Arc<State>,
}

impl Snapshot {
    pub(crate) fn new(shared: &Shared, state: Arc<State>) -> Self {
        Self { kernel: Arc::clone(&shared.kernel), cache: Arc::clone(&shared.cache), state }
    }

    /// Finds the documents that are similar enough, each measured exactly.
    ///
    /// A text without words has no near-duplicates.
    ///
    /// # Errors
    ///
    /// If the threshold is below that of the index, no document has the id, or a file cannot be read or is damaged.
    pub fn search(&self, query: Query<'_>, options: &SearchOptions) -> Result<Answer> {
        let search = self.prepare(options)?;
        self.answer(search.run(&self.question_for(query)?)?)
    }

    /// Searches for many texts, on all threads; the answers are in the order of the texts.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_many(&self, texts: &[&str], options: &SearchOptions) -> Result<Vec<Answer>> {
        let queries: Vec<Query<'_>> = texts.iter().map(|text| Query::Text(text)).collect();
        self.search_each(&queries, options)
    }

    /// Searches for many queries of any kind.
    ///
    /// # Errors
    ///
    /// As [`search`](Self::search).
    pub fn search_each(&self, queries: &[Query<'_>], options: &SearchOptions) -> Result<Vec<Answer>> {
        let search = self.prepare(options)?;
        let mut answers = Vec::with_capacity(queries.len());
        for some in queries.chunks(bulk::AT_ONCE) {
            let questions: Vec<Question> =
                some.par_iter().map(|query| self.question_for(*query)).collect::<Result<_>>()?;
            let answer = |outcome| self.answer(outcome);
            if bulk::is_cheaper(&search, &questions) {
                let outcomes = bulk::run(&search, &questions)?;
                answers.extend(outcomes.into_par_iter().map(answer).collect::<Result<Vec<_>>>()?);
            } else {
                let each = |question| search.run(question).and_then(answer);
                answers.extend(questions.par_iter().map(each).collect::<Result<Vec<_>>>()?);
            }
        }
        Ok(answers)
    }

    pub(crate) fn question(&self, text: &str) -> Question {
        let (probe, features) = self.kernel.probe(text);
        let lookups = self.kernel.lookups(&probe, &features);
        Question { probe, lookups, except: None, own: None }
    }

    fn question_for(&self, query: Query<'_>) -> Result<Question> {
        match query {
            Query::Text(text) => Ok(self.question(text)),
            Query::Id(id) => self.question_of(id),
            Query::Document { id, text } => {
                let own = self.state.find(&self.kernel, &self.cache, id)?;
                let own = own.map(|found| (found.part as u32, found.row));
                Ok(Question { own, ..self.question(text) })
            }
        }
    }

    fn question_of(&self, id: &str) -> Result<Question> {
        let row = self.find(id)?.ok_or_else(|| Error::NoSuchDocument { id: id.to_owned() })?;
        let (run, index) = self.state.run_of(&self.cache, &row)?;
        let probe = run.record(index).and_then(|record| self.kernel.probe_again(&record));
        let (probe, features) = probe.ok_or_else(|| self.state.damaged(&row))?;
        let lookups = self.kernel.lookups(&probe, &features);
        Ok(Question { probe, lookups, except: Some(row.place), own: None })
    }

    pub(crate) fn prepare(&self, options: &SearchOptions) -> Result<Search<'_>> {
        let lowest = self.kernel.scheme.threshold();
        let threshold = options.threshold().unwrap_or(lowest);
        if threshold < lowest || threshold.is_nan() {
            return Err(Error::ThresholdTooLow { threshold, lowest });
        }
        Ok(Search {
            kernel: &self.kernel,
            cache: &self.cache,
            state: &self.state,
            criterion: with_threshold(self.kernel.scheme.criterion(), threshold)?,
            // If bits decide, a threshold applies only if it is given.
            threshold: options.threshold().unwrap_or(0.0),
            max_candidates: options.max_candidates(),
            top: options.top(),
        })
    }

    fn answer(&self, outcome: Outcome) -> Result<Answer> {
        let Outcome { found, match_count, candidates, passed_over } = outcome;
        let hit = |found: &Found| {
            let hit = |record: Record<'_>| Hit {
                id: record.id.to_owned(),
                similarity: found.similarity,
                likeness: found.likeness,
                exact_copy: found.exact_copy,
                fields: record.fields.to_owned(),
            };
            self.with_record(&found.row, hit)
        };
        let hits = found.iter().map(hit).collect::<Result<Vec<_>>>()?;
        let (candidate_count, compared_count) = (candidates, candidates - passed_over);
        let complete = passed_over == 0 && hits.len() as u64 == match_count;
        Ok(Answer { hits, match_count, complete, candidate_count, compared_count })
    }

    /// Calls `with` with the record of a row.
    pub(crate) fn with_record<O>(&self, row: &Row, with: impl FnOnce(Record<'_>) -> O) -> Result<O> {
        let (run, index) = self.state.run_of(&self.cache, row)?;
        let record = run.record(index).filter(|record| self.kernel.id_hash(record.id) == row.id_hash);
        record.map(with).ok_or_else(|| self.state.damaged(row))
    }

    fn find(&self, id: &str) -> Result<Option<Row>> {
        Ok(self.state.find(&self.kernel, &self.cache, id)?.map(|found| found.data))
    }

    /// Returns the document with this id.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged.
    pub fn document(&self, id: &str) -> Result<Option<Document>> {
        self.find(id)?.map(|row| self.read(&row)).transpose()
    }

    /// True if there is a document with this id.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged.
    pub fn contains(&self, id: &str) -> Result<bool> {
        Ok(self.find(id)?.is_some())
    }

    /// True if the document with this id has this text. If texts are not stored, the hash of its content is compared.
    ///
    /// # Errors
    ///
    /// As [`document`](Self::document).
    pub fn has_text(&self, id: &str, text: &str) -> Result<bool> {
        let Some(row) = self.find(id)? else { return Ok(false) };
        match self.kernel.store {
            Store::Text => self.with_record(&row, |record| record.body == text.as_bytes()),
            Store::Features => Ok(row.content_hash == self.kernel.content_hash(text)),
        }
    }

    /// The same state without the documents with these ids, for a reader that must ignore them. Nothing is deleted.
    ///
    /// # Errors
    ///
    /// As [`document`](Self::document).
    pub fn without(&self, ids: &[&str]) -> Result<Self> {
        let mut changes = Changes::new(&self.state, &self.kernel, true);
        for id in ids {
            changes.delete(id, self.state.find(&self.kernel, &self.cache, id)?);
        }
        let state = Arc::new(changes.apply());
        Ok(Self { kernel: Arc::clone(&self.kernel), cache: Arc::clone(&self.cache), state })
    }

    /// The last document with this id that was deleted, while its row exists: until the index is compacted or segments
    /// are merged. None if a document has the id now.
    ///
    /// ```
    /// use lookalike_index::{CreateOptions, Index, NewDocument};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let index = Index::create(&folder.path().join("index"), &CreateOptions::default())?;
    /// let writer = index.writer()?;
    /// writer.put(NewDocument::new("a", "one two three four five six"))?;
    /// writer.delete(&["a"])?;
    /// assert_eq!(index.snapshot()?.deleted_document("a")?.unwrap().text.unwrap(), "one two three four five six");
    /// writer.compact(true)?;
    /// assert!(index.snapshot()?.deleted_document("a")?.is_none());
    /// # Ok::<(), lookalike_index::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged.
    pub fn deleted_document(&self, id: &str) -> Result<Option<Document>> {
        if self.find(id)?.is_some() {
            return Ok(None);
        }
        if let Some(row) = self.state.find_deleted(&self.kernel, &self.cache, id)? {
            return self.read(&row).map(Some);
        }
        // An index that was just opened has no rows for documents written and deleted since the last segment: they are
        // only in the log.
        let mut last = None;
        each_frame(&self.state.active_log().0, self.state.end, |operation| {
            for (run, place) in operation.iter().flat_map(Operation::documents) {
                let record = run.record(place.index).filter(|record| record.id == id);
                last = record.and_then(|record| self.document_of(&record)).or(last.take());
            }
            Ok(())
        })?;
        Ok(last)
    }

    fn document_of(&self, record: &Record<'_>) -> Option<Document> {
        let text = match self.kernel.store {
            Store::Text => Some(std::str::from_utf8(record.body).ok()?.to_owned()),
            Store::Features => None,
        };
        Some(Document { id: record.id.to_owned(), fields: record.fields.to_owned(), text })
    }

    pub(crate) fn read(&self, row: &Row) -> Result<Document> {
        let document = self.with_record(row, |record| self.document_of(&record))?;
        document.ok_or_else(|| self.state.damaged(row))
    }

    /// The rows of all documents in the order in which they were added.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Result<Row>> {
        const AT_ONCE: usize = 1024;
        self.state.parts.iter().flat_map(|held| {
            let mut live = held.live_rows().peekable();
            std::iter::from_fn(move || {
                live.peek()?;
                let mut rows = Vec::with_capacity(AT_ONCE);
                let read = held.each_row(live.by_ref().take(AT_ONCE), |_, row| rows.push(Ok(row)));
                rows.extend(read.err().map(Err));
                Some(rows)
            })
            .flatten()
        })
    }

    /// All documents in the order in which they were added.
    pub fn documents(&self) -> impl Iterator<Item = Result<Document>> {
        self.rows().map(|row| self.read(&row?))
    }

    /// Statistics of the index.
    pub fn stat(&self) -> Stat {
        let State { parts, logs, manifest, .. } = &*self.state;
        let bytes = |file: &Arc<dyn DiskFile>| file.length().unwrap_or(0);
        let segment_bytes = |held: &Held| match &held.part {
            Part::Disk { segment, .. } => Some(segment.byte_count()),
            Part::Memory(_) => None,
        };
        let scheme = &self.kernel.scheme;
        let recall = Similarity::new(scheme.threshold()).ok().and_then(|at| self.kernel.method.recall_at(at));
        Stat {
            document_count: self.len(),
            deleted_count: logs.values().map(|(_, info)| info.dead).sum(),
            in_memory_count: self.state.memory_rows(),
            segment_count: parts.iter().filter_map(segment_bytes).count() as u64,
            segment_bytes: parts.iter().filter_map(segment_bytes).sum(),
            log_bytes: logs.values().map(|(log, _)| bytes(&log.file)).sum(),
            log_count: logs.len() as u64,
            manifest: *manifest,
            store: self.kernel.store,
            scheme: scheme.to_string(),
            recall,
        }
    }

    /// Number of documents.
    pub fn len(&self) -> u64 {
        self.state.documents()
    }

    /// True if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rows found for keys of bands, for measurements.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged.
    #[doc(hidden)]
    pub fn lookup(&self, keys: &[u64]) -> Result<u64> {
        let mut count = 0;
        for held in &self.state.parts {
            for (column, key) in keys.iter().enumerate() {
                held.bucket(column, *key, |_| count += 1)?;
            }
        }
        Ok(count)
    }
}

/// Returns the same measure with another threshold.
fn with_threshold(criterion: Criterion, threshold: f64) -> Result<Criterion> {
    let checked = || Threshold::new(threshold);
    Ok(match criterion {
        Criterion::Jaccard(_) => Criterion::Jaccard(checked()?),
        Criterion::Containment(_) => Criterion::Containment(checked()?),
        Criterion::Cosine(_) => Criterion::Cosine(checked()?),
        Criterion::Overlap(least) => {
            Criterion::Overlap(NonZeroU32::new(threshold.ceil() as u32).unwrap_or(least).max(least))
        }
    })
}
