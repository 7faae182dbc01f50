//! Results of a stage on disk: blocks of words, each with a checksum.
//!
//! [`Log::scan`] stops at a truncated or altered block: this one and all later ones are computed again. Threads append
//! concurrently, so a run that was killed may leave a gap; blocks after the gap are lost, and computed again as well.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lookalike_core::hash::bytes_hash;

use crate::bounds::Room;
use crate::error::{Error, Result};
use crate::faults::Faults;
use crate::file_system::{read_exact_at, write_all_at};

/// Start of a block, which does not occur by chance elsewhere.
const MARK: u64 = u64::from_le_bytes(*b"lookblk1");

/// Number of words before a block: mark, length in words, checksum.
const HEAD: usize = 4;

/// Start of the first block of a log. The others belong to the stage.
const FIRST: u64 = u64::from_le_bytes(*b"looklog1");

/// Identifies a log: one of another run is rejected, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogId {
    pub(super) run: u64,
    pub(super) stage: u64,
    pub(super) attempt: u32,
}

impl LogId {
    fn words(self) -> [u64; 4] {
        [FIRST, self.run, self.stage, u64::from(self.attempt)]
    }
}

/// Maximum size of a block in words: a larger claim means damage.
const MOST_WORDS: u64 = 1 << 32;

/// A file of blocks.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    /// Start of the stage's blocks.
    start: u64,
    end: AtomicU64,
    faults: Arc<Faults>,
    room: Room,
}

impl Log {
    pub(super) fn create(path: PathBuf, id: LogId, faults: Arc<Faults>) -> Result<Self> {
        let mut options = File::options();
        faults.check().map_err(Error::unworkable(&path))?;
        let file = options.read(true).write(true).create_new(true).open(&path).map_err(Error::unworkable(&path))?;
        let room = Room::new(path.parent().unwrap_or(&path));
        let mut log = Self { path, file, start: 0, end: AtomicU64::new(0), faults, room };
        log.append(&id.words())?;
        log.start = log.end.load(Relaxed);
        Ok(log)
    }

    /// Opens the log of an earlier attempt. One that is truncated or altered at its start has no blocks.
    pub(super) fn open(path: PathBuf, id: LogId, faults: Arc<Faults>) -> Result<Self> {
        let file = File::open(&path).map_err(Error::unworkable(&path))?;
        let end = file.metadata().map_err(Error::unworkable(&path))?.len();
        let room = Room::new(path.parent().unwrap_or(&path));
        let mut log = Self { path, file, start: 0, end: AtomicU64::new(end), faults, room };
        let mut block = Vec::new();
        match log.block_at(0, &mut block)? {
            Some(_) if block != id.words() => return Err(Error::WorkFileOfAnother { path: log.path }),
            Some(first) => log.start = first + size_of_val::<[u64]>(&block) as u64,
            None => log.end = AtomicU64::new(0),
        }
        Ok(log)
    }

    /// Appends a block, and returns the offset of its first word.
    ///
    /// # Errors
    ///
    /// If the disk is full, or the folder is gone.
    pub fn append(&self, block: &[u64]) -> Result<u64> {
        let bytes: &[u8] = bytemuck::cast_slice(block);
        let sum = bytes_hash(bytes);
        let head = [MARK, block.len() as u64, sum as u64, (sum >> 64) as u64];
        let size = ((HEAD + block.len()) * size_of::<u64>()) as u64;
        self.room.take(size)?;
        let start = self.end.fetch_add(size, Relaxed);
        let first = start + (HEAD * size_of::<u64>()) as u64;
        let write = || {
            let most = self.faults.check_write(&self.file, bytes, first)?;
            write_all_at(&self.file, &bytes[..most], first)?;
            // The header is written last: an incomplete block has none.
            write_all_at(&self.file, bytemuck::cast_slice(&head), start)
        };
        write().map_err(Error::unworkable(&self.path))?;
        Ok(first)
    }

