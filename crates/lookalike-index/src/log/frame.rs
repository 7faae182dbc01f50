//! Frames: the units appended to a log, each with a length and a checksum.
//!
//! ```text
//! magic u32 | kind u8, zero u8 × 3 | payload bytes u32 | count u32 | commit u64 | checksum u64 | payload | zeros up to 8 bytes
//! ```
//!
//! The checksum is seeded with the number of the log and the offset of the frame, so that a frame is valid only at its
//! own location.

use std::cell::RefCell;

use xxhash_rust::xxh3::Xxh3;

use super::record::Run;
use crate::row::{u32_at, u64_at};

/// Frames begin at multiples of this.
pub(crate) const ALIGN: u64 = 8;

/// The first bytes of a frame.
const MAGIC: u32 = u32::from_le_bytes(*b"lkfr");

/// Bytes before the payload.
pub(crate) const FRAME_HEADER: usize = 32;

/// Contents of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Documents, compressed.
    Documents,
    /// Ids of deleted documents.
    Deletes,
    /// Nothing: the frames since the last commit are valid as a whole.
    Commit,
}

impl Kind {
    fn code(self) -> u8 {
        match self {
            Self::Documents => 1,
            Self::Deletes => 2,
            Self::Commit => 3,
        }
    }

    fn of_code(code: u8) -> Option<Self> {
        [Self::Documents, Self::Deletes, Self::Commit].into_iter().find(|kind| kind.code() == code)
    }
}

/// Header of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) payload_bytes: u32,
    pub(crate) count: u32,
    pub(crate) commit: u64,
    checksum: u64,
}

impl Header {
    /// Parses the header at the start of these bytes, if it is plausible; only the checksum tells if the frame is
    /// valid.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < FRAME_HEADER || u32_at(bytes, 0) != MAGIC {
            return None;
        }
        Some(Self {
            kind: Kind::of_code(bytes[4])?,
            payload_bytes: u32_at(bytes, 8),
            count: u32_at(bytes, 12),
            commit: u64_at(bytes, 16),
            checksum: u64_at(bytes, 24),
        })
    }

    /// Length of the frame, including padding.
    pub(crate) fn frame_bytes(&self) -> u64 {
        (FRAME_HEADER as u64 + u64::from(self.payload_bytes)).next_multiple_of(ALIGN)
    }

    /// True if these bytes are the frame that was written at this location.
    pub(crate) fn is_valid(&self, frame: &[u8], log: u32, offset: u64) -> bool {
        frame.len() as u64 == self.frame_bytes() && checksum(frame, log, offset) == self.checksum
    }
}

fn checksum(frame: &[u8], log: u32, offset: u64) -> u64 {
    let mut hasher = Xxh3::with_seed(u64::from(log) << 40 ^ offset);
    hasher.update(&frame[..FRAME_HEADER - 8]);
    hasher.update(&frame[FRAME_HEADER..]);
    hasher.digest()
}

/// Appends a frame that will be at `offset` of a log.
pub(crate) fn push_frame(
    buffer: &mut Vec<u8>,
    (kind, count, commit): (Kind, u32, u64),
    payload: &[u8],
    (log, offset): (u32, u64),
) {
    let start = buffer.len();
    buffer.extend_from_slice(&MAGIC.to_le_bytes());
    buffer.extend_from_slice(&[kind.code(), 0, 0, 0]);
    buffer.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    buffer.extend_from_slice(&count.to_le_bytes());
    buffer.extend_from_slice(&commit.to_le_bytes());
    buffer.extend_from_slice(&[0; 8]);
    buffer.extend_from_slice(payload);
    buffer.resize(start + (buffer.len() - start).next_multiple_of(ALIGN as usize), 0);
    let checksum = checksum(&buffer[start..], log, offset);
    buffer[start + FRAME_HEADER - 8..start + FRAME_HEADER].copy_from_slice(&checksum.to_le_bytes());
}

