//! What a person types, checked once and turned into options.

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lookalike::core::decision::Scope;
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::resolve::keep::Keep;
use lookalike::io::read::{Fields, Settings, Split};
use lookalike::io::web::Extract;
use lookalike::{
    Against, Between, Copies, DedupOptions, Group, Memory, Output, PairsOptions, ReadOptions, RowFormat, Selection,
    Share, SimilarityOptions, SourceBy,
};

use crate::evaluate::EvaluateArguments;
use crate::link::LinkArguments;
use crate::number;
use crate::prints::PrintsArguments;
use crate::resources::{self, ResourceArguments, input_limit};
use crate::sets::SetsArguments;
use crate::similarity::SimilarityArguments;
use crate::streams;
use crate::tune::TuneArguments;

/// Find what is nearly the same, with proof: documents, records, sets, fingerprints.
///
/// Every document that is removed has a near-duplicate that is kept, and the output names it with their exact
/// similarity. No two documents that are kept are near-duplicates.
#[derive(Debug, Parser)]
#[command(
    name = "lookalike",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  lookalike dedup examples/news -o out\n  lookalike link examples/customers.csv --id id -o linked\n  \
        lookalike sets examples/sets/queries.txt --id --threshold 0.5\n\n\
        Each command has more: lookalike dedup --help. Exit code 0 is done, 1 is done with skipped input, 2 is not done."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates, and show for each what was kept in its place.
    #[command(after_help = "Examples:\n  lookalike dedup examples/news examples/five.jsonl --id id -o out\n  \
        lookalike dedup - < examples/five.jsonl > clean.jsonl\n\n\
        The first writes out/kept/ (what stays, as it was), out/removed.jsonl (what went, and why) and out/summary.json; \
        the second is a filter, which writes only what stays.")]
    Dedup(DedupArguments),
    /// List every near-duplicate pair with its similarity.
    #[command(
        after_help = "Examples:\n  lookalike pairs examples/five.jsonl --id id --threshold 0.9 --format tsv > pairs.tsv\n  \
        lookalike pairs examples/news --id id --between 0.6,0.8 --sample 5 --show\n  \
        lookalike pairs examples/news/agency.jsonl --against examples/news/herald.jsonl --id id\n\n\
        The second shows five borderline pairs side by side; the third finds pairs of a document of the first file and one of the second."
    )]
    Pairs(PairsArguments),
    /// Find records that mean the same customer, site or product: in one table, or between two.
    #[command(after_help = "Examples:\n  lookalike link examples/customers.csv --id id -o linked\n  \
        lookalike link examples/customers.csv --id id --explain 1 2\n\n\
        The first writes linked/matches.csv (pairs, with points for each field), clusters.csv, linked.csv (all rows with \
        their cluster), link.toml (what the columns were taken for) and summary.json; the second says why two records are a match.")]
    Link(LinkArguments),
    /// Find sets that are alike: baskets, sessions, films by their fans, sites by their visitors.
    #[command(after_help = "Examples:\n  lookalike sets examples/sets/queries.txt --id --threshold 0.5\n  \
        lookalike sets examples/sets/ratings.csv --set user --element film --transpose --top 3\n  \
        lookalike sets examples/sets/ratings.csv --weights stars --threshold 0.3\n\n\
        Rows are left_id, right_id, the similarity and what is shared. Equal sets are pairs; empty ones are like nothing.")]
    Sets(SetsArguments),
    /// Find fingerprints of the same finger by their minutiae: within the input, or in a gallery.
    #[command(after_help = "Examples:\n  lookalike prints examples/prints.csv --format tsv\n  \
        lookalike prints --gallery examples/prints.csv examples/queries.csv --top 5\n\n\
        Impressions may be shifted, turned and stretched. Pairs with their score go to standard output, or to -o FILE.")]
    Prints(PrintsArguments),
    /// Count pairs by similarity, suggest a threshold, and say what bands and rows find and cost, before anything is run.
    #[command(after_help = "Examples:\n  lookalike tune --threshold 0.8 --recall 0.99 --svg curve.svg\n  \
        lookalike tune examples/news --threshold 0.7\n  lookalike tune --threshold 0.9 --budget 64B")]
    Tune(TuneArguments),
    /// Compare methods, thresholds and shingles over one corpus: recall, precision, time and memory.
    #[command(after_help = "Examples:\n  lookalike evaluate examples/news --methods minhash,simhash:bits=6\n  \
        lookalike evaluate examples/news --methods minhash --thresholds 0.7,0.8 --shingles word:3,char:5\n\n\
        The truth is found by an exact join, which holds all features in memory; or give it with --truth.")]
    Evaluate(EvaluateArguments),
    /// Compare two documents: all measures, and what differs.
    #[command(after_help = "Example:\n  lookalike compare agency-007 herald-007 --in examples/news --id id\n\n\
        Without --in the two are files, each with one document.")]
    Compare(CompareArguments),
    /// Write completions for all shells and manual pages to a folder; `cargo xtask assets` calls this.
    #[command(hide = true)]
    Assets {
        /// The folder, which is made
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DedupArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// The folder to write to, which must be empty or not exist yet; - writes the kept documents of one file to standard output.
    /// Not needed to filter standard input (-) to standard output
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    against: AgainstArguments,
    /// Which of two near-duplicates stays: longest (in tokens), first, last, max:FIELD or min:FIELD
    #[arg(long, value_name = "ORDER", default_value = "longest")]
    keep: String,
    /// How near-duplicates become removals
    #[arg(long, value_enum, value_name = "HOW", default_value_t = GroupArgument::Independent)]
    group: GroupArgument,
    #[command(flatten)]
    source: SourceArguments,
    /// Write no documents, only the evidence and the summary (to the output folder, if one is given)
    #[arg(long, conflicts_with = "annotate")]
    dry_run: bool,
    /// Write all documents, each with its cluster, whether it is kept, the id of the kept one, and their similarity;
    /// existing fields of the same names are replaced
    #[arg(long)]
    annotate: bool,
    /// Without an output folder: write what was removed, and why, to this file
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
    /// How to print the summary: text goes to standard error; json goes to standard output, or to the last line of standard
    /// error if documents go to standard output
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SummaryArgument::Text)]
    summary: SummaryArgument,
    /// Replace what an earlier run wrote
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    similarity: SimilarityArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
struct AgainstArguments {
    /// Also remove what is like a document of these files or folders, such as a test set; they stay as they are (give INPUT before)
    #[arg(long, value_name = "REFERENCE", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Remove only what is like a document of --against, and leave duplicates inside the input alone
    #[arg(long, requires = "against")]
    only_against: bool,
}

