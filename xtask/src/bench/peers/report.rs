//! The comparison as a table for the terminal, as JSON, and as a section with a chart for readers.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::answer::Gives;
use super::chart::{self, Bar};
use super::judge::Verdict;
use super::tool::Tool;
use crate::bench::tables::report::range;
use crate::bench::tables::results::{self, Machine, Record};
use crate::bench::tables::{against, pages, thousands};
use crate::bench::timed::measure::Usage;
use crate::table::Table;
use crate::workspace::Workspace;

/// Name of the tool with which all are compared.
const OWN: &str = "lookalike";

/// Target for the speed of lookalike relative to each peer.
const SPEED_TARGET: f64 = 10.0;

/// Above this ratio between its runs before and after the peers, the machine was not steady enough for comparing times.
const STEADY: f64 = 1.25;

/// A tool with its results.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Row {
    tool: String,
    version: Option<String>,
    parameters: String,
    /// One for a peer, several for lookalike, none if it failed.
    runs: Vec<Usage>,
    /// Seconds within the peer's own calls, over all processes.
    library_seconds: Option<f64>,
    /// Quality of the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// Reason of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// The whole report.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Report {
    pub(super) versions: BTreeMap<String, String>,
    pub(super) note: Option<String>,
    /// Description of the corpus: generated or given.
    pub(super) corpus: String,
    pub(super) corpus_bytes: u64,
    pub(super) document_count: usize,
    pub(super) true_count: usize,
    pub(super) shingle: String,
    pub(super) threshold: f64,
    /// True if every tool wrote the kept documents; false if none did.
    pub(super) is_written: bool,
    pub(super) tools: Vec<Row>,
}

impl Row {
    pub(super) fn new(
        tool: &Tool,
        versions: &BTreeMap<String, String>,
        runs: Vec<Usage>,
        library_seconds: Option<f64>,
        outcome: Result<Verdict, String>,
    ) -> Self {
        let (verdict, failure) = match outcome {
            Ok(verdict) => (Some(verdict), None),
            Err(reason) => (None, Some(reason)),
        };
        let version = versions.get(tool.package.unwrap_or(OWN)).cloned();
        let (tool, parameters) = (tool.name.to_owned(), tool.parameters.to_owned());
        Self { tool, version, parameters, runs, library_seconds, verdict, failure }
    }

