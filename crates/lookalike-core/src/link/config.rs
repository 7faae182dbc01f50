//! Configuration of linking: which columns are compared, and how; guessed from the values, or written by a person.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of the values of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A name of a person, or a part of one.
    PersonName,
    /// A company, a school, a shop.
    Organization,
    /// A street, a town, or a whole address.
    Address,
    /// A telephone number.
    Phone,
    /// A day, or a month or a year.
    Date,
    /// An amount: nearly equal is nearly the same.
    Number,
    /// A number or a short word that identifies something: nearly equal values differ by a typing error at most.
    Code,
    /// An e-mail address.
    Email,
    /// One of few values: equal or not.
    Category,
    /// Words in no fixed form: titles, descriptions.
    FreeText,
    /// Not compared.
    #[default]
    Ignored,
}

impl Kind {
    /// Name in a configuration file.
    pub fn name(self) -> &'static str {
        match self {
            Self::PersonName => "person-name",
            Self::Organization => "organization",
            Self::Address => "address",
            Self::Phone => "phone",
            Self::Date => "date",
            Self::Number => "number",
            Self::Code => "code",
            Self::Email => "email",
            Self::Category => "category",
            Self::FreeText => "free-text",
            Self::Ignored => "ignored",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One column of the tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnConfig {
    /// Its name in the first table.
    pub name: String,
    /// Its name in the second table, if it is different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_name: Option<String>,
    /// Kind of its values.
    pub kind: Kind,
    /// Reason for choosing this kind, for people; ignored on reading.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Rule that picks the value of a merged record; without it, the most frequent value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<MergeBy>,
    /// Bits of some levels, by their names in an explanation, that replace the learned ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f64>,
}

/// Rule that picks the value of a merged record from the records of its cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeBy {
    /// The one that most records have.
    #[default]
    Frequent,
    /// The longest: the most complete.
    Longest,
    /// The value of the newest record that has one.
    Newest,
}

impl ColumnConfig {
    /// Its name in the second table.
    pub fn name_in_second(&self) -> &str {
        self.other_name.as_deref().unwrap_or(&self.name)
    }
}

/// Settings for linking two tables, or the records of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Column that identifies records; without it, rows are numbered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Column that identifies records of the second table, if it has another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_right: Option<String>,
    /// Minimum probability of a match; without it, one is suggested from the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// If true, no record of either table has more than one match in the other.
    #[serde(default)]
    pub one_to_one: bool,
    /// If true, records of several tables are linked within their tables as well.
    #[serde(default, skip_serializing_if = "is_false")]
    pub within: bool,
    /// Factor by which more is compared than by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<f64>,
    /// Logarithm of the odds that a random pair is a match; learned without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<f64>,
    /// Column with the time when a record was written, for merged records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    /// All columns, including those that are not compared.
    pub columns: Vec<ColumnConfig>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Config {
    /// Columns of ids of both tables.
    pub fn ids(&self) -> [Option<&str>; 2] {
        [self.id.as_deref(), self.id_right.as_deref().or(self.id.as_deref())]
    }
}
