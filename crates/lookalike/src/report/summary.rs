//! The summary of a run: `summary.json`, also shown in the terminal.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use lookalike_core::bucket::passed_over::PassedOverEstimate;
use lookalike_core::ids::Document;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::method::Method;
use lookalike_core::resolve::keep::FieldValue;
use lookalike_io::input::discover::LeftOut;
use lookalike_io::read::{NO_TEXT_FIELD, NULL_TEXT};
pub use lookalike_io::skipped::{SkipReason, SkippedEntry};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::corpus::known::Keeper;
use crate::corpus::{Corpus, without_effect};
use crate::error::{Error, Result};
use crate::options::{DedupOptions, ReadOptions};
use crate::output::clusters::{self, LargeCluster};
use crate::output::evidence::{Fates, Same};
use crate::output::kept::{SUMMARY, Wrote};
use crate::report::boilerplate::{DecidingBoilerplate, IgnoredBoilerplate};
use crate::report::losses::{BySource, NearlyLost, Source};
use crate::report::parameters::Parameters;
use crate::run::find;
pub(crate) use crate::run::stages::Stage;

/// Result of a run of `dedup`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Summary {
    /// The version that ran.
    pub lookalike: Cow<'static, str>,
    /// Identifies a run with a work folder: the same for the same input, parameters and kind of output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The command line, word by word and without secrets, if the run was one of the command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The input.
    pub input: Input,
    /// Counts of duplicates.
    pub found: Found,
    /// Changes to the written files other than the removals.
    pub wrote: Wrote,
    /// The parameters, and the recall they promise.
    pub parameters: Parameters,
    /// The boilerplate that was ignored, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boilerplate: Option<IgnoredBoilerplate>,
    /// Removals decided by boilerplate, if it is not ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boilerplate_decides: Option<DecidingBoilerplate>,
    /// Removed documents by similarity to the kept one, from the lowest band to the highest.
    pub similarity: Vec<Band>,
    /// The removals with the lowest similarity.
    pub least_similar: Vec<LeastSimilar>,
    /// Number of clusters by number of documents.
    pub clusters_by_size: BTreeMap<u64, u64>,
    /// The largest clusters of two or more documents.
    pub largest_clusters: Vec<LargeCluster>,
    /// Number of kept documents by how often they occur: themselves and their exact copies.
    pub kept_by_copy_count: BTreeMap<u64, u64>,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// Seconds of all stages.
    pub seconds: f64,
    /// Peak memory of the process, where the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// The folder that relative names in `command` are relative to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_folder: Option<String>,
    /// Documents and removals by source, the largest first.
    pub sources: Vec<Source>,
    /// Number of further sources.
    pub more_source_count: u64,
    /// Of the sources with two or more documents, those that lose most.
    pub losing_most: Vec<Source>,
    /// Sources of 20 or more documents that lose at least 95 % of them, those that lose most first.
    pub nearly_lost: Vec<NearlyLost>,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// The input. All counts except those of the reference are of the input alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Input {
    /// Files that were read.
    pub file_count: u64,
    /// Documents in them.
    pub document_count: u64,
    /// Their bytes, decompressed.
    pub bytes: u64,
    /// Entries that could not be read as documents.
    pub skipped_count: u64,
    /// Documents without a single token. They are kept.
    pub empty_count: u64,
    /// Documents shorter than two shingles: a single changed word leaves little of them in common.
    #[serde(default)]
    pub short_count: u64,
    /// Documents without the id field, which are identified by their place.
    pub without_id_count: u64,
    /// The field that ids were taken from though nobody named it, for a saved index that documents are added to: every
    /// document has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_field: Option<String>,
    /// Documents without the field of a keep order `max:FIELD` or `min:FIELD`, which rank last.
    pub without_value_count: u64,
    /// Documents without the source field.
    pub without_source_count: u64,
    /// Documents with the id of another: file and position tell them apart.
    pub repeated_id_count: u64,
    /// Other entries by kind, such as `request` records, pictures, and records whose text is null or missing. They are
    /// written unchanged, except those that belong to removed documents.
    pub carried: BTreeMap<String, u64>,
    /// Entries that were left out: hidden files, further names of files that were read, folders with an unfinished run,
    /// excluded entries, and files next to data that are not documents.
    pub left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    #[serde(default)]
    pub without_effect: Vec<String>,
    /// Files of the reference.
    pub reference_file_count: u64,
    /// Documents in them. They are neither removed nor written.
    pub reference_document_count: u64,
    /// Entries of the reference that could not be read as documents.
    pub reference_skipped_count: u64,
}

