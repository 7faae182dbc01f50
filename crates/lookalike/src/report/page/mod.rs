//! Creates `report.html` from a run, for the person who must explain what was removed and whether it is safe.
//!
//! ```text
//! Summary  ┐
//! Removals ├→ sections → page
//! texts    ┘
//! ```
//!
//! A run that is about to end passes its summary and removals; [`crate::report()`] reads those of a finished run from
//! its files. Every part is limited in bytes, so that the page is never larger than [`MOST_BYTES`], whatever the corpus
//! is.

mod clusters;
mod finished;
mod overview;
mod pairs;
pub(crate) mod rows;
mod run;
mod similarity;
mod sources;
pub(crate) mod texts;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use lookalike_io::remote::shown_path;
use lookalike_io::write::OutputFile;
use lookalike_page::{Html, MOST_BYTES, Page, Section, html, name, number};
use serde::Serialize;

pub use self::finished::{FinishedRun, ShownPair, SourceFlow, TextPlace};
pub(crate) use self::texts::{CorpusTexts, TextSource};

use self::pairs::Pairs;
use self::rows::{Gathered, Group};
use self::texts::InputTexts;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::{DedupOptions, ReadOptions, ReportOptions, ReportTexts};
use crate::output::destination::REPORT;
use crate::output::rows::Removal;
use crate::progress::Progress;
use crate::report::summary::Summary;
use crate::run::Run;

/// Title of a report.
const TITLE: &str = "Deduplication report";

/// The file with the summary of a run.
const SUMMARY: &str = "summary.json";

/// The name of a corpus: that of its first input, and the number of others; the title of the report if the input has no
/// name.
fn corpus_name(read: &ReadOptions) -> String {
    let inputs: Vec<&PathBuf> = read.inputs.iter().chain(&read.listed).collect();
    let last = |path: &Path| {
        if path.as_os_str() == "-" {
            return "standard input".to_owned();
        }
        // An address may contain secrets.
        let path = path.canonicalize().unwrap_or_else(|_| PathBuf::from(shown_path(path)));
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    match &inputs[..] {
        [] => TITLE.to_owned(),
        [only] => last(only),
        [first, rest @ ..] => format!("{} and {} more", last(first), number::count(rest.len() as u64)),
    }
}

/// The UTC date of a time.
fn date(time: SystemTime) -> String {
    number::date(time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// The date on which a finished run ended.
fn date_of(folder: &Path) -> String {
    let written = std::fs::metadata(folder.join(SUMMARY)).and_then(|facts| facts.modified());
    date(written.unwrap_or_else(|_| SystemTime::now()))
}

/// A report, complete except for the times.
pub(crate) struct Report {
    gathered: Gathered,
    pairs: Pairs,
    texts: ReportTexts,
    corpus: String,
    date: String,
    /// A section that precedes all others.
    first: Option<Section>,
}

/// Renders the report on a run, once its removals are collected: everything except the times.
pub(crate) fn of_run(
    gathered: Gathered,
    corpus: &Corpus,
    summary: &Summary,
    options: &DedupOptions,
    run: &Run<'_>,
) -> Report {
    let source = CorpusTexts::new(corpus, &options.read);
    let texts = options.report.unwrap_or_default();
    let heading = (corpus_name(&options.read), date(SystemTime::now()));
    run.stage("report", || Report::new(summary, gathered, &source, texts, heading, None))
}

/// The file that [`crate::report()`] wrote.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Reported {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Number of documents it shows.
    pub document_count: u64,
    /// Of these, documents whose text could not be read again, or is not what was compared.
    pub without_text_count: u64,
}

/// The command of a finished run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunCommand {
    /// The command line, word by word and without secrets; empty if it was not run by the command.
    pub command: Vec<String>,
    /// The folder to which relative names in it refer, if known.
    pub working_folder: Option<PathBuf>,
}

/// Returns the command of the finished run in a folder, as far as its summary contains it.
///
/// # Errors
///
/// [`crate::Error::NotARun`] if the folder has no summary of `dedup`.
pub fn command_of(folder: &Path) -> Result<RunCommand> {
    let summary = Summary::read(folder)?;
    Ok(RunCommand { command: summary.command, working_folder: summary.working_folder.map(PathBuf::from) })
}

/// Writes the report on a finished run; `first` is a section that precedes all others.
///
/// # Errors
///
/// [`crate::Error::NotARun`] if the folder has no summary of `dedup` or no evidence; and if the file cannot be written.
pub(crate) fn write_report(
    options: &ReportOptions,
    first: Option<Section>,
    progress: &dyn Progress,
) -> Result<Reported> {
    let summary = Summary::read(&options.folder)?;
    let gathered = Gathered::read(&options.folder, &summary)?;
    write(&summary, gathered, first, options, progress)
}

/// Writes the report on a run whose summary and removals are in memory. No file of the run is read; `options.folder`
/// only determines where the report is written if `options.output` does not.
///
/// # Errors
///
/// If the file cannot be written.
pub fn report_of<'a>(
    summary: &Summary,
    removals: impl IntoIterator<Item = &'a Removal>,
    options: &ReportOptions,
    progress: &dyn Progress,
) -> Result<Reported> {
    let mut gathered = Gathered::new(summary);
    removals.into_iter().for_each(|removal| gathered.add(removal));
    write(summary, gathered, None, options, progress)
}

