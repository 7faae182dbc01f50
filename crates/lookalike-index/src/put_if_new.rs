//! Stores documents one after the other unless a near-duplicate is present. Works in chunks, so that most of the work
//! is parallel; the result is the same as for one document at a time.

use std::num::NonZeroUsize;

use lookalike_core::measure::likeness::Likeness;
use rayon::prelude::*;

use crate::block::BlockBuilder;
use crate::commit::{Core, Stored, Write};
use crate::error::Result;
use crate::kernel::{Kernel, Prepared};
use crate::part::Held;
use crate::row::Row;
use crate::search::{Chosen, Found, Met, Question, Search};
use crate::shared::Shared;
use crate::snapshot::Snapshot;
use crate::state::{Changes, State};
use crate::types::{NewDocument, Put, SearchOptions};

/// Number of documents compared with the index at a time; with each other, they are compared one by one.
const CHUNK: usize = 256;

/// A document of a chunk, and its matches in the index.
struct Newcomer {
    prepared: Option<Prepared>,
    row: Row,
    stored: Stored,
    question: Question,
    found: Vec<Found>,
    same_id: Option<crate::state::Found>,
    /// Hashed with the key that decides, once needed.
    features: Option<Vec<u64>>,
}

impl Core {
    pub(crate) fn put_if_new(&mut self, shared: &Shared, documents: &[NewDocument<'_>]) -> Result<Vec<Put>> {
        self.check(shared)?;
        let mut state = State::clone(&self.state);
        let mut puts = Vec::with_capacity(documents.len());
        for some in documents.chunks(CHUNK) {
            let chunk = self.chunk(shared, state, some);
            match chunk {
                Ok((after, outcomes)) => {
                    state = after;
                    puts.extend(outcomes);
                }
                Err(error) => {
                    // Also roll back what earlier chunks appended.
                    self.take_back(shared);
                    return Err(error);
                }
            }
        }
        if self.log.end > self.log.committed {
            self.commit(shared, state)?;
            self.maintain(shared);
        }
        Ok(puts)
    }

    fn chunk(&mut self, shared: &Shared, state: State, documents: &[NewDocument<'_>]) -> Result<(State, Vec<Put>)> {
        let kernel = &*shared.kernel;
        let state = std::sync::Arc::new(state);
        let snapshot = Snapshot::new(shared, std::sync::Arc::clone(&state));
        // As many matches in the index may be gone by then as documents are added together.
        let search = snapshot.prepare(&SearchOptions::default().with_top(NonZeroUsize::MIN.saturating_add(CHUNK)))?;
        let meet = |document: &NewDocument<'_>| {
            let Write::Put { prepared, stored } = Write::put(kernel, document) else { unreachable!("a put is a put") };
            let mut question = snapshot.question(document.text);
            let same_id = state.find(kernel, &shared.cache, document.id)?;
            question.except = same_id.map(|found| found.data.place);
            let found = search.run(&question)?.found;
            let row = prepared.row;
            Ok(Newcomer { prepared: Some(prepared), row, stored, question, found, same_id, features: None })
        };
        let mut newcomers: Vec<Newcomer> = documents.par_iter().map(meet).collect::<Result<_>>()?;
        let together = Together::new(kernel, &newcomers);
        let mut changes = Changes::new(&state, kernel, false);
        let mut puts: Vec<Put> = Vec::with_capacity(newcomers.len());
        let (mut stored, mut kept): (Vec<Stored>, Vec<usize>) = (Vec::new(), Vec::new());
        for at in 0..newcomers.len() {
            let (row, id) = (newcomers[at].row, documents[at].id);
            // The document that has the same id by now, in this chunk or in the index.
            let before = changes.put_of(id).map(|number| newcomers[kept[number]].row.digest);
            let before = before.or(newcomers[at].same_id.map(|found| found.data.digest));
            if before == Some(row.digest) {
                puts.push(Put::Unchanged);
                continue;
            }
            // Documents of this chunk that a later one replaced no longer exist.
            let is_there = |number: usize| {
                let other = documents[number].id;
                other != id && changes.put_of(other).is_some_and(|put| kept[put] == number)
            };
            let in_chunk = together.candidates(&search, &newcomers[at].question)?;
            let in_chunk: Vec<usize> =
                in_chunk.into_iter().filter(|number| *number < at && is_there(*number)).collect();
            let of_index =
                newcomers[at].found.iter().find(|found| !changes.is_gone(found.order.0 as usize, found.order.1));
            let mut best: Option<(Found, Option<usize>)> = of_index.map(|found| (*found, None));
            for number in in_chunk {
                if let Some(found) = measure(kernel, &search, &mut newcomers, at, number)
                    && best.is_none_or(|(best, _)| is_better(&found, &best))
                {
                    best = Some((found, Some(number)));
                }
            }
            if let Some((found, number)) = best {
                let id = match number {
                    Some(number) => newcomers[number].stored.id.to_string(),
                    None => snapshot.with_record(&found.row, |record| record.id.to_owned())?,
                };
                let Found { similarity, likeness, exact_copy, .. } = found;
                puts.push(Put::Duplicate { id, similarity, likeness, exact_copy });
                continue;
            }
            let newcomer = &mut newcomers[at];
            let prepared = newcomer.prepared.take().expect("each is put once");
            puts.push(changes.put(id, prepared, newcomer.same_id));
            kept.push(at);
        }
        if changes.is_empty() {
            return Ok((State::clone(&state), puts));
        }
        let mut newcomers: Vec<Option<Newcomer>> = newcomers.into_iter().map(Some).collect();
        stored.extend(kept.iter().filter_map(|number| newcomers[*number].take()).map(|newcomer| newcomer.stored));
        let after = self.append(shared, changes, &stored, &[])?;
        Ok((after, puts))
    }
}

/// The documents of a chunk, indexed for comparison with each other.
struct Together {
    held: Held,
}

impl Together {
    fn new(kernel: &Kernel, newcomers: &[Newcomer]) -> Self {
        let mut builder = BlockBuilder::new(kernel.shape());
        for prepared in newcomers.iter().filter_map(|newcomer| newcomer.prepared.as_ref()) {
            builder.push(prepared.row, kernel.entries(prepared), &prepared.sketch);
        }
        Self { held: Held::memory(builder.finish()) }
    }

