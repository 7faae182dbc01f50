//! The commands, one file each: its arguments, its run, and its result for a person.

mod assets;
mod audit;
mod boilerplate;
mod compare;
mod decontaminate;
pub(crate) mod dedup;
mod evaluate;
mod extract;
mod finished;
mod index;
mod link;
mod pairs;
mod passages;
mod prints;
mod report;
mod schema;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod sets;
mod splits;
mod tune;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use lookalike::Progress;
#[cfg(feature = "remote")]
use lookalike::io::remote::{Silence, on_silence};
use lookalike::io::write::OutputFile;

use crate::commands::audit::AuditArguments;
use crate::commands::boilerplate::BoilerplateArguments;
use crate::commands::compare::CompareArguments;
use crate::commands::decontaminate::DecontaminateArguments;
use crate::commands::dedup::DedupArguments;
use crate::commands::evaluate::EvaluateArguments;
use crate::commands::extract::ExtractArguments;
use crate::commands::index::IndexCommand;
use crate::commands::link::LinkArguments;
use crate::commands::pairs::PairsArguments;
use crate::commands::passages::PassagesArguments;
use crate::commands::prints::PrintsArguments;
use crate::commands::report::ReportArguments;
use crate::commands::schema::SchemaArguments;
use crate::commands::search::SearchArguments;
#[cfg(feature = "serve")]
use crate::commands::serve::ServeArguments;
use crate::commands::sets::SetsArguments;
use crate::commands::splits::SplitsArguments;
use crate::commands::tune::TuneArguments;
use crate::flags::run::{RunOptions, Talk};
use crate::show::numbers;
use crate::show::progress::Watch;
use crate::show::streams::{Pipe, talk};
use crate::stop::{self, Quiet};