fn write(
    summary: &Summary,
    gathered: Gathered,
    first: Option<Section>,
    options: &ReportOptions,
    progress: &dyn Progress,
) -> Result<Reported> {
    let read = options.read.clone().unwrap_or_else(ReadOptions::nothing);
    let source = InputTexts {
        read: &read,
        references: &options.references,
        reference_tables: &options.reference_tables,
        longest: texts::LONGEST,
    };
    let heading = (corpus_name(&read), date_of(&options.folder));
    let report = Report::new(summary, gathered, &source, options.texts, heading, first);
    progress.go_on()?;
    let page = report.page(summary);
    let (path, force) = match &options.output {
        Some(output) => (output.clone(), options.force),
        None => (options.folder.join(REPORT), true),
    };
    let mut file = OutputFile::new(&path, force, &progress.unfinished())?;
    let written = file.writer().write_all(page.as_bytes());
    written.map_err(|cause| lookalike_io::Error::Unwritable { path: path.clone(), cause })?;
    file.commit()?;
    let without_text = if options.texts == ReportTexts::None { 0 } else { report.pairs.without_text };
    Ok(Reported {
        path,
        bytes: page.len() as u64,
        document_count: report.pairs.shown as u64,
        without_text_count: without_text as u64,
    })
}

impl Report {
    /// Renders the collected pairs; `source` has their texts, and `first` is a section that precedes all others.
    fn new(
        summary: &Summary,
        gathered: Gathered,
        source: &dyn TextSource,
        texts: ReportTexts,
        (corpus, date): (String, String),
        first: Option<Section>,
    ) -> Self {
        let pairs = Pairs::new(&gathered, summary, source, texts);
        Self { gathered, pairs, texts, corpus, date, first }
    }

    /// The whole page.
    pub(crate) fn page(&self, summary: &Summary) -> String {
        let mut sections = vec![
            Section::new(
                "similarity",
                "Similarity of what was removed",
                similarity::bars(summary, &similarity::in_report),
            ),
            Section::new("recall", "What the method finds", similarity::curve(summary)),
            Section::new("clusters", "Clusters by size", clusters::section(summary, &self.gathered, &self.pairs)),
            Section::new("sources", "Sources", sources::section(summary, &self.gathered, None)),
            Section::new("pairs", "Least similar removals, and samples", self.side_by_side(summary)),
            Section::new("funnel", "From documents to removals", run::funnel(summary)),
            Section::new("stages", "Stages", run::stages(summary)),
            Section::new("run", "Parameters", run::parameters(summary)),
        ];
        if let Some(first) = &self.first {
            sections.insert(0, first.clone());
        }
        let lead = overview::lead(summary, &self.corpus, &self.date);
        let title = if self.corpus == TITLE { TITLE.to_owned() } else { format!("{} · {TITLE}", name(&self.corpus)) };
        let page = Page { title, lead, sections }.render();
        debug_assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
        page
    }

    /// Pairs to check, least similar first.
    fn side_by_side(&self, summary: &Summary) -> Html {
        if summary.found.removed_count == 0 {
            return html!("<p>{}</p>", "Nothing was removed.");
        }
        let mut section = html!("{}", self.legend());
        let (numbers, others): (Vec<_>, Vec<_>) =
            self.pairs.samples.iter().partition(|(group, _)| *group == Group::Numbers);
        numbers.into_iter().for_each(|sample| section.push(&sampled(summary, sample)));
        if !self.pairs.least.is_empty() {
            section.push(&html!(
                "<details class=\"group\" id=\"least\" open><summary>Least similar <small>what to check first</small></summary><div>{}</div></details>\n",
                self.pairs.least
            ));
        }
        others.into_iter().for_each(|sample| section.push(&sampled(summary, sample)));
        section
    }

    /// Instructions for reading the pairs, and what is missing.
    fn legend(&self) -> Html {
        let legend = html!(
            "<p class=\"legend\">What both documents have is <mark class=\"p1\"><sup>1</sup>numbered and underlined</mark>, with the same number on both sides; what only one has is <del>framed</del>. Long runs are shortened. <span class=\"keys\"><kbd>n</kbd> and <kbd>p</kbd> step through the passages of a pair.</span></p>\n"
        );
        let missing = match (self.texts, self.pairs.without_text) {
            (ReportTexts::None, _) => "Texts are left out, as was asked for.".to_owned(),
            (_, 0) => return legend,
            (_, count) if count == self.pairs.shown => {
                "Texts are not shown: the input could not be read again, or has changed since the run.".to_owned()
            }
            (_, count) => format!(
                "The texts of {} are not shown: they could not be read again, or have changed since the run.",
                number::of(count as u64, "document")
            ),
        };
        html!("<p><b>{}</b></p>\n{}", missing, if self.texts == ReportTexts::None { Html::default() } else { legend })
    }
}

/// A sample of removals of one kind.
fn sampled(summary: &Summary, (group, pairs): &(Group, Html)) -> Html {
    let count = match group {
        Group::Copies => summary.found.exact_copy_count,
        Group::Numbers => summary.found.different_numbers_count,
        Group::Band(band) => {
            let band = summary.similarity.iter().find(|its| (its.from * 20.0).round() as u8 == *band);
            band.map_or(0, |band| band.removed_count)
        }
    };
    html!(
        "<details class=\"group\" id=\"{}\"><summary>{} <small>a sample of {}</small></summary><div>{}</div></details>\n",
        similarity::group_id(*group),
        similarity::group_name(*group),
        number::of(count, "removal"),
        pairs
    )
}
