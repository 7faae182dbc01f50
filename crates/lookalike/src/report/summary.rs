//! The summary of a run: `summary.json`, and what the terminal shows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lookalike_core::bucket::passed_over::PassedOverEstimate;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::method::Method;
use lookalike_core::number::Document;
use lookalike_core::resolve::keep::FieldValue;
use lookalike_io::input::discover::LeftOut;
use lookalike_io::read::{HEADER, NO_TEXT_FIELD, NULL_TEXT};
pub use lookalike_io::skipped::SkippedEntry;
use serde::{Deserialize, Serialize};

use crate::candidates;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::{DedupOptions, ReadOptions};
use crate::output::clusters::{self, LargeCluster};
use crate::output::evidence::{Fates, Same};
use crate::report::losses::{BySource, NearlyLost, Source};
use crate::report::parameters::Parameters;

/// What a run of `dedup` did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// What was found.
    pub found: Found,
    /// Changes to the written files other than the removals.
    pub wrote: Wrote,
    /// The parameters, and the recall they promise.
    pub parameters: Parameters,
    /// Removed documents by similarity to the kept one, from the lowest band to the highest.
    pub similarity: Vec<Band>,
    /// The removals with the lowest similarity.
    pub least_alike: Vec<LeastAlike>,
    /// Number of clusters by number of documents.
    pub clusters_by_size: BTreeMap<u64, u64>,
    /// The largest clusters of two or more documents.
    pub largest_clusters: Vec<LargeCluster>,
    /// Number of kept documents by how often they occur: themselves and their exact copies.
    pub kept_by_copies: BTreeMap<u64, u64>,
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
    pub more_sources: u64,
    /// Of the sources with two or more documents, those that lose most.
    pub losing_most: Vec<Source>,
    /// Sources of 20 or more documents that lose at least 95 % of them, those that lose most first.
    pub nearly_lost: Vec<NearlyLost>,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// The input. All counts except those of the reference are of the input alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Files that were read.
    pub files: u64,
    /// Documents in them.
    pub documents: u64,
    /// Their bytes, decompressed.
    pub bytes: u64,
    /// Entries that could not be read as documents.
    pub skipped: u64,
    /// Whether everything was skipped, so that no documents were written.
    pub is_all_skipped: bool,
    /// Documents without a single token. They are kept.
    pub empty: u64,
    /// Documents without the id field, which are identified by their place.
    pub without_id: u64,
    /// Documents without the field of a keep order `max:FIELD` or `min:FIELD`, which rank last.
    pub without_value: u64,
    /// Documents without the source field.
    pub without_source: u64,
    /// Documents with the id of another: file and position tell them apart.
    pub repeated_ids: u64,
    /// Other entries by kind, such as `request` records, pictures, and records whose text is null or missing. They are
    /// written unchanged, except those that belong to removed documents.
    pub carried: BTreeMap<String, u64>,
    /// What was left out: hidden files, further names of files that were read, and folders with an unfinished run.
    pub left_out: LeftOut,
    /// Files of the reference.
    pub reference_files: u64,
    /// Documents in them. They are neither removed nor written.
    pub reference_documents: u64,
    /// Entries of the reference that could not be read as documents.
    pub reference_skipped: u64,
}

