//! Documents of 1 kB, as JSONL: one in ten is a near-duplicate of an earlier one, and 3 % are copies.
//!
//! Each depends only on its number. The first million of ten million are thus the same as a corpus of a million, and a
//! small corpus is the first files of a large one.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::crawl::folder_bytes;
use super::crawl::tongue::Tongue;
use super::crawl::vary::change_tokens;
use super::dice::Dice;

/// Version of the corpus: increase it with every change of the generator.
const EDITION: u64 = 1;

/// Shares of copies and of near-duplicates.
const COPY_SHARE: f64 = 0.03;
const NEAR_SHARE: f64 = 0.10;

/// Bytes of a text, without the rest of its last sentence.
const TEXT_BYTES: usize = 920;

/// Minimum and maximum probability that a word of a near-duplicate is replaced: a similarity of 0.95 or 0.81.
const CHANGES: Range<f64> = 0.005..0.022;

/// Maximum number of documents of a file, each of which one thread writes.
const PART: usize = 500_000;

/// Source of a document's text.
enum Origin {
    Own,
    Copy { of: usize },
    Near { of: usize },
}

/// The files of a corpus, each with the number of the first document after it.
pub(in crate::bench) struct Parts {
    files: Vec<(usize, PathBuf)>,
}

impl Parts {
    /// The files of the first `size` documents.
    pub(in crate::bench) fn of_size(&self, size: usize) -> Vec<&Path> {
        self.files.iter().filter(|(end, _)| *end <= size).map(|(_, file)| file.as_path()).collect()
    }
}

/// Generates the files for corpora of all these sizes, unless they exist.
pub(in crate::bench) fn prepare(folder: &Path, label: &Path, sizes: &[usize]) -> Result<Parts> {
    let ranges = ranges(sizes);
    let name = |range: &Range<usize>| folder.join(format!("part-{:08}.jsonl", range.start));
    let parts = Parts { files: ranges.iter().map(|range| (range.end, name(range))).collect() };
    let described =
        || -> Result<String> { Ok(format!("edition {EDITION}, sizes {sizes:?}, {} bytes\n", folder_bytes(folder)?)) };
    if fs::read_to_string(label).is_ok_and(|there| described().is_ok_and(|described| described == there)) {
        return Ok(parts);
    }
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let start = Instant::now();
    let writer = Writer { tongue: Tongue::plain() };
    ranges.par_iter().try_for_each(|range| {
        let file = name(range);
        writer.write_file(&file, range.clone()).with_context(|| format!("cannot write {}", file.display()))
    })?;
    let (megabytes, seconds) = (folder_bytes(folder)? as f64 / 1e6, start.elapsed().as_secs_f64());
    eprintln!("made {} in {seconds:.1} s: {megabytes:.0} MB, {:.0} MB/s", folder.display(), megabytes / seconds);
    fs::write(label, described()?).context("cannot write the label of the corpus")?;
    Ok(parts)
}

/// The documents of each file: a corpus of any of the sizes consists of whole files.
fn ranges(sizes: &[usize]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for size in sizes {
        while start < *size {
            let end = (start + PART).min(*size);
            ranges.push(start..end);
            start = end;
        }
    }
    ranges
}

struct Writer {
    tongue: Tongue,
}

impl Writer {
    fn write_file(&self, file: &Path, numbers: Range<usize>) -> Result<()> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
        let (mut base, mut text) = (Vec::new(), Vec::new());
        for number in numbers {
            self.text(number, &mut base, &mut text);
            write!(out, "{{\"id\":\"{number}\",\"text\":\"")?;
            out.write_all(&text)?;
            out.write_all(b"\"}\n")?;
        }
        out.flush()?;
        // Pending writes would disturb the measurements.
        Ok(out.get_ref().sync_data()?)
    }

    fn text(&self, number: usize, base: &mut Vec<u8>, text: &mut Vec<u8>) {
        text.clear();
        match origin(number) {
            Origin::Own => self.own_text(number, text),
            Origin::Copy { of } => self.own_text(of, text),
            Origin::Near { of } => {
                base.clear();
                self.own_text(of, base);
                let mut dice = Dice::new(EDITION << 48 | 1 << 40 | number as u64);
                let chance = CHANGES.start + (CHANGES.end - CHANGES.start) * dice.unit();
                let mut places = Dice::new(dice.roll());
                change_tokens(&self.tongue, base, chance, &mut places, &mut dice, text);
            }
        }
    }

    fn own_text(&self, number: usize, text: &mut Vec<u8>) {
        self.tongue.write_text(TEXT_BYTES, &mut Dice::new(EDITION << 48 | 2 << 40 | number as u64), text);
        // One line, so that nothing has to be escaped.
        text.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    }
}

/// The source of a document's text: always an original document.
fn origin(number: usize) -> Origin {
    let mut dice = Dice::new(EDITION << 48 | number as u64);
    let kind = dice.unit();
    if number == 0 || kind >= COPY_SHARE + NEAR_SHARE {
        return Origin::Own;
    }
    let mut of = dice.below(number);
    while let Origin::Copy { of: earlier } | Origin::Near { of: earlier } = origin(of) {
        of = earlier;
    }
    if kind < COPY_SHARE { Origin::Copy { of } } else { Origin::Near { of } }
}

#[cfg(test)]
mod tests {
    use lookalike_judge::{Shingle, measure};

    use super::*;

    #[test]
    fn documents_have_a_kilobyte_and_the_shares_are_right() {
        let writer = Writer { tongue: Tongue::plain() };
        let (mut base, mut text) = (Vec::new(), Vec::new());
        let (mut bytes, mut copies, mut similarities) = (0, 0, Vec::new());
        for number in 0..10_000 {
            writer.text(number, &mut base, &mut text);
            bytes += text.len();
            match origin(number) {
                Origin::Own => {}
                Origin::Copy { .. } => copies += 1,
                Origin::Near { .. } => {
                    let [one, other] = [&base, &text].map(|text| String::from_utf8(text.clone()).unwrap());
                    similarities.push(measure(&one, &other, Shingle::Word(5)).jaccard());
                }
            }
        }
        assert!((9_000_000..11_000_000).contains(&bytes), "{bytes}");
        // Five standard deviations.
        assert!((215..385).contains(&copies) && (850..1_150).contains(&similarities.len()));
        let alike_count = similarities.iter().filter(|similarity| **similarity >= 0.8).count();
        assert!(alike_count * 10 > similarities.len() * 8, "{alike_count} of {}", similarities.len());
    }

    #[test]
    fn a_small_corpus_is_the_first_files_of_a_large_one() {
        assert_eq!(ranges(&[10, 25]), [0..10, 10..25]);
        assert_eq!(ranges(&[10, PART + 20]), [0..10, 10..PART + 10, PART + 10..PART + 20]);
        let folder = tempfile::tempdir().unwrap();
        let (corpus, label) = (folder.path().join("corpus"), folder.path().join("label"));
        let parts = prepare(&corpus, &label, &[10, 25]).unwrap();
        assert_eq!((parts.of_size(10).len(), parts.of_size(25).len()), (1, 2));
        let lines: String = parts.of_size(25).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        for (number, line) in lines.lines().enumerate() {
            let document: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(document["id"], number.to_string());
        }
        assert_eq!(lines.lines().count(), 25);
    }
}
