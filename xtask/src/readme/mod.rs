//! Runs the commands of the README and the documentation in a fresh copy of the repository, as a new user would.
//!
//! Every command of every `console` block must exit as the page says (0, or the code in a comment `# exit 1`), and must
//! print the lines shown after it. A command that ends with `&` runs until the page ends; the check waits for its first
//! output. Some lines of a README are only for people and are skipped: see [`is_for_people`].

mod compare;
mod copy;
mod parse;

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::{Workspace, succeed};
use parse::Example;

/// Runs all commands of the README, and then those of the documentation, page by page and in order.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let copy = copy::Copy::make(workspace)?;
    // Where users install the command, it is already available.
    succeed(in_copy(Command::new("cargo"), copy.root(), workspace)?.args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "lookalike-cli",
    ]))?;
    let mut failed = 0;
    for page in pages(workspace.root())? {
        failed += run_page(&page, &copy, workspace)?;
    }
    ensure!(failed == 0, "{failed} commands do not do what their page says; each is shown above");
    copy.remove()
}

/// The README first, then all pages sorted by name, relative to the root.
fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let folder = Path::new("docs");
    let mut pages = Vec::new();
    for entry in root.join(folder).read_dir().context("cannot read docs")? {
        let name = PathBuf::from(entry?.file_name());
        pages.extend((name.extension() == Some("md".as_ref())).then(|| folder.join(name)));
    }
    pages.sort();
    pages.insert(0, PathBuf::from("README.md"));
    Ok(pages)
}

/// Runs the commands of a page, and shows those that fail. Returns their number, so that one run names all.
fn run_page(page: &Path, copy: &copy::Copy, workspace: &Workspace) -> Result<usize> {
    let path = workspace.root().join(page);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let examples = parse::examples(&text);
    ensure!(!examples.is_empty() || page != Path::new("README.md"), "README.md has no console block with a command");
    let (mut beside, mut failed) = (Vec::new(), 0);
    for example in &examples {
        if is_for_people(&example.command) {
            println!("  passed over: {}", example.command);
            continue;
        }
        println!("  $ {}", example.command);
        let place =
            || format!("{}:{}: $ {} (in {})", page.display(), example.line, example.command, copy.root().display());
        match example.command.strip_suffix('&') {
            Some(command) => beside.push(Beside::start(command, example, copy.root(), workspace).with_context(place)?),
            None => {
                if let Err(error) = run_example(example, copy.root(), workspace).with_context(place) {
                    println!("failed: {error:#}");
                    failed += 1;
                }
            }
        }
    }
    Ok(failed)
}

/// True for commands that download the project, install it, do not end by themselves, or would run this check again.
fn is_for_people(command: &str) -> bool {
    let command = command.split(" #").next().unwrap_or_default().trim();
    let installs = ["cargo install", "cargo xtask setup", "git clone", "pip install", "rustup default", "sudo apt-get"];
    let never_ends = ["cargo xtask test", "lookalike serve"];
    never_ends.contains(&command) || installs.iter().any(|install| command.starts_with(install))
}

/// A command that runs in the background.
struct Beside(Child);

impl Beside {
    /// Starts it, and waits for the first line, which must match the shown one, if any.
    fn start(command: &str, example: &Example, folder: &Path, workspace: &Workspace) -> Result<Self> {
        let mut shell = in_copy(Command::new("sh"), folder, workspace)?;
        // Replaces the shell, so that the command itself is stopped.
        shell
            .arg("-c")
            .arg(format!("exec {command}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = Self(shell.spawn().context("cannot run sh")?);
        let stdout = child.0.stdout.take().context("it has an output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        ensure!(!line.is_empty(), "it ended without a word");
        match compare::first_missing(&example.shown, &line, "") {
            Some(missing) => bail!("it does not say {missing:?} first, but {line:?}"),
            None => Ok(child),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run_example(example: &Example, folder: &Path, workspace: &Workspace) -> Result<()> {
    let output = in_copy(Command::new("sh"), folder, workspace)?
        .args(["-c", &example.command])
        .stdin(Stdio::null())
        .output()
        .context("cannot run sh")?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let said = || format!("--- stdout\n{stdout}--- stderr\n{stderr}---");
    if output.status.code() != Some(example.exit_code) {
        bail!("{}, where {} was expected\n{}", output.status, example.exit_code, said());
    }
    if let Some(missing) = compare::first_missing(&example.shown, &stdout, &stderr) {
        bail!("this line of the page is not in the output, or not in this order: {missing:?}\n{}", said());
    }
    Ok(())
}

/// Sets a command up to run in the copy, with the existing build.
fn in_copy(mut command: Command, folder: &Path, workspace: &Workspace) -> Result<Command> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(workspace.target().join("release")).chain(env::split_paths(&path));
    let path: OsString = env::join_paths(folders).context("the target folder cannot be a part of PATH")?;
    command.current_dir(folder).env("PATH", path).env("CARGO_TARGET_DIR", workspace.target());
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetching_installing_serving_and_testing_are_for_people() {
        assert!(is_for_people("cargo xtask test  # every check"));
        assert!(is_for_people("cargo install --path crates/lookalike-cli"));
        assert!(is_for_people("sudo apt-get install -y rustup"));
        assert!(is_for_people("cargo xtask setup && cargo xtask test"));
        assert!(is_for_people("lookalike serve"));
        assert!(!is_for_people("lookalike serve archive &"));
        assert!(!is_for_people("cargo xtask quality"));
        assert!(!is_for_people("cargo run --release -- dedup examples/news -o out"));
    }
}
