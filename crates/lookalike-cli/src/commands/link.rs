//! `lookalike link` and its subcommands: arguments to a request, and the result for a person.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use lookalike::core::link::config::Config;
use lookalike::{AddRecordsRequest, JobOption, LinkOptions, LinkReport, LinkRequest, Refused};

use crate::commands::{Done, done, with_threads};
use crate::flags::output::{RowSummaryArguments, RowsGo};
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::show::link::{show, show_analysis, show_explanation};
use crate::show::streams::{self, talk};
use crate::show::{notes, pages};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct LinkArguments {
    #[command(subcommand)]
    command: Option<LinkCommand>,
    #[command(flatten)]
    tables: TableArguments,
    /// Folder to write to, new or empty
    #[arg(short, long, value_name = "DIR", required = true, help_heading = "Output")]
    output: Option<PathBuf>,
    #[command(flatten)]
    judging: JudgingArguments,
}

#[derive(Debug, Subcommand)]
enum LinkCommand {
    /// Explain why two records match or do not: from the folder of a result, or from the tables.
    #[command(after_help = "Example:\n  lookalike link explain linked 1 2")]
    Explain {
        /// The folder of a result of link, which takes no second run; or a table
        #[arg(value_name = "DIR|TABLE")]
        result: PathBuf,
        /// The id of a record
        #[arg(value_name = "ID1")]
        left: String,
        /// The id of another record
        #[arg(value_name = "ID2")]
        right: String,
        /// More tables, if the first is one
        #[arg(long, value_name = "TABLE")]
        with: Vec<PathBuf>,
        #[command(flatten)]
        comparing: ComparingArguments,
        #[command(flatten)]
        resources: ResourceArguments,
    },
    /// Add the records of a table to a result, whose clusters keep their numbers.
    #[command(after_help = "Example:\n  lookalike link add linked new-customers.csv")]
    Add {
        /// The folder of a result of link
        #[arg(value_name = "DIR")]
        result: PathBuf,
        /// The table of the new records
        #[arg(value_name = "TABLE")]
        new: PathBuf,
        #[command(flatten)]
        summary: RowSummaryArguments,
        #[command(flatten)]
        resources: ResourceArguments,
    },
    /// Show what would be compared (candidates per key, largest buckets with their values), and compare nothing.
    #[command(after_help = "Example:\n  lookalike link analyze examples/customers.csv --id id")]
    Analyze {
        #[command(flatten)]
        tables: TableArguments,
    },
    /// Write the detected kinds of the columns to a file, to be edited and given to link with --config.
    #[command(after_help = "Example:\n  lookalike link config examples/customers.csv --id id -o link.toml")]
    Config {
        #[command(flatten)]
        tables: TableArguments,
        /// File to write
        #[arg(short, long, value_name = "FILE", help_heading = "Output")]
        output: PathBuf,
        /// Replace the file, even if it was edited
        #[arg(long, help_heading = "Output")]
        force: bool,
    },
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct TableArguments {
    /// The table, or several: a file (CSV, TSV, Excel, JSON or Parquet, also compressed as .gz or .zst), a folder or pattern of
    /// files, an address (s3://, gs://, az://, https://), or - for standard input
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    comparing: ComparingArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct ComparingArguments {
    /// Column of the ids [default: rows are numbered from 1]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Column of the ids in the second table, if it has another name
    #[arg(long, value_name = "COLUMN")]
    id_right: Option<String>,
    /// Read the kinds of the columns from a file written by lookalike link config
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Find matches within each of two tables as well; more than two are always linked so
    #[arg(long)]
    within: bool,
    /// Minimum probability of a match, above 0 and below 1 [default: chosen from the data]
    #[arg(short, long, value_name = "P", allow_negative_numbers = true, help_heading = "Similarity")]
    threshold: Option<f64>,
    /// Allow each record at most one match in the other table
    #[arg(long, help_heading = "Similarity")]
    one_to_one: bool,
    /// Compare more: 2 allows twice the pairs per bucket and candidates per record, and takes up to twice the time
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    effort: Option<f64>,
    /// Share of the records that have a match, above 0 and at most 1, where that is known [default: estimated]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    expect: Option<f64>,
    /// Use the weights of another result, its model.json, instead of learning them from this table
    #[arg(long, value_name = "FILE", help_heading = "Method", hide_short_help = true)]
    model: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct JudgingArguments {
    /// Table of the true pairs or clusters: report precision and recall, and write the wrong and the missed pairs
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Column to check the matches by, which is not compared itself: a date, a number or a word
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    validate: Option<String>,
    /// Column of dates: merged.csv has the newest value of each column instead of the most frequent one
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    newest: Option<String>,
    /// Write everything to this HTML file too, for your browser: scores, weights, and the pairs to look at
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Replace what an earlier run wrote to the output folder, or the file of --report
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    summary: RowSummaryArguments,
}

impl LinkArguments {
    pub(crate) fn run(self) -> Result<Done> {
        if let Some(command) = self.command {
            return command.run();
        }
        let tables = self.tables;
        if self.output.as_deref().is_some_and(|output| output.as_os_str() == "-") {
            return Err(Refused::unknown_word(JobOption::Output, "-", "the name of a folder").into());
        }
        let mut request = tables.request()?;
        request.output = self.output;
        request.labels = self.judging.labels;
        request.validate = self.judging.validate;
        request.newest = self.judging.newest;
        request.report = self.judging.report;
        request.force = self.judging.force.then_some(true);
        let options = request.check()?;
        let run = tables.run(&options);
        let report = with_threads(&run, |progress| lookalike::link(&options, progress))??;
        if let (Some(path), Some(page)) = (options.report(), &report.page) {
            pages::write(page, path, options.force())?;
        }
        ended(&report, options.folder().context("clap asks for a folder")?, &run, self.judging.summary)
    }
}

impl LinkCommand {
    fn run(self) -> Result<Done> {
        match self {
            Self::Explain { result, left, right, with, comparing, resources } => {
                let ids = [left, right];
                let mut request = comparing.request(std::iter::once(result.clone()).chain(with).collect())?;
                request.resources = resources.request();
                let options = request.check()?;
                let run = RunOptions { resources: options.resources().clone(), talk: resources.run.talk() };
                let explained = with_threads(&run, |progress| {
                    if lookalike::is_link_result(&result) {
                        let memory = options.resources().memory();
                        return lookalike::explain_result(&result, [&ids[0], &ids[1]], memory, progress);
                    }
                    lookalike::explain(&options, [&ids[0], &ids[1]], progress)
                })??;
                streams::show(|out| show_explanation(out, &ids, &explained))?;
                Ok(Done::All)
            }
            Self::Add { result, new, summary, resources } => {
                let mut request = AddRecordsRequest::new(&result, new);
                request.resources = resources.request();
                let options = request.check()?;
                let run = RunOptions { resources: options.resources().clone(), talk: resources.run.talk() };
                let report = with_threads(&run, |progress| lookalike::add_records(&options, progress))??;
                ended(&report, &result, &run, summary)
            }
            Self::Analyze { tables } => {
                let options = tables.request()?.check()?;
                let analysis = with_threads(&tables.run(&options), |progress| lookalike::analyze(&options, progress))??;
                streams::show(|out| show_analysis(out, &analysis))?;
                Ok(done(analysis.skipped_count))
            }
            Self::Config { tables, output, force } => {
                let options = tables.request()?.check()?;
                write_config(&lookalike::guess_config(&options)?, &output, force)?;
                Ok(Done::All)
            }
        }
    }
}

/// Says what was found.
fn ended(report: &LinkReport, folder: &Path, run: &RunOptions, how: RowSummaryArguments) -> Result<Done> {
    notes::skipped(&report.skipped, report.skipped_count);
    for warning in &report.warnings {
        talk!("warning: {warning}");
    }
    how.print(report, RowsGo::ToFile, || {
        if !run.is_quiet() {
            // The result is there; that nobody reads about it does not undo it.
            let _ = show(report, folder);
        }
    })?;
    Ok(done(report.skipped_count))
}

impl TableArguments {
    fn request(&self) -> Result<LinkRequest> {
        let mut request = self.comparing.request(self.tables.clone())?;
        request.resources = self.resources.request();
        Ok(request)
    }

    fn run(&self, options: &LinkOptions) -> RunOptions {
        RunOptions { resources: options.resources().clone(), talk: self.resources.run.talk() }
    }
}

impl ComparingArguments {
    fn request(&self, tables: Vec<PathBuf>) -> Result<LinkRequest> {
        let mut request = LinkRequest::new(tables);
        request.id.clone_from(&self.id);
        request.id_right.clone_from(&self.id_right);
        request.config = self.config.as_deref().map(read_config).transpose()?;
        request.within = self.within.then_some(true);
        request.threshold = self.threshold;
        request.one_to_one = self.one_to_one.then_some(true);
        request.effort = self.effort;
        request.expect = self.expect;
        request.model.clone_from(&self.model);
        Ok(request)
    }
}

/// The text of a config, once it is known to be one: a mistake in it is shown with the name of its file.
fn read_config(path: &Path) -> Result<String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the config {shown}"))?;
    LinkRequest::default().config(text.clone()).check().with_context(|| shown.to_string())?;
    Ok(text)
}

/// Writes a config that a person can edit.
fn write_config(config: &Config, path: &Path, is_forced: bool) -> Result<()> {
    let kinds = "# kind: person-name, organization, address, phone, date, number, code, email, category, free-text or ignored\n";
    let text = format!("{kinds}{}", toml::to_string_pretty(config).context("cannot write the config")?);
    if !is_forced && std::fs::read_to_string(path).is_ok_and(|before| before != text) {
        bail!("{} exists, and may have been edited: give another name, or --force to replace it", path.display());
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    talk!("wrote {}: edit it, and give it back with --config", path.display());
    Ok(())
}
