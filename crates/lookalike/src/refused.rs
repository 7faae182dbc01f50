//! Reasons for rejecting a request, as data, so that each front end can use its own spelling.

use std::borrow::Borrow;
use std::fmt;

use lookalike_core::remedy::{BareNames, JobOption, Remedy, Spelling, in_words};
use rapidfuzz::distance::jaro_winkler;

/// A request that cannot be carried out: the invalid option, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    named: Named,
    why: Refusal,
    remedies: Vec<Remedy>,
}

/// An option, or the name of something that is none; empty until it is known.
#[derive(Clone, Debug, PartialEq)]
enum Named {
    Option(JobOption),
    Other(Box<str>),
}

impl Named {
    fn of(name: &str) -> Self {
        JobOption::of_name(name).map_or_else(|| Self::Other(name.into()), Self::Option)
    }
}

/// Reason for rejecting an option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// It has an effect only with another option, or with one value of it.
    Needs(JobOption, Option<&'static str>),
    /// It contradicts another option, or one value of it.
    NotWith(JobOption, Option<String>),
    /// It is missing, and so are the alternative options.
    MissingUnless(Vec<JobOption>),
    /// It would replace a field of the input that another option names.
    Replaces(JobOption, String),
    /// Its value is a number or a size that is too small or too large.
    OutOfRange {
        /// The given value.
        value: String,
        /// The allowed values, as in "must be above 0".
        allowed: String,
    },
    /// Its value is not an allowed word.
    UnknownWord {
        /// The given value.
        value: String,
        /// The allowed words.
        allowed: String,
    },
    /// Its value has the wrong type.
    WrongType {
        /// The given value.
        given: String,
        /// The expected type.
        wanted: String,
    },
    /// There is no option with this name.
    UnknownOption {
        /// The option with the most similar name, if one is similar.
        similar: Option<JobOption>,
    },
    /// No sketch can fulfill this combination of options.
    OutOfReach(lookalike_core::Error),
}

impl Refused {
    /// Rejects an option.
    pub fn new(option: JobOption, why: Refusal) -> Self {
        let remedies = match &why {
            Refusal::OutOfReach(error) => error.remedies(),
            _ => Vec::new(),
        };
        Self { named: Named::Option(option), why, remedies }
    }

    /// Adds changes of options that would help, if the reason alone does not show them.
    #[must_use]
    pub(crate) fn with_remedies(self, remedies: impl IntoIterator<Item = Remedy>) -> Self {
        Self { remedies: remedies.into_iter().collect(), ..self }
    }

    /// Rejects a value; the caller adds the name of the option.
    fn unnamed(why: Refusal) -> Self {
        Self { named: Named::Other("".into()), why, remedies: Vec::new() }
    }

    /// Rejects an option that has no effect without another.
    pub fn needs(option: JobOption, other: JobOption) -> Self {
        Self::new(option, Refusal::Needs(other, None))
    }

    /// Rejects an option that has an effect only with one value of another.
    pub(crate) fn needs_value(option: JobOption, other: JobOption, value: &'static str) -> Self {
        Self::new(option, Refusal::Needs(other, Some(value)))
    }

    /// Rejects an option that contradicts another.
    pub fn not_with(option: JobOption, other: JobOption) -> Self {
        Self::new(option, Refusal::NotWith(other, None))
    }

    /// Rejects an option that contradicts one value of another.
    pub(crate) fn not_with_value(option: JobOption, other: JobOption, value: impl Into<String>) -> Self {
        Self::new(option, Refusal::NotWith(other, Some(value.into())))
    }

    /// Rejects a request that needs this option or one of the others.
    pub(crate) fn missing_unless(option: JobOption, others: &[JobOption]) -> Self {
        Self::new(option, Refusal::MissingUnless(others.to_vec()))
    }

    /// Rejects a value that is too small or too large.
    pub fn out_of_range(option: JobOption, value: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self::new(option, Refusal::OutOfRange { value: value.to_string(), allowed: allowed.into() })
    }

    /// Rejects a value that is not an allowed word.
    pub fn unknown_word(option: JobOption, value: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::new(option, Refusal::UnknownWord { value: value.into(), allowed: allowed.into() })
    }

    /// Rejects an unknown option; `known` are the options of the job.
    pub fn unknown_option(name: &str, known: impl Iterator<Item = JobOption>) -> Self {
        let similar = known
            .map(|option| (jaro_winkler::similarity(option.name().chars(), name.chars()), option))
            .filter(|(similarity, _)| *similarity > 0.8)
            .max_by(|left, right| left.0.total_cmp(&right.0));
        let why = Refusal::UnknownOption { similar: similar.map(|(_, option)| option) };
        Self::unnamed(why).of(name)
    }

    /// Moves the reason to another option, in which the value was given.
    #[must_use]
    pub(crate) fn renamed(self, option: JobOption) -> Self {
        Self { named: Named::Option(option), ..self }
    }

