//! What the input has besides documents: entries that are carried along, and entries that were skipped.

use std::collections::BTreeMap;

use lookalike_core::resolve::keep::FieldValue;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{BLANK, NO_TEXT_FIELD, NULL_TEXT, Skipped, json_fields};

use super::block::{self, NAMED, carried_place};
use super::blocks::Blocks;
use crate::error::Result;

/// What came in besides documents.
#[derive(Debug, Default)]
pub(crate) struct Others {
    /// Entries of the input that are no documents and are carried along, by kind.
    pub(crate) carried: BTreeMap<String, u64>,
    /// Entries that were skipped: the first ones, those of damaged files before all others.
    pub(crate) skipped: Vec<Skipped>,
    /// How many of these are not of damage, and how many are.
    named: [usize; 2],
    /// How many of the input were.
    pub(crate) skipped_count: u64,
    /// How many of the reference were.
    pub(crate) reference_skipped_count: u64,
    /// What each file has.
    files: Vec<FileContent>,
}

/// What a file has.
#[derive(Clone, Copy, Debug, Default)]
struct FileContent {
    /// A record with the field of the text, be it null.
    has_texts: bool,
    /// A record without it.
    lacks_texts: bool,
    /// Something that was skipped.
    has_skipped: bool,
}

impl Others {
    pub(super) fn of_files(count: usize) -> Self {
        Self { files: vec![FileContent::default(); count], ..Self::default() }
    }

    /// Adds what a block has besides documents; gives back the values of its documents, if it has some.
    pub(super) fn add(
        &mut self,
        blocks: &Blocks,
        block: usize,
        is_input: bool,
    ) -> Result<impl Iterator<Item = FieldValue> + use<>> {
        let (file, before) = (blocks.head(block).file, blocks.before(block));
        let block::Others { carried, skipped, more_skipped, values } = blocks.others(block)?;
        let content = &mut self.files[file as usize];
        content.has_texts |= blocks.head(block).documents > 0;
        content.has_skipped |= !skipped.is_empty();
        for (.., kind) in carried {
            content.has_texts |= kind == NULL_TEXT;
            content.lacks_texts |= kind == NO_TEXT_FIELD;
            // Blank lines are counted by nobody.
            if is_input && kind != BLANK {
                *self.carried.entry(kind.into_owned()).or_default() += 1;
            }
        }
        let count = if is_input { &mut self.skipped_count } else { &mut self.reference_skipped_count };
        *count += skipped.iter().map(|skipped| skipped.3).sum::<u64>() + more_skipped;
        for (position, reason, is_damage, count) in skipped {
            let named = &mut self.named[usize::from(is_damage)];
            if *named < NAMED {
                *named += 1;
                self.skipped.push(Skipped { file, position: before + position + 1, reason, is_damage, count });
            }
        }
        Ok(values.into_iter().map(FieldValue::from))
    }

    /// Whether all of a file was read: nothing of it was skipped.
    pub(super) fn has_all_of(&self, file: u32) -> bool {
        !self.files[file as usize].has_skipped
    }
}

/// How many records of a file are looked at for the names of its fields.
const LOOKED_AT: usize = 100;

/// A file of records of which none has the field of the text was hardly meant.
pub(super) fn check_texts(shelf: &Shelf, blocks: &Blocks, others: &Others, field: &str) -> Result<()> {
    let lacks = |content: &FileContent| content.lacks_texts && !content.has_texts;
    let Some(file) = others.files.iter().position(lacks) else { return Ok(()) };
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
    let (path, field) = (shelf.files()[file].shown(), field.to_owned());
    let fields = json_fields(records.iter().map(Vec::as_slice));
    Err(lookalike_io::Error::NoTextField { path, field, fields }.into())
}
