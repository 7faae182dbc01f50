//! Keyword arguments to the options of a request: values of Python to JSON, and refusals to exceptions.

use std::path::PathBuf;

use lookalike::{Refused, Scheme, SchemeRequest};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::{Map, Value, json};

use crate::error::{self, Class, Keywords};

/// Converts arguments to options by name. None counts as not given.
pub(crate) fn options(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let mut options = Map::new();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_none()) {
        let name: String = name.extract()?;
        let value = to_json(&value).ok_or_else(|| {
            let message = format!("{name}= cannot be {}", kind_of(&value));
            error::option(given.py(), &name, "wrong_type", &message)
        })?;
        options.insert(name, value);
    }
    Ok(options)
}

/// Converts a Python or numpy value to JSON; `None` if it is not a flag, a number, a text, a path, or a list of these.
fn to_json(value: &Bound<'_, PyAny>) -> Option<Value> {
    if let Ok(flag) = value.extract::<bool>() {
        return Some(flag.into());
    }
    if value.is_instance_of::<PyString>() {
        return value.extract::<String>().ok().map(Value::String);
    }
    if let Ok(whole) = value.extract::<i64>() {
        return Some(whole.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return serde_json::Number::from_f64(number).map(Value::Number);
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return path.to_str().map(Into::into);
    }
    let items = value.try_iter().ok()?;
    items.map(|item| to_json(&item.ok()?)).collect::<Option<Vec<_>>>().map(Value::Array)
}

fn kind_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "this value".to_owned(), |name| format!("a value of the type {name}"))
}

/// A refusal as an exception that names the argument.
pub(crate) fn refuse(py: Python<'_>, refused: &Refused) -> PyErr {
    let message = refused.message(&Keywords);
    let kind = refused.why().kind();
    let class = if kind == "unknown_option" { Class::UnknownOption } else { Class::Option };
    error::exception(py, class, &message, &json!({ "option": refused.name(), "kind": kind }))
}

/// The scheme of a call.
pub(crate) fn scheme(py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<Scheme> {
    let request = SchemeRequest::from_options(options(given)?).map_err(|refused| refuse(py, &refused))?;
    request.check().map_err(|refused| refuse(py, &refused))
}
