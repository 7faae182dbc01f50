//! Fields that are asked for and that no document has: a typing error. That of a keep order would decide nothing, and that of
//! ids would give every document another id than was meant.

use lookalike_core::ids::Document;
use lookalike_core::resolve::keep::{FieldValue, Keep};
use lookalike_io::format::Format;
use serde_json::{Map, Value};

use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// How many fields an error names.
const NAMED: usize = 30;

/// Makes sure that a document of the input has the field, if there is a document at all.
///
/// # Errors
///
/// [`Error::NoKeepField`] when none has.
pub(crate) fn check(corpus: &Corpus, keep: &Keep) -> Result<()> {
    let count = corpus.input_count();
    match keep.field() {
        Some(field) if count > 0 && corpus.values.iter().take(count).all(|value| *value == FieldValue::Missing) => {
            Err(Error::NoKeepField { field: field.to_owned(), known: known(corpus)? })
        }
        _ => Ok(()),
    }
}

/// Makes sure that a document of the input has the field of the id, if one was asked for and there is a document at all.
/// A field without a value is there all the same.
///
/// # Errors
///
/// [`Error::NoIdField`] when none has.
pub(crate) fn check_id(corpus: &Corpus, field: Option<&str>) -> Result<()> {
    let count = corpus.input_count() as u64;
    let Some(field) = field.filter(|_| count > 0 && corpus.without_id() == count) else { return Ok(()) };
    // The columns of a table in memory are those that the caller has found in it.
    if corpus.kind(corpus.row(Document(0))?.place.file).format == Format::Held {
        return Ok(());
    }
    let known = known(corpus)?;
    if known.iter().any(|name| name == field) {
        Ok(())
    } else {
        Err(Error::NoIdField { field: field.to_owned(), known })
    }
}

/// The fields of the first document, where it is an object.
fn known(corpus: &Corpus) -> Result<Vec<String>> {
    let place = corpus.row(Document(0))?.place;
    if !matches!(corpus.kind(place.file).format, Format::Jsonl | Format::JsonList | Format::JsonValues) {
        return Ok(Vec::new());
    }
    let mut bytes = Vec::new();
    corpus.shelf.read(place, &mut bytes)?;
    let fields = serde_json::from_slice::<Map<String, Value>>(&bytes).unwrap_or_default();
    Ok(fields.into_iter().map(|(field, _)| field).take(NAMED).collect())
}
