//! What a person types, checked once and turned into options.

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::resolve::Scope;
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
/// Every removal is justified: each removed document has a kept near-duplicate, which the output names with their exact
/// similarity. No duplicates remain: no two kept documents are near-duplicates.
#[derive(Debug, Parser)]
#[command(
    name = "lookalike",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  lookalike dedup examples/news -o out\n  lookalike link examples/customers.csv --id id -o linked\n  \
        lookalike sets examples/sets/queries.txt --id --threshold 0.5\n\n\
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
        The first writes out/kept/ (the kept documents, unchanged), out/removed.jsonl (each removal and its reason) and \
        out/summary.json; the second is a filter, which writes only the kept documents.")]
    Dedup(DedupArguments),
    /// List every near-duplicate pair with its similarity.
    #[command(
        after_help = "Examples:\n  lookalike pairs examples/five.jsonl --id id --threshold 0.9 --format tsv > pairs.tsv\n  \
        lookalike pairs examples/news --id id --between 0.6,0.8 --sample 5 --show\n  \
        lookalike pairs examples/news/agency.jsonl --against examples/news/herald.jsonl --id id\n\n\
        The second shows five borderline pairs side by side; the third pairs documents of the first file with documents of the second."
    )]
    Pairs(PairsArguments),
    /// Find records of the same customer, site or product, in one table or between two.
    #[command(after_help = "Examples:\n  lookalike link examples/customers.csv --id id -o linked\n  \
        lookalike link examples/customers.csv --id id --explain 1 2\n\n\
        The first writes linked/matches.csv (pairs, with points for each field), clusters.csv, linked.csv (all rows with \
        their cluster), link.toml (the kind of each column) and summary.json; the second explains why two records match.")]
    Link(LinkArguments),
    /// Find similar sets: baskets, sessions, films by their fans, sites by their visitors.
    #[command(after_help = "Examples:\n  lookalike sets examples/sets/queries.txt --id --threshold 0.5\n  \
        lookalike sets examples/sets/ratings.csv --set user --element film --transpose --top 3\n  \
        lookalike sets examples/sets/ratings.csv --weights stars --threshold 0.3\n\n\
        Rows have left_id, right_id, the similarity and the number of shared elements. Equal sets are pairs; empty sets match nothing.")]
    Sets(SetsArguments),
    /// Find fingerprints of the same finger by their minutiae, within the input or in a gallery.
    #[command(after_help = "Examples:\n  lookalike prints examples/prints.csv --format tsv\n  \
        lookalike prints --gallery examples/prints.csv examples/queries.csv --top 5\n\n\
        Impressions may be shifted, rotated and stretched. Pairs and their scores go to standard output, or to -o FILE.")]
    Prints(PrintsArguments),
    /// Suggest a threshold, and show what bands and rows will find and cost.
    #[command(after_help = "Examples:\n  lookalike tune --threshold 0.8 --recall 0.99 --svg curve.svg\n  \
        lookalike tune examples/news --threshold 0.7\n  lookalike tune --threshold 0.9 --budget 64B")]
    Tune(TuneArguments),
    /// Compare methods, thresholds and shingles on a corpus by recall, precision, time and memory.
    #[command(after_help = "Examples:\n  lookalike evaluate examples/news --methods minhash,simhash:bits=6\n  \
        lookalike evaluate examples/news --methods minhash --thresholds 0.7,0.8 --shingles word:3,char:5\n\n\
        The true pairs are found by an exact join, which holds all features in memory, or read from --truth.")]
    Evaluate(EvaluateArguments),
    /// Compare two documents by all measures, and show the differences.
    #[command(after_help = "Example:\n  lookalike compare agency-007 herald-007 --in examples/news --id id\n\n\
        Without --in, the two are files of one document each.")]
    Compare(CompareArguments),
    /// Write completions for all shells and manual pages to a folder; `cargo xtask assets` calls this.
    #[command(hide = true)]
    Assets {
        /// The folder to create
        folder: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DedupArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Folder to write to, new or empty; - writes the kept documents of one file to standard output. Not needed to filter
    /// standard input (-) to standard output
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    against: AgainstArguments,
    /// Which of two near-duplicates to keep: longest (in tokens), first, last, max:FIELD or min:FIELD
    #[arg(long, value_name = "ORDER", default_value = "longest")]
    keep: String,
    /// How near-duplicates are grouped into removals
    #[arg(long, value_enum, value_name = "HOW", default_value_t = GroupArgument::Independent)]
    group: GroupArgument,
    #[command(flatten)]
    source: SourceArguments,
    /// Write only the evidence and the summary, no documents (to the output folder, if one is given)
    #[arg(long, conflicts_with = "annotate")]
    dry_run: bool,
    /// Write all documents, with the fields cluster, kept, kept_id and similarity added; existing fields of these names are
    /// replaced
    #[arg(long)]
    annotate: bool,
    /// Write the removals and their reasons to this file, in a run without an output folder
    #[arg(long, value_name = "FILE")]
    removed: Option<PathBuf>,
    /// How to print the summary: text to standard error; json to standard output, or to the last line of standard error if
    /// documents go to standard output
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
    /// Also remove documents similar to any in REFERENCE, such as a test set, which itself is not changed (put INPUT before it)
    #[arg(long, value_name = "REFERENCE", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Remove only documents similar to any in REFERENCE, and keep duplicates within the input
    #[arg(long, requires = "against")]
    only_against: bool,
}

