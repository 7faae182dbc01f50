//! Properties of whole files: rows are preserved, and arbitrary bytes cause nothing worse than an error.

use std::sync::Arc;

use lookalike_core::resolve::keep::FieldValue;
use parquet::basic::Encoding;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::filter::{FilterError, write_rows};
use super::row::{Lost, NoText, Row};
use super::rows::Rows;
use super::samples::{Dice, Sample, file, metadata, read_back, sample};
use crate::input::discover::discover;
use crate::input::shelf::Shelf;
use crate::read::{Chunk, Entry, Fields, NULL_TEXT, Parser, Settings, Stream, Unit};
use crate::refused::Refused;
use crate::write::{Annotation, FileWriter, NOTES, Written};

fn fields(text: &str, id: Option<&str>, value: Option<&str>) -> Fields {
    Fields {
        text: text.to_owned(),
        id: id.map(str::to_owned),
        source: None,
        value: value.map(str::to_owned),
        others: Vec::new(),
        object: None,
        ..Fields::default()
    }
}

fn filtered(bytes: &[u8], kept: &[u64], notes: Option<&[Annotation]>) -> Result<Vec<u8>, FilterError> {
    let mut output = Vec::new();
    write_rows(file(bytes), kept, notes, &mut output).map(|_| output)
}

/// Some rows of a sample, occasionally all or none.
fn some_rows(sample: &Sample, dice: &mut Dice) -> Vec<u64> {
    let share = dice.roll(5);
    (0..sample.columns[0].len() as u64).filter(|_| dice.roll(4) < share).collect()
}

type Found = (Vec<u8>, Vec<Row>, Vec<Lost>);

/// All rows with their bytes, and what was lost; read `most` bytes at a time.
fn read_all(bytes: &[u8], fields: &Fields, most: usize) -> Result<Found, String> {
    let mut rows = Rows::open(file(bytes), fields, None).map_err(|refused| refused.to_string())?;
    let (mut text, mut found, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let before = found.len();
        match rows.next(most, 1 << 20, &mut text, &mut found) {
            Ok(true) => assert!(found.len() > before),
            Ok(false) => return Ok((text, found, lost)),
            Err(damage) => {
                assert_eq!(found.len(), before);
                assert!(!damage.reason.is_empty());
                lost.push(damage);
            }
        }
    }
}

