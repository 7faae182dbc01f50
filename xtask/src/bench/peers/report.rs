//! The comparison as a table for the terminal, as JSON for later, and as a section with a chart for readers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::answer::Gives;
use super::chart::{self, Bar};
use super::judge::Verdict;
use super::tool::Tool;
use crate::bench::tables::report::range;
use crate::bench::tables::results::{self, Machine};
use crate::bench::timed::measure::Usage;
use crate::bench::{SHINGLE, THRESHOLD};
use crate::table::Table;
use crate::workspace::Workspace;

/// How many times as fast as each peer lookalike is meant to be.
const SPEED_TARGET: f64 = 10.0;

/// Above this ratio between its runs before and after the peers, the machine was not steady enough for ratios of seconds.
const STEADY: f64 = 1.25;

/// A tool with what came of it.
pub(super) struct Row {
    pub(super) tool: &'static Tool,
    /// One for a peer, some for lookalike, none if it failed.
    pub(super) runs: Vec<Usage>,
    /// Seconds within the peer's own calls over all processes.
    pub(super) library_seconds: Option<f64>,
    /// How good it was, or why it did not come to an end.
    pub(super) outcome: Result<Verdict, String>,
}

/// Everything that is reported.
pub(super) struct Report {
    pub(super) machine: Machine,
    pub(super) versions: BTreeMap<String, String>,
    pub(super) note: Option<String>,
    /// Whether the corpus was made or given.
    pub(super) corpus: String,
    pub(super) corpus_bytes: u64,
    pub(super) document_count: usize,
    pub(super) true_count: usize,
    pub(super) rows: Vec<Row>,
}

impl Row {
    fn is_ours(&self) -> bool {
        self.tool.package.is_none()
    }

    /// The median of the runs.
    fn seconds(&self) -> Option<f64> {
        self.median(|usage| Some(usage.seconds))
    }

    fn median(&self, value: impl Fn(&Usage) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.runs.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| range(&values).1)
    }
}

/// The line of an error that says what went wrong: of a program's many, the last that is not about its end.
pub(super) fn brief(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().rfind(|line| !line.starts_with("error: exit status")).unwrap_or("it failed");
    line.chars().take(200).collect()
}

const HEADINGS: [&str; 13] = [
    "tool",
    "s",
    "MB/s",
    "× ours",
    "own s",
    "CPU s",
    "peak MB",
    "names",
    "recall",
    "precision",
    "removed",
    "lost",
    "left",
];

impl Report {
    /// The seconds of lookalike: the mean of what it took before the peers and after them.
    fn own_seconds(&self) -> Option<f64> {
        let own: Vec<f64> = self.rows.iter().filter(|row| row.is_ours()).filter_map(Row::seconds).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    }

