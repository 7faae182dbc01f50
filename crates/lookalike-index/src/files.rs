//! The files of an index: which there are, and which are left over.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::disk::{Disk, Holder, Lock};
use crate::error::{At, Error, Result};
use crate::manifest::{Folder, Manifest};
use crate::part::Part;
use crate::state::State;

/// What the names of our own files end in.
const ENDINGS: [&str; 5] = [".json", ".log", ".seg", ".bits", ".tmp"];

/// A number that no file has had.
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

/// The files that a state has.
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

/// Removes files of ours that the newest manifest does not name. Readers that have one open keep it; one that is about to open it
/// takes the newer manifest.
///
/// A file that cannot be removed is left for the next time; others' files are none of our business.
pub(crate) fn sweep(disk: &dyn Disk, folder: &Folder, state: &State) {
    let mut named = of_state(folder, state);
    // Deletes that are only in the log yet: the bitmap of the manifest is still needed.
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

/// Begins an index in a folder that is new or empty, or has what a creation or a copy that was cut off left: without index.json it
/// was never an index. Nobody else makes one there while the lock is held.
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
    // All folders are made before the first file: where one is missing, a file is not of ours.
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
    // Another may have made one before the lock was taken.
    if !is_free() {
        return Err(not_empty());
    }
    for path in left {
        disk.remove(&path).at(&path)?;
    }
    Ok(lock)
}

/// Whether a file has a name as ours have.
fn is_ours(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit()) && ENDINGS.iter().any(|end| name.ends_with(end))
}

/// Takes the lock of an index.
pub(crate) fn lock(disk: &dyn Disk, folder: &Folder) -> Result<Box<dyn std::fmt::Debug + Send + Sync>> {
    lock_for(disk, folder, None)
}

/// The same for a service, whose address is written where those who find the index locked read it.
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
