//! A copy on the disk of data that can be read only once: one JSON object per line, which vanishes with it.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_json::writer::{LineDelimited, WriterBuilder};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use lookalike::io::read::Fields;
use pyo3::prelude::*;
use serde_json::json;
use tempfile::NamedTempFile;

use crate::error::{self, Class};
use crate::ids::Ids;
use crate::input::{Columns, column, objects, text_of, unreadable};
use crate::tokens::{is_tokens, joined};

/// The names of fields in a copy on the disk.
const TEXT: &str = "text";
const ID: &str = "id";
const SOURCE: &str = "source";
const VALUE: &str = "value";
const FIELDS: &str = "fields";

impl Columns {
    /// The fields of a row by the names that they have in a copy on the disk.
    pub(crate) fn in_copy(&self) -> Fields {
        let given = |name: &Option<String>, role: &str| name.as_ref().map(|_| role.to_owned());
        Fields {
            text: TEXT.to_owned(),
            tells_fields_apart: self.each_field,
            id: given(&self.id, ID),
            source: given(&self.source, SOURCE),
            value: given(&self.value, VALUE),
            others: Vec::new(),
            object: (!self.fields.is_empty()).then(|| FIELDS.to_owned()),
        }
    }
}

/// The columns of a batch under the names of a copy on the disk.
pub(crate) fn batch(py: Python<'_>, array: &ArrayRef, columns: &Columns) -> PyResult<RecordBatch> {
    let wanted = [
        (TEXT, Some(&columns.text)),
        (ID, columns.id.as_ref()),
        (SOURCE, columns.source.as_ref()),
        (VALUE, columns.value.as_ref()),
    ];
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (role, name) in wanted {
        let Some(name) = name else { continue };
        let found = &if role == TEXT { text_of(py, array, columns)? } else { Arc::clone(column(array, name)) };
        // Bytes would be written as hexadecimal digits.
        let found = if role == TEXT && is_tokens(found.data_type()) {
            Arc::new(joined(found).map_err(|cause| unreadable(py, &cause))?) as ArrayRef
        } else if role == TEXT && *found.data_type() != DataType::Utf8 {
            cast(found, &DataType::LargeUtf8).map_err(|cause| unreadable(py, &cause))?
        } else {
            Arc::clone(found)
        };
        fields.push(Field::new(role, found.data_type().clone(), true));
        arrays.push(found);
    }
    if let Some(objects) = objects(array, &columns.fields) {
        fields.push(Field::new(FIELDS, objects.data_type().clone(), true));
        arrays.push(objects);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(|cause| unreadable(py, &cause))
}

/// The texts of some rows of a copy on the disk.
pub(crate) fn texts(file: &NamedTempFile, rows: &[u64]) -> std::io::Result<Vec<Option<String>>> {
    let mut texts = vec![None; rows.len()];
    let last = rows.iter().max().map_or(0, |row| row + 1);
    for (row, line) in (0..last).zip(BufReader::new(file.reopen()?).lines()) {
        let line = line?;
        for (wanted, text) in rows.iter().zip(&mut texts).filter(|(wanted, _)| **wanted == row) {
            debug_assert_eq!(*wanted, row);
            let record: serde_json::Value = serde_json::from_str(&line)?;
            *text = record[TEXT].as_str().map(str::to_owned);
        }
    }
    Ok(texts)
}

/// A copy on the disk that is being written.
pub(crate) struct Spool {
    pub(crate) file: NamedTempFile,
    lines: Vec<u8>,
    pub(crate) row_count: u64,
    /// The ids of the rows, of which only the type is known.
    pub(crate) ids: Option<Ids>,
}

/// Number of rows to write as lines at once.
const AT_ONCE: usize = 4096;

impl Spool {
    pub(crate) fn new(folder: Option<PathBuf>) -> std::io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("lookalike-").suffix(".jsonl");
        let file = match folder {
            Some(folder) => {
                std::fs::create_dir_all(&folder)?;
                builder.tempfile_in(folder)?
            }
            None => builder.tempfile()?,
        };
        Ok(Self { file, lines: Vec::new(), row_count: 0, ids: None })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        for start in (0..batch.num_rows()).step_by(AT_ONCE) {
            let part = batch.slice(start, AT_ONCE.min(batch.num_rows() - start));
            self.lines.clear();
            let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut self.lines);
            writer.write(&part)?;
            writer.finish()?;
            drop(writer);
            self.file.as_file_mut().write_all(&self.lines)?;
        }
        self.row_count += batch.num_rows() as u64;
        Ok(())
    }
}

pub(crate) fn cannot_spool(py: Python<'_>, cause: &str) -> PyErr {
    let message = format!("cannot write a copy of the data: {cause}; give a folder with room with work=");
    error::exception(py, Class::Input, &message, &json!({}))
}
