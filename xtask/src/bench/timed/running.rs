//! One run of `lookalike dedup` as the benchmarks of large inputs call it, measured, with what it says of itself.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::summary::Summary;
use crate::workspace::{Workspace, succeed};

/// Which program is measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Program {
    /// The program to measure, in place of the workspace's own, which is built first
    #[arg(long, value_name = "PATH")]
    lookalike: Option<PathBuf>,
}

impl Program {
    /// Where it is.
    pub(in crate::bench) fn path(&self, workspace: &Workspace) -> Result<PathBuf> {
        match &self.lookalike {
            Some(path) => Ok(std::path::absolute(path)?),
            None => workspace.build_lookalike(),
        }
    }
}

/// What one run took and found.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Run {
    /// What the system says of it.
    pub(in crate::bench) usage: Usage,
    /// What it says of itself.
    pub(in crate::bench) summary: Summary,
}

impl Run {
    /// The most memory in bytes, or 0 where the system does not say.
    pub(in crate::bench) fn peak_bytes(&self) -> f64 {
        self.usage.peak_bytes.unwrap_or(0) as f64
    }
}

/// Whether a run writes the documents that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) enum Output {
    /// As users have it.
    Written,
    /// `--dry-run`: removals, summary and report, for corpora that are larger than the disk should hold twice.
    Dry,
}

/// Runs `lookalike dedup INPUT… -o OUT` with further arguments.
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

/// The argument that sets a limit to memory, if the program knows it: an older one is measured without.
pub(in crate::bench) fn memory_limit<'a>(lookalike: &Path, size: &'a str) -> Result<Option<[&'a str; 2]>> {
    let output = Command::new(lookalike).args(["dedup", "--help"]).output();
    let output = output.with_context(|| format!("cannot run {}", lookalike.display()))?;
    let is_known = String::from_utf8_lossy(&output.stdout).contains("--memory");
    if !is_known {
        eprintln!("{} does not know --memory: no limit is set", lookalike.display());
    }
    Ok(is_known.then_some(["--memory", size]))
}

/// Calls this program again as a release build, with the same arguments: what makes and judges texts is part of it.
pub(in crate::bench) fn again_optimized(workspace: &Workspace) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--manifest-path"]);
    cargo.arg(workspace.root().join("Cargo.toml")).arg("--").args(env::args_os().skip(1));
    // Paths were given relative to where the user is.
    succeed(cargo.current_dir(env::current_dir()?))
}
