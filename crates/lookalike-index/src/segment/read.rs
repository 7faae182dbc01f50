//! Reads a segment: pages by offset, each checked when it is read. Only the first entries of pages are kept in memory.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::filter::Filter;
use super::{
    CHECKSUM_BYTES, Column, ENTRY_PAGE, Footer, HEADER_BYTES, MAGIC, PAGE_ENTRIES, Records, TRAILER_BYTES, VERSION,
    page_checksum,
};
use crate::block::Shape;
use crate::disk::{Disk, DiskFile};
use crate::error::{At, Error, Result};
use crate::row::{Entry, ROW_BYTES, Row, has_key_of, least_entry, row_of, u32_at, u64_at};

/// An open segment.
#[derive(Debug)]
pub(crate) struct Segment {
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    bytes: u64,
    footer: Footer,
    /// The first entries of all pages of all columns, and the start of each column among them.
    firsts: Vec<Entry>,
    starts: Vec<usize>,
    filters: Vec<Filter>,
}

thread_local! {
    /// Page buffer, reused between reads.
    static PAGE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Segment {
    /// Opens a segment and checks everything except its pages.
    pub(crate) fn open(disk: &dyn Disk, path: &Path, number: u32, fingerprint: u64, shape: Shape) -> Result<Self> {
        let file = disk.open(path, false).at(path)?;
        let segment = Self::of_file(path, file)?;
        let damaged = |section, offset, reason: &str| Err(Error::damaged(path, section, offset, reason));
        let mut header = [0; HEADER_BYTES as usize];
        segment.read(&mut header, 0, "header")?;
        if header[..8] != *MAGIC || u64_at(&header, 24) != xxh3_64(&header[..24]) {
            return damaged("header", 0, "its checksum is another");
        }
        if u32_at(&header, 12) != number || u64_at(&header, 16) != fingerprint {
            return damaged("header", 12, "it belongs to another index or has another number");
        }
        let footer = &segment.footer;
        if footer.columns.len() != shape.all()
            || footer.columns.iter().enumerate().any(|(at, column)| (column.filter_words > 0) != (at < shape.filtered))
            || footer.sketches.bytes != shape.sketch_bytes
        {
            return damaged("footer", footer.tables, "it has columns of another scheme");
        }
        Ok(segment)
    }

    /// Parses the segment in a file, and checks all offsets against its length.
    fn of_file(path: &Path, file: Arc<dyn DiskFile>) -> Result<Self> {
        let bytes = file.length().at(path)?;
        let damaged = |section, offset, reason: &str| Error::damaged(path, section, offset, reason);
        if bytes < HEADER_BYTES + TRAILER_BYTES {
            return Err(damaged("trailer", bytes, "the file is cut short"));
        }
        let mut trailer = [0; TRAILER_BYTES as usize];
        let trailer_offset = bytes - TRAILER_BYTES;
        file.read_exact_at(&mut trailer, trailer_offset).at(path)?;
        if trailer[16..] != *MAGIC {
            return Err(damaged("trailer", trailer_offset + 16, "the file is cut short or overwritten"));
        }
        let version = u32_at(&trailer, 4);
        let length = u64::from(u32_at(&trailer, 0));
        if length > trailer_offset - HEADER_BYTES {
            return Err(damaged("trailer", trailer_offset, "the footer is longer than the file"));
        }
        let mut text = vec![0; length as usize];
        file.read_exact_at(&mut text, trailer_offset - length).at(path)?;
        let checked = [&text[..], &trailer[..8]].concat();
        if xxh3_64(&checked) != u64_at(&trailer, 8) {
            return Err(damaged("footer", trailer_offset - length, "its checksum is another"));
        }
        if version > VERSION {
            return Err(Error::Newer { path: path.to_owned(), what: "segment", found: version, known: VERSION });
        }
        let footer: Footer = serde_json::from_slice(&text)
            .map_err(|error| damaged("footer", trailer_offset - length, &error.to_string()))?;
        if !fits(&footer, trailer_offset - length) {
            return Err(damaged("footer", trailer_offset - length, "its sections do not fit the file"));
        }
        let mut starts = vec![0];
        for column in &footer.columns {
            starts.push(starts[starts.len() - 1] + column.pages() as usize);
        }
        let mut tables = vec![0; (trailer_offset - length - footer.tables) as usize];
        file.read_exact_at(&mut tables, footer.tables).at(path)?;
        if page_checksum(&tables, footer.tables) != footer.tables_checksum {
            return Err(damaged("page tables", footer.tables, "their checksum is another"));
        }
        let firsts = tables.chunks_exact(8).map(|first| u64_at(first, 0)).collect();
        let filters = footer.columns.iter().map(|column| read_filter(path, &*file, column)).collect::<Result<_>>()?;
        Ok(Self { path: path.to_owned(), file, bytes, footer, firsts, starts, filters })
    }

    pub(crate) fn len(&self) -> u32 {
        self.footer.rows
    }

    pub(crate) fn byte_count(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn read(&self, buffer: &mut [u8], offset: u64, section: &'static str) -> Result<()> {
        self.file.read_exact_at(buffer, offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Error::damaged(&self.path, section, offset, "the file is cut short"),
            _ => Err::<(), _>(error).at(&self.path).expect_err("it is an error"),
        })
    }

    /// Calls `with` with the checked content of a page.
    fn page<O>(&self, offset: u64, bytes: usize, section: &'static str, with: impl FnOnce(&[u8]) -> O) -> Result<O> {
        PAGE.with_borrow_mut(|page| {
            page.resize(bytes.max(page.len()), 0);
            let page = &mut page[..bytes];
            self.read(page, offset, section)?;
            let (content, checksum) = page.split_at(bytes - CHECKSUM_BYTES);
            if page_checksum(content, offset) != u64_at(checksum, 0) {
                return Err(Error::damaged(&self.path, section, offset, "the checksum of a page is another"));
            }
            Ok(with(content))
        })
    }

    fn firsts(&self, column: usize) -> &[Entry] {
        &self.firsts[self.starts[column]..self.starts[column + 1]]
    }

    fn section(&self, column: usize) -> &'static str {
        match self.footer.columns.len() - column {
            1 => "copies",
            2 => "ids",
            _ => "band columns",
        }
    }

    /// Calls `with` with the entries of a page.
    fn entries<O>(&self, column: usize, page: usize, with: impl FnOnce(&[[u8; 8]]) -> O) -> Result<O> {
        let Column { offset, entries, .. } = self.footer.columns[column];
        let count = (entries as usize - page * PAGE_ENTRIES).min(PAGE_ENTRIES);
        let offset = offset + (page * ENTRY_PAGE) as u64;
        self.page(offset, ENTRY_PAGE, self.section(column), |content| with(&content.as_chunks::<8>().0[..count]))
    }

    /// Passes the rows with a key to `each`, in order.
    pub(crate) fn bucket(&self, column: usize, key: u64, mut each: impl FnMut(u32)) -> Result<()> {
        let least = least_entry(key);
        if !self.filters[column].allows(least) {
            return Ok(());
        }
        let firsts = self.firsts(column);
        // The key may begin in the page before the first page that starts with it.
        let after = firsts.partition_point(|first| *first < least);
        for (page, first) in firsts.iter().enumerate().skip(after.saturating_sub(1)) {
            if page >= after && !has_key_of(*first, least) {
                break;
            }
            self.entries(column, page, |entries| {
                let from = entries.partition_point(|entry| u64::from_le_bytes(*entry) < least);
                for entry in &entries[from..] {
                    let entry = u64::from_le_bytes(*entry);
                    if !has_key_of(entry, least) {
                        break;
                    }
                    each(row_of(entry));
                }
            })?;
        }
        Ok(())
    }

    /// Number of pages of a column.
    pub(crate) fn page_count(&self, column: usize) -> usize {
        self.firsts(column).len()
    }

    /// Passes the rows of many keys to `each`, with the number of each key; keys are smallest entries, sorted. Each
    /// page is read once.
    pub(crate) fn buckets(&self, column: usize, keys: &[(Entry, u32)], mut each: impl FnMut(u32, u32)) -> Result<()> {
        let firsts = self.firsts(column);
        let (mut held, mut entries): (Option<usize>, Vec<Entry>) = (None, Vec::new());
        for (least, number) in keys.iter().filter(|(least, _)| self.filters[column].allows(*least)) {
            let after = firsts.partition_point(|first| first < least);
            for (page, first) in firsts.iter().enumerate().skip(after.saturating_sub(1)) {
                if page >= after && !has_key_of(*first, *least) {
                    break;
                }
                if held != Some(page) {
                    entries.clear();
                    self.entries(column, page, |read| {
                        entries.extend(read.iter().map(|entry| u64::from_le_bytes(*entry)));
                    })?;
                    held = Some(page);
                }
                let from = entries.partition_point(|entry| entry < least);
                let rows = entries[from..].iter().take_while(|entry| has_key_of(**entry, *least));
                rows.for_each(|entry| each(*number, row_of(*entry)));
            }
        }
        Ok(())
    }

    /// All entries of a column, in order.
    pub(crate) fn column(&self, column: usize) -> impl Iterator<Item = Result<Entry>> {
        (0..self.page_count(column)).flat_map(move |page| {
            let copy = |entries: &[[u8; 8]]| entries.iter().map(|entry| Ok(u64::from_le_bytes(*entry))).collect();
            self.entries(column, page, copy).unwrap_or_else(|error| vec![Err(error)])
        })
    }

    /// Calls `with` with a record.
    fn record<O>(&self, section: &'static str, records: Records, row: u32, with: impl FnOnce(&[u8]) -> O) -> Result<O> {
        if records.bytes == 0 {
            return Ok(with(&[]));
        }
        let (page, at) = (row as usize / records.per_page(), row as usize % records.per_page());
        let offset = records.offset + (page * records.page_bytes()) as u64;
        self.page(offset, records.page_bytes(), section, |content| {
            with(&content[at * records.bytes..][..records.bytes])
        })
    }

    /// Reads the row of a document.
    pub(crate) fn row(&self, row: u32) -> Result<Row> {
        self.record("rows", self.footer.data, row, Row::of_bytes)
    }

    /// Passes the records of rows to `each`, in order; a page is read once for all requested rows in it.
    fn each_record(
        &self,
        (section, records): (&'static str, Records),
        rows: impl Iterator<Item = u32>,
        mut each: impl FnMut(u32, &[u8]),
    ) -> Result<()> {
        let mut rows = rows.peekable();
        while let Some(first) = rows.next() {
            if records.bytes == 0 {
                each(first, &[]);
                continue;
            }
            let page = first as usize / records.per_page();
            let offset = records.offset + (page * records.page_bytes()) as u64;
            self.page(offset, records.page_bytes(), section, |content| {
                let of = |row: u32| &content[row as usize % records.per_page() * records.bytes..][..records.bytes];
                each(first, of(first));
                while let Some(row) = rows.next_if(|row| *row as usize / records.per_page() == page) {
                    each(row, of(row));
                }
            })?;
        }
        Ok(())
    }

    /// Passes the sketches of rows to `each`, in order.
    pub(crate) fn each_sketch(&self, rows: impl Iterator<Item = u32>, each: impl FnMut(u32, &[u8])) -> Result<()> {
        self.each_record(("sketches", self.footer.sketches), rows, each)
    }

    /// Passes rows to `each`, in order.
    pub(crate) fn each_row(&self, rows: impl Iterator<Item = u32>, mut each: impl FnMut(u32, Row)) -> Result<()> {
        self.each_record(("rows", self.footer.data), rows, |row, bytes| each(row, Row::of_bytes(bytes)))
    }

    /// Reads and checks every page; returns the number of bytes.
    pub(crate) fn check(&self) -> Result<u64> {
        let rows = self.footer.rows;
        for column in 0..self.footer.columns.len() {
            let mut last = None;
            for page in 0..self.page_count(column) {
                let is_in_order = self.entries(column, page, |entries| {
                    let mut is_in_order =
                        entries.first().map(|entry| u64::from_le_bytes(*entry)) == Some(self.firsts(column)[page]);
                    for entry in entries.iter().map(|entry| u64::from_le_bytes(*entry)) {
                        is_in_order &= last < Some(entry) && row_of(entry) < rows;
                        last = Some(entry);
                    }
                    is_in_order
                })?;
                if !is_in_order {
                    let offset = self.footer.columns[column].offset + (page * ENTRY_PAGE) as u64;
                    return Err(Error::damaged(&self.path, self.section(column), offset, "entries are not in order"));
                }
            }
        }
        self.each_sketch(0..rows, |_, _| ())?;
        self.each_row(0..rows, |_, _| ())?;
        Ok(self.bytes)
    }
}

/// Reads the filter of a column in portions, since it may be large.
fn read_filter(path: &Path, file: &dyn DiskFile, column: &Column) -> Result<Filter> {
    const AT_ONCE: u64 = 1 << 17;
    let (offset, count) = (column.filter_offset(), column.filter_words);
    let (mut words, mut checksum) = (Vec::with_capacity(count as usize), Xxh3::with_seed(offset));
    let mut piece = vec![0; (count.min(AT_ONCE) * 8) as usize];
    while (words.len() as u64) < count {
        let at = words.len() as u64;
        let piece = &mut piece[..((count - at).min(AT_ONCE) * 8) as usize];
        file.read_exact_at(piece, offset + at * 8).at(path)?;
        checksum.update(piece);
        words.extend(piece.chunks_exact(8).map(|word| u64_at(word, 0)));
    }
    if checksum.digest() != column.filter_checksum {
        return Err(Error::damaged(path, "filters", offset, "the checksum of a filter is another"));
    }
    Ok(Filter::of_words(words))
}

/// True if the sections in the footer follow each other in the file, up to `end`.
fn fits(footer: &Footer, end: u64) -> bool {
    let mut next = HEADER_BYTES;
    let mut take = |offset: u64, pages: u64, page_bytes: usize| {
        let is_next = offset == next;
        next = pages.checked_mul(page_bytes as u64).and_then(|bytes| offset.checked_add(bytes)).unwrap_or(u64::MAX);
        is_next && next <= end
    };
    let rows = footer.rows;
    let mut pages = 0;
    footer.columns.iter().all(|column| {
        pages += column.pages().min(end);
        let is_possible = column.filter_words == 0 || column.filter_words == Filter::word_count(rows);
        is_possible
            && take(column.offset, column.pages(), ENTRY_PAGE)
            && take(column.filter_offset(), column.filter_words, 8)
    }) && footer.sketches.bytes <= 1 << 20
        && footer.data.bytes == ROW_BYTES
        && take(footer.sketches.offset, footer.sketches.pages(rows), footer.sketches.page_bytes())
        && take(footer.data.offset, footer.data.pages(rows), footer.data.page_bytes())
        && take(footer.tables, pages, 8)
        && next == end
}

/// Reads and checks every part of a segment in memory, for the fuzzer.
///
/// # Errors
///
/// If anything in it is invalid.
#[doc(hidden)]
pub fn check_bytes(bytes: Vec<u8>) -> Result<u64> {
    let (disk, path) = (crate::disk::Simulated::default(), Path::new("segment"));
    let check = |bytes: Vec<u8>| {
        disk.set_content(path, bytes);
        let segment = Segment::of_file(path, disk.open(path, false).at(path)?)?;
        for column in 0..segment.footer.columns.len() {
            segment.bucket(column, 0, |_| ())?;
            segment.bucket(column, u64::MAX, |_| ())?;
        }
        segment.check()
    };
    // Try again with a valid trailer for the footer: a fuzzer cannot guess checksums.
    let start = bytes.windows(7).rposition(|window| window == b"{\"rows\"").unwrap_or(bytes.len());
    let end = bytes.len().saturating_sub(TRAILER_BYTES as usize).max(start);
    let mut trailer = ((end - start) as u32).to_le_bytes().to_vec();
    trailer.extend_from_slice(&VERSION.to_le_bytes());
    let checksum = xxh3_64(&[&bytes[start..end], &trailer[..]].concat());
    trailer.extend_from_slice(&checksum.to_le_bytes());
    trailer.extend_from_slice(MAGIC);
    let _ = check([&bytes[..end], &trailer[..]].concat());
    check(bytes)
}