    fn cells(&self, row: &Row) -> [String; 13] {
        let number =
            |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |value| format!("{value:.digits$}"));
        let seconds = row.seconds();
        let speed = seconds.map(|seconds| self.corpus_bytes as f64 / 1e6 / seconds);
        let ratio = seconds.zip(self.own_seconds()).map(|(seconds, own)| seconds / own);
        let cpu = row.median(|usage| usage.cpu_seconds);
        let peak = row.median(|usage| Some(usage.peak_bytes? as f64 / 1e6));
        let mut cells = [
            row.tool.name.to_owned(),
            number(seconds, 2),
            number(speed, 1),
            number(ratio.filter(|_| !row.is_ours()), 1),
            number(row.library_seconds, 1),
            number(cpu, 1),
            number(peak, 0),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ];
        match &row.outcome {
            Ok(verdict) => {
                let names = match verdict.gives {
                    Gives::Pairs => "pairs",
                    Gives::Clusters => "clusters",
                    Gives::Nothing => "–",
                };
                names.clone_into(&mut cells[7]);
                cells[8] = number(verdict.recall, 4);
                cells[9] = number(verdict.precision, 4);
                cells[10] = verdict.removed_count.to_string();
                cells[11] = verdict.lost_count.to_string();
                cells[12] = verdict.left_count.to_string();
            }
            Err(reason) => cells[7].clone_from(reason),
        }
        cells
    }

    /// What is to be said of the targets, one sentence each.
    fn sentences(&self) -> Vec<String> {
        let Some(own) = self.own_seconds() else { return Vec::new() };
        let peers = || self.rows.iter().filter(|row| !row.is_ours());
        let mut sentences = Vec::new();
        let mut timed: Vec<(&str, f64)> =
            peers().filter_map(|row| Some((row.tool.name, row.seconds()? / own))).collect();
        timed.sort_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((name, ratio)) = timed.first() {
            sentences.push(format!(
                "The fastest other tool is {name}; lookalike is {ratio:.1} times as fast (target {SPEED_TARGET:.0}: {}).",
                if *ratio >= SPEED_TARGET { "met" } else { "missed" }
            ));
        }
        for (name, ratio) in timed.iter().filter(|(_, ratio)| *ratio < SPEED_TARGET) {
            let lacking = SPEED_TARGET / ratio;
            sentences.push(format!(
                "{name}: {ratio:.2} times as fast; the target would need lookalike to be {lacking:.2} times as fast as it is."
            ));
        }
        sentences.extend(self.drift_sentence());
        sentences.extend(self.processor_sentence());
        let own_verdict = self.rows.iter().find(|row| row.is_ours()).and_then(|row| row.outcome.as_ref().ok());
        let Some(own_verdict) = own_verdict else { return sentences };
        for (measure, value) in [
            ("recall", (|verdict| verdict.recall) as fn(&Verdict) -> Option<f64>),
            ("precision", |verdict| verdict.precision),
        ] {
            let better: Vec<&str> = peers()
                .filter(|row| row.outcome.as_ref().is_ok_and(|verdict| value(verdict) >= value(own_verdict)))
                .filter(|row| row.outcome.as_ref().is_ok_and(|verdict| value(verdict).is_some()))
                .map(|row| row.tool.name)
                .collect();
            sentences.push(if better.is_empty() {
                format!("No other tool that reports pairs or clusters reaches the {measure} of lookalike.")
            } else {
                format!("Equal to lookalike or better in {measure}: {}.", better.join("; "))
            });
        }
        sentences
    }

    /// A warning, if lookalike itself did not take the same time before the peers and after them.
    fn drift_sentence(&self) -> Option<String> {
        let mut own = self.rows.iter().filter(|row| row.is_ours()).filter_map(Row::seconds);
        let (before, after) = (own.next()?, own.next()?);
        let drift = before.max(after) / before.min(after);
        (drift > STEADY).then(|| {
            format!(
                "lookalike took {before:.2} s before the other tools and {after:.2} s after them, so ratios of seconds may \
                 be off by a factor of {drift:.1}."
            )
        })
    }

    /// The peer that is closest by processor time, which other programs on the machine stretch less than the clock's.
    fn processor_sentence(&self) -> Option<String> {
        let cpu = |row: &Row| row.median(|usage| usage.cpu_seconds);
        let own: Vec<f64> = self.rows.iter().filter(|row| row.is_ours()).filter_map(cpu).collect();
        let own = own.iter().sum::<f64>() / own.len() as f64;
        let peers = self.rows.iter().filter(|row| !row.is_ours());
        let ratios = peers.filter_map(|row| Some((row.tool.name, cpu(row)? / own)));
        let (name, ratio) = ratios.min_by(|one, other| one.1.total_cmp(&other.1))?;
        Some(format!("By processor time the closest is {name}, which takes {ratio:.1} times as much as lookalike."))
    }

    /// The machine, the corpus and the table on standard output.
    pub(super) fn print(&self) {
        println!("machine   {}", self.machine);
        println!("corpus    {}", self.corpus_line());
        println!();
        let mut table = Table::new(&HEADINGS);
        for row in &self.rows {
            table.row(self.cells(row));
        }
        println!("{table}");
        for sentence in self.sentences() {
            println!("{sentence}");
        }
    }

    fn corpus_line(&self) -> String {
        let (megabytes, documents, pairs) = (self.corpus_bytes as f64 / 1e6, self.document_count, self.true_count);
        format!("{megabytes:.1} MB of JSONL, {}, {documents} documents, {pairs} true pairs", self.corpus)
    }

    /// Writes the numbers, the section and the chart.
    pub(super) fn record(&self, workspace: &Workspace) -> Result<()> {
        write_numbers(workspace, &results::today(), "peers.json", &self.numbers())?;
        let docs = workspace.root().join("docs");
        let chart = docs.join("benchmarks-peers.svg");
        fs::write(&chart, self.chart()).with_context(|| format!("cannot write {}", chart.display()))?;
        results::publish(workspace, "peers", &self.markdown())
    }

    fn numbers(&self) -> Value {
        let tools: Vec<Value> = self.rows.iter().map(|row| self.tool_numbers(row)).collect();
        json!({
            "machine": self.machine,
            "note": self.note,
            "versions": self.versions,
            "corpus": self.corpus,
            "corpus_bytes": self.corpus_bytes,
            "document_count": self.document_count,
            "true_count": self.true_count,
            "shingle": SHINGLE,
            "threshold": THRESHOLD,
            "tools": tools,
        })
    }

    fn tool_numbers(&self, row: &Row) -> Value {
        let version = row.tool.package.unwrap_or("lookalike");
        let mut numbers = json!({
            "tool": row.tool.name,
            "version": self.versions.get(version),
            "parameters": row.tool.parameters,
            "runs": row.runs,
            "library_seconds": row.library_seconds,
        });
        match &row.outcome {
            Ok(verdict) => numbers["verdict"] = json!(verdict),
            Err(reason) => numbers["failure"] = json!(reason),
        }
        numbers
    }

    fn chart(&self) -> String {
        let megabytes = self.corpus_bytes as f64 / 1e6;
        let mut bars: Vec<Bar> = Vec::new();
        let speeds = self.rows.iter().filter(|row| !row.is_ours()).filter_map(|row| Some((row, row.seconds()?)));
        bars.extend(speeds.map(|(row, seconds)| Bar {
            name: row.tool.name.to_owned(),
            value: megabytes / seconds,
            is_ours: false,
        }));
        if let Some(seconds) = self.own_seconds() {
            bars.push(Bar { name: "lookalike".to_owned(), value: megabytes / seconds, is_ours: true });
        }
        let title = format!("{} documents, {megabytes:.0} MB: speed from file to answer", self.document_count);
        chart::bars(&title, "MB/s", bars)
    }

    fn markdown(&self) -> String {
        let mut text = format!("## Compared with other tools\n\n{}; {}.", results::today(), self.machine);
        if let Some(note) = &self.note {
            text += &format!(" {note}.");
        }
        text += &format!(
            "\n{}; shingles `{SHINGLE}`, threshold {THRESHOLD}.\nOne run of each other tool, with lookalike before \
             and after them (medians of three runs).\n\n![Speed of each tool in MB/s](benchmarks-peers.svg)\n\n",
            self.corpus_line()
        );
        text += &markdown_row(&HEADINGS.map(str::to_owned));
        text += &markdown_row(&HEADINGS.map(|_| "---".to_owned()));
        for row in &self.rows {
            text += &markdown_row(&self.cells(row));
        }
        text += "\n";
        text += &self.sentences().join("\n");
        text += COLUMNS;
        let mut said: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !said.contains(&row.tool.name) {
                let version = self.versions.get(row.tool.package.unwrap_or("lookalike"));
                let version = version.map_or("", String::as_str);
                text += &format!("| {} | {version} | {} |\n", row.tool.name, row.tool.parameters);
                said.push(row.tool.name);
            }
        }
        text
    }
}

