//! Reads and writes Parquet files.
//!
//! ```text
//! open → rows           kept rows → filter
//! ```
//!
//! Columns are read and written as levels and values of a physical type. Everything in a file, including types unknown
//! to lookalike, is therefore preserved. Files are untrusted: [`thrift`] and [`pages`] limit what they may claim, and
//! [`guard`] catches the panics of the `parquet` crate on the rest.

mod arrow;
mod column;
mod encoded;
mod filter;
mod guard;
mod pages;
mod render;
mod row;
mod rows;
mod settings;
pub mod stored;
mod table;
mod thrift;
mod unfold;
mod unpack;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub(crate) use filter::write_rows;
pub use guard::hide_caught_panics;
pub(crate) use row::{NextRow, NoText, Row};
pub(crate) use rows::Rows;
pub(crate) use table::TableRows;

use std::fs::File;
use std::sync::Arc;

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use guard::guarded;

/// Length of the footer and `PAR1`.
const TAIL_BYTES: u64 = 8;

/// A file with its footer.
struct Opened {
    file: Arc<File>,
    file_bytes: u64,
    metadata: ParquetMetaData,
    row_count: u64,
}

/// Reads the footer; the error is the reason why that is impossible.
fn open(file: File) -> Result<Opened, String> {
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let file_bytes = file.metadata().map_err(cannot)?.len();
    if file_bytes < TAIL_BYTES + 4 {
        return Err("not Parquet: the file is too short".to_owned());
    }
    let tail = pages::read_at(&file, file_bytes - TAIL_BYTES, TAIL_BYTES).map_err(cannot)?;
    match &tail[4..] {
        b"PAR1" => {}
        b"PARE" => return Err("the file is encrypted".to_owned()),
        _ if pages::read_at(&file, 0, 4).map_err(cannot)? == b"PAR1" => {
            return Err("the file is cut short: its footer is missing".to_owned());
        }
        _ => return Err("not Parquet: there is no footer".to_owned()),
    }
    let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    let start = (file_bytes - TAIL_BYTES).checked_sub(length).ok_or("the footer is damaged: longer than the file")?;
    let footer = pages::read_at(&file, start, length).map_err(cannot)?;
    thrift::check_footer(&footer).map_err(|_| "the footer is damaged")?;
    let metadata = guarded(|| ParquetMetaDataReader::decode_metadata(&footer))
        .map_err(|reason| format!("the footer is damaged: {reason}"))?;
    let row_count = row_count(&metadata)?;
    Ok(Opened { file: Arc::new(file), file_bytes, metadata, row_count })
}

/// Number of row groups of a file; the error is the reason why it is unknown.
pub(crate) fn row_groups(file: File) -> Result<usize, String> {
    open(file).map(|opened| opened.metadata.num_row_groups())
}

/// Number of rows of all row groups. lookalike never handles more than 2^32 documents.
fn row_count(metadata: &ParquetMetaData) -> Result<u64, String> {
    let mut sum = 0_u64;
    for group in metadata.row_groups() {
        let row_count = u64::try_from(group.num_rows()).map_err(|_| "the footer is damaged: fewer than no rows")?;
        sum = sum.saturating_add(row_count);
    }
    if sum > u64::from(u32::MAX) { Err(format!("{sum} rows are more than lookalike counts")) } else { Ok(sum) }
}
