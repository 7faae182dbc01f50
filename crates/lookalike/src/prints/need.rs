//! What prints will need in memory, told before they are compared.

use super::roll::Roll;
use crate::error::{Error, Result};
use crate::link::with_commas;
use crate::resources::memory::Memory;

/// The program itself, and buffers of its threads.
const BASE: u64 = 24 << 20;

/// What a minutia takes while prints are compared: itself, the cells of its surroundings, and its triangles while they are
/// sorted.
const MINUTIA: u64 = 1500;

/// What else would help.
const ADVICE: &str = "compare a part of them";

/// Refuses prints that would not fit.
pub(super) fn check(roll: &Roll, memory: Memory) -> Result<()> {
    let minutiae = roll.prints.iter().map(|print| print.minutiae.len() as u64).sum();
    let needed = needed(minutiae);
    if needed <= memory.bytes() { Ok(()) } else { Err(too_much("minutiae", minutiae, needed, memory)) }
}

/// A table of which so much was read before the memory was full.
pub(super) struct TableNeed {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

impl TableNeed {
    /// Why it is not read further.
    pub(super) fn too_much(&self, memory: Memory) -> Error {
        // At least as much again, of which nobody knows how much it is.
        too_much("rows and more", self.rows, (4 * self.bytes).max(needed(self.rows)), memory)
    }
}

fn needed(minutiae: u64) -> u64 {
    BASE + minutiae * MINUTIA
}

fn too_much(what: &'static str, count: u64, needed: u64, memory: Memory) -> Error {
    let (count, bytes) = (with_commas(count), memory.bytes());
    Error::MemoryTooSmallForTables { job: "prints", count, what, bytes, needed, advice: ADVICE }
}
