//! `cargo xtask setup`: installs and lists the missing requirements of the tests.
//!
//! Only this command installs system packages. `cargo xtask test` calls it where that is expected: as root, and on a CI
//! server. Otherwise it ends with the command to type.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, succeed};

/// A requirement of the tests.
pub(crate) struct Need {
    /// Its purpose, for people.
    purpose: &'static str,
    /// Commands of which one succeeds if it is installed.
    probes: &'static [&'static [&'static str]],
    /// The installer that provides it.
    source: Source,
}

/// The installer of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// A component of the Rust toolchain.
    Rustup(&'static str),
    /// A package of Debian. Ubuntu has the same ones, except for the browser: its package is a snap.
    Apt(&'static str),
}

/// The browser by its names on different systems, asked for its version.
const BROWSERS: &[&[&str]] =
    &[&["chromium", "--version"], &["chromium-browser", "--version"], &["google-chrome", "--version"]];

/// Everything that `cargo xtask test` calls besides cargo. Python and node packages are installed into separate folders
/// in `target` and `tests/browser`, without special permissions.
const NEEDS: [Need; 9] = [
    Need { purpose: "checks the format", probes: &[&["cargo", "fmt", "--version"]], source: Source::Rustup("rustfmt") },
    Need { purpose: "lints", probes: &[&["cargo", "clippy", "--version"]], source: Source::Rustup("clippy") },
    Need { purpose: "lists the files of the project", probes: &[&["git", "--version"]], source: Source::Apt("git") },
    Need {
        purpose: "tests the Python package",
        probes: &[&["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]],
        source: Source::Apt("python3"),
    },
    Need {
        purpose: "makes environments for Python",
        probes: &[&["python3", "-c", "import ensurepip, venv"]],
        source: Source::Apt("python3-venv"),
    },
    Need {
        purpose: "runs Apache Spark",
        probes: &[&["java", "-version"]],
        source: Source::Apt("openjdk-17-jre-headless"),
    },
    Need { purpose: "shows the pages", probes: BROWSERS, source: Source::Apt("chromium") },
    Need { purpose: "runs the tests of the pages", probes: &[&["node", "--version"]], source: Source::Apt("nodejs") },
    Need { purpose: "installs their packages", probes: &[&["npm", "--version"]], source: Source::Apt("npm") },
];

/// Options of `cargo xtask setup`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// List missing requirements without installing them; exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// Installs missing requirements.
pub(crate) fn run(workspace: &Workspace, options: Options) -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        println!("nothing is missing");
        return Ok(());
    }
    for need in &missing {
        println!("missing: {} ({})", need.source.name(), need.purpose);
    }
    if options.check {
        bail!("{} missing; `cargo xtask setup` installs them", missing.len());
    }
    for command in commands(&missing) {
        println!("$ {}", command.join(" "));
        let mut call = Command::new(command[0]);
        call.args(&command[1..]).env("DEBIAN_FRONTEND", "noninteractive").current_dir(workspace.root());
        succeed(&mut call).context("what is missing could not be installed; see README.md for other systems")?;
    }
    Ok(())
}

/// Prepares the tests: installs requirements if that is expected, and otherwise prints the command.
pub(crate) fn before_tests(workspace: &Workspace) -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|need| need.source.name()).collect();
    if !may_install(is_root(), env::var("CI").ok().as_deref()) {
        bail!("the tests need {}: `cargo xtask setup` installs what is missing", names.join(", "));
    }
    run(workspace, Options { check: false })
}

/// True if a test may install packages without asking: as root on a dedicated machine, or on a CI server.
fn may_install(is_root: bool, ci: Option<&str>) -> bool {
    is_root || ci.is_some_and(|value| !matches!(value, "" | "0" | "false"))
}

/// The path of an installed browser.
pub(crate) fn browser() -> Option<PathBuf> {
    let name = BROWSERS.iter().find(|probe| succeeds(probe))?[0];
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| !need.probes.iter().any(|probe| succeeds(probe))).collect()
}

fn succeeds(probe: &[&str]) -> bool {
    let mut call = Command::new(probe[0]);
    call.args(&probe[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    call.status().is_ok_and(|status| status.success())
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Self::Rustup(name) | Self::Apt(name) => name,
        }
    }
}

/// The commands that install these requirements, without repetition. Users other than root are asked for their password
/// by `sudo`.
fn commands(missing: &[&Need]) -> Vec<Vec<&'static str>> {
    commands_as(missing, is_root())
}

fn commands_as(missing: &[&Need], is_root: bool) -> Vec<Vec<&'static str>> {
    let of = |take: fn(Source) -> Option<&'static str>| -> Vec<&'static str> {
        missing.iter().filter_map(|need| take(need.source)).collect()
    };
    let components = of(|source| match source {
        Source::Rustup(name) => Some(name),
        Source::Apt(_) => None,
    });
    let packages = of(|source| match source {
        Source::Apt(name) => Some(name),
        Source::Rustup(_) => None,
    });
    let apt: &[&str] = if is_root { &["apt-get"] } else { &["sudo", "apt-get"] };
    let mut commands = Vec::new();
    if !components.is_empty() {
        commands.push([&["rustup", "component", "add"][..], &components].concat());
    }
    if !packages.is_empty() {
        // The package lists of a new machine are old or empty.
        commands.push([apt, &["update", "-qq"]].concat());
        commands.push([apt, &["install", "-y", "-qq", "--no-install-recommends"], &packages].concat());
    }
    commands
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_and_a_ci_server_install_unasked() {
        assert!(may_install(true, None));
        assert!(may_install(false, Some("true")));
        assert!(!may_install(false, None));
        assert!(!may_install(false, Some("false")));
    }

    #[test]
    fn a_user_installs_packages_with_sudo_and_components_without() {
        let missing: Vec<&Need> = NEEDS.iter().filter(|need| ["clippy", "npm"].contains(&need.source.name())).collect();
        let words = |is_root| commands_as(&missing, is_root).iter().map(|words| words.join(" ")).collect::<Vec<_>>();
        assert_eq!(
            words(false),
            [
                "rustup component add clippy",
                "sudo apt-get update -qq",
                "sudo apt-get install -y -qq --no-install-recommends npm"
            ]
        );
        assert_eq!(words(true)[2], "apt-get install -y -qq --no-install-recommends npm");
        assert!(commands_as(&[], true).is_empty());
    }

    #[test]
    fn no_check_installs_system_packages_itself() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let mut callers = Vec::new();
        let mut folders = vec![std::path::PathBuf::from(sources)];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if std::fs::read_to_string(&path).unwrap().contains(r#""apt-get""#) {
                    callers.push(path.file_name().unwrap().to_owned());
                }
            }
        }
        assert_eq!(callers, ["setup.rs"]);
    }
}
