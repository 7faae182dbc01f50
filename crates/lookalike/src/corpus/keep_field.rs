//! The field of a keep order `max:FIELD` or `min:FIELD`: one that no document has is a typing error, and would decide nothing.

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

/// The fields of the first document, where it is an object.
fn known(corpus: &Corpus) -> Result<Vec<String>> {
    let place = corpus.row(0)?.place;
    if !matches!(corpus.kind(place.file).format, Format::Jsonl | Format::JsonList | Format::JsonValues) {
        return Ok(Vec::new());
    }
    let mut bytes = Vec::new();
    corpus.shelf.read(place, &mut bytes)?;
    let fields = serde_json::from_slice::<Map<String, Value>>(&bytes).unwrap_or_default();
    Ok(fields.into_iter().map(|(field, _)| field).take(NAMED).collect())
}
