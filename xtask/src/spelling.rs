//! Checks that the repository uses American spelling, like most identifiers and user input.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;

/// Parts of words in British spelling.
const BRITISH: [&str; 33] = [
    "ormalise",
    "ormalisa",
    "ormalisi",
    "eighbour",
    "ptimise",
    "ptimisa",
    "abelled",
    "abelling",
    "abeller",
    "entimetre",
    "illimetre",
    "avour",
    "nalysed",
    "nalysing",
    "ecognise",
    "okenise",
    "okenisi",
    "aximise",
    "inimise",
    "rganise",
    "andomise",
    "tandardise",
    "ummarise",
    "isualise",
    "erialise",
    "nitialise",
    "olour",
    "ehaviour",
    "udgement",
    "rtefact",
    "ancelled",
    "licence",
    " grey ",
];

/// Exceptions: a browser attribute, and data such as column names in people's tables.
const NAMES: [&str; 2] = ["aria-labelledby", "\"licence\""];

/// Files of others, data, and this file.
const LEFT_OUT: [&str; 6] =
    ["fixtures/", "bench/", "fuzz/regressions/", "LICENSE", "examples/", "xtask/src/spelling.rs"];

/// Checks every text file tracked by git.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let listed = Command::new("git").arg("ls-files").current_dir(workspace.root()).output().context("git ls-files")?;
    ensure!(listed.status.success(), "git ls-files: {}", listed.status);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut wrong = Vec::new();
    for name in listed.lines().filter(|name| !is_left_out(name)) {
        let Ok(text) = fs::read_to_string(workspace.root().join(name)) else { continue };
        let lines = (1..).zip(text.lines()).filter(|(_, line)| is_british(line));
        wrong.extend(lines.map(|(number, line)| format!("{name}:{number}: {}", line.trim())));
    }
    ensure!(wrong.is_empty(), "words in British spelling:\n{}", wrong.join("\n"));
    Ok(())
}

fn is_left_out(name: &str) -> bool {
    LEFT_OUT.iter().any(|start| name.starts_with(start)) || name.contains(".lock") || name.contains("/LICENSE")
}

/// True if a line has a British word that is not an exception.
fn is_british(line: &str) -> bool {
    let line = NAMES.iter().fold(line.to_owned(), |line, name| line.replace(name, ""));
    BRITISH.iter().any(|part| line.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn british_words_are_found_and_names_are_not() {
        assert!(is_british("the neighbours of a label") && is_british("fn is_labelled()") && is_british("Normalises"));
        assert!(!is_british("two analyses of neighbors, in favor of") && !is_british("aria-labelledby"));
        assert!(is_left_out("fixtures/golden/a.json") && !is_left_out("crates/lookalike/src/lib.rs"));
    }
}
