//! S1: a unit of the input to its blocks, one row each.

use lookalike_io::stored::{Columns, Kind, TableReader, Values};

use super::files::{Outputs, TaskRow, damaged};
use super::plan::Tasks;
use super::stage::TaskStage;
use super::{ATTEMPTS, Context};
use crate::corpus::Kept;
use crate::corpus::staged::{UnitCounts, Words, lost_unit, sketch_unit};
use crate::error::{Error, Result};

const COLUMNS: Columns<'_> = &[("number", Kind::Whole), ("block", Kind::Bytes)];

/// Bytes of blocks in a row group.
const GROUP_BYTES: usize = 16 << 20;

/// Reads and sketches a unit. One that cannot be read is skipped after some attempts.
pub(super) fn sketch(context: &Context<'_>, unit: usize, attempt: u32) -> Result<TaskRow> {
    let mut outputs = Outputs::new(context.tasks, TaskStage::Sketch, unit, attempt);
    let mut lost = None;
    for _ in 0..ATTEMPTS {
        match write(context, &mut outputs, unit, None) {
            Err(error) if is_of_input(&error) => lost = Some(error.to_string()),
            counts => {
                note(&mut outputs, counts?);
                return Ok(outputs.finish());
            }
        }
    }
    let reason = lost.unwrap_or_default();
    let counts = write(context, &mut outputs, unit, Some(reason.clone()))?;
    note(&mut outputs, counts);
    outputs.note("skipped", reason);
    Ok(outputs.finish())
}

/// Reads and sketches a unit, and gives its blocks to `take`.
pub(super) fn read(context: &Context<'_>, unit: usize, take: impl FnMut(Words) -> Result<()>) -> Result<UnitCounts> {
    let unit = &context.tasks.units()[unit];
    sketch_unit(context.shelf(), unit, context.reading(Kept::Sketches, None), take)
}

/// True if the error is that the input cannot be read.
fn is_of_input(error: &Error) -> bool {
    use lookalike_io::Error as Io;
    matches!(error, Error::Io(Io::Unreadable { .. } | Io::Remote { .. } | Io::Changed { .. }))
}

fn note(outputs: &mut Outputs<'_>, counts: UnitCounts) {
    let UnitCounts { documents, positions, bytes } = counts;
    for (name, count) in [("documents", documents), ("positions", positions), ("input_bytes", bytes)] {
        outputs.note(name, count);
    }
}

/// Writes the blocks of a unit, or the one that says why there are none.
fn write(context: &Context<'_>, outputs: &mut Outputs<'_>, unit: usize, lost: Option<String>) -> Result<UnitCounts> {
    outputs.table(".parquet", COLUMNS, |writer| {
        let (mut waiting, mut waiting_bytes, mut count) = (Vec::new(), 0, 0);
        let mut flush = |waiting: &mut Vec<Vec<u8>>| -> Result<()> {
            let numbers = (count..).take(waiting.len()).collect();
            count += waiting.len() as i64;
            Ok(writer.write(&[Values::Whole(numbers), Values::Bytes(std::mem::take(waiting))])?)
        };
        let mut push = |words: Words| -> Result<()> {
            waiting.push(words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
            waiting_bytes += words.len() * size_of::<u64>();
            if waiting_bytes < GROUP_BYTES {
                return Ok(());
            }
            waiting_bytes = 0;
            flush(&mut waiting)
        };
        let counts = if let Some(reason) = lost {
            let unit = &context.tasks.units()[unit];
            push(lost_unit(unit, reason, context.reading(Kept::Sketches, None)))?;
            UnitCounts { positions: 1, ..UnitCounts::default() }
        } else {
            read(context, unit, push)?
        };
        flush(&mut waiting)?;
        Ok(counts)
    })
}

/// The blocks that a task of S1 has stored, in order.
pub(super) struct Stored {
    table: Option<Result<TableReader>>,
    group: usize,
    waiting: std::vec::IntoIter<Vec<u8>>,
}

impl Stored {
    pub(super) fn of(tasks: &Tasks, row: &TaskRow) -> Self {
        Self { table: Some(tasks.open_table(row, 0, COLUMNS)), group: 0, waiting: Vec::new().into_iter() }
    }
}

impl Iterator for Stored {
    type Item = Result<Words>;

    fn next(&mut self) -> Option<Result<Words>> {
        loop {
            if let Some(bytes) = self.waiting.next() {
                let (words, rest) = bytes.as_chunks();
                let is_whole = rest.is_empty();
                let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
                return Some(if is_whole { Ok(words) } else { Err(damaged("a block of S1")) });
            }
            match self.table.take()? {
                Err(error) => return Some(Err(error)),
                Ok(table) if self.group == table.group_count() => return None,
                Ok(table) => {
                    match table.read(self.group) {
                        Ok(mut columns) => self.waiting = columns.remove(1).into_bytes().into_iter(),
                        Err(error) => return Some(Err(error.into())),
                    }
                    self.group += 1;
                    self.table = Some(Ok(table));
                }
            }
        }
    }
}