    /// Sets the option, if the reason was found before it was known.
    pub(crate) fn of(self, name: &str) -> Self {
        if self.name().is_empty() { Self { named: Named::of(name), ..self } } else { self }
    }

    /// The name of the option, as in JSON.
    pub fn name(&self) -> &str {
        match &self.named {
            Named::Option(option) => option.name(),
            Named::Other(name) => name,
        }
    }

    /// The option; none if there is no option with this name.
    pub fn option(&self) -> Option<JobOption> {
        match self.named {
            Named::Option(option) => Some(option),
            Named::Other(_) => None,
        }
    }

    /// The reason.
    pub fn why(&self) -> &Refusal {
        &self.why
    }

    /// Changes of options that would help, in addition to the reason.
    pub fn remedies(&self) -> &[Remedy] {
        &self.remedies
    }

    /// The message for people, including what would help, in the spelling of the front end.
    pub fn message(&self, spelling: &impl Spelling) -> String {
        let reason = self.reason(spelling);
        match in_words(&self.remedies, spelling) {
            Some(remedies) => format!("{reason}; {remedies}"),
            None => reason,
        }
    }

    fn reason(&self, spelling: &impl Spelling) -> String {
        let name = |option: &JobOption| spelling.option(*option);
        let spelled = |option: &JobOption, value: Option<&str>| {
            value.map_or_else(|| name(option), |value| spelling.with_value(option.name(), value))
        };
        let option = self.option().map_or_else(|| spelling.name(self.name()), |option| spelling.option(option));
        match &self.why {
            // Inputs are positional, and have no name that people type.
            Refusal::Needs(JobOption::Inputs, value) => format!("{option} needs {}", value.unwrap_or("an input")),
            Refusal::Needs(other, value) => format!("{option} needs {}", spelled(other, *value)),
            Refusal::NotWith(other, value) => {
                format!("{option} cannot be combined with {}", spelled(other, value.as_deref()))
            }
            Refusal::MissingUnless(others) => {
                let others = others.iter().filter(|option| spelling.has(**option)).map(name);
                let all: Vec<String> = std::iter::once(option).chain(others).collect();
                format!("{} must be given", one_of(&all))
            }
            Refusal::Replaces(other, field) => {
                let other = name(other);
                format!("{option} would replace the field '{field}', which {other} names: rename it in the input")
            }
            Refusal::OutOfRange { value, allowed } | Refusal::UnknownWord { value, allowed } => {
                format!("{option} must be {allowed}, not {value}")
            }
            Refusal::WrongType { given, wanted } => format!("{option} must be {wanted}, not {given}"),
            Refusal::UnknownOption { similar: None } => format!("there is no option {option}"),
            Refusal::UnknownOption { similar: Some(similar) } => {
                format!("there is no option {option}: did you mean {}?", name(similar))
            }
            Refusal::OutOfReach(error) => error.to_string(),
        }
    }
}

impl Refusal {
    /// The kind of the reason in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Needs(..) => "needs",
            Self::NotWith(..) | Self::Replaces(..) => "not_with",
            Self::MissingUnless(_) => "missing",
            Self::OutOfRange { .. } | Self::OutOfReach(_) => "out_of_range",
            Self::UnknownWord { .. } => "unknown_word",
            Self::WrongType { .. } => "wrong_type",
            Self::UnknownOption { .. } => "unknown_option",
        }
    }
}

/// Options by their plain names.
impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(&BareNames))
    }
}

impl std::error::Error for Refused {}

/// Errors of serde. The caller adds the name of the option.
impl serde::de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::unnamed(Refusal::WrongType { given: message.to_string(), wanted: "another value".into() })
    }

    fn invalid_type(given: serde::de::Unexpected<'_>, wanted: &dyn serde::de::Expected) -> Self {
        Self::unnamed(Refusal::WrongType { given: given.to_string(), wanted: plain_type(wanted) })
    }

    fn invalid_value(given: serde::de::Unexpected<'_>, wanted: &dyn serde::de::Expected) -> Self {
        Self::invalid_type(given, wanted)
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        Self::unnamed(Refusal::UnknownWord { value: value.to_owned(), allowed: one_of(known) })
    }
}

/// Describes Rust types in plain words.
fn plain_type(wanted: &dyn serde::de::Expected) -> String {
    match wanted.to_string().as_str() {
        "f64" => "a number".to_owned(),
        "i64" | "u64" | "usize" => "a whole number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "path string" => "a path".to_owned(),
        other => other.to_owned(),
    }
}

/// Joins words with commas, and "or" before the last.
fn one_of<S: Borrow<str>>(words: &[S]) -> String {
    match words {
        [] => String::new(),
        [word] => word.borrow().to_owned(),
        [words @ .., last] => format!("{} or {}", words.join(", "), last.borrow()),
    }
}
