//! What a person types, checked once and turned into options.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lookalike::core::banding::Banding;
use lookalike::core::keep::Keep;
use lookalike::core::shingle::Shingle;
use lookalike::core::similarity::Threshold;
use lookalike::core::text::fold::Fold;
use lookalike::io::read::Fields;
use lookalike::{Copies, DedupOptions, Group, Output, PairsOptions, ReadOptions, RowFormat, SimilarityOptions};

/// Find documents that are nearly the same, with proof.
///
/// Every document that is removed has a near-duplicate that is kept, and the output names it with their exact
/// similarity. No two documents that are kept are near-duplicates.
#[derive(Debug, Parser)]
#[command(name = "lookalike", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates, and show for each what was kept in its place.
    #[command(after_help = "Example:\n  lookalike dedup examples/news examples/five.jsonl --id id -o out\n\n\
        writes out/kept/ (what stays, as it was), out/removed.jsonl (what went, and why) and out/summary.json.")]
    Dedup(DedupArguments),
    /// List every near-duplicate pair with its similarity.
    #[command(
        after_help = "Example:\n  lookalike pairs examples/five.jsonl --id id --threshold 0.9 --format tsv > pairs.tsv"
    )]
    Pairs(PairsArguments),
    /// Compare two documents: all measures, and what they share.
    #[command(after_help = "Example:\n  lookalike compare agency-007 herald-007 --in examples/news --id id\n\n\
        Without --in the two are files, each with one document.")]
    Compare(CompareArguments),
}

#[derive(Debug, Args)]
pub(crate) struct DedupArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    similarity: SimilarityArguments,
    /// The folder to write to; it is made, and must be empty if it is there
    #[arg(short, long, value_name = "DIR", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Which of two near-duplicates stays: longest (in tokens), first, last, max:FIELD or min:FIELD
    #[arg(long, value_name = "ORDER", default_value = "longest")]
    keep: String,
    /// How near-duplicates become removals
    #[arg(long, value_enum, value_name = "HOW", default_value_t = GroupArgument::Independent)]
    group: GroupArgument,
    /// Write no documents, only the evidence and the summary (to the output folder, if one is given)
    #[arg(long, conflicts_with = "annotate")]
    dry_run: bool,
    /// Write all documents, each with its cluster, whether it is kept, by whom it is replaced, and their similarity
    #[arg(long)]
    annotate: bool,
    /// Replace what an earlier run wrote to the output folder
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PairsArguments {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    similarity: SimilarityArguments,
    /// The file to write to, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to write pairs
    #[arg(long, value_enum, default_value_t = FormatArgument::Jsonl)]
    format: FormatArgument,
    /// Which pairs of exact copies to write: all, or for n copies only the n - 1 with the first (star)
    #[arg(long, value_enum, default_value_t = CopiesArgument::All)]
    copies: CopiesArgument,
    /// Replace the output file if it is there
    #[arg(long)]
    pub(crate) force: bool,
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
    #[command(flatten)]
    fields: FieldArguments,
    #[command(flatten)]
    similarity: SimilarityArguments,
}

#[derive(Debug, Args)]
struct ReadArguments {
    /// Files or folders of JSONL, Common Crawl WET or plain text, also as .gz or .zst; - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    fields: FieldArguments,
    /// How many threads to use, instead of one a core
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Args)]
struct FieldArguments {
    /// The field of a JSONL document's text
    #[arg(long, value_name = "FIELD", default_value = "text")]
    text: String,
    /// The field of a document's id, instead of its file and line (WET: instead of WARC-Record-ID)
    #[arg(long, value_name = "FIELD")]
    id: Option<String>,
}