/// Find near-duplicate documents, records, sets and fingerprints, with evidence for each.
///
/// Every removal is justified: each removed document has a kept near-duplicate, which the output names with their exact
/// similarity. No duplicates remain: no two kept documents are near-duplicates.
#[derive(Debug, Parser)]
#[command(
    name = "lookalike",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  lookalike dedup examples/news -o out\n  lookalike link examples/customers.csv --id id -o linked\n  \
        lookalike sets examples/sets/queries.txt --named --threshold 0.5\n\n\
        More about a command: lookalike dedup --help. Exit codes: 0 done, 1 done but some input was skipped, 2 not done."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates, and name the kept document for each of them.
    #[command(after_help = "Examples:\n  lookalike dedup examples/news examples/five.jsonl --id id -o out\n  \
        lookalike dedup - < examples/five.jsonl > clean.jsonl\n\n\
        The first writes out/kept/ (the kept documents, unchanged), out/removed.jsonl (each removal and its reason), \
        out/report.html (for your browser) and out/summary.json; the second is a filter, which writes only the kept documents.")]
    Dedup(DedupArguments),
    /// Write report.html for a finished run of dedup.
    #[command(after_help = "Example:\n  lookalike report out --report-texts full -o everything.html\n\n\
        Texts are read again from the input of the run; without it, the report has ids and places only.")]
    Report(ReportArguments),
    /// Label a sample of removals in your browser, and get the precision of a run with its confidence interval.
    #[command(after_help = "Examples:\n  lookalike audit out --report label.html\n  \
        lookalike audit out --labels examples/labels/anna.jsonl examples/labels/ben.jsonl\n\n\
        Without --report and --labels it opens a page for this machine alone, and prints its address; labels go to \
        labels.jsonl in DIR. The first example makes the page as a file for somebody else, the second counts what they \
        sent back, prints the table, and writes audit.json to DIR.")]
    Audit(AuditArguments),
    /// List every near-duplicate pair with its similarity.
    #[command(
        after_help = "Examples:\n  lookalike pairs examples/five.jsonl --id id --threshold 0.9 --format tsv > pairs.tsv\n  \
        lookalike pairs examples/news --id id --between 0.6,0.8 --sample 5 --show\n  \
        lookalike pairs examples/news/agency.jsonl --against examples/news/herald.jsonl --id id\n\n\
        The second shows five borderline pairs side by side; the third pairs documents of the first file with documents of the second."
    )]
    Pairs(PairsArguments),
    /// Find test items in a corpus, with their places, and take them out.
    #[command(
        after_help = "Examples:\n  lookalike decontaminate examples/crawl.jsonl --against examples/quiz.jsonl --id id -o out\n  \
        lookalike decontaminate examples/crawl.jsonl --against examples/quiz.jsonl -o clean --action cut\n\n\
        The first prints a table and writes out/hits.jsonl (each passage that a document shares with an item, with its place), \
        out/items.jsonl (each item, and whether a document has it), out/report.html (for your browser) and out/summary.json; \
        the second also writes the documents without these passages to clean/cut/."
    )]
    Decontaminate(DecontaminateArguments),
    /// Find lines, paragraphs and runs of words that several documents have, and cut them.
    #[command(after_help = "Examples:\n  lookalike passages examples/news --id id --unit run:20 -o repeated\n  \
        lookalike passages examples/pages.jsonl --unit line --at-least 3 --keep none --action cut -o cut\n\n\
        The first lists each run of 20 or more words that an earlier document has, with its places, in repeated/cuts.jsonl, and shows them \
        in repeated/report.html; the second writes the documents without the lines that three or more of them have.")]
    Passages(PassagesArguments),
    /// Find documents of a split that have a near-duplicate, or a shared passage, in an earlier split.
    #[command(
        after_help = "Examples:\n  lookalike splits examples/news/agency.jsonl examples/news/crawl.warc.wet --threshold 0.7\n  \
        lookalike splits examples/news/agency.jsonl examples/news/herald.jsonl --passages run:20 -o leaks\n\n\
        Each INPUT is a split, training data first. The second also counts documents with 20 words in a row of an earlier split, \
        and writes each leak with its other document to leaks/. --group FIELD also writes all documents with a field by which they can be split without leaks. \
        With --fail-if-leaks 0.001 the exit code is 1 if more than 0.1 % of a split leak."
    )]
    Splits(SplitsArguments),
    /// Keep documents in a folder, to search them and to compare new ones with them.
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "Examples:\n  lookalike index create archive\n  lookalike index add archive examples/news --id id\n  \
            lookalike search archive --like agency-007"
    )]
    Index(IndexCommand),
    /// Find the documents of an index that are similar to a text, to a stored document, or to each document of a file.
    #[command(after_help = "Examples:\n  lookalike search archive 'The storm hit the coast on Monday night'\n  \
        lookalike search archive --like agency-007 --show\n  \
        lookalike search archive --input examples/five.jsonl --format jsonl > matches.jsonl\n\n\
        Similarities are measured exactly. An index is made by lookalike index create and lookalike index add.")]
    Search(SearchArguments),
    /// Serve indexes and results over HTTP: an API for programs, and a page for people.
    #[command(
        after_help = "Examples:\n  lookalike serve\n  lookalike serve archive\n  lookalike serve --results out\n\n\
        The first serves an empty temporary index, to try it out. The server listens on this machine only; to serve others, \
        create keys with lookalike serve keys new. Ctrl-C stops it after pending requests have finished."
    )]
    #[cfg(feature = "serve")]
    Serve(ServeArguments),
    /// Find records of the same customer, site or product, in one table, between two, or in several.
    #[command(after_help = "Examples:\n  lookalike link examples/customers.csv --id id -o linked\n  \
        lookalike link explain linked 1 2\n  \
        lookalike link analyze examples/customers.csv --id id\n\n\
        The first writes linked/matches.csv (pairs, with the bits of each field), clusters.csv, linked.csv (all rows with \
        their cluster), merged.csv (one row per cluster), report.html (for your browser), link.toml (the kind of each column) and \
        summary.json; the second \
        explains from that result why two records match; the third shows what would be compared.")]
    Link(LinkArguments),
    /// Find similar sets: baskets, sessions, films by their fans, sites by their visitors.
    #[command(after_help = "Examples:\n  lookalike sets examples/sets/queries.txt --named --threshold 0.5\n  \
        lookalike sets examples/sets/ratings.csv --set user --element film --transpose --top 3\n  \
        lookalike sets examples/sets/ratings.csv --weight stars --threshold 0.3\n\n\
        Rows have left_id, right_id, the similarity and the number of shared elements. Equal sets are pairs; empty sets match nothing.")]
    Sets(SetsArguments),
    /// Find fingerprints of the same finger by their minutiae, within the input or in other prints.
    #[command(after_help = "Examples:\n  lookalike prints examples/prints.csv --format tsv\n  \
        lookalike prints examples/queries.csv --against examples/prints.csv --top 5\n\n\
        Impressions may be shifted, rotated and stretched. Pairs and their scores go to standard output, or to -o FILE.")]
    Prints(PrintsArguments),
    /// Suggest a threshold, and show what bands and rows will find and cost.
    #[command(after_help = "Examples:\n  lookalike tune --threshold 0.8 --recall 0.99 --svg curve.svg\n  \
        lookalike tune examples/news --threshold 0.7\n  lookalike tune --threshold 0.9 --budget 64B")]
    Tune(TuneArguments),
    /// Compare methods, thresholds and shingles on a corpus by recall, precision, time and memory.
    #[command(after_help = "Examples:\n  lookalike evaluate examples/news --methods minhash,simhash:bits=6\n  \
        lookalike evaluate examples/news --methods minhash --thresholds 0.7,0.8 --shingles word:3,char:5\n\n\
        The true pairs are found by an exact join, which holds all features in memory, or read from --labels.")]
    Evaluate(EvaluateArguments),
    /// Compare two documents by all measures, and show the differences.
    #[command(after_help = "Example:\n  lookalike compare agency-007 herald-007 --in examples/news --id id\n\n\
        Without --in, the two are files of one document each.")]
    Compare(CompareArguments),
    /// Learn what each source says on most of its pages, to ignore it.
    #[command(after_help = "Examples:\n  lookalike boilerplate examples/shop.jsonl -o shop.boilerplate\n  \
        lookalike dedup examples/shop.jsonl --ignore-boilerplate=shop.boilerplate -o out\n\n\
        dedup and pairs can learn it themselves: --ignore-boilerplate without a file. A table is for other input of the same \
        sources, which is then compared in the same way.")]
    Boilerplate(BoilerplateArguments),
    /// Write the text by which each document is compared.
    #[command(after_help = "Examples:\n  lookalike extract examples/news --id id\n  \
        lookalike extract examples/five.jsonl --id id -o texts.jsonl\n\n\
        Rows have the id and the text of a document. Options of reading are those of lookalike dedup: with --extract article, the main content of web pages.")]
    Extract(ExtractArguments),
    /// Print the JSON Schema of an output.
    #[command(after_help = "Example:\n  lookalike schema removal\n\n\
        The schema of removal describes a line of removed.jsonl.")]
    Schema(SchemaArguments),
    /// Write completions for all shells and manual pages to a folder; `cargo xtask assets` calls this.
    #[command(hide = true)]
    Assets {
        /// The folder to create
        folder: PathBuf,
    },
}

