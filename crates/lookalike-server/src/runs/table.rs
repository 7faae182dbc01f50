//! A table of the positions of the rows of `removed.jsonl`: in file order, by similarity, and by cluster.
//!
//! A file of many gigabytes is read once and never held. Only one number per 64 rows stays in memory; the orders are in
//! an unnamed temporary file, with 16 bytes per row and 8 per cluster. They are in memory only while they are sorted.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use lookalike::Removal;

/// The positions of the rows of a `removed.jsonl`.
#[derive(Debug)]
pub(crate) struct RowTable {
    path: PathBuf,
    stamp: Stamp,
    rows: u64,
    clusters: u64,
    /// Number of rows per band, from 0–0.05 to 0.95–1; exact copies last.
    by_band: [u64; GROUPS],
    /// Position of every 64th row.
    starts: Vec<u64>,
    orders: Mutex<File>,
}

/// Identifies the file: a replacement has a different stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

/// The requested rows and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// All, in file order.
    InPlace,
    /// All, least similar first; exact copies last.
    LeastSimilar,
    /// Rows of one band of similarity that are not exact copies, least similar first. Bands are numbered from 0 to 19.
    Band(u8),
    /// Exact copies.
    Copies,
    /// Rows of one cluster, in file order.
    Cluster(u32),
}

/// Some rows, and their total number.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) count: u64,
    pub(crate) rows: Vec<PlacedRemoval>,
}

/// A removal and the position of its row.
#[derive(Debug, PartialEq)]
pub(crate) struct PlacedRemoval {
    /// Offset of the row in the file.
    pub(crate) at: u64,
    pub(crate) removal: Removal,
}

/// Number of bands of similarity, and of groups including exact copies.
pub(crate) const BANDS: u8 = 20;
const GROUPS: usize = BANDS as usize + 1;

/// Number of rows per stored position.
const STEP: u64 = 64;

/// Maximum length of a row: ids and addresses may be long, but not unlimited.
const LONGEST: u64 = 64 << 20;

/// Bits of a row's sort key by similarity: its group in 5 bits, its rank within the group in 19, and its offset in 40.
const PLACE_BITS: u32 = 40;
const WITHIN_BITS: u32 = 19;

/// The group of a removal, and its rank within the group.
fn group(removal: &Removal) -> (usize, u64) {
    if removal.exact_copy {
        return (usize::from(BANDS), 0);
    }
    let bands = f64::from(BANDS);
    let scaled = removal.similarity.clamp(0.0, 1.0) * bands;
    let band = scaled.min(bands - 1.0) as usize;
    let most = (1_u64 << WITHIN_BITS) - 1;
    (band, (((scaled - band as f64) * most as f64) as u64).min(most))
}

impl RowTable {
    /// Reads a file once. `read` is updated with the number of bytes read so far.
    pub(crate) fn read(path: &Path, read: &AtomicU64) -> io::Result<Self> {
        let file = File::open(path)?;
        let stamp = Stamp::of(&file)?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let (mut by_similarity, mut by_cluster, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut at, mut line, mut by_band) = (0_u64, Vec::new(), [0; GROUPS]);
        while next_line(&mut reader, &mut line)? {
            let row = by_similarity.len() as u64;
            let removal =
                parse(&line).map_err(|error| invalid(format!("row {} of removed.jsonl: {error}", row + 1)))?;
            if at >> PLACE_BITS > 0 || u32::try_from(row).is_err() {
                return Err(invalid("removed.jsonl is larger than a terabyte".to_owned()));
            }
            let (group, within) = group(&removal);
            by_band[group] += 1;
            by_similarity.push((group as u64) << (PLACE_BITS + WITHIN_BITS) | within << PLACE_BITS | at);
            by_cluster.push(u64::from(removal.cluster) << 32 | row);
            if row.is_multiple_of(STEP) {
                starts.push(at);
            }
            at += line.len() as u64 + 1;
            read.store(at, Relaxed);
        }
        by_similarity.sort_unstable();
        by_cluster.sort_unstable();
        let clusters = largest_first(&by_cluster);
        let mut orders = tempfile::tempfile()?;
        for order in [&by_similarity, &by_cluster, &clusters] {
            write_all(&mut orders, order)?;
        }
        Ok(Self {
            path: path.to_owned(),
            stamp,
            rows: by_similarity.len() as u64,
            clusters: clusters.len() as u64,
            by_band,
            starts,
            orders: Mutex::new(orders),
        })
    }

