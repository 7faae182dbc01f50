//! Resource limits of a run, and the folder for data that does not fit in memory.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::Args;
use lookalike::{ResourceRequest, WorkRequest};

use super::run::RunArguments;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Resources")]
pub(crate) struct ResourceArguments {
    /// Memory limit, such as 500M or 4G [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// Skip documents and rows longer than this, such as 500M or 1G [default: 256M, or a sixteenth of --memory if that is less]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_record: Option<String>,
    /// Exit with code 2 if the input has more text than this, uncompressed, such as 10G [default: no limit; standard input and
    /// other input that has to be copied stop before the disk is full]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_input: Option<String>,
    /// Do not read files and folders of this name, such as '*.md'; with a slash, of this path below an input, such as 'raw/*'.
    /// Can be given several times
    #[arg(long, value_name = "PATTERN", help_heading = "Input", hide_short_help = true)]
    exclude: Vec<String>,
    #[command(flatten)]
    pub(crate) run: RunArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Resources")]
pub(crate) struct WorkArguments {
    /// Folder for what does not fit in memory; an interrupted run can be resumed from it
    /// [default: the system's temporary folder, without resuming]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    work: Option<PathBuf>,
    /// Resume an unfinished run from its work folder: the same command with --resume added
    #[arg(long, hide_short_help = true)]
    resume: bool,
}

impl ResourceArguments {
    pub(crate) fn request(&self) -> ResourceRequest {
        let mut request = self.run.request();
        request.memory = self.memory.clone().map(Into::into);
        request.max_record = self.max_record.clone().map(Into::into);
        request.max_input = self.max_input.clone().map(Into::into);
        request.exclude.clone_from(&self.exclude);
        request
    }
}

impl WorkArguments {
    pub(crate) fn request(&self, force: bool) -> WorkRequest {
        CAN_RESUME.store(self.work.is_some(), Relaxed);
        let mut request = WorkRequest::default();
        request.work.clone_from(&self.work);
        request.resume = self.resume.then_some(true);
        request.force = force.then_some(true);
        request
    }
}

/// True if an interrupted run can be resumed.
static CAN_RESUME: AtomicBool = AtomicBool::new(false);

/// True if the run adds to an index, which keeps everything already acknowledged.
static ADDS: AtomicBool = AtomicBool::new(false);

/// Notes that the run adds to an index.
pub(crate) fn adds_to_index() {
    ADDS.store(true, Relaxed);
}

/// Returns the message for a user who interrupts the run.
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
