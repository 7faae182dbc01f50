//! A Parquet file to rows: of each the text, and id, source and value where they are wanted.
//!
//! Only the columns that are wanted are read. Damage ends a row group, not the file: the next one lies elsewhere.

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
use crate::refused::{Refused, listed};
use crate::settings::Fields;

/// The rows of a file, from the first to the last.
pub(crate) struct Rows {
    opened: Opened,
    text: usize,
    /// The name of the text column, as it was asked for.
    text_name: String,
    id: Option<(usize, Kind)>,
    source: Option<(usize, Kind)>,
    value: Option<(usize, Kind)>,
    others: Vec<Option<(usize, Kind)>>,
    next_group: usize,
    end_group: usize,
    group: Option<Group>,
    /// What was found to be lost when rows before it were still to be handed over.
    lost: Option<Lost>,
    scratch: String,
    unfolded: Unfolded,
}

/// The columns that are wanted besides that of the text, each with what it holds.
#[derive(Clone, Copy)]
struct Columns<'a> {
    id: Option<(usize, Kind)>,
    source: Option<(usize, Kind)>,
    value: Option<(usize, Kind)>,
    others: &'a [Option<(usize, Kind)>],
}

/// The columns of the row group that is read, and how many of its rows are left.
struct Group {
    left: u64,
    text: Cells<ByteArrayType>,
    id: Option<AnyCells>,
    source: Option<AnyCells>,
    value: Option<AnyCells>,
    others: Vec<Option<AnyCells>>,
}

/// A row counts for this many bytes beside its text, so that rows without one are not without end.
const ROW_BYTES: usize = 64;

impl Rows {
    /// Opens a file, or some row groups of it. The reason says why no row can be read: not Parquet, cut short, no such column.
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
        if !has_column(schema, &fields.text) {
            return Err(Refused::NoTextField { fields: listed(&usable_columns(schema)) });
        }
        let text = find(schema, &fields.text, "the text").map_err(Refused::Other)?;
        let column = schema.column(text);
        if column.physical_type() != Type::BYTE_ARRAY || Kind::of(&column) != Kind::Text {
            let reason = format!(
                "column '{}' is {} and not a text: name another column of the text",
                fields.text,
                column.physical_type()
            );
            return Err(Refused::Other(reason));
        }
        let wanted = |name: Option<&str>, what: &str, fits: fn(Kind) -> bool| {
            // Such columns may be in some files and not in others.
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

    /// How many rows the file says that it has.
    pub(crate) fn row_count(&self) -> u64 {
        self.opened.row_count
    }

    /// Appends the next rows, about `most` bytes of text, never across a row group. False when there are no more.
    /// A text longer than `longest` is a row without a text.
    ///
    /// # Errors
    ///
    /// Damage, and then nothing was appended: rows from here to the end of the row group are lost. The next call goes on
    /// with the next row group.
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
            let wanted = Columns { id: self.id, source: self.source, value: self.value, others: &self.others };
            match group.take(wanted, &self.text_name, longest, bytes, &mut self.scratch) {
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

    /// Makes sure that there is a row group with rows left. False when there are no more.
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
                let text = Cells::new(Column::open(file, file_bytes, group, self.text)?);
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
        text_name: &str,
        longest: usize,
        bytes: &mut Vec<u8>,
        scratch: &mut String,
    ) -> Result<Row, String> {
        let text = match self.text.take()? {
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

fn append(bytes: &mut Vec<u8>, more: &[u8]) -> Range<usize> {
    let start = bytes.len();
    bytes.extend_from_slice(more);
    start..bytes.len()
}

/// The columns with one value per row.
fn usable_columns(schema: &SchemaDescriptor) -> Vec<String> {
    let usable = schema.columns().iter().filter(|column| column.max_rep_level() == 0);
    usable.map(|column| column.path().string()).collect()
}

/// Whether there is a column, or a group of columns, of this name or path.
fn has_column(schema: &SchemaDescriptor, name: &str) -> bool {
    let is_in = |path: &str| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    schema.columns().iter().any(|column| is_in(&column.path().string()))
}

/// The column of this name; or of this path, with dots between a group and what is in it.
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
        // All that is not read is counted, that of later row groups too.
        let (count, lost) = read(Some(1_500_000));
        assert_eq!((count, lost.len(), lost[0].rows), (150, 1, 150));
        assert!(lost[0].reason.contains("more than 1500000 bytes of text"), "{}", lost[0].reason);
        // A file may have 256 MB, however small it is, and a large one ten thousand times its size.
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
