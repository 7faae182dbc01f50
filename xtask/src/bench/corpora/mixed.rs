//! The corpus of the benchmark: about 300 MB of JSONL with near-duplicates of varying similarity, the same on every
//! machine.
//!
//! Half of the documents belong to families of near-duplicates, whose members are scattered over the file, and one in
//! twelve is an exact copy. As a result, four documents in ten, not counting the copies, share a bucket with another
//! one.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};

use super::dice::Dice;
use super::edit::{Editor, frame};
use super::language::{Language, Letters};

/// Version of the corpus: increase it with every change of the generator.
const EDITION: u64 = 1;

/// Share of documents that belong to a family.
const FAMILY_SHARE: f64 = 0.52;

/// Probability that a member of a family other than the first is an exact copy, which makes 8 % of all documents.
const COPY_CHANCE: f64 = 0.18;

/// Mean length of a text in bytes, and standard deviation of its logarithm.
const MEAN_BYTES: f64 = 6_200.0;
const LENGTH_DEVIATION: f64 = 1.0;

/// Number of documents a thread generates at a time.
const BATCH: usize = 500;

/// Number of hosts.
const HOST_COUNT: usize = 400;

/// Source of a document's text.
#[derive(Clone, Copy)]
enum Origin {
    Alone,
    Family { family: usize, is_first: bool },
}

/// The base text that the members of a family vary.
struct Family {
    base: String,
    letters: Letters,
}

/// Returns the file of the corpus, which is generated unless it exists.
pub(in crate::bench) fn prepare(folder: &Path, document_count: usize) -> Result<PathBuf> {
    let file = folder.join("corpus.jsonl");
    let label = folder.join("corpus.label");
    let described = || -> Option<String> {
        Some(format!("edition {EDITION}, {document_count} documents, {} bytes\n", file.metadata().ok()?.len()))
    };
    if fs::read_to_string(&label).ok().is_some_and(|there| Some(there) == described()) {
        return Ok(file);
    }

    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let start = Instant::now();
    write(&file, document_count).with_context(|| format!("cannot write {}", file.display()))?;
    let megabytes = file.metadata()?.len() as f64 / 1e6;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("made {} in {seconds:.1} s: {megabytes:.0} MB, {:.0} MB/s", file.display(), megabytes / seconds);
    fs::write(&label, described().context("the corpus is gone")?).context("cannot write the label of the corpus")?;
    Ok(file)
}

fn write(file: &Path, document_count: usize) -> Result<()> {
    let corpus = Corpus::plan(document_count);
    let mut out = File::create(file)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut numbers = 0..document_count;
    while !numbers.is_empty() {
        let batches: Vec<Vec<usize>> = (0..threads).map(|_| numbers.by_ref().take(BATCH).collect()).collect();
        thread::scope(|scope| -> Result<()> {
            let writers: Vec<_> = batches.iter().map(|batch| scope.spawn(|| corpus.documents(batch))).collect();
            for writer in writers {
                out.write_all(&writer.join().expect("a document can always be made")?)?;
            }
            Ok(())
        })?;
    }
    // Pending writes would disturb the measurements.
    Ok(out.sync_all()?)
}

/// Everything that is decided before the first document is written.
struct Corpus {
    language: Language,
    boilerplates: Vec<String>,
    families: Vec<Family>,
    origins: Vec<Origin>,
}

impl Corpus {
    fn plan(document_count: usize) -> Self {
        let language = Language::new();
        let mut dice = Dice::new(EDITION);
        let boilerplates = (0..HOST_COUNT).map(|_| language.text(6_000, Letters::Plain, &mut dice)).collect();

        let mut origins = Vec::with_capacity(document_count);
        let mut families = Vec::new();
        while (origins.len() as f64) < document_count as f64 * FAMILY_SHARE {
            let family = families.len();
            let size = 2 + dice.below(11);
            origins.extend((0..size).map(|member| Origin::Family { family, is_first: member == 0 }));
            let letters = letters(&mut dice);
            families.push(Family { base: language.text(length(&mut dice), letters, &mut dice), letters });
        }
        origins.resize(document_count, Origin::Alone);
        dice.shuffle(&mut origins);
        Self { language, boilerplates, families, origins }
    }

