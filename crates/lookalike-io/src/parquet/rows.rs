//! Reads the rows of a Parquet file: the text of each, and id, source and value if requested.
//!
//! Only the requested columns are read. Damage ends a row group, not the file, since the next one is stored elsewhere.

use std::fs::File;
use std::ops::Range;

use lookalike_core::resolve::keep::FieldValue;
use parquet::basic::Type;
use parquet::data_type::ByteArrayType;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::column::{Cells, Column};
use super::render::{AnyCells, Kind, field_value, write_id};
use super::row::{Lost, NoText, Row};
use super::unfold::Unfolded;
use super::{Opened, open};
use crate::composed::{Composer, paths};
use crate::refused::{Refused, listed};
use crate::settings::Fields;

/// The rows of a file, from the first to the last.
pub(crate) struct Rows {
    opened: Opened,
    text: Vec<usize>,
    tells_fields_apart: bool,
    /// The requested name of the text column.
    text_name: String,
    id: Option<(usize, Kind)>,
    source: Option<(usize, Kind)>,
    value: Option<(usize, Kind)>,
    others: Vec<Option<(usize, Kind)>>,
    next_group: usize,
    end_group: usize,
    group: Option<Group>,
    /// Damage found while earlier rows were still to be returned.
    lost: Option<Lost>,
    scratch: String,
    unfolded: Unfolded,
}

/// The requested columns in addition to the text, each with its contents.
#[derive(Clone, Copy)]
struct Columns<'a> {
    id: Option<(usize, Kind)>,
    source: Option<(usize, Kind)>,
    value: Option<(usize, Kind)>,
    others: &'a [Option<(usize, Kind)>],
}

/// The columns of the current row group, and the number of its remaining rows.
struct Group {
    left: u64,
    text: Vec<Cells<ByteArrayType>>,
    id: Option<AnyCells>,
    source: Option<AnyCells>,
    value: Option<AnyCells>,
    others: Vec<Option<AnyCells>>,
}

/// Bytes counted for a row in addition to its text, so that the number of rows without text is limited too.
const ROW_BYTES: usize = 64;

impl Rows {
    /// Opens a file, or some of its row groups. The error is the reason why no row can be read: not Parquet, truncated,
    /// missing column.
    pub(crate) fn open(file: File, fields: &Fields, groups: Option<Range<usize>>) -> Result<Self, Refused> {
        let rows = Self::open_with_source(file, fields, fields.source.as_deref())?;
        Ok(match groups {
            Some(groups) => Self { next_group: groups.start, end_group: groups.end.min(rows.end_group), ..rows },
            None => rows,
        })
    }

    fn open_with_source(file: File, fields: &Fields, source: Option<&str>) -> Result<Self, Refused> {
        let opened = open(file).map_err(Refused::Other)?;
        let schema = opened.metadata.file_metadata().schema_descr();
        let text = text_columns(schema, &fields.text)?;
        let wanted = |name: Option<&str>, what: &str, fits: fn(Kind) -> bool| {
            // These columns may be missing in some files.
            let Some(name) = name.filter(|name| has_column(schema, name)) else { return Ok(None) };
            let index = find(schema, name, what).map_err(Refused::Other)?;
            let (kind, physical) = (Kind::of(&schema.column(index)), schema.column(index).physical_type());
            if fits(kind) {
                return Ok(Some((index, kind)));
            }
            Err(Refused::Other(format!("column '{name}' is {physical}: name another column of {what}")))
        };
        Ok(Self {
            text,
            tells_fields_apart: fields.tells_fields_apart,
            text_name: fields.text.clone(),
            id: wanted(fields.id.as_deref(), "ids", Kind::is_id)?,
            source: wanted(source, "sources", Kind::is_id)?,
            value: wanted(fields.value.as_deref(), "numbers or texts to compare by", Kind::is_comparable)?,
            others: fields
                .others
                .iter()
                .map(|name| wanted(Some(name), "fields", Kind::is_id))
                .collect::<Result<_, Refused>>()?,
            next_group: 0,
            end_group: opened.metadata.num_row_groups(),
            group: None,
            lost: None,
            scratch: String::new(),
            unfolded: Unfolded::new(opened.file_bytes),
            opened,
        })
    }

    /// Number of rows according to the file.
    pub(crate) fn row_count(&self) -> u64 {
        self.opened.row_count
    }

