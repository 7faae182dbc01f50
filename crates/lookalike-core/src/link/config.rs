//! What is compared with what, and how: guessed from the values, or written by a person.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A name of a person, or a part of one.
    PersonName,
    /// A company, a school, a shop.
    Organisation,
    /// A street, a town, or a whole address.
    Address,
    /// A telephone number.
    Phone,
    /// A day, or a month or a year.
    Date,
    /// An amount: nearly equal is nearly the same.
    Number,
    /// A number or a short word by which something is called: nearly equal is a typing error at most.
    Code,
    /// An e-mail address.
    Email,
    /// One of few values: equal or not.
    Category,
    /// Words in no fixed form: titles, descriptions.
    FreeText,
    /// Not compared.
    Ignored,
}

impl Kind {
    /// As it is written in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::PersonName => "person-name",
            Self::Organisation => "organisation",
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnConfig {
    /// Its name in the first table.
    pub name: String,
    /// Its name in the second table, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_name: Option<String>,
    /// What its values are.
    pub kind: Kind,
    /// Why it was taken for that; for people, and not read again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl ColumnConfig {
    /// Its name in the second table.
    pub fn name_in_second(&self) -> &str {
        self.other_name.as_deref().unwrap_or(&self.name)
    }
}

/// How two tables, or the records of one, are linked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The column that tells records apart; rows are numbered without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The probability from which on a pair is a match; suggested by the data without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// No record of either table has more than one match in the other.
    #[serde(default)]
    pub one_to_one: bool,
    /// All columns, also those that are not compared.
    pub columns: Vec<ColumnConfig>,
}
