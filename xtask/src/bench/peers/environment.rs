//! The Python environment of the peers: created once in the target folder, with the versions in `bench/peers`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::run::Runner;
use crate::workspace::{Workspace, succeed};

/// Folder of the programs that run the peers.
pub(in crate::bench) fn scripts(workspace: &Workspace) -> PathBuf {
    workspace.root().join("bench/peers")
}

/// Creates the environment if it is missing or has other versions, and returns its Python.
pub(in crate::bench) fn prepare(workspace: &Workspace, python: &Path) -> Result<PathBuf> {
    let folder = workspace.target().join("bench/peers-venv");
    let own = folder.join("bin/python");
    let wanted = scripts(workspace).join("requirements.txt");
    let text = fs::read_to_string(&wanted).with_context(|| format!("cannot read {}", wanted.display()))?;
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(own);
    }
    eprintln!("making {}", folder.display());
    succeed(Command::new(python).args(["-m", "venv"]).arg(&folder))?;
    let pip = || {
        let mut command = Command::new(&own);
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        command
    };
    if let Err(error) = succeed(pip().arg("-r").arg(&wanted)) {
        // One that cannot be installed must not exclude the others; its run will report what is missing.
        eprintln!("{error:#}; trying them one by one");
        for line in packages(&text) {
            if let Err(error) = succeed(pip().arg(line)) {
                eprintln!("{error:#}");
            }
        }
    }
    fs::write(&stamp, text).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(own)
}

fn packages(requirements: &str) -> impl Iterator<Item = &str> {
    requirements.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The versions of lookalike, of Python, and of each requested package.
pub(super) fn versions(workspace: &Workspace, runner: &Runner) -> Result<BTreeMap<String, String>> {
    let requirements = fs::read_to_string(scripts(workspace).join("requirements.txt"))?;
    let mut versions: BTreeMap<String, String> = packages(&requirements)
        .filter_map(|line| line.split_once("=="))
        .map(|(name, version)| (name.split('[').next().unwrap_or(name).to_owned(), version.to_owned()))
        .collect();
    for (name, program) in [("lookalike", &runner.lookalike), ("Python", &runner.python)] {
        let output = Command::new(program).arg("--version").output().with_context(|| format!("cannot run {name}"))?;
        ensure!(output.status.success(), "{name} --version: {}", output.status);
        let said = String::from_utf8_lossy(&output.stdout);
        versions.insert(name.to_owned(), said.split_whitespace().nth(1).unwrap_or("unknown").to_owned());
    }
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_packages() {
        assert_eq!(packages("# why\na==1\n\nb[c]==2\n").collect::<Vec<_>>(), ["a==1", "b[c]==2"]);
    }
}
