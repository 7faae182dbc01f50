//! Replays the complete commits of a log from an offset. A write that was interrupted is ignored; later damage is an
//! error.
//!
//! The two are distinguished as follows: a commit is synced before the next one is written. An invalid frame that is
//! followed by a valid frame of a later commit was therefore once durable, and is damaged. The same holds for
//! everything before the durable end that a manifest records.

use std::ops::Range;

use super::file::{LOG_HEADER, LogFile};
use super::frame::{ALIGN, FRAME_HEADER, Header, Kind, unpack};
use super::record::{Run, deletes};
use crate::error::{At, Error, Result};
use crate::row::Place;

/// An operation in a log.
#[derive(Debug)]
pub(crate) enum Operation {
    /// Documents, and the location of the first one.
    Documents(Run, Place),
    /// Deletes: sequence and id.
    Deletes(Vec<(u64, String)>),
}

impl Operation {
    /// The documents, each with its run and its location.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&Run, Place)> {
        let run = match self {
            Self::Documents(run, place) => Some((run, *place)),
            Self::Deletes(_) => None,
        };
        run.into_iter().flat_map(|(run, place)| (0..run.len()).map(move |index| (run, Place { index, ..place })))
    }
}

/// The end of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replayed {
    /// Offset after the last commit.
    pub(crate) end: u64,
    /// Number of the next commit.
    pub(crate) commit: u64,
    /// Length of the file: anything after `end` is torn.
    pub(crate) length: u64,
}

/// Passes each commit from `offset` on to `each`, in order. A manifest records everything before `durable` as durable.
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
            // The rest of an interrupted commit that was overwritten by a shorter one.
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

/// True if there is a valid frame of a later commit after `offset`.
fn has_later_commit(log: &LogFile, offset: u64, length: u64, commit: u64) -> Result<bool> {
    Ok(next_frame(log, offset, length, |header| header.commit > commit)?.is_some())
}

/// Finds the first valid frame from `offset` on that satisfies `is_wanted`.
fn next_frame(log: &LogFile, offset: u64, length: u64, is_wanted: impl Fn(&Header) -> bool) -> Result<Option<u64>> {
    const AT_ONCE: u64 = 1 << 20;
    let mut start = offset;
    while start < length {
        let mut bytes = vec![0; (length - start).min(AT_ONCE + FRAME_HEADER as u64) as usize];
        log.file.read_exact_at(&mut bytes, start).at(&log.path)?;
        for at in (0..bytes.len().min(AT_ONCE as usize)).step_by(ALIGN as usize) {
            let Some(header) = Header::of_bytes(&bytes[at..]) else { continue };
            if is_wanted(&header) && log.frame(start + at as u64, length)?.is_some() {
                return Ok(Some(start + at as u64));
            }
        }
        start += AT_ONCE;
    }
    Ok(None)
}

/// Passes every frame of a log up to `end` to `each`. All must be valid.
pub(crate) fn each_frame(log: &LogFile, end: u64, each: impl FnMut(Option<Operation>) -> Result<()>) -> Result<()> {
    each_frame_around(log, end, &[], each)
}

/// Passes the frames of a log that is damaged in `gaps`, which are skipped.
pub(crate) fn each_frame_around(
    log: &LogFile,
    end: u64,
    gaps: &[Range<u64>],
    mut each: impl FnMut(Option<Operation>) -> Result<()>,
) -> Result<()> {
    each_raw_frame(log, end, gaps, |offset, header, frame| {
        let payload = &frame[FRAME_HEADER..FRAME_HEADER + header.payload_bytes as usize];
        each(operation(log, offset, header, payload)?)
    })
}

/// Passes the raw bytes of each frame as well.
pub(crate) fn each_raw_frame(
    log: &LogFile,
    end: u64,
    gaps: &[Range<u64>],
    mut each: impl FnMut(u64, &Header, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut gaps = gaps.iter().peekable();
    let mut offset = LOG_HEADER;
    while offset < end {
        if let Some(gap) = gaps.next_if(|gap| gap.start == offset) {
            offset = gap.end;
            continue;
        }
        let found = log.frame(offset, end)?;
        let (header, frame) =
            found.ok_or_else(|| Error::damaged(&log.path, "frame", offset, "its checksum is another"))?;
        each(offset, &header, &frame)?;
        offset += header.frame_bytes();
    }
    Ok(())
}

/// The frames of a possibly damaged log.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Ranges without a valid frame, in order. The last one may be an interrupted write.
    pub(crate) gaps: Vec<Range<u64>>,
    /// End of the last valid frame, and of the last valid commit frame.
    pub(crate) last_frame: u64,
    pub(crate) last_commit: u64,
    pub(crate) length: u64,
}

/// Finds all valid frames of a log, including those after damage.
pub(crate) fn scan(log: &LogFile) -> Result<Scan> {
    let length = log.file.length().at(&log.path)?;
    let mut scan = Scan { length, last_frame: LOG_HEADER, last_commit: LOG_HEADER, ..Scan::default() };
    let mut offset = LOG_HEADER;
    let mut commit = 0;
    while offset < length {
        if let Some((header, _)) = log.frame(offset, length)? {
            offset += header.frame_bytes();
            scan.last_frame = offset;
            // A lower number is the rest of an interrupted commit that was overwritten by a shorter one.
            if header.kind == Kind::Commit && header.commit > commit {
                (commit, scan.last_commit) = (header.commit, offset);
            }
        } else {
            let next = next_frame(log, offset + ALIGN, length, |_| true)?.unwrap_or(length);
            scan.gaps.push(offset..next);
            offset = next;
        }
    }
    Ok(scan)
}
