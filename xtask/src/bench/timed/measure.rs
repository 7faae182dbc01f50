//! Runs a command and measures its wall-clock time, processor time, and peak memory.
//!
//! The system reports the usage of a process's finished children only in total, and a child initially counts as large
//! as its parent. Each command is therefore run by a small process without other children: this program itself, called
//! as `xtask measure`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::workspace::words;

/// Resource usage of a command.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// Wall-clock time.
    pub(crate) seconds: f64,
    /// Processor time on all cores, user and system; none if the system does not report it.
    pub(crate) cpu_seconds: Option<f64>,
    /// Peak memory; none if the system does not report it.
    pub(crate) peak_bytes: Option<u64>,
}

/// Runs a command in a separate process; its output is shown only if it fails.
pub(crate) fn measure(command: &Command) -> Result<Usage> {
    let report = tempfile::NamedTempFile::new().context("cannot make a file for the measures")?;
    let mut measurer = Command::new(this_program()?);
    measurer.arg("measure").arg("--report").arg(report.path()).arg("--");
    measurer.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => measurer.env(name, value),
            None => measurer.env_remove(name),
        };
    }
    let output = measurer.output().with_context(|| format!("cannot run {}", words(command)))?;
    if !output.status.success() {
        bail!("{}: {}\n{}", words(command), output.status, String::from_utf8_lossy(&output.stderr));
    }
    let text = std::fs::read_to_string(report.path()).context("cannot read the measures")?;
    serde_json::from_str(&text).context("the measures are not what was expected")
}

/// The path of this program. A build of the whole workspace may have replaced it since it was started.
fn this_program() -> Result<PathBuf> {
    let still_running = Path::new("/proc/self/exe");
    if still_running.exists() {
        return Ok(still_running.to_owned());
    }
    std::env::current_exe().context("cannot find this program")
}

/// `xtask measure`: runs the command and writes its resource usage to the file `report`.
pub(crate) fn run_and_report(report: &Path, command: &[OsString]) -> Result<()> {
    let (program, arguments) = command.split_first().context("a command is wanted")?;
    let start = Instant::now();
    let status = Command::new(program).args(arguments).status().context("cannot run it")?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(status.success(), "{status}");
    let (cpu_seconds, peak_bytes) = used_by_children().unzip();
    let usage = Usage { seconds, cpu_seconds, peak_bytes };
    std::fs::write(report, serde_json::to_string(&usage)?).context("cannot write the measures")
}

#[cfg(unix)]
fn used_by_children() -> Option<(f64, u64)> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    // Apple reports bytes, all others kilobytes.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    Some((microseconds as f64 / 1e6, usage.max_rss().unsigned_abs() as u64 * unit))
}

#[cfg(not(unix))]
fn used_by_children() -> Option<(f64, u64)> {
    None
}
