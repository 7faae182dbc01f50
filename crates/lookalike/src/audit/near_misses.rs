//! Near misses: pairs of kept documents slightly below the threshold, which help to judge the threshold.
//!
//! They are searched among a limited number of kept documents, selected by the smallest hash of a document's shingles.
//! Two documents share this hash with a probability equal to their similarity, so pairs are selected together, while a
//! simple sample of one document in a hundred would include one pair in ten thousand.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use lookalike_core::hash::{Key, draw, mix};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::text::shingle::Shingler;
use rayon::prelude::*;

use super::labels::PairFacts;
use super::pairs::Pair;
use crate::corpus::described::Origin;
use crate::corpus::walk::{Walked, walk};
use crate::error::Result;
use crate::options::{MethodOptions, ReadOptions, Scheme, SourceBy};
use crate::output::read_back::each_removal;
use crate::progress::Progress;
use crate::report::page::rows::insert_least;
use crate::report::page::texts::{LONGEST, Text};
use crate::texts;

/// Maximum distance of a near miss below the threshold.
const BELOW: f64 = 0.1;

/// Maximum number of additional differing bits of a near miss, if bits decide.
const MORE_BITS: u32 = 3;

/// Maximum number of kept documents to compare, and of their bytes.
const MOST_DOCUMENTS: usize = 100_000;
const MOST_BYTES: usize = 256 << 20;

/// Pairs just below the threshold, and the number of kept documents among which they were searched.
#[derive(Debug, Default)]
pub(crate) struct NearMisses {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) compared: u64,
}

impl NearMisses {
    /// Finds up to `most` pairs among the kept documents of a run, whose sources are given by `source` if known. None
    /// if only exact copies were removed: there is no threshold.
    pub(crate) fn find(
        folder: &Path,
        read: &ReadOptions,
        scheme: &Scheme,
        source: Option<SourceBy>,
        (most, seed): (usize, u64),
        progress: &dyn Progress,
    ) -> Result<Self> {
        let Some(lower) = lower(scheme) else { return Ok(Self::default()) };
        if most == 0 {
            return Ok(Self::default());
        }
        let chosen = Chosen::read(folder, read, scheme, progress)?;
        let found = texts::pairs(&chosen.texts(), &lower)?;
        let is_below = |pair: &&texts::Pair| match (pair.likeness, scheme.method()) {
            (Likeness::Features(overlap), _) => !scheme.criterion().accepts(overlap),
            (Likeness::Bits { differing, .. }, MethodOptions::SimHash { distance, .. }) => differing > *distance,
            (Likeness::Bits { .. }, _) => false,
        };
        let mut drawn: BTreeMap<u64, &texts::Pair> = BTreeMap::new();
        for pair in found.iter().filter(is_below) {
            let number = draw(seed, mix(pair.left as u64) ^ pair.right as u64);
            insert_least(&mut drawn, most, number, || pair);
        }
        let pair = |found: &&texts::Pair| chosen.pair(found, scheme.criterion(), source);
        Ok(Self { pairs: drawn.values().map(pair).collect(), compared: chosen.documents.len() as u64 })
    }
}

/// The scheme that also finds near misses; none if no threshold decides.
fn lower(scheme: &Scheme) -> Option<Scheme> {
    let threshold = (scheme.threshold() - BELOW).max(scheme.threshold() / 2.0);
    let lower = match (scheme.method(), scheme.criterion()) {
        (MethodOptions::Copies(_), _) => return None,
        (MethodOptions::SimHash { width, weights, distance, tables, is_verified: false }, _) => {
            let distance = distance + MORE_BITS;
            let (width, weights, tables) = (*width, *weights, *tables);
            let method = MethodOptions::SimHash { width, weights, distance, tables, is_verified: false };
            return scheme.clone().with_method(method).ok();
        }
        (_, Criterion::Containment(_)) => Scheme::containment(threshold),
        (_, Criterion::Jaccard(_)) => Scheme::jaccard(threshold),
        // Measures for sets, not for documents.
        (_, Criterion::Cosine(_) | Criterion::Overlap(_)) => return None,
    };
    Some(
        lower
            .ok()?
            .with_shingle(scheme.shingle().clone())
            .with_fold(scheme.fold())
            .with_repeats_counted(scheme.counts_repeats()),
    )
}

/// Selected kept documents, together with those similar to them.
struct Chosen {
    /// In input order.
    documents: Vec<Walked>,
}

impl Chosen {
    fn read(folder: &Path, read: &ReadOptions, scheme: &Scheme, progress: &dyn Progress) -> Result<Self> {
        let mut removed: HashSet<(String, u64)> = HashSet::new();
        each_removal(folder, |_, removal| {
            removed.insert((removal.removed_file, removal.removed_position));
        })?;
        let mut chosen: BTreeMap<(u64, u64), Walked> = BTreeMap::new();
        let (mut number, mut bytes) = (0, 0);
        walk(read, "near misses", progress, |round| {
            let kept: Vec<Walked> = round
                .into_iter()
                .filter(|document| !removed.contains(&(document.file.to_string(), document.position)))
                .collect();
            let least = |shingler: &mut Shingler, document: &Walked| {
                shingler.features(&document.text).all.iter().copied().min()
            };
            let least: Vec<Option<u64>> = kept.par_iter().map_init(|| scheme.shingler(Key::FIXED), least).collect();
            for (document, least) in kept.into_iter().zip(least) {
                number += 1;
                // A document without words matches nothing.
                let Some(least) = least else { continue };
                bytes += document.text.len();
                chosen.insert((mix(least), number), document);
                while chosen.len() > MOST_DOCUMENTS || bytes > MOST_BYTES {
                    let Some((_, last)) = chosen.pop_last() else { break };
                    bytes -= last.text.len();
                }
            }
            Ok(())
        })?;
        let mut documents: Vec<(u64, Walked)> =
            chosen.into_iter().map(|((_, number), document)| (number, document)).collect();
        documents.sort_unstable_by_key(|(number, _)| *number);
        Ok(Self { documents: documents.into_iter().map(|(_, document)| document).collect() })
    }

    fn texts(&self) -> Vec<&str> {
        self.documents.iter().map(|document| &*document.text).collect()
    }

    fn pair(&self, found: &texts::Pair, criterion: Criterion, source: Option<SourceBy>) -> Pair {
        let [left, right] = [found.left, found.right].map(|at| &self.documents[at]);
        let of = |document: &Walked| {
            let Walked { file, is_one_document, uri, source: field, .. } = document;
            let (uri, field) = (uri.as_deref(), field.as_deref());
            let origin = Origin { file, is_one_document: *is_one_document, uri, field };
            source.map(|by| origin.source(by).to_owned())
        };
        let facts = PairFacts {
            left_id: left.id.clone(),
            right_id: right.id.clone(),
            left_file: left.file.to_string(),
            left_position: left.position,
            right_file: right.file.to_string(),
            right_position: right.position,
            left_source: of(left),
            right_source: of(right),
            right_in_reference: false,
            near_miss: true,
            similarity: found.likeness.similarity(criterion),
            equal_super_shingle_count: None,
        };
        Pair { facts, texts: [&left.text, &right.text].map(|text| Text::new(text, LONGEST)) }
    }
}
