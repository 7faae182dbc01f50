//! `cargo xtask test`: every check in order, from the quickest to the slowest; the first that fails ends the run.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::workspace::{Workspace, succeed};
use crate::{attack, browser, deny, layers, python, quality, readme, setup, spelling};

/// One check: what it is called, and what it does.
type Step = (&'static str, fn(&Workspace) -> Result<()>);

const STEPS: [Step; 15] = [
    ("the layers of ARCHITECTURE.md", layers::run),
    ("the spelling of words", spelling::run),
    ("cargo fmt --all --check", |workspace| succeed(workspace.cargo().args(["fmt", "--all", "--check"]))),
    ("cargo deny check", deny::run),
    ("cargo clippy --workspace --all-targets -- -D warnings", |workspace| {
        succeed(workspace.cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    }),
    ("lookalike without features: few packages, and it compiles", without_features),
    ("cargo test --workspace", |workspace| succeed(workspace.cargo().args(["test", "--quiet", "--workspace"]))),
    ("what a build without features says", |workspace| {
        succeed(workspace.cargo().args(["test", "--quiet"]).args(WITHOUT_FEATURES).args(["--test", "features"]))
    }),
    ("the Python package", python::test),
    ("the pages in a browser", browser::run),
    ("the test that mounts a disk of its own", disk_of_its_own),
    ("cargo doc --workspace --no-deps, without warnings", |workspace| {
        succeed(
            workspace.cargo().args(["doc", "--quiet", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
        )
    }),
    ("the commands of README.md and docs", readme::run),
    ("cargo xtask quality", |workspace| quality::run(workspace, None, None)),
    ("cargo xtask attack --minutes 2", |workspace| attack::run(workspace, &attack::Options::SHORT)),
];

/// The library for who has texts in memory: without Parquet, web pages and the network.
const WITHOUT_FEATURES: [&str; 3] = ["--package", "lookalike", "--no-default-features"];

/// How many packages that takes, at most. It is what somebody waits for who deduplicates a list of strings.
const MOST_PACKAGES: usize = 120;

/// Runs all checks.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    setup::before_tests(workspace)?;
    for (number, (name, check)) in (1..).zip(STEPS) {
        println!("step {number} of {}: {name}", STEPS.len());
        let start = Instant::now();
        let result = check(workspace);
        let seconds = start.elapsed().as_secs_f64();
        if let Err(error) = result {
            println!("step {number} of {}: failed after {seconds:.1} s", STEPS.len());
            println!("{} passed, 1 failed", number - 1);
            return Err(error);
        }
        println!("step {number} of {}: passed in {seconds:.1} s", STEPS.len());
    }
    println!("{} passed, 0 failed", STEPS.len());
    Ok(())
}

/// Counts the packages that the library needs without its features, and compiles it and the command so.
fn without_features(workspace: &Workspace) -> Result<()> {
    let mut tree = workspace.cargo();
    tree.args(["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}", "--no-dedupe"])
        .args(WITHOUT_FEATURES);
    let output = tree.stderr(Stdio::inherit()).output().context("cargo tree")?;
    ensure!(output.status.success(), "cargo tree: {}", output.status);
    let listed = String::from_utf8_lossy(&output.stdout);
    let packages: BTreeSet<&str> = listed.lines().filter(|line| !line.is_empty()).collect();
    let count = packages.len();
    ensure!(count > 0 && count <= MOST_PACKAGES, "{count} packages without features, and {MOST_PACKAGES} are allowed");
    println!("{count} packages without features");
    let check = ["check", "--quiet", "--package", "lookalike-cli", "--no-default-features"];
    succeed(workspace.cargo().args(check))?;
    succeed(workspace.cargo().args(["check", "--quiet"]).args(WITHOUT_FEATURES))
}

/// Runs the test that is ignored elsewhere, if users may mount here; and says so if not.
fn disk_of_its_own(workspace: &Workspace) -> Result<()> {
    let mut mount = Command::new("unshare");
    mount.args(["-rm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !mount.status().is_ok_and(|status| status.success()) {
        println!("left out: users cannot mount a disk here");
        return Ok(());
    }
    let test = "a_disk_that_is_too_small_is_told_before_the_run";
    succeed(workspace.cargo().args(["test", "--quiet", "--workspace", "--test", "resume", "--", "--ignored", test]))
}
