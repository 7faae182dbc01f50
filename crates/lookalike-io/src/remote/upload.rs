//! Uploads a local folder as objects, complete or absent: the file that marks it as complete is sent last.
//!
//! Stores cannot rename, so objects appear one by one; readers check for the seal. A request whose response was lost
//! may have succeeded, so an object counts as uploaded as soon as it was attempted.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::task::{JoinSet, spawn_blocking};
use walkdir::WalkDir;

use super::access::{Access, Location};
use super::address::Address;
use super::patience::Patience;
use super::{runtime, web};
use crate::error::{Error, Result};
use crate::file_system::read_exact_at;
use crate::problem::Problem;

/// Size of a part. Smaller files are one request; a web server receives all files this way.
const PART_BYTES: u64 = 8 << 20;
/// Stores accept 10,000 parts, so those of a very large file are larger.
const MOST_PARTS: u64 = 9_000;
/// Number of parts per file, and of files, sent in parallel: 128 MB at most.
const PARTS_AT_ONCE: usize = 4;
const FILES_AT_ONCE: usize = 4;
/// Maximum size for a web server, since the file is held in memory.
const MOST_WEB_BYTES: u64 = 1 << 30;
/// Number of attempts for a file whose upload failed in a request that cannot be repeated by itself.
const FILE_TRIES: usize = 3;

/// One file to send.
#[derive(Clone, Debug)]
struct Job {
    file: PathBuf,
    bytes: u64,
    to: StorePath,
    /// Address for messages.
    shown: String,
}

/// State shared by all jobs of one upload.
struct Sender {
    store: Arc<dyn ObjectStore>,
    patience: Patience,
    is_web: bool,
    has_failed: AtomicBool,
    tried: Mutex<Vec<StorePath>>,
}

impl Access {
    /// Uploads a folder. See [`crate::remote::upload`].
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or the store returns an error.
    pub fn upload(&self, folder: &Path, url: &str, seal: &str) -> Result<()> {
        let address = Address::parse(url)?;
        let (mut jobs, mut seals) = (Vec::new(), Vec::new());
        for entry in WalkDir::new(folder).sort_by_file_name() {
            let entry = entry.map_err(|error| Error::Unreadable { path: folder.to_owned(), cause: error.into() })?;
            if entry.file_type().is_file() {
                let below = entry.path().strip_prefix(folder).unwrap_or(entry.path());
                let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
                let name = parts.join("/");
                let job = self.job(entry.path(), &address.below(&name))?;
                if name == seal { seals.push(job) } else { jobs.push(job) }
            }
        }
        let sender = self.sender(&address)?;
        let all = runtime::run(async move {
            let mut sent = sender.send_all(jobs).await;
            if sent.is_ok() {
                sent = sender.send_all(seals).await;
            }
            if sent.is_err() {
                sender.take_back().await;
            }
            sent
        });
        all.unwrap_or_else(|| Err(broken_down(&address)))
    }

    /// Uploads one file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the store returns an error.
    pub fn upload_file(&self, path: &Path, url: &str) -> Result<()> {
        let address = Address::parse(url)?;
        let (job, sender) = (self.job(path, &address)?, self.sender(&address)?);
        runtime::run(async move { sender.send_all(vec![job]).await }).unwrap_or_else(|| Err(broken_down(&address)))
    }

    /// True if there is nothing below `url`. See [`crate::remote::is_empty`].
    ///
    /// # Errors
    ///
    /// If the store returns an error.
    pub fn is_empty(&self, url: &str, seal: &str) -> Result<bool> {
        let address = Address::parse(url)?;
        let Location { store, path } = self.location(&address)?;
        let first = runtime::run(async move { store.list(Some(&path)).next().await });
        match first.ok_or_else(|| broken_down(&address))? {
            Some(Ok(_)) => Ok(false),
            // A web server that cannot list reports that in many ways; some report that there is nothing.
            Some(Err(_)) | None if matches!(address, Address::Web(_)) => {
                Ok(self.read_small(&address.below(seal).url(), 1)?.is_none())
            }
            Some(Err(error)) => Err(Error::Remote { url: address.shown(), problem: Problem::of(&error) }),
            None => Ok(true),
        }
    }

