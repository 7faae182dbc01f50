//! Operations on a whole index: check, repair, copy, upgrade.

use std::path::Path;
use std::sync::Arc;

use crate::disk::{Disk, FileSystem};
use crate::error::{At, Error, Result};
use crate::files;
use crate::index::Index;
use crate::kernel::Kernel;
use crate::log::{ALIGN, LogFile, each_frame, replay};
use crate::manifest::{Folder, Manifest, Meta};
use crate::part::Part;
use crate::state::State;
use crate::types::{Problem, Upgrade, Verification};

/// Reads and checks every byte of an index; with `repair`, rebuilds damaged files from the log.
///
/// If a log is damaged, everything else is preserved: [`Verification::lost`] lists what is lost, and the damaged file
/// is kept in the folder `damaged` of the index.
///
/// # Errors
///
/// If there is no index, it was created by a newer version, or a file cannot be read at all. Damage is not an error
/// here.
pub fn verify(dir: &Path, repair: bool) -> Result<Verification> {
    verify_on(&(Arc::new(FileSystem) as Arc<dyn Disk>), dir, repair)
}

/// Verifies an index on any disk.
///
/// # Errors
///
/// As [`verify`].
#[doc(hidden)]
pub fn verify_on(disk: &Arc<dyn Disk>, dir: &Path, repair: bool) -> Result<Verification> {
    let folder = Folder::new(dir);
    let mut verification = Verification::default();
    // Without this file nothing can be read, and it cannot be rebuilt.
    let meta = match Meta::read(&**disk, &folder) {
        Err(error @ Error::Damaged { .. }) => {
            verification.problems.push(problem(&folder, &error));
            return Ok(verification);
        }
        meta => meta?,
    };
    let key = meta.key();
    let kernel = Kernel::new(meta.scheme, meta.store, key)?;
    check_all(disk, &folder, &kernel, &mut verification)?;
    if repair && !verification.problems.is_empty() {
        verification.lost = crate::rebuild::rebuild(disk, &folder)?;
        let after = verify_on(disk, dir, false)?;
        verification.repaired = after.problems.is_empty();
        verification.document_count = after.document_count;
    }
    Ok(verification)
}

fn problem(folder: &Folder, error: &Error) -> Problem {
    let path = match error {
        Error::Damaged { path, .. } | Error::Io { path, .. } => path.as_path(),
        _ => Path::new(""),
    };
    let file = path.strip_prefix(&folder.path).unwrap_or(path).to_string_lossy().into_owned();
    Problem { file, message: error.to_string() }
}

