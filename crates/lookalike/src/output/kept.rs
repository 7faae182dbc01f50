//! Decisions to files: what stays, or everything with notes, in the format of the input.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use lookalike_core::ids::Document;
use lookalike_io::input::discover::unique;
use lookalike_io::read::{NO_TEXT_FIELD, NULL_TEXT};
use lookalike_io::write::{Annotation, FileWriter, OutputFile, Staging, Unfinished, Written, annotated_name};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::candidates::additions::Additions;
use crate::corpus::{Corpus, FileEntry, What};
use crate::error::{Error, Result};
use crate::options::{DedupOptions, Output, RowFormat};
use crate::output::captures::{Captures, Pages};
use crate::output::destination::REPORT;
use crate::output::evidence::{Fates, Verdicts};
use crate::output::read_back::REMOVED;
use crate::output::rows::Removal;
use crate::output::sink::{RowWriter, Seen};
use crate::progress::Progress;

/// Name of the file with the summary.
pub(crate) const SUMMARY: &str = "summary.json";

/// Changes to the written files other than the removals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Wrote {
    /// Records of crawls that were left out with the removed documents they belong to, such as `request` records and
    /// `revisit` records of removed pages, by kind.
    pub removed_along: BTreeMap<String, u64>,
    /// Documents that had a field with the name of a note, which was replaced.
    pub replaced_field_count: u64,
    /// Kept documents that the saved index has after the run: those that it added, and those that an earlier attempt at
    /// it had added.
    #[serde(default)]
    pub added_to_index_count: u64,
    /// Documents of the saved index that were replaced, because a kept document with other content has their id. Not in
    /// the file: a run that is repeated replaces nothing, and writes the same.
    #[serde(skip)]
    pub replaced_in_index_count: u64,
}

impl Wrote {
    /// Notes what is added to a saved index.
    pub(crate) fn count_additions(&mut self, additions: &Additions) {
        (self.added_to_index_count, self.replaced_in_index_count) = (additions.stored_count, additions.replaced_count);
    }

    /// Adds up the counts of several files.
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (kind, count) in other.removed_along {
            *self.removed_along.entry(kind).or_default() += count;
        }
        self.replaced_field_count += other.replaced_field_count;
        self
    }
}

/// Writes documents and evidence to the folder that becomes the output. `seen` is shown each removal.
pub(crate) fn write(
    corpus: &Corpus,
    fates: &Fates<'_>,
    options: &DedupOptions,
    (staging, seen): (&Staging, &mut dyn FnMut(&Removal)),
    progress: &dyn Progress,
) -> Result<Wrote> {
    let (name, output) = (REMOVED, options.output);
    let mut rows = Seen { seen, sink: RowWriter::new(staging.file(name)?, RowFormat::Jsonl) };
    fates.write_removals(options.source, &mut rows, |cause| unwritable(staging, name)(cause))?;
    if output == Output::DryRun {
        return Ok(Wrote::default());
    }
    let targets = targets(corpus, output);
    let pages = Pages::of_input(corpus, fates)?;
    let entries = EntriesToWrite { corpus, fates, pages: &pages, output, progress };
    let write_file = |(file, target): (usize, &String)| {
        entries.write_file(file as u32, options, &staging.path().join(target), || Ok(staging.file(target)?))
    };
    targets.par_iter().enumerate().map(write_file).try_reduce(Wrote::default, |left, right| Ok(left.and(right)))
}

/// Returns the output path of each input file.
pub(crate) fn targets(corpus: &Corpus, output: Output) -> Vec<String> {
    let files = corpus.shelf.files().iter().zip(&corpus.kinds).take(corpus.input_files);
    match output {
        Output::Annotated => {
            unique(files.map(|(file, kind)| format!("annotated/{}", annotated_name(&file.name, kind.format))).collect())
        }
        Output::Kept | Output::DryRun => files.map(|(file, _)| format!("kept/{}", file.name)).collect(),
    }
}

/// Writes the documents of the input files and the entries carried along, in their order.
#[derive(Clone, Copy)]
pub(crate) struct EntriesToWrite<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) fates: &'a dyn Verdicts,
    pub(crate) pages: &'a Pages,
    pub(crate) output: Output,
    pub(crate) progress: &'a dyn Progress,
}

