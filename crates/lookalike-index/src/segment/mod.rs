//! Segments: columns, sketches and rows of documents in one immutable file.
//!
//! ```text
//! header | columns, each in pages, with a filter | sketches, in pages | rows, in pages | first entries of pages | footer | trailer
//! ```
//!
//! Every page ends with a checksum of its content, which is checked whenever the page is read; nothing else needs
//! checking.

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

/// Length of the footer, version, checksum, magic.
const TRAILER_BYTES: u64 = 24;

/// Size of a page of entries: small, since a lookup reads one page.
const ENTRY_PAGE: usize = 1024;

/// Number of entries per page.
const PAGE_ENTRIES: usize = (ENTRY_PAGE - CHECKSUM_BYTES) / 8;

/// Minimum size of a page of sketches or rows.
const RECORD_PAGE: usize = 4096;

/// Checksum at the end of each page.
const CHECKSUM_BYTES: usize = 8;

/// Contents of the footer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Footer {
    rows: u32,
    columns: Vec<Column>,
    sketches: Records,
    data: Records,
    /// Offset of the first entries of all pages, and their checksum.
    tables: u64,
    tables_checksum: u64,
}

/// Location of a column.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Column {
    offset: u64,
    entries: u64,
    /// Size of the filter, which follows the pages; 0 if there is none.
    filter_words: u64,
    filter_checksum: u64,
}

/// Location of records of fixed length, one per row.
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

    /// Number of records per page.
    fn per_page(self) -> usize {
        (self.page_bytes() - CHECKSUM_BYTES).checked_div(self.bytes).unwrap_or(usize::MAX)
    }

    fn pages(self, rows: u32) -> u64 {
        (rows as usize).div_ceil(self.per_page()) as u64 * u64::from(self.bytes > 0)
    }
}

/// The checksum of a page also depends on its offset: a page at another location is invalid.
fn page_checksum(content: &[u8], offset: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(content, offset)
}
