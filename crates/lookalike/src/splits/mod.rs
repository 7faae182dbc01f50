//! Leaks between splits: documents of a later split that have a near-duplicate, or a passage, in an earlier one.
//!
//! ```text
//! pairs → leaks of each pair of splits → passages → write
//! ```
//!
//! Near-duplicates are those of `pairs`, found once for all splits. Passages are those of `passages`, found for each
//! pair of splits, so that the first document with a passage belongs to the earlier split if one of its documents has
//! it.

mod clusters;
mod leaks;
mod page;
mod report;
mod write;

use std::ops::Range;

use lookalike_core::ids::Document;
use lookalike_core::remedy::JobOption;

pub use self::leaks::{Leak, SharedPassage};
pub use self::report::{SplitPair, SplitReport, SplitsReport};

use self::clusters::Clusters;
use self::leaks::{Leaks, shared_passages};
use self::write::Target;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::options::{PassagesOptions, ReadOptions, SplitsOptions};
use crate::output::sink::Sink;
use crate::pairs;
use crate::passages::{PassageRows, RepeatedPassage, passages_into};
use crate::progress::Progress;
use crate::report::page::CorpusTexts;
use crate::report::page::texts::{InputTexts, LONGEST};
use crate::report::summary::SkippedEntry;

/// Finds leaks between splits, and writes them with a summary.
///
/// # Errors
///
/// Fails if there are fewer than two splits, an input cannot be read, or the output cannot be written. Nothing is left
/// under the output's name then.
pub fn splits(options: &SplitsOptions, progress: &dyn Progress) -> Result<SplitsReport> {
    splits_into(options, &mut Vec::new(), progress)
}

/// Finds leaks as [`splits()`] does, and also gives the near-duplicates among them to a sink.
///
/// ```
/// use lookalike::{Leak, Silent, SplitsRequest};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = |name: &str, text: &str| {
/// #     let path = folder.path().join(name);
/// #     std::fs::write(&path, text).map(|()| path)
/// # };
/// let train = file("train.jsonl", "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"a quiet day\"}\n")?;
/// let test = file("test.jsonl", "{\"text\":\"The storm hit the coast!\"}\n{\"text\":\"rain in May\"}\n")?;
/// let mut leaks: Vec<Leak> = Vec::new();
/// let report = lookalike::splits_into(&SplitsRequest::new([train, test]).check()?, &mut leaks, &Silent)?;
/// assert_eq!((report.pairs[0].leak_count, report.pairs[0].share), (1, 0.5));
/// assert_eq!((&*leaks[0].document_id, &*leaks[0].other_id), ("test.jsonl:1", "train.jsonl:1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`splits()`], and when the sink fails.
pub fn splits_into(
    options: &SplitsOptions,
    sink: &mut dyn Sink<Leak>,
    progress: &dyn Progress,
) -> Result<SplitsReport> {
    let splits = Splits::new(options)?;
    let mut target = Target::open(options, &splits, progress)?;
    let mut clusters = options.group.is_some().then(Clusters::default);

    let ((leaks, document_counts, shown), found) =
        pairs::find(&options.pairs, progress, |corpus, texts, near, run| {
            let ranges = splits.documents(corpus);
            splits.check_read(corpus, &ranges, options.fail_if_leaks.is_some())?;
            let mut leaks = Leaks::new(corpus, texts, &ranges, run.scheme);
            leaks.find(near, clusters.as_mut(), progress)?;
            let counts = ranges.iter().map(|range| u64::from(range.end - range.start)).collect::<Vec<_>>();
            let leaks = leaks.describe(&splits.names)?;
            let texts = CorpusTexts::new(corpus, options.read());
            let shown = if options.has_report() { page::shown_leaks(&leaks, &texts) } else { Vec::new() };
            Ok((leaks, counts, shown))
        })?;
    let mut report = SplitsReport::new(options, &splits.names, &document_counts, found);
    report.add_leaks(&leaks);
    let mut passages = Vec::new();
    if let Some(wanted) = &options.passages {
        passages = shared_passages(&splits, &document_counts, wanted, progress)?;
        report.add_passages(&passages);
        clusters.as_mut().map_or(Ok(()), |clusters| join_passages(clusters, wanted, progress))?;
    }
    report.check(options.fail_if_leaks);
    report.cluster_count = clusters.as_ref().map(Clusters::count);
    target.write(options, &leaks, &passages, clusters, progress)?;
    sink.start(&Leak::COLUMNS).map_err(Error::unwritable)?;
    sink.take(leaks).map_err(Error::unwritable)?;
    sink.finish().map_err(Error::unwritable)?;
    let page = options.has_report().then(|| {
        let read = options.read();
        let texts = InputTexts { read, references: &[], reference_tables: &[], longest: LONGEST };
        page::page(&report, &options.pairs.scheme, &shown, &page::shown_passages(&passages, &texts))
    });
    target.commit(&report, page.as_deref())?;
    Ok(report)
}