    /// The start of an object. See [`crate::remote::read_small`].
    ///
    /// # Errors
    ///
    /// If the store returns an error.
    pub fn read_small(&self, url: &str, most: usize) -> Result<Option<Vec<u8>>> {
        let address = Address::parse(url)?;
        let problem = |problem| Error::Remote { url: address.shown(), problem };
        let read = if let Address::Web(url) = &address {
            let (client, url, patience) = (self.web_client(url).map_err(problem)?, url.clone(), self.patience);
            runtime::run(async move {
                let answer = web::send(&client, &url, None, patience).await?;
                let pieces = answer.into_body().bytes_stream();
                start(pieces.map_err(|error| Problem::of_connection(&error)).boxed(), most).await
            })
        } else {
            let Location { store, path } = self.location(&address)?;
            runtime::run(async move {
                let answer = store.get(&path).await.map_err(|error| Problem::of(&error))?;
                start(answer.into_stream().map_err(|error| Problem::of(&error)).boxed(), most).await
            })
        };
        match read.unwrap_or_else(|| Err(Problem::broken_down())) {
            Err(Problem::NotThere) => Ok(None),
            read => read.map(Some).map_err(problem),
        }
    }

    /// Removes objects. See [`crate::remote::remove_all`].
    ///
    /// # Errors
    ///
    /// If the store returns an error.
    pub fn remove_all(&self, url: &str, names: &[&str]) -> Result<()> {
        let address = Address::parse(url)?;
        let is_web = matches!(address, Address::Web(_));
        let Location { store, path: folder } = self.location(&address)?;
        let mut paths = Vec::new();
        for name in names {
            paths.push(self.location(&address.below(name))?.path);
        }
        let removed = runtime::run(async move {
            // Only existing ones: a store that consists of folders reports an error if one is removed like an object.
            // On a web server that cannot list, removal of all is attempted.
            let mut there = HashSet::new();
            if !is_web {
                let listed = store.list_with_delimiter(Some(&folder)).await?;
                there.extend(listed.objects.into_iter().map(|meta| meta.location));
            }
            // One name after the other: callers pass the seal first, so that leftovers never look complete.
            for path in paths {
                let mut meant = match store.list(Some(&path)).map_ok(|meta| meta.location).try_collect::<Vec<_>>().await
                {
                    Err(error) if !is_web => return Err(error),
                    below => below.unwrap_or_default(),
                };
                if is_web || there.contains(&path) {
                    meant.push(path);
                }
                remove(&*store, meant).await?;
            }
            Ok(())
        });
        let removed = removed.ok_or_else(|| broken_down(&address))?;
        removed.map_err(|error| Error::Remote { url: address.shown(), problem: Problem::of(&error) })
    }

    fn job(&self, file: &Path, address: &Address) -> Result<Job> {
        let bytes = file.metadata().map_err(Error::unreadable(file))?.len();
        Ok(Job { file: file.to_owned(), bytes, to: self.location(address)?.path, shown: address.shown() })
    }

    fn sender(&self, address: &Address) -> Result<Sender> {
        let (store, patience, is_web) =
            (self.location(address)?.store, self.patience, matches!(address, Address::Web(_)));
        Ok(Sender { store, patience, is_web, has_failed: AtomicBool::new(false), tried: Mutex::default() })
    }
}

impl Sender {
    /// Sends all files, and returns the first error. Others in progress then complete, and clean up.
    async fn send_all(&self, jobs: Vec<Job>) -> Result<()> {
        let sent = stream::iter(jobs).map(|job| async move {
            if self.has_failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            let sent = self.send(&job).await;
            self.has_failed.fetch_or(sent.is_err(), Ordering::Relaxed);
            sent
        });
        let sent: Vec<Result<()>> = sent.buffered(FILES_AT_ONCE).collect().await;
        sent.into_iter().collect()
    }