impl Command {
    /// True if it handles signals itself, so that it can finish its work before it ends.
    pub(crate) fn has_signals_of_its_own(&self) -> bool {
        #[cfg(feature = "serve")]
        return matches!(self, Self::Serve(_));
        #[cfg(not(feature = "serve"))]
        false
    }
}

/// Outcome of a command.
pub(crate) enum Done {
    All,
    /// Parts of the input were skipped and reported.
    WithSkipped,
    /// The result is complete, but beyond a limit at which the command must fail.
    OverLimit,
}

pub(crate) fn run(arguments: Arguments) -> Result<Done> {
    match arguments.command {
        Command::Dedup(arguments) => arguments.run(),
        Command::Decontaminate(arguments) => arguments.run(),
        Command::Report(arguments) => arguments.run(),
        Command::Audit(arguments) => arguments.run(),
        Command::Pairs(arguments) => arguments.run(),
        Command::Passages(arguments) => arguments.run(),
        Command::Splits(arguments) => arguments.run(),
        Command::Compare(arguments) => arguments.run(),
        Command::Boilerplate(arguments) => arguments.run(),
        Command::Extract(arguments) => arguments.run(),
        Command::Schema(arguments) => arguments.run(),
        Command::Index(command) => command.run(),
        Command::Search(arguments) => arguments.run(),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => arguments.run(),
        Command::Link(arguments) => arguments.run(),
        Command::Prints(arguments) => arguments.run(),
        Command::Sets(arguments) => arguments.run(),
        Command::Tune(arguments) => arguments.run(),
        Command::Evaluate(arguments) => arguments.run(),
        Command::Assets { folder } => assets::write(&folder).map(|()| Done::All),
    }
}