/// Compresses and decompresses runs of documents; one per thread, because of its tables.
pub(crate) struct Packer {
    compressor: zstd::bulk::Compressor<'static>,
}

/// Compression level: the fastest. The next levels take twice the time to save a tenth of the bytes.
const LEVEL: i32 = 1;

impl Packer {
    pub(crate) fn new() -> Self {
        let compressor = zstd::bulk::Compressor::new(LEVEL).expect("the level is one that there is");
        Self { compressor }
    }

    /// Compresses the payload of a frame of documents.
    pub(crate) fn pack(&mut self, raw: &[u8]) -> Vec<u8> {
        let mut payload = (raw.len() as u32).to_le_bytes().to_vec();
        payload.extend(self.compressor.compress(raw).expect("there is room for what is packed"));
        payload
    }
}

thread_local! {
    /// Setting up the tables takes longer than decompressing a short document.
    static UNPACKER: RefCell<zstd::bulk::Decompressor<'static>> =
        RefCell::new(zstd::bulk::Decompressor::new().expect("there is memory for its tables"));
}

/// Decompresses a frame of documents.
pub(crate) fn unpack(header: &Header, payload: &[u8]) -> Result<Run, String> {
    Run::new(unpacked(payload)?, header.count).ok_or_else(|| "the records of a run do not fit it".to_owned())
}

/// Decompresses a damaged frame, if it is still readable: the number of documents may differ from the header.
pub(crate) fn unpack_damaged(header: &Header, payload: &[u8]) -> Option<Run> {
    /// Maximum size of the documents: the length in the frame cannot be trusted.
    const MOST_BYTES: u32 = 1 << 28;
    if payload.len() < 4 || u32_at(payload, 0) > MOST_BYTES {
        return None;
    }
    let raw = unpacked(payload).ok()?;
    let counts = std::iter::once(header.count).chain(1..=Run::most_documents(&raw));
    counts.filter(|count| *count > 0).find_map(|count| Run::new(raw.clone(), count))
}

fn unpacked(payload: &[u8]) -> Result<Vec<u8>, String> {
    if payload.len() < 4 {
        return Err("a run of documents is cut short".to_owned());
    }
    let raw_bytes = u32_at(payload, 0) as usize;
    let unpacked = UNPACKER.with_borrow_mut(|unpacker| unpacker.decompress(&payload[4..], raw_bytes));
    let raw = unpacked.map_err(|error| error.to_string())?;
    if raw.len() != raw_bytes {
        return Err("a run of documents has another length than it says".to_owned());
    }
    Ok(raw)
}

/// Reads a log in memory from its first frame on, for the fuzzer. Returns the number of documents and deletes.
#[doc(hidden)]
pub fn check_bytes(bytes: &[u8]) -> u64 {
    let (mut offset, mut count) = (0, 0);
    while let Some(header) = bytes.get(offset..).and_then(Header::of_bytes) {
        let Some(frame) = bytes.get(offset..).and_then(|rest| rest.get(..header.frame_bytes() as usize)) else { break };
        // The following code must handle any bytes, so the checksum is not checked.
        let payload = &frame[FRAME_HEADER..FRAME_HEADER + header.payload_bytes as usize];
        match header.kind {
            Kind::Documents => {
                // Do not allocate a gigabyte because a fuzzer claims it.
                if payload.len() >= 4
                    && u32_at(payload, 0) < 1 << 24
                    && let Ok(run) = unpack(&header, payload)
                {
                    let has_id = |at: &u32| run.record(*at).is_some_and(|record| !record.id.is_empty());
                    count += (0..run.len()).filter(has_id).count() as u64;
                }
            }
            Kind::Deletes => count += super::record::deletes(payload, header.count).map_or(0, |ids| ids.len() as u64),
            Kind::Commit => {}
        }
        offset += header.frame_bytes() as usize;
    }
    count
}
