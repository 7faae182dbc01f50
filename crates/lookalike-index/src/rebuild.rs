//! Rebuilds an index from its logs alone, for when one of its files is damaged. Every put and delete has a sequence
//! number, so the last operation on each id is known in whatever log it is. Damaged logs are first rewritten from their
//! valid frames.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::commit::Core;
use crate::disk::Disk;
use crate::error::{At, Result};
use crate::files;
use crate::kernel::Kernel;
use crate::log::{Cache, LOG_HEADER, LogFile, LogWriter, Operation, each_frame, each_frame_around};
use crate::manifest::{Folder, LogInfo, Manifest, Meta, Tail};
use crate::row::{Place, Row};
use crate::salvage::{OldLog, SegmentRows, missing};
use crate::shared::Shared;
use crate::state::{Changes, State};
use crate::types::Lost;

/// Number of documents sketched at a time.
const AT_ONCE: usize = 4096;

/// Rebuilds all segments, and damaged logs; returns what is lost.
pub(crate) fn rebuild(disk: &Arc<dyn Disk>, folder: &Folder) -> Result<Vec<Lost>> {
    let _lock = files::lock(&**disk, folder)?;
    let meta = Meta::read(&**disk, folder)?;
    let key = meta.key();
    let kernel = Arc::new(Kernel::new(meta.scheme, meta.store, key)?);
    let newest = Manifest::newest(&**disk, folder).unwrap_or(0);
    let manifest = Manifest::read(&**disk, folder, newest).ok();
    let Survey { logs, mut latest, lost } = survey(&**disk, folder, &kernel, manifest.as_ref())?;
    let mut next_file = files::next_file(&**disk, folder)?;
    let mut whole = Vec::new();
    for old in logs {
        if old.is_damaged() {
            old.keep_aside(&**disk, folder)?;
        }
        let before = old.log.number;
        let (log, end, frames) = old.into_whole(&**disk, folder, &kernel, &mut next_file)?;
        if log.number != before {
            let places = latest.values_mut().filter_map(|(_, place)| place.as_mut());
            for place in places.filter(|place| place.log == before) {
                (place.log, place.frame) = (log.number, frames[&place.frame]);
            }
        }
        whole.push((log, end));
    }
    let logs = whole;
    let mut places: Vec<(u64, Place)> =
        latest.values().filter_map(|(sequence, place)| Some((*sequence, (*place)?))).collect();
    places.sort_unstable_by_key(|(sequence, _)| *sequence);
    let sequence = latest.values().map(|(sequence, _)| sequence + 1).max().unwrap_or(1);
    // Lost operations had sequence numbers as well.
    let sequence = sequence.max(manifest.as_ref().map_or(1, |manifest| manifest.next_sequence));

    let log = Arc::new(LogFile::create(&**disk, &folder.log(next_file), next_file, kernel.fingerprint)?);
    let mut infos = counts(&logs, &places)?;
    infos.insert(next_file, (Arc::clone(&log), LogInfo { number: next_file, ..LogInfo::default() }));
    let commit = manifest.as_ref().map_or(1, |manifest| manifest.log.commit) + (1 << 32);
    let state = State {
        parts: Vec::new(),
        logs: infos,
        manifest: newest,
        epoch: manifest.map_or(1, |manifest| manifest.epoch + 1),
        tail: Tail { number: next_file, offset: LOG_HEADER, durable: LOG_HEADER, commit },
        end: LOG_HEADER,
        commit,
        sequence,
        next_file: next_file + 1,
    };
    let shared = Shared::new(Arc::clone(disk), folder.clone(), kernel, state.clone());
    let mut core = Core::new(LogWriter::new(log, LOG_HEADER), Arc::new(state), next_file + 1);
    for some in places.chunks(AT_ONCE) {
        core.take_in(&shared, some)?;
    }
    core.flush(&shared)?;
    core.merge(&shared)?;
    Ok(lost)
}

/// Contents of the logs of an index.
struct Survey {
    logs: Vec<OldLog>,
    latest: Latest,
    lost: Vec<Lost>,
}

