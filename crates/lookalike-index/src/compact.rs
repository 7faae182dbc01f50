//! Converts blocks to segments, merges segments, and rewrites logs without deleted documents. Each operation ends with
//! a manifest, which makes it effective.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::block::{Block, NewRows};
use crate::commit::Core;
use crate::error::{At, Error, Result};
use crate::files;
use crate::log::{LOG_HEADER, LogFile, LogWriter, Operation, Record, each_frame};
use crate::manifest::{LAYOUT_VERSION, LogInfo, Manifest, SegmentFile, Tail};
use crate::part::{Held, Part};
use crate::row::{Entry, MOST_ROWS, ROW_BYTES, Row, row_of, with_row};
use crate::segment::{Segment, SegmentWriter};
use crate::shared::Shared;
use crate::state::{State, bitmap_bytes};

/// Number of adjacent segments of similar size at which they are merged.
const ALIKE: usize = 8;

/// Maximum number of segments.
const MOST_SEGMENTS: usize = 16;

/// Maximum rows of a segment of the smallest tier.
const SMALL: u32 = 4096;

/// Number of documents moved to another log at a time.
const MOVED_AT_ONCE: usize = 1024;

impl Core {
    fn take_number(&mut self) -> u32 {
        self.next_file += 1;
        self.next_file - 1
    }

    /// Converts all blocks to a segment, and starts another log if the current one is long.
    pub(crate) fn flush(&mut self, shared: &Shared) -> Result<()> {
        let mut state = State::clone(&self.state);
        self.blocks_to_segment(shared, &mut state)?;
        if self.log.end > self.log_bytes {
            self.begin_log(shared, &mut state)?;
        } else {
            let (offset, commit) = (self.log.end, state.commit);
            state.tail = Tail { number: self.log.log.number, offset, durable: offset, commit };
        }
        self.write_manifest(shared, state)
    }

    fn blocks_to_segment(&mut self, shared: &Shared, state: &mut State) -> Result<()> {
        let first = state.parts.iter().position(|held| held.block().is_some()).unwrap_or(state.parts.len());
        let blocks: Vec<Held> = state.parts.split_off(first);
        let blocks: Vec<(&Block, &RoaringBitmap)> =
            blocks.iter().filter_map(|held| Some((&**held.block()?, &*held.deleted))).collect();
        if blocks.iter().all(|(block, deleted)| u64::from(block.len()) == deleted.len()) {
            return Ok(());
        }
        let (shape, fingerprint) = (shared.kernel.shape(), shared.kernel.fingerprint);
        let number = self.take_number();
        let path = shared.folder.segment(number);
        let block = Block::join(&blocks);
        let writer = SegmentWriter::new(&*shared.disk, &path, (number, fingerprint), shape, block.len())?;
        writer.block(&block)?;
        state.parts.push(Self::opened(shared, number)?);
        Ok(())
    }

    /// Opens a segment that was just written.
    fn opened(shared: &Shared, number: u32) -> Result<Held> {
        let folder = shared.folder.segments();
        shared.disk.sync_dir(&folder).at(&folder)?;
        let path = shared.folder.segment(number);
        let (shape, fingerprint) = (shared.kernel.shape(), shared.kernel.fingerprint);
        let segment = Arc::new(Segment::open(&*shared.disk, &path, number, fingerprint, shape)?);
        Ok(Held { part: Part::Disk { segment, number, bitmap: None }, deleted: Arc::default() })
    }

    /// Starts another log, and makes the state write to it.
    fn begin_log(&mut self, shared: &Shared, state: &mut State) -> Result<()> {
        let log = Arc::new(self.new_log(shared)?);
        let number = log.number;
        state.logs.insert(number, (Arc::clone(&log), LogInfo { number, ..LogInfo::default() }));
        state.tail = Tail { number, offset: LOG_HEADER, durable: LOG_HEADER, commit: state.commit };
        state.end = LOG_HEADER;
        Ok(())
    }

    fn new_log(&mut self, shared: &Shared) -> Result<LogFile> {
        let number = self.take_number();
        LogFile::create(&*shared.disk, &shared.folder.log(number), number, shared.kernel.fingerprint)
    }

