//! Documents that are not yet in a segment: the same columns, in memory. A block is immutable; two are joined to make a
//! larger one.

use roaring::RoaringBitmap;

use crate::row::{Entry, ROW_BYTES, Row, entry, has_key_of, least_entry, row_of, with_row};

/// Layout of the sketches and columns of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Number of columns for candidate lookup.
    pub(crate) columns: usize,
    /// Bytes per sketch.
    pub(crate) sketch_bytes: usize,
    /// Number of columns that have filters on disk: the first ones.
    pub(crate) filtered: usize,
}

impl Shape {
    /// The column of hashed ids.
    pub(crate) fn ids(self) -> usize {
        self.columns
    }

    /// The column of texts, keyed by the hashes of their words.
    pub(crate) fn copies(self) -> usize {
        self.columns + 1
    }

    /// Number of all columns.
    pub(crate) fn all(self) -> usize {
        self.columns + 2
    }
}

/// Documents in memory.
#[derive(Debug)]
pub(crate) struct Block {
    shape: Shape,
    /// Each sorted.
    columns: Vec<Vec<Entry>>,
    rows: Vec<Row>,
    sketches: Vec<u8>,
}

/// Builds a block from documents, one at a time.
#[derive(Debug)]
pub(crate) struct BlockBuilder(Block);

impl BlockBuilder {
    pub(crate) fn new(shape: Shape) -> Self {
        let columns = vec![Vec::new(); shape.all()];
        Self(Block { shape, columns, rows: Vec::new(), sketches: Vec::new() })
    }

    /// Adds a document with its keys per column and its sketch.
    pub(crate) fn push(&mut self, row: Row, keys: impl IntoIterator<Item = (usize, u64)>, sketch: &[u8]) {
        let Self(Block { shape, columns, rows, sketches }) = self;
        debug_assert_eq!(sketch.len(), shape.sketch_bytes, "sketches of one layout");
        let number = rows.len() as u32;
        for (column, key) in keys {
            columns[column].push(entry(key, number));
        }
        columns[shape.ids()].push(entry(row.id_hash, number));
        columns[shape.copies()].push(entry((row.text_hash >> 64) as u64, number));
        rows.push(row);
        sketches.extend_from_slice(sketch);
    }

    pub(crate) fn finish(mut self) -> Block {
        use rayon::prelude::*;
        let sort = |column: &mut Vec<Entry>| {
            column.sort_unstable();
            column.dedup();
        };
        if self.0.rows.len() < 256 {
            self.0.columns.iter_mut().for_each(sort);
        } else {
            self.0.columns.par_iter_mut().for_each(sort);
        }
        self.0
    }
}

impl Block {
    pub(crate) fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    pub(crate) fn byte_count(&self) -> usize {
        let entries: usize = self.columns.iter().map(Vec::len).sum();
        entries * size_of::<Entry>() + self.rows.len() * ROW_BYTES + self.sketches.len()
    }

    pub(crate) fn column(&self, column: usize) -> &[Entry] {
        &self.columns[column]
    }

    pub(crate) fn row(&self, row: u32) -> &Row {
        &self.rows[row as usize]
    }

    pub(crate) fn sketch(&self, row: u32) -> &[u8] {
        let bytes = self.shape.sketch_bytes;
        &self.sketches[row as usize * bytes..][..bytes]
    }

    /// Passes the rows with a key to `each`, in order.
    pub(crate) fn bucket(&self, column: usize, key: u64, mut each: impl FnMut(u32)) {
        let least = least_entry(key);
        let column = &self.columns[column];
        let from = column.partition_point(|entry| *entry < least);
        column[from..].iter().take_while(|entry| has_key_of(**entry, least)).for_each(|entry| each(row_of(*entry)));
    }

