//! Rereads documents by their locations. Only documents that may be near-duplicates are read again.

use std::fs::File;
use std::io::{self, Read};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bounds::Room;
use crate::error::{Error, Result};
use crate::file_system::{read_exact_at, write_all_at};
use crate::input::discover::{Discovered, InputFile, LeftOut, Origin};
use crate::input::held::HeldText;
use crate::work::WorkFolder;

/// The bytes of one entry of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the input file.
    pub file: u32,
    /// The storage of its bytes.
    pub store: Store,
    /// Their start.
    pub offset: u64,
    /// Number of bytes.
    pub length: u32,
}

/// The storage from which an entry can be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In the input file, as they are.
    File,
    /// In the input file, as a gzip member of their own, as in crawls.
    Member,
    /// In the spool, since the input cannot be read from the middle: standard input, or compressed as a whole.
    Spool,
    /// In a table in memory: the offset is the number of the row.
    Held,
}

/// Reads places again, from all input files and the spool.
#[derive(Debug)]
pub struct Shelf {
    files: Vec<InputFile>,
    left_out: LeftOut,
    /// Files that stay open, the first ones; with more, the system would run out of handles.
    open: Vec<OnceLock<File>>,
    spool: OnceLock<File>,
    spooled: AtomicU64,
    room: Room,
}

/// Maximum number of input files that stay open.
const OPEN_FILES: usize = 200;

impl Shelf {
    /// A shelf of the files that were found.
    pub fn new(found: Discovered) -> Self {
        let Discovered { files, left_out } = found;
        let open = files.iter().take(OPEN_FILES).map(|_| OnceLock::new()).collect();
        Self {
            files,
            left_out,
            open,
            spool: OnceLock::new(),
            spooled: AtomicU64::new(0),
            room: Room::new(std::env::temp_dir()),
        }
    }

