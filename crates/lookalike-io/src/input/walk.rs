//! The files below a folder.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::discover::{Found, Key, Search};
use super::file::{Facts, Origin};
use crate::aside::beside;
use crate::error::{Error, Result};
use crate::file_system::identity;
use crate::work::is_work_folder;

impl Search {
    /// Finds the regular files below a folder, including unreadable ones.
    ///
    /// Every folder is walked once, however many links lead to it: otherwise, links to each other would double the walk
    /// at each level. Real folders come first, so that files have their own names; links follow, one at a time.
    pub(super) fn folder(&mut self, input: &Path, root: &Path) -> Result<()> {
        let first = self.found.len();
        let mut walked: HashSet<Key> = HashSet::new();
        let mut links = BTreeSet::new();
        self.walk(input, input, root, &mut walked, &mut links)?;
        while let Some(link) = links.pop_first() {
            self.walk(&link, input, root, &mut walked, &mut links)?;
        }
        // By name, as if links were folders.
        self.found[first..].sort_by(|left, right| left.below.cmp(&right.below));
        Ok(())
    }

    /// Walks one folder, which may be the target of a link, and collects links to others.
    fn walk(
        &mut self,
        start: &Path,
        input: &Path,
        root: &Path,
        walked: &mut HashSet<Key>,
        links: &mut BTreeSet<PathBuf>,
    ) -> Result<()> {
        let output = self.output.clone();
        let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_output = |path: &Path| output.is_some() && path.canonicalize().ok() == output;
        // The staging folder of a killed run for this output, which the run will remove.
        let aside = output.as_deref().and_then(beside);
        let is_ours = |path: &Path| {
            is_output(path)
                || aside.as_ref().is_some_and(|aside| path.file_name() == aside.file_name())
                    && path.canonicalize().ok() == aside
        };
        let is_by_link = start != input;
        let mut walk = WalkDir::new(start).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let (path, depth) = match &entry {
                Ok(entry) => (entry.path().to_owned(), entry.depth()),
                Err(error) => (error.path().unwrap_or(start).to_owned(), error.depth()),
            };
            let is_symlink = depth > 0 && entry.as_ref().is_ok_and(walkdir::DirEntry::path_is_symlink);
            let metadata = if is_symlink || depth == 0 { fs::metadata(&path).ok() } else { None };
            let is_folder = match &metadata {
                Some(metadata) => metadata.is_dir(),
                None => entry.as_ref().is_ok_and(|entry| entry.file_type().is_dir()),
            };
            let is_ours = depth > 0 && is_ours(&path);
            let is_work = || is_folder && depth > 0 && is_work_folder(&path);
            if is_ours || depth > 0 && (is_hidden(&path) || is_work()) {
                if is_hidden(&path) && !is_ours {
                    self.left_out.hidden.push(&path);
                } else if !is_ours {
                    self.left_out.work_folders.push(&path);
                }
                if is_folder && !is_symlink {
                    walk.skip_current_dir();
                }
                continue;
            }
            let below = path.strip_prefix(input).expect("a walk stays below its root").to_owned();
            if depth > 0 && self.is_excluded(&below, &path) {
                if is_folder && !is_symlink {
                    walk.skip_current_dir();
                }
                continue;
            }
            let metadata = match entry {
                Ok(_) if is_folder && is_symlink => {
                    links.insert(path);
                    continue;
                }
                Ok(_) if is_folder => {
                    if !walked.insert(folder_key(&path)) {
                        if depth == 0 {
                            self.left_out.links.push(&path);
                        }
                        walk.skip_current_dir();
                    }
                    continue;
                }
                // A broken link is skipped when it is opened.
                Ok(_) if is_symlink => match metadata {
                    Some(metadata) if !metadata.is_file() => continue,
                    metadata => metadata,
                },
                Ok(entry) if entry.file_type().is_file() => fs::metadata(&path).ok(),
                // A pipe or a socket.
                Ok(_) => continue,
                Err(error) if depth == 0 && !is_by_link => {
                    let cause = error.into_io_error().unwrap_or_else(|| io::ErrorKind::NotFound.into());
                    return Err(Error::Unreadable { path, cause });
                }
                // A file without access is skipped when it is opened.
                Err(_) => None,
            };
            let is_link = is_by_link || is_symlink;
            let facts = metadata.as_ref().map(Facts::of);
            let (origin, below) = (Origin::Path(path), root.join(below));
            self.found.push(Found { origin, below, facts, is_link, is_named: false, is_met: true });
        }
        Ok(())
    }
}

/// The same for all names of one folder.
fn folder_key(path: &Path) -> Key {
    let identity = fs::metadata(path).ok().as_ref().and_then(identity);
    identity.map_or_else(|| Key::Path(path.canonicalize().unwrap_or_else(|_| path.to_owned())), Key::Identity)
}