    /// Numbers of candidates, in order.
    fn candidates(&self, search: &Search<'_>, question: &Question) -> Result<Vec<usize>> {
        if question.probe.is_empty() {
            return Ok(Vec::new());
        }
        let mut chosen = Chosen::new(usize::MAX);
        let met: Met = search.meet(&self.held, question)?;
        search.choose(0, &self.held, question, met, &mut chosen)?;
        Ok(chosen.places().into_iter().map(|(_, row)| row as usize).collect())
    }
}

/// True if a document should be named instead of one that was added before it.
fn is_better(found: &Found, best: &Found) -> bool {
    let is_as_similar = found.similarity >= best.similarity;
    found.similarity > best.similarity || (is_as_similar && found.exact_copy && !best.exact_copy)
}

/// Measures two documents of a chunk; returns the result if they are near-duplicates.
fn measure(kernel: &Kernel, search: &Search<'_>, newcomers: &mut [Newcomer], at: usize, other: usize) -> Option<Found> {
    let row = newcomers[other].row;
    if row.size == 0 {
        return None;
    }
    if newcomers[other].features.is_none() {
        let features = kernel.with_features(&newcomers[other].stored.record(0), <[u64]>::to_vec);
        newcomers[other].features = Some(features.unwrap_or_default());
    }
    let probe = &newcomers[at].question.probe;
    let summary = &probe.summary;
    let exact_copy = row.text_hash == summary.text_hash && row.content_hash == summary.content_hash;
    let likeness = if exact_copy {
        Some(kernel.scheme.method().likeness_of_copies(probe.size()))
    } else if kernel.method.is_measure() {
        kernel.method.likeness(&probe.bytes, &newcomers[other].question.probe.bytes)
    } else if search.criterion.allows_sizes(summary.size, row.size) {
        let features = newcomers[other].features.as_deref().unwrap_or_default();
        let is_confirmed = |likeness: &Likeness| {
            kernel.is_confirmed(probe, *likeness, &newcomers[other].stored.record(0)).unwrap_or_default()
        };
        probe.measure(search.criterion, row.size, features).filter(is_confirmed)
    } else {
        None
    };
    let likeness = likeness?;
    let similarity = likeness.similarity(search.criterion);
    Some(Found { order: (u32::MAX, other as u32), row, similarity, likeness, exact_copy })
}
