//! `cargo xtask spark`: the tests of `lookalike.spark` on a Spark cluster that they start on this machine, and on Sail.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::python;
use crate::workspace::{Workspace, succeed};

/// Tests that take minutes have this mark: `cargo xtask test` leaves them out.
const LONG: &str = "long";

/// Runs all tests.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    test(workspace, &[])
}

/// Runs the tests that are not marked as long.
pub(crate) fn short(workspace: &Workspace) -> Result<()> {
    test(workspace, &["-m", &format!("not {LONG}")])
}

fn test(workspace: &Workspace, which: &[&str]) -> Result<()> {
    if !has_java() {
        bail!("Spark needs Java 17, and there is no `java` here: `cargo xtask setup` installs openjdk-17-jre-headless");
    }
    let package = python::package(workspace);
    let python = python::environment(workspace, "spark", &package.join("requirements-spark.txt"))?;
    // The workers of the cluster have the same environment. The package is not in it: they must get it from the tests.
    let packages = python::folder(workspace, "spark-package");
    python::place_debug(workspace, &packages)?;
    let mut pytest = python::module_of(&python, "pytest");
    pytest.args(["--quiet", "--no-header", "-p", "no:cacheprovider", "--durations=10", "tests/spark"]).args(which);
    pytest.env("PYTHONPATH", &packages).env("LOOKALIKE_COMMAND", python::command(workspace));
    succeed(pytest.current_dir(&package))
}

fn has_java() -> bool {
    let mut java = Command::new("java");
    java.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    java.status().is_ok_and(|status| status.success())
}
