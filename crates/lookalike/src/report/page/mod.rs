//! A run to `report.html`, for the person who has to answer what was removed and whether it is safe.
//!
//! ```text
//! summary.json ┐
//! removed.jsonl ├→ sections → page
//! texts         ┘
//! ```
//!
//! The same way is taken by a run that is about to end and by [`report()`] for one that ended long ago; only where texts come from
//! differs. Every part has a bound in bytes, so that the page is never larger than [`MOST_BYTES`], whatever the corpus is.

mod clusters;
mod finished;
mod overview;
mod pairs;
mod rows;
mod run;
mod similarity;
mod sources;
mod texts;
mod told;

use std::io::Write;
use std::path::{Path, PathBuf};

use lookalike_io::write::{OutputFile, Staging};
use lookalike_page::{Html, MOST_BYTES, Page, Section, html, number};

pub use self::finished::{FinishedRun, ShownPair, SourceFlow};
pub(crate) use self::texts::{CorpusTexts, TextSource};

use self::pairs::Pairs;
use self::rows::{Gathered, Group};
use self::texts::InputTexts;
use self::told::Told;
use crate::error::Result;
use crate::options::{ReadOptions, ReportTexts};
use crate::progress::Progress;
use crate::report::summary::Summary;

/// What the file of a report is called.
pub(crate) const REPORT: &str = "report.html";

/// What a report is called.
const TITLE: &str = "Deduplication report";

/// A report of which all but the times is known.
pub(crate) struct Report {
    gathered: Gathered,
    pairs: Pairs,
    texts: ReportTexts,
}

/// What a report on a run that is about to end is made of: rows are read from the folder that becomes the output.
pub(crate) fn of_run(summary: &Summary, folder: &Path, source: &dyn TextSource, texts: ReportTexts) -> Result<Report> {
    Report::new(&Told::of(summary), folder, source, texts)
}

/// What [`report()`] is asked to do.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The output folder of a finished run.
    pub folder: PathBuf,
    /// The file to write; `report.html` in the folder if none is given.
    pub output: Option<PathBuf>,
    /// Whether to replace it. The one in the folder is replaced anyway.
    pub force: bool,
    /// How much of the documents it shows.
    pub texts: ReportTexts,
    /// How the input of the run was read, if that is known: texts are read again from there.
    pub read: Option<ReadOptions>,
    /// The reference of the run.
    pub references: Vec<PathBuf>,
}

/// What [`report()`] wrote.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// How many documents it shows.
    pub documents: u64,
    /// Of these, documents whose text could not be read again, or is not what was compared.
    pub without_text: u64,
}

/// The command line of a finished run, word by word and without secrets, if it was one of the command.
///
/// # Errors
///
/// [`crate::Error::NotARun`] when the folder has no summary of `dedup`.
pub fn command_of(folder: &Path) -> Result<Vec<String>> {
    Ok(Told::read(folder)?.command)
}

/// Writes the report on a finished run.
///
/// # Errors
///
/// [`crate::Error::NotARun`] when the folder has no summary of `dedup` or no evidence; and when the file cannot be written.
pub fn report(options: &ReportOptions, progress: &dyn Progress) -> Result<Reported> {
    let told = Told::read(&options.folder)?;
    let read = options.read.clone().unwrap_or_else(|| ReadOptions::new(Vec::<PathBuf>::new()));
    let source = InputTexts { read: &read, references: &options.references, longest: texts::LONGEST };
    let report = Report::new(&told, &options.folder, &source, options.texts)?;
    progress.go_on()?;
    let page = report.page(&told);
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
        documents: report.pairs.shown as u64,
        without_text: without_text as u64,
    })
}

impl Report {
    fn new(told: &Told, folder: &Path, source: &dyn TextSource, texts: ReportTexts) -> Result<Self> {
        let gathered = Gathered::read(folder, told)?;
        let pairs = Pairs::new(&gathered, told, source, texts);
        Ok(Self { gathered, pairs, texts })
    }

    /// Writes the page beside what else becomes the output.
    pub(crate) fn write(&self, summary: &Summary, staging: &Staging) -> Result<()> {
        let page = self.page(&Told::of(summary));
        let written = staging.file(REPORT)?.write_all(page.as_bytes());
        let path = staging.path().join(REPORT);
        written.map_err(|cause| lookalike_io::Error::Unwritable { path, cause }.into())
    }

    /// The whole page.
    fn page(&self, told: &Told) -> String {
        let sections = vec![
            Section::new(
                "similarity",
                "Similarity of what was removed",
                similarity::bars(told, &similarity::in_report),
            ),
            Section::new("recall", "What the method finds", similarity::curve(told)),
            Section::new("clusters", "Clusters by size", clusters::section(told, &self.gathered, &self.pairs)),
            Section::new("sources", "Sources", sources::section(told, &self.gathered)),
            Section::new("pairs", "Least alike removals, and samples", self.side_by_side(told)),
            Section::new("funnel", "From documents to removals", run::funnel(told)),
            Section::new("stages", "Stages", run::stages(told)),
            Section::new("run", "Parameters", run::parameters(told)),
        ];
        let lead = overview::lead(told, TITLE);
        let page = Page { title: TITLE.to_owned(), lead, sections }.render();
        debug_assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
        page
    }

    /// Pairs to look at: first what to doubt first.
    fn side_by_side(&self, told: &Told) -> Html {
        if told.found.removed == 0 {
            return html!("<p>{}</p>", "Nothing was removed.");
        }
        let mut section = html!("{}", self.legend());
        if !self.pairs.least.is_empty() {
            section.push(&html!(
                "<details class=\"group\" id=\"least\" open><summary>Least alike <small>what to doubt first</small></summary><div>{}</div></details>\n",
                self.pairs.least
            ));
        }
        for (group, pairs) in &self.pairs.samples {
            let count = match group {
                Group::Copies => told.found.exact_copies,
                Group::Band(band) => {
                    let band = told.similarity.iter().find(|told| (told.from * 20.0).round() as u8 == *band);
                    band.map_or(0, |band| band.removed)
                }
            };
            section.push(&html!(
                "<details class=\"group\" id=\"{}\"><summary>{} <small>a sample of {}</small></summary><div>{}</div></details>\n",
                similarity::group_id(*group),
                similarity::group_name(*group),
                number::of(count, "removal"),
                pairs
            ));
        }
        section
    }

    /// How to read the pairs, and what is missing.
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
