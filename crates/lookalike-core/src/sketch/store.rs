//! The sketches of many items: keys to find candidates by, and bytes to reject them by.

/// What is kept of a sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Keys of an item: of its bands, or its bits.
    pub keys: usize,
    /// Bytes of an item, one a slot.
    pub bytes: usize,
}

impl Layout {
    /// How much memory an item takes.
    pub fn byte_count(self) -> usize {
        self.keys * size_of::<u64>() + self.bytes
    }
}

/// What is kept of each sketch, item after item.
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

    /// Adds the next item's keys and bytes: as many as the layout says.
    pub fn push(&mut self, keys: impl IntoIterator<Item = u64>, bytes: impl IntoIterator<Item = u8>) {
        let before = (self.keys.len(), self.bytes.len());
        self.keys.extend(keys);
        self.bytes.extend(bytes);
        debug_assert_eq!(self.keys.len() - before.0, self.layout.keys, "all keys, and no more");
        debug_assert_eq!(self.bytes.len() - before.1, self.layout.bytes, "all bytes, and no more");
    }

    /// Adds an item that has no sketch, and is never asked for.
    pub fn push_none(&mut self) {
        self.keys.resize(self.keys.len() + self.layout.keys, 0);
        self.bytes.resize(self.bytes.len() + self.layout.bytes, 0);
    }

    /// Gives back the room that growing took beyond what was needed.
    pub fn shrink_to_fit(&mut self) {
        self.keys.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }

    /// All of `parts` one after the other. Each part is freed as soon as it is copied.
    pub fn concat(layout: Layout, parts: Vec<Self>) -> Self {
        let (keys, bytes): (Vec<_>, Vec<_>) = parts.into_iter().map(|part| (part.keys, part.bytes)).unzip();
        Self { layout, keys: concat(keys), bytes: concat(bytes) }
    }

    /// The keys of an item.
    #[inline]
    pub fn keys(&self, item: u32) -> &[u64] {
        &self.keys[item as usize * self.layout.keys..][..self.layout.keys]
    }

    /// One key of an item.
    #[inline]
    pub fn key(&self, item: u32, at: usize) -> u64 {
        self.keys[item as usize * self.layout.keys + at]
    }

    /// In how many slots two items agree, or seem to: one in 256 of the others agrees in its low byte by chance.
    #[inline]
    pub fn agreeing(&self, left: u32, right: u32) -> usize {
        let slots = self.layout.bytes;
        let bytes = |item: u32| &self.bytes[item as usize * slots..][..slots];
        bytes(left).iter().zip(bytes(right)).map(|(left, right)| usize::from(left == right)).sum()
    }
}

/// One vector of all parts, freeing each when it is copied.
pub fn concat<T: Copy>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for part in parts {
        all.extend_from_slice(&part);
    }
    all
}
