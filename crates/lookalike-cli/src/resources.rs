//! How much memory a run may use, and where it puts what does not fit it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, Result};
use clap::Args;
use lookalike::io::bounds::InputLimit;
use lookalike::io::read::Settings;
use lookalike::{Earlier, Memory, WorkOptions};

use crate::args::longest;
use crate::number;

#[derive(Debug, Args)]
pub(crate) struct ResourceArguments {
    /// The most memory to use, such as 500M or 4G; what does not fit goes to the work folder [default: half of the machine's]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    memory: Option<String>,
    /// A folder for what does not fit the memory, and to resume from if the run is interrupted
    /// [default: the system's temporary folder, and no resuming]
    #[arg(long, value_name = "DIR", help_heading = "Resources")]
    work: Option<PathBuf>,
    /// Go on with a run that was interrupted, given as it was, from its work folder
    #[arg(long, requires = "work", help_heading = "Resources")]
    resume: bool,
}

/// How much of tables is read.
#[derive(Debug, Args)]
pub(crate) struct TableResourceArguments {
    /// The most memory to use, such as 500M or 4G: what would need more is refused before the work begins [default: half of the
    /// machine's]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    memory: Option<String>,
    /// The longest row that is read, such as 500M or 1G: longer ones are skipped [default: 256M, or a sixteenth of --memory]
    #[arg(long, value_name = "SIZE", help_heading = "Resources")]
    max_record: Option<String>,
    /// The most text to read, unpacked, such as 10G: a run that meets more ends with exit code 2 [default: no limit]
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
    let bytes = number::parse_bytes(written).filter(|bytes| *bytes > 0);
    let bytes = bytes.with_context(|| format!("--max-input {written} is no size: give one such as 500M or 10G"))?;
    Ok(InputLimit::new(Some(bytes)))
}

pub(crate) fn memory(written: Option<&str>) -> Result<Memory> {
    let Some(written) = written else { return Ok(Memory::half_of_machine()) };
    let bytes = number::parse_bytes(written);
    Ok(Memory::new(bytes.with_context(|| format!("--memory {written} is no size: give one such as 500M or 4G"))?)?)
}

/// Whether a run that is interrupted can be resumed.
static CAN_RESUME: AtomicBool = AtomicBool::new(false);

/// What to say to someone who interrupts the run.
pub(crate) fn interrupted(is_complete: bool) -> &'static str {
    if is_complete {
        "interrupted when the output was complete"
    } else if CAN_RESUME.load(Relaxed) {
        "interrupted, and nothing was written: go on with --resume"
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
