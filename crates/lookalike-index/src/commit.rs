//! The operations of the single writer, performed one at a time: append to the log, sync, publish, and from time to
//! time convert the documents in memory to a segment.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::error::{At, Error, Result};
use crate::files;
use crate::kernel::{Kernel, Prepared};
use crate::log::{LogFile, LogWriter, Record};
use crate::row::{Place, Row};
use crate::shared::Shared;
use crate::state::{Changes, State};
use crate::types::{NewDocument, Put};

/// Maximum bytes of documents in memory before they become a segment.
const MEMORY_BYTES: usize = 64 << 20;

/// Size of a log at which the next one is started.
const LOG_BYTES: u64 = 256 << 20;

/// With at most this many documents in memory, and this many commits, closing leaves them to be replayed, which avoids
/// small segments.
const REPLAYED: u64 = 1000;

/// Maximum number of commits to replay: about one second of work. If the same documents are replaced repeatedly, memory
/// does not grow, but the data to read at the next start does.
const MOST_COMMITS: u64 = 200_000;

/// A write requested by a thread.
pub(crate) enum Write {
    Put { prepared: Prepared, stored: Stored },
    Delete { id: Box<str> },
}

/// The stored form of a document.
pub(crate) struct Stored {
    pub(crate) id: Box<str>,
    pub(crate) fields: Box<str>,
    pub(crate) body: Box<[u8]>,
}

impl Stored {
    pub(crate) fn record(&self, sequence: u64) -> Record<'_> {
        Record { sequence, id: &self.id, fields: &self.fields, body: &self.body }
    }
}

impl Write {
    pub(crate) fn put(kernel: &Kernel, document: &NewDocument<'_>) -> Self {
        let (prepared, body) = kernel.prepare(document);
        let body = body.unwrap_or_else(|| document.text.as_bytes().to_vec()).into();
        let stored = Stored { id: document.id.into(), fields: document.fields.into(), body };
        Self::Put { prepared, stored }
    }

    pub(crate) fn ready(kernel: &Kernel, document: &NewDocument<'_>, keys: &[u64], bytes: &[u8]) -> Self {
        let id_hash = kernel.id_hash(document.id);
        let row = Row {
            text_hash: u128::from(id_hash) << 64,
            id_hash,
            digest: id_hash,
            content_hash: 0,
            size: 1,
            place: Place::default(),
        };
        let prepared = Prepared { row, keys: keys.to_vec(), sketch: bytes.to_vec(), features: Vec::new() };
        let body = document.text.as_bytes().into();
        Self::Put { prepared, stored: Stored { id: document.id.into(), fields: document.fields.into(), body } }
    }

    pub(crate) fn delete(id: &str) -> Self {
        Self::Delete { id: id.into() }
    }

    fn id(&self) -> &str {
        match self {
            Self::Put { stored, .. } => &stored.id,
            Self::Delete { id } => id,
        }
    }
}

impl std::fmt::Debug for Write {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Put { stored, .. } => write!(f, "put {}", stored.id),
            Self::Delete { id, .. } => write!(f, "delete {id}"),
        }
    }
}

/// A request of one waiting thread.
#[derive(Debug)]
pub(crate) struct Request {
    writes: Mutex<Vec<Write>>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Debug)]
enum Progress {
    Waits,
    /// The waiting thread must write for all.
    Leads,
    Served(Result<Vec<Put>>),
    Taken,
}

