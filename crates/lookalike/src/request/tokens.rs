//! Tokens of texts: words or those of source code, as requested, or chosen by the names of most input files.
//!
//! The choice by names is made once, here, so that the whole input has the same kind of tokens, and all front ends
//! agree.

use std::path::Path;

use lookalike_core::remedy::JobOption;
use lookalike_core::text::code::Language;
use lookalike_core::text::shingle::Shingle;
use lookalike_io::format::unpacked_extension;
use lookalike_io::input::discover::discover_except;
use lookalike_io::read::Split;
use lookalike_io::remote::is_url;

use super::read::ReadRequest;
use super::scheme::SchemeRequest;
use crate::options::{Resources, Scheme};
use crate::refused::Refused;

/// Values accepted for the tokens.
const WORDS: &str = "words, code, or code:LANGUAGE such as code:python";

/// Extensions of files that hold many documents: they are not source code, whatever else is read.
const WITH_DOCUMENTS: [&str; 12] =
    ["jsonl", "ndjson", "csv", "tsv", "tab", "parquet", "warc", "wet", "wat", "arc", "xlsx", "ods"];

/// Files of source code among those of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceCode {
    pub(super) file_count: u64,
    /// That of all these files, if they have the same.
    language: Language,
}

impl SchemeRequest {
    /// The scheme, and the number of files for whose names the tokens of source code were chosen.
    pub(super) fn check_for(
        &self,
        read: &ReadRequest,
        resources: &Resources,
    ) -> Result<(Scheme, Option<u64>), Refused> {
        let scheme = self.check()?;
        let given = self.with_purpose();
        let is_open = given.tokens.is_none() && given.shingle.is_none() && given.fold.is_none();
        Ok(match source_code(read, resources).filter(|_| is_open) {
            Some(SourceCode { file_count, language }) => {
                let shingle = Shingle::Code(scheme.shingle().width(), language);
                (scheme.with_shingle(shingle), Some(file_count))
            }
            None => (scheme, None),
        })
    }

    /// Runs of the tokens that were asked for.
    pub(super) fn of_tokens(&self, shingle: Shingle) -> Result<Shingle, Refused> {
        match (code_language(self.tokens.as_deref())?, shingle) {
            (None, shingle) => Ok(shingle),
            (Some(language), Shingle::Word(width)) => Ok(Shingle::Code(width, language)),
            (Some(_), other) => Err(Refused::not_with_value(JobOption::Tokens, JobOption::Shingle, other.to_string())),
        }
    }
}

/// The language whose tokens were asked for; none if words were.
pub(super) fn code_language(written: Option<&str>) -> Result<Option<Language>, Refused> {
    let written = written.unwrap_or("words");
    let language = match written.split_once(':') {
        None if written == "words" => return Ok(None),
        None if written == "code" => Ok(Language::Any),
        Some(("code", language)) => language.parse(),
        _ => Err(()),
    };
    language.map(Some).map_err(|()| Refused::unknown_word(JobOption::Tokens, written, WORDS))
}

/// Source code, if more than half of the files are by their names, and none holds many documents.
fn source_code(read: &ReadRequest, resources: &Resources) -> Option<SourceCode> {
    let is_elsewhere = |path: &Path| path.as_os_str() == "-" || path.to_str().is_some_and(is_url);
    let is_of_fields = read.text.is_some() || read.html_field.is_some() || !read.tables_in_memory.is_empty();
    let is_cut = read.split.is_some_and(|split| split != Split::File);
    if is_of_fields || is_cut || read.inputs.iter().any(|input| is_elsewhere(input)) {
        return None;
    }
    // Missing inputs are an error of the job, which reports the reason.
    let files = discover_except(&read.inputs, &read.listed, None, &resources.exclude).ok()?.files;
    let mut languages = Vec::new();
    for file in &files {
        let extension = unpacked_extension(&file.name).unwrap_or_default();
        if WITH_DOCUMENTS.contains(&&*extension) {
            return None;
        }
        languages.extend(Language::of_extension(&extension));
    }
    let first = *languages.first()?;
    let language = if languages.iter().all(|language| *language == first) { first } else { Language::Any };
    let file_count = languages.len() as u64;
    (languages.len() * 2 > files.len()).then_some(SourceCode { file_count, language })
}
