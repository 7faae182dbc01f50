//! What is read, and how: inputs, fields, and the longest document.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lookalike::io::read::{Fields, Settings, Split};
use lookalike::io::web::Extract;
use lookalike::{Memory, ReadOptions};

use crate::flags::resources::input_limit;
use crate::flags::run::RunArguments;
use crate::show::numbers;

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
    #[command(flatten)]
    pub(crate) run: RunArguments,
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

impl ReadArguments {
    /// The names of files and folders that were typed.
    pub(crate) fn names(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.inputs.iter_mut().chain(&mut self.files_from)
    }

    /// `value` is the field that keep order compares.
    pub(crate) fn options(self, value: Option<&str>, memory: Memory) -> Result<ReadOptions> {
        let listed = self.files_from.as_deref().map_or(Ok(Vec::new()), read_list)?;
        let settings = self.settings.bounded(value, memory.longest_document())?;
        Ok(ReadOptions { listed, settings, ..ReadOptions::new(self.inputs) })
    }

    /// Whether standard input is all there is to read, as for a filter.
    pub(crate) fn is_stdin_alone(&self) -> bool {
        self.files_from.is_none() && matches!(&self.inputs[..], [input] if input.as_os_str() == "-")
    }
}

impl SettingArguments {
    /// The settings, in which no document is longer than `longest` unless the user says so.
    pub(crate) fn bounded(self, value: Option<&str>, longest: u64) -> Result<Settings> {
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
            fields: Fields {
                text: self.text,
                id: self.id,
                source: None,
                value: value.map(str::to_owned),
                others: Vec::new(),
            },
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

fn delimiter(written: &str) -> Result<u8> {
    match written.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => bail!("--delimiter {written:?} is not possible: give one ASCII character other than a quote, or tab"),
    }
}

/// Places of documents are kept in 32 bits.
pub(crate) fn longest(written: &str) -> Result<u32> {
    let bytes = numbers::parse_bytes(written).filter(|bytes| (1..=2_000_000_000).contains(bytes));
    match bytes {
        Some(bytes) => Ok(bytes as u32),
        None => bail!("--max-record {written} is not possible: give a size from 1 to 2G, such as 500M"),
    }
}