impl Request {
    pub(crate) fn new(writes: Vec<Write>) -> Self {
        Self { writes: Mutex::new(writes), progress: Mutex::new(Progress::Waits), changed: Condvar::new() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The outcome, if the request has been served.
    pub(crate) fn outcome(&self) -> Option<Result<Vec<Put>>> {
        let mut progress = self.progress();
        match std::mem::replace(&mut *progress, Progress::Taken) {
            Progress::Served(outcome) => Some(outcome),
            other => {
                *progress = other;
                None
            }
        }
    }

    /// Waits until the request has been served, or until this thread must write for all; in that case there is no
    /// outcome yet.
    pub(crate) fn wait(&self) -> Option<Result<Vec<Put>>> {
        let mut progress = self.progress();
        while matches!(*progress, Progress::Waits) {
            progress = self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        drop(progress);
        self.outcome()
    }

    /// Makes the waiting thread write for all.
    pub(crate) fn lead(&self) {
        *self.progress() = Progress::Leads;
        self.changed.notify_one();
    }

    fn take(&self) -> Vec<Write> {
        std::mem::take(&mut *self.writes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn serve(&self, outcome: Result<Vec<Put>>) {
        *self.progress() = Progress::Served(outcome);
        self.changed.notify_one();
    }
}

/// State of the writer.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) log: LogWriter,
    /// The published state.
    pub(crate) state: Arc<State>,
    /// Number of the next file.
    pub(crate) next_file: u32,
    /// Reason why writing is no longer possible.
    pub(crate) poison: Option<String>,
    /// True if the log has commits that the manifest does not record as durable.
    pub(crate) has_news: bool,
    pub(crate) memory_bytes: usize,
    pub(crate) log_bytes: u64,
    pub(crate) most_commits: u64,
}

impl Core {
    /// Continues where the last writer ended; a torn end of the log is truncated.
    pub(crate) fn open(shared: &Shared) -> Result<Self> {
        let (disk, folder) = (&*shared.disk, &shared.folder);
        let before = shared.state();
        let (mut state, length) = State::load(disk, folder, &shared.kernel, Some(&before))?;
        let number = state.tail.number;
        let path = folder.log(number);
        let log = Arc::new(LogFile::open(disk, &path, number, shared.kernel.fingerprint, true)?);
        if length > state.end {
            log.file.set_len(state.end).at(&path)?;
        }
        if state.end > state.tail.durable {
            // After a failed sync, pages that are not on disk may appear to be. Write them again.
            rewrite(&log, state.tail.durable, state.end)?;
        }
        if length > state.end || state.end > state.tail.durable {
            log.file.sync().at(&path)?;
        }
        if let Some((file, _)) = state.logs.get_mut(&number) {
            *file = Arc::clone(&log);
        }
        state.epoch += 1;
        let next_file = files::next_file(disk, folder)?.max(state.next_file);
        let log = LogWriter::new(log, state.end);
        let has_news = state.end > state.tail.durable;
        let state = Arc::new(state);
        shared.publish(Arc::clone(&state));
        files::sweep(disk, folder, &state);
        Ok(Self { has_news, ..Self::new(log, state, next_file) })
    }

    pub(crate) fn new(log: LogWriter, state: Arc<State>, next_file: u32) -> Self {
        let (memory_bytes, log_bytes, most_commits) = (MEMORY_BYTES, LOG_BYTES, MOST_COMMITS);
        Self { log, state, next_file, poison: None, has_news: false, memory_bytes, log_bytes, most_commits }
    }

    /// Returns an error if an earlier write failed permanently.
    pub(crate) fn check(&self, shared: &Shared) -> Result<()> {
        match &self.poison {
            None => Ok(()),
            Some(reason) => Err(Error::Poisoned { path: shared.folder.path.clone(), reason: reason.clone() }),
        }
    }

    /// Rolls back what was appended but not committed. Only after a full disk does the writer remain usable.
    pub(crate) fn fail(&mut self, shared: &Shared, error: Error) -> Error {
        if !matches!(error, Error::DiskFull { .. } | Error::NotADocument { .. }) {
            self.poison.get_or_insert_with(|| error.to_string());
        }
        self.take_back(shared);
        error
    }

    /// Rolls back what was appended but not committed.
    pub(crate) fn take_back(&mut self, shared: &Shared) {
        shared.cache.forget(self.log.log.number, self.log.committed);
        if let Err(error) = self.log.roll_back() {
            self.poison.get_or_insert_with(|| error.to_string());
        }
    }

    /// Makes the appended data valid, waits until it is on disk, and publishes the state that includes it.
    pub(crate) fn commit(&mut self, shared: &Shared, mut state: State) -> Result<()> {
        if let Err(error) = self.log.commit(state.commit) {
            return Err(self.fail(shared, error));
        }
        if let Err(error) = self.log.log.file.sync().at(&self.log.log.path) {
            // The state of the disk is now unknown. A later read of the log may or may not find this commit, but never
            // a part of it.
            self.poison.get_or_insert_with(|| error.to_string());
            return Err(error);
        }
        self.log.committed = self.log.end;
        state.end = self.log.end;
        state.commit += 1;
        self.has_news = true;
        self.publish(shared, state);
        Ok(())
    }

    pub(crate) fn publish(&mut self, shared: &Shared, state: State) {
        self.state = Arc::new(state);
        shared.publish(Arc::clone(&self.state));
    }

    /// Serves all these requests in one commit.
    pub(crate) fn serve(&mut self, shared: &Shared, requests: &[Arc<Request>]) {
        let writes: Vec<Vec<Write>> = requests.iter().map(|request| request.take()).collect();
        let lengths: Vec<usize> = writes.iter().map(Vec::len).collect();
        match self.apply(shared, writes.into_iter().flatten().collect()) {
            Ok(mut outcomes) => {
                for (request, length) in requests.iter().zip(lengths) {
                    let rest = outcomes.split_off(length);
                    request.serve(Ok(std::mem::replace(&mut outcomes, rest)));
                }
                self.maintain(shared);
            }
            Err(error) => requests.iter().for_each(|request| request.serve(Err(error.clone()))),
        }
    }

    /// Applies writes in one commit. A delete that found its document is reported as [`Put::Replaced`].
    fn apply(&mut self, shared: &Shared, writes: Vec<Write>) -> Result<Vec<Put>> {
        self.check(shared)?;
        let (state, kernel) = (Arc::clone(&self.state), &*shared.kernel);
        let find = |write: &Write| state.find(kernel, &shared.cache, write.id());
        let found: Vec<_> = if writes.len() < 64 {
            writes.iter().map(find).collect::<Result<_>>()?
        } else {
            writes.par_iter().with_min_len(16).map(find).collect::<Result<_>>()?
        };
        let mut changes = Changes::new(&state, kernel, false);
        let (mut stored, mut deletes, mut outcomes) = (Vec::new(), Vec::new(), Vec::with_capacity(writes.len()));
        for (write, found) in writes.into_iter().zip(found) {
            outcomes.push(match write {
                Write::Put { prepared, stored: new } => {
                    let outcome = changes.put(&new.id, prepared, found);
                    if outcome != Put::Unchanged {
                        stored.push(new);
                    }
                    outcome
                }
                Write::Delete { id } => {
                    let was_there = changes.delete(&id, found);
                    if was_there && found.is_some() {
                        deletes.push(id);
                    }
                    if was_there { Put::Replaced } else { Put::Unchanged }
                }
            });
        }
        if changes.is_empty() {
            return Ok(outcomes);
        }
        let state = self.append(shared, changes, &stored, &deletes)?;
        self.commit(shared, state)?;
        Ok(outcomes)
    }

    /// Appends changes to the log and returns the state that includes them. Nothing is committed yet.
    pub(crate) fn append(
        &mut self,
        shared: &Shared,
        mut changes: Changes<'_>,
        stored: &[Stored],
        deletes: &[Box<str>],
    ) -> Result<State> {
        let (commit, mut sequence) = changes.numbers();
        let mut next = || {
            sequence += 1;
            sequence - 1
        };
        let numbered: Vec<(u64, &str)> = deletes.iter().map(|id| (next(), &**id)).collect();
        let records: Vec<Record<'_>> = changes.left().map(|number| stored[number].record(next())).collect();
        let written = self.log.deletes(commit, &numbered).and_then(|()| self.log.documents(commit, &records));
        let places = match written {
            Ok(places) => places,
            Err(error) => return Err(self.fail(shared, error)),
        };
        changes.place(places);
        changes.deletes = deletes.len() as u64;
        let mut state = changes.apply();
        state.sequence = sequence;
        Ok(state)
    }

    /// Creates segments and starts new logs when it is time. Errors here do not undo any write.
    pub(crate) fn maintain(&mut self, shared: &Shared) {
        let is_little = self.state.memory_bytes() < self.memory_bytes && self.state.new_commits() < self.most_commits;
        if is_little && self.log.end < self.log_bytes {
            return;
        }
        if let Err(error) = self.flush(shared).and_then(|()| self.merge(shared)) {
            // After a full disk, the next commit tries again.
            if !matches!(error, Error::DiskFull { .. }) {
                self.poison.get_or_insert_with(|| error.to_string());
            }
        }
    }

    /// Reduces the log that must be replayed.
    pub(crate) fn close(&mut self, shared: &Shared) -> Result<()> {
        if self.poison.is_some() || !self.has_news {
            return Ok(());
        }
        let count = self.state.memory_rows().max(self.state.new_commits());
        let is_large = count > REPLAYED || self.state.memory_bytes() > self.memory_bytes / 16;
        if is_large {
            return self.flush(shared).and_then(|()| self.merge(shared));
        }
        self.vouch(shared)
    }
}

/// Rewrites bytes of a log in place.
fn rewrite(log: &LogFile, from: u64, to: u64) -> Result<()> {
    const AT_ONCE: u64 = 1 << 20;
    let mut at = from;
    while at < to {
        let mut bytes = vec![0; (to - at).min(AT_ONCE) as usize];
        log.file.read_exact_at(&mut bytes, at).at(&log.path)?;
        log.file.write_all_at(&bytes, at).at(&log.path)?;
        at += bytes.len() as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{CreateOptions, Index, NewDocument};

    #[test]
    fn documents_that_are_replaced_again_and_again_leave_little_to_be_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let index = Index::create(&path, &CreateOptions::default()).unwrap();
        let writer = index.writer().unwrap();
        writer.core().most_commits = 20;
        for round in 0..90 {
            let text = format!("text in round {round}");
            writer.put(NewDocument::new(if round % 2 == 0 { "even" } else { "odd" }, &text)).unwrap();
            assert!(writer.core().state.new_commits() < 20);
        }
        drop(writer);
        let reopened = Index::open(&path).unwrap();
        assert!(reopened.shared.state().new_commits() < 20);
        let snapshot = reopened.snapshot().unwrap();
        let documents: Vec<_> = snapshot.documents().map(|document| document.unwrap()).collect();
        let texts: Vec<_> = documents.iter().map(|document| (&*document.id, document.text.as_deref())).collect();
        assert_eq!(texts, [("even", Some("text in round 88")), ("odd", Some("text in round 89"))]);
    }
}