fn done(skipped: u64) -> Done {
    if skipped == 0 { Done::All } else { Done::WithSkipped }
}

/// Runs a job that writes rows: to a file, which is complete or absent, or to standard output. Also says whether all of
/// them were read: if they were not, it is not known how many there are.
fn to_output<T: Send>(
    target: Option<&Path>,
    force: bool,
    run: &RunOptions,
    mut stdout: Box<dyn Write + Send>,
    job: impl FnOnce(&mut (dyn Write + Send), &dyn Progress) -> lookalike::Result<T> + Send,
) -> Result<(T, bool)> {
    let mut file = target.map(|target| OutputFile::new(target, force, stop::unfinished())).transpose()?;
    let mut pipe = Pipe::new(file.as_mut().map_or(&mut *stdout, OutputFile::writer));
    let report = with_threads(run, |progress| job(&mut pipe, progress))??;
    let is_read = !pipe.is_closed();
    // Only a pipe is ever closed, and a pipe is not moved into place.
    if let Some(file) = file.filter(|_| is_read) {
        file.commit()?;
    }
    Ok((report, is_read))
}

/// Runs a job on the requested number of threads, with or without a display of progress.
fn with_threads<T: Send>(run: &RunOptions, job: impl FnOnce(&dyn Progress) -> T + Send) -> Result<T> {
    let (wanted, threads) = (run.resources.wanted_threads(), run.resources.threads());
    if threads < wanted && !run.is_quiet() {
        let memory = numbers::bytes(run.resources.memory().bytes());
        talk!("note: {threads} of {wanted} threads are used: --memory of {memory} has no room for more");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.context("cannot start threads: give fewer with --threads")?;
    #[cfg(feature = "remote")]
    if !run.is_quiet() {
        on_silence(|Silence { host, left }| {
            talk!("waiting for {host}: nothing received, giving up in {} s", left.as_secs());
        });
    }
    Ok(pool.install(|| match run.talk {
        Talk::Quiet => job(&Quiet),
        Talk::Normal => job(&Watch::default()),
        Talk::Verbose => job(&Watch::verbose()),
    }))
}

#[cfg(test)]
mod tests {
    use clap::{ArgAction, CommandFactory};

    use super::*;

    /// A command and all below it, each with its name.
    fn all(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
        let name = format!("{name} {}", command.get_name()).trim().to_owned();
        let below = command.get_subcommands().flat_map(|command| all(command, &name)).collect::<Vec<_>>();
        [(name, command.clone())].into_iter().chain(below).collect()
    }

    /// The flags of a command that are its own.
    fn flags(command: &clap::Command) -> impl Iterator<Item = &clap::Arg> {
        let is_own = |flag: &&clap::Arg| {
            !flag.is_positional()
                && !matches!(flag.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::Version)
        };
        command.get_arguments().filter(is_own)
    }

    /// The headings of help, in their order.
    const HEADINGS: [&str; 6] = ["Input", "Access", "Output", "Similarity", "Method", "Resources"];

    /// Commands that do a job and end: all but a service, groups of commands, and what describes the program itself.
    fn jobs() -> Vec<(String, clap::Command)> {
        let is_job = |(name, command): &(String, clap::Command)| {
            let words: Vec<&str> = name.split(' ').skip(1).collect();
            !matches!(words[..], [] | ["serve" | "schema" | "assets", ..])
                && (command.get_subcommands().next().is_none() || flags(command).next().is_some())
        };
        all(&Arguments::command(), "").into_iter().filter(is_job).collect()
    }

    fn flag<'a>(command: &'a clap::Command, long: &str) -> Option<&'a clap::Arg> {
        flags(command).find(|flag| flag.get_long() == Some(long))
    }

    fn values(flag: &clap::Arg) -> Vec<String> {
        flag.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
    }

    #[test]
    fn what_people_expect_has_the_same_letter_on_every_command() {
        let letters = [("threshold", 't'), ("threads", 'j'), ("verbose", 'v'), ("quiet", 'q'), ("output", 'o')];
        for (name, command) in all(&Arguments::command(), "") {
            for flag in flags(&command) {
                let long = flag.get_long().unwrap_or_default();
                let letter = letters.iter().find(|(of, _)| *of == long).map(|(_, letter)| *letter);
                assert_eq!(flag.get_short(), letter, "{name} --{long}");
            }
        }
    }

    #[test]
    fn every_flag_is_under_one_of_the_headings_which_come_in_one_order() {
        for (name, command) in all(&Arguments::command(), "") {
            let mut shown: Vec<usize> = Vec::new();
            let in_help = command.get_arguments().filter(|argument| argument.get_help_heading().is_some());
            for heading in in_help.filter_map(clap::Arg::get_help_heading) {
                let place = HEADINGS.iter().position(|known| *known == heading);
                let place = place.unwrap_or_else(|| panic!("{name} has the heading {heading}"));
                if !shown.contains(&place) {
                    shown.push(place);
                }
            }
            assert!(shown.is_sorted(), "{name}: {:?}", shown.iter().map(|place| HEADINGS[*place]).collect::<Vec<_>>());
            for flag in flags(&command) {
                assert!(flag.get_help_heading().is_some(), "{name} --{}", flag.get_long().unwrap_or_default());
            }
        }
    }

    #[test]
    fn every_job_has_a_summary_and_can_be_quiet() {
        let jobs = jobs();
        assert!(jobs.len() > 24, "{:?}", jobs.iter().map(|(name, _)| name).collect::<Vec<_>>());
        for (name, command) in jobs {
            let summary = flag(&command, "summary").unwrap_or_else(|| panic!("{name} has no --summary"));
            assert_eq!(values(summary), ["text", "json", "none"], "{name}");
            assert_eq!(summary.get_default_values(), ["text"], "{name}");
            assert_eq!(summary.get_help_heading(), Some("Output"), "{name}");
            let quiet = flag(&command, "quiet").unwrap_or_else(|| panic!("{name} has no --quiet"));
            assert_eq!(quiet.get_help_heading(), Some("Resources"), "{name}");
            let [threads, verbose] = ["threads", "verbose"].map(|long| flag(&command, long).is_some());
            assert_eq!(threads, verbose, "{name}: -j and -v");
        }
    }

    #[test]
    fn flags_about_output_mean_the_same_everywhere() {
        let mut formats = Vec::new();
        for (name, command) in all(&Arguments::command(), "") {
            for long in ["output", "force", "format", "report", "no-report", "removed", "summary"] {
                let heading = flag(&command, long).map(|flag| flag.get_help_heading());
                assert!(heading.is_none_or(|heading| heading == Some("Output")), "{name} --{long}: {heading:?}");
            }
            formats.extend(flag(&command, "format").map(|format| (name.clone(), values(format))));
            if let Some(report) = flag(&command, "report") {
                assert_eq!(report.get_value_names().map(|names| names[0].as_str()), Some("FILE"), "{name}");
                assert!(flag(&command, "force").is_some(), "{name}: a report that exists can be replaced");
            }
            let [report, no_report] = ["report", "no-report"].map(|long| flag(&command, long).is_some());
            assert!(report || !no_report, "{name} --no-report");
        }
        // Passages are shown by code hosts, which read SARIF; their rows are also lines of JSON.
        formats.retain(|(name, values)| name != "lookalike passages" || values[..] != ["jsonl", "sarif"]);
        assert!(formats.len() >= 4 && formats.iter().all(|(_, values)| *values == formats[0].1), "{formats:?}");
    }

    #[test]
    fn short_help_has_about_a_dozen_options() {
        for (name, command) in all(&Arguments::command(), "") {
            let shown = flags(&command).filter(|flag| !flag.is_hide_short_help_set() && !flag.is_hide_set());
            let shown: Vec<&str> = shown.filter_map(|flag| flag.get_long()).collect();
            assert!(shown.len() <= 15, "{name} -h shows {} options: {shown:?}", shown.len());
        }
    }
}