#[derive(Debug, Args)]
struct SourceArguments {
    /// What the source of a document is: host, file, or the value of a field (field:host for a field named host)
    /// [default: the host of a page, else the file, or the folder of a file that is one document]
    #[arg(long, value_name = "FIELD|host|file")]
    source: Option<String>,
    /// Write nothing and exit with code 2 if the input, or a source of two documents or more, loses this share of its documents:
    /// above 0, at most 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    fail_if_source_loses: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// File to write to, instead of standard output (-)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the pairs
    #[arg(long, value_enum, default_value_t = FormatArgument::Jsonl)]
    format: FormatArgument,
    /// Which pairs of documents with the same words to write: all, or only those with the first of them (star: n - 1 pairs
    /// for n documents). With --against, star pairs the first of each side
    #[arg(long, value_enum, default_value_t = CopiesArgument::All)]
    copies: CopiesArgument,
    /// Pair documents of INPUT (left) with documents of REFERENCE (right), and none within either (put INPUT before it)
    #[arg(long, value_name = "REFERENCE", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Only pairs with a similarity of LOW or more and below HIGH (a HIGH of 1 is included), instead of --threshold
    #[arg(long, value_name = "LOW,HIGH", conflicts_with = "threshold", allow_hyphen_values = true, value_parser = between)]
    between: Option<Between>,
    /// Only N random pairs, the same ones in every run
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Show pairs side by side with differences in [-…-] and [+…+], instead of writing rows; 20 pairs, unless --sample says
    /// otherwise
    #[arg(long, conflicts_with = "format")]
    pub(crate) show: bool,
    /// Replace the output file if it exists
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
    /// A second file or id
    pub(crate) right: String,
    /// The corpus that holds the two documents
    #[arg(long = "in", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Format of the comparison: text, or one JSON object with every measure and all passages
    #[arg(long, value_enum, default_value_t = ReportArgument::Text)]
    pub(crate) format: ReportArgument,
    #[command(flatten)]
    settings: SettingArguments,
    #[command(flatten)]
    similarity: SimilarityArguments,
    /// Memory limit, such as 500M or 4G: documents too long for it are not compared [default: half of the machine's memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// Files, folders, patterns such as 'data/*.gz', s3://, gs://, az:// or https:// addresses, or - for standard input.
    /// JSONL, JSON, WARC, WET, ARC, Parquet, CSV, HTML and plain text, also compressed as .gz or .zst
    #[arg(required_unless_present = "files_from", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// File with the names of more inputs, one per line; - for standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingArguments,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print only errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SettingArguments {
    /// Field or column of the text; dots lead into nested fields, such as body.content
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text: String,
    /// Field of the document's id [default: file and position, or WARC-Record-ID; uri is the address of a page]
    #[arg(long, value_name = "FIELD")]
    id: Option<String>,
    /// Which text of a page to compare: all visible text, or the article without navigation, advertising and boilerplate
    #[arg(long, value_enum, default_value_t = ExtractArgument::Text)]
    extract: ExtractArgument,
    /// What is one document in a text file
    #[arg(long, value_enum, default_value_t = SplitArgument::File)]
    split: SplitArgument,
    /// Separator of cells in CSV files, such as ';' or tab [default: detected]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// CSV files have no header row: their columns are named 1, 2, 3 …
    #[arg(long)]
    no_header: bool,
    /// Skip documents longer than this, such as 500M or 1G [default: 256M, or a sixteenth of --memory if that is less]
    #[arg(long, value_name = "SIZE")]
    max_record: Option<String>,
    /// Exit with code 2 if the input has more text than this, uncompressed, such as 10G [default: no limit; standard input and
    /// other input that has to be copied stop before the disk is full]
    #[arg(long, value_name = "SIZE")]
    max_input: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupArgument {
    /// Every removed document has a kept near-duplicate
    Independent,
    /// One document of each connected component is kept, however different the others are
    Components,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArgument {
    /// One JSON object per line
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
    /// For programs: the content of summary.json
    Json,
    /// No summary
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
                "no output is given: add -o DIR, or give - alone to filter standard input to standard output (for one file: -o -)"
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
            bail!("--only-against cannot be combined with --group components: leave out one of them");
        }
        let similarity = self.similarity.options()?;
        if matches!(similarity.criterion, Criterion::Containment(_)) && keep != Keep::Longest {
            bail!("--measure containment removes the shorter of two documents: leave out --keep");
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
                    bail!("--source needs a name: give host, file, or the field that names a document's source")
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
        bail!("give two similarities separated by a comma, such as 0.75,0.85");
    };
    Ok(Between::new(low, high)?)
}

/// The names in a file, one per line.
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
        bail!("the list of files {} is empty: put one name on each line", path.display());
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
