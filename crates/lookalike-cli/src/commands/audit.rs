//! `lookalike audit`: a sample of removals for people to label, and the precision that follows from their labels.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use lookalike::io::write::OutputFile;
use lookalike::{Audit, AuditRequest, AuditResult};

use crate::commands::finished::finished;
use crate::commands::{Done, with_threads};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::run::{RunArguments, RunOptions};
use crate::show::streams::{self, talk};
use crate::show::{audit as show, numbers, shown_path};
use crate::stop;

#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    /// The output folder of a finished run of dedup
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// About how many removals to label: at least 15 of each band of similarity, within and across sources, the rest in
    /// proportion to their number [default: 300]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Input")]
    sample: Option<i64>,
    /// Number of pairs of kept documents just below the threshold to label in addition, to judge the threshold
    /// [default: 40]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Input")]
    near_misses: Option<i64>,
    /// Random seed: another one draws other pairs [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Input")]
    seed: Option<i64>,
    /// Your name, if several people label the same pairs
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    labeler: Option<String>,
    /// Label nothing; print the table for labels.jsonl in DIR and these files
    #[arg(long, value_name = "FILE", num_args = 0.., help_heading = "Input")]
    labels: Option<Vec<PathBuf>>,
    /// Write the page to this file instead, for somebody else; it needs no network, and saves their labels as a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(long, help_heading = "Output")]
    force: bool,
    /// Address of the page, on this machine; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", help_heading = "Output")]
    listen: SocketAddr,
    #[command(flatten)]
    summary: SummaryArguments,
    #[command(flatten)]
    run: RunArguments,
}

impl AuditArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let run = self.run.options()?;
        // Check before reading the run: a mistake in a flag does not depend on it.
        self.request().check()?;
        if let Some(files) = &self.labels {
            let result = with_threads(&run, |progress| lookalike::judge(&self.folder, files, progress))??;
            show(&result, &self.folder, self.summary, &run)?;
            return Ok(Done::All);
        }
        let audit = self.prepare(&run)?;
        match &self.report {
            Some(file) => write(&audit, file, self.force, &run)?,
            None => self.serve(audit, &run)?,
        }
        Ok(Done::All)
    }

    fn request(&self) -> AuditRequest {
        let mut request = AuditRequest::default();
        request.folder.clone_from(&self.folder);
        request.sample = self.sample;
        request.near_misses = self.near_misses;
        request.seed = self.seed;
        request.labeler.clone_from(&self.labeler);
        request.labels.clone_from(&self.labels);
        request.summary = self.summary.given();
        request.report.clone_from(&self.report);
        request.force = self.force.then_some(true);
        request
    }

    fn prepare(&self, run: &RunOptions) -> Result<Audit> {
        let mut request = self.request();
        let Some(finished) = finished(&self.folder)? else {
            bail!(
                "the texts of {} cannot be read again: its input was standard input, or is gone, or the run was one of another version",
                shown_path(&self.folder)
            );
        };
        request.read = Some(finished.read);
        request.references = finished.references;
        request.scheme = Some(finished.scheme);
        let options = request.check()?;
        let audit = with_threads(run, |progress| Audit::prepare(&options, progress))??;
        if audit.without_text() > 0 {
            talk!(
                "note: {} of the sample cannot be labeled: a text is not there any more, or has changed",
                numbers::of(audit.without_text() as u64, "removal")
            );
        }
        if !run.is_quiet() {
            talk!(
                "{} to label (seed {}): {} and {}, the latter found among {}",
                numbers::of(audit.len() as u64, "pair"),
                options.seed(),
                numbers::of((audit.len() - audit.near_misses()) as u64, "removal"),
                match audit.near_misses() {
                    1 => "1 near miss".to_owned(),
                    count => format!("{} near misses", numbers::count(count as u64)),
                },
                numbers::of(audit.compared(), "kept document")
            );
        }
        Ok(audit)
    }

    /// Serves the page until the user stops it, and then prints the table.
    #[cfg(feature = "serve")]
    fn serve(&self, audit: Audit, run: &RunOptions) -> Result<()> {
        let labels = audit.labels_path();
        stop::serve_until_asked();
        lookalike_server::audit::serve(audit, self.listen, stop::is_asked, |address| {
            // Without the address, the user could not open the page.
            streams::say_error(format_args!("open      {address}"));
            if !run.is_quiet() {
                talk!("labels    {}, each as soon as it is given; end with Ctrl-C", shown_path(&labels));
            }
        })?;
        match lookalike::judge(&self.folder, &[], &lookalike::Silent) {
            Err(lookalike::Error::NoLabels { .. }) => Ok(()),
            result => show(&result?, &self.folder, self.summary, run),
        }
    }

    #[cfg(not(feature = "serve"))]
    fn serve(&self, _: Audit, _: &RunOptions) -> Result<()> {
        bail!("this build cannot show a page on {}: give --report FILE, or build with the feature serve", self.listen)
    }
}

/// Writes the page for another person.
fn write(audit: &Audit, path: &Path, force: bool, run: &RunOptions) -> Result<()> {
    let page = audit.offline_page();
    let mut file = OutputFile::new(path, force, stop::unfinished())?;
    file.writer().write_all(page.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    file.commit()?;
    if !run.is_quiet() {
        talk!("wrote     {} ({})", shown_path(path), numbers::bytes(page.len() as u64));
    }
    Ok(())
}

/// Prints the result.
fn show(result: &AuditResult, folder: &Path, summary: SummaryArguments, run: &RunOptions) -> Result<()> {
    summary.print(result, RowsGo::ToFile, || {
        let text = show::text(result);
        streams::show(|out| out.write_all(text.as_bytes()))?;
        if !run.is_quiet() {
            talk!("wrote     {}", shown_path(&folder.join("audit.json")));
        }
        Ok(())
    })
}
