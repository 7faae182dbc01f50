//! The memory limit of a run, and its division.
//!
//! Shares are computed from what is left after the few bytes per document that cannot go to the work folder, because
//! they are accessed randomly. Everything else in the run, such as buffers and documents being read, uses the remainder
//! that is not part of any share.

use lookalike_core::bucket::SORTING_BYTES;
use lookalike_core::text::boilerplate::Boilerplate;

use crate::error::{Error, Result};

/// The memory limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    bytes: u64,
}

/// Memory of the program itself and of its threads' buffers.
const BASE: u64 = 24 << 20;

/// Memory of a thread while it reads: the chunk it parses, the chunk it decompresses ahead, and the sketches of both.
const THREAD: u64 = 8 << 20;

/// Memory of a document while it is sketched or compared: the number of copies per byte, and all data per token of both
/// documents, including overhead of the system's allocator.
const COPIES: u64 = 4;
const TOKEN: u64 = 130;

/// Memory of a table of boilerplate, per byte of its passages: the text itself, and two sets of features with what
/// follows each.
const TABLE: u64 = 18;

/// Memory of a file, in addition to its documents: its path and name, its kind, and the location of its blocks.
const FILE: u64 = 900;

/// Window sizes of Zstandard: 8 MB must always be supported (RFC 8878, 3.1.1.1.2), and the maximum is 2 GB.
const LEAST_WINDOW_LOG: u32 = 23;
const MOST_WINDOW_LOG: u32 = 31;

/// Memory of each document: lengths, ranks, copies and decisions, and a few bytes for sorting.
const DOCUMENT: u64 = 44;

/// Bytes stored for each document in addition to its sketch and the characters of its names.
pub(crate) const DOCUMENT_BYTES: usize = 76;

/// Peak memory of a run over this many documents if nothing has to be spilled: the data of every document, its sketch
/// and names, and its keys in the columns that are sorted at once.
pub(crate) fn peak(documents: u64, sketch_and_name_bytes: f64, columns: usize) -> u64 {
    let fixed = DOCUMENT + (DOCUMENT_BYTES + columns * SORTING_BYTES) as u64;
    BASE + (documents as f64 * (fixed as f64 + sketch_and_name_bytes)) as u64
}

impl Memory {
    /// The minimum limit.
    pub const LEAST: u64 = 64_000_000;

    /// Creates a limit of this many bytes.
    ///
    /// # Errors
    ///
    /// [`Error::MemoryTooSmall`] below [`Memory::LEAST`].
    pub fn new(bytes: u64) -> Result<Self> {
        if bytes < Self::LEAST { Err(Error::MemoryTooSmall { bytes, least: Self::LEAST }) } else { Ok(Self { bytes }) }
    }

    /// Half of the memory of the machine or container; one gigabyte if that is unknown.
    pub fn half_of_machine() -> Self {
        let bytes = machine_bytes().unwrap_or(2 << 30) / 2;
        Self { bytes: bytes.max(Self::LEAST) }
    }

    /// The limit in bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// Maximum length of a document: its bytes, words and features take a dozen times its size.
    pub fn longest_document(self) -> u64 {
        self.bytes / 16
    }

    /// Checks that a document of this size can be sketched, and compared with another one.
    ///
    /// # Errors
    ///
    /// [`Error::MemoryTooSmallForDocument`] if that takes more.
    pub(crate) fn check_document(self, bytes: usize, tokens: usize) -> Result<()> {
        let needed = BASE + COPIES * bytes as u64 + TOKEN * tokens as u64;
        if needed <= self.bytes / 10 * 11 {
            return Ok(());
        }
        Err(Error::MemoryTooSmallForDocument { bytes: self.bytes, document_bytes: bytes as u64, needed })
    }

    /// Checks that a table of boilerplate leaves room for the documents.
    ///
    /// # Errors
    ///
    /// [`Error::MemoryTooSmallForMethod`] if it would take more than a quarter of the memory.
    pub(crate) fn check_boilerplate(self, table: &Boilerplate) -> Result<()> {
        let needed = 4 * TABLE * table.text_bytes();
        if needed <= self.bytes {
            return Ok(());
        }
        Err(Error::MemoryTooSmallForMethod { bytes: self.bytes, method: "boilerplate", needed })
    }

