//! Errors of the libraries to exceptions of Python: which class, which attributes, and the remedy in arguments.

use std::any::Any;

use lookalike::core::remedy::in_words;
use lookalike::{JobOption, Remedy, Spelling};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

/// The classes of exceptions, as the Python part of the package names them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Class {
    Any,
    Option,
    UnknownOption,
    Column,
    Input,
    Memory,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Any => "LookalikeError",
            Self::Option => "OptionError",
            Self::UnknownOption => "UnknownOptionError",
            Self::Column => "ColumnError",
            Self::Input => "InputError",
            Self::Memory => "MemoryLimitError",
        }
    }
}

/// An exception with attributes, which are the entries of an object.
pub(crate) fn exception(py: Python<'_>, class: Class, message: &str, attributes: &Value) -> PyErr {
    let make = || {
        let keywords = PyDict::new(py);
        for (name, value) in attributes.as_object().into_iter().flatten() {
            keywords.set_item(name, to_python(py, value)?)?;
        }
        py.import("lookalike._errors")?.getattr(class.name())?.call((message,), Some(&keywords))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// Something is wrong with an argument, of a kind that refusals have.
pub(crate) fn option(py: Python<'_>, option: &str, kind: &str, message: &str) -> PyErr {
    exception(py, Class::Option, message, &json!({ "option": option, "kind": kind }))
}

/// A job panicked, which it never should.
pub(crate) fn bug(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let message = format!("this is a bug in lookalike, please report it: {text}");
    exception(py, Class::Any, &message, &json!({}))
}

/// The system refused threads.
pub(crate) fn threads(py: Python<'_>, threads: usize, cause: &str) -> PyErr {
    let message = format!("cannot start {threads} threads: {cause}; give fewer with threads=");
    exception(py, Class::Any, &message, &json!({ "threads": threads }))
}

/// Any error of a job.
pub(crate) fn raise(py: Python<'_>, error: &lookalike::Error) -> PyErr {
    use lookalike::Error;
    let remedies = error.remedies();
    let (class, attributes) = match error {
        Error::Io(error) => return raise_io(py, error),
        Error::Core(error) => return raise_core(py, error),
        Error::Refused(refused) => return crate::options::refuse(py, refused),
        Error::Index(error) => return raise_index(py, error),
        Error::MemoryTooSmall { bytes, least: needed }
        | Error::MemoryTooSmallFor { bytes, needed, .. }
        | Error::MemoryTooSmallForFiles { bytes, needed, .. }
        | Error::MemoryTooSmallForMethod { bytes, needed, .. }
        | Error::MemoryTooSmallForFamily { bytes, needed }
        | Error::MemoryTooSmallForTables { bytes, needed, .. }
        | Error::MemoryTooSmallForPairs { bytes, needed, .. } => {
            (Class::Memory, json!({ "limit": bytes, "needed": needed }))
        }
        Error::NoKeepField { field, known } | Error::NoGroupField { field, known } => {
            (Class::Column, json!({ "column": field, "columns": known }))
        }
        Error::NoSuchPrintColumn { name, columns, .. } => {
            (Class::Column, json!({ "column": name, "columns": columns }))
        }
        Error::NoSetColumns { columns, .. } => (Class::Column, json!({ "columns": columns })),
        Error::ShareOutOfRange { value } => {
            (Class::Option, json!({ "option": "fail_if_source_loses", "kind": "out_of_range", "value": value }))
        }
        Error::NothingBetween { low, high } => {
            (Class::Option, json!({ "option": "between", "kind": "out_of_range", "value": [low, high] }))
        }
        Error::MethodWithoutIndex { method } => {
            (Class::Option, json!({ "option": "method", "kind": "unknown_word", "value": method }))
        }
        Error::NotADocument { path, .. } | Error::NotOneDocument { path, .. } => {
            (Class::Input, json!({ "path": path }))
        }
        Error::NoSets { path, .. } => (Class::Input, json!({ "path": path })),
        Error::NoItemField { path, field, .. } => (Class::Column, json!({ "path": path, "column": field })),
        Error::NothingToCheck { .. } => (Class::Input, json!({})),
        Error::NewestWithoutDates { column } => (Class::Option, json!({ "option": "newest", "value": column })),
        Error::NotAModel { path, .. } => (Class::Option, json!({ "option": "model", "value": path })),
        _ => (Class::Any, json!({})),
    };
    exception(py, class, &with_remedies(&error.to_string(), &remedies), &attributes)
}

fn raise_io(py: Python<'_>, error: &lookalike::io::Error) -> PyErr {
    use lookalike::io::Error;
    let (class, attributes) = match error {
        Error::NoTextField { path, field, fields, .. } => {
            (Class::Column, json!({ "path": path, "column": field, "columns": fields }))
        }
        Error::Unreadable { path, .. }
        | Error::NothingToRead { path }
        | Error::NotAPattern { path, .. }
        | Error::NothingMatches { path }
        | Error::GivenTwice { path }
        | Error::NotATable { path, .. }
        | Error::Changed { path }
        | Error::OutputExists { path }
        | Error::OutputInUse { path }
        | Error::OutputIsInput { path } => (Class::Input, json!({ "path": path })),
        _ => (Class::Input, json!({})),
    };
    exception(py, class, &with_remedies(&error.to_string(), &error.remedies()), &attributes)
}

/// Parameters that are not possible.
pub(crate) fn raise_core(py: Python<'_>, error: &lookalike::core::Error) -> PyErr {
    use lookalike::core::Error;
    let (class, attributes) = match error {
        Error::NotAShingle { value, .. } | Error::NotALanguage { value, .. } => {
            (Class::Option, json!({ "option": "shingle", "kind": "unknown_word", "value": value }))
        }
        Error::NotAFold { value } => {
            (Class::Option, json!({ "option": "fold", "kind": "unknown_word", "value": value }))
        }
        Error::NotAKeepOrder { value } => {
            (Class::Option, json!({ "option": "keep", "kind": "unknown_word", "value": value }))
        }
        Error::DistanceOutOfRange { distance, .. } => {
            (Class::Option, json!({ "option": "bits", "kind": "out_of_range", "value": distance }))
        }
        Error::AgreeingOutOfRange { agreeing, .. } => {
            (Class::Option, json!({ "option": "agree", "kind": "out_of_range", "value": agreeing }))
        }
        Error::RecallOutOfReach { threshold, .. } | Error::ContainmentOutOfReach { threshold, .. } => {
            (Class::Option, json!({ "option": "threshold", "kind": "out_of_range", "value": threshold }))
        }
        Error::NoSuchColumn { name, columns } => (Class::Column, json!({ "column": name, "columns": columns })),
        Error::OtherFields { .. } | Error::OtherLevels { .. } => (Class::Option, json!({ "option": "model" })),
        Error::IdNotUnique { id, .. } => (Class::Column, json!({ "column": "id", "value": id })),
        _ => (Class::Option, json!({})),
    };
    exception(py, class, &with_remedies(&error.to_string(), &error.remedies()), &attributes)
}

/// Something about a saved index.
pub(crate) fn raise_index(py: Python<'_>, error: &lookalike::index::Error) -> PyErr {
    use lookalike::index::Error;
    let (class, attributes) = match error {
        Error::Io { path, .. }
        | Error::DiskFull { path }
        | Error::NotAnIndex { path }
        | Error::NotEmpty { path }
        | Error::Newer { path, .. }
        | Error::Damaged { path, .. }
        | Error::Locked { path, .. }
        | Error::Poisoned { path, .. } => (Class::Input, json!({ "path": path })),
        Error::MethodWithoutIndex { method } => {
            (Class::Option, json!({ "option": "method", "kind": "unknown_word", "value": method }))
        }
        Error::ThresholdTooLow { threshold, .. } => {
            (Class::Option, json!({ "option": "threshold", "kind": "out_of_range", "value": threshold }))
        }
        _ => (Class::Any, json!({})),
    };
    exception(py, class, &error.to_string(), &attributes)
}

/// A message with what would help, in arguments of Python.
fn with_remedies(message: &str, remedies: &[Remedy]) -> String {
    in_words(remedies, &Keywords).map_or_else(|| message.to_owned(), |words| format!("{message}; {words}"))
}

/// Options as keyword arguments.
pub(crate) struct Keywords;

impl Spelling for Keywords {
    fn name(&self, name: &str) -> String {
        format!("{name}=")
    }

    fn with_value(&self, name: &str, value: &str) -> String {
        format!("{name}={value:?}")
    }

    fn has(&self, option: JobOption) -> bool {
        // `search_many` searches for the rows of data.
        !matches!(
            option,
            JobOption::DryRun | JobOption::Annotate | JobOption::In | JobOption::Input | JobOption::Resume
        )
    }
}

/// A JSON value as an object of Python.
fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
