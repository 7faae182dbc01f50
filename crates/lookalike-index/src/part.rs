//! A group of documents that were written together, in memory or on disk, with the same interface.

use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::block::Block;
use crate::error::Result;
use crate::row::{Entry, Row};
use crate::segment::Segment;

/// Storage of a part.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Memory(Arc<Block>),
    /// A segment with the number of its file, and the number of its bitmap of deleted rows if that is unchanged.
    Disk {
        segment: Arc<Segment>,
        number: u32,
        bitmap: Option<u32>,
    },
}

/// A part and its deleted rows.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) part: Part,
    pub(crate) deleted: Arc<RoaringBitmap>,
}

impl Held {
    pub(crate) fn memory(block: Block) -> Self {
        Self { part: Part::Memory(Arc::new(block)), deleted: Arc::default() }
    }

    pub(crate) fn rows(&self) -> u32 {
        match &self.part {
            Part::Memory(block) => block.len(),
            Part::Disk { segment, .. } => segment.len(),
        }
    }

    pub(crate) fn live_count(&self) -> u64 {
        u64::from(self.rows()) - self.deleted.len()
    }

    pub(crate) fn live_rows(&self) -> impl Iterator<Item = u32> {
        (0..self.rows()).filter(|row| !self.deleted.contains(*row))
    }

    pub(crate) fn block(&self) -> Option<&Arc<Block>> {
        match &self.part {
            Part::Memory(block) => Some(block),
            Part::Disk { .. } => None,
        }
    }

    /// Passes the rows with a key to `each`, in order, including deleted ones.
    pub(crate) fn bucket(&self, column: usize, key: u64, each: impl FnMut(u32)) -> Result<()> {
        match &self.part {
            Part::Memory(block) => {
                block.bucket(column, key, each);
                Ok(())
            }
            Part::Disk { segment, .. } => segment.bucket(column, key, each),
        }
    }

    /// Passes the rows of many sorted keys, each with the number of its key.
    pub(crate) fn buckets(&self, column: usize, keys: &[(Entry, u32)], mut each: impl FnMut(u32, u32)) -> Result<()> {
        match &self.part {
            Part::Memory(block) => {
                keys.iter().for_each(|(key, number)| block.bucket(column, *key, |row| each(*number, row)));
                Ok(())
            }
            Part::Disk { segment, .. } => segment.buckets(column, keys, each),
        }
    }

    /// Number of pages of a column on disk.
    pub(crate) fn page_count(&self, column: usize) -> usize {
        match &self.part {
            Part::Memory(_) => 0,
            Part::Disk { segment, .. } => segment.page_count(column),
        }
    }

    pub(crate) fn row(&self, row: u32) -> Result<Row> {
        match &self.part {
            Part::Memory(block) => Ok(*block.row(row)),
            Part::Disk { segment, .. } => segment.row(row),
        }
    }

    /// Passes the sketches of rows to `each`, in order.
    pub(crate) fn each_sketch(&self, rows: impl Iterator<Item = u32>, mut each: impl FnMut(u32, &[u8])) -> Result<()> {
        match &self.part {
            Part::Memory(block) => {
                rows.for_each(|row| each(row, block.sketch(row)));
                Ok(())
            }
            Part::Disk { segment, .. } => segment.each_sketch(rows, each),
        }
    }

    /// Passes rows to `each`, in order.
    pub(crate) fn each_row(&self, rows: impl Iterator<Item = u32>, mut each: impl FnMut(u32, Row)) -> Result<()> {
        match &self.part {
            Part::Memory(block) => {
                rows.for_each(|row| each(row, *block.row(row)));
                Ok(())
            }
            Part::Disk { segment, .. } => segment.each_row(rows, each),
        }
    }

    /// The last row of a deleted document, by the hash of its id and a comparison of the id itself.
    pub(crate) fn find_deleted(
        &self,
        ids: usize,
        id_hash: u64,
        mut is_it: impl FnMut(&Row) -> Result<bool>,
    ) -> Result<Option<Row>> {
        let mut rows = Vec::new();
        self.bucket(ids, id_hash, |row| {
            if self.deleted.contains(row) {
                rows.push(row);
            }
        })?;
        for row in rows.into_iter().rev() {
            let found = self.row(row)?;
            if found.id_hash == id_hash && is_it(&found)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The row of a document that is not deleted, by the hash of its id and a comparison of the id itself.
    pub(crate) fn find(
        &self,
        ids: usize,
        id_hash: u64,
        mut is_it: impl FnMut(&Row) -> Result<bool>,
    ) -> Result<Option<(u32, Row)>> {
        let mut rows = Vec::new();
        self.bucket(ids, id_hash, |row| {
            if !self.deleted.contains(row) {
                rows.push(row);
            }
        })?;
        for row in rows {
            let found = self.row(row)?;
            if found.id_hash == id_hash && is_it(&found)? {
                return Ok(Some((row, found)));
            }
        }
        Ok(None)
    }
}
