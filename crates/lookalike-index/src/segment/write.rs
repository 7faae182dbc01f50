//! Writes a segment: columns first, then sketches and rows, then the tables and the footer.

use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::filter::Filter;
use super::{
    CHECKSUM_BYTES, Column, ENTRY_PAGE, Footer, HEADER_BYTES, MAGIC, PAGE_ENTRIES, Records, VERSION, page_checksum,
};
use crate::block::{Block, Shape};
use crate::disk::{Disk, DiskFile};
use crate::error::{At, Result};
use crate::row::{Entry, ROW_BYTES};

/// Number of bytes written at a time.
const AT_ONCE: usize = 1 << 20;

/// Writes one segment.
#[derive(Debug)]
pub(crate) struct SegmentWriter<'a> {
    path: &'a Path,
    file: Arc<dyn DiskFile>,
    /// Data not yet written; it starts at offset `written`.
    buffer: Vec<u8>,
    written: u64,
    page: Vec<u8>,
    firsts: Vec<Entry>,
    columns: Vec<Column>,
    shape: Shape,
    rows: u32,
}

impl<'a> SegmentWriter<'a> {
    /// Starts a segment.
    pub(crate) fn new(
        disk: &dyn Disk,
        path: &'a Path,
        (number, fingerprint): (u32, u64),
        shape: Shape,
        rows: u32,
    ) -> Result<Self> {
        let file = disk.create(path).at(path)?;
        let mut header = Vec::with_capacity(HEADER_BYTES as usize);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&number.to_le_bytes());
        header.extend_from_slice(&fingerprint.to_le_bytes());
        header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
        let (page, firsts, columns) = (Vec::with_capacity(ENTRY_PAGE), Vec::new(), Vec::new());
        Ok(Self { path, file, buffer: header, written: 0, page, firsts, columns, shape, rows })
    }

    fn offset(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Writes the next column from sorted entries.
    pub(crate) fn column(&mut self, entries: impl Iterator<Item = Result<Entry>>) -> Result<()> {
        let (offset, mut count) = (self.offset(), 0);
        let is_filtered = self.columns.len() < self.shape.filtered;
        let mut filter = if is_filtered { Filter::new(self.rows) } else { Filter::default() };
        for entry in entries {
            let entry = entry?;
            if count % PAGE_ENTRIES as u64 == 0 {
                self.end_page(ENTRY_PAGE)?;
                self.firsts.push(entry);
            }
            self.page.extend_from_slice(&entry.to_le_bytes());
            if is_filtered {
                filter.insert(entry);
            }
            count += 1;
        }
        self.end_page(ENTRY_PAGE)?;
        let words: Vec<u8> = filter.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let filter_checksum = page_checksum(&words, self.offset());
        self.buffer.extend_from_slice(&words);
        let filter_words = filter.words().len() as u64;
        self.columns.push(Column { offset, entries: count, filter_words, filter_checksum });
        Ok(())
    }

    /// Writes records of fixed length, one per row.
    fn records<R: AsRef<[u8]>>(&mut self, bytes: usize, records: impl Iterator<Item = Result<R>>) -> Result<Records> {
        let section = Records { offset: self.offset(), bytes };
        if bytes == 0 {
            return Ok(section);
        }
        for (at, record) in records.enumerate() {
            if at % section.per_page() == 0 {
                self.end_page(section.page_bytes())?;
            }
            self.page.extend_from_slice(record?.as_ref());
        }
        self.end_page(section.page_bytes())?;
        Ok(section)
    }

    fn end_page(&mut self, page_bytes: usize) -> Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        self.page.resize(page_bytes - CHECKSUM_BYTES, 0);
        let checksum = page_checksum(&self.page, self.offset());
        self.buffer.extend_from_slice(&self.page);
        self.buffer.extend_from_slice(&checksum.to_le_bytes());
        self.page.clear();
        if self.buffer.len() >= AT_ONCE { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        self.file.write_all_at(&self.buffer, self.written).at(self.path)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Writes sketches and rows, then completes the segment; returns its length. When this returns, the data is on
    /// disk, but the name may not be.
    pub(crate) fn finish<S: AsRef<[u8]>>(
        mut self,
        sketches: impl Iterator<Item = Result<S>>,
        data: impl Iterator<Item = Result<[u8; ROW_BYTES]>>,
    ) -> Result<u64> {
        let rows = self.rows;
        let sketches = self.records(self.shape.sketch_bytes, sketches)?;
        let data = self.records(ROW_BYTES, data)?;
        let tables = self.offset();
        let firsts: Vec<u8> = self.firsts.iter().flat_map(|first| first.to_le_bytes()).collect();
        let tables_checksum = page_checksum(&firsts, tables);
        self.buffer.extend_from_slice(&firsts);
        let footer =
            Footer { rows, columns: std::mem::take(&mut self.columns), sketches, data, tables, tables_checksum };
        let footer = serde_json::to_vec(&footer).expect("numbers can be written");
        self.buffer.extend_from_slice(&footer);
        let mut trailer = Vec::new();
        trailer.extend_from_slice(&(footer.len() as u32).to_le_bytes());
        trailer.extend_from_slice(&VERSION.to_le_bytes());
        let checksum = xxh3_64(&[&footer[..], &trailer[..]].concat());
        trailer.extend_from_slice(&checksum.to_le_bytes());
        trailer.extend_from_slice(MAGIC);
        self.buffer.extend_from_slice(&trailer);
        self.write()?;
        self.file.sync().at(self.path)?;
        Ok(self.written)
    }

    /// Writes a whole block.
    pub(crate) fn block(mut self, block: &Block) -> Result<u64> {
        for column in 0..self.shape.all() {
            self.column(block.column(column).iter().map(|entry| Ok(*entry)))?;
        }
        let rows = block.len();
        let sketches = (0..rows).map(|row| Ok(block.sketch(row)));
        self.finish(sketches, (0..rows).map(|row| Ok(block.row(row).bytes())))
    }
}
