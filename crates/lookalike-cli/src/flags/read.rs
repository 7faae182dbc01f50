//! Input options: files, fields, and what counts as one document.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use lookalike::ReadRequest;
use lookalike::io::read::Split;
use lookalike::io::web::Extract;

use super::words::words;

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ReadArguments {
    /// Files, folders, patterns such as 'data/*.gz', s3://, gs://, az:// or https:// addresses, or - for standard input.
    /// JSONL, JSON, WARC, WET, ARC, Parquet, CSV, HTML and plain text, also compressed as .gz or .zst
    #[arg(required_unless_present = "files_from", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// File with the names of more inputs, one per line; - for standard input
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    files_from: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct SettingArguments {
    /// Field or column of the text; dots lead into nested fields, such as body.content. Several fields become one text: title,body;
    /// and so do the elements of a list: 'messages[].content' [default: text]
    #[arg(long, value_name = "FIELD")]
    text: Option<String>,
    /// Field or column of the text if it is HTML: compare its visible text, or what --extract says
    #[arg(long, value_name = "FIELD", hide_short_help = true)]
    html_field: Option<String>,
    /// Field of the document's id [default: file and position, or WARC-Record-ID; uri is the address of a page]
    #[arg(long, value_name = "FIELD")]
    id: Option<String>,
    /// Text of a page to compare: all visible text, or the article without navigation, advertising and boilerplate
    /// [default: text]
    #[arg(long, value_name = "WHAT", value_parser = words::<Extract>(), hide_short_help = true)]
    extract: Option<Extract>,
    /// Compare the descriptions of a page's images too, as part of its text
    #[arg(long, hide_short_help = true)]
    alt: bool,
    /// Compare the targets of a page's links too, as part of its text
    #[arg(long, hide_short_help = true)]
    links: bool,
    /// One document of a text file [default: file]
    #[arg(long, value_name = "UNIT", value_parser = words::<Split>(), hide_short_help = true)]
    split: Option<Split>,
    /// Separator of cells in CSV files, such as ';' or tab [default: detected]
    #[arg(long, value_name = "CHARACTER", hide_short_help = true)]
    delimiter: Option<String>,
    /// CSV files have no header row: their columns are named 1, 2, 3 …
    #[arg(long, hide_short_help = true)]
    no_header: bool,
}

impl ReadArguments {
    /// The names of files and folders as typed.
    pub(crate) fn names(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.inputs.iter_mut().chain(&mut self.files_from)
    }

    pub(crate) fn request(&self) -> Result<ReadRequest> {
        let mut request = self.settings.request(self.inputs.clone());
        request.listed = self.files_from.as_deref().map_or(Ok(Vec::new()), read_list)?;
        Ok(request)
    }

    /// True if standard input is the only input, as in a filter.
    pub(crate) fn is_stdin_alone(&self) -> bool {
        self.files_from.is_none() && matches!(&self.inputs[..], [input] if input.as_os_str() == "-")
    }
}

impl SettingArguments {
    pub(crate) fn request(&self, inputs: Vec<PathBuf>) -> ReadRequest {
        let mut request = ReadRequest::new(inputs);
        request.text.clone_from(&self.text);
        request.html_field.clone_from(&self.html_field);
        request.id.clone_from(&self.id);
        request.extract = self.extract;
        request.alt = self.alt.then_some(true);
        request.links = self.links.then_some(true);
        request.split = self.split;
        request.delimiter.clone_from(&self.delimiter);
        request.no_header = self.no_header.then_some(true);
        request
    }
}

/// Reads the names in a file, one per line.
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
