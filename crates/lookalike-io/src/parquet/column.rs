//! Reads the levels and values of a column of a row group, a few rows at a time.
//!
//! Only present values are stored: a row without one has a definition level and no value. Rows of a list have several
//! levels, the first with repetition level 0.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::{Encoding, Type};
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{AsBytes, DataType};
use parquet::file::metadata::RowGroupMetaData;

use super::guard::guarded;
use super::pages::{Allowance, LARGEST_ROW, Pages};

/// Maximum bytes of values to read at a time, except the last one, if the page does not limit them.
const AT_A_TIME: usize = 8 << 20;

/// Number of rows to read at a time.
pub(super) const BATCH_ROWS: usize = 1024;

/// One column of one row group, and its most recently read rows.
pub(super) struct Column<T: DataType> {
    reader: ColumnReaderImpl<T>,
    allowance: Allowance,
    name: String,
    max_definition: i16,
    max_repetition: i16,
    /// Length of each value, if the schema fixes it.
    fixed_bytes: Option<usize>,
    /// True if rows are read one by one, because the bytes of a page do not limit the size of some of them.
    one_by_one: bool,
    /// Reason why the rows after the last ones read are unreadable.
    damage: Option<String>,
    /// A definition level for each row or list element; empty if there is always a value.
    pub(super) definition: Vec<i16>,
    /// A repetition level for each of those; empty without lists.
    pub(super) repetition: Vec<i16>,
    /// The present values.
    pub(super) values: Vec<T::T>,
}

impl<T: DataType> Column<T> {
    /// Opens a column, which must have the physical type `T`.
    pub(super) fn open(
        file: &Arc<File>,
        file_bytes: u64,
        group: &RowGroupMetaData,
        index: usize,
    ) -> Result<Self, String> {
        let chunk = group.column(index);
        let descriptor = chunk.column_descr_ptr();
        let allowance = Allowance::default();
        let pages = Pages::new(Arc::clone(file), file_bytes, chunk, allowance.clone())?;
        let (max_definition, max_repetition) = (descriptor.max_def_level(), descriptor.max_rep_level());
        let is_fixed = descriptor.physical_type() == Type::FIXED_LEN_BYTE_ARRAY;
        let fixed_bytes = is_fixed.then(|| usize::try_from(descriptor.type_length()).unwrap_or(0));
        Ok(Self {
            name: descriptor.path().string(),
            reader: guarded(|| Ok(get_typed_column_reader::<T>(get_column_reader(descriptor, Box::new(pages)))))?,
            allowance,
            max_definition,
            max_repetition,
            fixed_bytes,
            // With shared prefixes, a page of a megabyte can hold a thousand values of a megabyte each.
            one_by_one: max_repetition > 0 || chunk.encodings_mask().is_set(Encoding::DELTA_BYTE_ARRAY),
            damage: None,
            definition: Vec::new(),
            repetition: Vec::new(),
            values: Vec::new(),
        })
    }

    /// Reads the next rows, at most `most`, replacing those read before. Returns 0 at the end.
    pub(super) fn read(&mut self, most: usize) -> Result<usize, String> {
        self.definition.clear();
        self.repetition.clear();
        self.values.clear();
        let read = if self.one_by_one { self.read_one_by_one(most) } else { self.read_together(most) };
        let row_count = read.and_then(|row_count| self.check().map(|()| row_count));
        row_count.map_err(|reason| format!("column '{}': {reason}", self.name))
    }

    /// Checks properties that the crate's decoders do not, and that writing the rows requires.
    fn check(&self) -> Result<(), String> {
        let too_high = |levels: &[i16], max| levels.iter().any(|level| *level > max || *level < 0);
        if too_high(&self.definition, self.max_definition) || too_high(&self.repetition, self.max_repetition) {
            return Err("a level is higher than the schema allows".to_owned());
        }
        if self.repetition.first().is_some_and(|level| *level != 0) {
            return Err("a row starts in the middle of a list".to_owned());
        }
        let is_fixed = |value: &T::T| self.fixed_bytes.is_none_or(|length| value.as_bytes().len() == length);
        if self.values.iter().all(is_fixed) { Ok(()) } else { Err("a value has another length than others".to_owned()) }
    }

    fn read_together(&mut self, most: usize) -> Result<usize, String> {
        // Drain the current page before the next one: a damaged page must not affect other rows.
        self.allowance.set(0);
        let row_count = self.read_rows(most.min(BATCH_ROWS))?;
        if row_count > 0 {
            return Ok(row_count);
        }
        self.allowance.set(1);
        self.read_rows(most.min(BATCH_ROWS))
    }

