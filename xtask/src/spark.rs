//! `cargo xtask spark`: the tests of `lookalike.spark` on a Spark cluster that they start on this machine, and on Sail.

use std::path::Path;
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
    check_java()?;
    let package = python::package(workspace);
    let python = python::environment(workspace, "spark", &package.join("requirements-spark.txt"))?;
    // The workers of the cluster have the same environment. The package is not in it: they must get it from the tests.
    let packages = python::folder(workspace, "spark-package");
    python::place_debug(workspace, &packages)?;
    strip(&packages);
    let mut pytest = python::module_of(&python, "pytest");
    pytest.args(["--quiet", "--no-header", "-p", "no:cacheprovider", "--durations=10", "tests/spark"]).args(which);
    pytest.env("PYTHONPATH", &packages).env("LOOKALIKE_COMMAND", python::command(workspace));
    succeed(pytest.current_dir(&package))
}

/// Removes debug information, of which the archive for the workers would have a hundred megabytes.
fn strip(packages: &Path) {
    let mut strip = Command::new("strip");
    strip.arg("--strip-debug").arg(packages.join("lookalike").join("_native.abi3.so")).stderr(Stdio::null());
    // It is only faster.
    let _ = strip.status();
}

/// Reports what Spark needs and this machine lacks.
pub(crate) fn check_java() -> Result<()> {
    let mut java = Command::new("java");
    java.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !java.status().is_ok_and(|status| status.success()) {
        bail!("Spark needs Java 17, and there is no `java` here: `cargo xtask setup` installs openjdk-17-jre-headless");
    }
    Ok(())
}
