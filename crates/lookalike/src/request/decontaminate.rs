//! The request of `decontaminate`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::contamination::{COMMON_SHARE, COVERAGE, NGRAM};
use lookalike_core::remedy::JobOption;
use lookalike_io::input::held::HeldTable;
use lookalike_io::read::{Fields, Settings};
use serde::{Deserialize, Serialize};

use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::{check_added, check_report, named_folder, share};
use crate::options::{CONTAMINATED, CUT_ITEMS, ContaminationAction, DecontaminateOptions, ReadOptions, ReportTexts};
use crate::refused::{Refusal, Refused};

/// Unchecked options of [`decontaminate`](crate::decontaminate()). Missing ones have the defaults of the command.
///
/// ```
/// use lookalike::DecontaminateRequest;
///
/// let request = DecontaminateRequest::new(["crawl.jsonl"]).against(["gsm8k.jsonl".into()]).ngram(13);
/// let options = request.clone().check()?;
/// assert_eq!(options.fields(), ["question", "choices", "answer"]);
/// let refused = request.ngram(2).check().unwrap_err();
/// assert_eq!(refused.to_string(), "ngram must be from 4 to 60, not 2");
/// # Ok::<(), lookalike::Refused>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct DecontaminateRequest {
    /// The corpus.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The test sets: files, folders, patterns, addresses.
    pub against: Vec<PathBuf>,
    /// The same in memory: the text of a row is the first field of an item, and its other fields are those of an
    /// object.
    #[serde(skip)]
    pub against_in_memory: Vec<HeldTable>,
    /// The fields of items as the input names them, where they are not the ones that are asked for: a copy of a table
    /// has names of its own, and all fields but the first in one object.
    #[serde(skip)]
    #[setters(skip)]
    pub item_fields_in_input: Option<Fields>,
    /// Fields or columns of an item: the question, then whatever else belongs to it, the answer last. Default:
    /// `question`, `choices`, `answer`.
    pub fields: Vec<String>,
    /// Field or column of the ids of items. Default: that of the corpus where items have it, else file and position.
    pub item_id: Option<String>,
    /// Number of words in a row that an item and a document share: from 4 to 60. Default: 13; a shorter item must be
    /// there in whole.
    pub ngram: Option<i64>,
    /// The share of a question that a document must have, weighted by how rare its n-grams are. Default: 0.5.
    pub coverage: Option<f64>,
    /// The share of the documents of a file that makes a passage common. Default: 0.01.
    pub common_share: Option<f64>,
    /// Action on documents that contain test items. Default: `report`.
    pub action: Option<ContaminationAction>,
    /// The folder to write to. Default: nothing is written.
    pub output: Option<PathBuf>,
    /// Replace what an earlier run wrote.
    pub force: Option<bool>,
    /// The file of the report. Default: `report.html` in the output folder.
    pub report: Option<PathBuf>,
    /// Write no report.
    pub no_report: Option<bool>,
    /// Amount of document text in the report. Default: `excerpt`.
    pub report_texts: Option<ReportTexts>,
    /// Fail, once everything is written, if this share of a test set's items is contaminated, or more.
    pub fail_if_contaminated: Option<f64>,
    /// The command line that asked for all this, word by word and without secrets, for the summary.
    #[serde(skip)]
    pub command: Vec<String>,
}

new_from_inputs!(DecontaminateRequest, read.inputs);
from_options!(DecontaminateRequest, read, resources);

/// The fields of an item where none are named.
const FIELDS: [&str; 3] = ["question", "choices", "answer"];

/// N-grams of fewer words are in every text, and of more in no item.
const NGRAMS: std::ops::RangeInclusive<i64> = 4..=60;

impl DecontaminateRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if there is no test set, or a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<DecontaminateOptions, Refused> {
        let resources = self.resources.check()?;
        let ngram = self.ngram.unwrap_or(NGRAM as i64);
        if !NGRAMS.contains(&ngram) {
            return Err(Refused::out_of_range(JobOption::Ngram, ngram, "from 4 to 60"));
        }
        let coverage = share(JobOption::Coverage, self.coverage.unwrap_or(COVERAGE))?;
        let common_share = share(JobOption::CommonShare, self.common_share.unwrap_or(COMMON_SHARE))?;
        let fail_if_contaminated =
            self.fail_if_contaminated.map(|value| share(JobOption::FailIfContaminated, value)).transpose()?;
        let fields = self.checked_fields()?;
        self.check_output()?;
        let read = self.read.check(&resources)?;
        let action = self.action.unwrap_or_default();
        let added: &[&str] = match action {
            ContaminationAction::Annotate => &CONTAMINATED,
            ContaminationAction::Cut => &[CUT_ITEMS],
            ContaminationAction::Report | ContaminationAction::Remove => &[],
        };
        check_added(JobOption::Action, added, &read)?;
        let item_fields = self.item_fields_in_input.unwrap_or_else(|| Fields {
            text: fields[0].clone(),
            id: self.item_id.or_else(|| read.settings.fields.id.clone()),
            others: fields[1..].to_vec(),
            ..Fields::default()
        });
        let items = ReadOptions {
            inputs: self.against,
            settings: Settings { fields: item_fields, is_html: false, ..read.settings.clone() },
            tables: self.against_in_memory,
            exclude: read.exclude.clone(),
            ..ReadOptions::nothing()
        };
        if items.inputs.is_empty() && items.tables.is_empty() {
            return Err(Refused::unknown_word(JobOption::Against, "nothing", "one test set or more"));
        }
        Ok(DecontaminateOptions {
            read,
            items,
            fields,
            ngram: ngram as usize,
            coverage,
            common_share,
            action,
            folder: self.output,
            force: self.force == Some(true),
            report: (self.no_report != Some(true)).then(|| self.report_texts.unwrap_or_default()),
            report_file: self.report,
            fail_if_contaminated,
            command: self.command,
            resources,
        })
    }

    fn checked_fields(&self) -> Result<Vec<String>, Refused> {
        if self.fields.is_empty() {
            return Ok(FIELDS.map(str::to_owned).to_vec());
        }
        let fields: Vec<String> = self.fields.iter().map(|field| field.trim().to_owned()).collect();
        let is_repeated = (1..fields.len()).any(|at| fields[..at].contains(&fields[at]));
        if is_repeated || fields.iter().any(String::is_empty) {
            let allowed = "different names, the question first and the answer last, such as question,choices,answer";
            return Err(Refused::unknown_word(JobOption::Fields, self.fields.join(","), allowed));
        }
        Ok(fields)
    }

    fn check_output(&self) -> Result<(), Refused> {
        named_folder(JobOption::Output, self.output.as_deref())?;
        let writes = self.action.unwrap_or_default() != ContaminationAction::Report;
        if writes && self.output.is_none() {
            return Err(Refused::needs(JobOption::Action, JobOption::Output));
        }
        if writes && !self.read.tables_in_memory.is_empty() {
            // Rows in memory have no file whose documents could be written.
            return Err(Refused::new(JobOption::Action, Refusal::Needs(JobOption::Inputs, Some("files"))));
        }
        if writes && self.read.inputs.iter().any(|input| super::is_stream(input)) {
            // Documents are written once all are read, and so are read twice.
            return Err(Refused::new(JobOption::Action, Refusal::Needs(JobOption::Inputs, Some("files"))));
        }
        check_report(self.report.as_deref(), self.no_report, self.report_texts)?;
        if self.report_texts.is_some() && self.report.is_none() && self.output.is_none() {
            return Err(Refused::needs(JobOption::ReportTexts, JobOption::Report));
        }
        Ok(())
    }
}