    /// Appends the next rows, about `most` bytes of text, never across a row group. Returns false at the end. A row
    /// whose text is longer than `longest` has no text.
    ///
    /// # Errors
    ///
    /// Damage, in which case nothing was appended: rows from here to the end of the row group are lost. The next call
    /// continues with the next row group.
    pub(crate) fn next(
        &mut self,
        most: usize,
        longest: usize,
        bytes: &mut Vec<u8>,
        rows: &mut Vec<Row>,
    ) -> Result<bool, Lost> {
        if let Some(lost) = self.lost.take() {
            return Err(lost);
        }
        if !self.open_group()? {
            return Ok(false);
        }
        let (start, first) = (bytes.len(), rows.len());
        while bytes.len() - start + (rows.len() - first) * ROW_BYTES < most.max(1) {
            let Some(group) = self.group.as_mut().filter(|group| group.left > 0) else { break };
            let end = bytes.len();
            let (named, apart) = (&self.text_name, self.tells_fields_apart);
            let wanted = Columns { id: self.id, source: self.source, value: self.value, others: &self.others };
            match group.take(wanted, (named, apart), longest, bytes, &mut self.scratch) {
                Ok(row) if self.unfolded.add(bytes.len() - end) => {
                    group.left -= 1;
                    rows.push(row);
                }
                Ok(_) => {
                    bytes.truncate(end);
                    let later = self.next_group..self.end_group;
                    self.next_group = self.end_group;
                    let of_group =
                        |at: usize| u64::try_from(self.opened.metadata.row_group(at).num_rows()).unwrap_or(0);
                    let lost =
                        Lost { rows: group.left + later.map(of_group).sum::<u64>(), reason: self.unfolded.reason() };
                    self.group = None;
                    if rows.len() == first {
                        return Err(lost);
                    }
                    self.lost = Some(lost);
                }
                Err(reason) => {
                    bytes.truncate(end);
                    let lost = Lost { rows: group.left, reason };
                    self.group = None;
                    if rows.len() == first {
                        return Err(lost);
                    }
                    self.lost = Some(lost);
                }
            }
        }
        Ok(true)
    }

    /// Opens a row group with remaining rows. Returns false at the end.
    fn open_group(&mut self) -> Result<bool, Lost> {
        while self.group.as_ref().is_none_or(|group| group.left == 0) {
            if self.next_group >= self.end_group {
                return Ok(false);
            }
            let group = self.opened.metadata.row_group(self.next_group);
            self.next_group += 1;
            let left = u64::try_from(group.num_rows()).unwrap_or(0);
            if left == 0 {
                continue;
            }
            let (file, file_bytes) = (&self.opened.file, self.opened.file_bytes);
            let any = |wanted: Option<(usize, Kind)>| {
                wanted.map(|(index, _)| AnyCells::open(file, file_bytes, group, index)).transpose()
            };
            let columns = || {
                let open = |index: &usize| Ok(Cells::new(Column::open(file, file_bytes, group, *index)?));
                let text = self.text.iter().map(open).collect::<Result<_, String>>()?;
                let others = self.others.iter().map(|wanted| any(*wanted)).collect::<Result<_, String>>()?;
                Ok(Group { left, text, id: any(self.id)?, source: any(self.source)?, value: any(self.value)?, others })
            };
            self.group = Some(columns().map_err(|reason| Lost { rows: left, reason })?);
        }
        Ok(true)
    }
}

