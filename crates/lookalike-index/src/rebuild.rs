//! An index from its logs alone: for when a segment, a bitmap or a manifest is damaged. Every put and delete has a number, so that the last
//! of each id is known in whatever log it lies.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use crate::commit::Core;
use crate::disk::Disk;
use crate::error::{At, Error, Result};
use crate::files;
use crate::kernel::Kernel;
use crate::log::{Cache, LOG_HEADER, LogFile, LogWriter, Operation, each_frame, replay};
use crate::manifest::{Folder, LogInfo, Manifest, Meta, Tail};
use crate::row::{Place, Row};
use crate::search::{damaged, run_of};
use crate::shared::Shared;
use crate::state::{Changes, State};

/// How many documents are sketched at once.
const AT_ONCE: usize = 4096;

/// Makes all segments anew. Logs must be whole: what is damaged there is lost, and the error says where.
pub(crate) fn rebuild(disk: &Arc<dyn Disk>, folder: &Folder) -> Result<()> {
    let _lock = files::lock(&**disk, folder)?;
    let meta = Meta::read(&**disk, folder)?;
    let key = meta.key();
    let kernel = Arc::new(Kernel::new(meta.scheme, meta.store, key)?);
    let newest = Manifest::newest(&**disk, folder).unwrap_or(0);
    let manifest = Manifest::read(&**disk, folder, newest).ok();
    let numbers = match &manifest {
        Some(manifest) => manifest.logs.iter().map(|info| info.number).collect(),
        // Without a manifest, all logs that there are.
        None => numbers(&**disk, folder)?,
    };
    let mut logs: Vec<(LogFile, u64)> = Vec::new();
    for number in numbers {
        let path = folder.log(number);
        let log = LogFile::open(&**disk, &path, number, kernel.fingerprint, false)?;
        let end = match &manifest {
            Some(manifest) if manifest.log.number == number => {
                let Tail { offset, durable, commit, .. } = manifest.log;
                replay(&log, offset, durable, commit, |_| Ok(()))?.end
            }
            Some(_) => log.file.length().at(&path)?,
            None => whole_end(&log)?,
        };
        logs.push((log, end));
    }
    let latest = latest(&logs, &kernel)?;
    let mut places: Vec<(u64, Place)> =
        latest.values().filter_map(|(sequence, place)| Some((*sequence, (*place)?))).collect();
    places.sort_unstable_by_key(|(sequence, _)| *sequence);
    let sequence = latest.values().map(|(sequence, _)| sequence + 1).max().unwrap_or(1);

    let next_file = files::next_file(&**disk, folder)?;
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
    core.merge(&shared)
}

impl Core {
    /// Puts documents that lie in logs into memory, and makes a segment of what is there when it is time.
    fn take_in(&mut self, shared: &Shared, places: &[(u64, Place)]) -> Result<()> {
        let state = Arc::clone(&self.state);
        let cache = Cache::default();
        let prepare = |(_, place): &(u64, Place)| {
            let row = Row { place: *place, ..Row::default() };
            let (run, index) = run_of(&state, &cache, &row)?;
            let prepared = run.record(index).and_then(|record| shared.kernel.prepare_again(&record));
            let mut prepared = prepared.ok_or_else(|| damaged(&state, &row))?;
            prepared.row.place = *place;
            Ok(prepared)
        };
        let prepared = places.par_iter().map(prepare).collect::<Result<Vec<_>>>()?;
        let mut changes = Changes::new(&state, &shared.kernel, true);
        for prepared in prepared {
            changes.put(prepared, None);
        }
        let mut after = changes.apply();
        // They are counted already, in the logs that they lie in.
        after.logs.clone_from(&state.logs);
        self.state = Arc::new(after);
        if self.state.memory_bytes() > self.memory_bytes { self.flush(shared) } else { Ok(()) }
    }
}

/// The last that was written of each id: the number of it, and the place of the document unless it was deleted.
type Latest = HashMap<u128, (u64, Option<Place>)>;

/// The last put or delete of each id in the logs.
fn latest(logs: &[(LogFile, u64)], kernel: &Kernel) -> Result<Latest> {
    let mut latest: Latest = HashMap::new();
    let mut note = |id: &str, sequence: u64, place| {
        let known = latest.entry(kernel.id_hash(id)).or_insert((0, None));
        if sequence >= known.0 {
            *known = (sequence, place);
        }
    };
    for (log, end) in logs {
        each_frame(log, *end, |operation| {
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

/// How many documents logs have, and how many of them are dead.
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

/// Where the valid frames of a log end, where nothing vouches for them.
fn whole_end(log: &LogFile) -> Result<u64> {
    let length = log.file.length().at(&log.path)?;
    let mut end = LOG_HEADER;
    while let Some((header, _)) = log.frame(end, length)? {
        end += header.frame_bytes();
    }
    if end == LOG_HEADER && length > LOG_HEADER {
        return Err(Error::damaged(&log.path, "frame", end, "its checksum is another"));
    }
    Ok(end)
}