    /// Writes the deletes and the manifest of a state that has nothing in memory; then publishes the state, and removes
    /// files that it does not use.
    pub(crate) fn write_manifest(&mut self, shared: &Shared, mut state: State) -> Result<()> {
        let (disk, folder) = (&*shared.disk, &shared.folder);
        let mut has_bitmaps = false;
        for held in &mut state.parts {
            let Part::Disk { number, bitmap, .. } = &mut held.part else { continue };
            if bitmap.is_none() && !held.deleted.is_empty() {
                let name = self.take_number();
                let path = folder.bitmap(*number, name);
                let file = disk.create(&path).at(&path)?;
                file.write_all_at(&bitmap_bytes(&held.deleted), 0).at(&path)?;
                file.sync().at(&path)?;
                *bitmap = Some(name);
                has_bitmaps = true;
            }
        }
        if has_bitmaps {
            let path = folder.deleted();
            disk.sync_dir(&path).at(&path)?;
        }
        let segment = |held: &Held| match &held.part {
            Part::Disk { segment, number, bitmap } => {
                let deleted = bitmap.map(|bitmap| [bitmap, held.deleted.len() as u32]);
                Some(SegmentFile { number: *number, rows: segment.len(), deleted })
            }
            Part::Memory(_) => None,
        };
        state.manifest += 1;
        state.next_file = self.next_file;
        let manifest = Manifest {
            version: LAYOUT_VERSION,
            number: state.manifest,
            epoch: state.epoch,
            fingerprint: format!("{:016x}", shared.kernel.fingerprint),
            segments: state.parts.iter().filter_map(segment).collect(),
            logs: state.logs.values().map(|(_, info)| *info).collect(),
            log: state.tail,
            next_file: self.next_file,
            next_sequence: state.sequence,
        };
        manifest.write(disk, folder)?;
        if self.log.log.number != state.tail.number {
            let (log, _) = state.active_log();
            self.log = LogWriter::new(Arc::clone(log), state.end);
        }
        self.has_news = false;
        self.publish(shared, state);
        files::sweep(disk, folder, &self.state);
        Ok(())
    }

    /// Rewrites the last manifest so that it records the whole log as durable. Documents in memory are replayed from
    /// there.
    pub(crate) fn vouch(&mut self, shared: &Shared) -> Result<()> {
        let (disk, folder) = (&*shared.disk, &shared.folder);
        let mut state = State::clone(&self.state);
        let mut manifest = Manifest::read(disk, folder, state.manifest)?;
        state.tail.durable = state.end;
        (manifest.number, manifest.epoch) = (state.manifest + 1, state.epoch);
        (manifest.log, manifest.next_file) = (state.tail, self.next_file);
        manifest.write(disk, folder)?;
        state.manifest += 1;
        self.has_news = false;
        self.publish(shared, state);
        files::sweep(disk, folder, &self.state);
        Ok(())
    }

    /// Merges segments while there are too many, or while too many rows of one were deleted.
    pub(crate) fn merge(&mut self, shared: &Shared) -> Result<()> {
        while let Some(range) = merged_next(&self.state) {
            let mut state = State::clone(&self.state);
            let merged = self.merged(shared, &state, range.clone(), &mut Moving::default())?;
            state.parts.splice(range, merged);
            self.write_manifest(shared, state)?;
        }
        Ok(())
    }

    /// Merges several segments into one, without deleted rows; returns none if no row remains.
    fn merged(
        &mut self,
        shared: &Shared,
        state: &State,
        range: Range<usize>,
        moving: &mut Moving,
    ) -> Result<Option<Held>> {
        let parts = &state.parts[range];
        let mut segments: Vec<(&Segment, NewRows)> = Vec::new();
        let mut rows = 0;
        for held in parts {
            let Part::Disk { segment, .. } = &held.part else { continue };
            let map = NewRows::new(segment.len(), &held.deleted, rows);
            rows = map.end();
            segments.push((segment, map));
        }
        if rows == 0 {
            return Ok(None);
        }
        let number = self.take_number();
        let path = shared.folder.segment(number);
        let shape = shared.kernel.shape();
        let mut writer = SegmentWriter::new(&*shared.disk, &path, (number, shared.kernel.fingerprint), shape, rows)?;
        for column in 0..shape.all() {
            writer.column(Merge::new(column, &segments))?;
        }
        let mut sketches = Vec::new();
        let live = parts.iter().flat_map(|held| {
            let mut live = held.live_rows().peekable();
            std::iter::from_fn(move || {
                live.peek()?;
                let mut some = Vec::new();
                let read = held.each_sketch(live.by_ref().take(64), |_, sketch| some.push(Ok(sketch.to_vec())));
                some.extend(read.err().map(Err));
                Some(some)
            })
            .flatten()
        });
        if shape.sketch_bytes > 0 {
            sketches.push(live);
        }
        let data = parts.iter().flat_map(|held| {
            let mut live = held.live_rows().peekable();
            std::iter::from_fn(move || {
                live.peek()?;
                let mut some = Vec::new();
                let read = held.each_row(live.by_ref().take(MOVED_AT_ONCE), |_, row| some.push(row));
                Some(read.map(|()| some))
            })
        });
        let data = data.flat_map(|rows| match rows.and_then(|rows| moving.moved(self, shared, state, rows)) {
            Ok(rows) => rows.into_iter().map(|row| Ok(row.bytes())).collect(),
            Err(error) => vec![Err::<[u8; ROW_BYTES], _>(error)],
        });
        writer.finish(sketches.into_iter().flatten(), data)?;
        Self::opened(shared, number).map(Some)
    }

