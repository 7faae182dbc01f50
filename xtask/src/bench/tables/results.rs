//! Where measured numbers go: raw into a dated folder with all that explains them, and as a table into the documentation.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::report::first_line;
use crate::workspace::Workspace;

/// What was measured on.
#[derive(Clone, Debug, Serialize)]
pub(in crate::bench) struct Machine {
    /// The processor as the system names it.
    pub(in crate::bench) processor: String,
    /// How many threads it runs at once.
    pub(in crate::bench) hardware_threads: usize,
    /// Its memory; none where the system does not say.
    pub(in crate::bench) memory_bytes: Option<u64>,
    /// The name of the system.
    pub(in crate::bench) system: &'static str,
    /// How many processes ran or wanted to in the minute before; none where the system does not say.
    pub(in crate::bench) load: Option<f64>,
}

impl Machine {
    /// This machine.
    pub(in crate::bench) fn here() -> Self {
        let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let kilobytes = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
        Self {
            processor: model.map_or(std::env::consts::ARCH, |(_, model)| model).to_owned(),
            hardware_threads: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: kilobytes.and_then(|count| count.parse::<u64>().ok()).map(|count| count * 1024),
            system: std::env::consts::OS,
            load: load.split(' ').next().and_then(|number| number.parse().ok()),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} hardware threads, ", self.processor, self.hardware_threads)?;
        if let Some(bytes) = self.memory_bytes {
            write!(f, "{:.0} GB of memory, ", bytes as f64 / 1e9)?;
        }
        write!(f, "{}", self.system)
    }
}

/// Raw numbers, with all that explains them.
#[derive(Serialize)]
struct Record<'a, T> {
    date: String,
    machine: Machine,
    /// What each program says of its version.
    versions: Vec<String>,
    /// The commit that the workspace is at; none outside of a repository.
    commit: Option<String>,
    /// What was typed after `cargo xtask`.
    command: String,
    results: &'a T,
}

/// Writes raw numbers to `bench/results/<date>/<name>.json`, and says where that is.
pub(in crate::bench) fn write(
    workspace: &Workspace,
    name: &str,
    programs: &[&Path],
    results: &impl Serialize,
) -> Result<PathBuf> {
    let date = today();
    let folder = workspace.root().join("bench/results").join(&date);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let record = Record {
        date,
        machine: Machine::here(),
        versions: programs.iter().map(|program| first_line(program)).collect(),
        commit: commit(workspace.root()),
        command: command(),
        results,
    };
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, serde_json::to_string_pretty(&record)? + "\n")
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// Puts a text between the marks `<!-- name -->` and `<!-- /name -->` of `docs/benchmarks.md`, at its end if it has none.
pub(in crate::bench) fn publish(workspace: &Workspace, name: &str, text: &str) -> Result<()> {
    let file = workspace.root().join("docs/benchmarks.md");
    let page = if file.exists() { fs::read_to_string(&file)? } else { "# Benchmarks\n".to_owned() };
    let page = with_section(&page, name, text).with_context(|| file.display().to_string())?;
    fs::write(&file, page).with_context(|| format!("cannot write {}", file.display()))
}

fn with_section(page: &str, name: &str, text: &str) -> Result<String> {
    let [start, end] = [format!("<!-- {name} -->"), format!("<!-- /{name} -->")];
    let section = format!("{start}\n{}\n{end}", text.trim());
    let Some(from) = page.find(&start) else {
        return Ok(format!("{}\n\n{section}\n", page.trim_end()));
    };
    let to = page[from..].find(&end).map(|to| from + to + end.len());
    ensure!(to.is_some(), "{start} has no {end}");
    Ok(format!("{}{section}{}", &page[..from], &page[to.unwrap_or(from)..]))
}

/// The date in Greenwich, as in 2026-11-16.
pub(in crate::bench) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// The date of a day since 1970 (Hinnant: chrono-compatible low-level date algorithms, `civil_from_days`).
fn civil(day: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the day that not all years have comes last. 400 years have 146,097 days.
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

fn commit(root: &Path) -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The words after the name of this program; of paths the last part, since the others are about one machine.
fn command() -> String {
    let last = |word: String| {
        if word.starts_with('/') { word.rsplit('/').next().unwrap_or_default().to_owned() } else { word }
    };
    std::env::args().skip(1).map(last).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_773), (2026, 11, 16));
    }

    #[test]
    fn a_section_is_replaced_and_all_else_stays() {
        let page = with_section("# Title\n", "one", "first").unwrap();
        assert_eq!(page, "# Title\n\n<!-- one -->\nfirst\n<!-- /one -->\n");
        let page = with_section(&(page + "\nmore\n"), "two", "other").unwrap();
        let page = with_section(&page, "one", "second\n").unwrap();
        assert_eq!(
            page,
            "# Title\n\n<!-- one -->\nsecond\n<!-- /one -->\n\nmore\n\n<!-- two -->\nother\n<!-- /two -->\n"
        );
        assert!(with_section("<!-- one -->", "one", "text").is_err());
    }
}
