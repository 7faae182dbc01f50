//! Segments: columns, sketches and rows of documents in one file that never changes.
//!
//! ```text
//! header | columns, each in pages, with a filter | sketches, in pages | rows, in pages | first entries of pages | footer | trailer
//! ```
//!
//! Every page ends with the checksum of what is before it, so that a page is checked when it is read and nothing else has to be.

mod filter;
mod read;
mod write;

use serde::{Deserialize, Serialize};

pub(crate) use read::Segment;
pub use read::check_bytes;
pub(crate) use write::SegmentWriter;

/// The first bytes of a segment.
const MAGIC: &[u8; 8] = b"lkalkseg";

/// The version of the layout.
pub(crate) const VERSION: u32 = 1;

/// Magic, version, number, fingerprint, checksum.
const HEADER_BYTES: u64 = 32;

/// Footer's length, version, checksum, magic.
const TRAILER_BYTES: u64 = 24;

/// A page of entries: a lookup reads one, so that it is small.
const ENTRY_PAGE: usize = 1024;

/// How many entries a page has.
const PAGE_ENTRIES: usize = (ENTRY_PAGE - CHECKSUM_BYTES) / 8;

/// The least page of sketches or rows.
const RECORD_PAGE: usize = 4096;

/// At the end of each page.
const CHECKSUM_BYTES: usize = 8;

/// What a segment says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Footer {
    rows: u32,
    columns: Vec<Column>,
    sketches: Records,
    data: Records,
    /// Where the first entries of all pages are, and the checksum of them.
    tables: u64,
    tables_checksum: u64,
}

/// Where a column is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Column {
    offset: u64,
    entries: u64,
    /// Of the filter, which lies behind the pages; none if there is none.
    filter_words: u64,
    filter_checksum: u64,
}

/// Where records of one length are, one per row.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Records {
    offset: u64,
    bytes: usize,
}

impl Column {
    fn pages(self) -> u64 {
        self.entries.div_ceil(PAGE_ENTRIES as u64)
    }

    fn filter_offset(self) -> u64 {
        self.offset + self.pages() * ENTRY_PAGE as u64
    }
}

impl Records {
    fn page_bytes(self) -> usize {
        (self.bytes + CHECKSUM_BYTES).next_multiple_of(RECORD_PAGE)
    }

    /// How many records a page has.
    fn per_page(self) -> usize {
        (self.page_bytes() - CHECKSUM_BYTES).checked_div(self.bytes).unwrap_or(usize::MAX)
    }

    fn pages(self, rows: u32) -> u64 {
        (rows as usize).div_ceil(self.per_page()) as u64 * u64::from(self.bytes > 0)
    }
}

/// The checksum of a page, which is of its place too: a page that lies elsewhere is not it.
fn page_checksum(content: &[u8], offset: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(content, offset)
}
