//! Computes the size of each cluster, and the number of occurrences of its kept document.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use lookalike_core::ids::{Document, Number};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;
use crate::error::Result;
use crate::output::evidence::{Fate, Fates, Same};

/// Counts of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Number of its documents, including the kept one, even if that is a reference.
    pub(crate) cluster_size: u32,
    /// Number of copies: the kept one and its exact copies.
    pub(crate) copy_count: u32,
}

/// The counts of every cluster, by its number.
#[derive(Default)]
pub(crate) struct ClusterSizes(Vec<Counts>);

impl ClusterSizes {
    pub(crate) fn of(fates: &Fates<'_>) -> Self {
        let last = fates.clusters.iter().max().copied().unwrap_or(0);
        let mut counts = vec![Counts::default(); last as usize + 1];
        for (document, fate) in fates.iter() {
            let of_cluster = &mut counts[fates.clusters[document.index()] as usize];
            let is_copy = match fate {
                Fate::Kept => true,
                Fate::Removed { same, .. } => same == Same::Content,
            };
            of_cluster.cluster_size += 1;
            of_cluster.copy_count += u32::from(is_copy);
        }
        // Reference documents have the numbers after all kept ones, and have no fate.
        let kept = fates.iter().filter(|(_, fate)| *fate == Fate::Kept).count();
        for of_cluster in counts.iter_mut().skip(kept + 1).filter(|of_cluster| of_cluster.cluster_size > 0) {
            of_cluster.cluster_size += 1;
            of_cluster.copy_count += 1;
        }
        Self(counts)
    }

    pub(crate) fn of_cluster(&self, cluster: u32) -> Counts {
        self.0[cluster as usize]
    }
}

/// A cluster that has many documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LargeCluster {
    /// Its number.
    pub cluster: u32,
    /// The document that is kept.
    pub kept_id: String,
    /// Number of its documents, including the kept one.
    pub cluster_size: u64,
    /// Number of occurrences of the kept document: itself and its exact copies.
    pub copy_count: u64,
    /// The address of the kept document, if it is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_uri: Option<String>,
}

/// Number of clusters to list.
const NAMED: usize = 10;

/// The largest clusters of two documents or more.
pub(crate) fn largest(corpus: &Corpus, fates: &Fates<'_>) -> Result<Vec<LargeCluster>> {
    let mut largest: BTreeSet<(Reverse<u32>, Document)> = BTreeSet::new();
    for (document, _) in fates.iter().filter(|(_, fate)| *fate == Fate::Kept) {
        let size = fates.cluster(document).cluster_size;
        if size > 1 {
            largest.insert((Reverse(size), document));
            if largest.len() > NAMED {
                largest.pop_last();
            }
        }
    }
    let cluster = |(_, document): (Reverse<u32>, Document)| {
        let Counts { cluster_size, copy_count } = fates.cluster(document);
        let kept = corpus.describe(document)?;
        Ok(LargeCluster {
            cluster: fates.clusters[document.index()],
            kept_id: kept.id().into_owned(),
            kept_uri: kept.uri().map(str::to_owned),
            cluster_size: u64::from(cluster_size),
            copy_count: u64::from(copy_count),
        })
    };
    largest.into_iter().map(cluster).collect()
}

/// Numbers of kept documents by number of occurrences.
pub(crate) fn kept_by_copies(fates: &Fates<'_>) -> BTreeMap<u64, u64> {
    let mut by_copies = BTreeMap::new();
    for (document, _) in fates.iter().filter(|(_, fate)| *fate == Fate::Kept) {
        *by_copies.entry(u64::from(fates.cluster(document).copy_count)).or_default() += 1;
    }
    by_copies
}
