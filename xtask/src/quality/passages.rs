//! `lookalike passages` on documents with runs at known places: the bytes that are found, by the scorer beside the data.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::table::Table;
use crate::workspace::{succeed, words};

const FOLDER: &str = "passages";

/// Minimum recall and precision of bytes.
const WANTED: f64 = 0.99;

/// Scores runs of 50 words and lines, and names what is below what is wanted; what is not there is passed over.
pub(super) fn run(lookalike: &Path, data: &Path) -> Result<Vec<String>> {
    let source = data.join(FOLDER);
    if !source.join("score.py").is_file() {
        println!("no {}: passages are not measured", source.display());
        return Ok(Vec::new());
    }
    let mut table = Table::new(&["passages", "recall of bytes", "precision of bytes", "verdict"]);
    let mut missed = Vec::new();
    let folder = tempfile::tempdir().context("cannot make a folder for the passages")?;
    for (unit, scored_as) in [("run:50", "run"), ("line", "line")] {
        let output = folder.path().join(scored_as);
        let mut command = Command::new(lookalike);
        command.arg("passages").arg(source.join("docs.jsonl.gz")).args(["--id", "id", "--unit", unit, "--quiet", "-o"]);
        succeed(command.arg(&output))?;
        let mut scorer = Command::new("python3");
        scorer.arg(source.join("score.py")).arg(output.join("cuts.jsonl")).args(["--unit", scored_as]);
        let scored = scorer.output().with_context(|| format!("cannot run {}", words(&scorer)))?;
        ensure!(scored.status.success(), "{}: {}", words(&scorer), String::from_utf8_lossy(&scored.stderr));
        let said = String::from_utf8(scored.stdout)?;
        let line = said.lines().find(|line| line.starts_with("bytes: ")).context("the scorer counts no bytes")?;
        let [recall, precision] = ["recall ", "precision "].map(|name| number_after(line, name));
        let (recall, precision) = (recall?, precision?);
        // Lines besides the planted ones are repeated as well, and are cut.
        let is_met = recall >= WANTED && (precision >= WANTED || scored_as == "line");
        if !is_met {
            missed.push(format!("{FOLDER} by {unit}"));
        }
        let verdict = if is_met { "met" } else { "missed" };
        table.row([unit.to_owned(), format!("{recall:.4}"), format!("{precision:.4}"), verdict.to_owned()]);
    }
    print!("{table}");
    Ok(missed)
}

fn number_after(line: &str, name: &str) -> Result<f64> {
    let (_, rest) = line.split_once(name).with_context(|| format!("no {name}in: {line}"))?;
    let number = rest.split(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or_default();
    number.parse().with_context(|| format!("no number in: {line}"))
}
