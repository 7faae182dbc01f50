//! Measures the time and memory of the stages of a job, and reports them to its progress.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::progress::Progress;

/// A stage of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Duration in seconds.
    pub seconds: f64,
    /// Peak memory of the process until the end of the stage.
    pub peak_memory_bytes: Option<u64>,
}

/// The stages so far.
pub(crate) struct Stages<'a> {
    progress: &'a dyn Progress,
    done: Vec<Stage>,
}

impl<'a> Stages<'a> {
    pub(crate) fn start(progress: &'a dyn Progress) -> Self {
        Self { progress, done: Vec::new() }
    }

    /// Runs a stage; `bytes` is the amount it will read, if known.
    pub(crate) fn run<T>(&mut self, name: &'static str, bytes: Option<u64>, stage: impl FnOnce() -> T) -> T {
        let timed = Timed::start(name, bytes, self.progress);
        let result = stage();
        self.push(timed.end());
        result
    }

    /// Measures a stage that announces itself to the progress, as reading does.
    pub(crate) fn measure<T>(&mut self, name: &'static str, stage: impl FnOnce() -> T) -> T {
        let timed = Timed { name, start: Instant::now() };
        let result = stage();
        self.push(timed.end());
        result
    }

    /// Adds a stage that was timed separately.
    pub(crate) fn push(&mut self, stage: Stage) {
        self.done.push(stage);
    }

    /// The progress callback.
    pub(crate) fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// Ends the job if it should stop.
    pub(crate) fn go_on(&self) -> crate::Result<()> {
        self.progress.go_on()
    }

    pub(crate) fn finish(self) -> Vec<Stage> {
        self.progress.finish();
        self.done
    }
}

/// A stage in progress.
pub(crate) struct Timed {
    name: &'static str,
    start: Instant,
}

impl Timed {
    /// Reports the start of a stage; `bytes` is the amount it will read, if known.
    pub(crate) fn start(name: &'static str, bytes: Option<u64>, progress: &dyn Progress) -> Self {
        progress.stage(name, bytes);
        Self { name, start: Instant::now() }
    }

    /// Ends the stage.
    pub(crate) fn end(self) -> Stage {
        let seconds = self.start.elapsed().as_secs_f64();
        Stage { name: self.name.to_owned(), seconds, peak_memory_bytes: peak_memory_bytes() }
    }
}

/// Resets the peak memory of the process, on systems that support it (Linux; see proc(5), `clear_refs`): elsewhere the
/// peak includes earlier stages.
pub(crate) fn forget_peak_memory() {
    // Failure does not matter.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The peak memory of this process, if the system reports it.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