    /// Merges segments without deleted rows, and rewrites logs with many deleted documents (with `purge`, with any).
    pub(crate) fn compact(&mut self, shared: &Shared, purge: bool) -> Result<()> {
        self.check(shared)?;
        let compacted = self.flush(shared).and_then(|()| self.compact_all(shared, purge));
        if let Err(error) = &compacted
            && !matches!(error, Error::DiskFull { .. } | Error::Damaged { .. })
        {
            self.poison.get_or_insert_with(|| error.to_string());
        }
        compacted
    }

    fn compact_all(&mut self, shared: &Shared, purge: bool) -> Result<()> {
        let mut state = State::clone(&self.state);
        let is_rewritten = |info: &LogInfo| {
            if purge { info.dead > 0 || info.deletes > 0 } else { info.dead * 2 > info.documents }
        };
        let infos = state.logs.values().map(|(_, info)| info);
        let rewritten: BTreeSet<u32> = infos.filter(|info| is_rewritten(info)).map(|info| info.number).collect();
        let is_joined = state.parts.len() <= 1 && state.parts.iter().all(|held| held.deleted.is_empty());
        if rewritten.is_empty() && is_joined {
            return Ok(());
        }
        if rewritten.contains(&state.tail.number) {
            self.begin_log(shared, &mut state)?;
        }
        let mut moving = Moving { logs: rewritten, ..Moving::default() };
        let mut parts = Vec::new();
        for range in groups(&state) {
            parts.extend(self.merged(shared, &state, range, &mut moving)?);
        }
        if !purge {
            // Deletes of documents in other logs must be kept: a rebuild from logs needs them.
            moving.copy_deletes(self, shared, &state)?;
        }
        for (log, info) in moving.finish()? {
            state.logs.insert(info.number, (log, info));
        }
        state.logs.retain(|number, _| !moving.logs.contains(number));
        state.parts = parts;
        if purge {
            state.logs.values_mut().for_each(|(_, info)| (info.dead, info.deletes) = (0, 0));
        }
        self.write_manifest(shared, state)
    }
}

/// Moves documents out of logs.
#[derive(Default)]
struct Moving {
    /// The logs to move out of.
    logs: BTreeSet<u32>,
    /// The log to move to.
    to: Option<(LogWriter, LogInfo)>,
    full: Vec<(Arc<LogFile>, LogInfo)>,
}

impl Moving {
    /// The log to write to.
    fn log(&mut self, core: &mut Core, shared: &Shared) -> Result<&mut (LogWriter, LogInfo)> {
        if self.to.as_ref().is_some_and(|(writer, _)| writer.end > core.log_bytes) {
            self.end_log()?;
        }
        if self.to.is_none() {
            let log = core.new_log(shared)?;
            let info = LogInfo { number: log.number, ..LogInfo::default() };
            self.to = Some((LogWriter::new(Arc::new(log), LOG_HEADER), info));
        }
        Ok(self.to.as_mut().expect("it was just made"))
    }

    fn end_log(&mut self) -> Result<()> {
        if let Some((writer, info)) = self.to.take() {
            writer.log.file.sync().at(&writer.log.path)?;
            self.full.push((writer.log, info));
        }
        Ok(())
    }

    /// The same rows, with the new locations of their documents.
    fn moved(&mut self, core: &mut Core, shared: &Shared, state: &State, mut rows: Vec<Row>) -> Result<Vec<Row>> {
        let moved: Vec<usize> = (0..rows.len()).filter(|at| self.logs.contains(&rows[*at].place.log)).collect();
        if moved.is_empty() {
            return Ok(rows);
        }
        let runs = moved.iter().map(|at| state.run_of(&shared.cache, &rows[*at])).collect::<Result<Vec<_>>>()?;
        let records = runs.iter().zip(&moved);
        let records = records.map(|((run, index), at)| run.record(*index).ok_or_else(|| state.damaged(&rows[*at])));
        let records: Vec<Record<'_>> = records.collect::<Result<_>>()?;
        let (writer, info) = self.log(core, shared)?;
        info.documents += records.len() as u64;
        let places = writer.documents(0, &records)?;
        for (at, place) in moved.into_iter().zip(places) {
            rows[at].place = place;
        }
        Ok(rows)
    }

