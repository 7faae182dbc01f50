//! One state of an index: its parts and its logs. It is immutable; a commit derives a new state from it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;
use roaring::RoaringBitmap;

use crate::block::{Block, BlockBuilder};
use crate::checksummed;
use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Prepared};
use crate::log::{ALIGN, Cache, LogFile, Operation, Run, replay};
use crate::manifest::{Folder, LogInfo, Manifest, Tail};
use crate::part::{Held, Part};
use crate::row::{Place, Row};
use crate::segment::Segment;
use crate::types::Put;

/// Maximum number of rows of a joined block; larger ones wait for their segment.
const JOINED_ROWS: u32 = 1 << 16;

/// Number of documents of a log that are prepared at a time.
const AT_ONCE: usize = 4096;

/// One state of an index.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Segments, then blocks, in the order of insertion.
    pub(crate) parts: Vec<Held>,
    pub(crate) logs: BTreeMap<u32, (Arc<LogFile>, LogInfo)>,
    /// The manifest that it is based on.
    pub(crate) manifest: u64,
    pub(crate) epoch: u64,
    pub(crate) tail: Tail,
    /// End of the last commit in the current log.
    pub(crate) end: u64,
    /// Number of the next commit.
    pub(crate) commit: u64,
    /// Number of the next put or delete.
    pub(crate) sequence: u64,
    pub(crate) next_file: u32,
}

/// Location of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) part: usize,
    pub(crate) row: u32,
    pub(crate) data: Row,
}

impl State {
    /// Reads a manifest and the files it names, and replays the log after it. Files that are already open are reused.
    pub(crate) fn load(
        disk: &dyn Disk,
        folder: &Folder,
        kernel: &Kernel,
        before: Option<&Self>,
    ) -> Result<(Self, u64)> {
        let mut number = Manifest::newest(disk, folder)?;
        loop {
            match Self::of_manifest(disk, folder, kernel, number, before).and_then(|state| state.replayed(kernel)) {
                // Meanwhile a writer has published another state, and removed files of this one.
                Err(error) if error.is_not_found() => {
                    let newer = Manifest::newest(disk, folder)?;
                    if newer == number {
                        return Err(error);
                    }
                    number = newer;
                }
                loaded => return loaded,
            }
        }
    }

    fn of_manifest(
        disk: &dyn Disk,
        folder: &Folder,
        kernel: &Kernel,
        number: u64,
        before: Option<&Self>,
    ) -> Result<Self> {
        let manifest = Manifest::read(disk, folder, number)?;
        let mut parts = Vec::new();
        for file in &manifest.segments {
            let is_it = |held: &&Held| matches!(held.part, Part::Disk { number, .. } if number == file.number);
            let open = before.and_then(|before| before.parts.iter().find(is_it)).map(|held| held.part.clone());
            let segment = if let Some(Part::Disk { segment, .. }) = open {
                segment
            } else {
                let path = folder.segment(file.number);
                Arc::new(Segment::open(disk, &path, file.number, kernel.fingerprint, kernel.shape())?)
            };
            if segment.len() != file.rows {
                return Err(Error::damaged(
                    segment.path(),
                    "footer",
                    0,
                    "it has another number of rows than its manifest says",
                ));
            }
            let deleted = match file.deleted {
                Some([bitmap, count]) => read_bitmap(disk, folder, file.number, bitmap, count, file.rows)?,
                None => RoaringBitmap::new(),
            };
            let bitmap = file.deleted.map(|[bitmap, _]| bitmap);
            parts.push(Held { part: Part::Disk { segment, number: file.number, bitmap }, deleted: Arc::new(deleted) });
        }
        let mut logs = BTreeMap::new();
        for info in &manifest.logs {
            let open = before.and_then(|before| before.logs.get(&info.number)).map(|(log, _)| Arc::clone(log));
            let log = if let Some(log) = open {
                log
            } else {
                let path = folder.log(info.number);
                Arc::new(LogFile::open(disk, &path, info.number, kernel.fingerprint, false)?)
            };
            logs.insert(info.number, (log, *info));
        }
        if !logs.contains_key(&manifest.log.number) {
            return Err(Error::damaged(
                &folder.manifest(number),
                "manifest",
                0,
                "it does not name the log that is written to",
            ));
        }
        Ok(Self {
            parts,
            logs,
            manifest: number,
            epoch: manifest.epoch,
            tail: manifest.log,
            end: manifest.log.offset,
            commit: manifest.log.commit,
            sequence: manifest.next_sequence,
            next_file: manifest.next_file,
        })
    }

