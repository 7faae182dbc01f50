//! `lookalike link` and its subcommands: arguments to a request, and the result for a person.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use lookalike::core::link::config::Config;
use lookalike::{AddRecordsRequest, LinkOptions, LinkReport, LinkRequest, Review, ReviewRequest};
use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::{Done, done, with_threads};
use crate::flags::output::{RowsGo, SummaryArguments};
use crate::flags::resources::ResourceArguments;
use crate::flags::run::RunOptions;
use crate::remedy::Flags;
use crate::show::link::{Explained, Wrote, show, show_analysis, show_explanation};
use crate::show::streams::{self, talk};
use crate::show::{notes, shown_path};
#[cfg(feature = "serve")]
use crate::stop;

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
    #[command(flatten)]
    comparing: ComparingArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Subcommand)]
enum LinkCommand {
    /// Explain why two records match or do not: from the folder of a result, or from the tables.
    #[command(after_help = "Example:\n  lookalike link explain linked 1 2")]
    Explain {
        /// Output folder of link, to explain its result without running it again; or a table
        #[arg(value_name = "DIR|TABLE")]
        result: PathBuf,
        /// The id of a record
        #[arg(value_name = "ID1")]
        left: String,
        /// The id of another record
        #[arg(value_name = "ID2")]
        right: String,
        /// More tables, if the first is one
        #[arg(long, value_name = "TABLE", help_heading = "Input")]
        with: Vec<PathBuf>,
        #[command(flatten)]
        columns: ColumnArguments,
        #[command(flatten)]
        summary: SummaryArguments,
        #[command(flatten)]
        comparing: ComparingArguments,
        #[command(flatten)]
        resources: ResourceArguments,
    },
    /// Add the records of a table to a result, whose clusters keep their numbers; its report, now out of date, is removed.
    #[command(after_help = "Example:\n  lookalike link add linked new-customers.csv")]
    Add {
        /// The folder of a result of link
        #[arg(value_name = "DIR")]
        result: PathBuf,
        /// The table of the new records
        #[arg(value_name = "TABLE", help_heading = "Input")]
        new: PathBuf,
        #[command(flatten)]
        summary: SummaryArguments,
        #[command(flatten)]
        resources: ResourceArguments,
    },
    /// Label pairs of a result in your browser, the least certain first: link --labels learns from them.
    #[command(after_help = "Example:\n  lookalike link review linked")]
    Review {
        /// The folder of a result of link; each label is added to labels.jsonl in it as soon as it is given
        #[arg(value_name = "DIR", help_heading = "Input")]
        result: PathBuf,
        /// Address of the page, on this machine; port 0 is any that is free
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", help_heading = "Output")]
        listen: SocketAddr,
        #[command(flatten)]
        summary: SummaryArguments,
        #[command(flatten)]
        resources: ResourceArguments,
    },
    /// Show what would be compared (candidates per key, largest buckets with their values), and compare nothing.
    #[command(after_help = "Example:\n  lookalike link analyze examples/customers.csv --id id")]
    Analyze {
        #[command(flatten)]
        tables: TableArguments,
        #[command(flatten)]
        summary: SummaryArguments,
        #[command(flatten)]
        comparing: ComparingArguments,
        #[command(flatten)]
        resources: ResourceArguments,
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
        #[command(flatten)]
        summary: SummaryArguments,
        #[command(flatten)]
        comparing: ComparingArguments,
        #[command(flatten)]
        resources: ResourceArguments,
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
    columns: ColumnArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
struct ColumnArguments {
    /// Column of the ids [default: rows are numbered from 1]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Column of the ids in the second table, if it has another name
    #[arg(long, value_name = "COLUMN")]
    id_right: Option<String>,
    /// Read the kinds of the columns from a file written by lookalike link config
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Find matches within each of two tables as well; with more than two, this is always done
    #[arg(long)]
    within: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Similarity")]
struct ComparingArguments {
    /// Minimum probability of a match, above 0 and below 1 [default: chosen from the data]
    #[arg(short, long, value_name = "P", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Allow each record at most one match in the other table
    #[arg(long)]
    one_to_one: bool,
    /// Compare more: 2 allows twice the pairs per bucket and candidates per record, and takes up to twice the time
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    effort: Option<f64>,
    /// Share of the records that have a match, above 0 and at most 1, if it is known [default: estimated]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Method", hide_short_help = true)]
    expect: Option<f64>,
    /// Use the weights of another result, its model.json, instead of learning them from this table
    #[arg(long, value_name = "FILE", help_heading = "Method", hide_short_help = true)]
    model: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct JudgingArguments {
    /// Table of known answers. With true pairs or clusters: report precision and recall, and write wrong and missed pairs. With
    /// labeled pairs (same or different), such as those of link review: learn from them
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Column to check the matches by, which is not compared itself: a date, a number or a word
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    validate: Option<String>,
    /// Column of dates: merged.csv has the newest value of each column instead of the most frequent one
    #[arg(long, value_name = "COLUMN", hide_short_help = true)]
    newest: Option<String>,
    /// Write the report (scores, weights, and the pairs to look at) to this file instead of report.html in the output folder
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    report: Option<PathBuf>,
    /// Write no report
    #[arg(long, hide_short_help = true)]
    no_report: bool,
    /// Replace what an earlier run wrote to the output folder, or the file of --report
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    summary: SummaryArguments,
}

impl LinkArguments {
    pub(crate) fn run(self) -> Result<Done> {
        if let Some(command) = self.command {
            return command.run();
        }
        let mut request = self.tables.request(&self.comparing, &self.resources)?;
        request.output = self.output;
        request.labels = self.judging.labels;
        request.validate = self.judging.validate;
        request.newest = self.judging.newest;
        request.report = self.judging.report;
        request.no_report = self.judging.no_report.then_some(true);
        request.force = self.judging.force.then_some(true);
        let options = request.check()?;
        let run = run_options(&options, &self.resources);
        let report = with_threads(&run, |progress| lookalike::link(&options, progress))??;
        let folder = options.folder().context("clap asks for a folder")?;
        let report_file = options.report_file();
        let wrote = Wrote { folder, has_report: options.has_report() && report_file.is_none(), report_file };
        ended(&report, wrote, &run, self.judging.summary)
    }
}

impl LinkCommand {
    fn run(self) -> Result<Done> {
        match self {
            Self::Explain { result, left, right, with, columns, summary, comparing, resources } => {
                let ids = [left, right];
                let tables = TableArguments { tables: std::iter::once(result.clone()).chain(with).collect(), columns };
                let options = tables.request(&comparing, &resources)?.check()?;
                let run = run_options(&options, &resources);
                let explained = with_threads(&run, |progress| {
                    if lookalike::is_link_result(&result) {
                        let memory = options.resources().memory();
                        return lookalike::explain_result(&result, [&ids[0], &ids[1]], memory, progress);
                    }
                    lookalike::explain(&options, [&ids[0], &ids[1]], progress)
                })??;
                summary.print(&Explained::new(&ids, &explained), RowsGo::ToFile, || {
                    streams::show(|out| show_explanation(out, &ids, &explained))
                })?;
                Ok(Done::All)
            }
            Self::Add { result, new, summary, resources } => {
                let mut request = AddRecordsRequest::new(&result, new);
                request.resources = resources.request();
                let options = request.check()?;
                let run = RunOptions { resources: options.resources().clone(), talk: resources.run.talk() };
                let report = with_threads(&run, |progress| lookalike::add_records(&options, progress))??;
                ended(&report, Wrote { folder: &result, has_report: false, report_file: None }, &run, summary)
            }
            Self::Review { result, listen, summary, resources } => {
                let mut request = ReviewRequest::new(&result);
                request.resources = resources.request();
                let options = request.check()?;
                let run = RunOptions { resources: options.resources().clone(), talk: resources.run.talk() };
                let review = with_threads(&run, |progress| Review::open(&options, progress))??;
                serve(&Arc::new(review), listen, &run, summary)
            }
            Self::Analyze { tables, summary, comparing, resources } => {
                let options = tables.request(&comparing, &resources)?.check()?;
                let run = run_options(&options, &resources);
                let analysis = with_threads(&run, |progress| lookalike::analyze(&options, progress))??;
                summary.print(&analysis, RowsGo::ToFile, || streams::show(|out| show_analysis(out, &analysis)))?;
                Ok(done(analysis.skipped_count))
            }
            Self::Config { tables, output, force, summary, comparing, resources } => {
                let options = tables.request(&comparing, &resources)?.check()?;
                resources.run.talk();
                let config = lookalike::guess_config(&options)?;
                write_config(&config, &output, force)?;
                let shown = shown_path(&output);
                let wrote = WroteConfig { file: &shown, column_count: config.columns.len() };
                summary.print_or_say(&wrote, format_args!("wrote {shown}: edit it, and give it back with --config"))?;
                Ok(Done::All)
            }
        }
    }
}

/// Shows the page until the user has had enough, and then how many labels there are.
#[cfg(feature = "serve")]
fn serve(review: &Arc<Review>, listen: SocketAddr, run: &RunOptions, summary: SummaryArguments) -> Result<Done> {
    let labels = shown_path(&review.labels_path());
    stop::serve_until_asked();
    lookalike_server::review::serve(Arc::clone(review), listen, stop::is_asked, |address| {
        // Without the address, nobody could label.
        streams::say_error(format_args!("open      {address}"));
        if !run.is_quiet() {
            talk!("labels    {labels}, each as soon as it is given; end with Ctrl-C");
        }
    })?;
    let state = review.state();
    summary.print(&state, RowsGo::ToFile, || {
        if !run.is_quiet() {
            let (same, different) = (state.same_count, state.different_count);
            talk!("labeled   {same} the same, {different} different");
            talk!("next      link the tables again with --labels {labels}");
        }
        Ok(())
    })?;
    Ok(Done::All)
}

#[cfg(not(feature = "serve"))]
fn serve(_: &Arc<Review>, listen: SocketAddr, _: &RunOptions, _: SummaryArguments) -> Result<Done> {
    bail!("this build cannot show a page on {listen}: build with the feature serve")
}

/// Reports what was found.
fn ended(report: &LinkReport, wrote: Wrote<'_>, run: &RunOptions, how: SummaryArguments) -> Result<Done> {
    notes::skipped(&report.skipped, report.skipped_count);
    for warning in &report.warnings {
        talk!("warning: {}", warning.message(&Flags));
    }
    how.print(report, RowsGo::ToFile, || {
        if !run.is_quiet() {
            // The result is already written: failing to print the summary is not an error.
            let _ = show(report, wrote);
        }
        Ok(())
    })?;
    Ok(done(report.skipped_count))
}

/// The summary of `link config`, for programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct WroteConfig<'a> {
    /// The file.
    file: &'a str,
    /// Number of its columns.
    column_count: usize,
}

impl TableArguments {
    fn request(&self, comparing: &ComparingArguments, resources: &ResourceArguments) -> Result<LinkRequest> {
        let mut request = LinkRequest::new(self.tables.clone());
        request.resources = resources.request();
        request.id.clone_from(&self.columns.id);
        request.id_right.clone_from(&self.columns.id_right);
        request.config = self.columns.config.as_deref().map(read_config).transpose()?;
        request.within = self.columns.within.then_some(true);
        request.threshold = comparing.threshold;
        request.one_to_one = comparing.one_to_one.then_some(true);
        request.effort = comparing.effort;
        request.expect = comparing.expect;
        request.model.clone_from(&comparing.model);
        Ok(request)
    }
}

fn run_options(options: &LinkOptions, resources: &ResourceArguments) -> RunOptions {
    RunOptions { resources: options.resources().clone(), talk: resources.run.talk() }
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
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
