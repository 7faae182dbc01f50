//! The passages of an earlier run, from its `cuts.jsonl` or `cuts.sarif`: all other passages of a run are new.
//!
//! Passages are compared by their fingerprints, so lines may move. A passage that was known in one file is new in
//! another one, unless the first file no longer exists: then it was renamed.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, Result};

/// Identity of a passage of an earlier run.
#[derive(Deserialize)]
struct Known {
    fingerprint: String,
    file: String,
}

/// SARIF log, with only the fields that are needed here.
#[derive(Deserialize)]
struct Log {
    runs: Vec<LoggedRun>,
}

#[derive(Deserialize)]
struct LoggedRun {
    results: Vec<LoggedResult>,
}

#[derive(Deserialize)]
struct LoggedResult {
    properties: Known,
}

/// Passages that are known, and not yet found again.
#[derive(Debug, Default)]
pub(super) struct Baseline {
    /// Number of these passages in each file.
    in_files: HashMap<(u64, Box<str>), u64>,
    /// Number of these passages in files that are not in the input.
    elsewhere: HashMap<u64, u64>,
}

impl Baseline {
    /// Reads the passages of an earlier run; `files` are the names of the files of this one.
    pub(super) fn read(path: &Path, files: &HashSet<&str>) -> Result<Self> {
        let text = fs::read_to_string(path)
            .map_err(|cause| lookalike_io::Error::Unreadable { path: path.to_owned(), cause })?;
        let refused = |line: u64, cause: &serde_json::Error| Error::NotABaseline {
            path: path.to_owned(),
            line,
            reason: cause.to_string(),
        };
        let known: Vec<Known> = match serde_json::from_str::<Value>(&text) {
            Ok(log) if log.get("runs").is_some() => {
                let log: Log = serde_json::from_value(log).map_err(|error| refused(1, &error))?;
                log.runs.into_iter().flat_map(|run| run.results).map(|result| result.properties).collect()
            }
            _ => (1..)
                .zip(text.lines())
                .filter(|(_, line)| !line.trim().is_empty())
                .map(|(number, line)| serde_json::from_str(line).map_err(|error| refused(number, &error)))
                .collect::<Result<_>>()?,
        };
        let mut baseline = Self::default();
        for Known { fingerprint, file } in known {
            let Ok(fingerprint) = u64::from_str_radix(&fingerprint, 16) else {
                let reason = format!("'{fingerprint}' is not a fingerprint");
                return Err(Error::NotABaseline { path: path.to_owned(), line: 1, reason });
            };
            if files.contains(&*file) {
                *baseline.in_files.entry((fingerprint, file.into())).or_default() += 1;
            } else {
                *baseline.elsewhere.entry(fingerprint).or_default() += 1;
            }
        }
        Ok(baseline)
    }

    /// Returns true if a passage is new. Each known one is found again once.
    pub(super) fn is_new(&mut self, fingerprint: u64, file: &str) -> bool {
        let in_file = self.in_files.get_mut(&(fingerprint, file.into()));
        match in_file.filter(|count| **count > 0).or_else(|| self.elsewhere.get_mut(&fingerprint)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Baseline> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        Baseline::read(file.path(), &["a.rs", "b.rs"].into())
    }

    const ROWS: &str = "{\"fingerprint\":\"00000000000000aa\",\"file\":\"a.rs\",\"start\":7}\n\n\
                        {\"fingerprint\":\"bb\",\"file\":\"gone.rs\"}\n";

    #[test]
    fn each_known_passage_is_found_again_once() {
        let log = "{\"version\": \"2.1.0\", \"runs\": [{\"results\": [\
                   {\"properties\": {\"fingerprint\": \"aa\", \"file\": \"a.rs\"}},\n\
                   {\"properties\": {\"fingerprint\": \"bb\", \"file\": \"gone.rs\"}}]}]}";
        for text in [ROWS, log] {
            let mut baseline = read(text).unwrap();
            assert!(baseline.is_new(0xaa, "b.rs"), "it was known in another file, which is still there");
            assert!(!baseline.is_new(0xaa, "a.rs"));
            assert!(baseline.is_new(0xaa, "a.rs"), "it was there once");
            assert!(!baseline.is_new(0xbb, "b.rs"), "its file was renamed");
            assert!(baseline.is_new(0xbb, "b.rs") && baseline.is_new(0xcc, "a.rs"));
        }
        assert!(read("").unwrap().is_new(0xaa, "a.rs"));
    }

    #[test]
    fn what_is_no_result_of_passages_is_refused() {
        for text in [
            "fingerprint,file\n",
            "{\"file\":\"a.rs\"}\n",
            "{\"fingerprint\":\"x\",\"file\":\"a.rs\"}",
            "{\"runs\":[{\"results\":[{}]}]}",
        ] {
            assert!(matches!(read(text), Err(Error::NotABaseline { .. })), "{text}");
        }
    }
}