    /// The lines of some documents. Each has its own random stream, so the result does not depend on the thread.
    fn documents(&self, numbers: &[usize]) -> Result<Vec<u8>> {
        let mut lines = Vec::new();
        for &number in numbers {
            self.write_document(number, &mut lines)?;
        }
        Ok(lines)
    }

    fn write_document(&self, number: usize, out: &mut impl Write) -> Result<()> {
        let mut dice = Dice::new(EDITION << 32 | number as u64);
        let host = dice.below(HOST_COUNT);
        write!(out, "{{\"id\":\"document-{number:06}\",\"url\":\"https://www.host-{host}.example/{:x}", dice.roll())?;
        write!(out, ".html\",\"text\":")?;
        serde_json::to_writer(&mut *out, &self.text(number, host, &mut dice))?;
        let (month, day, hour, minute) = (1 + dice.below(12), 1 + dice.below(28), dice.below(24), dice.below(60));
        writeln!(out, ",\"timestamp\":\"2024-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z\"}}")?;
        Ok(())
    }

    fn text(&self, number: usize, host: usize, dice: &mut Dice) -> String {
        let boilerplate = &self.boilerplates[host];
        match self.origins[number] {
            Origin::Alone => {
                let letters = letters(dice);
                let text = self.language.text(length(dice), letters, dice);
                // Some hosts put a menu and a notice around everything, which alone makes nothing a near-duplicate.
                if host.is_multiple_of(3) {
                    frame(&text, &boilerplate[..600.min(boilerplate.len())], 0.25)
                } else {
                    text
                }
            }
            Origin::Family { family, is_first } => {
                let family = &self.families[family];
                if is_first || dice.chance(COPY_CHANCE) {
                    return family.base.clone();
                }
                let editor = Editor { language: &self.language, letters: family.letters };
                editor.near_duplicate(&family.base, boilerplate, similarity(dice), dice)
            }
        }
    }
}

/// Half of all edits give about the similarity of the threshold; the others vary.
fn similarity(dice: &mut Dice) -> f64 {
    let similarity = if dice.chance(0.5) { 0.85 + 0.06 * dice.normal() } else { 0.5 + 0.5 * dice.unit() };
    similarity.clamp(0.5, 0.995)
}

/// A third of the documents contain typographic characters.
fn letters(dice: &mut Dice) -> Letters {
    if dice.below(3) == 0 { Letters::Typographic } else { Letters::Plain }
}

/// The length of a text in bytes, log-normal as on the web.
fn length(dice: &mut Dice) -> usize {
    // The mean of the distribution is exp(m + d² / 2).
    let middle = MEAN_BYTES.ln() - LENGTH_DEVIATION * LENGTH_DEVIATION / 2.0;
    (middle + LENGTH_DEVIATION * dice.normal()).exp().clamp(100.0, 400_000.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_is_the_same_each_time_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = prepare(folder.path(), 40).unwrap();
        let made = fs::read(&file).unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        assert_eq!(prepare(folder.path(), 40).unwrap().metadata().unwrap().modified().unwrap(), time);
        fs::remove_file(&file).unwrap();
        prepare(folder.path(), 40).unwrap();
        assert_eq!(fs::read(&file).unwrap(), made);
    }

    #[test]
    fn each_line_is_a_document_with_its_fields() {
        let folder = tempfile::tempdir().unwrap();
        let file = prepare(folder.path(), 20).unwrap();
        let text = fs::read_to_string(file).unwrap();
        assert_eq!(text.lines().count(), 20);
        for line in text.lines() {
            let document: serde_json::Value = serde_json::from_str(line).unwrap();
            for field in ["id", "url", "text", "timestamp"] {
                assert!(document[field].as_str().is_some_and(|value| !value.is_empty()), "{field}");
            }
        }
    }
}
