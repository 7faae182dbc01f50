//! Flags that define near-duplicates, and how they are found.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lookalike::core::bucket::hamming::Tables;
use lookalike::core::measure::criterion::Measure;
use lookalike::core::method::Weights;
use lookalike::core::scheme::MethodName;
use lookalike::core::sketch::SlotKind;
use lookalike::{Checksum, IgnoreBoilerplate, IgnoreRequest, Purpose, SchemeRequest};
use strum::VariantNames;

use crate::remedy::as_flags;

use super::words::{described, words};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Similarity")]
pub(crate) struct SchemeArguments {
    /// Kind of data in which to look for near-duplicates. Each purpose stands for settings; flags that are given
    /// override them
    #[arg(long = "for", value_name = "PURPOSE", value_parser = purposes(), hide_possible_values = false)]
    purpose: Option<Purpose>,
    /// Minimum similarity of near-duplicates: above 0, at most 1 [default: 0.8]
    #[arg(short, long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
    /// Unit of comparison: word:K or char:K, runs of K words or characters; token:K, runs of K tokens of your own with
    /// blanks between them; or stopword, a stop word and the two words after it, which ignores most advertising around
    /// articles (stopword:en,de for these languages only) [default: word:5]
    #[arg(long, value_name = "KIND")]
    pub(crate) shingle: Option<String>,
    /// Measure of similarity: the share that both have in common, or the share of the smaller document that lies within
    /// the larger [default: jaccard]
    #[arg(long, value_name = "MEASURE", value_parser = words::<Measure>())]
    measure: Option<Measure>,
    /// Kind of token: words; or code, the identifiers, numbers, strings and operators of source code without its
    /// comments, with the indentation of Python but not of C (code:LANGUAGE if the text does not tell: code:python)
    /// [default: words; code where most files are source code by their names]
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    tokens: Option<String>,
    /// Count a shingle as often as a text has it, so that "a rose is a rose" differs from "a rose is a rose is a rose"
    #[arg(long, hide_short_help = true)]
    count_repeats: bool,
    /// Differences to ignore, with commas between them: accents (café is cafe), digits (12 March is 7 March), links (addresses,
    /// @mentions, #hashtags); in source code, identifiers (renamed variables)
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    fold: Option<String>,
    /// File with your own stop words, one per line, for --shingle stopword
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    stopwords: Option<PathBuf>,
    /// Secret key of the sketches: 1 to 32 hexadecimal digits, or random for a new key in every run. Without it, sketches are
    /// the same in every run, and authors can craft near-duplicates that are not found
    #[arg(long, value_name = "HEX|random", hide_short_help = true)]
    key: Option<String>,
    #[command(flatten)]
    pub(crate) method: MethodArguments,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Method")]
pub(crate) struct MethodArguments {
    /// Method of finding near-duplicates [default: minhash; dedup and pairs compare small input exactly]
    #[arg(long, value_name = "METHOD", value_parser = described::<MethodName>(&METHODS), hide_possible_values = false)]
    pub(crate) method: Option<MethodName>,
    /// Miss nothing: the same as --method exact
    #[arg(long, hide_short_help = true)]
    exact: bool,
    /// minhash: probability of finding a pair exactly at the threshold; more similar pairs are found more often [default: 0.99]
    #[arg(long, value_name = "R", allow_negative_numbers = true, hide_short_help = true)]
    recall: Option<f64>,
    /// minhash: number of bands of a sketch, given with --rows instead of --recall; supershingle: number of groups [default: 6]
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    bands: Option<i64>,
    /// minhash: rows per band; supershingle: minima per group [default: 14]
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    rows: Option<i64>,
    /// minhash: draw the rows of each band at random from --slots, so that many bands need few slots
    #[arg(long, hide_short_help = true)]
    rows_random: bool,
    /// minhash: number of slots that --rows-random draws from [default: 128]
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    slots: Option<i64>,
    /// minhash, supershingle: how to fill slots: one hash for all (fast), or one permutation per slot (classic) [default: fast]
    #[arg(long, value_name = "HOW", value_parser = words::<SlotKind>(), hide_short_help = true)]
    sketch: Option<SlotKind>,
    /// minhash, supershingle: number of bands or groups in which candidates agree [default: 1, supershingle: 2]
    #[arg(long, value_name = "N", allow_negative_numbers = true, hide_short_help = true)]
    agree: Option<i64>,
    /// simhash: maximum number of bits in which near-duplicates differ [default: 3]
    #[arg(long, value_name = "D", allow_negative_numbers = true, hide_short_help = true)]
    bits: Option<i64>,
    /// simhash: bits per sketch [default: 64]
    #[arg(long, value_name = "64|128", allow_negative_numbers = true, hide_short_help = true)]
    sketch_bits: Option<i64>,
    /// simhash: weight of a shingle: its number of occurrences, more the rarer it is, or 1 [default: count]
    #[arg(long, value_name = "HOW", value_parser = words::<Weights>(), hide_short_help = true)]
    shingle_weights: Option<Weights>,
    /// simhash: find pairs by tables of blocks, which miss nothing, or by bands of 16 bits [default: blocks]
    #[arg(long, value_name = "HOW", value_parser = words::<Tables>(), hide_short_help = true)]
    tables: Option<Tables>,
    /// simhash: keep only pairs that reach the threshold, measured exactly
    #[arg(long, hide_short_help = true)]
    verify: bool,
    /// copies: what exact copies share: the text, apart from white space at line ends, or all bytes, shown with this checksum
    /// [default: text]
    #[arg(long, value_name = "SUM", value_parser = words::<Checksum>(), hide_short_help = true)]
    checksum: Option<Checksum>,
}

/// The methods, in the order of their names in the library.
const METHODS: [&str; 5] = [
    "Sketches that agree in a band, each candidate verified: the right choice for nearly everything",
    "8 bytes per document: sketches that differ in a few bits",
    "48 bytes per document: groups of minima, two of them equal, each candidate verified",
    "An exact join: misses no pair, holds all features in memory",
    "Exact copies only",
];

/// Parses a purpose, with what each stands for.
fn purposes() -> impl TypedValueParser<Value = Purpose> {
    let purpose = |name: &str| name.parse::<Purpose>().expect("names are listed by the library");
    let value = |name: &&'static str| PossibleValue::new(*name).help(as_flags(&purpose(name).written()));
    PossibleValuesParser::new(Purpose::VARIANTS.iter().map(value).collect::<Vec<_>>()).map(move |name| purpose(&name))
}

/// The flag of jobs that can ignore boilerplate.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Similarity")]
pub(crate) struct BoilerplateArgument {
    /// Ignore text that a source repeats on most of its pages, such as navigation: on more than this share of them, or as listed
    /// in FILE, written by lookalike boilerplate [without a value: 0.3]
    #[arg(long, value_name = "SHARE|FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    ignore_boilerplate: Option<String>,
}

impl BoilerplateArgument {
    /// The file, if it is one: a name that was typed.
    pub(crate) fn name(&mut self) -> Option<&mut String> {
        self.ignore_boilerplate.as_mut().filter(|written| !written.is_empty() && written.parse::<f64>().is_err())
    }

