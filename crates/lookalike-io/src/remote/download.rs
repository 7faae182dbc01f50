//! Reads a remote file sequentially, and keeps a local copy that can be read at any offset later.
//!
//! The copy is unnamed and shares its cursor with all its handles, so it is only ever accessed at explicit offsets.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use bytes::{Buf, Bytes};

use super::find::{RemoteFile, Way};
use super::ranges::{Failure, Ranges};
use super::stream::Stream;
use super::waiting::Waiting;
use crate::bounds::Room;
use crate::error::{Error, Result};
use crate::file_system::{read_exact_at, write_all_at};

/// The location of all local copies.
static COPIES: LazyLock<Room> = LazyLock::new(|| Room::new(std::env::temp_dir()));

/// A remote file being read. Everything read is also in its local copy.
pub struct Download {
    file: RemoteFile,
    local: Arc<File>,
    source: Source,
    /// Data received but not yet returned to the reader.
    waiting: Bytes,
    /// Number of bytes received, all of which are in the local copy.
    received: u64,
    /// Number of bytes returned to the reader.
    given: u64,
    has_failed: bool,
}

enum Source {
    Ranges(Ranges),
    Stream(Box<Stream>),
    /// The local copy, which is complete.
    Local,
}

impl std::fmt::Debug for Download {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Download").field("file", &self.file).field("received", &self.received).finish_non_exhaustive()
    }
}

impl RemoteFile {
    /// Opens the object for reading from its start. Once it has been read to its end, this reads the local copy.
    ///
    /// # Errors
    ///
    /// If there is no room for a local copy. The store is contacted only when reading starts.
    pub fn open(&self) -> Result<Download> {
        let object = &self.object;
        let local = if let Some(local) = object.local.get() {
            Arc::clone(local)
        } else {
            let made = tempfile::tempfile().map_err(Error::unwritable(std::env::temp_dir()))?;
            Arc::clone(object.local.get_or_init(|| Arc::new(made)))
        };
        let mut received = 0;
        let source = if object.is_whole.load(Ordering::Acquire) {
            received = local.metadata().map_err(Error::unreadable(std::env::temp_dir()))?.len();
            Source::Local
        } else {
            self.source()
        };
        Ok(Download { file: self.clone(), local, source, waiting: Bytes::new(), received, given: 0, has_failed: false })
    }

    fn source(&self) -> Source {
        let object = &self.object;
        let waiting = Waiting::new(&self.shown(), object.patience.without_progress);
        if let Way::Web { client, url, has_ranges: false } = &object.way {
            let stream = Stream::new(client.clone(), url.clone(), object.version.clone(), object.patience, waiting);
            return Source::Stream(Box::new(stream));
        }
        Source::Ranges(Ranges::new(Arc::clone(object), self.bytes, waiting))
    }

    /// The local copy, once the file has been opened, with everything read so far. Read it at offsets, not by its
    /// cursor.
    pub fn local(&self) -> Option<File> {
        self.object.local.get().and_then(|local| local.try_clone().ok())
    }
}

impl Download {
    /// Reads the rest into the local copy, from which reading continues at the same position.
    ///
    /// # Errors
    ///
    /// If the store returns an error, the object changed, or there is no room for the local copy.
    pub fn finish(&mut self) -> Result<()> {
        while self.receive()?.is_some() {}
        self.waiting = Bytes::new();
        self.source = Source::Local;
        Ok(())
    }

    /// Number of bytes received so far; after [`Download::finish`], the size of the file.
    pub fn received_bytes(&self) -> u64 {
        self.received
    }

    /// Receives the next bytes, which are then in the local copy; `None` at the end.
    fn receive(&mut self) -> Result<Option<Bytes>> {
        if self.has_failed {
            // The part that failed is lost: continuing would leave a gap.
            return Err(self.file.error(super::Problem::Other { cause: "reading it failed before".to_owned() }));
        }
        let received = self.receive_once();
        self.has_failed = received.is_err();
        received
    }

    fn receive_once(&mut self) -> Result<Option<Bytes>> {
        loop {
            let next = match &mut self.source {
                Source::Local => return Ok(None),
                Source::Ranges(ranges) => ranges.next().map(|part| part.map(|part| (self.received, part))),
                Source::Stream(stream) => stream.next(),
            };
            let next = next.map_err(|failure| match failure {
                Failure::Changed => self.file.changed(),
                Failure::Problem(problem) => self.file.error(problem),
            })?;
            let Some((at, mut bytes)) = next else {
                self.file.object.is_whole.store(true, Ordering::Release);
                return Ok(None);
            };
            // An interrupted stream starts again; its contents must be the same.
            let known = bytes.split_to((self.received.saturating_sub(at) as usize).min(bytes.len()));
            if !known.is_empty() && !self.is_as_before(&known, at)? {
                return Err(self.file.changed());
            }
            if bytes.is_empty() {
                continue;
            }
            COPIES.take(bytes.len() as u64)?;
            write_all_at(&self.local, &bytes, self.received).map_err(Error::unwritable(std::env::temp_dir()))?;
            self.received += bytes.len() as u64;
            return Ok(Some(bytes));
        }
    }

    fn is_as_before(&self, known: &[u8], at: u64) -> Result<bool> {
        let mut before = vec![0; known.len()];
        read_exact_at(&self.local, &mut before, at).map_err(Error::unreadable(std::env::temp_dir()))?;
        Ok(before == known)
    }
}

impl Read for Download {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if matches!(self.source, Source::Local) {
            let count = buffer.len().min((self.received - self.given) as usize);
            read_exact_at(&self.local, &mut buffer[..count], self.given)?;
            self.given += count as u64;
            return Ok(count);
        }
        if self.waiting.is_empty() && !buffer.is_empty() {
            self.waiting = self.receive().map_err(io::Error::other)?.unwrap_or_default();
        }
        let count = buffer.len().min(self.waiting.len());
        self.waiting.copy_to_slice(&mut buffer[..count]);
        self.given += count as u64;
        Ok(count)
    }
}
