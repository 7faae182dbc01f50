//! Decisions on texts to the fate of every document, and the evidence for it.

use std::io::Write;

use lookalike_core::criterion::Criterion;
use lookalike_core::likeness::Likeness;
use lookalike_core::resolve::{Decision, Scope};
use lookalike_io::write::Annotation;
use serde::Serialize;

use crate::copies::Texts;
use crate::corpus::Corpus;
use crate::options::{SimilarityOptions, SourceBy};

/// What becomes of each document of the input.
pub(crate) struct Fates {
    /// What made near-duplicates.
    pub(crate) criterion: Criterion,
    /// By document.
    pub(crate) fates: Vec<Fate>,
    /// The number of each document's cluster: clusters are numbered from 1 in the order of their kept documents, and
    /// then go those of reference documents.
    pub(crate) clusters: Vec<u32>,
    /// How many removed documents have the text of another one that is better in keep order.
    pub(crate) repeated_texts: u64,
}

/// What becomes of one document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    Kept,
    Removed {
        /// The document that is kept, or one of the reference.
        by: u32,
        /// The removed document is on the left, the kept one on the right.
        likeness: Likeness,
        is_copy: bool,
    },
}

impl Fates {
    /// Spreads the decisions on texts over all documents.
    pub(crate) fn new(
        corpus: &Corpus,
        texts: &Texts,
        decisions: &[Decision],
        scope: Scope,
        similarity: &SimilarityOptions,
    ) -> Self {
        let mut of_text: Vec<Fate> = vec![Fate::Kept; corpus.len()];
        for (document, decision) in texts.items.iter().zip(decisions) {
            if let Decision::Removed { by, likeness } = *decision {
                let by = texts.items[by as usize];
                of_text[*document as usize] = Fate::Removed { by, likeness, is_copy: false };
            }
        }
        let fate = |document: u32| {
            let first = texts.first_copy[document as usize];
            match of_text[first as usize] {
                // A copy of what is removed is as much like the kept one as that is.
                fate @ Fate::Removed { .. } => fate,
                Fate::Kept if first == document => Fate::Kept,
                // Copies inside of the input are left alone.
                Fate::Kept if scope == Scope::References && !corpus.is_reference(first) => Fate::Kept,
                Fate::Kept => {
                    let likeness = similarity.method.likeness_of_copies(corpus.sizes[document as usize]);
                    Fate::Removed { by: first, likeness, is_copy: true }
                }
            }
        };
        let fates: Vec<Fate> = (0..corpus.input_count() as u32).map(fate).collect();
        let is_repeated =
            |(document, fate): &(u32, &Fate)| **fate != Fate::Kept && texts.first_copy[*document as usize] != *document;
        let repeated_texts = (0..).zip(&fates).filter(is_repeated).count() as u64;
        Self { criterion: similarity.criterion, clusters: clusters(&fates), fates, repeated_texts }
    }

    /// The documents that are removed, with why.
    pub(crate) fn removed(&self) -> impl Iterator<Item = (u32, u32, Likeness, bool)> {
        (0..).zip(&self.fates).filter_map(|(document, fate)| match *fate {
            Fate::Removed { by, likeness, is_copy } => Some((document, by, likeness, is_copy)),
            Fate::Kept => None,
        })
    }

    /// What is said of a document under `--annotate`.
    pub(crate) fn annotation(&self, corpus: &Corpus, document: u32) -> Annotation {
        let cluster = u64::from(self.clusters[document as usize]);
        match self.fates[document as usize] {
            Fate::Kept => Annotation { cluster, kept: true, kept_id: None, similarity: None },
            Fate::Removed { by, likeness, .. } => {
                let kept_id = Some(corpus.id(by).into_owned());
                let similarity = Some(likeness.similarity(self.criterion));
                Annotation { cluster, kept: false, kept_id, similarity }
            }
        }
    }

    /// Writes the evidence: a line for each removed document, in the order of the input.
    pub(crate) fn write_removed(
        &self,
        corpus: &Corpus,
        source: SourceBy,
        writer: &mut impl Write,
    ) -> std::io::Result<()> {
        for (document, by, likeness, is_copy) in self.removed() {
            let row = Removed {
                removed_id: &corpus.id(document),
                kept_id: &corpus.id(by),
                kept_in: corpus.is_reference(by).then_some("reference"),
                measures: Measures::new(likeness),
                exact_copy: is_copy,
                checksum: corpus.checksum(document),
                cluster: self.clusters[document as usize],
                removed_source: corpus.source(document, source),
                kept_source: corpus.source(by, source),
                removed_uri: corpus.uri(document),
                kept_uri: corpus.uri(by),
            };
            serde_json::to_writer(&mut *writer, &row)?;
            writer.write_all(b"\n")?;
        }
        writer.flush()
    }
}

fn clusters(fates: &[Fate]) -> Vec<u32> {
    let mut count = 0;
    let mut clusters: Vec<u32> = fates
        .iter()
        .map(|fate| {
            count += u32::from(*fate == Fate::Kept);
            count
        })
        .collect();
    for (document, fate) in fates.iter().enumerate() {
        if let Fate::Removed { by, .. } = fate {
            // The kept one's number is never overwritten, since it is not removed. References come after all these.
            let of_reference = || count + 1 + (*by - fates.len() as u32);
            clusters[document] = clusters.get(*by as usize).copied().unwrap_or_else(of_reference);
        }
    }
    clusters
}

/// A line of `removed.jsonl`.
#[derive(Serialize)]
struct Removed<'a> {
    removed_id: &'a str,
    kept_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_in: Option<&'static str>,
    #[serde(flatten)]
    measures: Measures,
    exact_copy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    cluster: u32,
    removed_source: &'a str,
    kept_source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed_uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_uri: Option<&'a str>,
}

/// How alike a removed document and the kept one are, by what was compared.
#[derive(Serialize)]
#[serde(untagged)]
enum Measures {
    Features { jaccard: f64, containment_in_kept: f64, containment_of_kept: f64 },
    Bits { simhash: f64, hamming: u32 },
}

impl Measures {
    fn new(likeness: Likeness) -> Self {
        match likeness {
            Likeness::Features(overlap) => Self::Features {
                jaccard: overlap.jaccard(),
                containment_in_kept: overlap.containment_left(),
                containment_of_kept: overlap.containment_right(),
            },
            Likeness::Bits { differing, of } => {
                Self::Bits { simhash: f64::from(of - differing) / f64::from(of), hamming: differing }
            }
        }
    }
}
