//! Tests the pages in a real browser: `tests/browser`, run by node with the chromium or Chrome on the path, or
//! the one that the environment variable `CHROMIUM` names.

use std::env;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::setup;
use crate::workspace::{Workspace, succeed};

/// Runs the tests. `cargo xtask setup` has installed a browser, node and npm.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let tests = workspace.root().join("tests").join("browser");
    if !tests.join("node_modules").is_dir() {
        succeed(
            Command::new("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel", "error"]).current_dir(&tests),
        )?;
    }
    succeed(workspace.cargo().args(["build", "--quiet", "--workspace", "--bin", "lookalike"]))?;
    let lookalike = workspace.target().join("debug").join(format!("lookalike{}", env::consts::EXE_SUFFIX));
    // Show the names and errors of failed tests; of those that pass, only their number.
    let mut node = Command::new("node");
    node.args(["--test", "--test-concurrency", "1", "--test-reporter", "spec"])
        .current_dir(&tests)
        .env("LOOKALIKE", lookalike);
    if env::var_os("CHROMIUM").is_none() {
        node.env("CHROMIUM", setup::browser().context("no chromium is installed")?);
    }
    let output = node.stderr(Stdio::inherit()).output().context("cannot run node")?;
    let told = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        println!("{told}");
    }
    ensure!(output.status.success(), "node --test: {}", output.status);
    told.lines()
        .filter(|line| line.contains("ℹ pass"))
        .for_each(|line| println!("{}", line.trim_start_matches('ℹ').trim()));
    Ok(())
}
