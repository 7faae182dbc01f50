//! Runs the command with limits that protect the machine, and returns its result.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Result of a run.
pub(super) struct Ran {
    /// None if it was killed, by a signal or a timeout.
    pub(super) code: Option<i32>,
    pub(super) seconds: f64,
    pub(super) peak_bytes: u64,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    took_too_long: bool,
}

/// A command with limits.
pub(super) struct Guarded<'a> {
    lookalike: &'a Path,
    folder: &'a Path,
    arguments: Vec<OsString>,
    longest: Duration,
    most_bytes: u64,
}

impl<'a> Guarded<'a> {
    /// The command in a folder: at most 30 seconds and 4 GB.
    pub(super) fn new<S: AsRef<OsStr>>(lookalike: &'a Path, folder: &'a Path, arguments: &[S]) -> Self {
        let arguments = arguments.iter().map(|argument| argument.as_ref().to_owned()).collect();
        Self { lookalike, folder, arguments, longest: Duration::from_secs(30), most_bytes: 4 << 30 }
    }

    /// Runs it until it ends or exceeds a limit.
    pub(super) fn run(&self) -> Result<Ran> {
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| self.folder.join(format!(".attack-{name}")));
        let mut command = Command::new("sh");
        // A limited address space makes an allocation fail, which ends the process by a signal.
        let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", self.most_bytes >> 10);
        command.arg("-c").arg(script).arg(self.lookalike).args(&self.arguments).current_dir(self.folder);
        command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
        let start = Instant::now();
        let mut child = command.spawn().context("cannot run sh")?;
        let (mut peak_bytes, mut took_too_long) = (0, false);
        let status = loop {
            peak_bytes = peak(child.id()).unwrap_or(0).max(peak_bytes);
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > self.longest && !took_too_long {
                took_too_long = true;
                child.kill()?;
            }
            thread::sleep(Duration::from_millis(2));
        };
        let seconds = start.elapsed().as_secs_f64();
        let (out, talk) = (fs::read(&stdout)?, String::from_utf8_lossy(&fs::read(&stderr)?).into_owned());
        fs::remove_file(stdout)?;
        fs::remove_file(stderr)?;
        Ok(Ran { code: status.code(), seconds, peak_bytes, stdout: out, stderr: talk, took_too_long })
    }
}

impl Ran {
    /// Describes the failure of a run: it was killed, it panicked, or its message is useless.
    pub(super) fn failure(&self) -> Option<String> {
        let last = self.stderr.lines().last().unwrap_or_default();
        match self.code {
            _ if self.took_too_long => Some(format!("took more than {:.0} s", self.seconds.floor())),
            _ if self.stderr.contains("panicked") => Some(format!("panicked: {last}")),
            None => Some(format!("was ended by a signal: {last}")),
            Some(0 | 1) => None,
            Some(2) if !self.stderr.trim().is_empty() => None,
            Some(2) => Some("exit 2 without a word".to_owned()),
            Some(code) => Some(format!("exit {code}: {last}")),
        }
    }
}

/// The peak memory of a process so far; none if the system does not report it.
fn peak(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}
