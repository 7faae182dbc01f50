//! Reads the pages of a column of a row group, each checked before it is passed to the `parquet` crate.
//!
//! The crate has its own page reader, which trusts page headers, as do its decoders. Here, the sizes that a header or
//! an encoding claims are checked against the available bytes. Note the [`Allowance`]: before each call, the reader of
//! a column sets how many bytes may be returned, since the crate reads any number of pages, and every value keeps its
//! page in memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;

use super::encoded;
use super::thrift::{self, Broken, Header};
use super::unpack::{Unpacker, unpack};

/// Maximum length of a page. Writers cut pages at about a megabyte, but no page is shorter than its longest value.
const LONGEST_PAGE: u64 = 1 << 30;

/// Maximum length of a header, which may contain the minimum and maximum values.
const LONGEST_HEADER: u64 = 1 << 24;

/// Maximum size of one row of a list column: a row is never split.
pub(super) const LARGEST_ROW: u64 = 1 << 30;

/// Memory of a value in addition to its bytes: the size of a `ByteArray` in the crate.
pub(super) const VALUE_BYTES: u64 = 32;

/// Number of bytes of pages that may still be returned.
#[derive(Clone, Debug, Default)]
pub(super) struct Allowance(Arc<AtomicU64>);

impl Allowance {
    pub(super) fn set(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn spend(&self, bytes: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).saturating_sub(bytes), Ordering::Relaxed);
    }
}

/// The pages of one column chunk.
pub(super) struct Pages {
    file: Arc<File>,
    at: u64,
    end: u64,
    chunk: ColumnChunkMetaData,
    codec: Compression,
    allowance: Allowance,
    /// The next header with its length, if it has been read ahead.
    header: Option<(u64, Header)>,
    unpacker: Unpacker,
}

fn damaged(reason: impl Into<String>) -> ParquetError {
    ParquetError::General(reason.into())
}