/// Checks the settings that must be the same in a file and its filtered copy.
fn check_settings(before: &ParquetMetaData, after: &ParquetMetaData) {
    let (from, to) = (before.file_metadata(), after.file_metadata());
    assert_eq!(from.schema(), to.schema());
    assert_eq!(from.key_value_metadata(), to.key_value_metadata());
    assert_eq!(from.version(), to.version());
    let Some(last) = after.row_groups().last() else { return };
    assert_eq!(before.row_group(0).sorting_columns(), last.sorting_columns());
    for index in 0..last.num_columns() {
        let name = last.column(index).column_path();
        assert_eq!(before.row_group(0).column(index).compression(), last.column(index).compression(), "{name}");
        for encoding in last.column(index).encodings() {
            let was = before.row_groups().iter().any(|group| group.column(index).encodings_mask().is_set(encoding));
            assert!(was || matches!(encoding, Encoding::PLAIN | Encoding::RLE), "{name} has {encoding}");
        }
        let was =
            |is: fn(&ColumnChunkMetaData) -> bool| before.row_groups().iter().any(|group| is(group.column(index)));
        let after = last.column(index);
        assert_eq!(was(|chunk| chunk.offset_index_offset().is_some()), after.offset_index_offset().is_some(), "{name}");
        assert_eq!(was(|chunk| chunk.bloom_filter_offset().is_some()), after.bloom_filter_offset().is_some(), "{name}");
        // Whether pages have minimum and maximum values depends on their contents, so a row group may have none.
        assert!(was(|chunk| chunk.column_index_offset().is_some()) || after.column_index_offset().is_none(), "{name}");
        assert!(was(|chunk| chunk.statistics().is_some()) || after.statistics().is_none(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn kept_rows_come_out_as_they_went_in(seed: u64) {
        let sample = sample(seed);
        prop_assert_eq!(&read_back(&sample.bytes), &sample.columns, "the sample itself");
        let kept = some_rows(&sample, &mut Dice(seed));
        let output = filtered(&sample.bytes, &kept, None).unwrap();
        let expected: Vec<Vec<_>> = sample.columns.iter()
            .map(|cells| kept.iter().map(|row| cells[*row as usize].clone()).collect())
            .collect();
        prop_assert_eq!(read_back(&output), expected);
        check_settings(&metadata(&sample.bytes), &metadata(&output));
        prop_assert!(metadata(&output).row_groups().iter().all(|group| group.num_rows() > 0));
    }

    #[test]
    fn rows_are_read_as_they_were_written(seed: u64, most in 1_usize..5000) {
        let sample = sample(seed);
        let (bytes, rows, lost) = read_all(&sample.bytes, &fields("text", Some("id"), Some("score")), most).unwrap();
        prop_assert!(lost.is_empty());
        prop_assert_eq!(rows.len(), sample.columns[0].len());
        for (number, row) in rows.iter().enumerate() {
            prop_assert_eq!(&bytes[row.text.clone().unwrap()], &*sample.columns[0][number].values[0]);
            let id = i64::from_le_bytes(sample.columns[2][number].values[0].clone().try_into().unwrap());
            let id = id.to_string();
            prop_assert_eq!(&bytes[row.id.clone().unwrap()], id.as_bytes());
            let score = sample.columns[7][number].values.first();
            let score = score.map(|bytes| f64::from_le_bytes(bytes.clone().try_into().unwrap()).to_string());
            prop_assert_eq!(&row.value, &score.map_or(FieldValue::Missing, |score| FieldValue::number(&score)));
        }
        // A field of a group, sometimes null.
        let (bytes, rows, _) = read_all(&sample.bytes, &fields("body.content", None, None), most).unwrap();
        for (row, cell) in rows.iter().zip(&sample.columns[11]) {
            match (&row.text, cell.values.first()) {
                (Ok(range), Some(text)) => prop_assert_eq!(&bytes[range.clone()], &**text),
                (Err(reason), None) => prop_assert_eq!(reason, &NoText::Null),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn notes_stand_in_six_more_columns(seed: u64) {
        let sample = sample(seed);
        let kept: Vec<u64> = (0..sample.columns[0].len() as u64).collect();
        let notes: Vec<Annotation> = kept.iter().map(|row| Annotation {
            cluster: (row % 5 > 0).then_some(row / 2),
            kept: row % 2 == 0,
            kept_id: (row % 2 == 1).then(|| format!("né-{row}")),
            similarity: (row % 2 == 1).then_some(0.75),
            cluster_size: (row % 5 > 0).then_some(row + 1),
            copy_count: (row % 3 > 0).then_some(row % 7),
        }).collect();
        let output = filtered(&sample.bytes, &kept, Some(&notes)).unwrap();
        let columns = read_back(&output);
        let added = sample.columns.len();
        prop_assert_eq!(&columns[..added], &*sample.columns);
        for (row, note) in notes.iter().enumerate() {
            let value = |index: usize| columns[added + index][row].values.first().cloned();
            prop_assert_eq!(value(0), note.cluster.map(|cluster| (cluster as i64).to_le_bytes().to_vec()));
            prop_assert_eq!(value(1), Some(vec![u8::from(note.kept)]));
            prop_assert_eq!(value(2), note.kept_id.clone().map(String::into_bytes));
            prop_assert_eq!(value(3), note.similarity.map(|similarity| similarity.to_le_bytes().to_vec()));
            prop_assert_eq!(value(4), note.cluster_size.map(|size| (size as i64).to_le_bytes().to_vec()));
            prop_assert_eq!(value(5), note.copy_count.map(|count| (count as i64).to_le_bytes().to_vec()));
        }
        let file = metadata(&output);
        let keys: Vec<&str> = file.file_metadata().key_value_metadata().unwrap().iter().map(|pair| &*pair.key).collect();
        prop_assert_eq!(keys, ["pandas", "huggingface"]);
    }
}

/// Reads and filters damaged bytes; every failure must be an error.
fn survive(bytes: &[u8], row_count: u64, dice: &mut Dice) {
    match read_all(bytes, &fields("text", Some("id"), Some("old_time")), 1000) {
        Ok((text, rows, _)) => {
            for row in rows {
                if let Ok(range) = row.text {
                    std::str::from_utf8(&text[range]).unwrap();
                }
            }
        }
        Err(reason) => assert!(!reason.is_empty()),
    }
    let kept: Vec<u64> = (0..row_count).filter(|_| dice.roll(3) > 0).collect();
    if let Err(FilterError::Read(reason) | FilterError::Write { reason, .. }) = filtered(bytes, &kept, None) {
        assert!(!reason.is_empty());
    }
}

#[test]
fn a_byte_that_is_flipped_is_an_error_at_most() {
    let mut dice = Dice(1);
    for seed in 0..25 {
        let sample = sample(seed);
        for _ in 0..80 {
            let mut bytes = sample.bytes.clone();
            let at = dice.roll(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << dice.roll(8);
            survive(&bytes, sample.columns[0].len() as u64, &mut dice);
        }
    }
}

#[test]
fn a_footer_with_any_byte_replaced_is_an_error_at_most() {
    let mut dice = Dice(2);
    let sample = (0..99).map(sample).find(|sample| sample.columns[0].len() > 100).unwrap();
    let length = sample.bytes.len();
    let footer = u32::from_le_bytes(sample.bytes[length - 8..length - 4].try_into().unwrap()) as usize + 8;
    for at in (length - footer..length).step_by(23) {
        let mut bytes = sample.bytes.clone();
        bytes[at] = dice.roll(256) as u8;
        survive(&bytes, sample.columns[0].len() as u64, &mut dice);
    }
}

#[test]
fn a_file_that_is_cut_says_so() {
    let sample = sample(3);
    for end in (0..sample.bytes.len()).step_by(97) {
        let reason = Rows::open(file(&sample.bytes[..end]), &Fields::default(), None).err().unwrap().to_string();
        let expected = if end < 12 { "not Parquet: the file is too short" } else { "the file is cut short" };
        assert!(reason.starts_with(expected), "{reason}");
    }
    let reason =
        Rows::open(file(b"{\"text\": \"a line of JSON\"}\n"), &Fields::default(), None).err().unwrap().to_string();
    assert_eq!(reason, "not Parquet: there is no footer");
}

#[test]
fn damage_ends_a_row_group_and_not_the_file() {
    let sample = (0..99).map(sample).find(|sample| metadata(&sample.bytes).num_row_groups() > 2).unwrap();
    let footer = metadata(&sample.bytes);
    let (start, length) = footer.row_group(1).column(0).byte_range();
    let mut bytes = sample.bytes.clone();
    bytes[start as usize..(start + length) as usize].fill(0xFF);
    let (_, rows, lost) = read_all(&bytes, &fields("text", None, None), 1000).unwrap();
    let expected = footer.row_group(1).num_rows() as u64;
    assert_eq!(lost.iter().map(|lost| lost.rows).sum::<u64>(), expected);
    assert_eq!(rows.len() as u64, sample.columns[0].len() as u64 - expected);
    assert_eq!(lost[0].reason, "column 'text': the header of a page is damaged");
    // Rows of other row groups can still be kept; lost ones cannot.
    let first = footer.row_group(0).num_rows() as u64;
    let others: Vec<u64> =
        (0..sample.columns[0].len() as u64).filter(|row| !(first..first + expected).contains(row)).collect();
    assert_eq!(read_back(&filtered(&bytes, &others, None).unwrap())[0].len(), others.len());
    assert!(matches!(filtered(&bytes, &[first], None), Err(FilterError::Read(_))));
}

#[test]
fn rows_before_damage_are_handed_over_first() {
    let schema = Arc::new(parse_message_type("message table { required binary text; }").unwrap());
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_write_batch_size(1)
        .set_data_page_size_limit(100)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for _ in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> =
            (0..100).map(|row| ByteArray::from(&*format!("the text of row {row:3}"))).collect();
        column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    let mut bytes = writer.into_inner().unwrap();
    let (start, length) = metadata(&bytes).row_group(0).column(0).byte_range();
    let middle = (start + length / 2) as usize;
    bytes[middle..middle + 200].fill(0xFF);
    for most in [1, 1000, 1 << 20] {
        let (_, rows, lost) = read_all(&bytes, &Fields::default(), most).unwrap();
        assert_eq!(lost.len(), 1);
        let before = 100 - lost[0].rows;
        // No row of an earlier page is lost with the page in the middle.
        assert_eq!(before, 50, "{lost:?}");
        assert_eq!(rows.len() as u64, before + 100);
        // Only readable rows are requested again, and the later damage does not matter.
        let kept: Vec<u64> = (0..before).chain(100..200).collect();
        assert_eq!(read_back(&filtered(&bytes, &kept, None).unwrap())[0].len(), kept.len());
    }
}

/// A file with this schema, which has at most one column of bytes; and a row group with these values, if there are any.
fn file_of(schema: &str, values: Option<&[&[u8]]>) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    if let Some(values) = values {
        let values: Vec<ByteArray> = values.iter().map(|value| ByteArray::from(value.to_vec())).collect();
        let mut group = writer.next_row_group().unwrap();
        if let Some(mut column) = group.next_column().unwrap() {
            column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn files_without_rows_are_read_to_their_end() {
    let text = "message table { required binary text (STRING); }";
    for values in [None, Some(&[][..])] {
        let bytes = file_of(text, values);
        let (_, rows, lost) = read_all(&bytes, &Fields::default(), 1000).unwrap();
        assert!(rows.is_empty() && lost.is_empty());
        let output = filtered(&bytes, &[], None).unwrap();
        assert_eq!(metadata(&output).num_row_groups(), 0);
        assert_eq!(filtered(&bytes, &[0], None), Err(FilterError::Read("there is no row 1, only 0".to_owned())));
    }
    let reason = Rows::open(file(&file_of("message table { }", None)), &Fields::default(), None).err().unwrap();
    assert_eq!(reason, Refused::NoTextField { fields: "none".to_owned() });
}

#[test]
fn rows_whose_text_is_null_are_carried_along_and_written() {
    let has_both = |sample: &Sample| {
        let nulls = sample.columns[11].iter().filter(|cell| cell.values.is_empty()).count();
        nulls > 0 && nulls < sample.columns[11].len()
    };
    let sample = (0..99).map(sample).find(has_both).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, &sample.bytes).unwrap();
    let settings = Settings { fields: fields("body.content", None, None), ..Settings::default() };
    let shelf = Shelf::new(discover(&[path], None).unwrap());
    let mut stream = Stream::open(&Unit::whole(0), &shelf.files()[0], &settings).unwrap();
    let (mut parser, mut chunk) = (Parser::new(&settings), Chunk::default());
    let (mut is_null, mut written) = (Vec::new(), Vec::new());
    while stream.next(&mut chunk).unwrap() {
        chunk.settle(&shelf).unwrap();
        parser.entries(&chunk, |placed| {
            let note = Annotation { cluster: Some(1), ..Annotation::WITHOUT_TEXT };
            let annotation = match placed.entry {
                Entry::Document(_) => note,
                Entry::Carried(NULL_TEXT) => Annotation::WITHOUT_TEXT,
                other => panic!("{other:?}"),
            };
            is_null.push(annotation.cluster.is_none());
            let position = is_null.len() as u64;
            written.push(Written { place: placed.place, position, annotation: Some(annotation) });
        });
    }
    assert_eq!(is_null, sample.columns[11].iter().map(|cell| cell.values.is_empty()).collect::<Vec<_>>());
    let kind = stream.kind();
    let writer = FileWriter { shelf: &shelf, settings: &settings, file: 0, kind, is_annotated: true };
    let mut output = Vec::new();
    writer.write(std::iter::once(Ok::<_, crate::Error>(written)), folder.path(), &mut output).unwrap();
    let columns = read_back(&output);
    assert_eq!(columns[..sample.columns.len()], *sample.columns);
    let clusters = columns[sample.columns.len()].iter().map(|cell| cell.values.is_empty());
    assert_eq!(clusters.collect::<Vec<_>>(), is_null);
}

#[test]
fn a_bad_text_costs_its_row_alone() {
    let long = vec![b'x'; 1 << 21];
    let bytes = file_of("message table { required binary text; }", Some(&[b"good", b"\xFFbad", &long, b"", b"end"]));
    let (bytes, rows, lost) = read_all(&bytes, &Fields::default(), 1000).unwrap();
    assert!(lost.is_empty());
    let reason = |no_text: &NoText| match no_text {
        NoText::Unusable(reason) => reason.clone(),
        NoText::Null => "null".to_owned(),
    };
    let texts: Vec<Result<&[u8], String>> =
        rows.iter().map(|row| row.text.as_ref().map(|range| &bytes[range.clone()]).map_err(reason)).collect();
    let expected: [Result<&[u8], String>; 5] = [
        Ok(b"good"),
        Err("not UTF-8: byte 1 of column 'text' is not part of a character".to_owned()),
        Err("column 'text' has 2097152 bytes, which is more than 1048576".to_owned()),
        Ok(b""),
        Ok(b"end"),
    ];
    assert_eq!(texts, expected);
}

#[test]
fn a_column_that_is_not_there_or_not_a_text_is_named() {
    let bytes = sample(0).bytes;
    let reason = |text, id, value| {
        let refused = Rows::open(file(&bytes), &fields(text, id, value), None).err();
        refused.map_or(String::new(), |refused| refused.to_string())
    };
    assert_eq!(
        reason("content", None, None),
        "there is no such field among text, blob, id, small, when, old_time, ratio, score, flag, five, price, body.content"
    );
    assert_eq!(
        reason("tags", None, None),
        "column 'tags' is a list, with any number of values per row: name another column of the text"
    );
    assert_eq!(
        reason("tags.list.element.name", None, None),
        reason("tags", None, None).replace("tags", "tags.list.element.name")
    );
    assert_eq!(
        reason("body", None, None),
        "column 'body' is a group: name a column in it, such as 'body.content', as that of the text"
    );
    assert_eq!(reason("id", None, None), "column 'id' is INT64 and not a text: name another column of the text");
    assert_eq!(reason("text", Some("score"), None), "column 'score' is DOUBLE: name another column of ids");
    assert_eq!(
        reason("text", None, Some("five")),
        "column 'five' is FIXED_LEN_BYTE_ARRAY: name another column of numbers or texts to compare by"
    );
    // Other columns may be missing in some files.
    assert_eq!(reason("text", Some("missing"), Some("missing")), "");
    assert_eq!(reason("text", Some("small"), Some("price")), "");
}

#[test]
fn a_column_with_a_dot_in_its_name_goes_first() {
    let schema = parse_message_type("message table { optional group body { required binary content; } }").unwrap();
    let dotted = parquet::schema::types::Type::primitive_type_builder("body.content", parquet::basic::Type::BYTE_ARRAY)
        .with_repetition(parquet::basic::Repetition::REQUIRED)
        .build()
        .unwrap();
    let fields_of = [schema.get_fields(), &[Arc::new(dotted)]].concat();
    let schema = parquet::schema::types::Type::group_type_builder("table").with_fields(fields_of).build().unwrap();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for text in ["within", "literal"] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&[ByteArray::from(text)], Some(&[1]), None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    let (bytes, _, _) = read_all(&writer.into_inner().unwrap(), &fields("body.content", None, None), 1000).unwrap();
    assert_eq!(bytes, b"literal");
}

fn names(bytes: &[u8]) -> Vec<String> {
    let footer = metadata(bytes);
    footer.file_metadata().schema().get_fields().iter().map(|field| field.name().to_owned()).collect()
}

#[test]
fn columns_named_like_a_note_are_replaced() {
    let bytes = file_of("message table { required group kept { required binary text (STRING); } }", Some(&[b"a"]));
    let note = |cluster| Annotation { cluster: Some(cluster), similarity: Some(0.5), ..Annotation::WITHOUT_TEXT };
    let (mut once, mut twice) = (Vec::new(), Vec::new());
    assert_eq!(write_rows(file(&bytes), &[0], Some(&[note(1)]), &mut once), Ok(1));
    assert_eq!(names(&once), NOTES);
    assert_eq!(write_rows(file(&once), &[0], Some(&[note(2)]), &mut twice), Ok(1));
    assert_eq!(names(&twice), NOTES);
    assert_eq!(read_back(&twice)[0][0].values, [2_i64.to_le_bytes()]);
    // Nothing is reported as replaced if nothing was, and without notes nothing is.
    let plain = file_of("message table { required binary text (STRING); }", Some(&[b"a"]));
    assert_eq!(write_rows(file(&plain), &[0], Some(&[note(1)]), Vec::new()), Ok(0));
    assert_eq!(names(&filtered(&once, &[0], None).unwrap()), NOTES);
}

#[test]
fn the_order_of_rows_is_told_of_the_columns_that_are_left() {
    let schema = "message table { required int64 id; required int64 cluster; required binary text; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    for (order, expected) in [(vec![0, 2, 1], Some(vec![0, 1])), (vec![1, 0], None)] {
        let order =
            order.into_iter().map(|column_idx| SortingColumn { column_idx, descending: true, nulls_first: false });
        let properties = WriterProperties::builder().set_sorting_columns(Some(order.collect())).build();
        let mut writer = SerializedFileWriter::new(Vec::new(), Arc::clone(&schema), Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for _ in 0..2 {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int64Type>().write_batch(&[7], None, None).unwrap();
            column.close().unwrap();
        }
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&[ByteArray::from("a")], None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        let bytes = writer.into_inner().unwrap();
        let note = Annotation { cluster: Some(1), ..Annotation::WITHOUT_TEXT };
        let footer = metadata(&filtered(&bytes, &[0], Some(&[note])).unwrap());
        let order = footer.row_group(0).sorting_columns();
        let columns = order.map(|order| order.iter().map(|column| column.column_idx).collect::<Vec<i32>>());
        assert_eq!(columns, expected);
    }
}

#[test]
fn an_output_that_fails_is_not_called_damage_and_keeps_its_kind() {
    struct Failing(std::io::ErrorKind);
    impl std::io::Write for Failing {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let bytes = file_of("message table { required binary text; }", Some(&[b"a"]));
    for failure in [std::io::ErrorKind::StorageFull, std::io::ErrorKind::BrokenPipe] {
        let error = write_rows(file(&bytes), &[0], None, Failing(failure)).unwrap_err();
        assert!(matches!(error, FilterError::Write { kind, .. } if kind == failure), "{error:?}");
    }
}