impl Input {
    /// Number of records whose text is null or missing.
    pub fn without_text(&self) -> u64 {
        [NULL_TEXT, NO_TEXT_FIELD].iter().filter_map(|kind| self.carried.get(*kind)).sum()
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Removed documents that are exact copies of another one, kept or removed, that is better in keep order.
    pub repeated_texts: u64,
    /// Distinct texts that share a bucket with another; `None` for methods without buckets.
    pub sharing_a_bucket: Option<u64>,
    /// Pairs that shared a bucket and were examined. A removed document needs no further proof.
    pub candidates: Option<u64>,
    /// Of these, the ones measured exactly: the others were certainly too different.
    pub measured: Option<u64>,
    /// Of these, the near-duplicates.
    pub matches: Option<u64>,
    /// Pairs that shared a bucket and were not compared, since very many kept documents share a boilerplate: how many,
    /// and how many near-duplicates are left among them.
    #[serde(flatten)]
    pub passed_over: PassedOverEstimate,
    /// Documents removed.
    pub removed: u64,
    /// Of these, the ones removed because of a reference document.
    pub removed_by_reference: u64,
    /// Of those removed, exact copies of the kept document.
    pub exact_copies: u64,
    /// Of those removed, the ones that have the same words as the kept document and differ in punctuation, symbols,
    /// case or white space, or in what is folded.
    pub same_words: u64,
    /// Of those removed, the others.
    pub near_duplicates: u64,
    /// Documents kept.
    pub kept: u64,
    /// Kept documents with at least one removed near-duplicate.
    pub clusters: u64,
    /// Texts with the checksum of another text that they are not a copy of.
    pub checksum_collisions: u64,
    /// Removed documents less similar to the kept one than the threshold: zero unless components are grouped.
    pub removed_below_threshold: u64,
}

/// Changes to the written files other than the removals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrote {
    /// Records of crawls that were left out with the removed documents they belong to, such as `request` records, by
    /// kind.
    pub removed_along: BTreeMap<String, u64>,
    /// Documents that had a field with the name of a note, which was replaced.
    pub replaced_fields: u64,
    /// Kept documents that were added to a saved index. Not in the file, which stands before they are.
    #[serde(skip)]
    pub added_to_index: u64,
}

impl Wrote {
    /// What happened to two files or more.
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (kind, count) in other.removed_along {
            *self.removed_along.entry(kind).or_default() += count;
        }
        self.replaced_fields += other.replaced_fields;
        self
    }
}

/// A band of similarity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// The lower end.
    pub from: f64,
    /// The upper end, which belongs to the next band, except in the last.
    pub to: f64,
    /// Removed documents that are not exact copies.
    pub removed: u64,
}

/// One of the removals that are least sure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastAlike {
    /// The removed document.
    pub removed_id: String,
    /// The kept one.
    pub kept_id: String,
    /// Their similarity.
    pub similarity: f64,
}

/// A stage of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// How long it took.
    pub seconds: f64,
    /// Peak memory of the process until the end of the stage.
    pub peak_memory_bytes: Option<u64>,
}

/// How many sources and skipped entries a summary names; the rest is counted.
const NAMED: usize = 1000;

/// How many of the least sure removals a summary names.
const LEAST_ALIKE: usize = 5;

/// How wide a band of similarity is: twenty of them.
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
        let criterion = options.scheme.criterion;
        let is_below = |likeness: Likeness| likeness.overlap().is_some_and(|overlap| !criterion.accepts(overlap));
        let below = fates.removed().filter(|(_, _, likeness, _)| is_below(*likeness)).count() as u64;
        let kept = corpus.input_count() as u64 - removed;
        let sizes = cluster_sizes(fates, kept as usize);
        Ok(Self {
            lookalike: env!("CARGO_PKG_VERSION").into(),
            run: None,
            command: options.command.clone(),
            input: input(corpus, &options.read)?,
            found: Found {
                repeated_texts: fates.repeated_texts(),
                sharing_a_bucket: None,
                candidates: None,
                measured: None,
                matches: None,
                passed_over: PassedOverEstimate::default(),
                removed,
                removed_by_reference: fates.removed().filter(|(_, by, ..)| corpus.is_reference(by.0)).count() as u64,
                exact_copies,
                same_words,
                near_duplicates: removed - exact_copies - same_words,
                kept,
                clusters: sizes.range(2..).map(|(_, count)| count).sum(),
                checksum_collisions: corpus.checksum_collisions()?,
                removed_below_threshold: below,
            },
            wrote: Wrote::default(),
            parameters: Parameters::new(options, method),
            similarity: similarity(fates),
            least_alike: least_alike(corpus, fates)?,
            clusters_by_size: sizes,
            largest_clusters: clusters::largest(corpus, fates)?,
            kept_by_copies: clusters::kept_by_copies(fates),
            stages: Vec::new(),
            seconds: 0.0,
            peak_memory_bytes: None,
            working_folder: None,
            sources,
            more_sources,
            losing_most: by_source.losing_most(),
            nearly_lost: by_source.nearly_lost(fates)?,
            skipped: skipped(corpus),
        })
    }

    /// Adds the times of the stages, and where they were: what differs between two runs that are the same.
    pub(crate) fn set_stages(&mut self, stages: Vec<Stage>) {
        self.seconds = stages.iter().map(|stage| stage.seconds).sum();
        self.peak_memory_bytes = stages.last().and_then(|stage| stage.peak_memory_bytes);
        self.stages = stages;
        // Who has no command line has told what to read in another way.
        let folder = || std::env::current_dir().ok()?.into_os_string().into_string().ok();
        self.working_folder = if self.command.is_empty() { None } else { folder() };
    }
}