    /// The same files with a spool of their own.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self::new(Discovered { files: self.files.clone(), left_out: self.left_out.clone() })
    }

    /// The input files.
    pub fn files(&self) -> &[InputFile] {
        &self.files
    }

    /// The inputs that were left out.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Notes that a file is no data.
    pub fn pass_over(&mut self, file: usize) {
        self.left_out.not_documents.push(&self.files[file].shown());
    }

    /// Forgets the work folder of the run itself among what was left out.
    pub fn forget_work_folder(&mut self, own: &std::path::Path) {
        self.left_out.forget_work_folder(own);
    }

    /// Checks that no file has changed since it was found.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] when one did.
    pub fn check_unchanged(&self) -> Result<()> {
        self.files.iter().try_for_each(InputFile::check_unchanged)
    }

    /// Reads the entry at `place` into `bytes`, decompressed.
    ///
    /// # Errors
    ///
    /// If the file cannot be read any more, or has become shorter.
    pub fn read(&self, place: Place, bytes: &mut Vec<u8>) -> Result<()> {
        if place.store == Store::Member {
            let mut packed = vec![0; place.length as usize];
            self.read_raw(place, &mut packed)?;
            return unpack_member(&packed, bytes).map_err(|_| self.changed(place));
        }
        if place.store == Store::Held {
            bytes.clear();
            bytes.extend_from_slice(self.held_text(place)?.as_bytes());
            return Ok(());
        }
        bytes.resize(place.length as usize, 0);
        self.read_raw(place, bytes)
    }

    /// Reads the start of the entry at `place` into `bytes`, decompressed: at most `most` bytes of it, and fewer if
    /// these would take more than `most` bytes of the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read any more, or has become shorter.
    pub fn read_start(&self, place: Place, most: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let length = most.min(place.length as usize);
        if place.store == Store::Held {
            bytes.clear();
            bytes.extend_from_slice(&self.held_text(place)?.as_bytes()[..length]);
            return Ok(());
        }
        if place.store != Store::Member {
            bytes.resize(length, 0);
            return self.read_raw(place, bytes);
        }
        let mut packed = vec![0; length];
        self.read_raw(place, &mut packed)?;
        bytes.clear();
        // A member that is cut ends in an error, and what comes before it is good.
        let _ = flate2::bufread::GzDecoder::new(&*packed).take(most as u64).read_to_end(bytes);
        Ok(())
    }

    /// Fills `bytes` with the raw bytes at `place`, without decompression.
    ///
    /// # Errors
    ///
    /// If the file cannot be read any more, or has become shorter.
    pub fn read_raw(&self, place: Place, bytes: &mut [u8]) -> Result<()> {
        let shown = || self.files[place.file as usize].shown();
        let mut read = |file: &File| {
            read_exact_at(file, bytes, place.offset).map_err(|source| match source.kind() {
                io::ErrorKind::UnexpectedEof => self.changed(place),
                _ => Error::Unreadable { path: shown(), cause: source },
            })
        };
        match (place.store, self.open.get(place.file as usize)) {
            (Store::Spool, _) => read(self.spool()?),
            (_, Some(open)) => {
                if let Some(file) = open.get() {
                    return read(file);
                }
                let file = self.open(place.file)?;
                read(open.get_or_init(|| file))
            }
            (_, None) => read(&self.open(place.file)?),
        }
    }

    /// The text of a row in memory.
    fn held_text(&self, place: Place) -> Result<&str> {
        match &self.files[place.file as usize].origin {
            Origin::Held(table) => match table.rows.text(place.offset) {
                HeldText::Text(text) if text.len() == place.length as usize => Ok(text),
                _ => Err(self.changed(place)),
            },
            _ => Err(self.changed(place)),
        }
    }

    /// Appends bytes to the spool, and returns their offset.
    ///
    /// # Errors
    ///
    /// If there is no room for them.
    pub fn spool_bytes(&self, bytes: &[u8]) -> Result<u64> {
        self.room.take(bytes.len() as u64)?;
        let offset = self.spooled.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        write_all_at(self.spool()?, bytes, offset).map_err(Error::unwritable(std::env::temp_dir()))?;
        Ok(offset)
    }

    /// Puts the spool into a work folder, after the data of earlier attempts at the run.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn spool_in(&mut self, work: &WorkFolder) -> Result<()> {
        let file = work.spool()?;
        let length = file.metadata().map_err(Error::unworkable(work.path()))?.len();
        (self.spool, self.spooled) = (OnceLock::from(file), AtomicU64::new(length));
        self.room = Room::new(work.path());
        Ok(())
    }

    /// Reads bytes that [`Shelf::spool_bytes`] wrote to the spool.
    ///
    /// # Errors
    ///
    /// If they are missing.
    pub fn read_spool(&self, offset: u64, bytes: &mut [u8]) -> Result<()> {
        read_exact_at(self.spool()?, bytes, offset).map_err(Error::unworkable(std::env::temp_dir()))
    }

    /// A file without a name, that vanishes with the process.
    fn spool(&self) -> Result<&File> {
        if let Some(file) = self.spool.get() {
            return Ok(file);
        }
        let file = tempfile::tempfile().map_err(Error::unwritable(std::env::temp_dir()))?;
        Ok(self.spool.get_or_init(|| file))
    }

    /// Opens an input file from its start, to be read again.
    pub(crate) fn open(&self, file: u32) -> Result<File> {
        self.files[file as usize].open_again()
    }

    fn changed(&self, place: Place) -> Error {
        Error::Changed { path: self.files[place.file as usize].shown() }
    }
}

/// Unpacks a gzip member. What it says of its length is believed only as far as that is likely.
fn unpack_member(packed: &[u8], bytes: &mut Vec<u8>) -> io::Result<()> {
    /// Maximum compression ratio of deflate.
    const MOST: usize = 1032;
    let length = packed.last_chunk().map_or(0, |length| u32::from_le_bytes(*length)) as usize;
    if length <= packed.len() * MOST {
        bytes.resize(length, 0);
        if libdeflater::Decompressor::new().gzip_decompress(packed, bytes).is_ok_and(|count| count == length) {
            return Ok(());
        }
    }
    bytes.clear();
    flate2::bufread::GzDecoder::new(packed).read_to_end(bytes).map(drop)
}
