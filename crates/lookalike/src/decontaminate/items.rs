//! Reads files and tables of test items into memory.
//!
//! An item is a record with a question. Choices may be lists or objects, and answers may be numbers: all text in them
//! counts.

use std::collections::HashSet;

use lookalike_core::contamination::TestItemsBuilder;
use lookalike_core::hash::Key;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::Settings;
use serde_json::{Map, Value};

use super::Tests;
use crate::corpus::walk::{ROUND_BYTES, Skips, Walked, walk_shelf};
use crate::error::{Error, Result};
use crate::options::{DecontaminateOptions, ReadOptions};
use crate::run::stages::{Stages, Timed};

/// A test item.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) id: String,
    /// The test set it belongs to.
    pub(crate) set: u32,
    pub(crate) position: u64,
    /// Its first field, to be shown.
    pub(crate) question: Box<str>,
}

/// The names of a field that has the question wherever it stands.
const QUESTIONS: [&str; 2] = ["question", "query"];

/// Reads all test sets.
pub(super) fn read_items(options: &DecontaminateOptions, key: Key, stages: &mut Stages<'_>) -> Result<Tests> {
    let timed = Timed::start("test sets", None, stages.progress());
    let question = options.fields.iter().position(|field| QUESTIONS.contains(&&**field)).unwrap_or(0);
    let builder = TestItemsBuilder::new(key, options.ngram, options.fields.len()).question(question);
    let (items, sets, skipped) = (Vec::new(), Vec::new(), Vec::new());
    let has_field = vec![false; options.fields.len()];
    let mut reading = Reading { builder, items, sets, has_field, skipped, skipped_count: 0 };
    let files = ReadOptions { tables: Vec::new(), ..options.items.clone() };
    let tables = ReadOptions { inputs: Vec::new(), ..options.items.clone() };
    if files.has_inputs() {
        reading.read(&files, &options.fields, stages)?;
    }
    if !tables.tables.is_empty() {
        reading.read(&tables, &options.fields, stages)?;
    }
    let Reading { builder, items, sets, has_field, skipped, skipped_count } = reading;
    let absent = options.fields.iter().zip(has_field).skip(1).filter(|(_, is_there)| !is_there);
    let absent_fields = absent.map(|(field, _)| field.clone()).collect();
    let tests = Tests { items, sets, absent_fields, index: builder.finish(), skipped, skipped_count };
    stages.push(timed.end());
    Ok(tests)
}

struct Reading {
    builder: TestItemsBuilder,
    items: Vec<Item>,
    sets: Vec<String>,
    /// For each field, true if an item has it.
    has_field: Vec<bool>,
    skipped: Vec<crate::report::summary::SkippedEntry>,
    skipped_count: u64,
}

impl Reading {
    fn read(&mut self, options: &ReadOptions, fields: &[String], stages: &Stages<'_>) -> Result<()> {
        // Rows in memory, and copies of them, have all their fields in one object.
        let is_table = !options.has_inputs() || options.settings.fields.object.is_some();
        let others = if is_table { Vec::new() } else { options.settings.fields.others.clone() };
        let with_id = |id: Option<String>| {
            let settings = options.settings.clone();
            let names = lookalike_io::read::Fields { id, others: others.clone(), ..settings.fields.clone() };
            Settings { fields: names, ..settings }
        };
        let id = options.settings.fields.id.clone();
        let (items, sets) = (self.items.len(), self.sets.len());
        let skips = match self.walk(options, &with_id(id), fields, stages) {
            // The id field of the corpus need not be an id field of the items.
            Err(Error::NoIdField { .. }) if (self.items.len(), self.sets.len()) == (items, sets) => {
                self.walk(options, &with_id(None), fields, stages)
            }
            walked => walked,
        };
        let skips = skips.map_err(|error| match error {
            Error::Io(lookalike_io::Error::NoTextField { path, field, fields, .. }) => {
                Error::NoItemField { path, field, fields }
            }
            error => error,
        })?;
        self.skipped_count += skips.count;
        self.skipped.extend(skips.named);
        Ok(())
    }

    fn walk(
        &mut self,
        options: &ReadOptions,
        settings: &Settings,
        fields: &[String],
        stages: &Stages<'_>,
    ) -> Result<Skips> {
        let mut shelf = Shelf::new(options.discover(None)?);
        let mut set_of_file = None;
        let first = self.sets.len();
        let files: Vec<String> = shelf.files().iter().map(|file| file.name.clone()).collect();
        let skips = walk_shelf(&mut shelf, settings, (ROUND_BYTES, false), stages.progress(), |round| {
            for walked in round {
                if set_of_file != Some(walked.file_number) {
                    set_of_file = Some(walked.file_number);
                    self.sets.push(walked.file.to_string());
                }
                self.add(walked, fields);
            }
            Ok(())
        })?;
        // A file without items is a test set all the same: it has not been looked for.
        let with_items: HashSet<String> = self.sets[first..].iter().cloned().collect();
        self.sets.extend(files.into_iter().filter(|file| !with_items.contains(file)));
        Ok(skips)
    }

    fn add(&mut self, walked: Walked, fields: &[String]) {
        let others =
            walked.fields.as_deref().and_then(|object| serde_json::from_str::<Map<String, Value>>(object).ok());
        let other = |name: &String| {
            let mut text = String::new();
            others
                .as_ref()
                .and_then(|others| others.get(name))
                .into_iter()
                .for_each(|value| push_text(value, &mut text));
            text
        };
        let others: Vec<String> = fields[1..].iter().map(other).collect();
        for (has_field, text) in self.has_field[1..].iter_mut().zip(&others) {
            *has_field |= !text.is_empty();
        }
        let texts: Vec<&str> = std::iter::once(&*walked.text).chain(others.iter().map(String::as_str)).collect();
        self.builder.add(&texts);
        self.items.push(Item {
            id: walked.id,
            set: self.sets.len() as u32 - 1,
            position: walked.position,
            question: walked.text.into(),
        });
    }
}

/// Appends all text in a value, one line each.
fn push_text(value: &Value, text: &mut String) {
    let mut line = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match value {
        Value::Null => {}
        Value::Bool(value) => line(if *value { "true" } else { "false" }),
        Value::Number(number) => line(&number.to_string()),
        Value::String(value) => line(value),
        Value::Array(values) => values.iter().for_each(|value| push_text(value, text)),
        // Choices with their letters, as some test sets have them.
        Value::Object(fields) if fields.contains_key("label") && fields.contains_key("text") => {
            push_text(&fields["text"], text);
        }
        Value::Object(fields) => fields.values().for_each(|value| push_text(value, text)),
    }
}
