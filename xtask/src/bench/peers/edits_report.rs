//! The table of edits: a row for each edit and length, a column for each tool.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};

use super::edits_corpus::Cell;
use super::report::write_numbers;
use super::tool::Tool;
use crate::bench::tables::results::{self, Machine};
use crate::bench::{SHINGLE, THRESHOLD};
use crate::pairs::share;
use crate::workspace::Workspace;

/// What is true of an edit of one length.
pub(super) struct CellTruth {
    pub(super) cell: Cell,
    pub(super) twin_count: usize,
    /// Twins whose exact similarity reaches the threshold.
    pub(super) true_count: usize,
    /// The mean of the exact similarities.
    pub(super) mean: f64,
}

/// What a tool made of an edit of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Hits {
    /// True twins that it found.
    pub(super) found_count: usize,
    /// Pairs that it names and that are not alike; of a tool that names none, twins that it lost.
    pub(super) false_count: usize,
}

/// A tool with what it found in each cell, or why it did not come to an end.
pub(super) struct Line {
    pub(super) tool: &'static Tool,
    pub(super) outcome: Result<[Hits; 15], String>,
}

/// Everything that is reported.
pub(super) struct Report {
    pub(super) machine: Machine,
    pub(super) versions: BTreeMap<String, String>,
    pub(super) note: Option<String>,
    pub(super) document_count: usize,
    pub(super) cells: [CellTruth; 15],
    pub(super) lines: Vec<Line>,
}

impl Report {
    /// The table as it is printed and as it is written into the document.
    fn table(&self) -> String {
        let mut headings = vec!["edit".to_owned(), "words".to_owned(), "≥ 0.8".to_owned(), "mean J".to_owned()];
        headings.extend(self.lines.iter().map(|line| line.tool.name.to_owned()));
        let mut rows = vec![headings.clone(), headings.iter().map(|_| "---".to_owned()).collect()];
        for (at, truth) in self.cells.iter().enumerate() {
            let mut row = vec![
                truth.cell.edit.name().to_owned(),
                truth.cell.word_count.to_string(),
                format!("{:.3}", share(truth.true_count, truth.twin_count)),
                format!("{:.3}", truth.mean),
            ];
            row.extend(self.lines.iter().map(|line| match &line.outcome {
                Ok(hits) => shown(hits[at], truth.true_count),
                Err(_) => "failed".to_owned(),
            }));
            rows.push(row);
        }
        let mut all = vec!["all".to_owned(), String::new(), String::new(), String::new()];
        let true_count = self.cells.iter().map(|truth| truth.true_count).sum();
        all.extend(self.lines.iter().map(|line| match &line.outcome {
            Ok(hits) => {
                let found_count = hits.iter().map(|hits| hits.found_count).sum();
                shown(Hits { found_count, false_count: hits.iter().map(|hits| hits.false_count).sum() }, true_count)
            }
            Err(_) => "failed".to_owned(),
        }));
        rows.push(all);
        rows.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect()
    }

    /// The table on standard output.
    pub(super) fn print(&self) {
        println!("machine   {}\n\n{}", self.machine, self.table());
        for line in &self.lines {
            if let Err(reason) = &line.outcome {
                println!("{} failed: {reason}", line.tool.name);
            }
        }
    }

    /// Writes the numbers and the section.
    pub(super) fn record(&self, workspace: &Workspace) -> Result<()> {
        write_numbers(workspace, &results::today(), "edits.json", &self.numbers())?;
        results::publish(workspace, "edits", &self.markdown())
    }

    fn numbers(&self) -> Value {
        let cells: Vec<Value> = self
            .cells
            .iter()
            .enumerate()
            .map(|(at, truth)| {
                let tools: Vec<Value> = self
                    .lines
                    .iter()
                    .map(|line| match &line.outcome {
                        Ok(hits) => json!({"tool": line.tool.name, "hits": hits[at]}),
                        Err(reason) => json!({"tool": line.tool.name, "failure": reason}),
                    })
                    .collect();
                json!({
                    "edit": truth.cell.edit.name(),
                    "word_count": truth.cell.word_count,
                    "twin_count": truth.twin_count,
                    "true_count": truth.true_count,
                    "mean_jaccard": truth.mean,
                    "tools": tools,
                })
            })
            .collect();
        json!({
            "machine": self.machine,
            "note": self.note,
            "versions": self.versions,
            "document_count": self.document_count,
            "shingle": SHINGLE,
            "threshold": THRESHOLD,
            "cells": cells,
        })
    }

    fn markdown(&self) -> String {
        format!(
            "## After an edit\n\n{}. For each edit and length there are {} documents with an edited twin, in one file of {} \
             documents, some\nwithout a twin; shingles `{SHINGLE}`, threshold {THRESHOLD}, parameters as above.\n\n\
             {}\n\
             - *≥ 0.8*: the share of twins whose exact Jaccard similarity reaches the threshold; *mean J*: its mean.\n\
             - For each tool: the share of those twins that it found and, after a plus sign, the number of pairs it reported \
             that are\n  not similar.\n\
             - A tool that reports no pairs has found a twin unless both are kept. The number after the plus sign is then the \
             number\n  of unjustified removals.\n",
            results::today(),
            self.cells[0].twin_count,
            self.document_count,
            self.table()
        )
    }
}

/// The share that was found, and what is false if there is any.
fn shown(hits: Hits, true_count: usize) -> String {
    let found = format!("{:.3}", share(hits.found_count, true_count));
    if hits.false_count == 0 { found } else { format!("{found} +{}", hits.false_count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_pairs_are_shown_where_there_are_some() {
        assert_eq!(shown(Hits { found_count: 299, false_count: 0 }, 300), "0.997");
        assert_eq!(shown(Hits { found_count: 300, false_count: 2 }, 300), "1.000 +2");
    }
}
