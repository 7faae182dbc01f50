//! Why a request is refused: as data, so that each front end says it in its own spelling.

use std::borrow::Cow;
use std::fmt;

use lookalike_core::remedy::{BareNames, JobOption, Remedy, Spelling, in_words};
use rapidfuzz::distance::jaro_winkler;

/// A request that cannot be carried out: the option at fault, and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    name: Cow<'static, str>,
    why: Refusal,
    remedies: Vec<Remedy>,
}

/// The reason for which an option is refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// It has an effect only with another option, or with one value of it.
    Needs(JobOption, Option<&'static str>),
    /// It contradicts another option, or one value of it.
    NotWith(JobOption, Option<String>),
    /// It is missing, and so is the option that would do instead.
    MissingUnless(JobOption),
    /// It would replace a field of the input that another option names.
    Replaces(JobOption, String),
    /// Its value is a number or a size that is too small or too large.
    OutOfRange {
        /// The value as given.
        value: String,
        /// The values that are allowed, as in "must be above 0".
        allowed: String,
    },
    /// Its value is not among the words that it takes.
    UnknownWord {
        /// The value as given.
        value: String,
        /// The words that are allowed.
        allowed: String,
    },
    /// Its value has another type than it takes.
    WrongType {
        /// The value as given.
        given: String,
        /// The type that it takes.
        wanted: String,
    },
    /// No option has this name.
    UnknownOption {
        /// The option with the most similar name, if one is similar.
        similar: Option<JobOption>,
    },
    /// No sketch can do what the options ask for together.
    OutOfReach(lookalike_core::Error),
}

impl Refused {
    /// Refuses an option.
    pub fn new(option: JobOption, why: Refusal) -> Self {
        let remedies = match &why {
            Refusal::OutOfReach(error) => error.remedies(),
            _ => Vec::new(),
        };
        Self { name: option.name().into(), why, remedies }
    }

    /// The same with changes of options that would help, where the reason alone does not show them.
    #[must_use]
    pub(crate) fn with_remedies(self, remedies: impl IntoIterator<Item = Remedy>) -> Self {
        Self { remedies: remedies.into_iter().collect(), ..self }
    }

    /// Refuses a value; the name of the option is added by whoever knows it.
    fn unnamed(why: Refusal) -> Self {
        Self { name: "".into(), why, remedies: Vec::new() }
    }

    /// Refuses an option that has no effect without another.
    pub fn needs(option: JobOption, other: JobOption) -> Self {
        Self::new(option, Refusal::Needs(other, None))
    }

    /// Refuses an option that has an effect only with one value of another.
    pub(crate) fn needs_value(option: JobOption, other: JobOption, value: &'static str) -> Self {
        Self::new(option, Refusal::Needs(other, Some(value)))
    }

    /// Refuses an option that contradicts another.
    pub fn not_with(option: JobOption, other: JobOption) -> Self {
        Self::new(option, Refusal::NotWith(other, None))
    }

    /// Refuses an option that contradicts one value of another.
    pub(crate) fn not_with_value(option: JobOption, other: JobOption, value: impl Into<String>) -> Self {
        Self::new(option, Refusal::NotWith(other, Some(value.into())))
    }

    /// Refuses a value that is too small or too large.
    pub fn out_of_range(option: JobOption, value: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self::new(option, Refusal::OutOfRange { value: value.to_string(), allowed: allowed.into() })
    }

    /// Refuses a value that is not among the words that are allowed.
    pub fn unknown_word(option: JobOption, value: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::new(option, Refusal::UnknownWord { value: value.into(), allowed: allowed.into() })
    }

    /// Refuses a name that no option has; `known` are those of the job.
    pub(crate) fn unknown_option(name: String, known: impl Iterator<Item = JobOption>) -> Self {
        let similar = known
            .map(|option| (jaro_winkler::similarity(option.name().chars(), name.chars()), option))
            .filter(|(similarity, _)| *similarity > 0.8)
            .max_by(|left, right| left.0.total_cmp(&right.0));
        let why = Refusal::UnknownOption { similar: similar.map(|(_, option)| option) };
        Self { name: name.into(), ..Self::unnamed(why) }
    }

    /// The same about another option, in which the value was given.
    #[must_use]
    pub(crate) fn renamed(self, option: JobOption) -> Self {
        Self { name: option.name().into(), ..self }
    }

    /// The same about this option, where the reason was found before the option was known.
    pub(crate) fn of(self, name: &str) -> Self {
        if self.name.is_empty() { Self { name: name.to_owned().into(), ..self } } else { self }
    }

    /// The name of the option, as in JSON.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The option; none if there is no option of this name.
    pub fn option(&self) -> Option<JobOption> {
        JobOption::of_name(&self.name)
    }

    /// The reason.
    pub fn why(&self) -> &Refusal {
        &self.why
    }

    /// Changes of options that would help, beyond what the reason says.
    pub fn remedies(&self) -> &[Remedy] {
        &self.remedies
    }

    /// The sentence that a person reads, with what would help, in the spelling of the front end.
    pub fn message(&self, spelling: &impl Spelling) -> String {
        let reason = self.reason(spelling);
        match in_words(&self.remedies, spelling) {
            Some(remedies) => format!("{reason}; {remedies}"),
            None => reason,
        }
    }

    fn reason(&self, spelling: &impl Spelling) -> String {
        let name = |option: &JobOption| spelling.name(option.name());
        let spelled = |option: &JobOption, value: Option<&str>| {
            value.map_or_else(|| name(option), |value| spelling.with_value(option.name(), value))
        };
        let option = spelling.name(&self.name);
        match &self.why {
            // Inputs have no name that people type.
            Refusal::Needs(JobOption::Inputs, value) => format!("{option} needs {}", value.unwrap_or("an input")),
            Refusal::Needs(other, value) => format!("{option} needs {}", spelled(other, *value)),
            Refusal::NotWith(other, value) => {
                format!("{option} cannot be combined with {}", spelled(other, value.as_deref()))
            }
            Refusal::MissingUnless(other) => format!("{option} or {} must be given", name(other)),
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
    /// The kind of refusal in one word.
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

/// Options by their bare names.
impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(&BareNames))
    }
}

impl std::error::Error for Refused {}

/// Values that serde cannot convert. The name of the option is added by whoever knows it.
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

/// The types of Rust in plain words.
fn plain_type(wanted: &dyn serde::de::Expected) -> String {
    match wanted.to_string().as_str() {
        "f64" => "a number".to_owned(),
        "i64" | "u64" | "usize" => "a whole number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "path string" => "a path".to_owned(),
        other => other.to_owned(),
    }
}

/// Words with commas, and "or" before the last.
fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [words @ .., last] => format!("{} or {last}", words.join(", ")),
    }
}
