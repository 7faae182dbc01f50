//! Estimates the requirements of a run in tasks from a sample of its units, before anything runs for hours.

use std::collections::HashMap;

use lookalike_core::bucket::Union;
use rayon::prelude::*;
use serde::Serialize;

use super::plan::Tasks;
use super::{Context, sketch};
use crate::corpus::Kept;
use crate::corpus::staged::{StoredDocument, documents_of_unit};
use crate::error::Result;
use crate::progress::Progress;

/// Bytes of memory per document where the whole run is known: S2 to S5, and `decide`.
const DRIVER_BYTES: u64 = 64;

/// Bytes of memory per text of the run in each task of S7.
const TEXT_BYTES: u64 = 40;

/// Bytes of memory of a process that reads or writes.
const PROCESS_BYTES: u64 = 200 << 20;

/// Bytes of texts that a task of S7 holds: more are in a temporary file.
const HELD_BYTES: u64 = 256 << 20;

/// Estimated requirements of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TaskNeeds {
    /// Bytes of the input, as it is stored.
    pub input_bytes: u64,
    /// Number of units, which S1 and S6 have one task each for.
    pub unit_count: u64,
    /// Number of these that were read for the estimate.
    pub sampled_unit_count: u64,
    /// Documents.
    pub document_count: u64,
    /// Distinct texts of the largest family, which one task has to decide.
    pub largest_family: u64,
    /// Number of buckets that join the largest family of the sample.
    pub largest_family_bucket_count: u64,
    /// Bytes of its texts.
    pub largest_family_bytes: u64,
    /// Bytes of the texts that share a bucket with another: S6 writes them once more.
    pub gathered_bytes: u64,
    /// Number of batches, which S7 has one task each for.
    pub batch_count: u64,
    /// Bytes of memory of a task of S1, S6 or S8.
    pub reading_memory_bytes: u64,
    /// Bytes of memory of a task of S7.
    pub resolving_memory_bytes: u64,
    /// Bytes of memory of S2 to S5 and of `decide`, which run once.
    pub driver_memory_bytes: u64,
    /// Bytes of disk in the work folder.
    pub work_bytes: u64,
}

impl Tasks {
    /// Estimates what the run needs from units spread over the input, of about `most_bytes` bytes in all. Families grow
    /// with the input; pairs whose texts are not both in the sample are not seen, so that small families are missed.
    ///
    /// # Errors
    ///
    /// If a unit cannot be read.
    pub fn estimate(&self, most_bytes: u64, progress: &dyn Progress) -> Result<TaskNeeds> {
        let context = Context::new(self, progress);
        let units = self.units().len();
        let input_bytes: u64 = self.shelf().files().iter().map(|file| file.bytes).sum();
        let of_unit = (input_bytes / units.max(1) as u64).max(1);
        let sampled = usize::try_from(most_bytes / of_unit).unwrap_or(units).clamp(units.min(1), units);
        let chosen: Vec<usize> = (0..sampled).map(|at| at * units / sampled.max(1)).collect();
        let read = |unit: &usize| {
            let mut blocks = Vec::new();
            sketch::read(&context, *unit, |words| {
                blocks.push(Ok(words));
                Ok(())
            })?;
            documents_of_unit(context.reading(Kept::Sketches, None), blocks.into_iter())
        };
        let documents = chosen.par_iter().map(read).collect::<Result<Vec<_>>>()?;
        let scale = units as f64 / sampled.max(1) as f64;
        let scaled = |count: u64| (count as f64 * scale).round() as u64;
        let families = Families::of(&context, documents.into_iter().flatten());
        let document_count = scaled(families.documents);
        let largest_family_bytes = scaled(families.largest_bytes);
        let gathered_bytes = scaled(families.gathered_bytes);
        let stored = self.options().scheme.build_method().layout().byte_count() as u64 + 150;
        let batch_bytes = self.batch_bytes().max(largest_family_bytes);
        Ok(TaskNeeds {
            input_bytes,
            unit_count: units as u64,
            sampled_unit_count: sampled as u64,
            document_count,
            largest_family: scaled(families.largest),
            largest_family_bucket_count: families.largest_buckets,
            largest_family_bytes,
            gathered_bytes,
            batch_count: gathered_bytes.div_ceil(self.batch_bytes()),
            reading_memory_bytes: PROCESS_BYTES + u64::from(self.options().resources.longest),
            resolving_memory_bytes: PROCESS_BYTES + batch_bytes.min(HELD_BYTES) + TEXT_BYTES * document_count,
            driver_memory_bytes: PROCESS_BYTES + DRIVER_BYTES * document_count,
            work_bytes: document_count * stored + gathered_bytes,
        })
    }
}

/// The families of a sample.
#[derive(Default)]
struct Families {
    documents: u64,
    largest: u64,
    largest_buckets: u64,
    largest_bytes: u64,
    gathered_bytes: u64,
}

impl Families {
    fn of(context: &Context<'_>, documents: impl Iterator<Item = StoredDocument>) -> Self {
        let mut all = Self::default();
        // Copies are one text.
        let mut texts: HashMap<u128, StoredDocument> = HashMap::new();
        for document in documents {
            all.documents += 1;
            if document.row.size > 0 {
                texts.entry(document.row.text_hash).or_insert(document);
            }
        }
        let texts: Vec<StoredDocument> = texts.into_values().collect();
        let bytes = |text: &StoredDocument| u64::from(text.row.place.length);
        if context.scheme.method().banding().is_none() {
            // One task joins or searches all of them.
            all.largest = texts.len() as u64;
            all.largest_bytes = texts.iter().map(bytes).sum();
            all.gathered_bytes = all.largest_bytes;
            return all;
        }
        let mut union = Union::new(texts.len());
        let mut first: HashMap<(usize, u64), (u32, bool)> = HashMap::new();
        let mut buckets = vec![0_u64; texts.len()];
        for (at, text) in (0..).zip(&texts) {
            for (column, key) in text.keys.iter().enumerate() {
                let (other, is_counted) = first.entry((column, *key)).or_insert((at, false));
                if *other != at {
                    union.join(*other, at);
                    buckets[*other as usize] += u64::from(!std::mem::replace(is_counted, true));
                }
            }
        }
        let mut families: HashMap<u32, (u64, u64, u64)> = HashMap::new();
        for (at, text) in (0..).zip(&texts) {
            let family = families.entry(union.root(at)).or_default();
            family.0 += 1;
            family.1 += buckets[at as usize];
            family.2 += bytes(text);
        }
        let shared = families.values().filter(|family| family.0 > 1);
        all.gathered_bytes = shared.clone().map(|family| family.2).sum();
        if let Some((texts, buckets, bytes)) = shared.max() {
            (all.largest, all.largest_buckets, all.largest_bytes) = (*texts, *buckets, *bytes);
        }
        all
    }
}