    /// Reads words of a block at an offset returned by [`Log::append`].
    ///
    /// # Errors
    ///
    /// If they are no longer there.
    pub fn read(&self, offset: u64, words: &mut [u64]) -> Result<()> {
        self.read_bytes(offset, bytemuck::cast_slice_mut(words))
    }

    /// Reads bytes of a block.
    ///
    /// # Errors
    ///
    /// If they are no longer there.
    pub fn read_bytes(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        read_exact_at(&self.file, bytes, offset).map_err(Error::unworkable(&self.path))
    }

    /// Passes every complete block to `each`, with its offset.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or `each` fails.
    pub fn scan<E: From<Error>>(
        &self,
        mut each: impl FnMut(u64, &[u64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let (mut start, mut block) = (self.start, Vec::new());
        while let Some(first) = self.block_at(start, &mut block)? {
            each(first, &block)?;
            start = first + size_of_val::<[u64]>(&block) as u64;
        }
        Ok(())
    }

    /// Reads the block whose header is at `start`, if it is complete, and returns the offset of its first word.
    fn block_at(&self, start: u64, block: &mut Vec<u64>) -> Result<Option<u64>> {
        let (length, word) = (self.end.load(Relaxed), size_of::<u64>() as u64);
        let first = start + HEAD as u64 * word;
        if first > length {
            return Ok(None);
        }
        let mut head = [0; HEAD];
        self.read(start, &mut head)?;
        let [mark, words, low, high] = head;
        if mark != MARK || words > MOST_WORDS || first + words * word > length {
            return Ok(None);
        }
        block.resize(words as usize, 0);
        self.read(first, block)?;
        let is_whole = bytes_hash(bytemuck::cast_slice(block)) == u128::from(high) << 64 | u128::from(low);
        Ok(is_whole.then_some(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(log: &Log) -> Vec<Vec<u64>> {
        let mut blocks = Vec::new();
        log.scan::<Error>(|offset, block| {
            let mut again = vec![0; block.len()];
            log.read(offset, &mut again)?;
            assert_eq!(again, block);
            blocks.push(block.to_vec());
            Ok(())
        })
        .unwrap();
        blocks
    }

    const ID: LogId = LogId { run: 7, stage: 8, attempt: 0 };

    #[test]
    fn a_log_of_another_run_stage_or_attempt_is_refused_and_rubbish_has_no_blocks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        Log::create(path.clone(), ID, Arc::default()).unwrap().append(&[1, 2, 3]).unwrap();
        for id in [LogId { run: 1, ..ID }, LogId { stage: 1, ..ID }, LogId { attempt: 1, ..ID }] {
            let refused = Log::open(path.clone(), id, Arc::default());
            assert!(matches!(refused, Err(Error::WorkFileOfAnother { .. })), "{id:?}");
        }
        for rubbish in [&b""[..], b"x", &[0; 100], &[255; 4096]] {
            std::fs::write(&path, rubbish).unwrap();
            assert!(blocks(&Log::open(path.clone(), ID, Arc::default()).unwrap()).is_empty());
        }
    }

    #[test]
    fn blocks_come_back_up_to_the_first_that_was_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let all = [vec![1, 2, 3], vec![], vec![4; 1000], vec![5]];
        let log = Log::create(path.clone(), ID, Arc::default()).unwrap();
        for block in &all {
            log.append(block).unwrap();
        }
        assert_eq!(blocks(&log), all);

        let bytes = std::fs::read(&path).unwrap();
        for damaged in (0..bytes.len()).step_by(97) {
            let mut altered = bytes.clone();
            altered[damaged] ^= 1;
            std::fs::write(&path, &altered).unwrap();
            let left = blocks(&Log::open(path.clone(), ID, Arc::default()).unwrap());
            assert!(left.len() < all.len() && all.starts_with(&left), "byte {damaged}");
            std::fs::write(&path, &bytes[..damaged]).unwrap();
            let left = blocks(&Log::open(path.clone(), ID, Arc::default()).unwrap());
            assert!(left.len() < all.len() && all.starts_with(&left), "cut at {damaged}");
        }
    }
}
