//! The summary of `passages`: `summary.json`, and the source of the terminal output.

use std::borrow::Cow;

use lookalike_core::repeat::Counting;
use lookalike_io::input::discover::LeftOut;
use serde::Serialize;

use super::find::Finder;
use crate::corpus::walk::Skips;
use crate::options::{Action, KeepCopy, PassagesOptions};
use crate::report::summary::{SkippedEntry, Stage};

/// The result of [`passages`](crate::passages()).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PassagesSummary {
    /// The version that ran.
    pub lookalike: Cow<'static, str>,
    /// The command line, word by word and without secrets, if the run was one of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The kind of passage: `line`, `paragraph` or `run:N`.
    pub unit: String,
    /// The tokens that a run consists of: `words`, `code` or `code:LANGUAGE`.
    pub tokens: String,
    /// Copy that is kept.
    pub keep: KeepCopy,
    /// True if copies in the same document count too.
    pub within: bool,
    /// Minimum number of documents, or of places, that have a passage.
    pub at_least: u32,
    /// The action on passages.
    pub action: Action,
    /// Passages with at most this many words between them are joined.
    pub gap: u32,
    /// A document that keeps fewer words than this is a husk.
    pub husk: u32,
    /// The file with the passages of an earlier run, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The share of the text above which the run fails, if one was given or there is a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_if_repeated: Option<f64>,
    /// True if the passages take more than that; with a baseline, only new ones count.
    pub over_limit: bool,
    /// The input.
    pub input: PassagesInput,
    /// The passages found.
    pub found: PassagesFound,
    /// Documents and passages by source, the largest first.
    pub sources: Vec<PassageSource>,
    /// Number of further sources.
    pub more_source_count: u64,
    /// The passages that take most.
    pub most_repeated: Vec<MostRepeated>,
    /// Seconds and memory by stage.
    pub stages: Vec<Stage>,
    /// Seconds of all stages.
    pub seconds: f64,
    /// The first skipped entries, with reasons.
    pub skipped: Vec<SkippedEntry>,
}

/// The input.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PassagesInput {
    /// Files that were read.
    pub file_count: u64,
    /// Documents in them.
    pub document_count: u64,
    /// Their bytes, decompressed.
    pub bytes: u64,
    /// Entries that could not be read as documents.
    pub skipped_count: u64,
    /// Records without text. They are not written.
    pub without_text_count: u64,
    /// Documents without the id field, which are identified by their place.
    pub without_id_count: u64,
    /// Files that were left out.
    pub left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    pub without_effect: Vec<String>,
}

/// Counts of passages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PassagesFound {
    /// Passages that another document has.
    pub passage_count: u64,
    /// Documents that have one or more.
    pub document_count: u64,
    /// Bytes of all texts.
    pub text_bytes: u64,
    /// Bytes of all passages.
    pub cut_bytes: u64,
    /// The second of these as a share of the first.
    pub share: f64,
    /// Passages that the baseline does not have; none without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_passage_count: Option<u64>,
    /// Bytes of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_cut_bytes: Option<u64>,
    /// Documents with few words outside their passages.
    pub husk_count: u64,
    /// Husks that were left out of the output.
    pub removed_count: u64,
}

impl PassagesFound {
    /// Bytes of the passages that count for the limit.
    fn counted_bytes(&self) -> u64 {
        self.new_cut_bytes.unwrap_or(self.cut_bytes)
    }
}

/// A source of documents, and its passages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PassageSource {
    /// A host, a file, a folder of files that are one document each, or the value of a field.
    pub source: String,
    /// Its documents.
    pub document_count: u64,
    /// The bytes of their texts.
    pub text_bytes: u64,
    /// The passages in them that another document has.
    pub passage_count: u64,
    /// The bytes of these.
    pub cut_bytes: u64,
    /// Bytes of passages as a share of all.
    pub share: f64,
}

/// A passage that is found in several documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MostRepeated {
    /// The first document that has it.
    pub first_document_id: String,
    /// Its first byte in that document.
    pub first_start: u64,
    /// Number of documents that have all of it.
    pub copies: u64,
    /// Bytes of all copies that are not kept.
    pub cut_bytes: u64,
    /// Its beginning.
    pub quote: String,
}

impl PassagesSummary {
    pub(super) fn new(options: &PassagesOptions, finder: &Finder<'_>, found: PassagesFound, skips: Skips) -> Self {
        Self {
            lookalike: env!("CARGO_PKG_VERSION").into(),
            command: options.command.clone(),
            unit: options.unit.to_string(),
            tokens: options.tokens_name(),
            keep: options.keep,
            within: options.counting == Counting::Places,
            at_least: options.at_least,
            action: options.action,
            gap: options.gap,
            husk: options.husk,
            baseline: options.baseline.as_deref().map(|path| path.display().to_string()),
            fail_if_repeated: options.fail_if_repeated,
            over_limit: options
                .fail_if_repeated
                .is_some_and(|most| found.counted_bytes() as f64 > most * found.text_bytes as f64),
            input: PassagesInput {
                file_count: finder.files.len() as u64,
                document_count: skips.documents,
                bytes: skips.bytes,
                skipped_count: skips.count,
                without_text_count: skips.without_text,
                without_id_count: skips.without_id,
                left_out: skips.left_out,
                without_effect: skips.without_effect,
            },
            found,
            sources: Vec::new(),
            more_source_count: 0,
            most_repeated: Vec::new(),
            stages: Vec::new(),
            seconds: 0.0,
            skipped: skips.named,
        }
    }

    pub(super) fn set_stages(&mut self, stages: Vec<Stage>) {
        self.seconds = stages.iter().map(|stage| stage.seconds).sum();
        self.stages = stages;
    }
}
