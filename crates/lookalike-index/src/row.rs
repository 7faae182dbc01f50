//! The data stored about each document besides its sketch, in 64 bytes; and column entries, in eight.

/// Location of a document: a log, a frame in it, and its number in the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) log: u32,
    /// Offset of the frame, in units of `ALIGN` bytes.
    pub(crate) frame: u32,
    pub(crate) index: u32,
}

/// Stored data of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// Hash of its words.
    pub(crate) text_hash: u128,
    /// Hash of its content: equal for exact copies.
    pub(crate) content_hash: u128,
    /// Hash of its id, for lookup: ids themselves are compared in full.
    pub(crate) id_hash: u64,
    /// Digest of its fields and every byte of its text, compared only with documents of the same id.
    pub(crate) digest: u64,
    /// Number of distinct features.
    pub(crate) size: u32,
    pub(crate) place: Place,
}

/// Size of a row.
pub(crate) const ROW_BYTES: usize = 64;

impl Row {
    pub(crate) fn bytes(&self) -> [u8; ROW_BYTES] {
        let mut bytes = [0; ROW_BYTES];
        bytes[..16].copy_from_slice(&self.text_hash.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.content_hash.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.id_hash.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.digest.to_le_bytes());
        for (at, number) in [self.size, self.place.log, self.place.frame, self.place.index].into_iter().enumerate() {
            bytes[48 + at * 4..52 + at * 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let hash = |at: usize| u128::from_le_bytes(bytes[at..at + 16].try_into().expect("sixteen bytes"));
        let number = |at: usize| u32_at(bytes, at);
        Self {
            text_hash: hash(0),
            content_hash: hash(16),
            id_hash: u64_at(bytes, 32),
            digest: u64_at(bytes, 40),
            size: number(48),
            place: Place { log: number(52), frame: number(56), index: number(60) },
        }
    }
}

/// Reads a number at an offset of a sufficiently long slice.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Reads a number at an offset of a sufficiently long slice.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// A column entry: the high 40 bits of a key, then 24 bits of a row. Sorted by key, and by row within a key.
///
/// Forty bits are enough: with ten million documents and twenty bands, one search in five thousand finds a document by
/// chance, and it is measured like any other.
pub(crate) type Entry = u64;

const ROW_BITS: u32 = 24;

/// Maximum number of rows of a segment.
pub(crate) const MOST_ROWS: u64 = 1 << ROW_BITS;

/// The entry of a key and a row.
#[inline]
pub(crate) fn entry(key: u64, row: u32) -> Entry {
    least_entry(key) | u64::from(row)
}

/// The smallest entry of a key.
#[inline]
pub(crate) fn least_entry(key: u64) -> Entry {
    key >> ROW_BITS << ROW_BITS
}

/// The part of the key in an entry.
#[inline]
pub(crate) fn key_of(entry: Entry) -> u64 {
    entry >> ROW_BITS
}

/// True if two entries have the same key.
#[inline]
pub(crate) fn has_key_of(entry: Entry, other: Entry) -> bool {
    key_of(entry) == key_of(other)
}

/// The row of an entry.
#[inline]
pub(crate) fn row_of(entry: Entry) -> u32 {
    (entry & (MOST_ROWS - 1)) as u32
}

/// The same entry with another row.
#[inline]
pub(crate) fn with_row(entry_: Entry, row: u32) -> Entry {
    least_entry(entry_) | u64::from(row)
}
