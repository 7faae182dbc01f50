//! Options for reading: inputs, fields, and the definition of a document.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_io::input::held::HeldTable;
use lookalike_io::read::{Fields, Settings, Split};
use lookalike_io::web::Extract;
use serde::{Deserialize, Serialize};

use crate::options::{ReadOptions, Resources};
use crate::refused::Refused;

/// Unchecked options for reading the input of a job.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[setters(generate_delegates(ty = "super::DecontaminateRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::DedupRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::CompareRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::PairsRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::PassagesRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::SplitsRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::TuneRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::EvaluateRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::AddRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::BoilerplateRequest", field = "read"))]
#[setters(generate_delegates(ty = "super::ExtractRequest", field = "read"))]
#[non_exhaustive]
pub struct ReadRequest {
    /// Files, folders, patterns, addresses, or `-` for standard input.
    pub inputs: Vec<PathBuf>,
    /// More inputs, from a list. Those that cannot be read are skipped, and do not end the run.
    #[serde(skip)]
    pub listed: Vec<PathBuf>,
    /// Tables in memory, read after all files.
    #[serde(skip)]
    pub tables_in_memory: Vec<HeldTable>,
    /// The fields as the input names them, where they are not the ones that are asked for: a copy of a table has names
    /// of its own.
    #[serde(skip)]
    #[setters(skip)]
    pub fields_in_input: Option<Fields>,
    /// Field or column of the text; dots lead into nested fields. Default: `text`.
    pub text: Option<String>,
    /// Field or column of the text, which is HTML: its visible text is compared, or what `extract` says.
    pub html_field: Option<String>,
    /// Field or column of the id. Default: file and position, or the id of a WARC record.
    pub id: Option<String>,
    /// The text of a page that is compared. Default: `text`.
    pub extract: Option<Extract>,
    /// Descriptions of images are part of the text of a page. Default: false.
    pub alt: Option<bool>,
    /// Targets of links are part of the text of a page. Default: false.
    pub links: Option<bool>,
    /// One document of a text file. Default: `file`.
    pub split: Option<Split>,
    /// Separator of cells in CSV files: one character, or `tab`. Default: detected.
    pub delimiter: Option<String>,
    /// CSV files have no header row: their columns are named 1, 2, 3 …
    pub no_header: Option<bool>,
}

impl ReadRequest {
    /// Files, folders, patterns or addresses, read with the defaults of the command.
    pub fn new<P: Into<PathBuf>>(inputs: impl IntoIterator<Item = P>) -> Self {
        Self { inputs: inputs.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// True if there is something to read.
    pub(super) fn has_inputs(&self) -> bool {
        !(self.inputs.is_empty() && self.listed.is_empty() && self.tables_in_memory.is_empty())
    }

    /// The first option that is given and says how documents are read.
    pub fn given(&self) -> Option<JobOption> {
        let given = [
            (JobOption::Text, self.text.is_some()),
            (JobOption::HtmlField, self.html_field.is_some()),
            (JobOption::Id, self.id.is_some()),
            (JobOption::Split, self.split.is_some()),
            (JobOption::Extract, self.extract.is_some()),
            (JobOption::Alt, self.alt == Some(true)),
            (JobOption::Links, self.links == Some(true)),
            (JobOption::Delimiter, self.delimiter.is_some()),
            (JobOption::NoHeader, self.no_header == Some(true)),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Refuses settings where nothing is read.
    ///
    /// # Errors
    ///
    /// Fails if an option for reading documents is set.
    pub fn check_unused(&self) -> Result<(), Refused> {
        self.given().map_or(Ok(()), |option| Err(Refused::needs(option, JobOption::Inputs)))
    }

    /// Checks how documents are read.
    ///
    /// # Errors
    ///
    /// Fails if the delimiter is not exactly one character, or two fields are selected as the text.
    pub fn check(self, resources: &Resources) -> Result<ReadOptions, Refused> {
        if self.html_field.is_some() && self.text.is_some() {
            return Err(Refused::not_with(JobOption::HtmlField, JobOption::Text));
        }
        let is_html = self.html_field.is_some();
        let delimiter = self.delimiter.as_deref().map(byte_delimiter).transpose()?;
        let fields = self.fields_in_input.unwrap_or_else(|| {
            let text = self.html_field.or(self.text).unwrap_or_else(|| Fields::default().text);
            Fields { text, id: self.id, ..Fields::default() }
        });
        let settings = Settings {
            fields,
            split: self.split.unwrap_or_default(),
            extract: self.extract.unwrap_or_default(),
            alt: self.alt == Some(true),
            links: self.links == Some(true),
            is_html,
            delimiter,
            has_header: self.no_header != Some(true),
            longest: resources.longest,
            limit: resources.limit.clone(),
        };
        let exclude = resources.exclude.clone();
        Ok(ReadOptions { inputs: self.inputs, listed: self.listed, exclude, settings, tables: self.tables_in_memory })
    }
}

/// A delimiter of cells, which is one byte.
fn byte_delimiter(written: &str) -> Result<u8, Refused> {
    match u8::try_from(delimiter(written)?) {
        Ok(byte) if byte.is_ascii() && byte != b'"' => Ok(byte),
        _ => {
            Err(Refused::unknown_word(JobOption::Delimiter, written, "one ASCII character other than a quote, or tab"))
        }
    }
}

/// A delimiter as people write it.
pub(crate) fn delimiter(written: &str) -> Result<char, Refused> {
    let mut characters = written.chars();
    match (written, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(character), None) if !matches!(character, '\n' | '\r') => Ok(character),
        _ => Err(Refused::unknown_word(JobOption::Delimiter, format!("{written:?}"), "one character, or tab")),
    }
}
