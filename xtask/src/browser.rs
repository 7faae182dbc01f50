//! The pages in a real browser: `tests/browser`, run by node with Debian's chromium.

use std::env;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace::{Workspace, succeed};

/// Installs what is missing, and runs the tests.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let tests = workspace.root().join("tests").join("browser");
    if !is_there("chromium") {
        install("chromium")?;
    }
    if !is_there("node") {
        install("nodejs")?;
    }
    if !is_there("npm") {
        install("npm")?;
    }
    if !tests.join("node_modules").is_dir() {
        succeed(
            Command::new("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel", "error"]).current_dir(&tests),
        )?;
    }
    succeed(workspace.cargo().args(["build", "--quiet", "--workspace", "--bin", "lookalike"]))?;
    let lookalike = workspace.target().join("debug").join(format!("lookalike{}", env::consts::EXE_SUFFIX));
    // Names of failed tests, and why; of those that pass, only their number.
    let mut node = Command::new("node");
    node.args(["--test", "--test-concurrency", "1", "--test-reporter", "spec"])
        .current_dir(&tests)
        .env("LOOKALIKE", lookalike);
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

fn is_there(program: &str) -> bool {
    let mut call = Command::new(program);
    call.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    call.status().is_ok_and(|status| status.success())
}

fn install(package: &str) -> Result<()> {
    println!("installing {package}");
    // The lists of a new machine are old or empty.
    succeed(Command::new("apt-get").args(["update", "-qq"]).stdout(Stdio::null()))?;
    let install = ["install", "-y", "-qq", "--no-install-recommends", package];
    succeed(Command::new("apt-get").args(install).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
}
