//! Estimates the memory for a collection before it is joined.
//!
//! The constants were fitted to peaks reported by the kernel (100,000 and 400,000 sets of 10 elements, 20,000 of 100
//! and of 400; 10,000 of 100 with weights), and are 10 to 30 % above these.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::link::with_commas;
use crate::options::Finding;
use crate::progress::Progress;
use crate::resources::memory::Memory;
use crate::sets::SetsOptions;
use crate::sets::find::{Around, Finder};

/// Memory of the program itself and of its threads' buffers.
const BASE: u64 = 44 << 20;

/// Minimum memory per element while sets are read.
const READ: u64 = 16;

/// Memory per element while sets are joined: its feature, its tokens, and their index.
const JOINED: u64 = 40;

/// The same for a search from each set.
const AROUND: u64 = 92;

/// The same with weights.
const WEIGHTED: u64 = 132;

/// Memory per set.
const SET: u64 = 100;

/// Other advice.
const ADVICE: &str = "compare a part of them";

/// Maximum number of steps of all searches: about eight minutes of one processor.
pub(super) const MOST_STEPS: u64 = 100_000_000_000;

/// Number of sets searched to estimate the total.
const ASKED: usize = 32;

/// The size of a collection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Need {
    pub(super) sets: u64,
    pub(super) elements: u64,
    pub(super) id_bytes: u64,
}

impl Need {
    pub(super) fn and(self, other: Self) -> Self {
        let (sets, elements) = (self.sets + other.sets, self.elements + other.elements);
        Self { sets, elements, id_bytes: self.id_bytes + other.id_bytes }
    }

    /// Returns an error if the part that was read, this share of all, takes all memory by itself.
    pub(super) fn check_held(self, share: f64, memory: Memory) -> Result<()> {
        if BASE + self.elements * READ + self.id_bytes <= memory.bytes() {
            return Ok(());
        }
        let whole = |part: u64| (part as f64 / share) as u64;
        let all = Self { sets: whole(self.sets), elements: whole(self.elements), id_bytes: whole(self.id_bytes) };
        Err(all.too_much(all.needed(JOINED), memory))
    }

    /// Returns an error if the collection would not fit, and otherwise the bytes left for pairs.
    pub(super) fn check(self, options: &SetsOptions) -> Result<u64> {
        let is_joined = options.top.is_none() || matches!(options.finding, Finding::Sketched { .. });
        let needed = self.needed(match (options.has_weights(), is_joined) {
            (true, _) => WEIGHTED,
            (false, true) => JOINED,
            (false, false) => AROUND,
        });
        let memory = options.resources.memory;
        if needed > memory.bytes() { Err(self.too_much(needed, memory)) } else { Ok(memory.bytes() - needed) }
    }

    /// True if a search from each set is possible.
    pub(super) fn fits_around(self, memory: Memory) -> bool {
        self.needed(AROUND) <= memory.bytes()
    }

    fn needed(self, element: u64) -> u64 {
        BASE + self.elements * element + self.sets * SET + 2 * self.id_bytes
    }

    fn too_much(self, needed: u64, memory: Memory) -> Error {
        let (count, bytes) = (with_commas(self.sets), memory.bytes());
        Error::MemoryTooSmallForTables { job: "sets", count, what: "sets", bytes, needed, advice: ADVICE }
    }
}

/// The error for more pairs than fit.
pub(super) fn too_many_pairs(memory: Memory) -> Error {
    let bytes = memory.bytes();
    let advice = "ask for a higher threshold, or for the nearest few of each set";
    Error::MemoryTooSmallForPairs { job: "sets", bytes, needed: 2 * bytes, advice }
}

/// Returns an error if most sets share elements with most others, so that searching would take quadratic time.
/// Estimated from a few sets at even distances.
pub(super) fn estimate_steps(around: &Around<'_>, sets: Range<u32>, progress: &dyn Progress) -> Result<()> {
    let mut seeker = around.seeker();
    let mut near = Vec::new();
    let count = sets.len();
    let distance = count.div_ceil(ASKED).max(1);
    let mut asked = 0;
    for set in sets.step_by(distance) {
        progress.go_on()?;
        around.near(set, &mut seeker, &mut near);
        asked += 1;
    }
    check_steps(count, seeker.steps() / asked.max(1) * count as u64, MOST_STEPS)
}

/// Returns an error for more than the maximum number of steps.
pub(super) fn check_steps(sets: usize, steps: u64, most: u64) -> Result<()> {
    if steps <= most { Ok(()) } else { Err(Error::SetsTooDense { sets: sets as u64, steps }) }
}
