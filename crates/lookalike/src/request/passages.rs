//! The request of `passages`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_core::repeat::{Counting, RunTokens, Unit};
use serde::{Deserialize, Serialize};

use super::dedup::source;
use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::tokens::code_language;
use super::{check_added, check_report, is_stream, named_folder, number};
use crate::options::{Action, KeepCopy, PASSAGES_FIELD, PassageFormat, PassagesOptions};
use crate::refused::Refused;

/// The request of [`passages`](crate::passages()). Missing fields have the default of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct PassagesRequest {
    /// The input.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The kind of passage to find: `line`, `paragraph`, or `run:N` for at least N words in a row. Default: `run:50`.
    pub unit: Option<String>,
    /// The tokens that a run consists of: `words`, `code` (identifiers, numbers and operators of source code) or
    /// `code:LANGUAGE`. Default: `words`.
    pub tokens: Option<String>,
    /// Copy that is kept. Default: `first`.
    pub keep: Option<KeepCopy>,
    /// Minimum number of documents that have a passage. Default: 2.
    pub at_least: Option<i64>,
    /// Also find what one document repeats: then `at_least` counts places that do not overlap. Default: false.
    pub within: Option<bool>,
    /// The action on passages. Default: `report`.
    pub action: Option<Action>,
    /// Passages with at most this many words between them are joined. Default: 3 for runs; lines and paragraphs are not
    /// joined.
    pub gap: Option<i64>,
    /// A document with fewer words than this outside its passages is a husk. Default: 10.
    pub husk: Option<i64>,
    /// Leave husks out of what is written.
    pub remove_husks: Option<bool>,
    /// The source of a document: `host`, `file`, or a field. Default: the host of a page, else the file or its folder.
    pub source: Option<String>,
    /// The folder to write to. Default: nothing is written.
    pub output: Option<PathBuf>,
    /// Replace what an earlier run wrote.
    pub force: Option<bool>,
    /// The file of the report. Default: `report.html` in the output folder.
    pub report: Option<PathBuf>,
    /// Write no report.
    pub no_report: Option<bool>,
    /// The format of the passages: `jsonl`, or `sarif` for code hosts and editors. Default: `jsonl`.
    pub format: Option<PassageFormat>,
    /// The passages of an earlier run: its `cuts.jsonl` or `cuts.sarif`. What it does not have is marked as new.
    pub baseline: Option<PathBuf>,
    /// Fail, once everything is written, if passages take more than this share of the text; with a baseline, new ones.
    /// Default: never, or 0 with a baseline.
    pub fail_if_repeated: Option<f64>,
    /// The command line that asked for all this, word by word and without secrets, for the summary.
    #[serde(skip)]
    pub command: Vec<String>,
}

new_from_inputs!(PassagesRequest, read.inputs);
from_options!(PassagesRequest, read, resources);

/// Words between passages that are joined by default.
const GAP: i64 = 3;

/// Maximum number of words that can be requested: with more, it is no longer a gap or a husk.
const MOST_WORDS: i64 = 1000;

/// Default maximum number of words in a husk.
const HUSK: i64 = 10;

impl PassagesRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<PassagesOptions, Refused> {
        let resources = self.resources.check()?;
        let unit = self.unit.as_deref().map_or(Ok(Unit::default()), checked_unit)?;
        let tokens = checked_tokens(self.tokens.as_deref(), unit)?;
        let at_least = self.at_least.unwrap_or(2);
        if !(2..=i64::from(u32::MAX)).contains(&at_least) {
            return Err(Refused::out_of_range(JobOption::AtLeast, at_least, "at least 2"));
        }
        let default_gap = if matches!(unit, Unit::Run(_)) { GAP } else { 0 };
        let gap = words(JobOption::Gap, self.gap.unwrap_or(default_gap))?;
        let husk = words(JobOption::Husk, self.husk.unwrap_or(HUSK))?;
        let action = self.action.unwrap_or_default();
        if self.remove_husks == Some(true) && action == Action::Report {
            return Err(Refused::needs_value(JobOption::RemoveHusks, JobOption::Action, "cut"));
        }
        if action != Action::Report && self.output.is_none() {
            return Err(Refused::needs(JobOption::Action, JobOption::Output));
        }
        named_folder(JobOption::Output, self.output.as_deref())?;
        check_report(self.report.as_deref(), self.no_report, None)?;
        if self.format.is_some() && self.output.is_none() {
            return Err(Refused::needs(JobOption::Format, JobOption::Output));
        }
        if let Some(value) = self.fail_if_repeated.filter(|value| !(0.0..=1.0).contains(value)) {
            return Err(Refused::out_of_range(JobOption::FailIfRepeated, value, "from 0 to 1"));
        }
        if let Some(input) = self.read.inputs.iter().find(|input| is_stream(input)) {
            let allowed = "files or folders, which are read several times";
            return Err(Refused::unknown_word(JobOption::Inputs, input.display().to_string(), allowed));
        }
        let (source, source_field) = source(self.source.as_deref())?;
        let has_own_fields = self.read.fields_in_input.is_some();
        let mut read = self.read.check(&resources)?;
        if !has_own_fields {
            read.settings.fields.source = source_field;
        }
        if action == Action::Annotate {
            check_added(JobOption::Action, &[PASSAGES_FIELD], &read)?;
        }
        Ok(PassagesOptions {
            read,
            unit,
            tokens,
            keep: self.keep.unwrap_or_default(),
            counting: if self.within == Some(true) { Counting::Places } else { Counting::Documents },
            at_least: at_least as u32,
            action,
            gap,
            husk,
            remove_husks: self.remove_husks == Some(true),
            source,
            format: self.format.unwrap_or_default(),
            fail_if_repeated: self.fail_if_repeated.or(self.baseline.as_ref().map(|_| 0.0)),
            baseline: self.baseline,
            folder: self.output,
            force: self.force == Some(true),
            report: self.no_report != Some(true),
            report_file: self.report,
            command: self.command,
            resources,
        })
    }
}

fn checked_unit(written: &str) -> Result<Unit, Refused> {
    let allowed = || format!("line, paragraph, or run:N with N from {} to {}", Unit::LEAST_RUN, Unit::MOST_RUN);
    written.parse().map_err(|_| Refused::unknown_word(JobOption::Unit, written, allowed()))
}

fn checked_tokens(written: Option<&str>, unit: Unit) -> Result<RunTokens, Refused> {
    match (code_language(written)?, unit) {
        (None, _) => Ok(RunTokens::Words),
        (Some(language), Unit::Run(_)) => Ok(RunTokens::Code(language)),
        (Some(_), unit) => Err(Refused::not_with_value(JobOption::Tokens, JobOption::Unit, unit.to_string())),
    }
}

/// A number of words.
fn words(option: JobOption, value: i64) -> Result<u32, Refused> {
    if value > MOST_WORDS {
        return Err(Refused::out_of_range(option, value, format!("from 0 to {MOST_WORDS}")));
    }
    Ok(number(option, value)? as u32)
}
