//! `cargo xtask kills`: kills writers of a saved index, and servers, under load: many more than in the tests.

use anyhow::Result;

use crate::workspace::{Workspace, succeed};

/// Options of `cargo xtask kills`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of writers to kill
    #[arg(long, value_name = "N", default_value_t = 200)]
    rounds: u32,
}

/// Kills writers, and checks after each that nothing acknowledged is lost and no deleted document reappears.
pub(crate) fn run(workspace: &Workspace, options: Options) -> Result<()> {
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--quiet", "--release", "--package", "lookalike-index", "--test", "processes"]);
    cargo.args(["--", "--exact", "a_writer_that_is_killed_loses_nothing_that_it_acknowledged"]);
    succeed(cargo.env("LOOKALIKE_KILLS", options.rounds.to_string()))?;
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--quiet", "--release", "--package", "lookalike-cli", "--test", "serve_kills"]);
    succeed(cargo.env("LOOKALIKE_KILLS", options.rounds.to_string()))?;
    println!(
        "{} writers and as many servers were killed: nothing acknowledged was lost, nothing deleted came back",
        options.rounds
    );
    Ok(())
}
