//! Runs the program in a root folder that contains only the program and its input, to reveal missing dependencies.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::copy_program;
use crate::workspace::{Workspace, words};

/// Number of documents removed from `examples/five.jsonl`.
const REMOVED: usize = 3;

/// Runs the program in an empty root.
pub(super) fn run(workspace: &Workspace, binary: &Path) -> Result<()> {
    let root = tempfile::tempdir().context("cannot make a root")?;
    fs::create_dir_all(root.path().join("usr/bin"))?;
    copy_program(binary, &root.path().join("usr/bin/lookalike"))?;
    run_in(workspace, root.path(), "the static binary")
}

/// Runs `usr/bin/lookalike` of a root on an example, without the user's variables, and checks its output.
pub(super) fn run_in(workspace: &Workspace, root: &Path, what: &str) -> Result<()> {
    let data = root.join("data");
    fs::create_dir_all(&data)?;
    fs::create_dir_all(root.join("tmp"))?;
    fs::copy(workspace.root().join("examples/five.jsonl"), data.join("five.jsonl"))
        .context("cannot copy the example")?;
    let Some(mut command) = chroot(root) else {
        println!("left out: {what} in a root of its own, which nobody may have here");
        return Ok(());
    };
    command.args(["/usr/bin/lookalike", "dedup", "/data/five.jsonl", "--id", "id", "-o", "/data/out"]);
    let output = command.output().with_context(|| format!("cannot run {}", words(&command)))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{what} in an empty root: {}\n{said}", output.status);
    let removed = fs::read_to_string(data.join("out/removed.jsonl")).context("it wrote no removed.jsonl")?;
    ensure!(removed.lines().count() == REMOVED, "{what} removed other documents:\n{removed}");
    println!("{what} works in an empty root");
    Ok(())
}

/// A command in another root, with or without root privileges; none if neither works.
fn chroot(root: &Path) -> Option<Command> {
    let with = |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(root);
        bare(&mut command);
        command
    };
    let ways: [&[&str]; 2] = [&["chroot"], &["unshare", "--map-root-user", "chroot"]];
    ways.into_iter().map(with).find_map(|command| {
        let mut probe = Command::new(command.get_program());
        probe.args(command.get_args()).args(["/usr/bin/lookalike", "--version"]);
        bare(&mut probe);
        probe.stdout(Stdio::null()).stderr(Stdio::null());
        // A program that is found but does not start is a failure of the program, which the caller must see.
        let is_possible = probe.status().is_ok_and(|status| status.code() != Some(125) && status.code() != Some(1));
        is_possible.then_some(command)
    })
}

/// Removes all environment variables except the search path.
fn bare(command: &mut Command) {
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
}