    pub(crate) fn request(&self) -> Option<IgnoreBoilerplate> {
        self.ignore_boilerplate.as_deref().map(ignored)
    }
}

/// Parses the value of the flag: an empty value stands for the default.
fn ignored(written: &str) -> IgnoreBoilerplate {
    if written.is_empty() { true.into() } else { written.into() }
}

/// Options of boilerplate for jobs that compare and remove nothing.
#[derive(Clone, Debug, Args)]
pub(crate) struct IgnoreArguments {
    /// Ignore text that a source repeats on most of its pages, such as navigation: on more than this share of them, or as listed
    /// in FILE, written by lookalike boilerplate [without a value: 0.3]
    #[arg(
        long,
        value_name = "SHARE|FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = "Similarity",
        hide_short_help = true
    )]
    ignore_boilerplate: Option<String>,
    /// For --ignore-boilerplate, the source of a document: host, file, or the value of a field (field:host for a field named
    /// host) [default: the host of a page, else the file, or the folder of a file that is one document]
    #[arg(long, value_name = "FIELD|host|file", help_heading = "Input", hide_short_help = true)]
    source: Option<String>,
}

impl IgnoreArguments {
    pub(crate) fn request(&self) -> IgnoreRequest {
        let mut request = IgnoreRequest::default();
        request.ignore_boilerplate = self.ignore_boilerplate.as_deref().map(ignored);
        request.source.clone_from(&self.source);
        request
    }
}

/// Options of the shingle, for a command that compares nothing itself.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Similarity")]
pub(crate) struct ShingleArguments {
    /// Unit of comparison: word:K or char:K, token:K, or stopword; a table is used with the shingle that it was learned
    /// with [default: word:5]
    #[arg(long, value_name = "KIND")]
    shingle: Option<String>,
    /// Differences to ignore: accents, digits, or accents,digits
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    fold: Option<String>,
    /// File with your own stop words, one per line, for --shingle stopword
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    stopwords: Option<PathBuf>,
}

impl ShingleArguments {
    pub(crate) fn request(&self) -> Result<SchemeRequest> {
        let mut request = SchemeRequest::default();
        request.shingle.clone_from(&self.shingle);
        request.fold.clone_from(&self.fold);
        request.stopwords = stop_words(self.stopwords.as_deref())?;
        Ok(request)
    }
}

/// The words of a file.
fn stop_words(file: Option<&Path>) -> Result<Option<Vec<String>>> {
    let Some(file) = file else { return Ok(None) };
    let words = std::fs::read_to_string(file);
    let words = words.with_context(|| format!("cannot read the stop words of {}", file.display()))?;
    Ok(Some(words.split_whitespace().map(str::to_owned).collect()))
}

impl SchemeArguments {
    /// The names of files that were typed.
    pub(crate) fn names(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.stopwords.iter_mut()
    }

    pub(crate) fn request(&self) -> Result<SchemeRequest> {
        let mut request = SchemeRequest::default();
        let MethodArguments { method, exact, recall, bands, rows, rows_random, slots, sketch, agree, .. } = self.method;
        let MethodArguments { bits, sketch_bits, shingle_weights, tables, verify, checksum, .. } = self.method;
        request.purpose = self.purpose;
        request.threshold = self.threshold;
        request.shingle.clone_from(&self.shingle);
        request.stopwords = stop_words(self.stopwords.as_deref())?;
        request.fold.clone_from(&self.fold);
        request.tokens.clone_from(&self.tokens);
        request.count_repeats = self.count_repeats.then_some(true);
        request.measure = self.measure;
        request.key.clone_from(&self.key);
        request.method = method;
        request.exact = exact.then_some(true);
        request.recall = recall;
        request.bands = bands;
        request.rows = rows;
        request.rows_random = rows_random.then_some(true);
        request.slots = slots;
        request.sketch = sketch;
        request.agree = agree;
        request.bits = bits;
        request.sketch_bits = sketch_bits;
        request.shingle_weights = shingle_weights;
        request.tables = tables;
        request.verify = verify.then_some(true);
        request.checksum = checksum;
        Ok(request)
    }
}
