//! Reads possibly damaged logs for a rebuild: copies valid frames to a new log, lists what is lost, and keeps the
//! damaged file.
//!
//! A frame is valid only at its own location, so frames after any damage are found again, even without the header of
//! the log. Everything between them is lost; the number and ids of these documents are determined from the segments and
//! from the remains of the frames.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::disk::Disk;
use crate::error::{At, Error, Result};
use crate::kernel::Kernel;
use crate::log::{
    ALIGN, FRAME_HEADER, Header, Kind, LOG_HEADER, LogFile, LogWriter, Run, deletes, each_raw_frame, scan,
    unpack_damaged,
};
use crate::manifest::{Folder, Manifest};
use crate::part::{Held, Part};
use crate::row::{Place, Row};
use crate::segment::Segment;
use crate::state::read_bitmap;
use crate::types::Lost;

/// Maximum number of ids listed per damaged range.
const MOST_NAMED: usize = 1000;

/// A log that may be partly damaged.
pub(crate) struct OldLog {
    pub(crate) log: LogFile,
    /// End of the committed data.
    pub(crate) end: u64,
    /// Ranges before the end without a valid frame.
    pub(crate) gaps: Vec<Range<u64>>,
    /// True if the header is damaged.
    is_headless: bool,
    /// True if something follows the end, such as an interrupted write.
    has_rest: bool,
}

impl OldLog {
    /// Opens a log and finds its valid frames. Without a manifest, an interrupted write cannot be distinguished from
    /// damage.
    pub(crate) fn open(
        disk: &dyn Disk,
        folder: &Folder,
        kernel: &Kernel,
        number: u32,
        manifest: Option<&Manifest>,
    ) -> Result<Self> {
        let path = folder.log(number);
        let (log, is_headless) = match LogFile::open(disk, &path, number, kernel.fingerprint, false) {
            Err(Error::Damaged { .. }) => (LogFile::open_damaged(disk, &path, number)?, true),
            log => (log?, false),
        };
        let found = scan(&log)?;
        let end = match manifest {
            Some(manifest) if manifest.log.number == number => found.last_commit.max(manifest.log.durable),
            Some(_) => found.length,
            None => found.last_frame,
        };
        let gaps =
            found.gaps.into_iter().filter(|gap| gap.start < end).map(|gap| gap.start..gap.end.min(end)).collect();
        Ok(Self { log, end, gaps, is_headless, has_rest: found.length > end })
    }

    /// True if any of it is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.is_headless || !self.gaps.is_empty()
    }

    /// Copies a damaged log to the folder for damaged files, byte by byte.
    pub(crate) fn keep_aside(&self, disk: &dyn Disk, folder: &Folder) -> Result<()> {
        const AT_ONCE: u64 = 1 << 20;
        let Some(name) = self.log.path.file_name() else { return Ok(()) };
        let damaged = folder.damaged();
        disk.create_dir(&damaged).at(&damaged)?;
        let path = damaged.join(name);
        let copy = disk.create(&path).at(&path)?;
        let length = self.log.file.length().at(&self.log.path)?;
        let mut at = 0;
        while at < length {
            let mut bytes = vec![0; (length - at).min(AT_ONCE) as usize];
            self.log.file.read_exact_at(&mut bytes, at).at(&self.log.path)?;
            copy.write_all_at(&bytes, at).at(&path)?;
            at += bytes.len() as u64;
        }
        copy.sync().at(&path)?;
        disk.sync_dir(&damaged).at(&damaged)?;
        disk.sync_dir(&folder.path).at(&folder.path)
    }

    /// Returns the log itself if it is undamaged, and otherwise a new one with its valid frames; and the new locations
    /// of the frames.
    pub(crate) fn into_whole(
        self,
        disk: &dyn Disk,
        folder: &Folder,
        kernel: &Kernel,
        next_file: &mut u32,
    ) -> Result<(LogFile, u64, HashMap<u32, u32>)> {
        let mut frames = HashMap::new();
        if !self.is_damaged() && !self.has_rest {
            return Ok((self.log, self.end, frames));
        }
        let number = *next_file;
        *next_file += 1;
        let log = Arc::new(LogFile::create(disk, &folder.log(number), number, kernel.fingerprint)?);
        let mut writer = LogWriter::new(Arc::clone(&log), LOG_HEADER);
        each_raw_frame(&self.log, self.end, &self.gaps, |offset, header, frame| {
            let now = writer.copy_of(header, frame)?;
            frames.insert((offset / ALIGN) as u32, (now / ALIGN) as u32);
            Ok(())
        })?;
        log.file.sync().at(&log.path)?;
        let log = LogFile { number, path: log.path.clone(), file: Arc::clone(&log.file) };
        Ok((log, writer.end, frames))
    }

    /// Determines what is lost of the log. Everything before `in_segments` has rows in segments; `is_superseded` is
    /// true for the hash of an id that was deleted or replaced later.
    pub(crate) fn lost(
        &self,
        folder: &Folder,
        kernel: &Kernel,
        (rows, in_segments): (&SegmentRows, u64),
        is_superseded: impl Fn(u64) -> bool,
    ) -> Vec<Lost> {
        let (file, kept_as) = (shown(folder, &self.log), format!("damaged/{:08}.log", self.log.number));
        let of_gap = |gap: &Range<u64>| {
            let remains = self.remains(gap);
            let is_inside =
                |place: &Place| place.log == self.log.number && gap.contains(&(u64::from(place.frame) * ALIGN));
            let inside = rows.live.iter().filter(|(_, place)| is_inside(place)).map(|(id_hash, _)| *id_hash);
            let live: HashSet<u64> = inside.filter(|id_hash| !is_superseded(*id_hash)).collect();
            // Documents in segments are counted by their rows, and identified by the hashes of their ids.
            let is_known = rows.is_complete && gap.end <= in_segments;
            let (mut ids, all) = (remains.ids, remains.document_count);
            let is_named = all == Some(ids.len() as u64);
            let hash = |id: &String| kernel.id_hash(id);
            ids.retain(|id| if is_known { live.contains(&hash(id)) } else { !is_superseded(hash(id)) });
            let document_count = match is_known {
                true => Some(live.len() as u64),
                false if is_named => Some(ids.len() as u64),
                false => all,
            };
            ids.truncate(MOST_NAMED);
            Lost {
                file: file.clone(),
                kept_as: Some(kept_as.clone()),
                from: gap.start,
                to: gap.end,
                document_count,
                deletion_count: remains.deletion_count,
                ids,
            }
        };
        self.gaps.iter().map(of_gap).collect()
    }

    /// Reads the readable parts of damaged frames; nothing in them is trusted.
    fn remains(&self, gap: &Range<u64>) -> Remains {
        let mut remains = Remains { document_count: Some(0), ..Remains::default() };
        let mut bytes = vec![0; (gap.end - gap.start) as usize];
        if self.log.file.read_exact_at(&mut bytes, gap.start).is_err() {
            return Remains::default();
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let frame = Header::of_bytes(rest)
                .and_then(|header| Some((header, rest.split_at_checked(header.frame_bytes() as usize)?)));
            let Some((header, (frame, after))) = frame else {
                remains.document_count = None;
                break;
            };
            let payload = &frame[FRAME_HEADER..FRAME_HEADER + header.payload_bytes as usize];
            remains.add(&header, payload);
            rest = after;
        }
        remains
    }
}

