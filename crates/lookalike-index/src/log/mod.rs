//! The log: appended frames that hold documents and deletes. It is both the write-ahead log and the store of texts: a
//! document is written once and is not moved.

mod cache;
mod file;
mod frame;
mod record;
mod replay;

pub(crate) use cache::Cache;
pub(crate) use file::{LOG_HEADER, LogFile, LogWriter};
pub use frame::check_bytes;
pub(crate) use frame::{ALIGN, FRAME_HEADER, Header, Kind, unpack_damaged};
pub(crate) use record::{Body, Record, Run, deletes};
pub(crate) use replay::{Operation, each_frame, each_frame_around, each_raw_frame, replay, scan};