#[derive(Debug, Args)]
struct SimilarityArguments {
    /// What is compared: word:K or char:K, this many words or characters in a row
    #[arg(long, value_name = "KIND:K", default_value = "word:5")]
    shingle: String,
    /// What makes no difference: accents (café is cafe), digits (12 March is 7 March), or accents,digits
    #[arg(long, value_name = "WHAT")]
    fold: Option<String>,
    /// The similarity from which on two documents are near-duplicates: above 0, at most 1
    #[arg(long, value_name = "T", default_value_t = 0.8, allow_negative_numbers = true)]
    threshold: f64,
    /// The chance to find a pair that is exactly at the threshold; others are found with more [default: 0.99]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    recall: Option<f64>,
    /// How many bands to cut a sketch into, with --rows, instead of choosing them by --recall
    #[arg(long, value_name = "N")]
    bands: Option<usize>,
    /// How many rows a band has
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupArgument {
    /// Every removed document has a kept near-duplicate
    Independent,
    /// One document of each connected component is kept, however unlike the others
    Components,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// A JSON object a line
    Jsonl,
    /// Tab-separated, with a header line
    Tsv,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CopiesArgument {
    All,
    Star,
}

/// The chance to find a pair at the threshold, unless another is asked for.
const RECALL: f64 = 0.99;

/// More threads than any machine has cores would only get in each other's way.
const MOST_THREADS: usize = 1024;

/// What concerns the run and not its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunOptions {
    pub(crate) threads: Option<usize>,
    pub(crate) quiet: bool,
}

impl DedupArguments {
    pub(crate) fn options(self) -> Result<(DedupOptions, RunOptions)> {
        let keep: Keep = self.keep.parse()?;
        let run = self.read.run_options()?;
        let mut read = self.read.options();
        read.fields.value = keep.field().map(str::to_owned);
        let options = DedupOptions {
            read,
            similarity: self.similarity.options()?,
            keep,
            group: match self.group {
                GroupArgument::Independent => Group::Independent,
                GroupArgument::Components => Group::Components,
            },
            folder: self.output,
            output: match (self.dry_run, self.annotate) {
                (true, _) => Output::DryRun,
                (false, true) => Output::Annotated,
                (false, false) => Output::Kept,
            },
            force: self.force,
        };
        Ok((options, run))
    }
}

impl PairsArguments {
    pub(crate) fn options(self) -> Result<(PairsOptions, RunOptions)> {
        let run = self.read.run_options()?;
        let options = PairsOptions {
            read: self.read.options(),
            similarity: self.similarity.options()?,
            output: self.output,
            format: match self.format {
                FormatArgument::Jsonl => RowFormat::Jsonl,
                FormatArgument::Tsv => RowFormat::Tsv,
            },
            copies: match self.copies {
                CopiesArgument::All => Copies::All,
                CopiesArgument::Star => Copies::Star,
            },
        };
        Ok((options, run))
    }
}

impl CompareArguments {
    pub(crate) fn options(self) -> Result<(ReadOptions, SimilarityOptions)> {
        Ok((ReadOptions { inputs: self.inputs, fields: self.fields.fields() }, self.similarity.options()?))
    }
}

impl ReadArguments {
    fn options(self) -> ReadOptions {
        ReadOptions { inputs: self.inputs, fields: self.fields.fields() }
    }

    fn run_options(&self) -> Result<RunOptions> {
        if let Some(threads) = self.threads.filter(|threads| !(1..=MOST_THREADS).contains(threads)) {
            bail!("--threads {threads} is not possible: give 1 to {MOST_THREADS}, or leave it out to use every core");
        }
        Ok(RunOptions { threads: self.threads, quiet: self.quiet })
    }
}

impl FieldArguments {
    fn fields(self) -> Fields {
        Fields { text: self.text, id: self.id, value: None }
    }
}

impl SimilarityArguments {
    fn options(&self) -> Result<SimilarityOptions> {
        let threshold = Threshold::new(self.threshold)?;
        let banding = match (self.bands, self.rows) {
            (Some(_), Some(_)) if self.recall.is_some() => {
                bail!("--recall chooses bands and rows: give it, or --bands and --rows, and not both")
            }
            (Some(bands), Some(rows)) => Banding::new(bands, rows)?,
            (None, None) => Banding::for_recall(threshold, self.recall.unwrap_or(RECALL))?,
            (Some(bands), None) => bail!(
                "--bands needs --rows: give both, for example --bands {bands} --rows 5, or neither to have them chosen"
            ),
            (None, Some(rows)) => bail!(
                "--rows needs --bands: give both, for example --bands 20 --rows {rows}, or neither to have them chosen"
            ),
        };
        let shingle: Shingle = self.shingle.parse()?;
        let fold = self.fold.as_deref().map_or(Ok(Fold::NONE), str::parse)?;
        Ok(SimilarityOptions { shingle, fold, threshold, banding })
    }
}
