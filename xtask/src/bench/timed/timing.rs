//! The timed runs of `wc -w` and `lookalike dedup`, alternating.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::summary::Summary;

/// Measurements of all runs.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Timings {
    /// `wc -w` in the user's locale.
    pub(in crate::bench) wc: Vec<Usage>,
    /// The name of that locale.
    pub(in crate::bench) locale: String,
    /// `wc -w` in the locale [`UNIFORM_LOCALE`], if the user's is different.
    pub(in crate::bench) uniform_wc: Option<Vec<Usage>>,
    /// `lookalike dedup` with output written.
    pub(in crate::bench) dedup: Vec<Usage>,
    /// The summary of each run of `lookalike dedup`.
    pub(in crate::bench) summaries: Vec<Summary>,
    /// Load average of the minute before the first run; none if the system does not report it.
    pub(in crate::bench) load: Option<f64>,
}

/// A locale that every Linux has, with UTF-8 like the corpus.
pub(in crate::bench) const UNIFORM_LOCALE: &str = "C.UTF-8";

/// The output folder of `dedup`.
pub(in crate::bench) fn output_folder(folder: &Path) -> PathBuf {
    folder.join("out")
}

/// Runs everything this many times, one after the other.
pub(in crate::bench) fn run(corpus: &Path, lookalike: &Path, folder: &Path, runs: u16) -> Result<Timings> {
    let locale = own_locale();
    let out = output_folder(folder);
    let mut wc = Command::new("wc");
    wc.arg("-w").arg(corpus);
    let mut uniform_wc = Command::new("wc");
    uniform_wc.arg("-w").arg(corpus).env("LC_ALL", UNIFORM_LOCALE);
    let mut dedup = Command::new(lookalike);
    dedup.arg("dedup").arg(corpus).args(["--id", "id", "--force", "--threads", "2", "-o"]).arg(&out);

    // Every timed run finds the file in the page cache; the first would not.
    measure(&wc)?;
    let mut timings = Timings {
        wc: Vec::new(),
        uniform_wc: (locale != UNIFORM_LOCALE).then(Vec::new),
        locale,
        dedup: Vec::new(),
        summaries: Vec::new(),
        load: load(),
    };
    for number in 1..=runs {
        eprintln!("run {number} of {runs}");
        timings.wc.push(measure(&wc)?);
        if let Some(usages) = &mut timings.uniform_wc {
            usages.push(measure(&uniform_wc)?);
        }
        // Without earlier output to remove, as in a user's first run.
        if out.exists() {
            fs::remove_dir_all(&out).with_context(|| format!("cannot remove {}", out.display()))?;
        }
        timings.dedup.push(measure(&dedup)?);
        timings.summaries.push(Summary::read(&out.join("summary.json"))?);
    }
    Ok(timings)
}

/// The load average of one minute, on Linux.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The locale that determines character types: the first of the variables that is set (POSIX, Environment Variables).
fn own_locale() -> String {
    let set = |name: &&str| env::var(name).ok().filter(|value| !value.is_empty());
    ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set).unwrap_or_else(|| "C".to_owned())
}
