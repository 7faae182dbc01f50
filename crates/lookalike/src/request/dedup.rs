//! The request of `dedup`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::decision::Scope;
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::remedy::{JobOption, Remedy};
use lookalike_core::resolve::keep::Keep;
use lookalike_core::scheme::Scheme;
use lookalike_index::Index;
use lookalike_io::input::held::HeldTable;
use lookalike_io::write::NOTES;
use serde::{Deserialize, Serialize};

use super::boilerplate::{IgnoreBoilerplate, Ignored, source_of_table};
use super::matching::MatchRequest;
use super::read::ReadRequest;
use super::resources::{ResourceRequest, WorkRequest};
use super::scheme::SchemeRequest;
use super::{check_added, check_report, is_stream, named_file};
use crate::options::{
    Against, AgainstIndex, CompareWith, DedupOptions, DifferentNumbers, Group, Output, ReportTexts, Resources, Share,
    SourceBy,
};
use crate::refused::Refused;

/// Unchecked options of [`dedup`](crate::dedup()). Missing ones have the defaults of the command.
///
/// ```
/// use lookalike::DedupRequest;
///
/// let options = DedupRequest::new(["news.jsonl"]).threshold(0.7).keep("first").output("clean").check()?;
/// let refused = DedupRequest::new(["news.jsonl"]).threshold(7.0).check().unwrap_err();
/// assert_eq!(refused.to_string(), "threshold must be above 0 and at most 1, not 7");
/// # Ok::<(), lookalike::Refused>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct DedupRequest {
    /// Options for reading.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Criterion for near-duplicates.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Rules that decide which similar documents are matches.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub matching: MatchRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The work folder.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub work: WorkRequest,
    /// Documents to compare with, which are never removed: files, folders, patterns, addresses.
    pub against: Vec<PathBuf>,
    /// The same in memory.
    #[serde(skip)]
    pub against_in_memory: Vec<HeldTable>,
    /// A saved index to compare with.
    pub against_index: Option<PathBuf>,
    /// Keep near-duplicates within the input, and remove only those of `against`.
    pub only_against: Option<bool>,
    /// Add the kept documents to the index.
    pub add_kept: Option<bool>,
    /// Ignore what a source says on most of its pages: `true` for text on more than 30 % of them, another share, or a
    /// table that `lookalike boilerplate` wrote. Default: nothing is ignored.
    pub ignore_boilerplate: Option<IgnoreBoilerplate>,
    /// Keep order, which decides which of two near-duplicates is kept: `longest`, `first`, `last`, `max:FIELD`,
    /// `min:FIELD`, `source:A>B>*` (the first of these sources), or several separated by commas, each of which breaks
    /// the ties of those before it. Default: `longest`.
    pub keep: Option<String>,
    /// Strategy that turns matches into removals. Default: `independent`.
    pub group: Option<Group>,
    /// The source of a document: `host`, `file`, or a field. Default: the host of a page, else the file or its folder.
    pub source: Option<String>,
    /// A source that loses this share of its documents, or more, ends the run before anything is written.
    pub fail_if_source_loses: Option<f64>,
    /// The folder to write to, or `-` for the stream of [`filter`](crate::filter()). Default: nothing is written.
    pub output: Option<PathBuf>,
    /// The file for the evidence, where there is no folder for it: what would be `removed.jsonl`.
    pub removed: Option<PathBuf>,
    /// Write the evidence and the summary, and no documents.
    pub dry_run: Option<bool>,
    /// Write all documents, with notes.
    pub annotate: Option<bool>,
    /// The file of the report. Default: `report.html` in the output folder.
    pub report: Option<PathBuf>,
    /// Write no report.
    pub no_report: Option<bool>,
    /// Amount of document text in the report. Default: `excerpt`.
    pub report_texts: Option<ReportTexts>,
    /// The command line that asked for all this, word by word and without secrets, for the summary.
    #[serde(skip)]
    pub command: Vec<String>,
}

new_from_inputs!(DedupRequest, read.inputs);
from_options!(DedupRequest, read, scheme, matching, resources, work);

