//! `cargo xtask bench edits`: the copies that each tool still finds after a small edit, by edit and by length.
//!
//! All kinds of edit and all lengths are in one file, so that each tool is run once; the ids identify the cases.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::Result;
use lookalike_judge::measure;

use super::answer::{Answer, Found};
use super::edits_corpus::{self, CELLS, Cell, Twin};
use super::edits_report::{self, Hits, Line, Report};
use super::run::Runner;
use super::tool::{LOOKALIKE, Tool};
use super::{Field, environment, report, run_optimized};
use crate::bench::corpora::texts;
use crate::bench::corpora::truth::{self, Truth};
use crate::bench::{SHINGLE, THRESHOLD};
use crate::workspace::Workspace;

/// Options of `cargo xtask bench edits`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of documents to edit, for each edit and length
    #[arg(long, value_name = "N", default_value_t = 300)]
    bases: usize,
    #[command(flatten)]
    field: Field,
}

/// Generates the documents, runs every tool, and reports.
pub(in crate::bench) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if cfg!(debug_assertions) {
        let mut words = options.field.words()?;
        words.extend(["--bases".into(), options.bases.to_string().into()]);
        return run_optimized(workspace, "edits", words);
    }
    let folder = workspace.target().join("bench");
    let file = edits_corpus::write(&folder, options.bases)?;
    let runner = options.field.runner(workspace, &folder)?;
    let documents = texts::read(&file)?;
    let truth = truth::load_or_join(&folder, &documents)?;
    let places = documents.places();
    let twins = edits_corpus::twins(&places, options.bases)?;
    let similarities: Vec<f64> = {
        let shingle = SHINGLE.parse()?;
        let of = |twin: &Twin| measure(&documents.texts[twin.base], &documents.texts[twin.edited], shingle).jaccard();
        twins.iter().map(of).collect()
    };

    let versions = environment::versions(workspace, &runner)?;
    let mut outcomes = Vec::new();
    for tool in std::iter::once(&LOOKALIKE).chain(options.field.peers()) {
        eprintln!("running {}", tool.name);
        outcomes.push((tool.name, hits(&runner, tool, &file, &places, &twins, &truth)));
    }
    let cells = (0..CELLS.len()).map(|at| {
        let cell = CELLS[at];
        let of_cell: Vec<f64> =
            twins.iter().zip(&similarities).filter(|(twin, _)| twin.cell == cell).map(|(_, value)| *value).collect();
        let tools = outcomes.iter().map(|(tool, outcome)| Line {
            tool: (*tool).to_owned(),
            hits: outcome.as_ref().ok().map(|hits| hits[at]),
            failure: outcome.as_ref().err().cloned(),
        });
        edits_report::Cell {
            edit: cell.edit.name().to_owned(),
            word_count: cell.word_count,
            twin_count: of_cell.len(),
            true_count: of_cell.iter().filter(|value| **value >= THRESHOLD).count(),
            mean_jaccard: of_cell.iter().sum::<f64>() / of_cell.len().max(1) as f64,
            tools: tools.collect(),
        }
    });
    let report = Report {
        versions,
        note: options.field.note.clone(),
        document_count: places.len(),
        shingle: SHINGLE.to_owned(),
        threshold: THRESHOLD,
        cells: cells.collect(),
    };
    report.print();
    if !options.field.print_only {
        report.record(workspace)?;
    }
    Ok(())
}

/// The twins that one tool found, by cell, or its error.
fn hits(
    runner: &Runner,
    tool: &'static Tool,
    file: &Path,
    places: &HashMap<&str, usize>,
    twins: &[Twin],
    truth: &Truth,
) -> Result<Vec<Hits>, String> {
    let success = runner.run(tool, file, places).map_err(|error| report::brief(&error))?;
    Ok(CELLS.iter().map(|cell| count(&success.answer, *cell, twins, truth)).collect())
}

/// Counts true twins that were found, and false pairs or removals.
fn count(answer: &Answer, cell: Cell, twins: &[Twin], truth: &Truth) -> Hits {
    let of_cell: Vec<&Twin> = twins.iter().filter(|twin| twin.cell == cell).collect();
    let is_true = |twin: &&&Twin| truth.contains_key(&twin.pair());
    // A tool without pairs has found a twin if not both documents are kept.
    let is_found = |twin: &&&Twin| match answer.found {
        Found::Nothing => !(answer.is_kept[twin.base] && answer.is_kept[twin.edited]),
        _ => answer.found.contains(twin.base, twin.edited),
    };
    let members: HashSet<usize> = of_cell.iter().flat_map(|twin| [twin.base, twin.edited]).collect();
    let false_count = match &answer.found {
        Found::Pairs(pairs) => {
            let touches = |pair: &&(usize, usize)| members.contains(&pair.0) || members.contains(&pair.1);
            pairs.iter().filter(touches).filter(|pair| !truth.contains_key(*pair)).count()
        }
        Found::Clusters(clusters) => false_in_clusters(clusters, &members, truth),
        Found::Nothing => {
            // A lost document: it was removed, and its twin is not similar or was removed too.
            let lost = |twin: &&&Twin| match (answer.is_kept[twin.base], answer.is_kept[twin.edited]) {
                (true, true) => false,
                (false, false) => true,
                _ => !truth.contains_key(&twin.pair()),
            };
            of_cell.iter().filter(lost).count()
        }
    };
    Hits { found_count: of_cell.iter().filter(is_true).filter(is_found).count(), false_count }
}

/// False pairs of a cluster that include certain documents.
fn false_in_clusters(clusters: &[Option<u64>], members: &HashSet<usize>, truth: &Truth) -> usize {
    let mut by_number: HashMap<u64, Vec<usize>> = HashMap::new();
    for (place, number) in clusters.iter().enumerate() {
        if let Some(number) = number {
            by_number.entry(*number).or_default().push(place);
        }
    }
    let mut count = 0;
    for cluster in by_number.values() {
        for (at, left) in cluster.iter().enumerate() {
            let touches = |right: &&usize| members.contains(left) || members.contains(right);
            count +=
                cluster[at + 1..].iter().filter(touches).filter(|right| !truth.contains_key(&(*left, **right))).count();
        }
    }
    count
}
