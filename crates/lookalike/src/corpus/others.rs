//! Contents of the input other than documents: entries that are carried along, and entries that were skipped.

use std::collections::BTreeMap;

use lookalike_io::format::Format;
use lookalike_io::input::about_data::not_data;
use lookalike_io::input::discover::InputFile;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{BLANK, NO_TEXT_FIELD, NULL_TEXT, json_fields};
use lookalike_io::skipped::{SkipReason, SkippedEntry};

use super::block::{self, NAMED, carried_place};
use super::blocks::Blocks;
use crate::error::Result;

/// Entries of the input other than documents.
#[derive(Debug, Default)]
pub(crate) struct Others {
    /// Entries of the input that are not documents and are carried along, by kind.
    pub(crate) carried: BTreeMap<String, u64>,
    /// The first entries that were skipped because of themselves, and those that were lost with a damaged file.
    skipped: [Vec<SkippedEntry>; 2],
    /// Number of skipped entries of the input.
    pub(crate) skipped_count: u64,
    /// Number of skipped entries of the reference.
    pub(crate) reference_skipped_count: u64,
    /// Number of input files that were passed over.
    pub(crate) passed_over_count: u64,
    /// Contents of each file.
    files: Vec<FileContent>,
}

/// Contents of a file, used to report a missing text field.
#[derive(Clone, Debug, Default)]
struct FileContent {
    /// True if a record has the text field, even if it is null.
    has_texts: bool,
    /// Number of records without the text field.
    without_field_count: u64,
    /// The columns of a table without the text field.
    columns: Option<String>,
    /// True if something was skipped.
    has_skipped: bool,
}

/// Fields of the documents of a block, where they are wanted.
pub(super) struct DocumentFields {
    /// Values that keep order compares.
    pub(super) values: Vec<block::Value>,
    /// Groups, and whether documents have the field that tells them.
    pub(super) groups: Vec<(u64, bool)>,
}

impl Others {
    pub(super) fn of_files(count: usize) -> Self {
        Self { files: vec![FileContent::default(); count], ..Self::default() }
    }

    /// Adds the entries of a block other than documents; returns the fields of its documents, if it has any.
    pub(super) fn add(
        &mut self,
        blocks: &Blocks,
        block: usize,
        is_input: bool,
        (input, format): (&InputFile, Format),
    ) -> Result<DocumentFields> {
        let (file, before) = (blocks.head(block).file, blocks.before(block));
        let block::Others { carried, skipped, more_skipped, values, groups } = blocks.others(block)?;
        let content = &mut self.files[file as usize];
        content.has_texts |= blocks.head(block).documents > 0;
        content.has_skipped |= !skipped.is_empty();
        for (.., kind) in carried {
            content.has_texts |= kind == NULL_TEXT;
            content.without_field_count += u64::from(kind == NO_TEXT_FIELD);
            // Blank lines are not counted.
            if is_input && kind != BLANK {
                *self.carried.entry(kind.into_owned()).or_default() += 1;
            }
        }
        let mut skipped = skipped;
        skipped.retain(|(_, reason, ..)| match reason {
            // Each unit of a table says so.
            SkipReason::NoTextField(columns) => {
                content.columns = Some(columns.clone());
                false
            }
            _ => true,
        });
        let count = if is_input { &mut self.skipped_count } else { &mut self.reference_skipped_count };
        *count += skipped.iter().map(|skipped| skipped.3).sum::<u64>() + more_skipped;
        for (position, reason, is_damage, count) in skipped {
            let named = &mut self.skipped[usize::from(is_damage)];
            if named.len() < NAMED {
                let (file, entry) = (input.shown().display().to_string(), format.entry_name());
                named.push(SkippedEntry { file, entry, position: before + position + 1, reason, count });
            }
        }
        Ok(DocumentFields { values, groups })
    }

    /// The first entries that were skipped. What is shown is cut off, and damage explains the most: it comes first.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = &SkippedEntry> {
        self.skipped.iter().rev().flatten()
    }

    /// Passes over the files that are next to data and not part of it, and reports them. Any other file in which no
    /// record has the text field was probably given by mistake.
    pub(super) fn pass_over(
        &mut self,
        shelf: &Shelf,
        blocks: &Blocks,
        field: &str,
        inputs: usize,
    ) -> Result<Vec<usize>> {
        let is_without = |content: &FileContent| {
            !content.has_texts && (content.without_field_count > 0 || content.columns.is_some())
        };
        let find = |is_wanted: &dyn Fn(&FileContent) -> bool| {
            let files = self.files.iter().enumerate();
            files.filter(|(_, content)| is_wanted(content)).map(|(file, _)| file).collect::<Vec<usize>>()
        };
        let without = find(&is_without);
        let passed_over = not_data(shelf.files(), find(&|content| content.has_texts).into_iter(), &without);
        if let Some(file) = without.into_iter().find(|file| !passed_over.contains(file)) {
            return Err(self.no_text_field(shelf, blocks, field, file)?.into());
        }
        for file in &passed_over {
            let count = std::mem::take(&mut self.files[*file].without_field_count);
            if *file < inputs {
                self.passed_over_count += 1;
                self.carried.entry(NO_TEXT_FIELD.to_owned()).and_modify(|carried| *carried -= count);
            }
        }
        self.carried.retain(|_, count| *count > 0);
        Ok(passed_over)
    }

    /// Says that a file has no text, and which fields it has.
    fn no_text_field(&self, shelf: &Shelf, blocks: &Blocks, field: &str, file: usize) -> Result<lookalike_io::Error> {
        let fields = match &self.files[file].columns {
            Some(columns) => columns.clone(),
            None => fields_of(shelf, blocks, file)?,
        };
        let input = &shelf.files()[file];
        Ok(lookalike_io::Error::NoTextField {
            path: input.shown(),
            field: field.to_owned(),
            fields,
            is_met: input.is_met,
        })
    }

    /// Notes that part of a file could not be read.
    #[cfg(feature = "parquet")]
    pub(super) fn note_lost(&mut self, file: u32) {
        self.files[file as usize].has_skipped = true;
    }

    /// True if a file was read completely: none of it was skipped.
    pub(super) fn has_all_of(&self, file: u32) -> bool {
        !self.files[file as usize].has_skipped
    }
}

/// Number of records of a file that are examined for the names of its fields.
const LOOKED_AT: usize = 100;

/// The fields of the first records of a file that lack that of the text.
fn fields_of(shelf: &Shelf, blocks: &Blocks, file: usize) -> Result<String> {
    let mut records: Vec<Vec<u8>> = Vec::new();
    for block in blocks.of_file(file as u32) {
        for entry in blocks.others(block)?.carried.iter().filter(|entry| entry.4 == NO_TEXT_FIELD) {
            if records.len() == LOOKED_AT {
                break;
            }
            let mut record = Vec::new();
            shelf.read(carried_place(entry, file as u32).0, &mut record)?;
            records.push(record);
        }
    }
    Ok(json_fields(records.iter().map(Vec::as_slice)))
}
