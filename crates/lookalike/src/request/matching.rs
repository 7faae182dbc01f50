//! Rules that decide which pairs of similar documents are matches: all of them, or only those with all fields similar,
//! those in the same group, or those that differ in more than numbers.

use derive_setters::Setters;
use lookalike_core::remedy::JobOption;
use lookalike_core::scheme::MethodName;
use lookalike_io::read::Settings;
use serde::{Deserialize, Serialize};

use super::scheme::SchemeRequest;
use crate::options::{DifferentNumbers, MatchOptions, Scheme};
use crate::refused::Refused;

/// Rules that decide which similar documents are matches, as entered by users.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Setters)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
#[setters(strip_option, into)]
#[setters(generate_delegates(ty = "super::DedupRequest", field = "matching"))]
#[setters(generate_delegates(ty = "super::PairsRequest", field = "matching"))]
#[non_exhaustive]
pub struct MatchRequest {
    /// Every field of the text must be similar, not only the whole text.
    pub each_field: Option<bool>,
    /// Compare only documents with the same value in this field.
    pub within: Option<String>,
    /// Treatment of documents that differ only in numbers: `remove` (they are near-duplicates) or `keep`. Default:
    /// `remove`.
    pub different_numbers: Option<DifferentNumbers>,
}

impl MatchRequest {
    /// Checks the rules, and their requirements for the scheme and the text.
    pub(super) fn check(&self, scheme: &SchemeRequest, text: Option<&str>) -> Result<MatchOptions, Refused> {
        let each_field = self.each_field == Some(true);
        let numbers = self.different_numbers.unwrap_or_default();
        if each_field && !text.is_some_and(|text| text.contains(',')) {
            return Err(Refused::needs_value(
                JobOption::EachField,
                JobOption::Text,
                "several fields, such as title,body",
            ));
        }
        if self.within.as_deref() == Some("") {
            return Err(Refused::unknown_word(JobOption::Within, "an empty name", "the name of a field"));
        }
        let given =
            [(JobOption::EachField, each_field), (JobOption::DifferentNumbers, numbers == DifferentNumbers::Keep)];
        for (option, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            if scheme.method == Some(MethodName::Copies) {
                return Err(Refused::not_with_value(option, JobOption::Method, "copies"));
            }
        }
        let folds_digits = scheme.fold.as_deref().is_some_and(|fold| fold.contains("digits"));
        if numbers == DifferentNumbers::Keep && folds_digits {
            return Err(Refused::not_with_value(JobOption::DifferentNumbers, JobOption::Fold, "digits"));
        }
        Ok(MatchOptions { each_field, within: self.within.clone(), numbers })
    }

    /// Returns an error if a rule is used although other things than documents of the input are compared, which lack
    /// such fields.
    pub(super) fn check_unused(&self, other: JobOption, value: Option<&str>) -> Result<(), Refused> {
        let given = [
            (JobOption::EachField, self.each_field == Some(true)),
            (JobOption::Within, self.within.is_some()),
            (JobOption::DifferentNumbers, self.different_numbers == Some(DifferentNumbers::Keep)),
        ];
        match (given.into_iter().find(|(_, is_given)| *is_given), value) {
            (Some((option, _)), Some(value)) => Err(Refused::not_with_value(option, other, value)),
            (Some((option, _)), None) => Err(Refused::not_with(option, other)),
            (None, _) => Ok(()),
        }
    }
}

impl MatchOptions {
    /// The scheme with the changes that the rules need.
    pub(super) fn applied(&self, scheme: Scheme) -> Scheme {
        scheme.with_fields_apart(self.each_field)
    }

    /// Adds the fields that the rules need.
    pub(super) fn read_by(&self, settings: &mut Settings) {
        settings.fields.tells_fields_apart = self.each_field;
        settings.fields.others.extend(self.within.clone());
    }
}
