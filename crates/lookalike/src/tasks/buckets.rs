//! S3: texts that share a bucket, as edges from the best of each bucket to all others.

use std::sync::Mutex;

use lookalike_core::bucket::Union;
use lookalike_core::ids::{Document, Rank};
use lookalike_core::method::{NO_RANK, Sketched};
use lookalike_core::packed::Lists;
use lookalike_core::sources::{FeatureSource, SourceError};
use lookalike_io::stored::{Columns, Kind, Values};

use super::Context;
use super::files::{Outputs, TaskRow};
use super::rank::{GROUP_ROWS, Ranked};
use super::stage::TaskStage;
use crate::error::{Error, Result};

/// An edge: the best text of a family, and another one of it.
pub(super) const EDGES: Columns<'_> = &[("left", Kind::Whole), ("right", Kind::Whole)];

/// Number of buckets of which this text is the best.
pub(super) const BUCKETS: Columns<'_> = &[("rank", Kind::Whole), ("buckets", Kind::Whole)];

/// Finds edges; of those that join the same families, one is enough.
pub(super) fn buckets(context: &Context<'_>, attempt: u32) -> Result<TaskRow> {
    let mut outputs = Outputs::new(context.tasks, TaskStage::Buckets, 0, attempt);
    let ranked = Ranked::read(context)?;
    let count = ranked.documents.len();
    let found = if context.scheme.method().checksum().is_some() {
        // Only copies are joined, and they are already.
        Found::none(count)
    } else if ranked.is_one_batch(context) {
        Found::all(count)
    } else {
        Found::of_keys(context, &ranked)?
    };
    // The root of a family is its best text, whatever the order in which edges were found.
    let mut union = found.union;
    let joined: Vec<(u32, u32)> =
        (0..count as u32).map(|rank| (union.root(rank), rank)).filter(|(root, rank)| root != rank).collect();
    outputs.table(".parquet", EDGES, |writer| {
        for some in joined.chunks(GROUP_ROWS) {
            writer.write(&[
                Values::Whole(some.iter().map(|(left, _)| i64::from(*left)).collect()),
                Values::Whole(some.iter().map(|(_, right)| i64::from(*right)).collect()),
            ])?;
        }
        Ok(())
    })?;
    let first: Vec<(usize, u32)> =
        found.buckets.iter().copied().enumerate().filter(|(_, buckets)| *buckets > 0).collect();
    outputs.table(".buckets.parquet", BUCKETS, |writer| {
        for some in first.chunks(GROUP_ROWS) {
            writer.write(&[
                Values::Whole(some.iter().map(|(rank, _)| *rank as i64).collect()),
                Values::Whole(some.iter().map(|(_, buckets)| i64::from(*buckets)).collect()),
            ])?;
        }
        Ok(())
    })?;
    outputs.note("edges", joined.len());
    Ok(outputs.finish())
}

/// Edges and counts found by buckets.
struct Found {
    union: Union,
    /// For each text the number of buckets of which it is the best.
    buckets: Vec<u32>,
}

impl Found {
    fn none(count: usize) -> Self {
        Self { union: Union::new(count), buckets: vec![0; count] }
    }

    /// One family of all texts, to be joined or searched as a whole.
    fn all(count: usize) -> Self {
        let mut found = Self::none(count);
        (1..count as u32).for_each(|rank| found.union.join(0, rank));
        found.buckets.iter_mut().take(1).for_each(|buckets| *buckets = u32::from(count > 1));
        found
    }

    fn of_keys(context: &Context<'_>, ranked: &Ranked) -> Result<Self> {
        let corpus = context.corpus()?;
        let mut ranks = vec![NO_RANK; corpus.len()];
        (0..).zip(&ranked.documents).for_each(|(rank, document)| ranks[document.0 as usize] = Rank(rank));
        let count = ranked.documents.len();
        let found = Mutex::new(Self::none(count));
        let take = |lists: Lists| -> std::result::Result<(), SourceError> {
            context.progress.go_on()?;
            let mut found = found.lock().expect("no thread panicked");
            for list in lists.iter() {
                found.buckets[list[0] as usize] += 1;
                list.iter().for_each(|rank| found.union.join(list[0], *rank));
            }
            Ok(())
        };
        let sketched = Sketched {
            items: &ranked.documents,
            ranks: &ranks,
            sketches: corpus.sketches(),
            source: &NoFeatures,
            deciding: &NoFeatures,
            // Only an exact join needs sizes, and it has one family of all texts.
            sizes: &[],
            criterion: context.scheme.criterion(),
            memory: corpus.shares.sorting(),
        };
        context.method.candidates(sketched, &take).map_err(Error::of_source)?;
        Ok(found.into_inner().expect("no thread panicked"))
    }
}

/// Keys are enough to find candidates by them.
struct NoFeatures;

impl FeatureSource for NoFeatures {
    fn features(&self, _: Document) -> std::result::Result<Vec<u64>, SourceError> {
        Err("candidates are found by keys alone".into())
    }
}
