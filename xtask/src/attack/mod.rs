//! `cargo xtask attack`: tests the command with hostile input, within a time limit.
//!
//! Each attack tries as many cases as its share of the time allows, keeps failed cases in `target/attack`, and counts.
//! A short form of two minutes is part of `cargo xtask test`.

mod bucket;
mod collisions;
mod files;
mod growth;
mod guarded;
mod hostile;
mod keys;
mod kills;
mod mutated;
mod service;
mod small_disk;
mod threads;
mod workbook;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::table::Table;
use crate::workspace::Workspace;

/// Options of `cargo xtask attack`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// collisions, growth, bucket, threads, disks, commits, kills, keys, service, hostile or files; all of them if none
    /// is given
    #[arg(value_name = "ATTACK", value_parser = ATTACKS.map(|(name, ..)| name))]
    attacks: Vec<String>,
    /// Maximum time of all attacks together
    #[arg(long, value_name = "MIN", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// Random seed of mutations and moments: a different seed gives different cases
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Attack this command instead of building one
    #[arg(long, value_name = "FILE")]
    lookalike: Option<PathBuf>,
}

impl Options {
    /// The short form, for `cargo xtask test`.
    pub(crate) const SHORT: Self = Self { attacks: Vec::new(), minutes: 2, seed: 1, lookalike: None };
}

/// The resources of an attack.
struct Means<'a> {
    workspace: &'a Workspace,
    lookalike: &'a Path,
    /// Its own folder, which is removed afterwards.
    folder: &'a Path,
    /// The folder for the files of failed cases.
    kept: &'a Path,
    seed: u64,
    /// The time at which it should end.
    until: Instant,
}

impl Means<'_> {
    fn has_time(&self) -> bool {
        Instant::now() < self.until
    }
}

/// The result of an attack.
#[derive(Debug, Default)]
struct Tally {
    tried: usize,
    /// Failures, one line each.
    failures: Vec<String>,
    /// Additional information.
    note: String,
}

impl Tally {
    /// Counts a case and its failure, if any.
    fn count(&mut self, failure: Option<String>) {
        self.tried += 1;
        self.failures.extend(failure);
    }
}

/// An attack: its name, its description, its share of the time in percent, and its function.
type Attack = (&'static str, &'static str, u32, fn(&Means<'_>) -> Result<Tally>);

const ATTACKS: [Attack; 11] = [
    ("collisions", "texts that collide in a hash", 3, collisions::attack),
    ("growth", "growth of time and memory", 23, growth::attack),
    ("bucket", "one bucket of a million", 6, bucket::attack),
    ("threads", "threads 1 to 16", 8, threads::attack),
    ("disks", "disks that are too small", 6, small_disk::attack),
    ("commits", "kills at each step of a commit", 10, kills::at_each_step),
    ("kills", "kills at random moments", 14, kills::at_random),
    ("keys", "keys made and revoked at once", 3, keys::attack),
    ("service", "memory of the service", 8, service::attack),
    ("hostile", "files of earlier attacks", 8, hostile::attack),
    ("files", "mutated files, every command", 30, mutated::attack),
];

/// Runs all attacks, and prints a table; an error if any case failed.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let lookalike = match &options.lookalike {
        Some(path) => fs::canonicalize(path).with_context(|| format!("cannot find {}", path.display()))?,
        None => workspace.build_lookalike()?,
    };
    let kept = workspace.target().join("attack");
    let _ = fs::remove_dir_all(&kept);
    let whole = Duration::from_secs(60 * options.minutes);
    let is_wanted =
        |(name, ..): &&Attack| options.attacks.is_empty() || options.attacks.iter().any(|wanted| wanted == name);
    let wanted: Vec<&Attack> = ATTACKS.iter().filter(is_wanted).collect();
    let all: u32 = wanted.iter().map(|(_, _, percent, _)| percent).sum();
    let mut table = Table::new(&["attack", "tried", "failed", "s", "note"]);
    let mut failures = Vec::new();
    for (name, what, percent, attack) in wanted {
        eprintln!("{name}: {what}");
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        let until = begun + whole * *percent / all;
        let means =
            Means { workspace, lookalike: &lookalike, folder: folder.path(), kept: &kept, seed: options.seed, until };
        let tally = attack(&means).unwrap_or_else(|error| Tally {
            failures: vec![format!("it could not be made: {error:#}")],
            ..Tally::default()
        });
        let seconds = format!("{:.0}", begun.elapsed().as_secs_f64());
        table.row([(*what).into(), tally.tried.to_string(), tally.failures.len().to_string(), seconds, tally.note]);
        failures.extend(tally.failures.into_iter().map(|failure| format!("{name}: {failure}")));
    }
    println!("{table}");
    failures.iter().take(50).for_each(|failure| println!("{failure}"));
    ensure!(
        failures.is_empty(),
        "{} cases failed; the files of those that have some are in {}",
        failures.len(),
        kept.display()
    );
    Ok(())
}
