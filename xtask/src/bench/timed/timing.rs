//! The timed runs: `wc -w` and `lookalike dedup`, in turns.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measure::{Usage, measure};
use super::summary::Summary;

/// What all runs took.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Timings {
    /// `wc -w` in the locale that the user has.
    pub(in crate::bench) wc: Vec<Usage>,
    /// The name of that locale.
    pub(in crate::bench) locale: String,
    /// `wc -w` in the locale [`UNIFORM_LOCALE`], if the user has another one.
    pub(in crate::bench) uniform_wc: Option<Vec<Usage>>,
    /// `lookalike dedup` with output written.
    pub(in crate::bench) dedup: Vec<Usage>,
    /// What `lookalike dedup` says of each run.
    pub(in crate::bench) summaries: Vec<Summary>,
    /// How many processes ran or wanted to in the minute before the first run; none where the system does not say.
    pub(in crate::bench) load: Option<f64>,
}

/// A locale that every Linux has, in which text is UTF-8 as the corpus is.
pub(in crate::bench) const UNIFORM_LOCALE: &str = "C.UTF-8";

/// Where `dedup` writes to.
pub(in crate::bench) fn output_folder(folder: &Path) -> PathBuf {
    folder.join("out")
}

/// Runs everything so many times, one after the other.
pub(in crate::bench) fn run(corpus: &Path, lookalike: &Path, folder: &Path, runs: u16) -> Result<Timings> {
    let locale = own_locale();
    let out = output_folder(folder);
    let mut wc = Command::new("wc");
    wc.arg("-w").arg(corpus);
    let mut uniform_wc = Command::new("wc");
    uniform_wc.arg("-w").arg(corpus).env("LC_ALL", UNIFORM_LOCALE);
    let mut dedup = Command::new(lookalike);
    dedup.arg("dedup").arg(corpus).args(["--id", "id", "--force", "--threads", "2", "-o"]).arg(&out);

    // Every timed run finds the file in the memory of the system; the first would not.
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
        // A user's first run has no older output to remove.
        if out.exists() {
            fs::remove_dir_all(&out).with_context(|| format!("cannot remove {}", out.display()))?;
        }
        timings.dedup.push(measure(&dedup)?);
        timings.summaries.push(Summary::read(&out.join("summary.json"))?);
    }
    Ok(timings)
}

/// The mean over a minute, as Linux has it.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The locale that decides what a letter is: the first of the variables that is set (POSIX, Environment Variables).
fn own_locale() -> String {
    let set = |name: &&str| env::var(name).ok().filter(|value| !value.is_empty());
    ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set).unwrap_or_else(|| "C".to_owned())
}
