//! Limits on the resources of a job, and the location for data that does not fit in memory.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_io::bounds::InputLimit;
use lookalike_io::input::discover::Exclude;
use lookalike_io::read::Settings;
use lookalike_io::work::{Earlier, WorkOptions};
use serde::{Deserialize, Serialize};

use super::size::Size;
use crate::options::Resources;
use crate::refused::Refused;
use crate::resources::memory::Memory;

/// Limits of a job in the words of its users.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[setters(generate_delegates(ty = "super::DecontaminateRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::DedupRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::CompareRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::PairsRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::PassagesRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::SplitsRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::TuneRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::EvaluateRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::LinkRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::SetsRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::PrintsRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::AddRequest", field = "resources"))]
#[setters(generate_delegates(ty = "super::ExtractRequest", field = "resources"))]
#[non_exhaustive]
pub struct ResourceRequest {
    /// Number of threads. Default: one per core.
    pub threads: Option<i64>,
    /// Memory limit. Default: half of the machine's memory.
    pub memory: Option<Size>,
    /// Documents and rows longer than this are skipped. Default: 256M, or a sixteenth of the memory if that is less.
    pub max_record: Option<Size>,
    /// Text, uncompressed, beyond which the job is given up. Default: no limit.
    pub max_input: Option<Size>,
    /// Patterns of files and folders that are not read, such as `*.md`; one with a slash is for the path below an
    /// input.
    pub exclude: Vec<String>,
}

/// Maximum number of threads: more than the cores of any machine would only slow each other down.
const MOST_THREADS: i64 = 1024;

/// The longest record: places of documents are kept in 32 bits.
const MOST_RECORD: u64 = 2_000_000_000;

impl ResourceRequest {
    /// Checks all limits.
    ///
    /// # Errors
    ///
    /// Fails if a limit is not a number or size, or is out of range.
    pub fn check(&self) -> Result<Resources, Refused> {
        self.check_for(1)
    }

    /// Checks all limits of a job that holds this many documents at once, and all that is made of them.
    ///
    /// # Errors
    ///
    /// As [`ResourceRequest::check`].
    pub fn check_for(&self, documents_at_once: u64) -> Result<Resources, Refused> {
        let memory = self.checked_memory()?;
        let wanted_threads = match self.threads {
            None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            Some(threads) if (1..=MOST_THREADS).contains(&threads) => threads as usize,
            Some(threads) => {
                return Err(Refused::out_of_range(JobOption::Threads, threads, format!("from 1 to {MOST_THREADS}")));
            }
        };
        let threads = wanted_threads.min(memory.most_threads());
        let longest = match &self.max_record {
            Some(size) => size.check(JobOption::MaxRecord, 1, MOST_RECORD, "a size from 1 to 2G")?,
            None => (memory.longest_document() / documents_at_once).min(Settings::default().longest.into()),
        };
        let exclude = Exclude::new(&self.exclude).map_err(|(written, reason)| {
            Refused::unknown_word(JobOption::Exclude, format!("'{written}' ({reason})"), "a pattern, such as '*.md'")
        })?;
        let most = self.max_input.as_ref().map(|size| size.check(JobOption::MaxInput, 1, u64::MAX, "above 0"));
        Ok(Resources {
            memory,
            longest: longest as u32,
            // A frame of Zstandard may ask for a window of any size.
            limit: InputLimit::new(most.transpose()?).with_window_log(memory.window_log(threads)),
            exclude,
            threads,
            wanted_threads,
        })
    }

    fn checked_memory(&self) -> Result<Memory, Refused> {
        let Some(size) = &self.memory else { return Ok(Memory::half_of_machine()) };
        let least = format!("at least {}", lookalike_io::error::size(Memory::LEAST));
        let bytes = size.check(JobOption::Memory, Memory::LEAST, u64::MAX, &least)?;
        Ok(Memory::new(bytes).expect("it is large enough"))
    }
}

impl Default for Resources {
    fn default() -> Self {
        ResourceRequest::default().check().expect("the defaults are possible")
    }
}

/// The work folder of a job in the words of its users.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[setters(generate_delegates(ty = "super::DedupRequest", field = "work"))]
#[setters(generate_delegates(ty = "super::PairsRequest", field = "work"))]
#[setters(generate_delegates(ty = "super::SplitsRequest", field = "work"))]
#[non_exhaustive]
pub struct WorkRequest {
    /// Folder for what does not fit in memory, from which an interrupted run can be resumed.
    pub work: Option<PathBuf>,
    /// Resume an unfinished run.
    pub resume: Option<bool>,
    /// Replace what an earlier run wrote, finished or not.
    pub force: Option<bool>,
}

impl WorkRequest {
    /// Checks that there is a folder to resume from.
    ///
    /// # Errors
    ///
    /// Fails if a run is to be resumed, but no folder is given.
    pub fn check(&self) -> Result<WorkOptions, Refused> {
        let earlier = match (self.resume == Some(true), self.is_forced()) {
            (true, _) if self.work.is_none() => return Err(Refused::needs(JobOption::Resume, JobOption::Work)),
            (true, _) => Earlier::Resume,
            (false, true) => Earlier::Replace,
            (false, false) => Earlier::Refuse,
        };
        Ok(WorkOptions { folder: self.work.clone(), earlier, ..WorkOptions::default() })
    }

    pub(crate) fn is_forced(&self) -> bool {
        self.force == Some(true)
    }
}