    fn is_ours(&self) -> bool {
        self.tool == OWN
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

/// The most informative line of an error: of a program's output, the last line that is not about its exit.
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
    /// The time of lookalike: the mean of its runs before the peers and after them.
    fn own_seconds(&self) -> Option<f64> {
        let own: Vec<f64> = self.tools.iter().filter(|row| row.is_ours()).filter_map(Row::seconds).collect();
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
            row.tool.clone(),
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
        match &row.verdict {
            Some(verdict) => {
                let names = match verdict.gives {
                    Gives::Pairs => "pairs",
                    Gives::Clusters => "clusters",
                    Gives::Nothing => "–",
                };
                names.clone_into(&mut cells[7]);
                cells[8] = number(verdict.recall, 4);
                cells[9] = number(verdict.precision, 4);
                cells[10] = thousands(verdict.removed_count as u64);
                cells[11] = thousands(verdict.lost_count as u64);
                cells[12] = thousands(verdict.left_count as u64);
            }
            None => cells[7] = row.failure.clone().unwrap_or_default(),
        }
        cells
    }

    /// The results for the targets, one sentence each.
    fn sentences(&self) -> Vec<String> {
        let Some(own) = self.own_seconds() else { return Vec::new() };
        let peers = || self.tools.iter().filter(|row| !row.is_ours());
        let mut sentences = Vec::new();
        let mut timed: Vec<(&str, f64)> =
            peers().filter_map(|row| Some((row.tool.as_str(), row.seconds()? / own))).collect();
        timed.sort_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((name, ratio)) = timed.first() {
            sentences.push(format!(
                "The fastest of {} other tools is {name}; lookalike is {ratio:.1} times as fast{} (target {}).",
                self.peer_count(),
                if self.is_written { "" } else { ", where neither writes documents" },
                against(&format!("{SPEED_TARGET:.0}"), *ratio >= SPEED_TARGET)
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
        let own_verdict = self.tools.iter().find(|row| row.is_ours()).and_then(|row| row.verdict.as_ref());
        let Some(own_verdict) = own_verdict else { return sentences };
        for (measure, value) in [
            ("recall", (|verdict| verdict.recall) as fn(&Verdict) -> Option<f64>),
            ("precision", |verdict| verdict.precision),
        ] {
            let better: Vec<&str> = peers()
                .filter(|row| row.verdict.as_ref().is_some_and(|verdict| value(verdict) >= value(own_verdict)))
                .filter(|row| row.verdict.as_ref().is_some_and(|verdict| value(verdict).is_some()))
                .map(|row| row.tool.as_str())
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
        let mut own = self.tools.iter().filter(|row| row.is_ours()).filter_map(Row::seconds);
        let (before, after) = (own.next()?, own.next()?);
        let drift = before.max(after) / before.min(after);
        (drift > STEADY).then(|| {
            format!(
                "lookalike took {before:.2} s before the other tools and {after:.2} s after them, so ratios of seconds may \
                 be off by a factor of {drift:.1}."
            )
        })
    }

    /// The closest peer by processor time, which other programs on the machine affect less than wall-clock time.
    fn processor_sentence(&self) -> Option<String> {
        let cpu = |row: &Row| row.median(|usage| usage.cpu_seconds);
        let own: Vec<f64> = self.tools.iter().filter(|row| row.is_ours()).filter_map(cpu).collect();
        let own = own.iter().sum::<f64>() / own.len() as f64;
        let peers = self.tools.iter().filter(|row| !row.is_ours());
        let ratios = peers.filter_map(|row| Some((row.tool.as_str(), cpu(row)? / own)));
        let (name, ratio) = ratios.min_by(|one, other| one.1.total_cmp(&other.1))?;
        Some(format!("By processor time the closest is {name}, which takes {ratio:.1} times as much as lookalike."))
    }

    /// Prints the machine, the corpus and the table.
    pub(super) fn print(&self) {
        println!("machine   {}", Machine::here());
        println!("corpus    {}", self.corpus_line());
        println!();
        let mut table = Table::new(&HEADINGS);
        for row in &self.tools {
            table.row(self.cells(row));
        }
        println!("{table}");
        for sentence in self.sentences() {
            println!("{sentence}");
        }
    }

    fn corpus_line(&self) -> String {
        let megabytes = self.corpus_bytes as f64 / 1e6;
        let [documents, pairs] = [self.document_count, self.true_count].map(|count| thousands(count as u64));
        format!("{megabytes:.1} MB of JSONL, {}, {documents} documents, {pairs} true pairs", self.corpus)
    }

    /// Writes the numbers, and updates the pages.
    pub(super) fn record(&self, workspace: &Workspace) -> Result<()> {
        results::write_with_versions(workspace, "peers", lines(&self.versions), self)?;
        pages::refresh(workspace.root())
    }

    /// Number of tools besides lookalike: one that was run in two ways counts once.
    fn peer_count(&self) -> &'static str {
        let peers = self.tools.iter().filter(|row| !row.is_ours());
        let names: BTreeSet<&str> = peers.filter_map(|row| row.tool.split(", ").next()).collect();
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
            .get(names.len())
            .copied()
            .unwrap_or("many")
    }

    fn chart(&self) -> String {
        let megabytes = self.corpus_bytes as f64 / 1e6;
        let mut bars: Vec<Bar> = Vec::new();
        let speeds = self.tools.iter().filter(|row| !row.is_ours()).filter_map(|row| Some((row, row.seconds()?)));
        bars.extend(speeds.map(|(row, seconds)| Bar {
            name: row.tool.clone(),
            value: megabytes / seconds,
            is_ours: false,
        }));
        if let Some(seconds) = self.own_seconds() {
            bars.push(Bar { name: "lookalike".to_owned(), value: megabytes / seconds, is_ours: true });
        }
        let title = format!("{} documents, {megabytes:.0} MB: speed from file to answer", self.document_count);
        chart::bars(&title, "MB/s", bars)
    }

    fn markdown(&self, origin: &str) -> String {
        let mut text = format!("## Compared with other tools\n\n{origin}");
        if let Some(note) = &self.note {
            text += &format!(" {note}.");
        }
        text += &format!(
            "\n{}; shingles `{}`, threshold {}.\nOne run of each other tool, with lookalike before and after them (medians of \
             three runs).\n{}\n\n![Speed of each tool in MB/s](benchmarks-peers.svg)\n\n",
            self.corpus_line(),
            self.shingle,
            self.threshold,
            if self.is_written {
                "Every tool writes the documents that stay."
            } else {
                "Dry runs: every tool writes the ids of the documents that stay; only text-dedup, whose script does so, writes the documents."
            }
        );
        text += &markdown_row(&HEADINGS.map(str::to_owned));
        text += &markdown_row(&HEADINGS.map(|_| "---".to_owned()));
        for row in &self.tools {
            text += &markdown_row(&self.cells(row));
        }
        text += "\n";
        text += &self.sentences().join("\n");
        text += COLUMNS;
        let mut said: Vec<&str> = Vec::new();
        for row in &self.tools {
            if !said.contains(&row.tool.as_str()) {
                let version = row.version.as_deref().unwrap_or_default();
                text += &format!("| {} | {version} | {} |\n", row.tool, row.parameters);
                said.push(&row.tool);
            }
        }
        text
    }
}

/// The versions as recorded.
pub(super) fn lines(versions: &BTreeMap<String, String>) -> Vec<String> {
    versions.iter().map(|(name, version)| format!("{name} {version}")).collect()
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Report>) -> String {
    record.results.markdown(&record.origin())
}

/// The chart beside it.
pub(in crate::bench) fn chart(record: &Record<Report>) -> String {
    record.results.chart()
}

/// The row for the README.
pub(in crate::bench) fn speed_row(record: &Record<Report>) -> [String; 3] {
    let report = &record.results;
    let best = |rows: &mut dyn Iterator<Item = &Row>, value: fn(&Verdict) -> Option<f64>| {
        let values = rows.filter_map(|row| row.verdict.as_ref().and_then(value));
        values.max_by(f64::total_cmp).map_or("–".to_owned(), |share| format!("{share:.4}"))
    };
    let own = || report.tools.iter().filter(|row| row.is_ours());
    let peers = || report.tools.iter().filter(|row| !row.is_ours());
    let peak = own().filter_map(|row| row.median(|usage| Some(usage.peak_bytes? as f64 / 1e6))).fold(0.0, f64::max);
    let fastest = peers().filter_map(Row::seconds).min_by(f64::total_cmp).unwrap_or(f64::NAN);
    let lost = |row: &Row| row.verdict.as_ref().map(|verdict| verdict.lost_count as u64);
    let (least, most) = (peers().filter_map(lost).min(), peers().filter_map(lost).max());
    [
        format!(
            "`dedup` of {} documents, {:.0} MB of JSONL{}",
            thousands(report.document_count as u64),
            report.corpus_bytes as f64 / 1e6,
            if report.is_written { "" } else { " (dry run: kept documents not written)" }
        ),
        format!(
            "{:.2} s, {peak:.0} MB of memory; recall {}, precision {}, {} removals not justified",
            report.own_seconds().unwrap_or(f64::NAN),
            best(&mut own(), |verdict| verdict.recall),
            best(&mut own(), |verdict| verdict.precision),
            own().filter_map(lost).max().map_or("no".to_owned(), thousands)
        ),
        format!(
            "the fastest of {} other tools: {fastest:.1} s; best recall {}, best precision {}, {} to {} removals not justified",
            report.peer_count(),
            best(&mut peers(), |verdict| verdict.recall),
            best(&mut peers(), |verdict| verdict.precision),
            thousands(least.unwrap_or(0)),
            thousands(most.unwrap_or(0))
        ),
    ]
}

/// Explanation of the columns.
const COLUMNS: &str = "

- *s*: from the start of the process to its end, including reading the file and writing as said above.
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
