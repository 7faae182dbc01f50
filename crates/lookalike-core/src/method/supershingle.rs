//! Super-shingles: minima in a few groups, of which two or more must be equal. 48 bytes per document. (Broder 1997;
//! Fetterly, Manasse, Najork 2003: 84 minima in 6 groups of 14)
//!
//! A group is a band of many rows. Only the key of each group is stored, so candidates are verified without a
//! preliminary test on slots.

use super::minhash::{BandSketcher, equal_bands};
use super::{Method, Sketched, Sketcher, Take};
use crate::bucket::banding::Banding;
use crate::join::Sets;
use crate::measure::similarity::Similarity;
use crate::sketch::{Layout, SlotKind};
use crate::sources::SourceError;

/// Finds items with equal super-shingles.
#[derive(Clone, Copy, Debug)]
pub struct SuperShingle {
    banding: Banding,
    slots: SlotKind,
}

impl SuperShingle {
    /// The default number of groups.
    pub const GROUPS: usize = 6;
    /// The default number of minima per group.
    pub const ROWS: usize = 14;
    /// The default number of groups that must be equal.
    pub const AGREEING: usize = 2;

    /// Creates the method with minima of this kind; the bands are the groups.
    pub fn new(banding: Banding, slots: SlotKind) -> Self {
        Self { banding, slots }
    }
}

impl Method for SuperShingle {
    fn layout(&self) -> Layout {
        Layout { keys: self.banding.bands(), bytes: 0 }
    }

    fn sketcher(&self) -> Box<dyn Sketcher> {
        let slots = self.slots.sketcher(self.banding.slot_count());
        Box::new(BandSketcher { slots, cutter: self.banding.cutter(), keys: Vec::new(), has_bytes: false })
    }

    fn candidates(&self, sketched: Sketched<'_>, take: Take<'_>) -> Result<Option<Sets>, SourceError> {
        equal_bands(self.banding, sketched, take)?;
        Ok(None)
    }

    fn recall_at(&self, similarity: Similarity) -> Option<f64> {
        Some(self.banding.recall_at(similarity))
    }
}