impl Input {
    /// Number of records whose text is null or missing.
    pub fn without_text(&self) -> u64 {
        [NULL_TEXT, NO_TEXT_FIELD].iter().filter_map(|kind| self.carried.get(*kind)).sum()
    }
}

/// Counts of duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Found {
    /// Removed documents that are exact copies of another one, kept or removed, that is better in keep order.
    pub repeated_text_count: u64,
    /// Distinct texts that share a bucket with another; `None` for methods without buckets.
    pub sharing_bucket_count: Option<u64>,
    /// Distinct texts of the largest family, including those of the reference: texts that share buckets, directly or
    /// through others, and are decided together. `None` for methods without buckets.
    #[serde(default)]
    pub largest_family: Option<u64>,
    /// Pairs that shared a bucket and were examined. A removed document needs no further proof.
    pub candidate_count: Option<u64>,
    /// Of these, the ones measured exactly: the others were certainly too different.
    pub measured_count: Option<u64>,
    /// Of these, the near-duplicates.
    pub match_count: Option<u64>,
    /// Pairs that shared a bucket and were not compared, since very many kept documents share a boilerplate: how many,
    /// and how many near-duplicates are left among them.
    pub passed_over: PassedOverEstimate,
    /// Documents removed.
    pub removed_count: u64,
    /// Of these, the ones removed because of a reference document.
    pub removed_by_reference_count: u64,
    /// Of those removed, exact copies of the kept document.
    pub exact_copy_count: u64,
    /// Of those removed, the ones that have the same words as the kept document and differ in punctuation, symbols,
    /// case or white space, or in what is folded.
    pub same_words_count: u64,
    /// Of those removed, the others.
    pub near_duplicate_count: u64,
    /// Of these, the ones that differ only in numbers from the kept document.
    #[serde(default)]
    pub different_numbers_count: u64,
    /// Documents kept.
    pub kept_count: u64,
    /// Kept documents with at least one removed near-duplicate.
    pub cluster_count: u64,
    /// Texts with the checksum of another text that they are not a copy of.
    pub checksum_collision_count: u64,
    /// Removed documents less similar to the kept one than the threshold: zero unless components are grouped.
    pub removed_below_threshold_count: u64,
}

/// A band of similarity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Band {
    /// The lower end.
    pub from: f64,
    /// The upper end, which belongs to the next band, except in the last.
    pub to: f64,
    /// Removed documents that are not exact copies.
    pub removed_count: u64,
}

/// One of the removals that are least sure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LeastSimilar {
    /// The removed document.
    pub removed_id: String,
    /// The kept one.
    pub kept_id: String,
    /// Their similarity.
    pub similarity: f64,
    /// The address of the removed document, if it is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_uri: Option<String>,
    /// The address of the kept document, if it is a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_uri: Option<String>,
}

/// Maximum number of sources and skipped entries in a summary; the rest is counted.
const NAMED: usize = 1000;

/// Number of the least certain removals in a summary.
const LEAST_SIMILAR: usize = 5;

/// Number of bands of similarity.
const BANDS: u32 = 20;

