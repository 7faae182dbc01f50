//! `lookalike link`: arguments to options, and the result for a person.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use lookalike::core::link::config::{Config, Kind};
use lookalike::core::link::explain::Explanation;
use lookalike::{AddOptions, LinkOptions, LinkReport};

use crate::commands::{Done, done, with_threads};
use crate::flags::resources::{TableResourceArguments, TableResources};
use crate::flags::run::{RunArguments, RunOptions};
use crate::show::streams::{self, talk};
use crate::show::{notes, numbers, one_line, shown_path};

#[derive(Debug, Args)]
pub(crate) struct LinkArguments {
    /// The table, or the first of two: a file (CSV, TSV, JSON or Parquet, also compressed as .gz or .zst), a folder or pattern of
    /// files, an address (s3://, gs://, az://, https://), or - for standard input; with --add, the folder of a result
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The second table: finds matches between the two
    #[arg(value_name = "B")]
    second: Option<PathBuf>,
    /// Folder to write to, new or empty
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["explain", "add", "write_config"])]
    output: Option<PathBuf>,
    /// Column of the ids [default: rows are numbered from 1]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Read the kinds of the columns from a file written by --write-config
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the detected kinds of the columns to a file, and do nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "explain", "add"])]
    write_config: Option<PathBuf>,
    /// Minimum probability of a match, above 0 and below 1 [default: chosen from the data]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// Allow each record at most one match in the other table
    #[arg(long, requires = "second")]
    one_to_one: bool,
    /// Column to check the matches against, which is not compared itself: a date, a number or a word
    #[arg(long, value_name = "COLUMN")]
    validate: Option<String>,
    /// Explain field by field why two records match or do not, and write nothing
    #[arg(long, num_args = 2, value_names = ["ID1", "ID2"], conflicts_with = "output")]
    explain: Option<Vec<String>>,
    /// Add the records of table NEW to the result in folder A, whose clusters keep their numbers
    #[arg(long, value_name = "NEW", conflicts_with_all = ["output", "second", "explain", "config", "id", "threshold", "validate"])]
    add: Option<PathBuf>,
    /// Replace what an earlier run wrote to the output folder
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    resources: TableResourceArguments,
    #[command(flatten)]
    run: RunArguments,
}

/// What is to be done.
enum Job {
    Link(LinkOptions),
    Explain(LinkOptions, [String; 2]),
    Add(AddOptions),
    WriteConfig(LinkOptions, PathBuf),
}

