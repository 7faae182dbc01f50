//! Files of an index: current ones and leftovers.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::disk::{Disk, Holder, Lock};
use crate::error::{At, Error, Result};
use crate::manifest::{Folder, Manifest};
use crate::part::Part;
use crate::state::State;

/// Endings of the file names that the index uses.
const ENDINGS: [&str; 5] = [".json", ".log", ".seg", ".bits", ".tmp"];

/// Returns a file number that was never used.
pub(crate) fn next_file(disk: &dyn Disk, folder: &Folder) -> Result<u32> {
    let mut next = 1;
    for path in [folder.logs(), folder.segments(), folder.deleted()] {
        for name in disk.list(&path).at(&path)? {
            let digits = name.split(|c: char| !c.is_ascii_digit());
            next =
                digits.filter_map(|number| number.parse::<u32>().ok()).fold(next, |next, number| next.max(number + 1));
        }
    }
    Ok(next)
}

/// The files of a state.
pub(crate) fn of_state(folder: &Folder, state: &State) -> BTreeSet<PathBuf> {
    let mut files: BTreeSet<PathBuf> = state.logs.keys().map(|number| folder.log(*number)).collect();
    files.insert(folder.manifest(state.manifest));
    for held in &state.parts {
        if let Part::Disk { number, bitmap, .. } = &held.part {
            files.insert(folder.segment(*number));
            files.extend(bitmap.map(|bitmap| folder.bitmap(*number, bitmap)));
        }
    }
    files
}

/// Removes files of this index that the newest manifest does not name. A reader that has one open keeps it; a reader
/// that is about to open it switches to the newer manifest.
///
/// A file that cannot be removed is left for the next time; files of others are never touched.
pub(crate) fn sweep(disk: &dyn Disk, folder: &Folder, state: &State) {
    let mut named = of_state(folder, state);
    // Some deletes are so far only in the log: the bitmap of the manifest is still needed.
    let manifest = Manifest::read(disk, folder, state.manifest);
    let Ok(manifest) = manifest else { return };
    for segment in &manifest.segments {
        named.extend(segment.deleted.map(|[bitmap, _]| folder.bitmap(segment.number, bitmap)));
    }
    for path in folder.all() {
        for name in disk.list(&path).unwrap_or_default() {
            let file = path.join(&name);
            if is_ours(&name) && !named.contains(&file) {
                let _ = disk.remove(&file);
            }
        }
    }
}

/// Starts an index in a folder that is new or empty, or that contains leftovers of an interrupted creation or copy:
/// without index.json it was never an index. No other process creates one there while the lock is held.
pub(crate) fn begin(disk: &dyn Disk, folder: &Folder) -> Result<Box<dyn std::fmt::Debug + Send + Sync>> {
    const OWN: [&str; 6] = ["manifest", "log", "segment", "deleted", "index.tmp", "LOCK"];
    let not_empty = || Error::NotEmpty { path: folder.path.clone() };
    let is_free = || {
        let names = disk.list(&folder.path).unwrap_or_default();
        names.iter().all(|name| OWN.contains(&&**name))
    };
    if !is_free() {
        return Err(not_empty());
    }
    // All folders are created before the first file: if one is missing, the files are not ours.
    let is_begun = folder.all().iter().all(|path| disk.list(path).is_ok());
    let mut left: Vec<PathBuf> = Vec::new();
    for path in folder.all() {
        left.extend(disk.list(&path).unwrap_or_default().iter().map(|name| path.join(name)));
    }
    let is_ours = |path: &PathBuf| path.file_name().is_some_and(|name| is_ours(&name.to_string_lossy()));
    let is_leftover = is_begun && left.iter().all(is_ours);
    if !(left.is_empty() || is_leftover) {
        return Err(not_empty());
    }
    for path in folder.all() {
        disk.create_dir(&path).at(&path)?;
    }
    let lock = lock(disk, folder)?;
    // Another process may have created one before the lock was taken.
    if !is_free() {
        return Err(not_empty());
    }
    for path in left {
        disk.remove(&path).at(&path)?;
    }
    Ok(lock)
}

/// True if a file name has the form of ours.
fn is_ours(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit()) && ENDINGS.iter().any(|end| name.ends_with(end))
}

/// Takes the lock of an index.
pub(crate) fn lock(disk: &dyn Disk, folder: &Folder) -> Result<Box<dyn std::fmt::Debug + Send + Sync>> {
    lock_for(disk, folder, None)
}

/// Takes the lock for a service, whose address is written to the lock file for those who find the index locked.
pub(crate) fn lock_for(
    disk: &dyn Disk,
    folder: &Folder,
    service: Option<&str>,
) -> Result<Box<dyn std::fmt::Debug + Send + Sync>> {
    let path = folder.lock();
    match disk.lock(&path, service).at(&path)? {
        Lock::Held(lock) => Ok(lock),
        Lock::Taken(Holder { process_id, service }) => {
            Err(Error::Locked { path: folder.path.clone(), process_id, service })
        }
    }
}
