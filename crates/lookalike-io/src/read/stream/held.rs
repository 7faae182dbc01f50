//! Cuts a table in memory into chunks: only row numbers are passed on, since texts are read in place.

use super::{CHUNK, Next, Stream};
use crate::error::Result;
use crate::input::shelf::Store;
use crate::read::chunk::{Chunk, ChunkStore, HeldChunk};

impl Stream {
    /// Fills `chunk` with the next rows: the same in every run, whatever the number of threads.
    pub(super) fn next_held(&mut self, chunk: &mut Chunk, most: usize) -> Result<Next> {
        let Some((table, next)) = &mut self.held else { return Ok(Next::End) };
        let (first, count) = (*next, table.rows.row_count());
        if first == count {
            return Ok(Next::End);
        }
        let (mut end, mut bytes) = (first, 0);
        while end < count && bytes < CHUNK && end - first < MOST_ROWS {
            let length = table.rows.text(end).len();
            if length > most.max(CHUNK) && length <= self.settings.longest as usize {
                // It has its own chunk, and waits for its turn.
                if end == first {
                    return Ok(Next::Large);
                }
                break;
            }
            bytes += length;
            end += 1;
        }
        *next = end;
        let held = HeldChunk { rows: table.rows.clone(), range: first..end, bytes: bytes as u64 };
        self.settings.limit.count(held.bytes)?;
        chunk.bytes.clear();
        chunk.damage = None;
        chunk.packed_bytes = held.bytes;
        chunk.store = ChunkStore::At(Store::Held, first);
        chunk.held = Some(held);
        self.fill(chunk);
        Ok(Next::Chunk)
    }
}

/// Maximum number of rows of a chunk: those without a text take memory as well.
const MOST_ROWS: u64 = 1 << 16;
