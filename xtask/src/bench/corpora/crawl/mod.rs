//! A synthetic crawl: pages in WET files, with realistic lengths, hosts, languages and duplicates.
//!
//! Every page depends only on its number, so each file is generated independently, by any thread, and never changes.

mod page;
mod plan;
pub(in crate::bench) mod tongue;
pub(in crate::bench) mod vary;
mod wet;

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};

use page::{Pages, Scratch};
use plan::{EDITION, Of, dice};
use wet::{Packing, RecordWriter};

/// Default numbers of pages and files of a crawl: 18 GB of text.
pub(in crate::bench) const PAGES: usize = 2_000_000;
pub(in crate::bench) const FILES: usize = 60;

/// Size and format of the crawl.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of pages
    #[arg(long, value_name = "N", default_value_t = PAGES)]
    pub(in crate::bench) pages: usize,
    /// Number of files
    #[arg(long, value_name = "F", default_value_t = FILES, value_parser = at_least_one)]
    pub(in crate::bench) files: usize,
    /// Do not compress the records (by default, each is a gzip member)
    #[arg(long)]
    pub(in crate::bench) plain: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| format!("{text:?} is not a number of 1 or more"))
}

/// Returns the folder of the crawl, which is generated unless it exists.
pub(in crate::bench) fn prepare(folder: &Path, options: &Options) -> Result<PathBuf> {
    let packing = if options.plain { Packing::Plain } else { Packing::Members };
    let name = format!("crawl-{}{}", options.pages, if options.plain { "-plain" } else { "" });
    let crawl = folder.join(&name);
    // Beside the folder instead of in it, since everything in it is read.
    let label = folder.join(format!("{name}.label"));
    let described = || -> Result<String> {
        Ok(format!(
            "edition {EDITION}, packed by libdeflate, {} files, {} bytes\n",
            options.files,
            folder_bytes(&crawl)?
        ))
    };
    if fs::read_to_string(&label).is_ok_and(|there| described().is_ok_and(|described| described == there)) {
        return Ok(crawl);
    }

    if crawl.exists() {
        fs::remove_dir_all(&crawl).with_context(|| format!("cannot remove {}", crawl.display()))?;
    }
    fs::create_dir_all(&crawl).with_context(|| format!("cannot make {}", crawl.display()))?;
    let start = Instant::now();
    let text_bytes = write(&crawl, options, packing).with_context(|| format!("cannot write {}", crawl.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "made {} in {seconds:.1} s: {:.0} MB of text, {:.0} MB/s, {:.0} MB in files",
        crawl.display(),
        text_bytes as f64 / 1e6,
        text_bytes as f64 / 1e6 / seconds,
        folder_bytes(&crawl)? as f64 / 1e6
    );
    fs::write(&label, described()?).context("cannot write the label of the crawl")?;
    Ok(crawl)
}

/// Total size of all files in a folder.
pub(in crate::bench) fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// Writes all files, in as many threads as available; returns the bytes of the texts.
fn write(crawl: &Path, options: &Options, packing: Packing) -> Result<u64> {
    let pages = Pages::new(options.pages);
    let (next_file, text_bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let write_files = || -> Result<()> {
        let mut scratch = Scratch::default();
        loop {
            let file = next_file.fetch_add(1, Relaxed);
            if file >= options.files {
                return Ok(());
            }
            let [start, end] = [file, file + 1].map(|file| file * options.pages / options.files);
            text_bytes.fetch_add(write_file(crawl, packing, file, start..end, &pages, &mut scratch)?, Relaxed);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| -> Result<()> {
        let writers: Vec<_> = (0..threads).map(|_| scope.spawn(write_files)).collect();
        writers.into_iter().try_for_each(|writer| writer.join().expect("a page can always be made"))
    })?;
    Ok(text_bytes.into_inner())
}

fn write_file(
    crawl: &Path,
    packing: Packing,
    file: usize,
    numbers: std::ops::Range<usize>,
    pages: &Pages,
    scratch: &mut Scratch,
) -> Result<u64> {
    let name = format!("BENCH-2026-47-{file:05}.{}", packing.extension());
    let out = BufWriter::with_capacity(1 << 20, File::create(crawl.join(&name))?);
    let mut writer = RecordWriter::new(out, packing, &name, &mut dice(Of::File, file as u64))?;
    let mut text_bytes = 0;
    for number in numbers {
        let mut dice = dice(Of::Page, number as u64);
        let heading = pages.write(number, &mut dice, scratch);
        writer.page(&heading, &scratch.text, &mut dice)?;
        text_bytes += scratch.text.len() as u64;
    }
    let mut out = writer.into_inner();
    out.flush()?;
    // Pending writes would disturb the measurements.
    out.get_ref().sync_data()?;
    Ok(text_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_is_the_same_each_time_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { pages: 60, files: 3, plain: false };
        let read = |crawl: &Path| -> Vec<Vec<u8>> {
            (0..3).map(|file| fs::read(crawl.join(format!("BENCH-2026-47-{file:05}.warc.wet.gz"))).unwrap()).collect()
        };
        let crawl = prepare(folder.path(), &options).unwrap();
        let made = read(&crawl);
        let time = crawl.metadata().unwrap().modified().unwrap();
        assert_eq!(prepare(folder.path(), &options).unwrap().metadata().unwrap().modified().unwrap(), time);
        fs::remove_dir_all(&crawl).unwrap();
        prepare(folder.path(), &options).unwrap();
        assert_eq!(read(&crawl), made);
    }
}