#[derive(Debug, Args)]
struct SourceArguments {
    /// Which source a document counts to: host, file, or a field's value (field:host for a field of such a name)
    /// [default: the host of a page, else the file, or the folder of a file that is one document]
    #[arg(long, value_name = "FIELD|host|file")]
    source: Option<String>,
    /// Stop before anything is written if a source of two documents or more, or the whole input, loses this share of its
    /// documents: above 0, at most 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    fail_if_source_loses: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// The file to write to, instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to write pairs
    #[arg(long, value_enum, default_value_t = FormatArgument::Jsonl)]
    format: FormatArgument,
    /// Which pairs of documents with the same words to write: all, or of n such documents only the n - 1 pairs with the
    /// first (star). With --against, star pairs only the first of them on each side
    #[arg(long, value_enum, default_value_t = CopiesArgument::All)]
    copies: CopiesArgument,
    /// Compare INPUT with these files or folders: each pair has its left document in INPUT and its right one in REFERENCE; pairs
    /// within either are left out (give INPUT before)
    #[arg(long, value_name = "REFERENCE", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Only pairs with a similarity from LOW up to, but not including, HIGH (a HIGH of 1 is included): instead of --threshold
    #[arg(long, value_name = "LOW,HIGH", conflicts_with = "threshold", allow_hyphen_values = true, value_parser = between)]
    between: Option<Between>,
    /// Only N pairs, chosen at random: the same ones in every run
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Show pairs side by side, with what the other lacks in [-…-] and [+…+], instead of writing rows; 20 pairs, unless --sample
    /// says otherwise
    #[arg(long, conflicts_with = "format")]
    pub(crate) show: bool,
    /// Replace the output file if it is there
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    similarity: SimilarityArguments,
    #[command(flatten)]
    resources: ResourceArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A file, or the id of a document in --in
    pub(crate) left: String,
    /// Another one
    pub(crate) right: String,
    /// The corpus that the two ids are of
    #[arg(long = "in", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// How to show the comparison: text for people, or one JSON object with every measure and all passages
    #[arg(long, value_enum, default_value_t = ReportArgument::Text)]
    pub(crate) format: ReportArgument,
    #[command(flatten)]
    settings: SettingArguments,
    #[command(flatten)]
    similarity: SimilarityArguments,
    /// The most memory to use, such as 500M or 4G: longer documents than fit it are not compared [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// Files, folders, patterns such as 'data/*.gz', or s3://, gs://, az:// and https:// addresses; - for standard input.
    /// JSONL, JSON, WARC, WET, ARC, Parquet, CSV, HTML and plain text, also as .gz or .zst
    #[arg(required_unless_present = "files_from", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Read the names of further inputs from a file, one a line; - for standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingArguments,
    /// How many threads to use, instead of one a core
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SettingArguments {
    /// The field or column of a document's text; with dots for a field inside of a field, such as body.content
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text: String,
    /// The field of a document's id, instead of its file and position (WARC: instead of WARC-Record-ID; uri for the address)
    #[arg(long, value_name = "FIELD")]
    id: Option<String>,
    /// What of a page is compared: all visible text, or the article without navigation, advertisement and boilerplate
    #[arg(long, value_enum, default_value_t = ExtractArgument::Text)]
    extract: ExtractArgument,
    /// What is a document of a text file
    #[arg(long, value_enum, default_value_t = SplitArgument::File)]
    split: SplitArgument,
    /// What stands between the cells of CSV files, such as ';' or tab; found out by itself, if not given
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// The first row of CSV files is a document, and columns are named 1, 2, 3 …
    #[arg(long)]
    no_header: bool,
    /// The longest document that is read, such as 500M or 1G: longer ones are skipped [default: 256M, or a sixteenth of --memory]
    #[arg(long, value_name = "SIZE")]
    max_record: Option<String>,
    /// The most text to read, unpacked, such as 10G: a run that meets more ends with exit code 2 [default: no limit; standard input,
    /// and what else has to be copied, stops before the disk is full]
    #[arg(long, value_name = "SIZE")]
    max_input: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupArgument {
    /// Every removed document has a kept near-duplicate
    Independent,
    /// One document of each connected component is kept, however unlike the others
    Components,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArgument {
    /// A JSON object a line
    Jsonl,
    /// Tab-separated, with a header line
    Tsv,
}

impl From<FormatArgument> for RowFormat {
    fn from(format: FormatArgument) -> Self {
        match format {
            FormatArgument::Jsonl => Self::Jsonl,
            FormatArgument::Tsv => Self::Tsv,
        }
    }
}

/// How what is for people is shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ReportArgument {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SummaryArgument {
    /// For people
    Text,
    /// For programs: what summary.json has
    Json,
    /// Not at all
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExtractArgument {
    Text,
    Article,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SplitArgument {
    File,
    Paragraph,
    Line,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CopiesArgument {
    All,
    Star,
}

/// How many pairs are shown unless another number is asked for.
const SHOWN: NonZeroUsize = NonZeroUsize::new(20).expect("it is not zero");

/// More threads than any machine has cores would only get in each other's way.
const MOST_THREADS: usize = 1024;

/// What concerns the run and not its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunOptions {
    pub(crate) threads: Option<usize>,
    pub(crate) quiet: bool,
    /// How much memory the threads share, where that is bounded.
    pub(crate) memory: Option<Memory>,
}

/// What `dedup` is to do, in one piece.
pub(crate) struct Dedup {
    pub(crate) options: DedupOptions,
    pub(crate) run: RunOptions,
    pub(crate) documents: Destination,
    pub(crate) removed: Option<PathBuf>,
    pub(crate) summary: SummaryArgument,
}

/// Where documents go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Folder,
    Stdout,
    Nowhere,
}

impl DedupArguments {
    /// Where documents go, by the flags that say so.
    fn documents(&self) -> Result<Destination> {
        let is_stream = |path: &PathBuf| path.as_os_str() == "-";
        let is_filter = self.read.files_from.is_none() && matches!(&self.read.inputs[..], [input] if is_stream(input));
        let documents = match &self.output {
            Some(output) if is_stream(output) && self.dry_run => {
                bail!("--dry-run writes no documents: leave out -o -, or give -o DIR for the evidence and the summary")
            }
            Some(output) if is_stream(output) => Destination::Stdout,
            Some(_) => Destination::Folder,
            None if self.dry_run => Destination::Nowhere,
            None if is_filter => Destination::Stdout,
            None => bail!(
                "no output is given: add -o DIR; or give - alone to filter standard input to standard output (for one file: -o -)"
            ),
        };
        if self.removed.is_some() && documents == Destination::Folder {
            bail!(
                "--removed is for runs without an output folder: leave it out, removed.jsonl is written to the folder"
            );
        }
        if self.removed.as_ref().is_some_and(is_stream) {
            bail!("--removed - is not possible: give the name of a file");
        }
        Ok(documents)
    }

    pub(crate) fn options(self) -> Result<Dedup> {
        let documents = self.documents()?;
        let keep: Keep = self.keep.parse()?;
        let run = self.read.run_options()?;
        let (memory, work) = self.resources.options(self.force)?;
        let run = run.within(memory);
        let mut read = self.read.options(keep.field(), memory)?;
        read.settings.limit = read.settings.limit.with_window_log(memory.window_log(run.thread_count().1));
        let source = self.source.source()?;
        read.settings.fields.source = source.1;
        if self.against.only_against && matches!(self.group, GroupArgument::Components) {
            bail!("--only-against links no documents through others: leave out --group components");
        }
        let similarity = self.similarity.options()?;
        if matches!(similarity.criterion, Criterion::Containment(_)) && keep != Keep::Longest {
            bail!("--measure containment removes what lies inside of another, which is the shorter: leave out --keep");
        }
        let options = DedupOptions {
            read,
            similarity,
            against: self.against.options(),
            keep,
            group: match self.group {
                GroupArgument::Independent => Group::Independent,
                GroupArgument::Components => Group::Components,
            },
            source: source.0,
            fail_if_source_loses: self.source.fail_if_source_loses.map(Share::new).transpose()?,
            folder: self.output.filter(|_| documents == Destination::Folder),
            output: match (self.dry_run, self.annotate) {
                (true, _) => Output::DryRun,
                (false, true) => Output::Annotated,
                (false, false) => Output::Kept,
            },
            force: self.force,
            memory,
            work,
        };
        Ok(Dedup { options, run, documents, removed: self.removed, summary: self.summary })
    }
}

impl AgainstArguments {
    fn options(self) -> Option<Against> {
        let scope = if self.only_against { Scope::References } else { Scope::Everything };
        (!self.against.is_empty()).then_some(Against { references: self.against, scope })
    }
}

impl SourceArguments {
    /// What tells a document's source, and the field if it is one.
    fn source(&self) -> Result<(SourceBy, Option<String>)> {
        Ok(match self.source.as_deref() {
            None => (SourceBy::HostOrFile, None),
            Some("host") => (SourceBy::Host, None),
            Some("file") => (SourceBy::File, None),
            Some(typed) => match typed.strip_prefix("field:").unwrap_or(typed) {
                "" => {
                    bail!("--source needs a name: give host, file, or the field that says where a document comes from")
                }
                field => (SourceBy::Field, Some(field.to_owned())),
            },
        })
    }
}

impl PairsArguments {
    pub(crate) fn options(self) -> Result<(PairsOptions, RunOptions)> {
        let run = self.read.run_options()?;
        let (memory, work) = self.resources.options(self.force)?;
        let run = run.within(memory);
        let similarity = match self.between {
            Some(between) => self.similarity.with_threshold(between.low().value()),
            None => self.similarity,
        };
        let mut read = self.read.options(None, memory)?;
        read.settings.limit = read.settings.limit.with_window_log(memory.window_log(run.thread_count().1));
        let options = PairsOptions {
            read,
            similarity: similarity.options()?,
            output: streams::file(self.output),
            format: self.format.into(),
            copies: match self.copies {
                CopiesArgument::All => Copies::All,
                CopiesArgument::Star => Copies::Star,
            },
            selection: Selection {
                references: self.against,
                between: self.between,
                sample: self.sample.or(self.show.then_some(SHOWN)),
            },
            memory,
            work,
        };
        Ok((options, run))
    }
}

impl CompareArguments {
    pub(crate) fn options(self) -> Result<(ReadOptions, SimilarityOptions)> {
        let memory = resources::memory(self.memory.as_deref())?;
        // Two documents are held, and all that is made of them.
        let settings = self.settings.bounded(None, memory.longest_document() / 2)?;
        Ok((ReadOptions { inputs: self.inputs, listed: Vec::new(), settings }, self.similarity.options()?))
    }
}

impl ReadArguments {
    /// `value` is the field that keep order compares.
    pub(crate) fn options(self, value: Option<&str>, memory: Memory) -> Result<ReadOptions> {
        let listed = self.files_from.as_deref().map_or(Ok(Vec::new()), read_list)?;
        let settings = self.settings.bounded(value, memory.longest_document())?;
        Ok(ReadOptions { inputs: self.inputs, listed, settings })
    }

    pub(crate) fn run_options(&self) -> Result<RunOptions> {
        RunOptions::checked(self.threads, self.quiet)
    }
}

impl RunOptions {
    pub(crate) fn checked(threads: Option<usize>, quiet: bool) -> Result<Self> {
        if let Some(threads) = threads.filter(|threads| !(1..=MOST_THREADS).contains(threads)) {
            bail!("--threads {threads} is not possible: give 1 to {MOST_THREADS}, or leave it out to use every core");
        }
        Ok(Self { threads, quiet, memory: None })
    }

    /// The same, on as many threads as so much memory has room for.
    pub(crate) fn within(self, memory: Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// How many threads were asked for, and how many of them there is room for.
    pub(crate) fn thread_count(self) -> (usize, usize) {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let asked = self.threads.unwrap_or_else(cores);
        (asked, asked.min(self.memory.map_or(usize::MAX, Memory::most_threads)))
    }
}

/// A range of similarities as it is typed.
fn between(written: &str) -> Result<Between> {
    let ends = written.split_once(',').map(|(low, high)| (low.trim().parse(), high.trim().parse()));
    let Some((Ok(low), Ok(high))) = ends else {
        bail!("give two similarities with a comma between, such as 0.75,0.85");
    };
    Ok(Between::new(low, high)?)
}

/// The names that stand in a file, one a line.
fn read_list(path: &Path) -> Result<Vec<PathBuf>> {
    let list = if path.as_os_str() == "-" {
        let mut list = String::new();
        std::io::stdin().read_to_string(&mut list).map(|_| list)
    } else {
        std::fs::read_to_string(path)
    };
    let list = list.with_context(|| format!("cannot read the list of files {}", path.display()))?;
    let names: Vec<PathBuf> = list.lines().filter(|name| !name.trim().is_empty()).map(PathBuf::from).collect();
    if names.is_empty() {
        bail!("no names in the list of files {}: put one on each line", path.display());
    }
    Ok(names)
}

impl SettingArguments {
    /// The settings, in which no document is longer than `longest` unless the user says so.
    fn bounded(self, value: Option<&str>, longest: u64) -> Result<Settings> {
        let is_bounded = self.max_record.is_some();
        let mut settings = self.settings(value)?;
        if !is_bounded {
            let longest = longest.min(settings.longest.into());
            settings.longest = u32::try_from(longest).unwrap_or(settings.longest);
        }
        Ok(settings)
    }

    pub(crate) fn settings(self, value: Option<&str>) -> Result<Settings> {
        Ok(Settings {
            fields: Fields { text: self.text, id: self.id, source: None, value: value.map(str::to_owned) },
            split: match self.split {
                SplitArgument::File => Split::File,
                SplitArgument::Paragraph => Split::Paragraph,
                SplitArgument::Line => Split::Line,
            },
            extract: match self.extract {
                ExtractArgument::Text => Extract::Text,
                ExtractArgument::Article => Extract::Article,
            },
            delimiter: self.delimiter.as_deref().map(delimiter).transpose()?,
            has_header: !self.no_header,
            longest: self.max_record.as_deref().map_or(Ok(Settings::default().longest), longest)?,
            limit: input_limit(self.max_input.as_deref())?,
        })
    }
}

fn delimiter(written: &str) -> Result<u8> {
    match written.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => bail!("--delimiter {written:?} is not possible: give one ASCII character other than a quote, or tab"),
    }
}

/// Places of documents are kept in 32 bits.
pub(crate) fn longest(written: &str) -> Result<u32> {
    let bytes = number::parse_bytes(written).filter(|bytes| (1..=2_000_000_000).contains(bytes));
    match bytes {
        Some(bytes) => Ok(bytes as u32),
        None => bail!("--max-record {written} is not possible: give a size from 1 to 2G, such as 500M"),
    }
}
