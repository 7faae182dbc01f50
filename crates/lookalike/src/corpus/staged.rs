//! A corpus in stages: units are read and sketched by tasks that share no memory, and their blocks come together
//! later, from the files that these tasks wrote.
//!
//! A document is known by its unit and by its number there, and is read again by reading its unit again: places in a
//! compressed file exist only in the process that has unpacked it.

use lookalike_core::ids::Document;
use lookalike_core::sources::SketchSource;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{Entry, Parser, Placed, Unit};
use lookalike_io::skipped::SkipReason;

use super::block::{Builder, Head, Shape};
use super::blocks::{Blocks, Collector};
use super::described::Origin;
use super::read::{Reading, each_chunk, group_of, kinds_of, read_unit};
use super::{Corpus, Row};
use crate::error::{Error, Result};
use lookalike_core::text::checksum::Checksum;

/// The words of a block, which say what they are.
pub(crate) type Words = Vec<u64>;

/// Counts of a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnitCounts {
    pub(crate) documents: u64,
    pub(crate) positions: u64,
    pub(crate) bytes: u64,
}

/// Reads and sketches a unit on this thread, and gives its blocks to `take`.
pub(crate) fn sketch_unit(
    shelf: &Shelf,
    unit: &Unit,
    reading: Reading<'_>,
    mut take: impl FnMut(Words) -> Result<()>,
) -> Result<UnitCounts> {
    let mut counts = UnitCounts::default();
    read_unit(shelf, unit, reading, |head, words| {
        counts.documents += u64::from(head.documents);
        counts.positions += head.position_count;
        counts.bytes += head.byte_count;
        take(words)
    })?;
    Ok(counts)
}

/// The only block of a unit that could not be read: it says so.
pub(crate) fn lost_unit(unit: &Unit, reason: String, reading: Reading<'_>) -> Words {
    let mut builder = Builder::new(reading.method.layout());
    builder.push_damage(0, SkipReason::Other(reason), 1);
    let head = Head {
        file: unit.file,
        unit: unit.number,
        number: 0,
        documents: 0,
        position_count: 1,
        byte_count: 0,
        name_bytes: 0,
        other_bytes: 0,
        without_id: 0,
        without_source: 0,
        spooled: None,
    };
    builder.finish(head).1
}

fn blocks_of(reading: Reading<'_>, stored: impl Iterator<Item = Result<Words>>) -> Result<Blocks> {
    let (collector, _) = Collector::start(reading.work, |_| true)?;
    for words in stored {
        reading.progress.go_on()?;
        let words = words?;
        let head = Head::read(&words).ok_or(Error::DamagedTaskFile { file: "a file of the stage S1".to_owned() })?;
        collector.push(head, words)?;
    }
    let has_sums = reading.similarity.method().checksum().is_some_and(Checksum::is_shown);
    collector.finish(Shape { layout: reading.method.layout(), has_sums })
}

impl Corpus {
    /// The corpus of blocks that tasks have stored, in any order.
    pub(crate) fn of_stored(
        shelf: Shelf,
        input_files: usize,
        reading: Reading<'_>,
        stored: impl Iterator<Item = Result<Words>>,
    ) -> Result<Self> {
        reading.work.memory.check_files(shelf.files().len())?;
        let kinds = kinds_of(&shelf, reading.options);
        let blocks = blocks_of(reading, stored)?;
        let mut corpus = Self::of_blocks(shelf, input_files, (kinds, blocks, None), reading)?;
        corpus.pass_over(&reading)?;
        Ok(corpus)
    }

    /// The corpus of some units alone, read but not sketched, to write their documents.
    pub(crate) fn of_units(shelf: Shelf, input_files: usize, reading: Reading<'_>) -> Result<Self> {
        let read = super::read::read(&shelf, reading)?;
        Self::of_blocks(shelf, input_files, read, reading)
    }

    /// Notes that part of a file could not be read.
    pub(crate) fn note_lost(&mut self, file: u32) {
        self.others.note_lost(file);
    }

