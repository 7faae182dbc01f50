//! S6: reads a unit again, and writes the texts that share a bucket with another: for each batch in row groups of its
//! own.

use std::collections::BTreeMap;

use lookalike_core::text::content::ContentHasher;
use lookalike_io::stored::{Columns, Kind, TableWriter, Values};
use serde_json::json;

use super::Context;
use super::families::{Assigned, assigned};
use super::files::{Outputs, TaskRow};
use super::sketch::Stored;
use super::stage::TaskStage;
use crate::corpus::staged::{StoredDocument, documents_of_unit, read_again};
use crate::corpus::{Ignoring, Kept};
use crate::error::{Error, Result};

/// A text with what is stored about it. A group or source that is not there is an empty byte string.
pub(super) const GATHERED: Columns<'_> = &[
    ("rank", Kind::Whole),
    ("token_count", Kind::Whole),
    ("size", Kind::Whole),
    ("group", Kind::Bytes),
    ("source", Kind::Bytes),
    ("keys", Kind::Bytes),
    ("sketch", Kind::Bytes),
    ("text", Kind::Bytes),
];

/// Bytes of texts that wait to be written: beyond, each batch so far gets a row group, and may get another one later.
const WAITING_BYTES: usize = 64 << 20;

/// Gathers the texts of a unit.
pub(super) fn gather(context: &Context<'_>, unit: usize, attempt: u32) -> Result<TaskRow> {
    let mut outputs = Outputs::new(context.tasks, TaskStage::Gather, unit, attempt);
    let assigned = assigned(context, unit)?;
    if assigned.is_empty() {
        return Ok(outputs.finish());
    }
    let row = context.tasks.row(TaskStage::Sketch, unit)?;
    let documents = documents_of_unit(context.reading(Kept::Sketches, None), Stored::of(context.tasks, &row))?;
    let groups = outputs.table(".parquet", GATHERED, |writer| {
        let mut gathering = Gathering { writer, waiting: BTreeMap::new(), waiting_bytes: 0, groups: Vec::new() };
        write(context, unit, &assigned, &documents, &mut gathering)?;
        gathering.flush()?;
        Ok(gathering.groups)
    })?;
    outputs.note("groups", json!(groups));
    outputs.note("documents", assigned.len());
    Ok(outputs.finish())
}

fn write(
    context: &Context<'_>,
    unit: usize,
    assigned: &[Assigned],
    documents: &[StoredDocument],
    gathering: &mut Gathering<'_>,
) -> Result<()> {
    let unit = &context.tasks.units()[unit];
    let changed = || {
        let path = context.shelf().files()[unit.file as usize].shown();
        Error::from(lookalike_io::Error::Changed { path })
    };
    let ordinals: Vec<u32> = assigned.iter().map(|assigned| assigned.ordinal).collect();
    let ignoring = Ignoring::of(context.scheme);
    let mut content = ContentHasher::keyed(context.work.key());
    let mut left = assigned.iter();
    read_again(context.shelf(), unit, context.reading(Kept::Sketches, None), &ordinals, |ordinal, read| {
        let stored = documents.get(ordinal as usize).ok_or_else(changed)?;
        let assigned = left.next().filter(|_| content.hash(read.text) == stored.row.content_hash);
        let Assigned { batch, rank, .. } = *assigned.ok_or_else(changed)?;
        let source = ignoring.as_ref().and_then(|ignoring| ignoring.source(read.origin)).unwrap_or_default();
        gathering.push(batch, rank, stored, source, read.text)
    })
}

/// Texts by batch, until they are written.
struct Gathering<'w> {
    writer: &'w mut TableWriter,
    waiting: BTreeMap<u32, Rows>,
    waiting_bytes: usize,
    /// The batch of each row group.
    groups: Vec<(u32, usize)>,
}

/// The columns of a row group.
#[derive(Default)]
struct Rows {
    numbers: [Vec<i64>; 3],
    bytes: [Vec<Vec<u8>>; 5],
}

impl Gathering<'_> {
    fn push(&mut self, batch: u32, rank: u32, stored: &StoredDocument, source: &str, text: &str) -> Result<()> {
        let rows = self.waiting.entry(batch).or_default();
        let numbers = [rank, stored.row.token_count, stored.row.size];
        rows.numbers.iter_mut().zip(numbers).for_each(|(column, number)| column.push(i64::from(number)));
        let group = stored.group.map_or_else(Vec::new, |group| group.to_le_bytes().to_vec());
        let keys = stored.keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        let bytes = [group, source.as_bytes().to_vec(), keys, stored.sketch.clone(), text.as_bytes().to_vec()];
        rows.bytes.iter_mut().zip(bytes).for_each(|(column, bytes)| column.push(bytes));
        self.waiting_bytes += text.len();
        if self.waiting_bytes < WAITING_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        self.waiting_bytes = 0;
        for (batch, Rows { numbers, bytes }) in std::mem::take(&mut self.waiting) {
            self.groups.push((batch, self.writer.group_count()));
            let columns = numbers.into_iter().map(Values::Whole).chain(bytes.into_iter().map(Values::Bytes));
            self.writer.write(&columns.collect::<Vec<Values>>())?;
        }
        Ok(())
    }
}
