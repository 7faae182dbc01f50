//! Log files: read by the offset of a frame, and appended to by one writer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::cache::Cache;
use super::frame::{ALIGN, FRAME_HEADER, Header, Kind, Packer, push_frame, unpack};
use super::record::{Record, Run, deletes_payload, push_record, record_bytes};
use crate::disk::{Disk, DiskFile};
use crate::error::{At, Error, Result};
use crate::row::{Place, u32_at, u64_at};

const MAGIC: &[u8; 8] = b"lkalklog";

/// The version of the layout.
pub(crate) const VERSION: u32 = 1;

/// Magic, version, number, fingerprint, checksum.
pub(crate) const LOG_HEADER: u64 = 32;

/// Documents are compressed together up to about this many bytes: more would compress better, but a single document
/// would take longer to read.
const RUN_BYTES: usize = 16 << 10;

/// An open log.
#[derive(Debug)]
pub(crate) struct LogFile {
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) file: Arc<dyn DiskFile>,
}

fn header(number: u32, fingerprint: u64) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.extend_from_slice(&number.to_le_bytes());
    header.extend_from_slice(&fingerprint.to_le_bytes());
    header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
    header
}

impl LogFile {
    /// Creates a new log, which is on disk when this returns.
    pub(crate) fn create(disk: &dyn Disk, path: &Path, number: u32, fingerprint: u64) -> Result<Self> {
        let file = disk.create(path).at(path)?;
        file.write_all_at(&header(number, fingerprint), 0).at(path)?;
        file.sync().at(path)?;
        let folder = path.parent().expect("a log lies in a folder");
        disk.sync_dir(folder).at(folder)?;
        Ok(Self { number, path: path.to_owned(), file })
    }

    /// Opens a log and checks its header.
    pub(crate) fn open(disk: &dyn Disk, path: &Path, number: u32, fingerprint: u64, is_written: bool) -> Result<Self> {
        let file = disk.open(path, is_written).at(path)?;
        let mut found = [0; LOG_HEADER as usize];
        if file.length().at(path)? < LOG_HEADER {
            return Err(Error::damaged(path, "log header", 0, "the file is cut short"));
        }
        file.read_exact_at(&mut found, 0).at(path)?;
        if found[..8] != *MAGIC || u64_at(&found, 24) != xxh3_64(&found[..24]) {
            return Err(Error::damaged(path, "log header", 0, "its checksum is another"));
        }
        let version = u32_at(&found, 8);
        if version > VERSION {
            return Err(Error::Newer { path: path.to_owned(), what: "log", found: version, known: VERSION });
        }
        if found[..] != header(number, fingerprint)[..] {
            return Err(Error::damaged(path, "log header", 12, "it belongs to another index or has another number"));
        }
        Ok(Self { number, path: path.to_owned(), file })
    }

    /// Opens a log whose header is damaged: frames can be recognized without it.
    pub(crate) fn open_damaged(disk: &dyn Disk, path: &Path, number: u32) -> Result<Self> {
        Ok(Self { number, path: path.to_owned(), file: disk.open(path, false).at(path)? })
    }

    /// Reads the frame at an offset, if it is complete and valid; `end` is the end of the file.
    pub(crate) fn frame(&self, offset: u64, end: u64) -> Result<Option<(Header, Vec<u8>)>> {
        let mut head = [0; FRAME_HEADER];
        if offset + FRAME_HEADER as u64 > end {
            return Ok(None);
        }
        self.file.read_exact_at(&mut head, offset).at(&self.path)?;
        let Some(header) = Header::of_bytes(&head) else { return Ok(None) };
        if header.frame_bytes() > end - offset {
            return Ok(None);
        }
        let mut frame = vec![0; header.frame_bytes() as usize];
        self.file.read_exact_at(&mut frame, offset).at(&self.path)?;
        Ok(header.is_valid(&frame, self.number, offset).then_some((header, frame)))
    }

    /// Reads the run of documents at an offset.
    pub(crate) fn run(&self, offset: u64, cache: &Cache) -> Result<Arc<Run>> {
        cache.run((self.number, offset), || {
            let damaged = |reason: String| Error::damaged(&self.path, "frame", offset, reason);
            let found = self.frame(offset, self.file.length().at(&self.path)?)?;
            let (header, frame) = found.ok_or_else(|| damaged("its checksum is another".to_owned()))?;
            if header.kind != Kind::Documents {
                return Err(damaged("it has no documents".to_owned()));
            }
            unpack(&header, &frame[FRAME_HEADER..FRAME_HEADER + header.payload_bytes as usize]).map_err(damaged)
        })
    }
}