/// What the columns mean.
const COLUMNS: &str = "

- *s*: from the start of the process to its end, including reading the file and writing the ids of kept documents.
- *× ours*: how many times as long as lookalike it takes.
- *own s*: seconds within the tool's own calls, over all processes, where these can be separated from cutting words into
  shingles. For tools that take tokens, that is done by Python (on all cores); a program that already has its shingles
  would see the tool at this speed.
- *peak MB*: the largest process, not the sum of all.
- *names*: whether recall and precision are those of reported pairs, or of all pairs within the reported clusters.
- *lost*: removed documents that are not similar to any kept document (exact Jaccard).
- *left*: true pairs of which both documents are kept.

| tool | version | parameters |
| --- | --- | --- |
";

fn markdown_row(cells: &[String]) -> String {
    format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
}

/// Writes raw numbers into the folder of the day.
pub(super) fn write_numbers(workspace: &Workspace, date: &str, name: &str, numbers: &Value) -> Result<()> {
    let folder = workspace.root().join("bench/results").join(date);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file: &Path = &folder.join(name);
    let text = serde_json::to_string_pretty(numbers)? + "\n";
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_error_the_line_that_says_it_is_shown() {
        let error = anyhow::anyhow!(
            "python: exit status: 1\nTraceback\n  File\nImportError: no gaoya\nerror: exit status: 1\n"
        );
        assert_eq!(brief(&error), "ImportError: no gaoya");
    }
}
