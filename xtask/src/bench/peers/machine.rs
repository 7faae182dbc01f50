//! The machine that was measured on, and the day.

use std::fs;
use std::process::Command;

use serde::Serialize;

/// What a reader has to know to judge a time.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Machine {
    /// The processor as the system names it.
    pub(super) processor: String,
    /// How many threads it runs.
    pub(super) hardware_threads: usize,
    /// The memory of the machine; none where the system does not say.
    pub(super) memory_bytes: Option<u64>,
    /// The kind of system.
    pub(super) system: &'static str,
    /// How many processes ran or wanted to in the minute before the first run; none where the system does not say.
    pub(super) load: Option<f64>,
    /// The day in UTC.
    pub(super) date: String,
}

impl Machine {
    /// This one, now.
    pub(super) fn here() -> Self {
        let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let kilobytes = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            processor: model.map_or(std::env::consts::ARCH, |(_, model)| model).to_owned(),
            hardware_threads: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: kilobytes.and_then(|number| number.trim().parse::<u64>().ok()).map(|number| number * 1024),
            system: std::env::consts::OS,
            load: load.split(' ').next().and_then(|number| number.parse().ok()),
            date: date(),
        }
    }

    /// One line for people.
    pub(super) fn line(&self) -> String {
        let memory =
            self.memory_bytes.map(|bytes| format!(", {:.0} GB of memory", bytes as f64 / 1e9)).unwrap_or_default();
        format!("{}, {} hardware threads{memory}, {}", self.processor, self.hardware_threads, self.system)
    }
}

/// The day by the command that every Unix has; the peers are measured nowhere else.
fn date() -> String {
    let output = Command::new("date").args(["-u", "+%F"]).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if said.is_empty() { "undated".to_owned() } else { said }
}
