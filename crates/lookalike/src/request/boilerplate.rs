//! Boilerplate to ignore: a share, by which it is learned from the input, or a table that was learned before.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use derive_setters::Setters;
use lookalike_core::Error;
use lookalike_core::remedy::{JobOption, Remedy};
use lookalike_core::text::boilerplate::Boilerplate;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::boilerplate_file::read_table;
use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::scheme::SchemeRequest;
use crate::options::{BoilerplateOptions, MethodOptions, Scheme, Share, SourceBy};
use crate::refused::Refused;

/// Text that is ignored as boilerplate of its source.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[non_exhaustive]
pub enum IgnoreBoilerplate {
    /// None, or text on more than 30 % of a source's pages.
    Switch(bool),
    /// Text on more than this share of a source's pages.
    Share(f64),
    /// The boilerplate in this file, which `lookalike boilerplate` wrote.
    Table(PathBuf),
}

/// The share of a source's pages, unless another is given. Between 0.2 and 0.5 it makes little difference.
const SHARE: f64 = 0.3;

impl<'de> Deserialize<'de> for IgnoreBoilerplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Wanted;

        impl Visitor<'_> for Wanted {
            type Value = IgnoreBoilerplate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, a share of pages, or the name of a file")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(IgnoreBoilerplate::Switch(value))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
                Ok(IgnoreBoilerplate::Share(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
                Ok(IgnoreBoilerplate::Share(value as f64))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
                Ok(IgnoreBoilerplate::Share(value as f64))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
                Ok(value.into())
            }
        }

        deserializer.deserialize_any(Wanted)
    }
}

/// A number is a share, and all else the name of a file.
impl From<&str> for IgnoreBoilerplate {
    fn from(written: &str) -> Self {
        written.parse().map_or_else(|_| Self::Table(written.into()), Self::Share)
    }
}

impl From<f64> for IgnoreBoilerplate {
    fn from(share: f64) -> Self {
        Self::Share(share)
    }
}

impl From<bool> for IgnoreBoilerplate {
    fn from(switch: bool) -> Self {
        Self::Switch(switch)
    }
}

impl From<&Path> for IgnoreBoilerplate {
    fn from(table: &Path) -> Self {
        Self::Table(table.to_owned())
    }
}

/// Boilerplate to ignore, checked.
pub(super) enum Ignored {
    Nothing,
    /// It is learned from the input.
    Learned(Share),
    Table(Arc<Boilerplate>),
}

impl Ignored {
    pub(super) fn of(wanted: Option<&IgnoreBoilerplate>) -> Result<Self, Refused> {
        match wanted {
            None | Some(IgnoreBoilerplate::Switch(false)) => Ok(Self::Nothing),
            Some(IgnoreBoilerplate::Switch(true)) => Ok(Self::Learned(share(SHARE)?)),
            Some(IgnoreBoilerplate::Share(value)) => Ok(Self::Learned(share(*value)?)),
            Some(IgnoreBoilerplate::Table(path)) => Ok(Self::Table(Arc::new(read(path)?))),
        }
    }

    /// The share by which boilerplate is learned, if it is.
    pub(super) fn learned(&self) -> Option<Share> {
        if let Self::Learned(share) = self { Some(*share) } else { None }
    }

    /// Adds the boilerplate of a table to the scheme, which then ignores it.
    ///
    /// # Errors
    ///
    /// Fails if the method does not compare shingles, or the table was learned with other shingles.
    pub(super) fn leave_out(&self, scheme: Scheme) -> Result<Scheme, Refused> {
        if !matches!(self, Self::Nothing) && matches!(scheme.method(), MethodOptions::Copies(_)) {
            return Err(Refused::not_with_value(JobOption::IgnoreBoilerplate, JobOption::Method, "copies"));
        }
        let Self::Table(table) = self else { return Ok(scheme) };
        scheme.with_boilerplate(Arc::clone(table)).map_err(|error| match error {
            Error::OtherBoilerplate { table, scheme } => Refused::unknown_word(
                JobOption::IgnoreBoilerplate,
                format!("a table that was learned with {table}"),
                format!("one that was learned with {scheme}"),
            ),
            error => Refused::new(JobOption::IgnoreBoilerplate, crate::refused::Refusal::OutOfReach(error)),
        })
    }
}

fn share(value: f64) -> Result<Share, Refused> {
    Share::new(value)
        .ok()
        .filter(|share| share.value() < 1.0)
        .ok_or_else(|| Refused::out_of_range(JobOption::IgnoreBoilerplate, value, "above 0 and below 1"))
}

fn read(path: &Path) -> Result<Boilerplate, Refused> {
    let refused = |reason: String| {
        let allowed = format!("a share of pages, or a file that lookalike boilerplate wrote ({reason})");
        Refused::unknown_word(JobOption::IgnoreBoilerplate, path.display().to_string(), allowed)
    };
    let mut written = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST_TABLE + 1).read_to_string(&mut written));
    let length = read.map_err(|error| refused(error.to_string()))?;
    if length as u64 > LONGEST_TABLE {
        return Err(refused("it is larger than 1 GiB".to_owned()));
    }
    read_table(&written).map_err(refused)
}

/// Maximum size of the file of a table.
const LONGEST_TABLE: u64 = 1 << 30;

/// Returns the source of documents that the table was learned with; any other source would ignore the wrong
/// boilerplate.
///
/// # Errors
///
/// Fails if another source is requested.
pub(super) fn source_of_table(
    scheme: &Scheme,
    given: Option<(SourceBy, Option<String>)>,
) -> Result<Option<(SourceBy, Option<String>)>, Refused> {
    let Some(table) = scheme.boilerplate() else { return Ok(given) };
    let written = &table.about().source;
    let by = SourceBy::parse(written).ok_or_else(|| {
        let value = format!("a table with the source '{written}'");
        Refused::unknown_word(JobOption::IgnoreBoilerplate, value, "one with host, file or a field")
    })?;
    let field = (by == SourceBy::Field).then(|| written.trim_start_matches("field:").to_owned());
    match given {
        Some((other, other_field)) if other.written(other_field.as_deref()) != *written => {
            Err(Refused::not_with(JobOption::Source, JobOption::IgnoreBoilerplate)
                .with_remedies([Remedy::LeaveOut(JobOption::Source)]))
        }
        _ => Ok(Some((by, field))),
    }
}

/// Unchecked options of [`boilerplate`](crate::boilerplate()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct BoilerplateRequest {
    /// Options for reading.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Scheme of the comparison. Its threshold and method have no effect.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// The source of a document: `host`, `file`, or a field. Default: the host of a page, else the file or its folder.
    pub source: Option<String>,
    /// Share of a source's pages: text on more than this share of them is boilerplate. Default: 0.3.
    pub share: Option<f64>,
}

new_from_inputs!(BoilerplateRequest, read.inputs);
from_options!(BoilerplateRequest, read, scheme, resources);

impl BoilerplateRequest {
    /// Checks all options.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible.
    pub fn check(self) -> Result<BoilerplateOptions, Refused> {
        let resources = self.resources.check()?;
        let scheme = self.scheme.check()?;
        let (source, field) = super::dedup::source(self.source.as_deref())?;
        let value = self.share.unwrap_or(SHARE);
        let share = share(value).map_err(|refused| refused.renamed(JobOption::Share))?;
        let mut read = self.read.check(&resources)?;
        read.settings.fields.source = field;
        Ok(BoilerplateOptions { read, scheme, source, share, resources })
    }
}
