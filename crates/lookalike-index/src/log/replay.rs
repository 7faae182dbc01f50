//! What a log has from a place on: commits that are whole. What was torn off in the middle of a write is left out; what was damaged
//! later is an error.
//!
//! How the two are told apart: a commit is synced before the next is written. So a frame that is not valid, with a valid one of a
//! later commit behind it, was on the disk as it should be and is not any more. The same is true of all that lies before the
//! end that a manifest vouches for.

use super::file::LogFile;
use super::frame::{ALIGN, FRAME_HEADER, Header, Kind, unpack};
use super::record::{Run, deletes};
use crate::error::{At, Error, Result};
use crate::row::Place;

/// Something that was written to a log.
#[derive(Debug)]
pub(crate) enum Operation {
    /// Documents, the first of which has this place.
    Documents(Run, Place),
    /// Deletes: sequence and id.
    Deletes(Vec<(u64, String)>),
}

impl Operation {
    /// The documents, each with its run and its place.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&Run, Place)> {
        let run = match self {
            Self::Documents(run, place) => Some((run, *place)),
            Self::Deletes(_) => None,
        };
        run.into_iter().flat_map(|(run, place)| (0..run.len()).map(move |index| (run, Place { index, ..place })))
    }
}

/// Where a replay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replayed {
    /// Behind the last commit.
    pub(crate) end: u64,
    /// The number of the next commit.
    pub(crate) commit: u64,
    /// How long the file is: what lies behind the end is torn.
    pub(crate) length: u64,
}

/// Gives each commit from `offset` on to `each`, in order. A manifest vouches for all before `durable`.
pub(crate) fn replay(
    log: &LogFile,
    offset: u64,
    durable: u64,
    mut commit: u64,
    mut each: impl FnMut(Vec<Operation>) -> Result<()>,
) -> Result<Replayed> {
    let length = log.file.length().at(&log.path)?;
    if length < durable {
        return Err(Error::damaged(&log.path, "frame", length, "the log is cut short"));
    }
    let (mut end, mut next, mut operations) = (offset, offset, Vec::new());
    while let Some((header, frame)) = log.frame(next, length)? {
        if header.commit != commit {
            // The rest of a commit that was cut off, written over by a shorter one.
            break;
        }
        let payload = &frame[FRAME_HEADER..FRAME_HEADER + header.payload_bytes as usize];
        operations.extend(operation(log, next, &header, payload)?);
        next += header.frame_bytes();
        if header.kind == Kind::Commit {
            each(std::mem::take(&mut operations))?;
            (end, commit) = (next, commit + 1);
        }
    }
    if end < durable || has_later_commit(log, next, length, commit)? {
        return Err(Error::damaged(&log.path, "frame", next, "its checksum is another"));
    }
    Ok(Replayed { end, commit, length })
}

fn operation(log: &LogFile, offset: u64, header: &Header, payload: &[u8]) -> Result<Option<Operation>> {
    let damaged = |reason: String| Error::damaged(&log.path, "frame", offset, reason);
    Ok(match header.kind {
        Kind::Documents => {
            let run = unpack(header, payload).map_err(damaged)?;
            Some(Operation::Documents(run, Place { log: log.number, frame: (offset / ALIGN) as u32, index: 0 }))
        }
        Kind::Deletes => {
            let deletes = deletes(payload, header.count);
            Some(Operation::Deletes(deletes.ok_or_else(|| damaged("its ids do not fit it".to_owned()))?))
        }
        Kind::Commit => None,
    })
}

/// Whether a valid frame of a later commit lies somewhere behind `offset`.
fn has_later_commit(log: &LogFile, offset: u64, length: u64, commit: u64) -> Result<bool> {
    const AT_ONCE: u64 = 1 << 20;
    let mut start = offset;
    while start < length {
        let mut bytes = vec![0; (length - start).min(AT_ONCE + FRAME_HEADER as u64) as usize];
        log.file.read_exact_at(&mut bytes, start).at(&log.path)?;
        for at in (0..bytes.len().min(AT_ONCE as usize)).step_by(ALIGN as usize) {
            let Some(header) = Header::of_bytes(&bytes[at..]) else { continue };
            if header.commit > commit && log.frame(start + at as u64, length)?.is_some() {
                return Ok(true);
            }
        }
        start += AT_ONCE;
    }
    Ok(false)
}

/// Gives every valid frame of a log to `each`, from its beginning, up to `end`.
pub(crate) fn each_frame(log: &LogFile, end: u64, mut each: impl FnMut(Option<Operation>) -> Result<()>) -> Result<()> {
    let mut offset = super::file::LOG_HEADER;
    while offset < end {
        let found = log.frame(offset, end)?;
        let (header, frame) =
            found.ok_or_else(|| Error::damaged(&log.path, "frame", offset, "its checksum is another"))?;
        let payload = &frame[FRAME_HEADER..FRAME_HEADER + header.payload_bytes as usize];
        each(operation(log, offset, &header, payload)?)?;
        offset += header.frame_bytes();
    }
    Ok(())
}