    /// True if the file is unchanged.
    pub(crate) fn is_current(&self) -> bool {
        File::open(&self.path).and_then(|file| Stamp::of(&file)).is_ok_and(|stamp| stamp == self.stamp)
    }

    /// Passes all rows in file order to `take`, each with its offset.
    pub(crate) fn each(&self, mut take: impl FnMut(u64, Removal) -> io::Result<()>) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 18, File::open(&self.path)?);
        let (mut at, mut line) = (0, Vec::new());
        while next_line(&mut reader, &mut line)? {
            take(at, parse(&line)?)?;
            at += line.len() as u64 + 1;
        }
        Ok(())
    }

    /// Number of rows per band, from 0–0.05 to 0.95–1; exact copies last.
    pub(crate) fn by_band(&self) -> &[u64] {
        &self.by_band
    }

    /// Number of clusters with a removed document.
    pub(crate) fn cluster_count(&self) -> u64 {
        self.clusters
    }

    /// Reads some of the requested rows.
    pub(crate) fn rows(&self, which: Which, skip: u64, most: usize) -> io::Result<Rows> {
        let (first, count) = self.range(which)?;
        let wanted = skip.min(count)..skip.saturating_add(most as u64).min(count);
        let mut file = BufReader::new(File::open(&self.path)?);
        let rows = match which {
            Which::InPlace => self.from(&mut file, wanted.start, (wanted.end - wanted.start) as usize)?,
            Which::Cluster(_) => {
                let of_cluster = self.order(self.rows + first + wanted.start, wanted.end - wanted.start)?;
                let mut rows = Vec::with_capacity(of_cluster.len());
                for entry in of_cluster {
                    rows.extend(self.from(&mut file, entry & u64::from(u32::MAX), 1)?);
                }
                rows
            }
            Which::LeastSimilar | Which::Band(_) | Which::Copies => {
                let places = self.order(first + wanted.start, wanted.end - wanted.start)?;
                let mut rows = Vec::with_capacity(places.len());
                for place in places {
                    rows.push(line_at(&mut file, place & ((1 << PLACE_BITS) - 1))?);
                }
                rows
            }
        };
        Ok(Rows { count, rows })
    }

    /// Reads clusters, largest first: the number of removed documents of each, and its first row.
    pub(crate) fn clusters(&self, skip: u64, most: usize) -> io::Result<Vec<(u32, u64, PlacedRemoval)>> {
        let count = self.clusters.saturating_sub(skip).min(most as u64);
        let mut file = BufReader::new(File::open(&self.path)?);
        let mut clusters = Vec::with_capacity(count as usize);
        for entry in self.order(2 * self.rows + skip.min(self.clusters), count)? {
            let cluster = (entry & u64::from(u32::MAX)) as u32;
            let removed = u64::from(u32::MAX - (entry >> 32) as u32);
            let (first, _) = self.range(Which::Cluster(cluster))?;
            let row = self.order(self.rows + first, 1)?.first().copied().unwrap_or(0) & u64::from(u32::MAX);
            clusters.extend(self.from(&mut file, row, 1)?.into_iter().map(|first| (cluster, removed, first)));
        }
        Ok(clusters)
    }

    /// Reads the row at an offset; none if no row starts there.
    pub(crate) fn at(&self, at: u64) -> io::Result<Option<PlacedRemoval>> {
        if at >= self.stamp.bytes {
            return Ok(None);
        }
        let mut file = BufReader::new(File::open(&self.path)?);
        if at > 0 {
            file.seek(SeekFrom::Start(at - 1))?;
            let mut before = [0];
            file.read_exact(&mut before)?;
            if before != *b"\n" {
                return Ok(None);
            }
        }
        line_at(&mut file, at).map(Some)
    }

    /// The requested part of an order: its first entry, and the number of entries.
    fn range(&self, which: Which) -> io::Result<(u64, u64)> {
        let before = |group: usize| self.by_band[..group].iter().sum();
        Ok(match which {
            Which::InPlace | Which::LeastSimilar => (0, self.rows),
            Which::Band(band) => {
                let band = usize::from(band.min(BANDS - 1));
                (before(band), self.by_band[band])
            }
            Which::Copies => (before(GROUPS - 1), self.by_band[GROUPS - 1]),
            Which::Cluster(cluster) => {
                let first = self.first_of(u64::from(cluster) << 32)?;
                (first, self.first_of((u64::from(cluster) + 1) << 32)? - first)
            }
        })
    }

    /// The first entry of the order by cluster that is not below this one.
    fn first_of(&self, entry: u64) -> io::Result<u64> {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = u64::midpoint(low, high);
            if self.order(self.rows + middle, 1)?.first().is_some_and(|found| *found < entry) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    fn order(&self, first: u64, count: u64) -> io::Result<Vec<u64>> {
        let mut bytes = vec![0; 8 * count as usize];
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.seek(SeekFrom::Start(8 * first))?;
        orders.read_exact(&mut bytes)?;
        let (words, _) = bytes.as_chunks::<8>();
        Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    /// Reads rows from this one on, in file order.
    fn from(&self, file: &mut BufReader<File>, row: u64, count: usize) -> io::Result<Vec<PlacedRemoval>> {
        let Some(start) = self.starts.get((row / STEP) as usize).filter(|_| count > 0) else { return Ok(Vec::new()) };
        file.seek(SeekFrom::Start(*start))?;
        let (mut at, mut json, mut rows) = (*start, Vec::new(), Vec::with_capacity(count));
        for number in row / STEP * STEP.. {
            if rows.len() == count || !next_line(file, &mut json)? {
                break;
            }
            let bytes = json.len() as u64 + 1;
            if number >= row {
                rows.push(PlacedRemoval { at, removal: parse(&json)? });
            }
            at += bytes;
        }
        Ok(rows)
    }
}

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        let facts = file.metadata()?;
        Ok(Self { bytes: facts.len(), modified: facts.modified().ok() })
    }
}