impl<'a> EntriesToWrite<'a> {
    /// Writes one file of the input; `open` makes the writer, if there is something to write, and errors name `path`.
    pub(crate) fn write_file<W: Write + Send>(
        self,
        file: u32,
        options: &DedupOptions,
        path: &Path,
        open: impl FnOnce() -> Result<W>,
    ) -> Result<Wrote> {
        self.progress.go_on()?;
        let kind = &*self.corpus.kinds[file as usize];
        if kind.is_refused {
            return Ok(Wrote::default());
        }
        let captures = match self.output {
            Output::Kept => Captures::of_file(self.corpus, self.fates, self.pages, file)?,
            Output::Annotated | Output::DryRun => Captures::default(),
        };
        let mut runs = self.of_file(file, &captures).peekable();
        // A document that is removed leaves no file behind; files of many may become empty.
        if kind.format.is_one_document() && runs.peek().is_none_or(|run| run.as_ref().is_ok_and(Vec::is_empty)) {
            return Ok(Wrote::default());
        }
        let mut writer = open()?;
        let unwritable = |cause| Error::from(lookalike_io::Error::Unwritable { path: path.to_owned(), cause });
        // A file without removals is copied byte by byte, including its compression and the bytes between entries.
        if captures.is_empty()
            && self.are_all_of(file)
            && self.corpus.shelf.files()[file as usize].copy_to(path, &mut writer)?
        {
            return writer.flush().map(|()| Wrote::default()).map_err(unwritable);
        }
        let file_writer = FileWriter {
            shelf: &self.corpus.shelf,
            settings: &options.read.settings,
            file,
            kind,
            is_annotated: self.output == Output::Annotated,
        };
        let replaced_field_count = file_writer.write(runs, path, &mut writer)?;
        writer.flush().map_err(unwritable)?;
        Ok(Wrote { removed_along: captures.counts().clone(), replaced_field_count, ..Wrote::default() })
    }

    /// Iterates over the entries of one file, a run of neighbors at a time, without records removed with documents.
    fn of_file<'c>(
        self,
        file: u32,
        captures: &'c Captures,
    ) -> impl Iterator<Item = Result<Vec<Written>>> + use<'a, 'c> {
        self.corpus.blocks_of_file(file).map(move |block| {
            self.progress.go_on()?;
            let entries = self.corpus.entries(block)?.into_iter();
            entries.filter_map(|entry| self.written(&entry, captures).transpose()).collect()
        })
    }

    /// True if a file is written unchanged.
    fn are_all_of(self, file: u32) -> bool {
        let is_kept = |document| self.fates.is_kept(Document(document));
        self.output == Output::Kept && self.corpus.is_whole(file) && self.corpus.documents_of_file(file).all(is_kept)
    }

    /// An entry as it is written, if it is.
    fn written(self, entry: &FileEntry, captures: &Captures) -> Result<Option<Written>> {
        let FileEntry { place, position, ref what } = *entry;
        let annotation = match what {
            What::Document(document) if self.output == Output::Annotated => Some(self.fates.annotation(*document)?),
            What::Document(document) if !self.fates.is_kept(*document) => return Ok(None),
            What::Carried(_) if captures.is_removed(position) => return Ok(None),
            What::Carried(kind)
                if self.output == Output::Annotated && [NULL_TEXT, NO_TEXT_FIELD].contains(&&**kind) =>
            {
                Some(Annotation::WITHOUT_TEXT)
            }
            _ => None,
        };
        Ok(Some(Written { place, position, annotation }))
    }
}

/// Writes the summary, the last of all entries.
pub(crate) fn write_summary(summary: &impl Serialize, staging: &Staging) -> Result<()> {
    let name = SUMMARY;
    let mut writer = staging.file(name)?;
    let written = serde_json::to_writer_pretty(&mut writer, summary).map_err(std::io::Error::from);
    written.and_then(|()| writer.write_all(b"\n")).and_then(|()| writer.flush()).map_err(unwritable(staging, name))
}

/// Makes sure that there is room for a report with a name of its own.
pub(crate) fn open_report(file: Option<&Path>, force: bool, unfinished: &Unfinished) -> Result<Option<OutputFile>> {
    Ok(file.map(|path| OutputFile::new(path, force, unfinished)).transpose()?)
}

/// Writes the page of the report to the file that it has a name for, or else to the output folder, if there is one.
/// Returns the file, to be committed after the folder: a report must not describe a result that is not there.
pub(crate) fn place_report(
    page: &str,
    file: Option<OutputFile>,
    staging: Option<&Staging>,
) -> Result<Option<OutputFile>> {
    match (file, staging) {
        (Some(mut file), _) => {
            file.writer().write_all(page.as_bytes()).map_err(Error::unwritable)?;
            Ok(Some(file))
        }
        (None, Some(staging)) => write_report(page, staging).map(|()| None),
        (None, None) => Ok(None),
    }
}

/// Gives the report its name, if it has one of its own.
pub(crate) fn commit_report(file: Option<OutputFile>) -> Result<()> {
    Ok(file.map_or(Ok(()), OutputFile::commit)?)
}

/// Writes the page of the report.
fn write_report(page: &str, staging: &Staging) -> Result<()> {
    staging.file(REPORT)?.write_all(page.as_bytes()).map_err(unwritable(staging, REPORT))
}

fn unwritable(staging: &Staging, name: &str) -> impl FnOnce(std::io::Error) -> Error {
    let path = staging.path().join(name);
    move |cause| lookalike_io::Error::Unwritable { path, cause }.into()
}