    /// Number of threads that fit: each reads a part of the input, and holds its sketches.
    pub fn most_threads(self) -> usize {
        (self.bytes / 2 / THREAD).max(1) as usize
    }

    /// The largest Zstandard window that each of `threads` threads may use, as a power of two.
    pub fn window_log(self, threads: usize) -> u32 {
        (self.bytes / 2 / threads.max(1) as u64).max(1).ilog2().clamp(LEAST_WINDOW_LOG, MOST_WINDOW_LOG)
    }

    /// Maximum length of documents that all threads may read concurrently; longer ones are read one at a time.
    pub(crate) fn read_together(self, threads: usize) -> usize {
        (self.longest_document() / 4 / threads.max(1) as u64) as usize
    }

    /// Checks that this many files leave room for their contents.
    ///
    /// # Errors
    ///
    /// [`Error::MemoryTooSmallForFiles`] if their names alone would take half of the memory.
    pub(crate) fn check_files(self, files: usize) -> Result<()> {
        let taken = files as u64 * FILE;
        if taken <= self.bytes / 2 {
            return Ok(());
        }
        Err(Error::MemoryTooSmallForFiles { bytes: self.bytes, files: files as u64, needed: 2 * taken })
    }

    /// The shares for a corpus of this many documents.
    ///
    /// # Errors
    ///
    /// [`Error::MemoryTooSmallFor`] if they do not leave enough for anything else.
    pub(crate) fn shares(self, documents: usize) -> Result<Shares> {
        let taken = BASE + documents as u64 * DOCUMENT;
        if taken > self.bytes / 4 * 3 {
            let needed = taken / 3 * 4;
            return Err(Error::MemoryTooSmallFor { bytes: self.bytes, documents: documents as u64, needed });
        }
        Ok(Shares { all: self.bytes, left: (self.bytes - taken) as usize, is_filed: false })
    }

    /// Memory for sketches and other data of documents while they are being read.
    pub(crate) fn blocks(self) -> usize {
        (self.bytes - BASE) as usize / 3
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::half_of_machine()
    }
}

/// The division of the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    all: u64,
    left: usize,
    /// True if sketches and other data of documents are in the work folder, so that others may use their share.
    is_filed: bool,
}

impl Shares {
    /// Memory for sketches and other data of documents.
    pub(crate) fn blocks(self) -> usize {
        self.left / 3
    }

    /// Maximum length of documents that all threads may read concurrently.
    pub(crate) fn read_together(self, threads: usize) -> usize {
        Memory { bytes: self.all }.read_together(threads)
    }

    /// Number of threads that may compare documents concurrently, if the largest has this many features.
    pub(crate) fn comparing(self, largest: u32, threads: usize) -> usize {
        let each = TOKEN * u64::from(largest.max(1));
        usize::try_from((self.all - BASE) / each).unwrap_or(usize::MAX).clamp(1, threads)
    }

    /// Checks that a method may hold this much at once.
    ///
    /// # Errors
    ///
    /// [`Error::MemoryTooSmallForMethod`] if that is more than is left after sketches.
    pub(crate) fn check(self, needed: u64, method: &'static str) -> Result<()> {
        let free = (self.left - self.blocks()) as u64;
        if needed <= free {
            return Ok(());
        }
        let needed = self.all + (needed - free) / 2 * 3;
        Err(Error::MemoryTooSmallForMethod { bytes: self.all, method, needed })
    }

    /// Checks that a family of candidates, which is resolved in memory, may take this much.
    ///
    /// # Errors
    ///
    /// [`Error::MemoryTooSmallForFamily`] if that is more than sketches and features leave.
    pub(crate) fn check_family(self, needed: u64) -> Result<()> {
        let taken = self.features() + if self.is_filed { 0 } else { self.blocks() };
        let free = (self.left - taken) as u64;
        if needed <= free {
            return Ok(());
        }
        let needed = self.all + (needed - free) / 2 * 3;
        Err(Error::MemoryTooSmallForFamily { bytes: self.all, needed })
    }

    /// The same shares if the data of documents is in the work folder.
    #[must_use]
    pub(crate) fn with_filed_blocks(self) -> Self {
        Self { is_filed: true, ..self }
    }

