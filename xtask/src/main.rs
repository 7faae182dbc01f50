//! The project's own commands: `cargo xtask setup`, `check`, `test`, `quality`, `bench`, `assets`, `fuzz`, `attack`,
//! `kills`, `load`, `spark`, `wheel`, `dist`, `docs` and `python-versions`.
//!
//! They need the Rust toolchain, and the tests need what `cargo xtask setup` installs. They measure the command
//! `lookalike` as users run it: the release binary in a separate process.

#![forbid(unsafe_code)]

mod attack;
mod bench;
mod browser;
mod changed;
mod check;
mod deny;
mod dist;
mod docs;
mod fuzz;
mod kills;
mod layers;
mod load;
mod pairs;
mod python;
mod quality;
mod readme;
mod service;
mod setup;
mod spark;
mod spelling;
mod table;
mod workspace;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "The project's own commands")]
struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    /// Install what the tests need and this machine lacks
    Setup(setup::Options),
    /// Check what changed since the last commit, in a minute or two: format, lints, unit tests
    Check(changed::Options),
    /// Run every check: format, lints, all tests, documentation, the README's own commands, quality
    Test {
        /// Begin with this step, after one that failed was fixed
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        from: usize,
    },
    /// Recall and precision on real data whose exact answer is known
    Quality {
        /// The folder of the data [default: bench/data, or ../shared/data beside the workspace]
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Keep the tables with few duplicates, with their answers, in this folder
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
    },
    /// Speed, memory and accuracy on a large corpus, compared with `wc -w`
    Bench(bench::Options),
    /// Generate shell completions and manual pages
    Assets {
        /// The folder to write to [default: target/assets]
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Fuzz every reader, for ten minutes per target
    Fuzz(fuzz::Options),
    /// Attack the command: mutated files, kills, full disks, threads, corpora that provoke quadratic time; half an hour
    Attack(attack::Options),
    /// Kill writers of a saved index under load, and check that nothing acknowledged is lost
    Kills(kills::Options),
    /// Mixed load on a server for an hour, with its memory, files and descriptors level
    Load(load::Options),
    /// All tests of `lookalike.spark`, on a cluster that they start on this machine; `test` runs the short ones
    Spark,
    /// Build the wheel of the Python package, and try it where nothing else is installed
    Wheel,
    /// Build everything that is handed out with a version, and try each where nothing else is installed
    Dist(dist::Options),
    /// Build the documentation as a static site; a broken link fails
    Docs,
    /// Test the Python package with the oldest data frame libraries that install
    PythonVersions,
    /// Run a command and record the time and memory it used; `bench` calls this
    #[command(hide = true)]
    Measure {
        /// The file to write the measures to
        #[arg(long)]
        report: PathBuf,
        /// The command with its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

/// The program generates them itself, from its argument definitions.
fn assets(workspace: &Workspace, folder: Option<PathBuf>) -> Result<()> {
    let folder = folder.unwrap_or_else(|| workspace.target().join("assets"));
    let lookalike = workspace.build_lookalike()?;
    workspace::succeed(Command::new(lookalike).arg("assets").arg(&folder))?;
    println!("completions and manual pages are in {}", folder.display());
    Ok(())
}

fn main() -> ExitCode {
    match run(Arguments::parse().job) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(job: Job) -> Result<()> {
    match job {
        Job::Setup(options) => setup::run(&Workspace::find()?, options),
        Job::Check(options) => changed::run(&Workspace::find()?, &options),
        Job::Test { from } => check::run(&Workspace::find()?, from),
        Job::Quality { data, keep } => quality::run(&Workspace::find()?, data.as_deref(), keep.as_deref()),
        Job::Bench(options) => bench::run(&Workspace::find()?, &options),
        Job::Assets { folder } => assets(&Workspace::find()?, folder),
        Job::Fuzz(options) => fuzz::run(&Workspace::find()?, &options),
        Job::Attack(options) => attack::run(&Workspace::find()?, &options),
        Job::Kills(options) => kills::run(&Workspace::find()?, options),
        Job::Load(options) => load::run(&Workspace::find()?, options),
        Job::Spark => spark::run(&Workspace::find()?),
        Job::Wheel => python::wheel(&Workspace::find()?).map(drop),
        Job::Dist(options) => dist::run(&Workspace::find()?, &options),
        Job::Docs => docs::run(&Workspace::find()?),
        Job::PythonVersions => python::test_oldest(&Workspace::find()?),
        Job::Measure { report, command } => bench::measure::run_and_report(&report, &command),
    }
}
