//! Options of `passages`.

use std::path::{Path, PathBuf};

use lookalike_core::repeat::{Counting, RunTokens, Unit};
use lookalike_core::text::code::Language;

use super::read::ReadOptions;
use super::resources::Resources;
use super::source::SourceBy;

/// The field of annotated documents.
pub(crate) const PASSAGES_FIELD: &str = "passages";

/// Options of [`crate::passages()`].
#[derive(Clone, Debug)]
pub struct PassagesOptions {
    /// The input.
    pub(crate) read: ReadOptions,
    /// The kind of passage to find.
    pub(crate) unit: Unit,
    /// The tokens that a run consists of.
    pub(crate) tokens: RunTokens,
    /// Copy that is kept.
    pub(crate) keep: KeepCopy,
    /// Definition of a copy.
    pub(crate) counting: Counting,
    /// Minimum number of copies that a passage has.
    pub(crate) at_least: u32,
    /// The action on passages.
    pub(crate) action: Action,
    /// Passages with so few words between them are joined.
    pub(crate) gap: u32,
    /// A document that keeps fewer words than this is a husk.
    pub(crate) husk: u32,
    /// Leave husks out of the output.
    pub(crate) remove_husks: bool,
    /// The source of a document.
    pub(crate) source: SourceBy,
    /// The format of the passages.
    pub(crate) format: PassageFormat,
    /// Passages of an earlier run.
    pub(crate) baseline: Option<PathBuf>,
    /// The share of the text above which the run fails.
    pub(crate) fail_if_repeated: Option<f64>,
    /// The folder to write to; none to write nothing.
    pub(crate) folder: Option<PathBuf>,
    /// Replace the output of an earlier run.
    pub(crate) force: bool,
    /// Write a report.
    pub(crate) report: bool,
    /// The file of the report, where it is not that of the folder.
    pub(crate) report_file: Option<PathBuf>,
    /// The command line that asked for all this, word by word and without secrets.
    pub(crate) command: Vec<String>,
    /// Limits.
    pub(crate) resources: Resources,
}

impl PassagesOptions {
    /// The input.
    pub fn read(&self) -> &ReadOptions {
        &self.read
    }

    /// The kind of passage to find.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The tokens that a run consists of, as they are asked for.
    pub(crate) fn tokens_name(&self) -> String {
        match self.tokens {
            RunTokens::Words => "words".to_owned(),
            RunTokens::Code(Language::Any) => "code".to_owned(),
            RunTokens::Code(language) => format!("code:{language}"),
        }
    }

    /// The folder to write to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// True if a report is written, to the output folder or to a file of its own.
    pub fn has_report(&self) -> bool {
        self.report && (self.folder.is_some() || self.report_file.is_some())
    }

    /// The file of the report, where it is not that of the folder.
    pub fn report_file(&self) -> Option<&Path> {
        self.report_file.as_deref()
    }

    /// Limits.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }
}

lookalike_core::word_enum! {
    /// Copy of a passage that is kept.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum KeepCopy {
        /// The first in the order of the input.
        #[default]
        First,
        /// None: a passage that several documents have is boilerplate.
        None,
    }
}

lookalike_core::word_enum! {
    /// The format in which passages are written.
    #[derive(Default)]
    pub enum PassageFormat {
        /// One JSON object per line.
        #[default]
        Jsonl,
        /// A log of SARIF 2.1.0, for code hosts and editors.
        Sarif,
    }
}

lookalike_core::word_enum! {
    /// Action on repeated passages.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Action {
        /// They are listed.
        #[default]
        Report,
        /// Documents are written without them.
        Cut,
        /// Documents are written with a list of them.
        Annotate,
    }
}