/// Joins documents that share a passage, of one split or of several.
fn join_passages(clusters: &mut Clusters, options: &PassagesOptions, progress: &dyn Progress) -> Result<()> {
    let mut rows: Vec<RepeatedPassage> = Vec::new();
    let found = passages_into(options, PassageRows::default().passages(&mut rows), progress)?;
    clusters.grow(found.input.document_count as usize);
    rows.iter().for_each(|row| clusters.join(row.document, row.first_document));
    Ok(())
}

/// The splits: their names, and the files of each.
struct Splits {
    names: Vec<String>,
    /// The inputs of each split.
    reads: Vec<ReadOptions>,
    /// The first file of each, and the end of all.
    files: Vec<usize>,
}

impl Splits {
    fn new(options: &SplitsOptions) -> Result<Self> {
        let read = options.read();
        let alone = || ReadOptions { inputs: Vec::new(), listed: Vec::new(), tables: Vec::new(), ..read.clone() };
        let inputs = read.inputs.iter().chain(&read.listed);
        let mut reads: Vec<ReadOptions> =
            inputs.map(|input| ReadOptions { inputs: vec![input.clone()], ..alone() }).collect();
        reads.extend(read.tables.iter().map(|table| ReadOptions { tables: vec![table.clone()], ..alone() }));
        if reads.len() < 2 {
            return Err(Error::OneSplit);
        }
        let inputs = read.inputs.iter().chain(&read.listed).map(|input| lookalike_io::remote::shown_path(input));
        let shown: Vec<String> = inputs.chain(read.tables.iter().map(|table| table.name.clone())).collect();
        let names = if options.names.len() == shown.len() { options.names.clone() } else { shown };
        let mut files = vec![0];
        for of_split in &reads {
            let count = of_split.discover(options.folder())?.files.len();
            files.push(files.last().copied().unwrap_or(0) + count);
        }
        if files.last() != Some(&read.discover(options.folder())?.files.len()) {
            return Err(Error::SplitsOverlap);
        }
        Ok(Self { names, reads, files })
    }

    /// The documents of each split.
    fn documents(&self, corpus: &Corpus) -> Vec<Range<u32>> {
        let first = |file: usize| {
            if file < corpus.kinds.len() { corpus.documents_of_file(file as u32).start } else { corpus.len() as u32 }
        };
        self.files.windows(2).map(|files| first(files[0])..first(files[1])).collect()
    }

    /// Makes sure that something could be read of each split: one without documents would have no leaks.
    fn check_read(&self, corpus: &Corpus, ranges: &[Range<u32>], has_limit: bool) -> Result<()> {
        for (files, _) in self.files.windows(2).zip(ranges).filter(|(_, range)| range.is_empty()) {
            let files = corpus.shelf.files().get(files[0]..files[1]).unwrap_or_default();
            let of_split: Vec<String> = files.iter().map(|file| file.shown().display().to_string()).collect();
            let skipped: Vec<&SkippedEntry> =
                corpus.others.skipped().filter(|entry| of_split.contains(&entry.file)).collect();
            if let Some(first) = skipped.first() {
                return Err(Error::nothing_read(skipped.iter().map(|entry| entry.count).sum(), Some(first)));
            }
        }
        match self.names.iter().zip(ranges).find(|(_, range)| range.is_empty()) {
            Some((split, _)) if has_limit => {
                let what = format!("{split} has no documents");
                Err(Error::NothingToCheck { what, limit: JobOption::FailIfLeaks })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the split of a document.
fn split_of(ranges: &[Range<u32>], document: Document) -> usize {
    ranges.partition_point(|range| range.end <= document.0)
}