impl Summary {
    pub(crate) fn new(
        corpus: &Corpus,
        options: &DedupOptions,
        method: &dyn Method,
        fates: &Fates<'_>,
        by_source: &BySource<'_>,
    ) -> Result<Self> {
        let (sources, more_sources) = by_source.largest(NAMED);
        let removed = fates.removed().count() as u64;
        let having = |common: Same| fates.removed().filter(|(.., same)| *same == common).count() as u64;
        let (exact_copies, same_words) = (having(Same::Content), having(Same::Words));
        let criterion = options.scheme.criterion();
        let is_below = |likeness: Likeness| likeness.overlap().is_some_and(|overlap| !criterion.accepts(overlap));
        let below = fates.removed().filter(|(_, _, likeness, _)| is_below(*likeness)).count() as u64;
        let kept = corpus.input_count() as u64 - removed;
        let sizes = cluster_sizes(fates, kept as usize);
        Ok(Self {
            lookalike: env!("CARGO_PKG_VERSION").into(),
            run: None,
            command: options.command.clone(),
            input: Input { id_field: options.id_field.clone(), ..input(corpus, &options.read)? },
            found: Found {
                repeated_text_count: fates.repeated_texts(),
                sharing_bucket_count: None,
                largest_family: None,
                candidate_count: None,
                measured_count: None,
                match_count: None,
                passed_over: PassedOverEstimate::default(),
                removed_count: removed,
                removed_by_reference_count: fates
                    .removed()
                    .filter(|(_, kept, ..)| corpus.is_kept_elsewhere(*kept))
                    .count() as u64,
                exact_copy_count: exact_copies,
                same_words_count: same_words,
                near_duplicate_count: removed - exact_copies - same_words,
                different_numbers_count: fates
                    .removed()
                    .filter(|(document, ..)| fates.differs_in_numbers(*document))
                    .count() as u64,
                kept_count: kept,
                cluster_count: sizes.range(2..).map(|(_, count)| count).sum(),
                checksum_collision_count: corpus.checksum_collisions()?,
                removed_below_threshold_count: below,
            },
            wrote: Wrote::default(),
            parameters: Parameters::new(options, method),
            boilerplate: IgnoredBoilerplate::of(corpus, &options.scheme)?,
            boilerplate_decides: None,
            similarity: similarity(fates),
            least_similar: least_similar(corpus, fates)?,
            clusters_by_size: sizes,
            largest_clusters: clusters::largest(corpus, fates)?,
            kept_by_copy_count: clusters::kept_by_copies(fates),
            stages: Vec::new(),
            seconds: 0.0,
            peak_memory_bytes: None,
            working_folder: None,
            sources,
            more_source_count: more_sources,
            losing_most: by_source.losing_most(),
            nearly_lost: by_source.nearly_lost(fates)?,
            skipped: skipped(corpus),
        })
    }

    /// Reads the summary in the output folder of a finished run.
    ///
    /// # Errors
    ///
    /// [`Error::NotARun`] if the folder has no summary of `dedup`.
    pub fn read(folder: &Path) -> Result<Self> {
        let not_a_run = |reason: String| Error::NotARun { path: folder.to_owned(), reason };
        let invalid = |error: serde_json::Error| not_a_run(format!("{SUMMARY}: {error}"));
        let json = std::fs::read(folder.join(SUMMARY)).map_err(|cause| not_a_run(format!("{SUMMARY}: {cause}")))?;
        let value: Value = serde_json::from_slice(&json).map_err(invalid)?;
        if value["found"]["removed_count"].is_null() || value["parameters"]["threshold"].is_null() {
            return Err(not_a_run(format!("its {SUMMARY} is not one of dedup")));
        }
        serde_json::from_value(value).map_err(invalid)
    }

    /// Adds the numbers of pairs by stage, and the method if the size of the input has selected another.
    pub(crate) fn set_found(&mut self, found: find::Found) {
        self.found.count_pairs(found);
        if found.is_small {
            self.parameters.set_exact_because_small();
        }
    }

    /// Adds the times of the stages, and the folder: the parts that differ between equal runs.
    pub(crate) fn set_stages(&mut self, stages: Vec<Stage>) {
        self.seconds = stages.iter().map(|stage| stage.seconds).sum();
        self.peak_memory_bytes = stages.last().and_then(|stage| stage.peak_memory_bytes);
        self.stages = stages;
        // Callers without a command line pass the inputs directly.
        let folder = || std::env::current_dir().ok()?.into_os_string().into_string().ok();
        self.working_folder = if self.command.is_empty() { None } else { folder() };
    }
}

impl Found {
    /// Adds the numbers of pairs by stage.
    fn count_pairs(&mut self, found: find::Found) {
        self.sharing_bucket_count = found.sharing;
        self.largest_family = found.largest_family;
        self.passed_over = found.passed_over;
        if let Some(counts) = found.counts {
            self.candidate_count = Some(counts.candidates);
            self.measured_count = Some(counts.measured);
            self.match_count = Some(counts.matches);
        }
    }
}

