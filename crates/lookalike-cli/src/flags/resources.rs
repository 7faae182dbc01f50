//! How much memory a run may use, and where it puts what does not fit it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, Result};
use clap::Args;
use lookalike::io::bounds::InputLimit;
use lookalike::io::read::Settings;
use lookalike::{Earlier, Memory, WorkOptions};

use crate::flags::read::longest;
use crate::show::numbers;

#[derive(Debug, Args)]
pub(crate) struct ResourceArguments {
    /// Memory limit, such as 500M or 4G; what does not fit goes to the work folder [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    memory: Option<String>,
    /// Folder for what does not fit in memory; an interrupted run can be resumed from it
    /// [default: the system's temporary folder, without resuming]
    #[arg(long, value_name = "DIR", help_heading = "Resources")]
    work: Option<PathBuf>,
    /// Resume an unfinished run from its work folder: the same command with --resume added
    #[arg(long, requires = "work", help_heading = "Resources")]
    resume: bool,
}

/// How much of tables is read.
#[derive(Debug, Args)]
pub(crate) struct TableResourceArguments {
    /// Memory limit, such as 500M or 4G: a job that needs more is refused before it starts [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    memory: Option<String>,
    /// Skip rows longer than this, such as 500M or 1G [default: 256M, or a sixteenth of --memory if that is less]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    max_record: Option<String>,
    /// Exit with code 2 if the input has more text than this, uncompressed, such as 10G [default: no limit]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    max_input: Option<String>,
}

/// How much of tables is read, as it was asked for.
pub(crate) struct TableResources {
    pub(crate) memory: Memory,
    /// The longest row in bytes.
    pub(crate) longest: u32,
    pub(crate) limit: InputLimit,
}

impl TableResourceArguments {
    pub(crate) fn options(&self) -> Result<TableResources> {
        let memory = memory(self.memory.as_deref())?;
        let longest = match &self.max_record {
            Some(written) => longest(written)?,
            None => u32::try_from(memory.longest_document()).unwrap_or(u32::MAX).min(Settings::default().longest),
        };
        Ok(TableResources { memory, longest, limit: input_limit(self.max_input.as_deref())? })
    }
}

/// How much input is read.
pub(crate) fn input_limit(written: Option<&str>) -> Result<InputLimit> {
    let Some(written) = written else { return Ok(InputLimit::default()) };
    let bytes = numbers::parse_bytes(written).filter(|bytes| *bytes > 0);
    let bytes = bytes.with_context(|| format!("--max-input {written} is not a size: give one such as 500M or 10G"))?;
    Ok(InputLimit::new(Some(bytes)))
}

pub(crate) fn memory(written: Option<&str>) -> Result<Memory> {
    let Some(written) = written else { return Ok(Memory::half_of_machine()) };
    let bytes = numbers::parse_bytes(written);
    Ok(Memory::new(bytes.with_context(|| format!("--memory {written} is not a size: give one such as 500M or 4G"))?)?)
}

/// Whether a run that is interrupted can be resumed.
static CAN_RESUME: AtomicBool = AtomicBool::new(false);

/// Whether the run adds to an index, where what was acknowledged stays.
static ADDS: AtomicBool = AtomicBool::new(false);

/// Notes that the run adds to an index.
pub(crate) fn adds_to_index() {
    ADDS.store(true, Relaxed);
}

/// What to say to someone who interrupts the run.
pub(crate) fn interrupted(is_complete: bool) -> &'static str {
    if ADDS.load(Relaxed) {
        "interrupted: what was added stays; run it again to add the rest"
    } else if is_complete {
        "interrupted after the output was complete"
    } else if CAN_RESUME.load(Relaxed) {
        "interrupted, and nothing was written: resume it with --resume"
    } else {
        "interrupted, and nothing was written: run it again"
    }
}

impl ResourceArguments {
    pub(crate) fn options(self, force: bool) -> Result<(Memory, WorkOptions)> {
        let memory = memory(self.memory.as_deref())?;
        CAN_RESUME.store(self.work.is_some(), Relaxed);
        let earlier = match (self.resume, force) {
            (true, _) => Earlier::Resume,
            (false, true) => Earlier::Replace,
            (false, false) => Earlier::Refuse,
        };
        Ok((memory, WorkOptions { folder: self.work, earlier, ..WorkOptions::default() }))
    }
}
