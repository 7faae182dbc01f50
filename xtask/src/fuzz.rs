//! `cargo xtask fuzz`: fuzzes every reader, and the conversion of text to features.
//!
//! Not part of `test`: it takes ten minutes per target. Findings are kept in `fuzz/regressions/TARGET/`, which the
//! tests of `lookalike-io` replay.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{Workspace, succeed};

/// Options of `cargo xtask fuzz`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The targets, as in `fuzz/fuzz_targets`; all of them if none is given
    targets: Vec<String>,
    /// Time to run each target
    #[arg(long, value_name = "S", default_value_t = 600)]
    seconds: u32,
}

/// Runs the targets one after the other; stops at the first failure.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if Command::new("cargo").args(["fuzz", "--version"]).output().is_ok_and(|output| !output.status.success()) {
        succeed(Command::new("cargo").args(["install", "cargo-fuzz"]))?;
    }
    let folder = workspace.root().join("fuzz");
    let mut seeds = workspace.cargo();
    seeds.args(["test", "--quiet", "--workspace", "--test", "it", "--test", "hostile", "good_files"]);
    seeds.args(["--", "--include-ignored"]);
    succeed(seeds.env("FUZZ_CORPUS", folder.join("corpus")))?;
    let targets = if options.targets.is_empty() { all(workspace)? } else { options.targets.clone() };
    for target in targets {
        eprintln!("fuzzing {target} for {} s", options.seconds);
        let mut fuzz = Command::new("cargo");
        // The fuzzer needs unstable compiler flags. Readers have no unsafe code, so sanitizers are not needed.
        fuzz.env("RUSTC_BOOTSTRAP", "1").current_dir(&folder);
        fuzz.args([
            "fuzz",
            "run",
            "--sanitizer",
            "none",
            &target,
            "--",
            "-timeout=20",
            "-rss_limit_mb=3000",
            "-max_len=65536",
        ]);
        fuzz.arg(format!("-max_total_time={}", options.seconds));
        succeed(&mut fuzz).with_context(|| format!("fuzz/artifacts/{target} has what was found"))?;
    }
    Ok(())
}

fn all(workspace: &Workspace) -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in fs::read_dir(workspace.root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        targets.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    targets.sort();
    Ok(targets)
}