    /// Memory for sorting.
    pub(crate) fn sorting(self) -> usize {
        self.left / 4 + if self.is_filed { self.blocks() } else { 0 }
    }

    /// Memory for lists of candidates.
    pub(crate) fn lists(self) -> usize {
        self.left / 8
    }

    /// Memory for features that are likely to be needed again.
    pub(crate) fn features(self) -> usize {
        self.left / 8
    }

    /// Memory for the matches of a corpus.
    pub(crate) fn matches(self) -> usize {
        self.left / 8
    }
}

/// The memory of the machine, or the limit for this process.
fn machine_bytes() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let all = line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024;
    // The limit of a container, if there is one; a value that is not a number means no limit.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limit = limits.iter().find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok());
    Some(limit.map_or(all, |limit| limit.min(all)))
}

#[cfg(test)]
mod tests {
    use lookalike_core::method::{Exact, Method};

    use super::*;

    #[test]
    fn shares_are_less_than_the_whole() {
        let memory = Memory::new(1 << 30).unwrap();
        let shares = memory.shares(2_000_000).unwrap();
        let all = shares.blocks() + shares.sorting() + shares.lists() + shares.features() + shares.matches();
        assert!((all as u64) < memory.bytes() - BASE - 2_000_000 * DOCUMENT);
    }

    #[test]
    fn a_plan_counts_what_a_run_counts() {
        let bytes = |documents| peak(documents, 300.0, 2);
        assert_eq!(bytes(0), BASE);
        let entries = 2 * 2 * size_of::<lookalike_core::bucket::Entry>() as u64;
        assert_eq!(bytes(1000) - BASE, 1000 * (DOCUMENT + DOCUMENT_BYTES as u64 + 300 + entries));
    }

    #[test]
    fn threads_windows_and_files_are_as_many_as_there_is_room_for() {
        let [small, large] = [64 << 20, 64 << 30].map(|bytes| Memory::new(bytes).unwrap());
        assert_eq!((small.most_threads(), large.most_threads()), (4, 4096));
        assert_eq!([1, 4, 64].map(|threads| small.window_log(threads)), [25, 23, 23]);
        assert_eq!([1, 16, 64].map(|threads| large.window_log(threads)), [31, 31, 29]);
        // All threads together may read a quarter of what a single one may.
        assert_eq!(4 * 64 * large.read_together(64) as u64, large.longest_document());
        small.check_files(30_000).unwrap();
        let error = small.check_files(1_000_000).unwrap_err().to_string();
        assert!(error.contains("1000000 files: 1.8 GB are needed"), "{error}");
        Memory::new(1_800_000_000).unwrap().check_files(1_000_000).unwrap();
    }

    #[test]
    fn documents_that_are_long_for_the_memory_are_compared_by_fewer_threads_or_refused() {
        let memory = Memory::new(256_000_000).unwrap();
        memory.check_document(8_000_000, 1_250_000).unwrap();
        let Err(Error::MemoryTooSmallForDocument { needed, .. }) = memory.check_document(15_000_000, 7_500_000) else {
            panic!("it is enough")
        };
        Memory::new(needed).unwrap().check_document(15_000_000, 7_500_000).unwrap();
        let shares = memory.shares(1000).unwrap();
        assert_eq!([1000, 500_000, 1_250_000, u32::MAX].map(|largest| shares.comparing(largest, 8)), [8, 3, 1, 1]);
    }

    #[test]
    fn a_small_input_is_joined_within_the_least_memory() {
        let shares = Memory::new(Memory::LEAST).unwrap().shares(25_000).unwrap();
        assert!(Exact::is_cheap(25_000, Exact::FEW_FEATURES) && !Exact::is_cheap(25_001, 0));
        shares.check(Exact.memory(25_000, Exact::FEW_FEATURES), "exact").unwrap();
    }

    #[test]
    fn too_little_for_so_many_documents_is_told() {
        assert!(Memory::new(1 << 20).is_err());
        let memory = Memory::new(64 << 20).unwrap();
        assert!(memory.shares(100_000).is_ok());
        let Err(Error::MemoryTooSmallFor { needed, .. }) = memory.shares(10_000_000) else { panic!("it is enough") };
        assert!(Memory::new(needed + 4).unwrap().shares(10_000_000).is_ok());
    }
}
