//! The result of a tool: the kept documents, and the pairs it found.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// The result of a tool; documents are identified by position.
pub(super) struct Answer {
    /// True for each kept document.
    pub(super) is_kept: Vec<bool>,
    /// The pairs it reports.
    pub(super) found: Found,
}

/// The pairs a tool reports.
pub(super) enum Found {
    /// Pairs, the smaller position first.
    Pairs(HashSet<(usize, usize)>),
    /// A cluster for each document, or none. Every two documents of a cluster are then a pair.
    Clusters(Vec<Option<u64>>),
    /// Only the kept documents.
    Nothing,
}

/// Kind of the reported results, for readers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Gives {
    Pairs,
    Clusters,
    Nothing,
}

impl Found {
    /// The kind of the results.
    pub(super) fn gives(&self) -> Gives {
        match self {
            Self::Pairs(_) => Gives::Pairs,
            Self::Clusters(_) => Gives::Clusters,
            Self::Nothing => Gives::Nothing,
        }
    }

    /// True if two documents are reported as a pair.
    pub(super) fn contains(&self, left: usize, right: usize) -> bool {
        match self {
            Self::Pairs(pairs) => pairs.contains(&(left.min(right), left.max(right))),
            Self::Clusters(clusters) => clusters[left].is_some() && clusters[left] == clusters[right],
            Self::Nothing => false,
        }
    }

    /// Number of reported pairs.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Pairs(pairs) => pairs.len(),
            Self::Clusters(clusters) => {
                let mut sizes: HashMap<u64, usize> = HashMap::new();
                for cluster in clusters.iter().flatten() {
                    *sizes.entry(*cluster).or_default() += 1;
                }
                sizes.values().map(|size| size * (size - 1) / 2).sum()
            }
            Self::Nothing => 0,
        }
    }
}

impl Answer {
    /// Reads the output of a peer's program.
    pub(super) fn read(folder: &Path, places: &HashMap<&str, usize>) -> Result<Self> {
        let kept = content(&folder.join("kept.txt"))?;
        let mut is_kept = vec![false; places.len()];
        for id in kept.lines() {
            is_kept[place(places, id)?] = true;
        }
        let (pairs, clusters) = (folder.join("pairs.tsv"), folder.join("clusters.tsv"));
        let found = if pairs.exists() {
            Found::Pairs(read_pairs(&content(&pairs)?, places)?)
        } else if clusters.exists() {
            let mut of_places = vec![None; places.len()];
            for line in content(&clusters)?.lines() {
                let (id, cluster) = line.split_once('\t').with_context(|| format!("{line:?} is no cluster"))?;
                of_places[place(places, id)?] = Some(cluster.parse()?);
            }
            Found::Clusters(of_places)
        } else {
            Found::Nothing
        };
        Ok(Self { is_kept, found })
    }
}

fn content(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The position of an id.
pub(super) fn place(places: &HashMap<&str, usize>, id: &str) -> Result<usize> {
    places.get(id).copied().with_context(|| format!("there is no document {id:?}"))
}

/// Lines of two ids.
pub(super) fn read_pairs(text: &str, places: &HashMap<&str, usize>) -> Result<HashSet<(usize, usize)>> {
    text.lines()
        .map(|line| {
            let mut ids = line.split('\t');
            let mut next = || place(places, ids.next().with_context(|| format!("{line:?} is no pair"))?);
            let (one, other) = (next()?, next()?);
            ensure!(one != other, "{line:?} is one document");
            Ok((one.min(other), one.max(other)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_in_a_cluster_is_a_pair() {
        let found = Found::Clusters(vec![Some(7), None, Some(7), Some(7), None]);
        assert_eq!(found.count(), 3);
        assert!(found.contains(3, 0) && !found.contains(1, 4));
    }

    #[test]
    fn an_answer_is_read_by_places() {
        let folder = tempfile::tempdir().unwrap();
        let places = HashMap::from([("a", 0), ("b", 1), ("c", 2)]);
        fs::write(folder.path().join("kept.txt"), "a\nc\n").unwrap();
        fs::write(folder.path().join("pairs.tsv"), "b\ta\n").unwrap();
        let answer = Answer::read(folder.path(), &places).unwrap();
        assert_eq!(answer.is_kept, [true, false, true]);
        assert!(answer.found.contains(0, 1));
        fs::write(folder.path().join("kept.txt"), "d\n").unwrap();
        assert!(Answer::read(folder.path(), &places).is_err());
    }
}
