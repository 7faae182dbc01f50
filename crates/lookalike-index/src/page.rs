//! Lists all documents in pages. A page begins after a sequence number, which stays valid whatever is written between
//! two pages.
//!
//! Every put has a sequence number, and rows are in the order of these numbers. The start of a page is found by binary
//! search, which reads a few documents; compaction and restarts do not affect it.

use crate::error::Result;
use crate::part::Held;
use crate::row::Row;
use crate::snapshot::Snapshot;
use crate::types::Document;

/// Number of rows read at a time.
const AT_ONCE: usize = 128;

impl Snapshot {
    /// Sequence number of the last visible put or delete; 0 for an index that was never written to.
    pub fn version(&self) -> u64 {
        self.state.sequence.saturating_sub(1)
    }

    /// Returns the documents that were put after a sequence number, each with its own number, in the order of the puts.
    ///
    /// Number 0 precedes all documents. A document that is put again gets a new number.
    ///
    /// ```
    /// use lookalike_index::{CreateOptions, Index, NewDocument};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let index = Index::create(&folder.path().join("index"), &CreateOptions::default())?;
    /// let writer = index.writer()?;
    /// writer.put_many(&["a", "b", "c"].map(|id| NewDocument::new(id, "some text")))?;
    /// let first = index.snapshot()?.documents_after(0)?.next().unwrap()?;
    /// assert_eq!((first.0, &*first.1.id), (1, "a"));
    ///
    /// writer.delete(&["b"])?;
    /// let next = index.snapshot()?.documents_after(first.0)?.next().unwrap()?;
    /// assert_eq!((next.0, &*next.1.id), (3, "c"));
    /// # Ok::<(), lookalike_index::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged.
    pub fn documents_after(&self, number: u64) -> Result<impl Iterator<Item = Result<(u64, Document)>>> {
        let (part, row) = self.first_after(number)?;
        let parts = self.state.parts.iter().enumerate().skip(part);
        let rows = parts.flat_map(move |(at, held)| rows_from(held, if at == part { row } else { 0 }));
        Ok(rows.map(|row| {
            let row = row?;
            Ok((self.number_of(&row)?, self.read(&row)?))
        }))
    }

    /// The part and the row of the first document after a number; past the last part if there is none.
    fn first_after(&self, number: u64) -> Result<(usize, u32)> {
        for (part, held) in self.state.parts.iter().enumerate() {
            let last = (0..held.rows()).rev().find(|row| !held.deleted.contains(*row));
            let Some(last) = last else { continue };
            if self.number_of(&held.row(last)?)? <= number {
                continue;
            }
            // Find the first row for which this is true; it is then true of all later rows, and it is true of the last.
            let is_after = |row: u32| -> Result<bool> {
                let next = (row..held.rows()).find(|row| !held.deleted.contains(*row));
                next.map_or(Ok(true), |next| Ok(self.number_of(&held.row(next)?)? > number))
            };
            let (mut low, mut high) = (0, last);
            while low < high {
                let middle = low + (high - low) / 2;
                if is_after(middle)? {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return Ok((part, low));
        }
        Ok((self.state.parts.len(), 0))
    }

    fn number_of(&self, row: &Row) -> Result<u64> {
        self.with_record(row, |record| record.sequence)
    }
}

/// The rows of a part that are not deleted, starting at `first`.
fn rows_from(held: &Held, first: u32) -> impl Iterator<Item = Result<Row>> {
    let mut live = (first..held.rows()).filter(|row| !held.deleted.contains(*row)).peekable();
    std::iter::from_fn(move || {
        live.peek()?;
        let mut rows = Vec::with_capacity(AT_ONCE);
        let read = held.each_row(live.by_ref().take(AT_ONCE), |_, row| rows.push(Ok(row)));
        rows.extend(read.err().map(Err));
        Some(rows)
    })
    .flatten()
}

#[cfg(test)]
mod tests {
    use crate::{CreateOptions, Index, NewDocument, Writer};

    fn put(writer: &Writer, ids: std::ops::Range<u32>) {
        let documents: Vec<(String, String)> = ids.map(|id| (format!("{id:05}"), format!("text of {id}"))).collect();
        let new: Vec<NewDocument<'_>> = documents.iter().map(|(id, text)| NewDocument::new(id, text)).collect();
        writer.put_many(&new).unwrap();
    }

    /// All ids, in pages of seven, calling `between` between two pages.
    fn pages(index: &Index, mut between: impl FnMut(usize)) -> Vec<String> {
        let (mut after, mut ids) = (0, Vec::new());
        for page in 0.. {
            let snapshot = index.snapshot().unwrap();
            let some: Vec<_> = snapshot.documents_after(after).unwrap().take(7).collect::<Result<_, _>>().unwrap();
            let Some(last) = some.last() else { break };
            after = last.0;
            ids.extend(some.into_iter().map(|(_, document)| document.id));
            between(page);
        }
        ids
    }

    #[test]
    fn pages_are_all_documents_once_whatever_happens_between_them() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::create(&folder.path().join("index"), &CreateOptions::default()).unwrap();
        let writer = index.writer().unwrap();
        // Small segments, so that pages begin in the middle of several.
        writer.set_limits(20_000, 1 << 20);
        (0..40).for_each(|round| put(&writer, round * 25..(round + 1) * 25));
        let gone: Vec<String> = (300..700).filter(|id| id % 3 > 0).map(|id| format!("{id:05}")).collect();
        writer.delete(&gone.iter().map(|id| &**id).collect::<Vec<_>>()).unwrap();
        let all: Vec<String> = index.snapshot().unwrap().documents().map(|document| document.unwrap().id).collect();
        assert_eq!(all.len() as u64, index.snapshot().unwrap().len());
        assert_eq!(pages(&index, |_| ()), all);

        let found = pages(&index, |page| match page {
            3 => writer.compact(true).unwrap(),
            5 => drop(writer.delete(&["00000", "00999"]).unwrap()),
            9 => put(&writer, 1000..1003),
            _ => (),
        });
        let expected = all.iter().filter(|id| *id != "00999").cloned();
        let expected: Vec<String> = expected.chain((1000..1003).map(|id| format!("{id:05}"))).collect();
        assert_eq!(found, expected);
        assert_eq!(index.snapshot().unwrap().version(), 1000 + gone.len() as u64 + 2 + 3);
    }
}
