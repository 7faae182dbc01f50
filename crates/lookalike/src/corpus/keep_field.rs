//! Checks for requested fields that no document has, which are most likely typing errors. A missing field of a keep
//! order would decide nothing; a missing id field would give every document an unintended id.

use lookalike_core::ids::Document;
use lookalike_core::resolve::keep::{FieldValue, Keep};
use lookalike_io::format::Format;
use lookalike_io::read::Fields;
use serde_json::{Map, Value};

use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// Maximum number of fields that an error names.
const NAMED: usize = 30;

/// Checks that a document of the input has the field, if there are any documents.
///
/// # Errors
///
/// [`Error::NoKeepField`] if none has.
pub(crate) fn check(corpus: &Corpus, keep: &Keep) -> Result<()> {
    let count = corpus.input_count();
    match keep.field() {
        Some(field) if count > 0 && corpus.values.iter().take(count).all(|value| *value == FieldValue::Missing) => {
            Err(Error::NoKeepField { field: field.to_owned(), known: known(corpus)? })
        }
        _ => Ok(()),
    }
}

/// Checks that a document of the input has the id field, if one was requested and there are any documents. A field
/// without a value counts as present.
///
/// # Errors
///
/// [`Error::NoIdField`] if none has.
pub(crate) fn check_id(corpus: &Corpus, field: Option<&str>) -> Result<()> {
    let count = corpus.input_count() as u64;
    let Some(field) = field.filter(|_| count > 0 && corpus.without_id() == count) else { return Ok(()) };
    // For a table in memory, the caller has already found the columns.
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

/// Checks that a document has the field by which documents are compared in groups.
///
/// # Errors
///
/// [`Error::NoGroupField`] if none has.
pub(super) fn check_group(corpus: &Corpus, has_group: bool, fields: &Fields) -> Result<()> {
    let field = fields.others.first().or(fields.object.as_ref());
    match field.filter(|_| !has_group && corpus.input_count() > 0) {
        Some(field) => Err(Error::NoGroupField { field: field.clone(), known: known(corpus)? }),
        None => Ok(()),
    }
}

/// The fields of the first document, if it is an object.
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
