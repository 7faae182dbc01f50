//! The table of edits: a row for each edit and length, a column for each tool.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::report::lines;
use crate::bench::tables::pages;
use crate::bench::tables::results::{self, Machine, Record};
use crate::bench::tables::thousands;
use crate::pairs::share;
use crate::workspace::Workspace;

/// An edit of one length: the true numbers, and the results of each tool.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Cell {
    pub(super) edit: String,
    pub(super) word_count: usize,
    pub(super) twin_count: usize,
    /// Number of twins whose exact similarity reaches the threshold.
    pub(super) true_count: usize,
    /// Mean of the exact similarities.
    pub(super) mean_jaccard: f64,
    pub(super) tools: Vec<Line>,
}

/// The result of a tool for an edit of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hits {
    /// True twins that it found.
    pub(super) found_count: usize,
    /// False pairs it reports; for a tool without pairs, twins that it lost.
    pub(super) false_count: usize,
}

/// A tool with its results, or its error.
#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hits: Option<Hits>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
}

/// The whole report.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Report {
    pub(super) versions: BTreeMap<String, String>,
    pub(super) note: Option<String>,
    pub(super) document_count: usize,
    pub(super) shingle: String,
    pub(super) threshold: f64,
    pub(super) cells: Vec<Cell>,
}

impl Report {
    /// The table as printed, and as written to the document.
    fn table(&self) -> String {
        let tools = || self.cells.first().into_iter().flat_map(|cell| &cell.tools);
        let mut headings = vec!["edit".to_owned(), "words".to_owned(), "≥ 0.8".to_owned(), "mean J".to_owned()];
        headings.extend(tools().map(|line| line.tool.clone()));
        let mut rows = vec![headings.clone(), headings.iter().map(|_| "---".to_owned()).collect()];
        for cell in &self.cells {
            let mut row = vec![
                cell.edit.clone(),
                cell.word_count.to_string(),
                format!("{:.3}", share(cell.true_count, cell.twin_count)),
                format!("{:.3}", cell.mean_jaccard),
            ];
            row.extend(cell.tools.iter().map(|line| shown(line.hits, cell.true_count)));
            rows.push(row);
        }
        let mut all = vec!["all".to_owned(), String::new(), String::new(), String::new()];
        let true_count = self.cells.iter().map(|cell| cell.true_count).sum();
        all.extend((0..tools().count()).map(|tool| {
            let of_cells: Option<Vec<Hits>> = self.cells.iter().map(|cell| cell.tools[tool].hits).collect();
            let sum = of_cells.map(|hits| Hits {
                found_count: hits.iter().map(|hits| hits.found_count).sum(),
                false_count: hits.iter().map(|hits| hits.false_count).sum(),
            });
            shown(sum, true_count)
        }));
        rows.push(all);
        rows.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect()
    }

    /// Prints the table.
    pub(super) fn print(&self) {
        println!("machine   {}\n\n{}", Machine::here(), self.table());
        for line in self.cells.first().into_iter().flat_map(|cell| &cell.tools) {
            if let Some(reason) = &line.failure {
                println!("{} failed: {reason}", line.tool);
            }
        }
    }

    /// Writes the numbers, and updates the pages.
    pub(super) fn record(&self, workspace: &Workspace) -> Result<()> {
        results::write_with_versions(workspace, "edits", lines(&self.versions), self)?;
        pages::refresh(workspace.root())
    }
}

/// The section for the benchmarks page.
pub(in crate::bench) fn section(record: &Record<Report>) -> String {
    let report = &record.results;
    format!(
        "## After an edit\n\n{}\nFor each edit and length there are {} documents with an edited twin, in one file of {} documents, \
         some without a twin;\nshingles `{}`, threshold {}, parameters as above.\n\n{}\n\
         - *≥ 0.8*: the share of twins whose exact Jaccard similarity reaches the threshold; *mean J*: its mean.\n\
         - For each tool: the share of those twins that it found and, after a plus sign, the number of pairs it reported \
         that are\n  not similar.\n\
         - A tool that reports no pairs has found a twin unless both are kept. The number after the plus sign is then the \
         number\n  of unjustified removals.\n",
        record.origin(),
        report.cells.first().map_or(0, |cell| cell.twin_count),
        thousands(report.document_count as u64),
        report.shingle,
        report.threshold,
        report.table()
    )
}

/// The share that was found, and the false pairs if any; or that the tool failed.
fn shown(hits: Option<Hits>, true_count: usize) -> String {
    let Some(hits) = hits else { return "failed".to_owned() };
    let found = format!("{:.3}", share(hits.found_count, true_count));
    if hits.false_count == 0 { found } else { format!("{found} +{}", hits.false_count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_pairs_are_shown_where_there_are_some() {
        assert_eq!(shown(Some(Hits { found_count: 299, false_count: 0 }), 300), "0.997");
        assert_eq!(shown(Some(Hits { found_count: 300, false_count: 2 }), 300), "1.000 +2");
        assert_eq!(shown(None, 300), "failed");
    }
}