    /// Returns the state with all commits in the log so far, and the length of the log.
    pub(crate) fn replayed(self, kernel: &Kernel) -> Result<(Self, u64)> {
        let log = Arc::clone(&self.active_log().0);
        let (offset, commit, durable) = (self.end, self.commit, self.tail.durable);
        let mut state = self;
        let mut waiting: Vec<Operation> = Vec::new();
        let mut count = 0;
        let replayed = replay(&log, offset, durable, commit, |operations| {
            for operation in &operations {
                count += match operation {
                    Operation::Documents(run, _) => run.len() as usize,
                    Operation::Deletes(ids) => ids.len(),
                };
            }
            waiting.extend(operations);
            if count >= AT_ONCE {
                count = 0;
                state = state.with_operations(&std::mem::take(&mut waiting), kernel, &log)?;
            }
            Ok(())
        })?;
        if !waiting.is_empty() {
            state = state.with_operations(&waiting, kernel, &log)?;
        }
        (state.end, state.commit) = (replayed.end, replayed.commit);
        Ok((state, replayed.length))
    }

    /// Returns the state after operations that were read from a log.
    pub(crate) fn with_operations(&self, operations: &[Operation], kernel: &Kernel, log: &LogFile) -> Result<Self> {
        // Collect many operations: each may have a single document.
        let documents: Vec<(&Run, Place)> = operations.iter().flat_map(Operation::documents).collect();
        let cache = Cache::default();
        let prepare = |(run, place): &(&Run, Place)| {
            let damaged = || {
                let offset = u64::from(place.frame) * ALIGN;
                Error::damaged(&log.path, "frame", offset, "a document in it is not what an index stores")
            };
            let record = run.record(place.index).ok_or_else(damaged)?;
            let mut prepared = kernel.prepare_again(&record).ok_or_else(damaged)?;
            prepared.row.place = *place;
            let found = self.find(kernel, &cache, record.id)?;
            Ok((record.sequence, Box::<str>::from(record.id), prepared, found))
        };
        let mut prepared = documents.par_iter().map(prepare).collect::<Result<Vec<_>>>()?.into_iter();
        let mut changes = Changes::new(self, kernel, true);
        let mut sequence = self.sequence;
        for operation in operations {
            match operation {
                Operation::Documents(run, _) => {
                    for (number, id, prepared, found) in prepared.by_ref().take(run.len() as usize) {
                        sequence = sequence.max(number + 1);
                        changes.put(&id, prepared, found);
                    }
                }
                Operation::Deletes(ids) => {
                    for (number, id) in ids {
                        sequence = sequence.max(number + 1);
                        let found = self.find(kernel, &cache, id)?;
                        changes.delete(id, found);
                        changes.deletes += 1;
                    }
                }
            }
        }
        let mut state = changes.apply();
        state.sequence = sequence;
        Ok(state)
    }

    /// The current log.
    pub(crate) fn active_log(&self) -> &(Arc<LogFile>, LogInfo) {
        &self.logs[&self.tail.number]
    }

    /// Finds the document with this id.
    pub(crate) fn find(&self, kernel: &Kernel, cache: &Cache, id: &str) -> Result<Option<Found>> {
        let (ids, id_hash) = (kernel.shape().ids(), kernel.id_hash(id));
        for (part, held) in self.parts.iter().enumerate().rev() {
            if let Some((row, data)) = held.find(ids, id_hash, |row| self.has_id(cache, row, id))? {
                return Ok(Some(Found { part, row, data }));
            }
        }
        Ok(None)
    }

    /// The row of the last document with this id that was deleted.
    pub(crate) fn find_deleted(&self, kernel: &Kernel, cache: &Cache, id: &str) -> Result<Option<Row>> {
        let (ids, id_hash) = (kernel.shape().ids(), kernel.id_hash(id));
        for held in self.parts.iter().rev() {
            let row = held.find_deleted(ids, id_hash, |row| self.has_id(cache, row, id))?;
            if row.is_some() {
                return Ok(row);
            }
        }
        Ok(None)
    }