    fn read_one_by_one(&mut self, most: usize) -> Result<usize, String> {
        let (mut row_count, mut bytes) = (0, 0);
        while self.damage.is_none() && row_count < most.min(BATCH_ROWS) && bytes < AT_A_TIME {
            self.allowance.set(LARGEST_ROW);
            let (levels, values) = (self.definition.len(), self.values.len());
            let read = self.read_rows(1);
            if !matches!(read, Ok(1)) {
                self.definition.truncate(levels);
                self.repetition.truncate(levels);
                self.values.truncate(values);
                // Rows that were read before the damage are returned here too.
                self.damage = read.err();
                break;
            }
            row_count += 1;
            bytes += (self.definition.len() - levels) * 2;
            bytes += self.values[values..].iter().map(|value| value.as_bytes().len() + 16).sum::<usize>();
        }
        match self.damage.take() {
            Some(reason) if row_count == 0 => Err(reason),
            damage => {
                self.damage = damage;
                Ok(row_count)
            }
        }
    }

    fn read_rows(&mut self, most: usize) -> Result<usize, String> {
        let Self { reader, definition, repetition, values, .. } = self;
        let (row_count, _, _) = guarded(|| reader.read_records(most, Some(definition), Some(repetition), values))?;
        Ok(row_count)
    }

    /// Number of levels, or of values if there are no levels.
    pub(super) fn level_count(&self) -> usize {
        if self.max_definition == 0 { self.values.len() } else { self.definition.len() }
    }

    /// True if a level has a value.
    pub(super) fn has_value(&self, level: usize) -> bool {
        self.max_definition == 0 || self.definition[level] == self.max_definition
    }
}

/// The rows of a column, one at a time.
pub(super) struct Cells<T: DataType> {
    column: Column<T>,
    /// Number of rows that were read but not yet taken.
    left: usize,
    taken_levels: usize,
    taken_values: usize,
}

impl<T: DataType> Cells<T> {
    pub(super) fn new(column: Column<T>) -> Self {
        Self { column, left: 0, taken_levels: 0, taken_values: 0 }
    }

    /// True if a row may have several values.
    pub(super) fn is_of_lists(&self) -> bool {
        self.column.max_repetition > 0
    }

    /// Takes the value of the next row, if it has one.
    pub(super) fn take(&mut self) -> Result<Option<&T::T>, String> {
        self.take_all().map(<[T::T]>::first)
    }

    /// Takes the values of the next row: any number for a list, and at most one for any other column.
    pub(super) fn take_all(&mut self) -> Result<&[T::T], String> {
        if self.left == 0 {
            self.left = self.column.read(BATCH_ROWS)?;
            (self.taken_levels, self.taken_values) = (0, 0);
            if self.left == 0 {
                return Err(format!("column '{}': there are fewer rows than the file says", self.column.name));
            }
        }
        self.left -= 1;
        let first = self.taken_values;
        loop {
            self.taken_values += usize::from(self.column.has_value(self.taken_levels));
            self.taken_levels += 1;
            // A row ends where the next one starts, and everywhere if nothing is repeated.
            if self.column.repetition.get(self.taken_levels).is_none_or(|level| *level == 0) {
                return Ok(&self.column.values[first..self.taken_values]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::parquet::open;
    use crate::parquet::samples::file;

    /// Number of rows read at a time, of 30 rows of a megabyte each that differ only at the end.
    fn rows_at_once(encoding: Encoding) -> Vec<usize> {
        let schema = parse_message_type("message table { required binary text; }").unwrap();
        let properties = WriterProperties::builder().set_dictionary_enabled(false).set_encoding(encoding).build();
        let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        for row in 0..30 {
            let text = "x".repeat(1 << 20) + &row.to_string();
            column.typed::<ByteArrayType>().write_batch(&[ByteArray::from(&*text)], None, None).unwrap();
        }
        column.close().unwrap();
        group.close().unwrap();
        let opened = open(file(&writer.into_inner().unwrap())).unwrap();
        let group = opened.metadata.row_group(0);
        let mut column = Column::<ByteArrayType>::open(&opened.file, opened.file_bytes, group, 0).unwrap();
        let read = || Some(column.read(BATCH_ROWS).unwrap()).filter(|row_count| *row_count > 0);
        std::iter::from_fn(read).collect()
    }

    #[test]
    fn long_values_are_read_a_few_at_a_time() {
        // Each has its own page, and values keep their page in memory.
        assert_eq!(rows_at_once(Encoding::PLAIN), [1; 30]);
    }

    #[test]
    fn values_that_share_their_bytes_in_the_page_are_counted_in_full() {
        assert_eq!(rows_at_once(Encoding::DELTA_BYTE_ARRAY), [8, 8, 8, 6]);
    }
}
