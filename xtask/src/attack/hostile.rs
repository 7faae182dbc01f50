//! Files that once crashed the command, made it lose data or deceived it, if they are available.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::guarded::Guarded;
use super::{Means, Tally};

/// Memory limit of a run, whatever its input.
const MOST_BYTES: u64 = 1 << 30;

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let folder = means.workspace.data().join("hostile");
    if !folder.is_dir() {
        tally.note = format!("ignored: there is no {}", folder.display());
        return Ok(tally);
    }
    let mut files: Vec<_> = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    for file in files {
        for arguments in runs(&file) {
            if !means.has_time() {
                return Ok(tally);
            }
            let case = means.folder.join("case");
            let _ = fs::remove_dir_all(&case);
            fs::create_dir_all(&case)?;
            let name = file.to_string_lossy();
            let (command, rest) = arguments.split_first().expect("a run has a command");
            let all = [&[*command, &*name], rest, &["--quiet"]].concat();
            let ran = Guarded::new(means.lookalike, &case, &all).run()?;
            let is_too_large =
                || (ran.peak_bytes > MOST_BYTES).then(|| format!("{} MiB of memory", ran.peak_bytes >> 20));
            let failure = ran.failure().or_else(is_too_large);
            tally.count(failure.map(|why| format!("{command} {name}: {why}")));
        }
    }
    tally.note = format!("every file of {}", folder.display());
    Ok(tally)
}

/// The commands that read such a file; none if it is not an input.
fn runs(file: &Path) -> &'static [&'static [&'static str]] {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl" | "gz" | "warc" | "parquet") => &[&["dedup", "-o", "out"], &["pairs"]],
        // The number of pairs of equal sets is quadratic.
        Some("txt") => &[&["dedup", "-o", "out"], &["sets", "--top", "3"]],
        Some("csv") => &[&["link", "-o", "out"], &["sets", "--threshold", "0.5"]],
        Some("xlsx") => &[&["link", "-o", "out"], &["sets", "--threshold", "0.5"], &["prints"]],
        _ => &[],
    }
}
