//! The sketches of many items: band keys to find candidates by, and a byte a slot to reject them by.

use crate::banding::Banding;

/// What is kept of each sketch, item after item. The slots themselves are not: eight times the bytes, for nothing.
#[derive(Debug)]
pub struct Sketches {
    banding: Banding,
    keys: Vec<u64>,
    low_bytes: Vec<u8>,
}

impl Sketches {
    /// An empty store for sketches of this banding.
    pub fn new(banding: Banding) -> Self {
        Self { banding, keys: Vec::new(), low_bytes: Vec::new() }
    }

    /// The banding of all sketches here.
    pub fn banding(&self) -> Banding {
        self.banding
    }

    /// Adds the next item's sketch; an item without features has none, and is a candidate of nothing.
    pub fn push(&mut self, sketch: Option<&[u64]>) {
        if let Some(sketch) = sketch {
            self.keys.extend(self.banding.keys(sketch));
            self.low_bytes.extend(sketch.iter().map(|slot| *slot as u8));
        } else {
            self.keys.resize(self.keys.len() + self.banding.bands(), 0);
            self.low_bytes.resize(self.low_bytes.len() + self.banding.slot_count(), 0);
        }
    }

    /// Gives back the room that growing took beyond what was needed.
    pub fn shrink_to_fit(&mut self) {
        self.keys.shrink_to_fit();
        self.low_bytes.shrink_to_fit();
    }

    /// All of `parts` one after the other. Each part is freed as soon as it is copied.
    pub fn concat(banding: Banding, parts: Vec<Self>) -> Self {
        let (keys, low_bytes): (Vec<_>, Vec<_>) = parts.into_iter().map(|part| (part.keys, part.low_bytes)).unzip();
        Self { banding, keys: concat(keys), low_bytes: concat(low_bytes) }
    }

    /// The key of one band of an item.
    #[inline]
    pub fn key(&self, item: u32, band: usize) -> u64 {
        self.keys[item as usize * self.banding.bands() + band]
    }

    /// In how many slots two items agree, or seem to: one in 256 of the others agrees in its low byte by chance.
    #[inline]
    pub fn agreeing(&self, left: u32, right: u32) -> usize {
        let slots = self.banding.slot_count();
        let bytes = |item: u32| &self.low_bytes[item as usize * slots..][..slots];
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