/// Reads all logs, and determines what is lost in damaged ones.
fn survey(disk: &dyn Disk, folder: &Folder, kernel: &Kernel, manifest: Option<&Manifest>) -> Result<Survey> {
    let numbers = match manifest {
        Some(manifest) => manifest.logs.iter().map(|info| info.number).collect(),
        // Without a manifest, use all logs found.
        None => numbers(disk, folder)?,
    };
    let (mut logs, mut lost) = (Vec::new(), Vec::new());
    for number in numbers {
        match OldLog::open(disk, folder, kernel, number, manifest) {
            Err(error) if error.is_not_found() => lost.push(missing(folder, number, manifest)),
            log => logs.push(log?),
        }
    }
    let mut latest = latest(&logs)?;
    if logs.iter().any(OldLog::is_damaged) || !lost.is_empty() {
        let rows = SegmentRows::read(disk, folder, kernel, manifest);
        // The frame that deleted or replaced them may be lost.
        latest.retain(|_, (_, place)| place.is_none_or(|place| !rows.dead.contains(&place)));
        let hashes: HashSet<u64> = latest.keys().map(|id| kernel.id_hash(id)).collect();
        for log in &logs {
            // All of a log that is no longer written to is in segments.
            let tail = manifest.map(|manifest| manifest.log).filter(|tail| tail.number == log.log.number);
            let in_segments = tail.map_or(log.end, |tail| tail.offset);
            lost.extend(log.lost(folder, kernel, (&rows, in_segments), |id_hash| hashes.contains(&id_hash)));
        }
    }
    Ok(Survey { logs, latest, lost })
}

impl Core {
    /// Loads documents from logs into memory, and creates segments when it is time.
    fn take_in(&mut self, shared: &Shared, places: &[(u64, Place)]) -> Result<()> {
        let state = Arc::clone(&self.state);
        let cache = Cache::default();
        let prepare = |(_, place): &(u64, Place)| {
            let row = Row { place: *place, ..Row::default() };
            let (run, index) = state.run_of(&cache, &row)?;
            let record = run.record(index).ok_or_else(|| state.damaged(&row))?;
            let mut prepared = shared.kernel.prepare_again(&record).ok_or_else(|| state.damaged(&row))?;
            prepared.row.place = *place;
            Ok((record.id.to_owned(), prepared))
        };
        let prepared = places.par_iter().map(prepare).collect::<Result<Vec<_>>>()?;
        let mut changes = Changes::new(&state, &shared.kernel, true);
        for (id, prepared) in prepared {
            changes.put(&id, prepared, None);
        }
        let mut after = changes.apply();
        // They are already counted in their logs.
        after.logs.clone_from(&state.logs);
        self.state = Arc::new(after);
        if self.state.memory_bytes() > self.memory_bytes { self.flush(shared) } else { Ok(()) }
    }
}

/// The last operation on each id: its sequence number, and the location of the document unless it was deleted.
type Latest = HashMap<Box<str>, (u64, Option<Place>)>;

/// Finds the last put or delete of each id in the logs.
fn latest(logs: &[OldLog]) -> Result<Latest> {
    let mut latest: Latest = HashMap::new();
    let mut note = |id: &str, sequence: u64, place| {
        let known = latest.entry(id.into()).or_insert((0, None));
        if sequence >= known.0 {
            *known = (sequence, place);
        }
    };
    for OldLog { log, end, gaps, .. } in logs {
        each_frame_around(log, *end, gaps, |operation| {
            match operation {
                Some(Operation::Documents(run, place)) => {
                    for index in 0..run.len() {
                        if let Some(record) = run.record(index) {
                            note(record.id, record.sequence, Some(Place { index, ..place }));
                        }
                    }
                }
                Some(Operation::Deletes(deletes)) => {
                    deletes.iter().for_each(|(sequence, id)| note(id, *sequence, None));
                }
                None => {}
            }
            Ok(())
        })?;
    }
    Ok(latest)
}

/// Number of documents in each log, and how many of them are dead.
fn counts(logs: &[(LogFile, u64)], places: &[(u64, Place)]) -> Result<BTreeMap<u32, (Arc<LogFile>, LogInfo)>> {
    let mut live: BTreeMap<u32, u64> = BTreeMap::new();
    places.iter().for_each(|(_, place)| *live.entry(place.log).or_default() += 1);
    let mut infos = BTreeMap::new();
    for (log, end) in logs {
        let mut info = LogInfo { number: log.number, ..LogInfo::default() };
        each_frame(log, *end, |operation| {
            match operation {
                Some(Operation::Documents(run, _)) => info.documents += u64::from(run.len()),
                Some(Operation::Deletes(deletes)) => info.deletes += deletes.len() as u64,
                None => {}
            }
            Ok(())
        })?;
        info.dead = info.documents - live.get(&log.number).copied().unwrap_or(0);
        let file = LogFile { number: log.number, path: log.path.clone(), file: Arc::clone(&log.file) };
        infos.insert(log.number, (Arc::new(file), info));
    }
    Ok(infos)
}

fn numbers(disk: &dyn Disk, folder: &Folder) -> Result<Vec<u32>> {
    let path = folder.logs();
    let names = disk.list(&path).at(&path)?;
    let mut numbers: Vec<u32> = names.iter().filter_map(|name| name.strip_suffix(".log")?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
