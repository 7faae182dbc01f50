//! What a collection will need in memory, told before it is joined.
//!
//! The numbers were fitted to peaks as the kernel counts them (100,000 and 400,000 sets of 10 elements, 20,000 of 100 and of
//! 400; 10,000 of 100 with weights), and are 10 to 30 % above these.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::link::with_commas;
use crate::options::Finding;
use crate::progress::Progress;
use crate::resources::memory::Memory;
use crate::sets::SetsOptions;
use crate::sets::find::{Around, Finder};

/// The program itself, and buffers of its threads.
const BASE: u64 = 44 << 20;

/// What an element of a set takes at least, while sets are read.
const READ: u64 = 16;

/// What an element takes while sets are joined: its feature, its tokens, and where they are found.
const JOINED: u64 = 36;

/// The same where each set looks around by itself.
const AROUND: u64 = 88;

/// The same with weights.
const WEIGHTED: u64 = 128;

/// What a set takes.
const SET: u64 = 100;

/// What else would help.
const ADVICE: &str = "compare a part of them";

/// How many steps all sets may take to look around: about eight minutes of one processor.
pub(super) const MOST_STEPS: u64 = 100_000_000_000;

/// How many sets are asked, to say how long all will take.
const ASKED: usize = 32;

/// What is known of sets.
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

    /// Refuses to read on when what was read, this share of all, takes all memory by itself.
    pub(super) fn check_held(self, share: f64, memory: Memory) -> Result<()> {
        if BASE + self.elements * READ + self.id_bytes <= memory.bytes() {
            return Ok(());
        }
        let whole = |part: u64| (part as f64 / share) as u64;
        let all = Self { sets: whole(self.sets), elements: whole(self.elements), id_bytes: whole(self.id_bytes) };
        Err(all.too_much(all.needed(JOINED), memory))
    }

    /// Refuses what would not fit. Says how many bytes there are for pairs.
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

    /// Whether each set could look around by itself.
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

/// More pairs than there is room for.
pub(super) fn too_many_pairs(memory: Memory) -> Error {
    let bytes = memory.bytes();
    let advice = "ask for a higher threshold, or for the nearest few of each set";
    Error::MemoryTooSmallForPairs { job: "sets", bytes, needed: 2 * bytes, advice }
}

/// Refuses sets of which each shares elements with most others, so that looking around would take the square of their number.
/// A few sets, at even distances, are asked what it takes.
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

/// Refuses more steps than these.
pub(super) fn check_steps(sets: usize, steps: u64, most: u64) -> Result<()> {
    if steps <= most { Ok(()) } else { Err(Error::SetsTooDense { sets: sets as u64, steps }) }
}
