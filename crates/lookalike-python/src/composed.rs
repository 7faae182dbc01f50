//! Composes texts from several columns, or from the elements of lists, of an Arrow table, with the same result as for
//! files with `title,body` and `messages[].content`.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, StructArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use lookalike::io::composed::{Composer, paths};
use lookalike::io::input::held::HeldText;

use crate::columns::Texts;

/// Returns the texts of a table, with null for rows that have none of the fields.
pub(crate) fn composed(
    table: &StructArray,
    text: &str,
    tells_fields_apart: bool,
) -> Result<LargeStringArray, ArrowError> {
    let mut buffer = String::new();
    let row = |row: usize| {
        let mut composer = Composer::new(&mut buffer, tells_fields_apart);
        for path in paths(text) {
            composer.begin_field();
            add(table, row..row + 1, path, &mut composer)?;
        }
        let has_text = composer.has_text();
        Ok(has_text.then(|| buffer.clone()))
    };
    (0..table.len()).map(row).collect()
}

/// Adds the values at `path` in some rows of a table.
fn add(table: &StructArray, rows: Range<usize>, path: &str, composer: &mut Composer<'_>) -> Result<(), ArrowError> {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    let column = table.column_by_name(name).ok_or_else(|| refused(&format!("there is no column '{name}'")))?;
    if rest.is_empty() {
        return add_texts(column, rows, name, composer);
    }
    if let Some(rest) = rest.strip_prefix('.') {
        return add(fields_of(column, name)?, rows, rest, composer);
    }
    let rest = rest.strip_prefix("[]").ok_or_else(|| refused(&format!("'{path}' is not the path of a column")))?;
    let lists = match column.data_type() {
        DataType::List(item) | DataType::FixedSizeList(item, _) | DataType::ListView(item) => {
            &cast(column, &DataType::LargeList(item.clone()))?
        }
        _ => column,
    };
    let lists = lists.as_list_opt::<i64>().ok_or_else(|| refused(&format!("the column '{name}' has no lists")))?;
    for row in rows.filter(|row| lists.is_valid(*row)) {
        let elements = lists.value(row);
        match rest.strip_prefix('.') {
            None => add_texts(&elements, 0..elements.len(), name, composer)?,
            Some(rest) => add(fields_of(&elements, name)?, 0..elements.len(), rest, composer)?,
        }
    }
    Ok(())
}

fn fields_of<'a>(column: &'a ArrayRef, name: &str) -> Result<&'a StructArray, ArrowError> {
    column.as_struct_opt().ok_or_else(|| refused(&format!("the column '{name}' has no fields")))
}

fn add_texts(column: &ArrayRef, rows: Range<usize>, name: &str, composer: &mut Composer<'_>) -> Result<(), ArrowError> {
    let texts = Texts::new(column).ok_or_else(|| refused(&format!("the column '{name}' has no texts")))?;
    for row in rows {
        match texts.text(row) {
            HeldText::Text(text) => composer.push(text),
            HeldText::Null => {}
            HeldText::Unusable(reason) => return Err(refused(&format!("the column '{name}': {reason}"))),
        }
    }
    Ok(())
}

fn refused(reason: &str) -> ArrowError {
    ArrowError::InvalidArgumentError(reason.to_owned())
}
