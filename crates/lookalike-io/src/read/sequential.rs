//! Reads units one after the other, chunk by chunk. Jobs that read in parallel have their own queue; all others use
//! this.

use super::{Chunk, Settings, Stream, Unit};
use crate::error::Result;
use crate::input::discover::InputFile;

/// Reads units in the given order. A unit is opened once the previous one has ended, so at most one is open.
pub struct SequentialReader<'a> {
    files: &'a [InputFile],
    settings: &'a Settings,
    units: std::vec::IntoIter<Unit>,
    open: Option<Stream>,
}

impl<'a> SequentialReader<'a> {
    /// Reads units of these files.
    pub fn new(files: &'a [InputFile], units: Vec<Unit>, settings: &'a Settings) -> Self {
        Self { files, settings, units: units.into_iter(), open: None }
    }

    /// Reads all of these files.
    pub fn whole(files: &'a [InputFile], settings: &'a Settings) -> Self {
        Self::new(files, (0..).zip(files).map(|(file, _)| Unit::whole(file)).collect(), settings)
    }

    /// Fills `chunk` with the next part. Returns false when all units have been read.
    ///
    /// # Errors
    ///
    /// If a file cannot be opened or read.
    pub fn next(&mut self, chunk: &mut Chunk) -> Result<bool> {
        loop {
            let stream = match &mut self.open {
                Some(stream) => stream,
                open => {
                    let Some(unit) = self.units.next() else { return Ok(false) };
                    open.insert(Stream::open(&unit, &self.files[unit.file as usize], self.settings)?)
                }
            };
            if stream.next(chunk)? {
                return Ok(true);
            }
            self.open = None;
        }
    }

    /// Skips the rest of the current unit, and continues with the next one.
    pub fn skip_rest_of_unit(&mut self) {
        self.open = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::discover::discover;

    /// Two files of lines, each of more than one chunk.
    fn files() -> (tempfile::TempDir, Vec<InputFile>) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "b.jsonl"] {
            let line = format!("{{\"text\":\"{}\"}}\n", name.repeat(100));
            std::fs::write(folder.path().join(name), line.repeat((3 << 20) / line.len())).unwrap();
        }
        let files = discover(&[folder.path().to_owned()], None).unwrap().files;
        (folder, files)
    }

    fn read(mut reader: SequentialReader<'_>, skips: bool) -> Vec<(u32, u32)> {
        let (mut chunk, mut found) = (Chunk::default(), Vec::new());
        while reader.next(&mut chunk).unwrap() {
            found.push((chunk.file(), chunk.number()));
            if skips {
                reader.skip_rest_of_unit();
            }
        }
        found
    }

    #[test]
    fn every_chunk_of_every_file_comes_in_order() {
        let (_folder, files) = files();
        let found = read(SequentialReader::whole(&files, &Settings::default()), false);
        let of_file = |file: u32| found.iter().filter(|(of, _)| *of == file).count() as u32;
        assert!(of_file(0) > 1 && of_file(1) > 1, "{found:?}");
        let expected: Vec<(u32, u32)> =
            (0..2).flat_map(|file| (0..of_file(file)).map(move |chunk| (file, chunk))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_rest_of_a_unit_can_be_skipped() {
        let (_folder, files) = files();
        let units = vec![Unit::whole(1), Unit::whole(0)];
        assert_eq!(read(SequentialReader::new(&files, units, &Settings::default()), true), [(1, 0), (0, 0)]);
    }
}