    async fn send(&self, job: &Job) -> Result<()> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).push(job.to.clone());
        let problem = |problem| Error::Remote { url: job.shown.clone(), problem };
        if self.is_web && job.bytes > MOST_WEB_BYTES {
            return Err(problem(Problem::TooLarge { bytes: job.bytes }));
        }
        let is_one_request = self.is_web || job.bytes <= PART_BYTES;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let sent = if is_one_request {
                let whole = part(job, 0, job.bytes).await?;
                self.store.put(&job.to, whole.into()).await.map(drop)
            } else {
                self.send_parts(job).await?
            };
            let Err(error) = sent else { return Ok(()) };
            match Problem::of(&error) {
                // Some requests are not retried automatically, since they could take effect twice; sending the file
                // again does no harm. When others are retried, the last may find that an earlier one took effect.
                Problem::Cut { .. } | Problem::NotThere if attempt < FILE_TRIES => {
                    tokio::time::sleep(self.patience.wait(attempt)).await;
                }
                Problem::NoList => return Err(problem(Problem::ReadOnly)),
                other => return Err(problem(other)),
            }
        }
    }

    /// Sends a file in parts; on failure, nothing of it remains. The outer error is of the local file.
    async fn send_parts(&self, job: &Job) -> Result<object_store::Result<()>> {
        let mut upload = match self.store.put_multipart(&job.to).await {
            Ok(upload) => upload,
            Err(error) => return Ok(Err(error)),
        };
        let part_bytes = PART_BYTES.max(job.bytes.div_ceil(MOST_PARTS));
        let mut parts: JoinSet<object_store::Result<()>> = JoinSet::new();
        let mut read = Ok(());
        let mut sent = Ok(());
        let mut offset = 0;
        while sent.is_ok() && (offset < job.bytes || !parts.is_empty()) {
            if offset < job.bytes && parts.len() < PARTS_AT_ONCE {
                let length = part_bytes.min(job.bytes - offset);
                match part(job, offset, length).await {
                    Ok(bytes) => drop(parts.spawn(upload.put_part(bytes.into()))),
                    Err(error) => {
                        read = Err(error);
                        break;
                    }
                }
                offset += length;
            } else if let Some(part) = parts.join_next().await {
                sent = part.unwrap_or_else(|error| Err(error.into()));
            }
            if self.has_failed.load(Ordering::Relaxed) {
                let source = "another file failed".into();
                sent = Err(object_store::Error::Generic { store: "upload", source });
            }
        }
        if read.is_ok() && sent.is_ok() {
            sent = upload.complete().await.map(drop);
        }
        if read.is_err() || sent.is_err() {
            parts.shutdown().await;
            // Report the first error.
            let _ = upload.abort().await;
        }
        read.map(|()| sent)
    }

    /// Removes everything this upload sent, as far as the store allows.
    async fn take_back(&self) {
        let tried = std::mem::take(&mut *self.tried.lock().unwrap_or_else(PoisonError::into_inner));
        // Report the first error.
        let _ = remove(&*self.store, tried).await;
    }
}

/// Removes objects. Missing ones are not an error.
async fn remove(store: &dyn ObjectStore, paths: Vec<StorePath>) -> object_store::Result<()> {
    let mut removed = store.delete_stream(stream::iter(paths.into_iter().map(Ok)).boxed());
    let mut first = Ok(());
    while let Some(one) = removed.next().await {
        match one {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => first = first.and(Err(error)),
        }
    }
    first
}

/// Bytes of a local file.
async fn part(job: &Job, offset: u64, length: u64) -> Result<Bytes> {
    let path = job.file.clone();
    let read = spawn_blocking(move || {
        let mut bytes = vec![0; length as usize];
        let file = std::fs::File::open(&path).map_err(Error::unreadable(&path))?;
        read_exact_at(&file, &mut bytes, offset).map_err(Error::unreadable(&path))?;
        Ok(Bytes::from(bytes))
    });
    let gone = |error: tokio::task::JoinError| Error::Unreadable { path: job.file.clone(), cause: error.into() };
    read.await.map_err(gone)?
}

/// The first bytes of a stream.
async fn start<S>(mut pieces: S, most: usize) -> std::result::Result<Vec<u8>, Problem>
where
    S: futures_util::Stream<Item = std::result::Result<Bytes, Problem>> + Unpin,
{
    let mut bytes = Vec::new();
    while bytes.len() < most {
        let Some(piece) = pieces.try_next().await? else { break };
        bytes.extend_from_slice(&piece[..piece.len().min(most - bytes.len())]);
    }
    Ok(bytes)
}

fn broken_down(address: &Address) -> Error {
    Error::Remote { url: address.shown(), problem: Problem::broken_down() }
}