/// Appends frames to a log.
#[derive(Debug)]
pub(crate) struct LogWriter {
    pub(crate) log: Arc<LogFile>,
    /// End of the last commit.
    pub(crate) committed: u64,
    /// End of the last frame.
    pub(crate) end: u64,
    frames: u32,
}

impl LogWriter {
    pub(crate) fn new(log: Arc<LogFile>, end: u64) -> Self {
        Self { log, committed: end, end, frames: 0 }
    }

    /// Appends documents and returns their locations.
    pub(crate) fn documents(&mut self, commit: u64, records: &[Record<'_>]) -> Result<Vec<Place>> {
        let mut runs: Vec<&[Record<'_>]> = Vec::new();
        let (mut start, mut bytes) = (0, 0);
        for (at, record) in records.iter().enumerate() {
            let more = record_bytes(record);
            if bytes > 0 && bytes + more > RUN_BYTES {
                runs.push(&records[start..at]);
                (start, bytes) = (at, 0);
            }
            bytes += more;
        }
        if start < records.len() {
            runs.push(&records[start..]);
        }
        let pack = |packer: &mut Packer, run: &&[Record<'_>]| {
            let (mut entries, mut bytes) = (Vec::new(), Vec::new());
            run.iter().for_each(|record| push_record(&mut entries, &mut bytes, record));
            entries.extend_from_slice(&bytes);
            packer.pack(&entries)
        };
        let payloads: Vec<Vec<u8>> = match runs.len() {
            1 => PACKER.with_borrow_mut(|packer| vec![pack(packer, &runs[0])]),
            _ => runs.par_iter().map(|run| PACKER.with_borrow_mut(|packer| pack(packer, run))).collect(),
        };
        let mut buffer = Vec::with_capacity(payloads.iter().map(|payload| payload.len() + FRAME_HEADER + 8).sum());
        let mut places = Vec::with_capacity(records.len());
        for (run, payload) in runs.iter().zip(&payloads) {
            let offset = self.end + buffer.len() as u64;
            push_frame(&mut buffer, (Kind::Documents, run.len() as u32, commit), payload, (self.log.number, offset));
            let place = |index| Place { log: self.log.number, frame: (offset / ALIGN) as u32, index };
            places.extend((0..run.len() as u32).map(place));
            self.frames += 1;
        }
        self.append(&buffer)?;
        Ok(places)
    }

    /// Appends deletes.
    pub(crate) fn deletes(&mut self, commit: u64, deletes: &[(u64, &str)]) -> Result<()> {
        if deletes.is_empty() {
            return Ok(());
        }
        let payload = deletes_payload(deletes.iter().copied());
        let mut buffer = Vec::new();
        let head = (Kind::Deletes, deletes.len() as u32, commit);
        push_frame(&mut buffer, head, &payload, (self.log.number, self.end));
        self.frames += 1;
        self.append(&buffer)
    }

    /// Appends a frame of another log unchanged and returns its offset.
    pub(crate) fn copy_of(&mut self, header: &Header, frame: &[u8]) -> Result<u64> {
        let payload = &frame[FRAME_HEADER..FRAME_HEADER + header.payload_bytes as usize];
        let (offset, head) = (self.end, (header.kind, header.count, header.commit));
        let mut buffer = Vec::with_capacity(frame.len());
        push_frame(&mut buffer, head, payload, (self.log.number, offset));
        self.append(&buffer)?;
        Ok(offset)
    }

    fn append(&mut self, buffer: &[u8]) -> Result<()> {
        // Locations are stored in 32 bits.
        if (self.end + buffer.len() as u64) / ALIGN > u64::from(u32::MAX) {
            return Err(Error::NotADocument { id: String::new(), reason: "one commit cannot hold 32 GiB" });
        }
        self.log.file.write_all_at(buffer, self.end).at(&self.log.path)?;
        self.end += buffer.len() as u64;
        Ok(())
    }

    /// Appends a commit frame, which makes the preceding frames valid. They are durable once the file is synced.
    pub(crate) fn commit(&mut self, commit: u64) -> Result<()> {
        let mut buffer = Vec::new();
        push_frame(&mut buffer, (Kind::Commit, self.frames, commit), &[], (self.log.number, self.end));
        self.append(&buffer)?;
        self.frames = 0;
        Ok(())
    }

    /// Rolls back what was appended since the last commit.
    pub(crate) fn roll_back(&mut self) -> Result<()> {
        self.log.file.set_len(self.committed).at(&self.log.path)?;
        (self.end, self.frames) = (self.committed, 0);
        Ok(())
    }
}

thread_local! {
    static PACKER: std::cell::RefCell<Packer> = std::cell::RefCell::new(Packer::new());
}