/// For each cluster, an entry that sorts the one with the most rows first.
fn largest_first(by_cluster: &[u64]) -> Vec<u64> {
    let clusters = by_cluster.chunk_by(|left, right| left >> 32 == right >> 32);
    let mut largest: Vec<u64> =
        clusters.map(|rows| u64::from(u32::MAX - rows.len() as u32) << 32 | rows[0] >> 32).collect();
    largest.sort_unstable();
    largest
}

fn write_all(file: &mut File, words: &[u64]) -> io::Result<()> {
    let mut writer = io::BufWriter::with_capacity(1 << 16, file);
    words.iter().try_for_each(|word| writer.write_all(&word.to_le_bytes()))?;
    writer.flush()
}

/// Reads a line without its end; returns false at the end of the file.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = reader.by_ref().take(LONGEST).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if read as u64 == LONGEST {
        return Err(invalid("a row of removed.jsonl is larger than 64 MB".to_owned()));
    }
    Ok(read > 0)
}

fn line_at(file: &mut BufReader<File>, at: u64) -> io::Result<PlacedRemoval> {
    file.seek(SeekFrom::Start(at))?;
    let mut json = Vec::new();
    next_line(file, &mut json)?;
    Ok(PlacedRemoval { at, removal: parse(&json)? })
}

