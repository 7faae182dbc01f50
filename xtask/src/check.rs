//! `cargo xtask test`: runs every check in order, from the fastest to the slowest; the first failure ends the run.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::workspace::{Workspace, succeed};
use crate::{attack, browser, deny, layers, python, quality, readme, setup, spark, spelling};

/// One check: its name and its function.
type Step = (&'static str, fn(&Workspace) -> Result<()>);

const STEPS: [Step; 17] = [
    ("the layers of ARCHITECTURE.md", layers::run),
    ("the spelling of words", spelling::run),
    ("cargo fmt --all --check", |workspace| succeed(workspace.cargo().args(["fmt", "--all", "--check"]))),
    ("cargo deny check", deny::run),
    ("cargo clippy --workspace --all-targets -- -D warnings", |workspace| {
        succeed(workspace.cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    }),
    ("lookalike without features: few packages, and it compiles", without_features),
    ("cargo test --workspace", |workspace| succeed(workspace.cargo().args(["test", "--quiet", "--workspace"]))),
    ("tests on labeled data, where that is", on_labeled_data),
    ("what a build without features says", |workspace| {
        succeed(workspace.cargo().args(["test", "--quiet"]).args(WITHOUT_FEATURES).args(["--test", "features"]))
    }),
    ("the Python package", python::test),
    ("the Python package on Apache Spark", spark::short),
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

/// The library for users with texts in memory: without Parquet, web pages and the network.
const WITHOUT_FEATURES: [&str; 3] = ["--package", "lookalike", "--no-default-features"];

/// Maximum number of packages for that, which determines the build time for users who deduplicate a list of strings.
const MOST_PACKAGES: usize = 120;

/// The sets that tests read by the variable `LOOKALIKE_DATA`.
const LABELED: [&str; 9] = [
    "bms_webview1",
    "clough-stevenson",
    "code",
    "dblp_titles_18k",
    "decontamination",
    "passages",
    "retail",
    "short-and-legal",
    "warc-samples",
];

/// Runs all checks from the step of this number on.
pub(crate) fn run(workspace: &Workspace, from: usize) -> Result<()> {
    ensure!((1..=STEPS.len()).contains(&from), "--from must be from 1 to {}, not {from}", STEPS.len());
    setup::before_tests(workspace)?;
    for (number, (name, check)) in (1..).zip(STEPS).skip(from - 1) {
        println!("step {number} of {}: {name}", STEPS.len());
        let start = Instant::now();
        let result = check(workspace);
        let seconds = start.elapsed().as_secs_f64();
        if let Err(error) = result {
            println!("step {number} of {}: failed after {seconds:.1} s", STEPS.len());
            println!("{} passed, 1 failed", number - from);
            return Err(error);
        }
        println!("step {number} of {}: passed in {seconds:.1} s", STEPS.len());
    }
    println!("{} passed, 0 failed", STEPS.len() + 1 - from);
    Ok(())
}

/// Counts the packages that the library needs without its features, and compiles it and the command in this
/// configuration.
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

/// Runs the tests that `cargo test` reports as ignored, since they read data that is not part of the repository.
fn on_labeled_data(workspace: &Workspace) -> Result<()> {
    let data = workspace.data();
    if let Some(missing) = LABELED.iter().find(|name| !data.join(name).is_dir()) {
        println!("left out: {missing} is not in {} (see bench/data/README.md)", data.display());
        return Ok(());
    }
    let data = data.canonicalize().context("the folder of the data")?;
    let mut tests = workspace.cargo();
    tests.args(["test", "--quiet", "--workspace", "--test", "it", "--", "--ignored", "--skip", "make_the_fixture"]);
    succeed(tests.env("LOOKALIKE_DATA", data))
}

/// Runs a test that is ignored elsewhere, if users may mount here; otherwise reports that it was skipped.
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
