//! `lookalike link`: arguments to options, and the result for a person.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use lookalike::core::link::config::Config;
use lookalike::{AddOptions, LinkOptions, Memory};

use crate::commands::{Done, done, with_threads};
use crate::flags::resources::{TableResourceArguments, TableResources};
use crate::flags::run::{RunArguments, RunOptions};
use crate::show::link::{show, show_analysis, show_explanation};
use crate::show::streams::{self, talk};
use crate::show::{notes, pages};

#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[derive(Debug, Args)]
pub(crate) struct LinkArguments {
    /// The table, or several: a file (CSV, TSV, Excel, JSON or Parquet, also compressed as .gz or .zst), a folder or pattern of
    /// files, an address (s3://, gs://, az://, https://), or - for standard input; with --add or --explain, the folder of a result
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    /// Find matches within each of two tables as well; more than two are always linked so
    #[arg(long)]
    within: bool,
    /// Folder to write to, new or empty
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["explain", "add", "write_config", "analyze"])]
    output: Option<PathBuf>,
    /// Column of the ids [default: rows are numbered from 1]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Column of the ids in the second table, if it has another name
    #[arg(long, value_name = "COLUMN", requires = "id")]
    id_right: Option<String>,
    /// Read the kinds of the columns from a file written by --write-config
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the detected kinds of the columns to a file, and do nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "explain", "add", "analyze"])]
    write_config: Option<PathBuf>,
    /// Minimum probability of a match, above 0 and below 1 [default: chosen from the data]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Allow each record at most one match in the other table
    #[arg(long, conflicts_with = "within")]
    one_to_one: bool,
    /// Compare more: 2 allows twice the pairs per bucket and candidates per record, and takes up to twice the time
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    effort: Option<f64>,
    /// Show what would be compared (candidates per key, largest buckets with their values), and compare nothing
    #[arg(long, conflicts_with_all = ["output", "explain", "add"])]
    analyze: bool,
    /// Table of the true pairs or clusters: report precision and recall, and write the wrong and the missed pairs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explain", "add", "analyze"])]
    gold: Option<PathBuf>,
    /// Column of dates: merged.csv has the newest value of each column instead of the most frequent one
    #[arg(long, value_name = "COLUMN")]
    newest: Option<String>,
    /// Share of the records that have a match, above 0 and up to 1, where that is known [default: estimated]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    expect: Option<f64>,
    /// Use the weights of another result, its model.json, in place of learning them from this table
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Column to check the matches against, which is not compared itself: a date, a number or a word
    #[arg(long, value_name = "COLUMN")]
    validate: Option<String>,
    /// Explain why two records match or do not, and write nothing. From the folder of a result this takes no second run
    #[arg(long, num_args = 2, value_names = ["ID1", "ID2"], conflicts_with = "output")]
    explain: Option<Vec<String>>,
    /// Add the records of table NEW to the result in folder TABLE, whose clusters keep their numbers
    #[arg(long, value_name = "NEW", conflicts_with_all = ["output", "explain", "config", "id", "threshold", "validate", "within", "expect", "model"])]
    add: Option<PathBuf>,
    /// Write everything to this HTML file too, for your browser: scores, weights, and the pairs to look at
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explain", "add", "analyze", "write_config"])]
    report: Option<PathBuf>,
    /// Replace what an earlier run wrote to the output folder, an edited file of --write-config, or the file of --report
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    resources: TableResourceArguments,
    #[command(flatten)]
    run: RunArguments,
}

/// What is to be done.
enum Job {
    Link(LinkOptions, Option<PathBuf>),
    Explain(LinkOptions, [String; 2]),
    ExplainResult(PathBuf, Memory, [String; 2]),
    Analyze(LinkOptions),
    Add(AddOptions),
    WriteConfig(LinkOptions, PathBuf),
}

