//! What is there to be found: by the exact join, or as a file says.

use std::collections::HashMap;
use std::path::Path;

use lookalike_core::method;
use serde::Serialize;
use serde_json::Value;

use super::{EvaluateOptions, Read, read, run};
use crate::copies::Texts;
use crate::corpus::{Corpus, Described};
use crate::error::{Error, Result};
use crate::options::MethodOptions;
use crate::progress::Progress;
use crate::stages::Stages;

/// What is there to be found.
#[derive(Clone, Debug, Serialize)]
pub struct Truth {
    /// Who says so: `exact join`, or a file.
    pub by: String,
    /// Pairs of distinct texts.
    pub pairs: u64,
    /// Pairs of the file that have the same words, which every method finds.
    pub copies: u64,
    /// Pairs of the file that name a document which is not there.
    pub unknown: u64,
    /// How long the exact join took.
    pub seconds: Option<f64>,
}

/// The true pairs, by the ranks of texts in the order of the input, sorted.
pub(super) fn find(options: &EvaluateOptions, progress: &dyn Progress) -> Result<(Truth, Vec<(u32, u32)>)> {
    let Some(file) = &options.truth else {
        let run = run(options, &MethodOptions::Exact, progress)?;
        let pairs = run.pairs();
        let seconds = run.stages.iter().map(|stage| stage.seconds).sum();
        let by = "exact join".to_owned();
        return Ok((Truth { by, pairs: pairs.len() as u64, copies: 0, unknown: 0, seconds: Some(seconds) }, pairs));
    };
    let mut stages = Stages::start(progress);
    let Read { corpus, texts, .. } = read(options, &options.similarity, &method::Copies, &mut stages, progress)?;
    stages.finish();
    let rows = rows(file, options.similarity.criterion.threshold())?;
    let mut truth = Truth { by: file.display().to_string(), pairs: 0, copies: 0, unknown: 0, seconds: None };
    let pairs = pairs(&corpus, &texts, &rows, &mut truth)?;
    truth.pairs = pairs.len() as u64;
    Ok((truth, pairs))
}

fn pairs(corpus: &Corpus, texts: &Texts, rows: &[(String, String)], truth: &mut Truth) -> Result<Vec<(u32, u32)>> {
    let mut ids: Vec<String> = Vec::with_capacity(corpus.len());
    let of_run = |run: &mut dyn Iterator<Item = (u32, Described<'_>)>| {
        Ok(run.map(|(_, described)| described.id().into_owned()).collect::<Vec<_>>())
    };
    corpus.each_described(of_run, |of_run| {
        ids.extend(of_run);
        Ok(())
    })?;
    let documents: HashMap<&str, u32> = ids.iter().map(String::as_str).zip(0..).collect();
    // In the order of the input, so that ranks go up with documents.
    let rank = |id: &str| {
        let document = documents.get(id)?;
        texts.items.binary_search(&texts.first_copy[*document as usize]).ok().map(|rank| rank as u32)
    };
    let mut pairs = Vec::new();
    for (left, right) in rows {
        match (rank(left), rank(right)) {
            (Some(left), Some(right)) if left == right => truth.copies += 1,
            (Some(left), Some(right)) => pairs.push((left.min(right), left.max(right))),
            _ => truth.unknown += 1,
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// The ids of pairs at or above the threshold: as `pairs` writes them, or two or three columns between tabs.
fn rows(file: &Path, threshold: f64) -> Result<Vec<(String, String)>> {
    let cannot = |cause| lookalike_io::Error::Unreadable { path: file.to_owned(), cause };
    let text = std::fs::read_to_string(file).map_err(cannot)?;
    let mut rows = Vec::new();
    for (number, line) in (1_u64..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let row = if line.starts_with('{') { of_json(line) } else { of_cells(line) };
        let Some((left, right, similarity)) = row else {
            return Err(Error::NotAPair { path: file.display().to_string(), line: number });
        };
        let is_header = number == 1 && similarity.is_err();
        if !is_header && similarity.is_ok_and(|similarity| similarity >= threshold) {
            rows.push((left, right));
        }
    }
    Ok(rows)
}

/// A pair and its similarity: none said is enough; one that is no number is an error.
type Row = (String, String, std::result::Result<f64, ()>);

fn of_json(line: &str) -> Option<Row> {
    let row: Value = serde_json::from_str(line).ok()?;
    let id = |name: &str| match row.get(name)? {
        Value::String(id) => Some(id.clone()),
        other => Some(other.to_string()),
    };
    let similarity =
        ["jaccard", "containment", "simhash", "similarity"].iter().find_map(|name| row.get(name)?.as_f64());
    Some((id("left_id")?, id("right_id")?, Ok(similarity.unwrap_or(1.0))))
}

fn of_cells(line: &str) -> Option<Row> {
    let mut cells = line.split('\t');
    let (left, right) = (cells.next()?, cells.next()?);
    let similarity = cells.next().map_or(Ok(1.0), |cell| cell.trim().parse().map_err(|_| ()));
    // A header of two columns has no number to tell it by.
    let similarity = if left == "left_id" { Err(()) } else { similarity };
    Some((left.to_owned(), right.to_owned(), similarity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_read_as_pairs_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("truth");
        for (text, expected) in [
            ("left_id\tright_id\tjaccard\na\tb\t0.9\nc\td\t0.5\n", vec![("a", "b")]),
            ("left_id\tright_id\na\tb\n", vec![("a", "b")]),
            ("a\tb\t1\n\nc\td\t0.8\n", vec![("a", "b"), ("c", "d")]),
            ("{\"left_id\":\"a\",\"right_id\":7,\"jaccard\":0.8}\n", vec![("a", "7")]),
        ] {
            std::fs::write(&file, text).unwrap();
            let found = rows(&file, 0.8).unwrap();
            let found: Vec<(&str, &str)> = found.iter().map(|(left, right)| (&**left, &**right)).collect();
            assert_eq!(found, expected, "{text}");
        }
        std::fs::write(&file, "a\tb\nonly one cell\n").unwrap();
        assert!(matches!(rows(&file, 0.8), Err(Error::NotAPair { line: 2, .. })));
    }
}