    /// Copies deletes from logs.
    fn copy_deletes(&mut self, core: &mut Core, shared: &Shared, state: &State) -> Result<()> {
        for number in self.logs.clone() {
            let (log, info) = &state.logs[&number];
            if info.deletes == 0 {
                continue;
            }
            let end =
                if number == core.log.log.number { core.log.committed } else { log.file.length().at(&log.path)? };
            let mut all = Vec::new();
            each_frame(log, end, |operation| {
                if let Some(Operation::Deletes(deletes)) = operation {
                    all.extend(deletes);
                }
                Ok(())
            })?;
            let all: Vec<(u64, &str)> = all.iter().map(|(sequence, id)| (*sequence, &**id)).collect();
            let (writer, info) = self.log(core, shared)?;
            info.deletes += all.len() as u64;
            writer.deletes(0, &all)?;
        }
        Ok(())
    }

    /// All logs that were written.
    fn finish(&mut self) -> Result<Vec<(Arc<LogFile>, LogInfo)>> {
        self.end_log()?;
        Ok(std::mem::take(&mut self.full))
    }
}

/// Merges the entries of one column of several segments, in order, with their new rows.
struct Merge<'a> {
    heap: BinaryHeap<Reverse<(Entry, usize)>>,
    columns: Vec<Box<dyn Iterator<Item = Result<Entry>> + 'a>>,
    error: Option<Error>,
}

impl<'a> Merge<'a> {
    fn new(column: usize, segments: &'a [(&'a Segment, NewRows)]) -> Self {
        let entries = |(segment, map): &'a (&'a Segment, NewRows)| {
            let new = |entry: Result<Entry>| match entry {
                Ok(entry) if row_of(entry) < map.rows() => {
                    Ok(map.of(row_of(entry)).map(|row| with_row(entry, row))).transpose()
                }
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            };
            Box::new(segment.column(column).filter_map(new)) as Box<dyn Iterator<Item = Result<Entry>> + 'a>
        };
        let mut merge = Self { heap: BinaryHeap::new(), columns: segments.iter().map(entries).collect(), error: None };
        (0..merge.columns.len()).for_each(|at| merge.pull(at));
        merge
    }

    fn pull(&mut self, at: usize) {
        match self.columns[at].next() {
            Some(Ok(entry)) => self.heap.push(Reverse((entry, at))),
            Some(Err(error)) => self.error = Some(error),
            None => {}
        }
    }
}

impl Iterator for Merge<'_> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Result<Entry>> {
        if let Some(error) = self.error.take() {
            self.heap.clear();
            return Some(Err(error));
        }
        let Reverse((entry, at)) = self.heap.pop()?;
        self.pull(at);
        Some(Ok(entry))
    }
}

/// Divides all segments into groups that fit into one segment each.
fn groups(state: &State) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut rows = u64::MAX;
    for (at, held) in state.parts.iter().enumerate() {
        rows = rows.saturating_add(held.live_count());
        match groups.last_mut() {
            Some(group) if rows <= MOST_ROWS => group.end = at + 1,
            _ => {
                rows = held.live_count();
                groups.push(at..at + 1);
            }
        }
    }
    groups
}

/// The segments to merge next, if any: adjacent, so that the order of insertion is preserved.
fn merged_next(state: &State) -> Option<Range<usize>> {
    let rows: Vec<u64> = state.parts.iter().map(Held::live_count).collect();
    let dying = state.parts.iter().position(|held| held.deleted.len() > held.live_count());
    if let Some(at) = dying {
        return Some(at..at + 1);
    }
    let fits = |range: &Range<usize>| rows[range.clone()].iter().sum::<u64>() <= MOST_ROWS;
    let tier = |rows: u64| (rows / u64::from(SMALL) + 1).ilog(ALIKE as u64);
    for most in 0..=tier(MOST_ROWS) {
        // Enough segments of this tier, including smaller ones between them.
        for run in runs(rows.len(), |at| tier(rows[at]) <= most) {
            let alike = run.clone().filter(|at| tier(rows[*at]) == most).count();
            if alike >= ALIKE && fits(&run) {
                return Some(run);
            }
        }
    }
    let pairs = (0..rows.len().saturating_sub(1)).map(|at| at..at + 2);
    let smallest = pairs.filter(fits).min_by_key(|range| rows[range.clone()].iter().sum::<u64>());
    smallest.filter(|_| rows.len() > MOST_SEGMENTS)
}

/// The longest runs of numbers below `end` that satisfy the predicate.
fn runs(end: usize, holds: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..end).filter(|at| holds(*at)) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
