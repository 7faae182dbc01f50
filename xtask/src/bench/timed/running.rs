//! One measured run of `lookalike dedup` for benchmarks of large inputs, with its summary.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::summary::Summary;
use crate::workspace::{Workspace, succeed};

/// The program to measure.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Program {
    /// The program to measure, in place of the workspace's own, which is built first
    #[arg(long, value_name = "PATH")]
    lookalike: Option<PathBuf>,
}

impl Program {
    /// Its path.
    pub(in crate::bench) fn path(&self, workspace: &Workspace) -> Result<PathBuf> {
        match &self.lookalike {
            Some(path) => Ok(std::path::absolute(path)?),
            None => workspace.build_lookalike(),
        }
    }
}

/// Measurements and results of one run.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Run {
    /// Resource usage measured by the system.
    pub(in crate::bench) usage: Usage,
    /// The run's own summary.
    pub(in crate::bench) summary: Summary,
}

impl Run {
    /// Peak memory in bytes, or 0 if the system does not report it.
    pub(in crate::bench) fn peak_bytes(&self) -> f64 {
        self.usage.peak_bytes.unwrap_or(0) as f64
    }
}

/// Output of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) enum Output {
    /// Documents are written, as for users.
    Written,
    /// `--dry-run`: removals, summary and report, for corpora too large to store twice.
    Dry,
}

/// Runs `lookalike dedup INPUT… -o OUT` with additional arguments.
pub(in crate::bench) fn dedup(
    lookalike: &Path,
    inputs: &[&Path],
    out: &Path,
    output: Output,
    more: &[&str],
) -> Result<Run> {
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| format!("cannot remove {}", out.display()))?;
    }
    let mut command = Command::new(lookalike);
    command.arg("dedup").args(inputs).args(["--force", "-o"]).arg(out).args(more);
    if output == Output::Dry {
        command.arg("--dry-run");
    }
    Ok(Run { usage: measure(&command)?, summary: Summary::read(&out.join("summary.json"))? })
}

/// The argument for a memory limit, if the program supports it: an older one is measured without.
pub(in crate::bench) fn memory_limit<'a>(lookalike: &Path, size: &'a str) -> Result<Option<[&'a str; 2]>> {
    let output = Command::new(lookalike).args(["dedup", "--help"]).output();
    let output = output.with_context(|| format!("cannot run {}", lookalike.display()))?;
    let is_known = String::from_utf8_lossy(&output.stdout).contains("--memory");
    if !is_known {
        eprintln!("{} does not know --memory: no limit is set", lookalike.display());
    }
    Ok(is_known.then_some(["--memory", size]))
}

/// Calls this program again as a release build with the same arguments, since generating and judging texts are part of
/// it.
pub(in crate::bench) fn again_optimized(workspace: &Workspace) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--manifest-path"]);
    cargo.arg(workspace.root().join("Cargo.toml")).arg("--").args(env::args_os().skip(1));
    // Paths are relative to the user's folder.
    succeed(cargo.current_dir(env::current_dir()?))
}