/// Readable contents of damaged frames.
#[derive(Default)]
struct Remains {
    document_count: Option<u64>,
    deletion_count: u64,
    ids: Vec<String>,
}

impl Remains {
    fn add(&mut self, header: &Header, payload: &[u8]) {
        match header.kind {
            Kind::Commit if payload.is_empty() => {}
            Kind::Deletes if !payload.is_empty() => {
                self.deletion_count += deletes(payload, header.count).map_or(1, |ids| ids.len() as u64);
            }
            Kind::Documents if !payload.is_empty() => {
                let run = unpack_damaged(header, payload);
                let count = run.as_ref().map_or(header.count, Run::len);
                self.document_count = self.document_count.map(|all| all + u64::from(count));
                let ids = run.iter().flat_map(|run| (0..run.len()).filter_map(|at| run.record(at)));
                self.ids.extend(ids.filter(|record| !record.id.is_empty()).map(|record| record.id.to_owned()));
            }
            // The damaged header claims a different kind of frame.
            Kind::Commit | Kind::Deletes | Kind::Documents => self.document_count = None,
        }
    }
}

fn shown(folder: &Folder, log: &LogFile) -> String {
    log.path.strip_prefix(&folder.path).unwrap_or(&log.path).to_string_lossy().into_owned()
}

/// Reports everything in a missing log as lost.
pub(crate) fn missing(folder: &Folder, number: u32, manifest: Option<&Manifest>) -> Lost {
    let path = folder.log(number);
    let info = manifest.and_then(|manifest| manifest.logs.iter().find(|info| info.number == number));
    Lost {
        file: path.strip_prefix(&folder.path).unwrap_or(&path).to_string_lossy().into_owned(),
        document_count: info.map(|info| info.documents.saturating_sub(info.dead)),
        deletion_count: info.map_or(0, |info| info.deletes),
        ..Lost::default()
    }
}

/// The rows of the readable segments: the location of each document, and which are deleted.
#[derive(Default)]
pub(crate) struct SegmentRows {
    /// The hash of the id, and the location.
    live: Vec<(u64, Place)>,
    /// Deleted or replaced documents. If the frame that deleted them is lost, this is the only record.
    pub(crate) dead: HashSet<Place>,
    /// True if all segments could be read.
    is_complete: bool,
}

impl SegmentRows {
    /// Reads the rows of all segments of a manifest.
    pub(crate) fn read(disk: &dyn Disk, folder: &Folder, kernel: &Kernel, manifest: Option<&Manifest>) -> Self {
        let mut rows = Self { is_complete: manifest.is_some(), ..Self::default() };
        for file in manifest.iter().flat_map(|manifest| &manifest.segments) {
            let read = || -> Result<Held> {
                let path = folder.segment(file.number);
                let segment = Segment::open(disk, &path, file.number, kernel.fingerprint, kernel.shape())?;
                let deleted = match file.deleted {
                    Some([bitmap, count]) => read_bitmap(disk, folder, file.number, bitmap, count, file.rows)?,
                    None => RoaringBitmap::new(),
                };
                let part = Part::Disk { segment: Arc::new(segment), number: file.number, bitmap: None };
                Ok(Held { part, deleted: Arc::new(deleted) })
            };
            let mut add = |held: Held| {
                held.each_row(held.live_rows(), |_, Row { id_hash, place, .. }| rows.live.push((id_hash, place)))?;
                held.each_row(held.deleted.iter(), |_, row| {
                    rows.dead.insert(row.place);
                })
            };
            // A damaged segment provides nothing: then the logs alone decide.
            if read().and_then(&mut add).is_err() {
                rows.is_complete = false;
            }
        }
        rows
    }
}