impl LinkArguments {
    pub(crate) fn run(self) -> Result<Done> {
        let (job, run) = self.job()?;
        let (report, folder) = match job {
            Job::WriteConfig(options, path) => {
                write_config(&lookalike::guess_config(&options)?, &path)?;
                return Ok(Done::All);
            }
            Job::Explain(options, ids) => {
                let explained =
                    with_threads(run, |progress| lookalike::explain(&options, [&ids[0], &ids[1]], progress))??;
                streams::show(|out| show_explanation(out, &ids, &explained))?;
                return Ok(Done::All);
            }
            Job::Link(options) => {
                let report = with_threads(run, |progress| lookalike::link(&options, progress))??;
                (report, options.folder.context("clap asks for a folder")?)
            }
            Job::Add(options) => {
                let report = with_threads(run, |progress| lookalike::add_records(&options, progress))??;
                (report, options.folder)
            }
        };
        notes::skipped(&report.skipped_rows, report.skipped);
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
            return Ok((Job::Add(AddOptions { new, longest, limit, memory, folder: self.first }), run));
        }
        if self.output.as_deref().is_some_and(|output| output.as_os_str() == "-") {
            bail!("-o - is not possible: link writes several tables; give -o DIR, the name of a folder");
        }
        if let Some(threshold) = self.threshold.filter(|threshold| !(*threshold > 0.0 && *threshold < 1.0)) {
            bail!("--threshold {threshold} is not possible: give a probability above 0 and below 1, such as 0.9");
        }
        let options = LinkOptions {
            first: self.first,
            second: self.second,
            longest,
            limit,
            memory,
            id: self.id,
            config: self.config.as_deref().map(read_config).transpose()?,
            threshold: self.threshold,
            one_to_one: self.one_to_one,
            validate: self.validate,
            folder: self.output,
            force: self.force,
        };
        let job = match (self.write_config, self.explain) {
            (Some(path), _) => Job::WriteConfig(options, path),
            (None, Some(ids)) => {
                let ids: [String; 2] = ids.try_into().ok().context("--explain needs two ids")?;
                Job::Explain(options, ids)
            }
            (None, None) => Job::Link(options),
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
fn write_config(config: &Config, path: &Path) -> Result<()> {
    let kinds = "# kind: person-name, organisation, address, phone, date, number, code, email, free-text or ignored\n";
    let text = toml::to_string_pretty(config).context("cannot write the config")?;
    std::fs::write(path, format!("{kinds}{text}")).with_context(|| format!("cannot write {}", path.display()))?;
    talk!("wrote {}: edit it, and give it back with --config", path.display());
    Ok(())
}

/// What the columns were taken for, what was found, and where it is.
fn show(report: &LinkReport, folder: &Path) -> io::Result<()> {
    let mut out = io::stderr().lock();
    let records: Vec<String> = report.records.iter().map(|count| numbers::of(*count, "record")).collect();
    writeln!(out, "read      {}", records.join(" and "))?;
    writeln!(out, "columns   treated as")?;
    let width = report.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).min(30);
    for column in &report.columns {
        let name = one_line(&column.name);
        let why =
            if column.kind == Kind::Ignored { format!("ignored: {}", column.why) } else { column.kind.to_string() };
        writeln!(out, "          {name:width$}  {}", one_line(&why))?;
    }
    writeln!(out, "compared  {}", numbers::of(report.candidates, "pair"))?;
    for key in &report.keys {
        let split = match key.not_compared {
            0 => String::new(),
            pairs => format!(", {} of large buckets were not compared", numbers::of(pairs, "pair")),
        };
        let (found, alone) = (numbers::count(key.candidates), numbers::count(key.alone));
        writeln!(out, "          {:14} {found:>12}, {alone} found by it alone{split}", key.kind)?;
    }
    if report.one_field_only > 0 {
        let pairs = numbers::of(report.one_field_only, "pair");
        writeln!(out, "          {pairs} that share only one field were not compared: there were too many")?;
    }
    let threshold = report.threshold;
    writeln!(out, "matches   {} with a probability of {threshold:.3} or more", numbers::count(report.matches))?;
    for band in &report.probabilities {
        writeln!(out, "          {:>12} from {}", numbers::count(band.matches), band.from)?;
    }
    writeln!(out, "clusters  {} of two records or more", numbers::count(report.clusters))?;
    if report.matches_apart > 0 {
        let apart = numbers::count(report.matches_apart);
        writeln!(out, "          {apart} of the matches do not join their clusters, which disagree as a whole")?;
    }
    if let Some(added) = &report.added {
        let (records, merges) = (numbers::of(added.records, "record"), numbers::of(added.merges, "cluster"));
        writeln!(out, "added     {records}; {merges} merged into another: see merges.csv")?;
    }
    if let Some(validation) = &report.validation {
        let right = |share: Option<f64>| share.map_or("?".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        let (random, sure) = (validation.random, validation.sure);
        writeln!(out, "valid     random pairs differ by {random:.2} on average, sure matches by {sure:.2}")?;
        for band in validation.bands.iter().chain([&validation.all]) {
            let (from, to) = (band.from, band.to);
            let (low, high) = (right(band.low), right(band.high));
            let matches = numbers::count(band.matches);
            let mean = band.mean;
            writeln!(
                out,
                "          {from:.4} to {to:.4}: {matches} differ by {mean:.2}: {} right ({low} to {high})",
                right(band.right)
            )?;
        }
    }
    writeln!(
        out,
        "wrote     {}: matches.csv, clusters.csv, linked.csv, link.toml, model.json, summary.json",
        shown_path(folder)
    )?;
    writeln!(out, "took      {}", numbers::seconds(report.seconds))
}

/// Why two records are a match, field by field.
fn show_explanation(out: &mut dyn Write, ids: &[String; 2], explanation: &Explanation) -> io::Result<()> {
    let [left, right] = ids.each_ref().map(|id| one_line(id));
    writeln!(out, "{left} and {right}: {:+.2} bits, probability {:.6}", explanation.weight, explanation.probability)?;
    let shown = |value: &Option<String>| one_line(value.as_deref().unwrap_or("(missing)"));
    let names: Vec<String> = explanation.fields.iter().map(|field| one_line(&field.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("together".len());
    writeln!(out, "{:width$}     bits  points", "")?;
    for (field, name) in explanation.fields.iter().zip(&names) {
        let (left, right) = (shown(&field.left), shown(&field.right));
        writeln!(out, "{name:width$}  {:>+7.2}  {:>6}  {}: {left} | {right}", field.weight, field.points, field.level)?;
    }
    let mut line = |name: &str, weight: f64, why: &str| {
        writeln!(out, "{}", format!("{name:width$}  {weight:>+7.2}  {:>6}  {why}", "").trim_end())
    };
    line("prior", explanation.prior, "the odds of a random pair")?;
    if explanation.bounded != 0.0 {
        line("bounded", explanation.bounded, "because one field alone, or the fields of a household, prove little")?;
    }
    line("together", explanation.weight, "")
}