fn parse(line: &[u8]) -> io::Result<Removal> {
    serde_json::from_slice(line).map_err(|error| invalid(error.to_string()))
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(folder: &Path, rows: &[(f64, bool, u32)]) -> RowTable {
        let path = folder.join("removed.jsonl");
        let line = |(number, (similarity, exact_copy, cluster)): (usize, &(f64, bool, u32))| {
            let mut row = serde_json::json!({
                "removed_id": number.to_string(), "kept_id": "kept", "same_words": false, "cluster_size": 2, "copy_count": 1,
                "removed_file": "a.jsonl", "removed_position": 1, "kept_file": "a.jsonl", "kept_position": 2,
                "removed_source": "a.jsonl", "kept_source": "a.jsonl",
            });
            row["similarity"] = (*similarity).into();
            row["exact_copy"] = (*exact_copy).into();
            row["cluster"] = (*cluster).into();
            format!("{row}\n")
        };
        std::fs::write(&path, rows.iter().enumerate().map(line).collect::<String>()).unwrap();
        RowTable::read(&path, &AtomicU64::new(0)).unwrap()
    }

    fn ids(rows: &[PlacedRemoval]) -> Vec<u64> {
        rows.iter().map(|row| row.removal.removed_id.parse().unwrap()).collect()
    }

    #[test]
    fn rows_are_found_in_every_order() {
        let folder = tempfile::tempdir().unwrap();
        let rows =
            [(0.9, false, 7), (1.0, true, 7), (0.8, false, 2), (0.85, false, 7), (1.0, false, 2), (0.849, false, 9)];
        let table = table(folder.path(), &rows);
        let found = |which| table.rows(which, 0, 10).map(|found| (found.count, ids(&found.rows))).unwrap();
        assert_eq!(found(Which::InPlace), (6, vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(found(Which::LeastSimilar), (6, vec![2, 5, 3, 0, 4, 1]));
        assert_eq!(found(Which::Band(16)), (2, vec![2, 5]));
        assert_eq!(found(Which::Band(19)), (1, vec![4]));
        assert_eq!(found(Which::Copies), (1, vec![1]));
        assert_eq!(found(Which::Cluster(7)), (3, vec![0, 1, 3]));
        assert_eq!(found(Which::Cluster(8)), (0, vec![]));
        assert_eq!(ids(&table.rows(Which::LeastSimilar, 2, 2).unwrap().rows), [3, 0]);
        let clusters = table.clusters(0, 10).unwrap();
        assert_eq!(clusters.iter().map(|cluster| (cluster.0, cluster.1)).collect::<Vec<_>>(), [(7, 3), (2, 2), (9, 1)]);
        assert_eq!(ids(&[clusters.into_iter().next().unwrap().2]), [0]);
    }

    #[test]
    fn a_row_is_read_by_its_place_and_nothing_else_is_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let table = table(folder.path(), &[(0.9, false, 1); 200]);
        for line in table.rows(Which::InPlace, 100, 100).unwrap().rows {
            assert_eq!(table.at(line.at).unwrap().as_ref(), Some(&line));
            assert_eq!(table.at(line.at + 1).unwrap(), None);
        }
        assert_eq!(table.at(u64::MAX).unwrap(), None);
        assert_eq!(table.rows(Which::InPlace, u64::MAX, 10).unwrap().rows.len(), 0);
    }

    #[test]
    fn a_file_that_was_replaced_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let table = table(folder.path(), &[(0.9, false, 1)]);
        assert!(table.is_current());
        std::fs::write(folder.path().join("removed.jsonl"), "").unwrap();
        assert!(!table.is_current());
    }

    #[test]
    fn what_is_not_a_row_is_named() {
        let folder = tempfile::tempdir().unwrap();
        table(folder.path(), &[(0.9, false, 1)]);
        let path = folder.path().join("removed.jsonl");
        let row = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, row + "{").unwrap();
        let error = RowTable::read(&path, &AtomicU64::new(0)).unwrap_err();
        assert!(error.to_string().starts_with("row 2 of removed.jsonl"), "{error}");
    }
}