/// Records damage and missing files; returns all other errors.
fn noted<T>(folder: &Folder, problems: &mut Vec<Problem>, result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error, Error::Damaged { .. }) || error.is_not_found() => {
            let found = problem(folder, &error);
            // Several steps read the same file.
            if !problems.contains(&found) {
                problems.push(found);
            }
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn check_all(disk: &Arc<dyn Disk>, folder: &Folder, kernel: &Kernel, verification: &mut Verification) -> Result<()> {
    let Verification { document_count, checked_bytes, problems, .. } = verification;
    let newest = noted(folder, problems, Manifest::newest(&**disk, folder))?;
    let Some(newest) = newest else { return Ok(()) };
    let Some(manifest) = noted(folder, problems, Manifest::read(&**disk, folder, newest))? else { return Ok(()) };
    // Check logs first, frame by frame and separately, so that damage to one does not hide damage to another.
    for info in &manifest.logs {
        let path = folder.log(info.number);
        let opened = LogFile::open(&**disk, &path, info.number, kernel.fingerprint, false);
        let Some(log) = noted(folder, problems, opened)? else { continue };
        let end = if info.number == manifest.log.number {
            let end = replay(&log, manifest.log.offset, manifest.log.durable, manifest.log.commit, |_| Ok(()));
            noted(folder, problems, end)?.map_or(manifest.log.offset, |replayed| replayed.end)
        } else {
            log.file.length().at(&path)?
        };
        *checked_bytes += end;
        noted(folder, problems, each_frame(&log, end, |_| Ok(())))?;
    }
    let loaded = noted(folder, problems, State::load(&**disk, folder, kernel, None))?;
    let Some((state, _)) = loaded else { return Ok(()) };
    *document_count = state.documents();
    for held in &state.parts {
        if let Part::Disk { segment, .. } = &held.part {
            *checked_bytes += noted(folder, problems, segment.check())?.unwrap_or(0);
        }
    }
    if problems.is_empty() {
        check_rows(folder, kernel, &state, problems)?;
    }
    Ok(())
}

/// Checks that every row has its document, and that all stored data is consistent with it.
fn check_rows(folder: &Folder, kernel: &Kernel, state: &State, problems: &mut Vec<Problem>) -> Result<()> {
    const MOST_NAMED: usize = 20;
    let cache = crate::log::Cache::default();
    for held in &state.parts {
        let mut rows = Vec::new();
        held.each_row(held.live_rows(), |row, data| rows.push((row, data)))?;
        for (row, data) in rows {
            let checked = state.run_of(&cache, &data).and_then(|(run, index)| {
                let prepared = run.record(index).and_then(|record| kernel.prepare_again(&record));
                let Some(mut prepared) = prepared else { return Err(state.damaged(&data)) };
                prepared.row.place = data.place;
                let mut is_same = prepared.row == data;
                held.each_sketch(std::iter::once(row), |_, sketch| is_same &= sketch == prepared.sketch)?;
                for (column, key) in kernel.entries(&prepared) {
                    let mut is_there = false;
                    held.bucket(column, key, |found| is_there |= found == row)?;
                    is_same &= is_there;
                }
                let offset = u64::from(data.place.frame) * ALIGN;
                let path = folder.log(data.place.log);
                let wrong = "a row says something else than its document";
                if is_same { Ok(()) } else { Err(Error::damaged(&path, "frame", offset, wrong)) }
            });
            noted(folder, problems, checked)?;
            if problems.len() >= MOST_NAMED {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Copies an index to a new folder, with hard links where possible, while others may write. An interrupted copy is
/// started again.
///
/// # Errors
///
/// If there is no index, the folder has other files, or the disk returns an error.
pub fn snapshot_to(dir: &Path, destination: &Path) -> Result<()> {
    let (from, to) = (Folder::new(dir), Folder::new(destination));
    // Check that the source exists before anything is created.
    Index::open(dir)?;
    let _lock = files::begin(&FileSystem, &to)?;
    loop {
        // Open it again each time: its open files cannot vanish, and files removed before are not part of it.
        let index = Index::open(dir)?;
        let state = index.shared.state();
        match copy(&from, &to, &state) {
            Err(error) if error.is_not_found() => {
                if Manifest::newest(&FileSystem, &from)? == state.manifest {
                    return Err(error);
                }
                for path in to.all() {
                    let _ = std::fs::remove_dir_all(&path);
                }
            }
            copied => return copied,
        }
    }
}

fn copy(from: &Folder, to: &Folder, state: &State) -> Result<()> {
    let disk = FileSystem;
    for path in to.all() {
        disk.create_dir(&path).at(&path)?;
    }
    let active = from.log(state.tail.number);
    let manifest = from.manifest(state.manifest);
    let mut all = files::of_state(from, state);
    // Use the bitmaps that the manifest names; those of the state may have more rows, which are replayed.
    for segment in Manifest::read(&disk, from, state.manifest)?.segments {
        all.extend(segment.deleted.map(|[bitmap, _]| from.bitmap(segment.number, bitmap)));
    }
    for path in all {
        let Ok(name) = path.strip_prefix(&from.path) else { continue };
        let target = to.path.join(name);
        if path == active {
            // The log is still being written: the copy must not grow with it.
            let mut bytes = vec![0; state.end as usize];
            let (log, _) = state.active_log();
            log.file.read_exact_at(&mut bytes, 0).at(&path)?;
            std::fs::write(&target, &bytes).at(&target)?;
            disk.open(&target, true).at(&target)?.sync().at(&target)?;
        } else if path == manifest || std::fs::hard_link(&path, &target).is_err() {
            std::fs::copy(&path, &target).at(&path)?;
            disk.open(&target, true).at(&target)?.sync().at(&target)?;
        }
    }
    for path in to.all() {
        disk.sync_dir(&path).at(&path)?;
    }
    // Written last: it makes the folder an index.
    let meta = crate::checksummed::read_all(&disk, &from.meta())?;
    crate::checksummed::write(&disk, &to.meta(), &meta)
}

/// Upgrades an index to the newest version.
///
/// # Errors
///
/// If there is no index, or it was created by a newer version.
pub fn upgrade(dir: &Path) -> Result<Upgrade> {
    // There is only one version so far; a later one is refused here.
    Index::open(dir)?;
    Ok(Upgrade::Current)
}
