//! An in-memory disk that records every operation: a test can inspect its state after a crash at any of them, and can
//! make any of them fail.
//!
//! Contents belong to files and names to folders, as on a real disk: in a crash, written data is lost unless the file
//! was synced afterwards, and a created, changed or removed name is lost unless its folder was.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Disk, DiskFile, Holder, Lock};

/// Data lost in a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing: the process died, not the machine.
    Nothing,
    /// Everything that was not synced.
    Unsynced,
    /// A random subset of the operations that were not synced; the last remaining write is truncated.
    Some(u64),
}

/// A failure of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The disk is full: half of the data is written.
    Full,
    /// The disk fails.
    Broken,
}

/// One operation, as requested.
#[derive(Clone, Debug)]
enum Operation {
    Create { path: PathBuf, file: usize },
    Write { file: usize, offset: u64, bytes: Vec<u8> },
    SetLen { file: usize, length: u64 },
    Sync { file: usize },
    Rename { from: PathBuf, to: PathBuf },
    Remove { path: PathBuf },
    SyncDir { path: PathBuf },
}

#[derive(Debug, Default)]
struct Inner {
    operations: Vec<Operation>,
    contents: Vec<Vec<u8>>,
    names: BTreeMap<PathBuf, usize>,
    folders: BTreeSet<PathBuf>,
    /// Number of operations that may fail; and which of them does.
    attempts: u64,
    fault: Option<(u64, Fault, bool)>,
}

/// An in-memory disk.
#[derive(Clone, Debug, Default)]
pub struct Simulated {
    inner: Arc<Mutex<Inner>>,
    is_locked: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Open {
    disk: Simulated,
    file: usize,
}

#[derive(Debug)]
struct Held(Arc<AtomicBool>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.store(false, SeqCst);
    }
}

impl Simulated {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of recorded operations.
    pub fn operation_count(&self) -> usize {
        self.inner().operations.len()
    }

    /// Number of attempted operations that can be made to fail.
    pub fn attempts(&self) -> u64 {
        self.inner().attempts
    }

    /// Makes the operation with this number fail, counted from now on; with `is_lasting`, also all later ones.
    pub fn fail_at(&self, number: u64, fault: Fault, is_lasting: bool) {
        let mut inner = self.inner();
        inner.attempts = 0;
        inner.fault = Some((number, fault, is_lasting));
    }

    /// Ends all failures.
    pub fn heal(&self) {
        self.inner().fault = None;
    }

    /// Returns the disk as it is after a crash that follows `operations` operations.
    #[must_use]
    pub fn after_crash(&self, operations: usize, loss: Loss) -> Self {
        let inner = self.inner();
        let kept = survivors(&inner.operations[..operations], loss);
        let mut after = Inner { folders: inner.folders.clone(), ..Inner::default() };
        for operation in kept {
            after.apply(operation);
        }
        after.operations.clear();
        Self { inner: Arc::new(Mutex::new(after)), is_locked: Arc::default() }
    }

    /// The names of all files.
    pub fn files(&self) -> Vec<PathBuf> {
        self.inner().names.keys().cloned().collect()
    }

    /// The content of a file.
    pub fn content(&self, path: &Path) -> Option<Vec<u8>> {
        let inner = self.inner();
        inner.names.get(path).map(|file| inner.contents[*file].clone())
    }

    /// Replaces the content of a file, or creates it.
    pub fn set_content(&self, path: &Path, bytes: Vec<u8>) {
        let mut inner = self.inner();
        if let Some(file) = inner.names.get(path).copied() {
            inner.contents[file] = bytes;
        } else {
            inner.contents.push(bytes);
            let file = inner.contents.len() - 1;
            inner.names.insert(path.to_owned(), file);
        }
    }

    /// An independent copy.
    #[must_use]
    pub fn copied(&self) -> Self {
        let inner = self.inner();
        let copy = Inner {
            contents: inner.contents.clone(),
            names: inner.names.clone(),
            folders: inner.folders.clone(),
            ..Inner::default()
        };
        Self { inner: Arc::new(Mutex::new(copy)), is_locked: Arc::default() }
    }
}