impl Found {
    /// Adds how many pairs came how far.
    pub(crate) fn count_pairs(&mut self, found: candidates::Found) {
        self.sharing_a_bucket = found.sharing;
        self.passed_over = found.passed_over;
        if let Some(counts) = found.counts {
            self.candidates = Some(counts.candidates);
            self.measured = Some(counts.measured);
            self.matches = Some(counts.matches);
        }
    }
}

pub(crate) fn input(corpus: &Corpus, read: &ReadOptions) -> Result<Input> {
    let (files, documents) = (corpus.input_files, corpus.input_count());
    Ok(Input {
        files: files as u64,
        documents: documents as u64,
        bytes: corpus.file_bytes[..files].iter().sum(),
        skipped: corpus.others.skipped_count,
        is_all_skipped: is_all_skipped(corpus),
        empty: corpus.token_counts[..documents].iter().filter(|count| **count == 0).count() as u64,
        without_id: if read.settings.fields.id.is_some() { corpus.without_id() } else { 0 },
        without_value: corpus.values.iter().take(documents).filter(|value| **value == FieldValue::Missing).count()
            as u64,
        without_source: if read.settings.fields.source.is_some() { corpus.without_source() } else { 0 },
        repeated_ids: corpus.repeated_ids()?,
        carried: corpus.others.carried.clone(),
        left_out: corpus.shelf.left_out().clone(),
        reference_files: (corpus.shelf.files().len() - files) as u64,
        reference_documents: (corpus.len() - documents) as u64,
        reference_skipped: corpus.others.reference_skipped_count,
    })
}

/// Whether all of the input was skipped.
pub(crate) fn is_all_skipped(corpus: &Corpus) -> bool {
    let others = &corpus.others;
    others.skipped_count > 0 && corpus.input_count() == 0 && others.carried.keys().all(|kind| kind == HEADER)
}

/// What was skipped, and why: the first of them.
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
    let bands = (0..BANDS).zip(removed).map(|(band, removed)| Band { from: edge(band), to: edge(band + 1), removed });
    bands.skip_while(|band| band.removed == 0).collect()
}

fn least_alike(corpus: &Corpus, fates: &Fates<'_>) -> Result<Vec<LeastAlike>> {
    let similarity = |(document, by, likeness, _): (Document, Document, Likeness, Same)| {
        (likeness.similarity(fates.criterion()), document, by)
    };
    let mut removed: Vec<(f64, Document, Document)> = fates.removed().map(similarity).collect();
    let by_similarity = |left: &(f64, Document, Document), right: &(f64, Document, Document)| {
        left.0.total_cmp(&right.0).then(left.1.cmp(&right.1))
    };
    if removed.len() > LEAST_ALIKE {
        removed.select_nth_unstable_by(LEAST_ALIKE, by_similarity);
        removed.truncate(LEAST_ALIKE);
    }
    removed.sort_unstable_by(by_similarity);
    let id = |document: Document| -> Result<String> { Ok(corpus.describe(document.0)?.id().into_owned()) };
    let removal =
        |(similarity, document, by)| Ok(LeastAlike { removed_id: id(document)?, kept_id: id(by)?, similarity });
    removed.into_iter().map(removal).collect()
}

fn cluster_sizes(fates: &Fates<'_>, kept: usize) -> BTreeMap<u64, u64> {
    let mut sizes = vec![0_u32; kept + 1];
    // What went for the reference is in none of the input's clusters.
    fates.clusters.iter().filter(|cluster| **cluster as usize <= kept).for_each(|at| sizes[*at as usize] += 1);
    let mut by_size = BTreeMap::new();
    // Clusters are numbered from 1.
    sizes.iter().skip(1).for_each(|size| *by_size.entry(u64::from(*size)).or_default() += 1);
    by_size
}