/// Reads bytes that are known to be within the file.
pub(super) fn read_at(mut file: &File, offset: u64, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length as usize);
    file.seek(SeekFrom::Start(offset))?;
    file.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length { Err(std::io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

/// The range of a column chunk. Some writers set the offset to 0 if there is no dictionary.
pub(super) fn range(chunk: &ColumnChunkMetaData, file_bytes: u64) -> std::result::Result<(u64, u64), String> {
    let data = chunk.data_page_offset();
    let start = chunk.dictionary_page_offset().filter(|offset| *offset > 0 && *offset < data).unwrap_or(data);
    let range = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
    range
        .and_then(|(start, length)| Some((start, start.checked_add(length)?)))
        .filter(|(_, end)| *end <= file_bytes)
        .ok_or_else(|| format!("column '{}' does not lie within the file", chunk.column_path().string()))
}

impl Pages {
    pub(super) fn new(
        file: Arc<File>,
        file_bytes: u64,
        chunk: &ColumnChunkMetaData,
        allowance: Allowance,
    ) -> std::result::Result<Self, String> {
        if chunk.file_path().is_some() {
            return Err(format!("column '{}' lies in another file", chunk.column_path().string()));
        }
        let (at, end) = range(chunk, file_bytes)?;
        let codec = chunk.compression();
        Ok(Self { file, at, end, chunk: chunk.clone(), codec, allowance, header: None, unpacker: Unpacker::default() })
    }

    fn is_repeated(&self) -> bool {
        self.chunk.column_descr().max_rep_level() > 0
    }

    /// The header of the next non-empty page.
    fn header(&mut self) -> Result<Option<(u64, Header)>> {
        while self.header.is_none() {
            if self.at >= self.end {
                return Ok(None);
            }
            let (length, header) = self.read_header()?;
            let left = self.end - self.at - length;
            let packed = u64::try_from(header.packed_bytes).ok().filter(|packed| *packed <= left);
            let packed = packed.ok_or_else(|| damaged("a page goes beyond the end of its column"))?;
            // Skip index pages and pages without values: the crate would mistake the latter for the end.
            if matches!(header.kind, 0 | 2 | 3) && (header.value_count != 0 || header.kind == 2) {
                self.header = Some((length, header));
            } else {
                self.at += length + packed;
            }
        }
        Ok(self.header)
    }

    fn read_header(&self) -> Result<(u64, Header)> {
        let left = self.end - self.at;
        let mut length = left.min(1 << 10);
        loop {
            let bytes = read_at(&self.file, self.at, length)?;
            match thrift::page_header(&bytes) {
                Ok((length, header)) => return Ok((length as u64, header)),
                Err(Broken::Cut) if length < left && length < LONGEST_HEADER => length = left.min(length << 4),
                Err(_) => return Err(damaged("the header of a page is damaged")),
            }
        }
    }

    fn read_page(&mut self, length: u64, header: &Header) -> Result<Page> {
        let unpacked = u64::try_from(header.unpacked_bytes).unwrap_or(u64::MAX);
        if unpacked > LONGEST_PAGE {
            return Err(damaged(format!("a page of {} bytes", header.unpacked_bytes)));
        }
        let value_count = u32::try_from(header.value_count).map_err(|_| damaged("a page with less than no values"))?;
        let packed = read_at(&self.file, self.at + length, header.packed_bytes as u64)?;
        self.at += length + packed.len() as u64;
        let encoding = encoding(header.encoding)?;
        match header.kind {
            2 => {
                let buf = self.unpack(&packed, 0, header)?;
                encoded::check_dictionary(self.chunk.column_descr(), buf.len(), value_count).map_err(damaged)?;
                Ok(Page::DictionaryPage { buf, num_values: value_count, encoding, is_sorted: false })
            }
            0 => {
                let page = Page::DataPage {
                    buf: self.unpack(&packed, 0, header)?,
                    num_values: value_count,
                    encoding,
                    def_level_encoding: self::encoding(header.definition_encoding)?,
                    rep_level_encoding: self::encoding(header.repetition_encoding)?,
                    statistics: None,
                };
                encoded::check_page(&self.chunk, &page).map_err(damaged)?;
                Ok(page)
            }
            _ => {
                let counts = [header.null_count, header.row_count, header.definition_bytes, header.repetition_bytes];
                let [null_count, row_count, definition, repetition] = counts.map(u32::try_from);
                let (Ok(null_count), Ok(row_count), Ok(definition), Ok(repetition)) =
                    (null_count, row_count, definition, repetition)
                else {
                    return Err(damaged("a page counts less than nothing"));
                };
                let levels = u64::from(definition) + u64::from(repetition);
                if null_count > value_count || levels > unpacked || levels > packed.len() as u64 {
                    return Err(damaged("a page counts more than it has"));
                }
                let page = Page::DataPageV2 {
                    buf: self.unpack(&packed, levels as usize, header)?,
                    num_values: value_count,
                    encoding,
                    num_nulls: null_count,
                    num_rows: row_count,
                    def_levels_byte_len: definition,
                    rep_levels_byte_len: repetition,
                    is_compressed: !header.is_plain,
                    statistics: None,
                };
                encoded::check_page(&self.chunk, &page).map_err(damaged)?;
                Ok(page)
            }
        }
    }

    /// Decompresses a page, whose first `plain` bytes are never compressed.
    fn unpack(&mut self, packed: &[u8], plain: usize, header: &Header) -> Result<Bytes> {
        let codec = if header.is_plain { Compression::UNCOMPRESSED } else { self.codec };
        let length = header.unpacked_bytes as usize;
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&packed[..plain]);
        unpack(&mut self.unpacker, codec, &packed[plain..], length - plain, &mut bytes).map_err(damaged)?;
        Ok(bytes.into())
    }
}

fn encoding(number: i32) -> Result<Encoding> {
    let known = Encoding::VARIANTS.iter().find(|encoding| **encoding as i32 == number);
    known.copied().ok_or_else(|| damaged(format!("encoding {number} is not known")))
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        if self.allowance.is_spent() && !self.is_repeated() {
            // Not the end: the next call continues here. Nothing was read ahead, so damage is reported by that call.
            return Ok(None);
        }
        let Some((length, header)) = self.header()? else { return Ok(None) };
        let is_dictionary = header.kind == 2;
        if self.allowance.is_spent() && !is_dictionary {
            // A row of a list may continue in the next page, so stopping here would split it.
            return Err(damaged("a row is larger than a gigabyte"));
        }
        self.header = None;
        let page = self.read_page(length, &header)?;
        if !is_dictionary {
            let values = if self.is_repeated() { u64::from(page.num_values()) * VALUE_BYTES } else { 0 };
            self.allowance.spend((page.buffer().len() as u64 + values).max(1));
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        let header = self.header()?.map(|(_, header)| header);
        Ok(header.map(|header| PageMetadata {
            num_rows: (header.kind == 3).then_some(usize::try_from(header.row_count).unwrap_or(0)),
            num_levels: None,
            is_dict: header.kind == 2,
        }))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        Err(damaged("pages are read one after the other"))
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
