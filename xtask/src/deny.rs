//! Checks dependencies against the rules of `deny.toml` with cargo-deny: licenses, sources, versions and known
//! vulnerabilities.
//!
//! Compiling cargo-deny takes minutes, so it is only used if it is installed.

use std::env;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::Result;

use crate::workspace::{Workspace, succeed};

/// Checks the dependencies; reports what cannot be checked here.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut probe = workspace.cargo();
    probe.args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !probe.status()?.success() {
        println!("not run: `cargo install --locked cargo-deny` installs what it takes");
        return Ok(());
    }
    succeed(workspace.cargo().args(["deny", "--offline", "check", "licenses", "sources", "bans"]))?;
    let mut fetch = workspace.cargo();
    fetch.args(["deny", "fetch", "db"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !fetch.status()?.success() && !has_advisories() {
        println!("not run for advisories: the database of vulnerabilities cannot be fetched");
        return Ok(());
    }
    succeed(workspace.cargo().args(["deny", "--offline", "check", "advisories"]))
}

/// True if the database of vulnerabilities was downloaded before.
fn has_advisories() -> bool {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    home.and_then(|home| home.join("advisory-dbs").read_dir().ok())
        .is_some_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| entry.path().is_dir())))
}