impl Group {
    fn take(
        &mut self,
        Columns { id, source, value, others }: Columns<'_>,
        (text_name, tells_fields_apart): (&str, bool),
        longest: usize,
        bytes: &mut Vec<u8>,
        scratch: &mut String,
    ) -> Result<Row, String> {
        let text = match &mut self.text[..] {
            [text] if !text.is_of_lists() => match text.take()? {
                None => Err(NoText::Null),
                Some(text) if text.len() > longest => {
                    let length = text.len();
                    let reason = format!("column '{text_name}' has {length} bytes, which is more than {longest}");
                    Err(NoText::Unusable(reason))
                }
                Some(text) => match simdutf8::compat::from_utf8(text.data()) {
                    Ok(text) => Ok(append(bytes, text.as_bytes())),
                    Err(error) => Err(NoText::Unusable(format!(
                        "not UTF-8: byte {} of column '{text_name}' is not part of a character",
                        error.valid_up_to() + 1
                    ))),
                },
            },
            several => compose(several, tells_fields_apart, longest, bytes, scratch)?,
        };
        let mut name = |cells: &mut Option<AnyCells>, wanted: Option<(usize, Kind)>| {
            let (Some(cells), Some((_, kind))) = (cells, wanted) else { return Ok::<_, String>(None) };
            let start = bytes.len();
            let is_one = cells.take()?.is_some_and(|scalar| write_id(kind, scalar, bytes));
            Ok(is_one.then_some(start..bytes.len()))
        };
        let (id, source) = (name(&mut self.id, id)?, name(&mut self.source, source)?);
        let mut found = Vec::new();
        for (at, (cells, wanted)) in self.others.iter_mut().zip(others).enumerate() {
            found.extend(name(cells, *wanted)?.map(|range| (at, range)));
        }
        let others = found;
        let value = match (&mut self.value, value) {
            (Some(cells), Some((_, kind))) => {
                cells.take()?.map_or(FieldValue::Missing, |scalar| field_value(kind, scalar, scratch))
            }
            _ => FieldValue::Missing,
        };
        Ok(Row { text, id, source, value, others })
    }
}

/// Puts a text together of the values of several columns, or of the elements of lists.
fn compose(
    columns: &mut [Cells<ByteArrayType>],
    tells_fields_apart: bool,
    longest: usize,
    bytes: &mut Vec<u8>,
    text: &mut String,
) -> Result<Result<Range<usize>, NoText>, String> {
    let mut composer = Composer::new(text, tells_fields_apart);
    let mut problem = None;
    for column in columns {
        composer.begin_field();
        for value in column.take_all()? {
            match simdutf8::basic::from_utf8(value.data()) {
                Ok(value) => composer.push(value),
                Err(_) => problem = Some("not UTF-8"),
            }
        }
    }
    let has_text = composer.has_text();
    Ok(match problem {
        Some(problem) => Err(NoText::Unusable(problem.to_owned())),
        None if !has_text => Err(NoText::Null),
        None if text.len() > longest => {
            Err(NoText::Unusable(format!("the text has {} bytes, which is more than {longest}", text.len())))
        }
        None => Ok(append(bytes, text.as_bytes())),
    })
}

fn append(bytes: &mut Vec<u8>, more: &[u8]) -> Range<usize> {
    let start = bytes.len();
    bytes.extend_from_slice(more);
    start..bytes.len()
}

/// The columns of a text: one, or several with commas between them, or those in the elements of lists.
fn text_columns(schema: &SchemaDescriptor, text: &str) -> Result<Vec<usize>, Refused> {
    let no_text_field = || Refused::NoTextField { fields: listed(&usable_columns(schema)) };
    let of_path = |path: &str| {
        let index = match find_in_lists(schema, path) {
            Some(index) => index,
            None if path.contains("[]") || !has_column(schema, path) => return Err(no_text_field()),
            None => find(schema, path, "the text").map_err(Refused::Other)?,
        };
        let column = schema.column(index);
        if column.physical_type() != Type::BYTE_ARRAY || Kind::of(&column) != Kind::Text {
            let physical = column.physical_type();
            let reason = format!("column '{path}' is {physical} and not a text: name another column of the text");
            return Err(Refused::Other(reason));
        }
        Ok(index)
    };
    if has_column(schema, text) { Ok(vec![of_path(text)?]) } else { paths(text).map(of_path).collect() }
}

/// The names that writers give to the groups between a list and its elements.
const OF_LISTS: [&str; 5] = ["list", "element", "item", "array", "bag"];

/// The column of a path such as `messages[].content`: the groups of a list have names of their own.
fn find_in_lists(schema: &SchemaDescriptor, path: &str) -> Option<usize> {
    if !path.contains("[]") {
        return None;
    }
    let names: Vec<&str> = path.split('.').map(|name| name.trim_end_matches("[]")).collect();
    schema.columns().iter().position(|column| {
        let mut wanted = names.iter().peekable();
        let is_on_path = column.path().parts().iter().all(|part| match wanted.next_if(|name| **name == part) {
            Some(_) => true,
            None => OF_LISTS.contains(&part.as_str()) || part == "array_element",
        });
        is_on_path && wanted.peek().is_none() && column.max_rep_level() > 0
    })
}