pub(crate) fn input(corpus: &Corpus, read: &ReadOptions) -> Result<Input> {
    let (files, documents) = (corpus.input_files, corpus.input_count());
    Ok(Input {
        file_count: files as u64 - corpus.others.passed_over_count,
        document_count: documents as u64,
        bytes: corpus.file_bytes[..files].iter().sum(),
        skipped_count: corpus.others.skipped_count,
        empty_count: corpus.token_counts[..documents].iter().filter(|count| **count == 0).count() as u64,
        short_count: corpus.short_count(),
        without_id_count: if read.settings.fields.id.is_some() { corpus.without_id() } else { 0 },
        id_field: None,
        without_value_count: corpus.values.iter().take(documents).filter(|value| **value == FieldValue::Missing).count()
            as u64,
        without_source_count: if read.settings.fields.source.is_some() { corpus.without_source() } else { 0 },
        repeated_id_count: corpus.repeated_ids()?,
        carried: corpus.others.carried.clone(),
        left_out: corpus.shelf.left_out().clone(),
        without_effect: without_effect(&read.settings, &corpus.formats()),
        reference_file_count: (corpus.shelf.files().len() - files) as u64,
        reference_document_count: (corpus.len() - documents) as u64,
        reference_skipped_count: corpus.others.reference_skipped_count,
    })
}

/// The first skipped entries, with reasons.
pub(crate) fn skipped(corpus: &Corpus) -> Vec<SkippedEntry> {
    corpus.others.skipped().take(NAMED).cloned().collect()
}

fn similarity(fates: &Fates<'_>) -> Vec<Band> {
    let mut removed = vec![0; BANDS as usize];
    for (_, _, likeness, _) in fates.removed().filter(|(.., same)| *same != Same::Content) {
        let band = (likeness.similarity(fates.criterion()) * f64::from(BANDS)) as usize;
        removed[band.min(BANDS as usize - 1)] += 1;
    }
    let edge = |band: u32| f64::from(band) / f64::from(BANDS);
    let bands = (0..BANDS).zip(removed).map(|(band, removed)| Band {
        from: edge(band),
        to: edge(band + 1),
        removed_count: removed,
    });
    bands.skip_while(|band| band.removed_count == 0).collect()
}

fn least_similar(corpus: &Corpus, fates: &Fates<'_>) -> Result<Vec<LeastSimilar>> {
    let similarity = |(document, kept, likeness, _): (Document, Keeper, Likeness, Same)| {
        (likeness.similarity(fates.criterion()), document, kept)
    };
    let mut removed: Vec<(f64, Document, Keeper)> = fates.removed().map(similarity).collect();
    let by_similarity = |left: &(f64, Document, Keeper), right: &(f64, Document, Keeper)| {
        left.0.total_cmp(&right.0).then(left.1.cmp(&right.1))
    };
    if removed.len() > LEAST_SIMILAR {
        removed.select_nth_unstable_by(LEAST_SIMILAR, by_similarity);
        removed.truncate(LEAST_SIMILAR);
    }
    removed.sort_unstable_by(by_similarity);
    let removal = |(similarity, document, kept)| {
        let (removed, kept) = (corpus.describe(document)?, corpus.describe_kept(kept)?);
        let [removed_uri, kept_uri] = [&removed, &kept].map(|described| described.uri().map(str::to_owned));
        let (removed_id, kept_id) = (removed.id().into_owned(), kept.id().into_owned());
        Ok(LeastSimilar { removed_id, kept_id, similarity, removed_uri, kept_uri })
    };
    removed.into_iter().map(removal).collect()
}

fn cluster_sizes(fates: &Fates<'_>, kept: usize) -> BTreeMap<u64, u64> {
    let mut sizes = vec![0_u32; kept + 1];
    // Documents removed for the reference are in no cluster of the input.
    fates.clusters.iter().filter(|cluster| **cluster as usize <= kept).for_each(|at| sizes[*at as usize] += 1);
    let mut by_size = BTreeMap::new();
    // Clusters are numbered from 1.
    sizes.iter().skip(1).for_each(|size| *by_size.entry(u64::from(*size)).or_default() += 1);
    by_size
}