impl DedupRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(mut self) -> Result<DedupOptions, Refused> {
        let resources = self.resources.check()?;
        let purpose = self.scheme.purpose;
        self.read = self.read.with_purpose(purpose);
        self.matching = self.matching.with_purpose(purpose);
        self.ignore_boilerplate = IgnoreBoilerplate::of_purpose(self.ignore_boilerplate, purpose);
        if let Some(purpose) = purpose.filter(|purpose| purpose.ignores_boilerplate())
            && self.against_index.is_some()
        {
            // Stored documents are compared as they are. At the thresholds of these purposes, pages of one template
            // would be near-duplicates.
            return Err(Refused::not_with_value(JobOption::AgainstIndex, JobOption::Purpose, purpose.to_string())
                .with_remedies([Remedy::Replace(JobOption::Against, JobOption::AgainstIndex)]));
        }
        let work = self.work.check()?;
        let keep = self.keep_order()?;
        let ignored = Ignored::of(self.ignore_boilerplate.as_ref())?;
        let (scheme, code_file_count) = self.checked_scheme(&ignored, &resources)?;
        let matching = self.matching.check(&self.scheme.with_purpose(), self.read.text.as_deref())?;
        if self.against_index.is_some() {
            self.matching.check_unused(JobOption::AgainstIndex, None)?;
        }
        if self.group == Some(Group::Components) && matching.numbers == DifferentNumbers::Keep {
            // A document linked through others may differ from the kept one only in numbers.
            return Err(Refused::not_with_value(JobOption::DifferentNumbers, JobOption::Group, "components"));
        }
        let scheme = matching.applied(scheme);
        check_keep(&keep, scheme.criterion())?;
        let compare_with = self.compared_with()?;
        let given = self.source.as_deref().map(|written| source(Some(written))).transpose()?;
        let (source, source_field) = source_of_table(&scheme, given)?.unwrap_or_default();
        let output = self.written()?;
        self.check_evidence()?;
        check_report(self.report.as_deref(), self.no_report, self.report_texts)?;
        let is_in_folder = self.output.as_deref().is_some_and(|output| !is_stream(output));
        if self.report_texts.is_some() && self.report.is_none() && !is_in_folder {
            return Err(Refused::needs(JobOption::ReportTexts, JobOption::Report));
        }
        let lost = self.fail_if_source_loses.map(|value| {
            Share::new(value)
                .map_err(|_| Refused::out_of_range(JobOption::FailIfSourceLoses, value, "above 0 and at most 1"))
        });
        let lost = lost.transpose()?;
        let force = self.work.is_forced();
        let is_stream = self.output.as_deref().is_some_and(is_stream);
        let fields = self.read.fields_in_input.clone();
        let mut read = self.read.check(&resources)?;
        if fields.is_none() {
            read.settings.fields.source = source_field;
            read.settings.fields.value = keep.field().map(str::to_owned);
            matching.read_by(&mut read.settings);
        }
        if output == Output::Annotated {
            check_added(JobOption::Annotate, &NOTES, &read)?;
        }
        if output != Output::DryRun && self.output.is_some() && !read.tables.is_empty() {
            // Rows in memory have no file whose kept part could be written.
            return Err(Refused::needs(JobOption::Output, JobOption::DryRun));
        }
        Ok(DedupOptions {
            read,
            scheme,
            matching,
            purpose,
            code_file_count,
            learn_boilerplate: ignored.learned(),
            // An index finds by its own sketches, and its recall is not that of a join.
            exact_if_small: self.scheme.leaves_method_open() && self.against_index.is_none(),
            compare_with,
            keep,
            group: self.group.unwrap_or_default(),
            source,
            fail_if_source_loses: lost,
            is_stream,
            folder: self.output.filter(|_| !is_stream),
            removed: self.removed,
            output,
            force,
            report: (self.no_report != Some(true)).then(|| self.report_texts.unwrap_or_default()),
            report_file: self.report,
            command: self.command,
            resources,
            work,
            id_field: None,
        })
    }

    fn keep_order(&self) -> Result<Keep, Refused> {
        let written = self.keep.as_deref().unwrap_or("longest");
        written.parse().map_err(|_| {
            Refused::unknown_word(
                JobOption::Keep,
                written,
                "longest, first, last, max:FIELD, min:FIELD or source:A>B>*, or several with commas, at most one with a field",
            )
        })
    }

    /// The scheme of the request, or that of the index if the request names none; and the number of files for whose
    /// names the tokens of source code were chosen.
    fn checked_scheme(&self, ignored: &Ignored, resources: &Resources) -> Result<(Scheme, Option<u64>), Refused> {
        let scheme = ignored.leave_out(self.scheme.check()?)?;
        if self.against_index.is_some() && ignored.learned().is_some() {
            // Stored documents were sketched without ignoring it.
            return Err(Refused::not_with(JobOption::IgnoreBoilerplate, JobOption::AgainstIndex));
        }
        let names_none = self.scheme == SchemeRequest::default() && scheme.boilerplate().is_none();
        // An index that cannot be opened is an error of the job, which says why.
        let index = self.against_index.as_deref().and_then(|folder| Index::open(folder).ok());
        match index {
            Some(index) if names_none || scheme.fingerprint() == index.scheme().fingerprint() => {
                Ok((index.scheme().clone(), None))
            }
            Some(index) => Err(Refused::unknown_word(
                JobOption::AgainstIndex,
                format!("one with {}", index.scheme()),
                format!("an index with the scheme of this run, {scheme}"),
            )),
            None if self.against_index.is_some() => Ok((scheme, None)),
            None => {
                let (scheme, code_file_count) = self.scheme.check_for(&self.read, resources)?;
                Ok((ignored.leave_out(scheme)?, code_file_count))
            }
        }
    }

    fn compared_with(&self) -> Result<CompareWith, Refused> {
        let has_files = !self.against.is_empty() || !self.against_in_memory.is_empty();
        let (only, add_kept) = (self.only_against == Some(true), self.add_kept == Some(true));
        if has_files && self.against_index.is_some() {
            return Err(Refused::not_with(JobOption::AgainstIndex, JobOption::Against));
        }
        if only && !has_files && self.against_index.is_none() {
            return Err(Refused::needs(JobOption::OnlyAgainst, JobOption::Against));
        }
        if add_kept && self.against_index.is_none() {
            return Err(Refused::needs(JobOption::AddKept, JobOption::AgainstIndex));
        }
        if self.group == Some(Group::Components) && (only || self.against_index.is_some()) {
            let option = if only { JobOption::OnlyAgainst } else { JobOption::AgainstIndex };
            return Err(Refused::not_with_value(option, JobOption::Group, "components"));
        }
        let scope = if only { Scope::References } else { Scope::Everything };
        Ok(match self.against_index.clone() {
            Some(folder) => CompareWith::Index(AgainstIndex { folder, scope, add_kept }),
            None if has_files => {
                let (references, tables) = (self.against.clone(), self.against_in_memory.clone());
                CompareWith::Reference(Against { references, tables, scope })
            }
            None => CompareWith::Itself,
        })
    }

    /// The evidence goes to the output folder, or else to a file of its own.
    fn check_evidence(&self) -> Result<(), Refused> {
        if self.removed.is_some() && self.output.as_deref().is_some_and(|output| !is_stream(output)) {
            return Err(Refused::not_with(JobOption::Removed, JobOption::Output));
        }
        named_file(JobOption::Removed, self.removed.as_deref())
    }

    fn written(&self) -> Result<Output, Refused> {
        if self.dry_run == Some(true) && self.output.as_deref().is_some_and(is_stream) {
            return Err(Refused::not_with_value(JobOption::DryRun, JobOption::Output, "-"));
        }
        match (self.dry_run == Some(true), self.annotate == Some(true)) {
            (true, true) => Err(Refused::not_with(JobOption::DryRun, JobOption::Annotate)),
            (true, false) => Ok(Output::DryRun),
            (false, true) => Ok(Output::Annotated),
            (false, false) => Ok(Output::Kept),
        }
    }
}

/// Checks that a keep order is compatible with the measure.
///
/// # Errors
///
/// With containment, the shorter of two documents is removed: a keep order that keeps it would break a promise.
pub(crate) fn check_keep(keep: &Keep, criterion: Criterion) -> Result<(), Refused> {
    if matches!(criterion, Criterion::Containment(_)) && *keep != Keep::Longest {
        return Err(Refused::not_with_value(JobOption::Keep, JobOption::Measure, criterion.measure()));
    }
    Ok(())
}

/// The source of a document, and the field if it is one.
pub(super) fn source(written: Option<&str>) -> Result<(SourceBy, Option<String>), Refused> {
    Ok(match written {
        None => (SourceBy::HostOrFile, None),
        Some("host") => (SourceBy::Host, None),
        Some("file") => (SourceBy::File, None),
        Some(written) => match written.strip_prefix("field:").unwrap_or(written) {
            "" => return Err(Refused::unknown_word(JobOption::Source, "an empty name", "host, file or a field")),
            field => (SourceBy::Field, Some(field.to_owned())),
        },
    })
}