    /// The units in the order of the input, as far as they have blocks: their files, numbers, and first documents.
    pub(crate) fn unit_starts(&self) -> Vec<(u32, u32, u32)> {
        let mut starts: Vec<(u32, u32, u32)> = Vec::new();
        for block in 0..self.blocks.len() {
            let head = self.blocks.head(block);
            if starts.last().is_none_or(|(file, unit, _)| (*file, *unit) != (head.file, head.unit)) {
                starts.push((head.file, head.unit, self.blocks.first(block)));
            }
        }
        starts
    }
}

/// Stored data of a document of a unit.
pub(crate) struct StoredDocument {
    pub(crate) row: Row,
    pub(crate) group: Option<u64>,
    pub(crate) keys: Vec<u64>,
    pub(crate) sketch: Vec<u8>,
}

/// The documents of one unit, as they were stored.
pub(crate) fn documents_of_unit(
    reading: Reading<'_>,
    stored: impl Iterator<Item = Result<Words>>,
) -> Result<Vec<StoredDocument>> {
    let blocks = blocks_of(reading, stored)?;
    let layout = reading.method.layout();
    let mut documents: Vec<StoredDocument> = Vec::with_capacity(blocks.document_count());
    for block in 0..blocks.len() {
        let groups = blocks.others(block)?.groups;
        for (at, row) in blocks.rows(block)?.into_iter().enumerate() {
            let group = groups.get(at).map(|(group, _)| *group);
            documents.push(StoredDocument { row, group, keys: Vec::with_capacity(layout.keys), sketch: Vec::new() });
        }
    }
    let columns: Vec<usize> = (0..layout.keys).collect();
    let add = &mut |document: Document, keys: &[u64]| documents[document.0 as usize].keys.extend(keys);
    blocks.each_keys(&columns, add).map_err(Error::of_source)?;
    for (document, stored) in (0..).zip(&mut documents) {
        stored.sketch = blocks.bytes(Document(document)).map_err(Error::of_source)?.into_owned();
    }
    Ok(documents)
}

/// A document of a unit that is read again.
pub(crate) struct ReadAgain<'a> {
    pub(crate) text: &'a str,
    pub(crate) group: Option<u64>,
    pub(crate) origin: Origin<'a>,
}

/// Reads a unit again, and gives the documents with these numbers, which ascend, to `take`.
pub(crate) fn read_again(
    shelf: &Shelf,
    unit: &Unit,
    reading: Reading<'_>,
    wanted: &[u32],
    mut take: impl FnMut(u32, ReadAgain<'_>) -> Result<()>,
) -> Result<()> {
    let settings = &reading.options.settings;
    let wants_groups = !settings.fields.others.is_empty() || settings.fields.object.is_some();
    let file = &*shelf.files()[unit.file as usize].name;
    let mut parser = Parser::new(settings);
    let (mut next, mut left) = (0, wanted.iter().copied().peekable());
    let mut taken = Ok(());
    each_chunk(shelf, unit, reading.options, reading.progress, |chunk| {
        if left.peek().is_none() {
            return Ok(());
        }
        let is_one_document = chunk.kind().format.is_one_document();
        parser.entries(chunk, |Placed { entry, .. }| {
            let Entry::Document(document) = entry else { return };
            if taken.is_ok() && left.next_if_eq(&next).is_some() {
                let group = wants_groups.then(|| group_of(&document.others).0);
                let [uri, field] = [&document.uri, &document.source].map(Option::as_deref);
                let origin = Origin { file, is_one_document, uri, field };
                taken = take(next, ReadAgain { text: document.text, group, origin });
            }
            next += 1;
        });
        std::mem::replace(&mut taken, Ok(()))
    })?;
    match left.next() {
        None => Ok(()),
        Some(_) => Err(lookalike_io::Error::Changed { path: shelf.files()[unit.file as usize].shown() }.into()),
    }
}
