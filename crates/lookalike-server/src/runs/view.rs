//! The rows that match a filter, in its order, found by reading all rows once. Their positions are kept in an unnamed
//! temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::filter::{Filter, SortKey};
use super::opened::OpenResult;
use super::table::{PlacedRemoval, Rows};
use crate::problem::{Kind, Problem};

use super::opened::unreadable;

/// The positions of the rows of a filter.
#[derive(Debug)]
pub(crate) struct View {
    places: Mutex<File>,
    count: u64,
}

/// Maximum bytes of ids held while rows are sorted.
const MOST_SORTED: u64 = 512 << 20;

impl View {
    fn read(open: &OpenResult, filter: &Filter) -> Result<Self, Problem> {
        let (table, starts) = (open.table()?, open.starts()?);
        let (mut rows, mut bytes): (Vec<(Option<SortKey>, u64)>, u64) = (Vec::new(), 0);
        let found = table.each(|at, removal| {
            if filter.takes(&removal, starts.of(&removal)) {
                let key = filter.key(&removal);
                bytes += key.as_ref().map_or(16, SortKey::bytes);
                if bytes > MOST_SORTED {
                    return Err(io::ErrorKind::OutOfMemory.into());
                }
                rows.push((key, at));
            }
            Ok(())
        });
        found.map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => {
                Problem::new(Kind::NotPossible, "there are too many rows to sort them so: filter them first")
            }
            _ => unreadable(&error),
        })?;
        // Equal rows stay in file order.
        rows.sort_by(|(left, _), (right, _)| match (left, right) {
            (Some(left), Some(right)) => left.compare(right),
            _ => std::cmp::Ordering::Equal,
        });
        let write = || {
            let mut places = tempfile::tempfile()?;
            let mut writer = io::BufWriter::new(&mut places);
            rows.iter().try_for_each(|(_, at)| writer.write_all(&at.to_le_bytes()))?;
            writer.flush()?;
            drop(writer);
            Ok(Self { places: Mutex::new(places), count: rows.len() as u64 })
        };
        write().map_err(|error: io::Error| unreadable(&error))
    }

    fn places(&self, skip: u64, most: usize) -> io::Result<Vec<u64>> {
        let first = skip.min(self.count);
        let count = (self.count - first).min(most as u64);
        let mut bytes = vec![0; 8 * count as usize];
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.seek(SeekFrom::Start(8 * first))?;
        places.read_exact(&mut bytes)?;
        let (words, _) = bytes.as_chunks::<8>();
        Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }
}

/// Number of views cached per result.
const KEPT: usize = 8;

impl OpenResult {
    /// Reads some of the rows that match a filter, in its order, and returns their total number.
    ///
    /// # Errors
    ///
    /// If rows cannot be read, or are too many to sort.
    pub(crate) fn rows(&self, filter: &Filter, skip: u64, most: usize) -> Result<Rows, Problem> {
        let table = self.table()?;
        if let Some(which) = filter.as_which() {
            return table.rows(which, skip, most).map_err(|error| unreadable(&error));
        }
        let view = self.view(filter)?;
        let read = || {
            let rows = view.places(skip, most)?.into_iter().map(|at| table.at(at));
            let rows: Vec<Option<PlacedRemoval>> = rows.collect::<io::Result<_>>()?;
            Ok(Rows { count: view.count, rows: rows.into_iter().flatten().collect() })
        };
        read().map_err(|error: io::Error| unreadable(&error))
    }

    fn view(&self, filter: &Filter) -> Result<Arc<View>, Problem> {
        let kept = || self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = kept().iter().find(|(own, _)| own == filter) {
            return Ok(Arc::clone(view));
        }
        // Two concurrent requests read twice.
        let view = Arc::new(View::read(self, filter)?);
        let mut views = kept();
        views.push_front((filter.clone(), Arc::clone(&view)));
        views.truncate(KEPT);
        Ok(view)
    }
}
