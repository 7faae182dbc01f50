//! Runs one tool on one file, and returns its resource usage and result.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::answer::{Answer, Found, place, read_pairs};
use super::tool::Tool;
use crate::bench::SHINGLE;
use crate::bench::timed::measure::{Usage, measure};

/// Everything needed to run tools.
pub(super) struct Runner {
    /// The Python of the peers' environment.
    pub(super) python: PathBuf,
    /// The command `lookalike`.
    pub(super) lookalike: PathBuf,
    /// Folder of the programs that run the peers.
    pub(super) scripts: PathBuf,
    /// Output folder.
    pub(super) out: PathBuf,
    /// Time limit for a peer.
    pub(super) limit: Duration,
}

/// A successful run.
pub(super) struct Success {
    /// Resource usage.
    pub(super) usage: Usage,
    /// Seconds within the peer's own calls over all processes, if they can be separated from tokenizing.
    pub(super) library_seconds: Option<f64>,
    /// The result.
    pub(super) answer: Answer,
}

#[derive(Deserialize)]
struct Removed {
    removed_id: String,
}

impl Runner {
    /// Runs a tool on a file.
    pub(super) fn run(&self, tool: &Tool, file: &Path, places: &HashMap<&str, usize>) -> Result<Success> {
        if tool.package.is_none() { self.run_lookalike(file, places) } else { self.run_peer(tool, file, places) }
    }

    fn run_peer(&self, tool: &Tool, file: &Path, places: &HashMap<&str, usize>) -> Result<Success> {
        let out = self.fresh(tool.runner.trim_end_matches(".py"))?;
        // `timeout` also ends the processes that a peer has started.
        let mut command = Command::new("timeout");
        command.arg("--kill-after=10").arg(self.limit.as_secs().to_string());
        command
            .arg(&self.python)
            .arg("-B")
            .arg(self.scripts.join(tool.runner))
            .arg(std::path::absolute(file)?)
            .arg(&out);
        // Requests to a hub would use the network.
        command.env("HF_HUB_OFFLINE", "1").env("HF_HOME", out.join("hub"));
        let start = Instant::now();
        let usage = match measure(&command) {
            Ok(usage) => usage,
            Err(_) if start.elapsed() >= self.limit => bail!("took longer than {} minutes", self.limit.as_secs() / 60),
            Err(error) => return Err(error),
        };
        let library_seconds = fs::read_to_string(out.join("library.txt")).ok();
        let library_seconds = library_seconds.and_then(|text| text.trim().parse().ok());
        Ok(Success { usage, library_seconds, answer: Answer::read(&out, places)? })
    }

    fn run_lookalike(&self, file: &Path, places: &HashMap<&str, usize>) -> Result<Success> {
        let usage = self.time_lookalike(file)?;
        let mut is_kept = vec![true; places.len()];
        for line in fs::read_to_string(self.own_out().join("removed.jsonl")).context("cannot read what went")?.lines() {
            let removed: Removed = serde_json::from_str(line)?;
            is_kept[place(places, &removed.removed_id)?] = false;
        }
        let pairs = self.fresh("lookalike-pairs")?.join("pairs.tsv");
        let mut command = Command::new(&self.lookalike);
        command.arg("pairs").arg(file).args(["--id", "id", "--shingle", SHINGLE, "--format", "tsv", "-o"]).arg(&pairs);
        measure(&command)?;
        let text = fs::read_to_string(&pairs).context("cannot read the pairs")?;
        let lines = text.split_once('\n').map_or("", |(_heading, lines)| lines);
        let answer = Answer { is_kept, found: Found::Pairs(read_pairs(lines, places)?) };
        Ok(Success { usage, library_seconds: None, answer })
    }

    /// Runs `lookalike dedup`, which writes the kept documents like the peers.
    pub(super) fn time_lookalike(&self, file: &Path) -> Result<Usage> {
        // Without earlier output to remove, as in a user's first run.
        let out = self.fresh("lookalike")?;
        let mut command = Command::new(&self.lookalike);
        command.arg("dedup").arg(file).args(["--id", "id", "--shingle", SHINGLE, "--force", "-o"]);
        measure(command.arg(out))
    }

    fn own_out(&self) -> PathBuf {
        self.out.join("lookalike")
    }

    /// Creates an empty folder.
    fn fresh(&self, name: &str) -> Result<PathBuf> {
        let folder = self.out.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }
}