/// The operations that survive a crash, in order.
fn survivors(operations: &[Operation], loss: Loss) -> Vec<Operation> {
    if loss == Loss::Nothing {
        return operations.to_vec();
    }
    let mut chance = match loss {
        Loss::Some(seed) => seed.wrapping_mul(2).wrapping_add(1),
        _ => 0,
    };
    let mut draw = || {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        chance
    };
    let mut kept = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        let later = &operations[at + 1..];
        let is_durable = match operation {
            Operation::Write { file, .. } | Operation::SetLen { file, .. } => {
                later.iter().any(|later| matches!(later, Operation::Sync { file: synced } if synced == file))
            }
            Operation::Create { path, .. } | Operation::Remove { path } | Operation::Rename { to: path, .. } => {
                let parent = path.parent();
                later.iter().any(|later| matches!(later, Operation::SyncDir { path } if Some(path.as_path()) == parent))
            }
            Operation::Sync { .. } | Operation::SyncDir { .. } => true,
        };
        if is_durable {
            kept.push(operation.clone());
            continue;
        }
        if loss == Loss::Unsynced {
            // A file whose name is not durable is still a file; its number must be used.
            if let Operation::Create { file, .. } = operation {
                kept.push(Operation::Create { path: PathBuf::from(format!("lost-{file}")), file: *file });
            }
            continue;
        }
        match (operation, draw() % 4) {
            (Operation::Write { file, offset, bytes }, 0) => {
                let cut = bytes.len() * (draw() % 8) as usize / 8;
                kept.push(Operation::Write { file: *file, offset: *offset, bytes: bytes[..cut].to_vec() });
            }
            (Operation::Create { file, .. }, 0 | 1) => {
                kept.push(Operation::Create { path: PathBuf::from(format!("lost-{file}")), file: *file });
            }
            (_, 0 | 1) => {}
            _ => kept.push(operation.clone()),
        }
    }
    kept
}

impl Inner {
    fn apply(&mut self, operation: Operation) {
        match &operation {
            Operation::Create { path, file } => {
                self.contents.resize_with(self.contents.len().max(file + 1), Vec::new);
                self.names.insert(path.clone(), *file);
            }
            Operation::Write { file, offset, bytes } => {
                let content = &mut self.contents[*file];
                let end = *offset as usize + bytes.len();
                content.resize(content.len().max(end), 0);
                content[*offset as usize..end].copy_from_slice(bytes);
            }
            Operation::SetLen { file, length } => self.contents[*file].resize(*length as usize, 0),
            Operation::Sync { .. } | Operation::SyncDir { .. } => {}
            Operation::Rename { from, to } => {
                // After a crash, the file may not have the name that it is renamed from.
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                }
            }
            Operation::Remove { path } => {
                self.names.remove(path);
            }
        }
        self.operations.push(operation);
    }

    fn attempt(&mut self) -> Option<Fault> {
        let number = self.attempts;
        self.attempts += 1;
        let (at, fault, is_lasting) = self.fault?;
        (number == at || is_lasting && number > at).then_some(fault)
    }

    fn act(&mut self, operation: Operation) -> io::Result<()> {
        match self.attempt() {
            None => {
                self.apply(operation);
                Ok(())
            }
            Some(Fault::Broken) => Err(io::Error::other("the disk fails")),
            Some(Fault::Full) => match operation {
                Operation::Write { file, offset, bytes } => {
                    let bytes = bytes[..bytes.len() / 2].to_vec();
                    self.apply(Operation::Write { file, offset, bytes });
                    Err(io::ErrorKind::StorageFull.into())
                }
                Operation::Create { .. } => Err(io::ErrorKind::StorageFull.into()),
                // Operations that need no space do not fail on a full disk.
                other => {
                    self.apply(other);
                    Ok(())
                }
            },
        }
    }
}

impl Disk for Simulated {
    fn open(&self, path: &Path, _: bool) -> io::Result<Arc<dyn DiskFile>> {
        let file = self.inner().names.get(path).copied().ok_or(io::ErrorKind::NotFound)?;
        Ok(Arc::new(Open { disk: self.clone(), file }))
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let mut inner = self.inner();
        let file = inner.contents.len();
        inner.act(Operation::Create { path: path.to_owned(), file })?;
        Ok(Arc::new(Open { disk: self.clone(), file }))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.inner().folders.insert(path.to_owned());
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let inner = self.inner();
        let names = inner.names.keys().chain(&inner.folders).filter(|name| name.parent() == Some(path));
        let names: Vec<String> =
            names.filter_map(|name| Some(name.file_name()?.to_string_lossy().into_owned())).collect();
        if names.is_empty() && !inner.folders.contains(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(names)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inner = self.inner();
        if !inner.names.contains_key(from) {
            return Err(io::ErrorKind::NotFound.into());
        }
        inner.act(Operation::Rename { from: from.to_owned(), to: to.to_owned() })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut inner = self.inner();
        if !inner.names.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        inner.act(Operation::Remove { path: path.to_owned() })
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.inner().act(Operation::SyncDir { path: path.to_owned() })
    }

    fn lock(&self, _: &Path, _: Option<&str>) -> io::Result<Lock> {
        let is_taken = self.is_locked.swap(true, SeqCst);
        Ok(if is_taken {
            Lock::Taken(Holder::default())
        } else {
            Lock::Held(Box::new(Held(Arc::clone(&self.is_locked))))
        })
    }
}

impl DiskFile for Open {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let inner = self.disk.inner();
        let content = inner.contents[self.file].get(offset as usize..).and_then(|rest| rest.get(..buffer.len()));
        buffer.copy_from_slice(content.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.disk.inner().act(Operation::Write { file: self.file, offset, bytes: bytes.to_vec() })
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.inner().act(Operation::Sync { file: self.file })
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.disk.inner().act(Operation::SetLen { file: self.file, length })
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.disk.inner().contents[self.file].len() as u64)
    }
}
