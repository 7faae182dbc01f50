//! Documents of equal length, one in five of which is a copy of another with one word changed, for measurements by
//! corpus size.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use super::dice::Dice;
use super::language::{Language, Letters};

/// Version of the corpus.
const EDITION: u64 = 1;

/// Documents come in groups of this size, and the last of a group is similar to its first.
pub(in crate::bench) const GROUP: usize = 5;

/// Returns the file of the corpus, and that of its near-duplicate pairs; generated unless they exist.
pub(in crate::bench) fn prepare(folder: &Path, count: usize, bytes: usize) -> Result<(PathBuf, PathBuf)> {
    let name = format!("even-{EDITION}-{count}-{bytes}");
    let (corpus, truth) = (folder.join(format!("{name}.jsonl")), folder.join(format!("{name}.tsv")));
    if !corpus.exists() || !truth.exists() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // Moved into place when it is complete.
        let part = folder.join(format!("{name}.part"));
        write(&part, &truth, count, bytes).with_context(|| format!("cannot write {}", part.display()))?;
        fs::rename(&part, &corpus).with_context(|| format!("cannot write {}", corpus.display()))?;
    }
    Ok((corpus, truth))
}

fn write(corpus: &Path, truth: &Path, count: usize, bytes: usize) -> Result<()> {
    let language = Language::new();
    let mut documents = BufWriter::new(File::create(corpus)?);
    let mut pairs = BufWriter::new(File::create(truth)?);
    for number in 0..count {
        let is_copy = number % GROUP == GROUP - 1;
        let of = if is_copy { number + 1 - GROUP } else { number };
        let mut text = language.text(bytes, Letters::Plain, &mut Dice::new(of as u64));
        if is_copy {
            text = with_another_word(&text);
            // The exact similarity is not needed: they are near-duplicates at every usual threshold.
            writeln!(pairs, "{of}\t{number}\t1")?;
        }
        writeln!(documents, "{}", json!({"id": number.to_string(), "text": text}))?;
    }
    pairs.flush()?;
    // Pending writes would disturb the measurements.
    Ok(documents.into_inner()?.sync_all()?)
}

/// Replaces a word in the middle.
fn with_another_word(text: &str) -> String {
    let spaces: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    match spaces.get(spaces.len() / 2) {
        Some(space) => format!("{} otherwise{}", &text[..*space], &text[*space..]),
        None => format!("{text} otherwise"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_document_in_five_is_like_another_and_no_other_is() {
        let folder = tempfile::tempdir().unwrap();
        let (corpus, truth) = prepare(folder.path(), 20, 3000).unwrap();
        let lines = fs::read_to_string(corpus).unwrap();
        let text = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].to_string();
        let texts: Vec<String> = lines.lines().map(text).collect();
        assert!(texts.iter().all(|text| (3000..3600).contains(&text.len())));
        let found = lookalike_judge::pairs(&texts, "word:5".parse().unwrap(), 0.8);
        let made: String = found.iter().map(|pair| format!("{}\t{}\t1\n", pair.left, pair.right)).collect();
        assert_eq!(fs::read_to_string(truth).unwrap(), made);
        assert_eq!(found.len(), 4);
    }
}
