//! One bucket of a million: similar documents in a saved index with 64 MiB of memory.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use anyhow::Result;

use super::guarded::Guarded;
use super::{Means, Tally};

/// Number of similar documents.
const DOCUMENTS: usize = 1_000_000;

/// Memory limit of each run.
const MEMORY: &str = "64M";
const MOST_BYTES: u64 = 64 << 20;

/// Common start of all texts.
const SHARED: &str = "the council met on monday evening to discuss the new budget for schools roads and parks and decided after a long \
                      debate to put off the vote until next week because the member for";

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut file = BufWriter::new(File::create(means.folder.join("alike.jsonl"))?);
    for number in 0..DOCUMENTS {
        writeln!(file, "{{\"id\":\"{number}\",\"text\":\"{SHARED} d{number}\"}}")?;
    }
    file.into_inner()?;
    let query = format!("{SHARED} nowhere");
    std::fs::write(means.folder.join("new.jsonl"), format!("{{\"id\":\"new\",\"text\":\"{query}\"}}\n"))?;
    let most = DOCUMENTS.to_string();
    let runs: [&[&str]; 5] = [
        &["index", "create", "index"],
        &["index", "add", "index", "alike.jsonl", "--id", "id", "--memory", MEMORY],
        &["search", "index", &query, "--format", "tsv"],
        &["search", "index", &query, "--format", "tsv", "--max-candidates", &most],
        &["dedup", "new.jsonl", "--id", "id", "--against-index", "index", "-o", "out", "--memory", MEMORY],
    ];
    let mut peaks = Vec::new();
    for arguments in runs {
        let ran = Guarded::new(means.lookalike, means.folder, arguments).run()?;
        let name = arguments[..2].join(" ");
        let is_answered = arguments[0] != "search" || ran.stdout.split(|byte| *byte == b'\n').count() > 10;
        let failure = ran.failure().or_else(|| match ran.code {
            Some(0) if ran.peak_bytes > MOST_BYTES => Some(format!("{} MiB of memory", ran.peak_bytes >> 20)),
            Some(0) if is_answered => None,
            Some(0) => Some("found too little".to_owned()),
            code => Some(format!("exit {code:?}: {}", ran.stderr.trim())),
        });
        tally.count(failure.map(|why| format!("{name}: {why}")));
        peaks.push((ran.peak_bytes >> 20).to_string());
    }
    tally.note = format!("MiB of memory: {}", peaks[1..].join(", "));
    Ok(tally)
}