impl LinkArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (job, run) = self.job()?;
        let (report, folder) = match job {
            Job::WriteConfig(options, path) => {
                write_config(&lookalike::guess_config(&options)?, &path, options.force)?;
                return Ok(Done::All);
            }
            Job::Explain(options, ids) => {
                let explained =
                    with_threads(run, |progress| lookalike::explain(&options, [&ids[0], &ids[1]], progress))??;
                streams::show(|out| show_explanation(out, &ids, &explained))?;
                return Ok(Done::All);
            }
            Job::ExplainResult(folder, memory, ids) => {
                let explained = with_threads(run, |progress| {
                    lookalike::explain_result(&folder, [&ids[0], &ids[1]], memory, progress)
                })??;
                streams::show(|out| show_explanation(out, &ids, &explained))?;
                return Ok(Done::All);
            }
            Job::Analyze(options) => {
                let analysis = with_threads(run, |progress| lookalike::analyze(&options, progress))??;
                streams::show(|out| show_analysis(out, &analysis))?;
                return Ok(done(analysis.skipped));
            }
            Job::Link(options, page) => {
                let report = with_threads(run, |progress| lookalike::link(&options, progress))??;
                if let (Some(path), Some(page)) = (&page, &report.page) {
                    pages::write(page, path, options.force)?;
                }
                (report, options.folder.context("clap asks for a folder")?)
            }
            Job::Add(options) => {
                let report = with_threads(run, |progress| lookalike::add_records(&options, progress))??;
                (report, options.folder)
            }
        };
        notes::skipped(&report.skipped_rows, report.skipped);
        for warning in &report.warnings {
            talk!("warning: {warning}");
        }
        if !run.quiet {
            // The result is there; that nobody reads about it does not undo it.
            let _ = show(&report, &folder);
        }
        Ok(done(report.skipped))
    }

    fn job(self) -> Result<(Job, RunOptions)> {
        let run = self.run.options()?;
        let TableResources { memory, longest, limit } = self.resources.options()?;
        if let Some(new) = self.add {
            let [folder] = <[PathBuf; 1]>::try_from(self.tables)
                .map_err(|_| anyhow!("--add takes the folder of one result, and several paths were given"))?;
            return Ok((Job::Add(AddOptions { new, longest, limit, memory, folder }), run));
        }
        if self.one_to_one && self.tables.len() != 2 {
            let given =
                if self.tables.len() == 1 { "one was".to_owned() } else { format!("{} were", self.tables.len()) };
            bail!("--one-to-one is for two tables, and {given} given");
        }
        if let Some(effort) = self.effort.filter(|effort| !(*effort > 0.0 && effort.is_finite())) {
            bail!("--effort {effort} is not possible: give a factor above 0, such as 4");
        }
        if self.output.as_deref().is_some_and(|output| output.as_os_str() == "-") {
            bail!("-o - is not possible: link writes several tables; give -o DIR, the name of a folder");
        }
        if let Some(threshold) = self.threshold.filter(|threshold| !(*threshold > 0.0 && *threshold < 1.0)) {
            bail!("--threshold {threshold} is not possible: give a probability above 0 and below 1, such as 0.9");
        }
        if let Some(share) = self.expect.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
            bail!("--expect {share} is not possible: give a share above 0 and up to 1, such as 0.05");
        }
        let options = LinkOptions {
            tables: self.tables,
            within: self.within,
            longest,
            limit,
            memory,
            id: self.id,
            id_right: self.id_right,
            config: self.config.as_deref().map(read_config).transpose()?,
            threshold: self.threshold,
            one_to_one: self.one_to_one,
            effort: self.effort,
            newest: self.newest,
            gold: self.gold,
            expect: self.expect,
            model: self.model,
            validate: self.validate,
            has_page: self.report.is_some(),
            folder: self.output,
            force: self.force,
        };
        let job = match (self.write_config, self.explain) {
            (Some(path), _) => Job::WriteConfig(options, path),
            (None, Some(ids)) => {
                let ids: [String; 2] = ids.try_into().ok().context("--explain needs two ids")?;
                match &options.tables[..] {
                    [folder] if lookalike::is_link_result(folder) => Job::ExplainResult(folder.clone(), memory, ids),
                    _ => Job::Explain(options, ids),
                }
            }
            (None, None) if self.analyze => Job::Analyze(options),
            (None, None) => Job::Link(options, self.report),
        };
        Ok((job, run))
    }
}

fn read_config(path: &Path) -> Result<Config> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the config {}", path.display()))?;
    toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count()) + 1;
        anyhow!("{}, line {line}: {}; --write-config writes a valid one", path.display(), error.message())
    })
}

/// Writes a config that a person can edit.
fn write_config(config: &Config, path: &Path, is_forced: bool) -> Result<()> {
    let kinds = "# kind: person-name, organisation, address, phone, date, number, code, email, category, free-text or ignored\n";
    let text = format!("{kinds}{}", toml::to_string_pretty(config).context("cannot write the config")?);
    if !is_forced && std::fs::read_to_string(path).is_ok_and(|before| before != text) {
        bail!("{} exists, and may have been edited: give another name, or --force to replace it", path.display());
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    talk!("wrote {}: edit it, and give it back with --config", path.display());
    Ok(())
}