    /// True if the document of a row has this id, compared in full.
    fn has_id(&self, cache: &Cache, row: &Row, id: &str) -> Result<bool> {
        let (run, index) = self.run_of(cache, row)?;
        Ok(run.record(index).ok_or_else(|| self.damaged(row))?.id == id)
    }

    /// The run that holds a document, and its number in the run.
    pub(crate) fn run_of(&self, cache: &Cache, row: &Row) -> Result<(Arc<Run>, u32)> {
        let (log, _) = self.logs.get(&row.place.log).ok_or_else(|| self.damaged(row))?;
        Ok((log.run(u64::from(row.place.frame) * ALIGN, cache)?, row.place.index))
    }

    /// The error for a document that is not at the location in its row.
    pub(crate) fn damaged(&self, row: &Row) -> Error {
        let (log, _) = self.logs.get(&row.place.log).unwrap_or_else(|| self.active_log());
        let offset = u64::from(row.place.frame) * ALIGN;
        Error::damaged(&log.path, "frame", offset, "a document is not where its row says")
    }

    /// Number of documents.
    pub(crate) fn documents(&self) -> u64 {
        self.parts.iter().map(Held::live_count).sum()
    }

    /// Bytes of the blocks in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.parts.iter().filter_map(Held::block).map(|block| block.byte_count()).sum()
    }

    /// Number of documents in blocks.
    pub(crate) fn memory_rows(&self) -> u64 {
        self.parts.iter().filter(|held| held.block().is_some()).map(|held| u64::from(held.rows())).sum()
    }

    /// Number of commits that are only in the log.
    pub(crate) fn new_commits(&self) -> u64 {
        self.commit - self.tail.commit
    }

    /// Joins the last blocks to limit their number: each is more than twice as large as the next.
    fn join_blocks(&mut self) {
        loop {
            let [.., before, last] = &self.parts[..] else { return };
            let (Some(left), Some(right)) = (before.block(), last.block()) else { return };
            if left.len() > 2 * right.len() || left.len() + right.len() > JOINED_ROWS {
                return;
            }
            let joined = Block::join(&[(left, &before.deleted), (right, &last.deleted)]);
            self.parts.truncate(self.parts.len() - 2);
            if joined.len() > 0 {
                self.parts.push(Held::memory(joined));
            }
        }
    }
}

pub(crate) fn read_bitmap(
    disk: &dyn Disk,
    folder: &Folder,
    segment: u32,
    number: u32,
    count: u32,
    rows: u32,
) -> Result<RoaringBitmap> {
    let path = folder.bitmap(segment, number);
    let bytes = checksummed::read_all(disk, &path)?;
    let damaged = |offset: usize, reason: &str| Error::damaged(&path, "bitmap", offset as u64, reason);
    let Some((content, checksum)) = bytes.split_last_chunk::<8>() else {
        return Err(damaged(0, "the file is cut short"));
    };
    if xxhash_rust::xxh3::xxh3_64(content) != u64::from_le_bytes(*checksum) {
        return Err(damaged(content.len(), "its checksum is another"));
    }
    let bitmap = RoaringBitmap::deserialize_from(content).map_err(|error| damaged(0, &error.to_string()))?;
    let fits = bitmap.len() == u64::from(count) && bitmap.max().is_none_or(|row| row < rows);
    if fits { Ok(bitmap) } else { Err(damaged(0, "it has other rows than its manifest says")) }
}

/// Serializes deleted rows.
pub(crate) fn bitmap_bytes(bitmap: &RoaringBitmap) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(bitmap.serialized_size() + 8);
    bitmap.serialize_into(&mut bytes).expect("memory can be written to");
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// A sequence of puts and deletes from which a new state is derived.
pub(crate) struct Changes<'a> {
    state: &'a State,
    kernel: &'a Kernel,
    /// True if the documents are already in a log.
    is_placed: bool,
    /// Current status of ids: the number of a put, or deleted.
    ids: HashMap<Box<str>, Option<usize>>,
    puts: Vec<Option<Prepared>>,
    gone: Vec<(usize, u32)>,
    dead: HashMap<u32, u64>,
    /// Number of ids in delete frames.
    pub(crate) deletes: u64,
}

impl<'a> Changes<'a> {
    pub(crate) fn new(state: &'a State, kernel: &'a Kernel, is_placed: bool) -> Self {
        let (ids, puts, gone, dead) = (HashMap::new(), Vec::new(), Vec::new(), HashMap::new());
        Self { state, kernel, is_placed, ids, puts, gone, dead, deletes: 0 }
    }

