//! `cargo xtask check`: the checks of what changed since the last commit, for the minutes between two edits. It never
//! replaces `cargo xtask test`: crates that depend on the changed ones are linted, but not tested.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace::{Workspace, succeed};
use crate::{layers, spelling};

/// Options of `cargo xtask check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Compare with this commit or branch instead of the last commit
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    since: String,
}

/// Checks layers, spelling and format of everything, lints what the changed files can break, and runs the unit tests of
/// the changed crates.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    layers::run(workspace)?;
    spelling::run(workspace)?;
    succeed(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    let changed = crates_of(&changed_files(workspace, &options.since)?);
    if changed.is_empty() {
        println!("no crate changed since {}", options.since);
        return Ok(());
    }
    println!("changed: {}", changed.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    succeed(workspace.cargo().args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let mut tests = workspace.cargo();
    tests.args(["test", "--quiet", "--lib", "--bins"]);
    changed.iter().for_each(|name| {
        tests.args(["--package", name]);
    });
    succeed(&mut tests)
}

/// Files that differ from a revision, and new ones.
fn changed_files(workspace: &Workspace, since: &str) -> Result<Vec<String>> {
    let mut files = listed(workspace, &["diff", "--name-only", since])?;
    files.extend(listed(workspace, &["ls-files", "--others", "--exclude-standard"])?);
    Ok(files)
}

fn listed(workspace: &Workspace, arguments: &[&str]) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(workspace.root()).args(arguments).stderr(Stdio::inherit());
    let output = git.output().context("git lists the changed files")?;
    ensure!(output.status.success(), "git {}: {}", arguments.join(" "), output.status);
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The crates that these files belong to. A file outside of them, such as a fixture, belongs to none.
fn crates_of(files: &[String]) -> BTreeSet<String> {
    let of_file = |file: &String| match file.split('/').collect::<Vec<_>>()[..] {
        ["crates", name, _, ..] => Some(name.to_owned()),
        ["xtask", _, ..] => Some("xtask".to_owned()),
        _ => None,
    };
    files.iter().filter_map(of_file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_crate_of_its_folder() {
        let files =
            ["crates/lookalike-io/src/read/warc.rs", "xtask/src/main.rs", "README.md", "fixtures/refusals.json"];
        let crates: Vec<String> = crates_of(&files.map(str::to_owned)).into_iter().collect();
        assert_eq!(crates, ["lookalike-io", "xtask"]);
    }
}
