//! Options of jobs that compare and remove nothing: the text to ignore as boilerplate of its source.

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use serde::{Deserialize, Serialize};

use super::boilerplate::{IgnoreBoilerplate, Ignored, source_of_table};
use super::dedup::source;
use super::read::ReadRequest;
use crate::options::{Learning, Purpose, ReadOptions, Resources, Scheme, SourceBy};
use crate::refused::Refused;

/// Text to ignore as boilerplate of its source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[setters(generate_delegates(ty = "super::CompareRequest", field = "ignoring"))]
#[setters(generate_delegates(ty = "super::EvaluateRequest", field = "ignoring"))]
#[setters(generate_delegates(ty = "super::ExtractRequest", field = "ignoring"))]
#[setters(generate_delegates(ty = "super::PairsRequest", field = "ignoring"))]
#[setters(generate_delegates(ty = "super::TuneRequest", field = "ignoring"))]
#[non_exhaustive]
pub struct IgnoreRequest {
    /// Text on most pages of a source: `true` for text on more than 30 % of them, another share, or a table that
    /// `lookalike boilerplate` wrote. Default: nothing is ignored.
    pub ignore_boilerplate: Option<IgnoreBoilerplate>,
    /// The source of a document, for `ignore_boilerplate`: `host`, `file`, or a field. Default: the host of a page,
    /// else the file or its folder.
    pub source: Option<String>,
}

/// Text to ignore, checked.
pub(super) struct Ignoring {
    ignored: Ignored,
    given: Option<(SourceBy, Option<String>)>,
}

impl IgnoreRequest {
    /// Checks the values; a purpose determines what is ignored if nothing else is requested.
    pub(super) fn check(&self, purpose: Option<Purpose>) -> Result<Ignoring, Refused> {
        let ignored = Ignored::of(IgnoreBoilerplate::of_purpose(self.ignore_boilerplate.clone(), purpose).as_ref())?;
        if self.source.is_some() && matches!(ignored, Ignored::Nothing) {
            return Err(Refused::needs(JobOption::Source, JobOption::IgnoreBoilerplate));
        }
        let given = self.source.as_deref().map(|written| source(Some(written))).transpose()?;
        Ok(Ignoring { ignored, given })
    }

    /// The same for a job that has nothing to learn from unless it has input.
    pub(super) fn check_without_input(&self, purpose: Option<Purpose>) -> Result<Ignoring, Refused> {
        let ignoring = self.check(purpose)?;
        match ignoring.ignored.learned() {
            Some(_) if self.ignore_boilerplate.is_some() => {
                Err(Refused::needs(JobOption::IgnoreBoilerplate, JobOption::Inputs))
            }
            Some(_) => Ok(Ignoring { ignored: Ignored::Nothing, ..ignoring }),
            None => Ok(ignoring),
        }
    }
}

impl Ignoring {
    /// The scheme without what a table has.
    pub(super) fn leave_out(&self, scheme: Scheme) -> Result<Scheme, Refused> {
        self.ignored.leave_out(scheme)
    }

    /// Checks what is read, with the sources of documents by which text is ignored, and returns what is learned from
    /// it.
    pub(super) fn read(
        self,
        request: ReadRequest,
        scheme: &Scheme,
        resources: &Resources,
    ) -> Result<(ReadOptions, Option<Learning>), Refused> {
        let (by, field) = source_of_table(scheme, self.given)?.unwrap_or_default();
        let has_own_fields = request.fields_in_input.is_some();
        let mut read = request.check(resources)?;
        if !has_own_fields {
            read.settings.fields.source = field;
        }
        Ok((read, self.ignored.learned().map(|share| Learning { share, by })))
    }
}