/// The columns with one value per row.
fn usable_columns(schema: &SchemaDescriptor) -> Vec<String> {
    let usable = schema.columns().iter().filter(|column| column.max_rep_level() == 0);
    usable.map(|column| column.path().string()).collect()
}

/// True if there is a column, or a group of columns, of this name or path.
fn has_column(schema: &SchemaDescriptor, name: &str) -> bool {
    let is_in = |path: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    schema.columns().iter().any(|column| is_in(&column.path().string()))
}

/// The column of this name, or of this path, with dots between a group and its members.
fn find(schema: &SchemaDescriptor, name: &str, what: &str) -> Result<usize, String> {
    let columns = schema.columns();
    let literal = columns.iter().position(|column| column.path().parts() == [name]);
    let found = literal.or_else(|| columns.iter().position(|column| column.path().string() == name));
    if let Some(index) = found.filter(|index| columns[*index].max_rep_level() == 0) {
        return Ok(index);
    }
    let within =
        |column: &ColumnDescriptor| column.path().string().strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let mut inner = columns.iter().filter(|column| within(column));
    if found.is_some() || inner.clone().next().is_some_and(|column| column.max_rep_level() > 0) {
        return Err(format!(
            "column '{name}' is a list, with any number of values per row: name another column of {what}"
        ));
    }
    if let Some(one) = inner.next() {
        let path = one.path().string();
        return Err(format!("column '{name}' is a group: name a column in it, such as '{path}', as that of {what}"));
    }
    Err(format!("no column '{name}': name the column of {what}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::ByteArray;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::parquet::samples::{file, sample};

    #[test]
    fn a_text_that_a_dictionary_has_once_is_not_unfolded_without_end() {
        let schema = Arc::new(parse_message_type("message m { required binary text (UTF8); }").unwrap());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
        let text = ByteArray::from("x".repeat(10_000).into_bytes());
        for _ in 0..3 {
            let mut group = writer.next_row_group().unwrap();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&vec![text.clone(); 100], None, None).unwrap();
            column.close().unwrap();
            group.close().unwrap();
        }
        let written = writer.into_inner().unwrap();
        assert!(written.len() < 50_000, "{}", written.len());
        let read = |most: Option<u64>| {
            let mut rows = Rows::open(file(&written), &Fields::default(), None).unwrap();
            rows.unfolded = most.map_or(rows.unfolded, |most| rows.unfolded.with_most(most));
            let (mut bytes, mut found, mut lost) = (Vec::new(), Vec::new(), Vec::new());
            loop {
                match rows.next(100_000, 1 << 20, &mut bytes, &mut found) {
                    Ok(true) => {}
                    Ok(false) => return (found.len(), lost),
                    Err(damage) => lost.push(damage),
                }
            }
        };
        assert_eq!(read(None), (300, Vec::new()));
        // All unread rows are counted, including those of later row groups.
        let (count, lost) = read(Some(1_500_000));
        assert_eq!((count, lost.len(), lost[0].rows), (150, 1, 150));
        assert!(lost[0].reason.contains("more than 1500000 bytes of text"), "{}", lost[0].reason);
        // A file may expand to 256 MB, however small it is, and a large one to ten thousand times its size.
        let mut small = Unfolded::new(600);
        assert!(small.add(256 << 20) && !small.add(1));
        assert!(Unfolded::new(1 << 20).add(10_000 << 20));
    }

    #[test]
    fn a_source_is_read_as_an_id_is() {
        let sample = (0..99).map(sample).find(|sample| sample.columns[0].len() > 10).unwrap();
        let mut rows = Rows::open_with_source(file(&sample.bytes), &Fields::default(), Some("body.content")).unwrap();
        let (mut bytes, mut found) = (Vec::new(), Vec::new());
        while rows.next(1000, 1000, &mut bytes, &mut found).unwrap() {}
        let sources: Vec<Option<&[u8]>> =
            found.iter().map(|row| row.source.as_ref().map(|range| &bytes[range.clone()])).collect();
        let expected: Vec<Option<&[u8]>> =
            sample.columns[11].iter().map(|cell| cell.values.first().map(Vec::as_slice)).collect();
        assert_eq!(sources, expected);
        assert_eq!(rows.row_count(), found.len() as u64);
    }
}
