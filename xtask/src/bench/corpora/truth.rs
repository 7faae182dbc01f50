//! The exact result for a corpus: every pair at the threshold or above, found by the judge.
//!
//! It takes a minute, so it is cached in a file beside the corpus, under a unique name.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

use super::texts::Documents;
use crate::bench::{SHINGLE, THRESHOLD};

/// The similarity of each near-duplicate pair, by the positions of its documents, the smaller one first.
pub(in crate::bench) type Truth = HashMap<(usize, usize), f64>;

/// Reads the cached result, or computes it.
pub(in crate::bench) fn load_or_join(folder: &Path, documents: &Documents) -> Result<Truth> {
    let name = format!("truth-{}-{THRESHOLD}-{:016x}.tsv", SHINGLE.replace(':', ""), documents.content_hash());
    let file = folder.join(name);
    if let Ok(text) = fs::read_to_string(&file) {
        return parse(&text).with_context(|| format!("{} is damaged; remove it", file.display()));
    }
    let start = Instant::now();
    eprintln!("judging {} documents; 45,000 take a minute", documents.texts.len());
    let pairs = lookalike_judge::pairs(&documents.texts, SHINGLE.parse()?, THRESHOLD);
    let truth = pairs.iter().map(|pair| ((pair.left, pair.right), pair.measures.jaccard())).collect();
    eprintln!("judged in {:.0} s: {} pairs", start.elapsed().as_secs_f64(), pairs.len());

    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // Moved into place when it is complete: a partial file would be mistaken for the whole.
    let part = file.with_extension("part");
    fs::write(&part, written(&truth)).with_context(|| format!("cannot write {}", part.display()))?;
    fs::rename(&part, &file).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(truth)
}

fn written(truth: &Truth) -> String {
    let mut rows: Vec<_> = truth.iter().collect();
    rows.sort_by_key(|(pair, _)| **pair);
    let mut text = String::new();
    for ((left, right), jaccard) in rows {
        writeln!(text, "{left}\t{right}\t{jaccard}").expect("a string takes everything");
    }
    text
}

fn parse(text: &str) -> Result<Truth> {
    text.lines()
        .map(|line| {
            let mut cells = line.split('\t');
            let mut cell = || cells.next().context("a cell is missing");
            Ok(((cell()?.parse()?, cell()?.parse()?), cell()?.parse()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_read_again_to_the_last_digit() {
        let truth = Truth::from([((3, 17), 0.8), ((0, 2), 1.0), ((1, 2), 6.0 / 7.0)]);
        assert_eq!(parse(&written(&truth)).unwrap(), truth);
        assert!(parse("1\t2\n").is_err());
    }
}
