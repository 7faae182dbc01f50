//! Sets whose exact numbers of pairs have been published.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::table::Table;
use crate::workspace::words;

/// The thresholds of the published numbers.
const THRESHOLDS: [&str; 4] = ["0.5", "0.7", "0.8", "0.9"];

/// A collection with the numbers of its pairs, from its README.
struct Counted {
    folder: &'static str,
    file: &'static str,
    arguments: &'static [&'static str],
    counts: [u64; 4],
}

const COUNTED: [Counted; 3] = [
    Counted { folder: "retail", file: "sets.txt", arguments: &[], counts: [5_081_632, 609_104, 568_171, 563_005] },
    Counted {
        folder: "bms_webview1",
        file: "sets.txt",
        arguments: &[],
        counts: [14_219_550, 6_531_348, 6_514_018, 6_511_635],
    },
    Counted {
        folder: "dblp_titles_18k",
        file: "titles.tsv",
        arguments: &["--grams", "3", "--set", "id", "--column", "title"],
        counts: [5_940, 3_426, 1_699, 486],
    },
];

/// Counts pairs, and lists differing numbers; missing collections are skipped.
pub(super) fn count(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let mut table = Table::new(&["sets", "threshold", "published", "found", "verdict"]);
    let mut failures = Vec::new();
    for Counted { folder, file, arguments, counts } in &COUNTED {
        let input = data.join(folder).join(file);
        if !input.is_file() {
            println!("no {}: its pairs are not counted", input.display());
            continue;
        }
        for (threshold, published) in THRESHOLDS.iter().zip(counts) {
            let mut command = Command::new(lookalike);
            command.arg("sets").arg(&input).args(*arguments);
            command.args(["--threshold", threshold, "--format", "tsv", "--quiet"]);
            // The first line is the header.
            let found = line_count(&mut command)?.saturating_sub(1);
            let verdict = if found == *published { "met" } else { "missed" };
            if found != *published {
                failures.push(format!("{folder} at {threshold}"));
            }
            table.row([
                (*folder).to_owned(),
                (*threshold).to_owned(),
                published.to_string(),
                found.to_string(),
                verdict.to_owned(),
            ]);
        }
    }
    print!("{table}");
    Ok(failures)
}

/// Number of lines that a command writes.
fn line_count(command: &mut Command) -> Result<u64> {
    let words = words(command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot run {words}"))?;
    let mut output = child.stdout.take().context("its output is piped")?;
    let (mut buffer, mut count) = (vec![0; 1 << 20], 0);
    loop {
        let length = output.read(&mut buffer).with_context(|| format!("cannot read from {words}"))?;
        if length == 0 {
            break;
        }
        count += buffer[..length].split(|byte| *byte == b'\n').count() as u64 - 1;
    }
    let status = child.wait()?;
    ensure!(status.success(), "{words}: {status}");
    Ok(count)
}
