//! Estimates the memory for prints before they are compared.

use super::roll::Roll;
use crate::error::{Error, Result};
use crate::link::with_commas;
use crate::resources::memory::Memory;

/// Memory of the program itself and of its threads' buffers.
const BASE: u64 = 24 << 20;

/// Memory per minutia while prints are compared: the minutia, the cells of its cylinder, and its triangles while they
/// are sorted.
const MINUTIA: u64 = 1500;

/// Other advice.
const ADVICE: &str = "compare a part of them";

/// Rejects prints that would not fit in memory.
pub(super) fn check(roll: &Roll, memory: Memory) -> Result<()> {
    let minutiae = roll.prints.iter().map(|print| print.minutiae.len() as u64).sum();
    let needed = needed(minutiae);
    if needed <= memory.bytes() { Ok(()) } else { Err(too_much("minutiae", minutiae, needed, memory)) }
}

/// The part of a table that was read when the memory was full.
pub(super) struct TableNeed {
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

impl TableNeed {
    /// The error for a table that is too large.
    pub(super) fn too_much(&self, memory: Memory) -> Error {
        // At least as much again; the total is unknown.
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