    /// The numbers of the commit, and of its first put or delete.
    pub(crate) fn numbers(&self) -> (u64, u64) {
        (self.state.commit, self.state.sequence)
    }

    /// The number of the current put of an id, if any.
    pub(crate) fn put_of(&self, id: &str) -> Option<usize> {
        self.ids.get(id).copied().flatten()
    }

    /// True if a document of the state was removed.
    pub(crate) fn is_gone(&self, part: usize, row: u32) -> bool {
        self.gone.contains(&(part, row))
    }

    /// True if nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.puts.iter().all(Option::is_none) && self.gone.is_empty()
    }

    /// Removes a document of the state.
    fn take_away(&mut self, found: Found) {
        self.gone.push((found.part, found.row));
        *self.dead.entry(found.data.place.log).or_default() += 1;
    }

    /// Cancels a put of these changes.
    fn take_back(&mut self, number: usize) {
        if let Some(prepared) = self.puts[number].take()
            && self.is_placed
        {
            *self.dead.entry(prepared.row.place.log).or_default() += 1;
        }
    }

    /// Puts a document; `found` is the document of the state with this id.
    pub(crate) fn put(&mut self, id: &str, prepared: Prepared, found: Option<Found>) -> Put {
        let outcome = match (self.ids.get(id).copied(), found) {
            (Some(Some(number)), _) => {
                let before = self.puts[number].as_ref().map(|before| before.row.digest);
                if before == Some(prepared.row.digest) {
                    return Put::Unchanged;
                }
                self.take_back(number);
                Put::Replaced
            }
            (None, Some(found)) => {
                if found.data.digest == prepared.row.digest {
                    if self.is_placed {
                        *self.dead.entry(prepared.row.place.log).or_default() += 1;
                    }
                    return Put::Unchanged;
                }
                self.take_away(found);
                Put::Replaced
            }
            (Some(None), _) | (None, None) => Put::Added,
        };
        self.ids.insert(id.into(), Some(self.puts.len()));
        self.puts.push(Some(prepared));
        outcome
    }

    /// Deletes a document; returns true if it existed.
    pub(crate) fn delete(&mut self, id: &str, found: Option<Found>) -> bool {
        match (self.ids.insert(id.into(), None), found) {
            (Some(Some(number)), _) => {
                self.take_back(number);
                true
            }
            (Some(None), _) | (None, None) => false,
            (None, Some(found)) => {
                self.take_away(found);
                true
            }
        }
    }

    /// Numbers of the remaining puts, in order.
    pub(crate) fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.puts.len()).filter(|number| self.puts[*number].is_some())
    }

    /// Sets the locations of the remaining puts, in order.
    pub(crate) fn place(&mut self, places: impl IntoIterator<Item = Place>) {
        for (prepared, place) in self.puts.iter_mut().flatten().zip(places) {
            prepared.row.place = place;
        }
        self.is_placed = true;
    }

    /// Returns the state with all changes.
    pub(crate) fn apply(self) -> State {
        let Self { kernel, puts, gone, dead, .. } = self;
        let mut state = self.state.clone();
        let mut of_part: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        gone.into_iter().for_each(|(part, row)| of_part.entry(part).or_default().push(row));
        for (part, rows) in of_part {
            let held = &mut state.parts[part];
            Arc::make_mut(&mut held.deleted).extend(rows);
            if let Part::Disk { bitmap, .. } = &mut held.part {
                *bitmap = None;
            }
        }
        for (log, count) in dead {
            if let Some((_, info)) = state.logs.get_mut(&log) {
                info.dead += count;
            }
        }
        let mut builder = BlockBuilder::new(kernel.shape());
        let mut count = 0;
        for prepared in puts.iter().flatten() {
            builder.push(prepared.row, kernel.entries(prepared), &prepared.sketch);
            count += 1;
        }
        let tail = state.tail.number;
        if let Some((_, info)) = state.logs.get_mut(&tail) {
            // Canceled puts are still in the log if they were read from it.
            info.documents += if self.is_placed { puts.len() as u64 } else { count };
            info.deletes += self.deletes;
        }
        if count > 0 {
            state.parts.push(Held::memory(builder.finish()));
        }
        state.join_blocks();
        state
    }
}