    /// Joins several blocks into one, in order, without the deleted rows.
    pub(crate) fn join(blocks: &[(&Self, &RoaringBitmap)]) -> Self {
        use rayon::prelude::*;
        let shape = blocks[0].0.shape;
        let mut base = 0;
        let mut maps = Vec::new();
        for (block, deleted) in blocks {
            let map = NewRows::new(block.len(), deleted, base);
            base = map.end();
            maps.push(map);
        }
        let joined = |column: usize| {
            let mut entries: Vec<Entry> =
                Vec::with_capacity(blocks.iter().map(|(block, _)| block.columns[column].len()).sum());
            for ((block, _), map) in blocks.iter().zip(&maps) {
                let new = |entry: &Entry| map.of(row_of(*entry)).map(|row| with_row(*entry, row));
                entries.extend(block.columns[column].iter().filter_map(new));
            }
            entries.sort_unstable();
            entries
        };
        let columns = if base < 1024 {
            (0..shape.all()).map(joined).collect()
        } else {
            (0..shape.all()).into_par_iter().map(joined).collect()
        };
        let mut block = Self { shape, columns, rows: Vec::with_capacity(base as usize), sketches: Vec::new() };
        block.sketches.reserve(base as usize * shape.sketch_bytes);
        for ((from, _), map) in blocks.iter().zip(&maps) {
            for row in (0..from.len()).filter(|row| map.of(*row).is_some()) {
                block.rows.push(*from.row(row));
                block.sketches.extend_from_slice(from.sketch(row));
            }
        }
        block
    }
}

/// The numbers of rows after the deleted ones have been left out.
#[derive(Debug)]
pub(crate) struct NewRows {
    base: u32,
    rows: u32,
    /// One bit per remaining row, in words, and the number of remaining rows before each word. Empty if no row was
    /// deleted.
    words: Vec<(u64, u32)>,
    left: u32,
}

impl NewRows {
    /// Numbers the remaining of `rows` rows, starting at `base`.
    pub(crate) fn new(rows: u32, deleted: &RoaringBitmap, base: u32) -> Self {
        if deleted.is_empty() {
            return Self { base, rows, words: Vec::new(), left: rows };
        }
        let mut words = vec![(u64::MAX, 0_u32); (rows as usize).div_ceil(64)];
        for row in deleted {
            words[row as usize / 64].0 &= !(1 << (row % 64));
        }
        if let (Some(last), rest @ 1..) = (words.last_mut(), rows % 64) {
            last.0 &= (1 << rest) - 1;
        }
        let mut left = 0;
        for (word, before) in &mut words {
            *before = left;
            left += word.count_ones();
        }
        Self { base, rows, words, left }
    }

    /// The new number of a row, if it remains.
    #[inline]
    pub(crate) fn of(&self, row: u32) -> Option<u32> {
        let Some((word, before)) = self.words.get(row as usize / 64) else { return Some(self.base + row) };
        let bit = 1_u64 << (row % 64);
        (word & bit != 0).then(|| self.base + before + (word & (bit - 1)).count_ones())
    }

    /// The number after the last one.
    pub(crate) fn end(&self) -> u32 {
        self.base + self.left
    }

    /// Number of rows before deletion.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_left_are_numbered_without_gaps() {
        let deleted: RoaringBitmap = [0, 3, 64, 65, 129].into();
        let map = NewRows::new(130, &deleted, 1000);
        let left: Vec<u32> = (0..130).filter(|row| !deleted.contains(*row)).collect();
        for (at, row) in left.iter().enumerate() {
            assert_eq!(map.of(*row), Some(1000 + at as u32));
        }
        assert!(deleted.iter().all(|row| map.of(row).is_none()));
        assert_eq!(map.end(), 1000 + left.len() as u32);
        assert_eq!(NewRows::new(5, &RoaringBitmap::new(), 7).of(4), Some(11));
    }

    #[test]
    fn joined_blocks_find_what_each_found() {
        let shape = Shape { columns: 1, sketch_bytes: 1, filtered: 0 };
        let block = |keys: &[u64]| {
            let mut builder = BlockBuilder::new(shape);
            for key in keys {
                let row = Row { size: (*key >> 30) as u32, ..Row::default() };
                builder.push(row, [(0, *key)], &[(*key >> 30) as u8]);
            }
            builder.finish()
        };
        let [one, other] = [block(&[5 << 30, 1 << 30, 5 << 30]), block(&[9 << 30, 5 << 30])];
        let joined = Block::join(&[(&one, &[2].into()), (&other, &RoaringBitmap::new())]);
        let mut found = Vec::new();
        joined.bucket(0, 5 << 30, |row| found.push((row, joined.row(row).size, joined.sketch(row)[0])));
        assert_eq!(found, [(0, 5, 5), (3, 5, 5)]);
    }
}
