//! Saves raw measurements in a dated folder, with all metadata. The tables of the documentation are generated only from
//! these files (`pages.rs`), so that pages and files always agree.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::report::first_line;
use crate::workspace::Workspace;

/// The machine of a measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::bench) struct Machine {
    /// The processor as the system names it, with its family and model, since virtual machines abbreviate the name.
    pub(in crate::bench) processor: String,
    /// Number of hardware threads.
    pub(in crate::bench) hardware_threads: usize,
    /// Its memory; none if the system does not report it.
    pub(in crate::bench) memory_bytes: Option<u64>,
    /// The name of the system.
    pub(in crate::bench) system: String,
    /// Load average of the preceding minute; none if the system does not report it.
    pub(in crate::bench) load: Option<f64>,
}

impl Machine {
    /// This machine.
    pub(in crate::bench) fn here() -> Self {
        let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let kilobytes = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
        Self {
            processor: processor(&information).unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            hardware_threads: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: kilobytes.and_then(|count| count.parse::<u64>().ok()).map(|count| count * 1024),
            system: std::env::consts::OS.to_owned(),
            load: load.split(' ').next().and_then(|number| number.parse().ok()),
        }
    }
}

/// The processor in `/proc/cpuinfo`, as in "AMD EPYC (family 26, model 2)".
fn processor(information: &str) -> Option<String> {
    let value = |wanted: &str| {
        let mut fields = information.lines().filter_map(|line| line.split_once(':'));
        fields.find_map(|(name, value)| (name.trim() == wanted).then(|| value.trim().to_owned()))
    };
    let name = value("model name")?;
    Some(match (value("cpu family"), value("model")) {
        (Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => name,
    })
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

/// Raw numbers with metadata.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Record<T> {
    pub(in crate::bench) date: String,
    pub(in crate::bench) machine: Machine,
    /// Version output of each program.
    pub(in crate::bench) versions: Vec<String>,
    /// The commit of the workspace; none outside a repository.
    pub(in crate::bench) commit: Option<String>,
    /// The arguments of `cargo xtask`.
    pub(in crate::bench) command: String,
    pub(in crate::bench) results: T,
}

impl<T> Record<T> {
    /// The origin of the numbers for readers: date, machine, commit and command.
    pub(in crate::bench) fn origin(&self) -> String {
        let commit = self.commit.as_ref().map_or("commit not recorded".to_owned(), |commit| format!("commit {commit}"));
        format!("{}, {}; {commit}, `cargo xtask {}`.", self.date, self.machine, self.command)
    }
}

/// Writes raw numbers to `bench/results/<date>/<name>.json`, and returns the path.
pub(in crate::bench) fn write(
    workspace: &Workspace,
    name: &str,
    programs: &[&Path],
    results: &impl Serialize,
) -> Result<PathBuf> {
    let versions = programs.iter().map(|program| first_line(program)).collect();
    write_with_versions(workspace, name, versions, results)
}

/// The same for programs whose versions are already known.
pub(in crate::bench) fn write_with_versions(
    workspace: &Workspace,
    name: &str,
    versions: Vec<String>,
    results: &impl Serialize,
) -> Result<PathBuf> {
    let date = today();
    let folder = workspace.root().join("bench/results").join(&date);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (machine, commit, command) = (Machine::here(), commit(workspace.root()), command());
    let record = Record { date, machine, versions, commit, command, results };
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, serde_json::to_string_pretty(&record)? + "\n")
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// Reads the newest record of this name; none if it was never measured.
pub(in crate::bench) fn newest<T: DeserializeOwned>(root: &Path, name: &str) -> Result<Option<Record<T>>> {
    let folder = root.join("bench/results");
    let mut files = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))? {
        let file = entry?.path().join(format!("{name}.json"));
        files.extend(file.is_file().then_some(file));
    }
    // Folders are named by date, so the last one is the newest.
    files.sort();
    let Some(file) = files.pop() else { return Ok(None) };
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).map(Some).with_context(|| file.display().to_string())
}

/// Replaces the text between the markers `<!-- name -->` and `<!-- /name -->` of a page.
///
/// # Errors
///
/// If the page does not have both markers.
pub(super) fn with_section(page: &str, name: &str, text: &str) -> Result<String> {
    let [start, end] = [format!("<!-- {name} -->"), format!("<!-- /{name} -->")];
    let from = page.find(&start).with_context(|| format!("there is no {start}"))?;
    let to = page[from..].find(&end).map(|to| from + to + end.len());
    ensure!(to.is_some(), "{start} has no {end}");
    Ok(format!("{}{start}\n{}\n{end}{}", &page[..from], text.trim(), &page[to.unwrap_or(from)..]))
}

/// The UTC date, such as 2026-11-16.
pub(in crate::bench) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// The date of a day since 1970 (Hinnant: chrono-compatible low-level date algorithms, `civil_from_days`).
fn civil(day: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the leap day comes last. 400 years have 146,097 days.
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

/// The arguments of this program; only the last component of paths, since the others depend on the machine.
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
        let page = "# Title\n\n<!-- one -->\nfirst\n<!-- /one -->\n\nmore\n";
        let page = with_section(page, "one", "second\n").unwrap();
        assert_eq!(page, "# Title\n\n<!-- one -->\nsecond\n<!-- /one -->\n\nmore\n");
        assert!(with_section("<!-- one -->", "one", "text").is_err());
        assert!(with_section("# Title\n", "one", "text").is_err());
    }

    #[test]
    fn the_newest_record_of_a_name_is_read() {
        let root = tempfile::tempdir().unwrap();
        assert!(newest::<u32>(root.path(), "speed").is_err());
        for (date, number) in [("2026-11-16", 1), ("2026-11-17", 2)] {
            let folder = root.path().join("bench/results").join(date);
            fs::create_dir_all(&folder).unwrap();
            let record = Record {
                date: date.into(),
                machine: Machine::here(),
                versions: Vec::new(),
                commit: Some("4f9af48".into()),
                command: "bench speed".into(),
                results: number,
            };
            fs::write(folder.join("speed.json"), serde_json::to_string(&record).unwrap()).unwrap();
        }
        let record = newest::<u32>(root.path(), "speed").unwrap().unwrap();
        assert_eq!(record.results, 2);
        assert!(record.origin().starts_with("2026-11-17, ") && record.origin().ends_with("`cargo xtask bench speed`."));
        assert!(newest::<u32>(root.path(), "memory").unwrap().is_none());
    }

    #[test]
    fn a_processor_has_its_family_and_model() {
        let information = "vendor_id\t: X\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\nmodel\t: 3\n";
        assert_eq!(processor(information).unwrap(), "AMD EPYC (family 26, model 2)");
        assert_eq!(processor("Hardware : BCM2835\n"), None);
    }
}
