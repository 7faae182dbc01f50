//! The lower bound for a crawl's run: decompressing all its files and discarding the output.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

/// Duration of decompression.
#[derive(Serialize, Deserialize)]
pub(in crate::bench) struct Unpacking {
    pub(in crate::bench) seconds: f64,
    /// Decompressed bytes.
    pub(in crate::bench) bytes: u64,
}

/// The files of a folder, sorted by name.
pub(in crate::bench) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    Ok(files)
}

/// Decompresses all files of a folder, in as many threads as available.
pub(in crate::bench) fn unpack_all(folder: &Path) -> Result<Unpacking> {
    let files = files(folder)?;
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let unpack_some = || -> Result<u64> {
        let mut bytes = 0;
        while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
            bytes += unpack(file, &mut io::sink()).with_context(|| format!("cannot unpack {}", file.display()))?;
        }
        Ok(bytes)
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let bytes = thread::scope(|scope| -> Result<u64> {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(unpack_some)).collect();
        workers.into_iter().map(|worker| worker.join().expect("unpacking does not panic")).sum()
    })?;
    Ok(Unpacking { seconds: start.elapsed().as_secs_f64(), bytes })
}

/// Decompresses one file, or copies it if it is not compressed; returns the number of bytes.
pub(in crate::bench) fn unpack(file: &Path, out: &mut impl io::Write) -> Result<u64> {
    let packed = io::BufReader::with_capacity(1 << 20, File::open(file)?);
    let is_packed = file.extension().is_some_and(|extension| extension == "gz");
    let mut reader: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(packed)) } else { Box::new(packed) };
    let mut piece = vec![0; 1 << 18];
    let mut bytes = 0;
    loop {
        let count = reader.read(&mut piece)?;
        if count == 0 {
            return Ok(bytes);
        }
        out.write_all(&piece[..count])?;
        bytes += count as u64;
    }
}

/// True if two files have the same bytes, without holding either in memory.
pub(in crate::bench) fn are_equal(one: &Path, other: &Path) -> Result<bool> {
    let length = |file: &Path| {
        fs::metadata(file).map(|metadata| metadata.len()).with_context(|| format!("cannot read {}", file.display()))
    };
    if length(one)? != length(other)? {
        return Ok(false);
    }
    let [mut one, mut other] =
        [File::open(one)?, File::open(other)?].map(|file| io::BufReader::with_capacity(1 << 16, file));
    loop {
        let [left, right] = [io::BufRead::fill_buf(&mut one)?, io::BufRead::fill_buf(&mut other)?];
        let count = left.len().min(right.len());
        if count == 0 {
            return Ok(left.len() == right.len());
        }
        if left[..count] != right[..count] {
            return Ok(false);
        }
        io::BufRead::consume(&mut one, count);
        io::BufRead::consume(&mut other, count);
    }
}
