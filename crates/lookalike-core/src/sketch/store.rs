//! The sketches of many items: keys for finding candidates, and bytes for rejecting them.

use std::borrow::Cow;

use crate::ids::{Document, Number};
use crate::sources::{SketchSource, SourceError};

/// The data stored of a sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Keys per item: those of its bands, or its bits.
    pub keys: usize,
    /// Bytes per item, one per slot.
    pub bytes: usize,
}

impl Layout {
    /// Bytes of memory per item.
    pub fn byte_count(self) -> usize {
        self.keys * size_of::<u64>() + self.bytes
    }
}

/// The stored data of sketches, item by item.
#[derive(Debug, Default)]
pub struct Sketches {
    layout: Layout,
    keys: Vec<u64>,
    bytes: Vec<u8>,
}

impl Sketches {
    /// An empty store for sketches of this layout.
    pub fn new(layout: Layout) -> Self {
        Self { layout, keys: Vec::new(), bytes: Vec::new() }
    }

    /// Adds the next item's keys and bytes, in the numbers given by the layout.
    pub fn push(&mut self, keys: impl IntoIterator<Item = u64>, bytes: impl IntoIterator<Item = u8>) {
        let before = (self.keys.len(), self.bytes.len());
        self.keys.extend(keys);
        self.bytes.extend(bytes);
        debug_assert_eq!(self.keys.len() - before.0, self.layout.keys, "all keys, and no more");
        debug_assert_eq!(self.bytes.len() - before.1, self.layout.bytes, "all bytes, and no more");
    }

    /// Adds an item without a sketch, which is never read.
    pub fn push_none(&mut self) {
        self.keys.resize(self.keys.len() + self.layout.keys, 0);
        self.bytes.resize(self.bytes.len() + self.layout.bytes, 0);
    }

    /// Adds the items of `others`, which have the same layout.
    pub fn append(&mut self, mut others: Self) {
        debug_assert_eq!(self.layout, others.layout, "sketches of one layout");
        self.keys.append(&mut others.keys);
        self.bytes.append(&mut others.bytes);
    }

    /// Removes all items, but keeps the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.bytes.clear();
    }

    /// All keys, item by item.
    pub fn all_keys(&self) -> &[u64] {
        &self.keys
    }

    /// All bytes, item by item.
    pub fn all_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The keys of an item.
    #[inline]
    pub fn keys(&self, item: u32) -> &[u64] {
        &self.keys[item as usize * self.layout.keys..][..self.layout.keys]
    }
}

impl SketchSource for Sketches {
    fn each_keys(&self, columns: &[usize], each: &mut dyn FnMut(Document, &[u64])) -> Result<(), SourceError> {
        let mut wanted = vec![0; columns.len()];
        for (item, keys) in (0..).zip(self.keys.chunks_exact(self.layout.keys.max(1))) {
            wanted.iter_mut().zip(columns).for_each(|(key, column)| *key = keys[*column]);
            each(Document(item), &wanted);
        }
        Ok(())
    }

    fn each_bytes(&self, each: &mut dyn FnMut(Document, &[u8])) -> Result<(), SourceError> {
        (0..)
            .zip(self.bytes.chunks_exact(self.layout.bytes.max(1)))
            .for_each(|(item, bytes)| each(Document(item), bytes));
        Ok(())
    }

    fn bytes(&self, document: Document) -> Result<Cow<'_, [u8]>, SourceError> {
        let slots = self.layout.bytes;
        Ok(Cow::Borrowed(&self.bytes[document.index() * slots..][..slots]))
    }
}

/// Joins all parts into one vector, freeing each after it is copied.
pub fn concat<T: Copy>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for part in parts {
        all.extend_from_slice(&part);
    }
    all
}
