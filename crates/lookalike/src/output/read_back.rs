//! Reads back the evidence of a finished run.

use std::io::{BufRead, BufReader};
use std::path::Path;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::output::rows::Removal;

/// Name of the file with the evidence.
pub(crate) const REMOVED: &str = "removed.jsonl";

/// Number of bytes of rows parsed at a time.
const BATCH_BYTES: usize = 1 << 20;

/// Passes the removals in the output folder of a run to `take`, in order and numbered from 0. Only a batch is in
/// memory.
pub(crate) fn each_removal(folder: &Path, mut take: impl FnMut(u64, Removal)) -> Result<()> {
    let path = folder.join(REMOVED);
    let unreadable = |cause| Error::from(lookalike_io::Error::Unreadable { path: path.clone(), cause });
    let mut reader = BufReader::with_capacity(1 << 18, std::fs::File::open(&path).map_err(unreadable)?);
    let (mut number, mut batch) = (0, Vec::with_capacity(BATCH_BYTES + (1 << 16)));
    loop {
        batch.clear();
        let mut ends = vec![0];
        while batch.len() < BATCH_BYTES && reader.read_until(b'\n', &mut batch).map_err(unreadable)? > 0 {
            ends.push(batch.len());
        }
        if batch.is_empty() {
            return Ok(());
        }
        // Parsing is most of the work, and can be parallel.
        let parse = |span: &[usize]| serde_json::from_slice(&batch[span[0]..span[1]]);
        let removals = ends.par_windows(2).map(parse).collect::<serde_json::Result<Vec<Removal>>>();
        let not_a_run = |error| Error::NotARun { path: folder.to_owned(), reason: format!("{REMOVED}: {error}") };
        for removal in removals.map_err(not_a_run)? {
            take(number, removal);
            number += 1;
        }
    }
}
