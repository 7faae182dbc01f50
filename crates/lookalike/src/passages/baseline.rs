//! The passages of an earlier run, from its `cuts.jsonl` or `cuts.sarif`: all other passages of a run are new.
//!
//! Passages are compared by their fingerprints, so lines may move. A passage that was known in one file is new in
//! another one, unless the first file no longer exists: then it was renamed. The first copy of a passage has no row of its own,
//! and is known by the rows of the others, so that it does not matter which copy comes first.

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
    #[serde(flatten)]
    first: Option<First>,
}

/// The first copy of a passage.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct First {
    #[serde(rename = "first_file")]
    pub(super) file: String,
    #[serde(rename = "first_position")]
    pub(super) position: u64,
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
    /// First copies in this run.
    firsts: HashSet<(u64, First)>,
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
        let mut firsts = HashSet::new();
        for Known { fingerprint, file, first } in known {
            let Ok(fingerprint) = u64::from_str_radix(&fingerprint, 16) else {
                let reason = format!("'{fingerprint}' is not a fingerprint");
                return Err(Error::NotABaseline { path: path.to_owned(), line: 1, reason });
            };
            let first = first.filter(|first| firsts.insert((fingerprint, first.clone())));
            for file in first.map(|first| first.file).into_iter().chain([file]) {
                if files.contains(&*file) {
                    *baseline.in_files.entry((fingerprint, file.into())).or_default() += 1;
                } else {
                    *baseline.elsewhere.entry(fingerprint).or_default() += 1;
                }
            }
        }
        Ok(baseline)
    }

    /// Returns true if a passage is new, or if it is the first to be compared with a first copy that is. Each known one
    /// is found again once.
    pub(super) fn is_new(&mut self, fingerprint: u64, file: &str, first: First) -> bool {
        let first_file = first.file.clone();
        let is_known_first = !self.firsts.insert((fingerprint, first)) || self.find_again(fingerprint, &first_file);
        !self.find_again(fingerprint, file) || !is_known_first
    }

    /// Takes one of the places of a passage, in this file or in one that was renamed.
    fn find_again(&mut self, fingerprint: u64, file: &str) -> bool {
        let in_file = self.in_files.get_mut(&(fingerprint, file.into()));
        match in_file.filter(|count| **count > 0).or_else(|| self.elsewhere.get_mut(&fingerprint)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Baseline> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        Baseline::read(file.path(), &["a.rs", "b.rs", "first.rs"].into())
    }

    const ROWS: &str = "{\"fingerprint\":\"00000000000000aa\",\"file\":\"a.rs\",\"start\":7,\
                        \"first_file\":\"first.rs\",\"first_position\":1}\n\n\
                        {\"fingerprint\":\"bb\",\"file\":\"gone.rs\",\"first_file\":\"first.rs\",\"first_position\":1}\n";

    fn is_new(baseline: &mut Baseline, fingerprint: u64, file: &str) -> bool {
        baseline.is_new(fingerprint, file, First { file: "first.rs".to_owned(), position: 1 })
    }

    #[test]
    fn each_known_passage_is_found_again_once() {
        let log = "{\"version\": \"2.1.0\", \"runs\": [{\"results\": [\
                   {\"properties\": {\"fingerprint\": \"aa\", \"file\": \"a.rs\", \"first_file\": \"first.rs\", \"first_position\": 1}},\n\
                   {\"properties\": {\"fingerprint\": \"bb\", \"file\": \"gone.rs\", \"first_file\": \"first.rs\", \"first_position\": 1}}]}]}";
        for text in [ROWS, log] {
            let mut baseline = read(text).unwrap();
            let mut is_new = |fingerprint: u64, file: &str| is_new(&mut baseline, fingerprint, file);
            assert!(is_new(0xaa, "b.rs"), "it was known in another file, which is still there");
            assert!(!is_new(0xaa, "a.rs"));
            assert!(is_new(0xaa, "a.rs"), "it was there once");
            assert!(!is_new(0xbb, "b.rs"), "its file was renamed");
            assert!(is_new(0xbb, "b.rs") && is_new(0xcc, "a.rs"));
        }
        assert!(is_new(&mut read("").unwrap(), 0xaa, "a.rs"));
    }

    #[test]
    fn the_first_copy_may_be_renamed_and_a_new_one_is_new_wherever_it_comes() {
        let first = |file: &str| First { file: file.to_owned(), position: 1 };
        let row = |file: &str| {
            format!("{{\"fingerprint\":\"aa\",\"file\":\"{file}\",\"first_file\":\"gone.rs\",\"first_position\":1}}\n")
        };
        let baseline = || read(&(row("a.rs") + &row("b.rs"))).unwrap();
        let mut renamed = baseline();
        assert!(!renamed.is_new(0xaa, "b.rs", first("a.rs")));
        assert!(!renamed.is_new(0xaa, "first.rs", first("a.rs")), "the first file has another name");
        assert!(renamed.is_new(0xaa, "another.rs", first("a.rs")));
        let mut before = read(&row("a.rs").replace("gone.rs", "first.rs")).unwrap();
        assert!(before.is_new(0xaa, "a.rs", first("0.rs")), "the first copy is new");
        assert!(!before.is_new(0xaa, "first.rs", first("0.rs")), "and is new once");
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
