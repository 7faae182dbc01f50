//! Measures reading a file to documents on one thread, compared with decompression only: the same decompressor with the
//! same buffer, alternating. Prints a line per run: documents, decompressed bytes, seconds of decompression, seconds of
//! reading. `cargo xtask bench read` calls it, so that the project's own commands need not be built with every format.

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use flate2::bufread::MultiGzDecoder;
use lookalike_io::input::discover::discover;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{Chunk, Entry, Parser, Settings, Stream, Unit};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, runs] = arguments.as_slice() else { return Err("usage: reading_speed FILE.gz RUNS".into()) };
    let file = PathBuf::from(file);
    // Once before, so that every timed run finds the file in the page cache.
    unpack(&file)?;
    for _ in 0..runs.parse::<usize>()? {
        let (bytes, unpacking) = timed(|| unpack(&file))?;
        let (documents, reading) = timed(|| read(&file))?;
        println!("{documents}\t{bytes}\t{unpacking}\t{reading}");
    }
    Ok(())
}

fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let result = black_box(run()?);
    Ok((result, start.elapsed().as_secs_f64()))
}

/// Decompresses everything, and counts the bytes.
fn unpack(file: &Path) -> Result<u64> {
    let mut decoder = MultiGzDecoder::new(BufReader::with_capacity(256 << 10, File::open(file)?));
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match decoder.read(&mut buffer)? {
            0 => return Ok(bytes),
            count => bytes += black_box(&buffer[..count]).len() as u64,
        }
    }
}

/// Reads every document, and counts them.
fn read(file: &Path) -> Result<usize> {
    let settings = Settings::default();
    let shelf = Shelf::new(discover(&[file.to_owned()], None)?);
    let mut stream = Stream::open(&Unit::whole(0), &shelf.files()[0], &settings)?;
    let (mut parser, mut chunk) = (Parser::new(&settings), Chunk::default());
    let mut count = 0;
    while stream.next(&mut chunk)? {
        chunk.settle(&shelf)?;
        parser.entries(&chunk, |placed| {
            if let Entry::Document(document) = placed.entry {
                count += usize::from(!black_box(document.text).is_empty());
            }
        });
    }
    Ok(count)
}
