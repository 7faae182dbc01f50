//! Labels, one JSON object per line: appended and synced with every answer, so that acknowledged labels survive a
//! crash.
//!
//! If a labeler has several lines for a pair, the last one counts. An undone label is a line too, without an answer.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::agreement::majority;
use crate::error::{Error, Result};
use crate::report::page::rows::Place;

/// Name of the label file in a folder.
pub(crate) const LABELS: &str = "labels.jsonl";

/// Judgment of a person about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Whoever has one of them does not need the other.
    Same,
    /// They are two documents.
    Different,
    /// The texts do not tell.
    CannotTell,
}

/// The facts about a pair that every label of it states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PairFacts {
    /// The id of the removed document; of a near miss, the one that comes first.
    pub left_id: String,
    /// The id of the document that was kept in its place; of a near miss, the other.
    pub right_id: String,
    /// The file of the left document.
    pub left_file: String,
    /// Its position there, counted from 1.
    pub left_position: u64,
    /// The file of the right document.
    pub right_file: String,
    /// Its position there, counted from 1.
    pub right_position: u64,
    /// The source of the left document, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_source: Option<String>,
    /// The source of the right document, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right_source: Option<String>,
    /// True if the right document belongs to the reference.
    #[serde(default, skip_serializing_if = "is_false")]
    pub right_in_reference: bool,
    /// True if both were kept, and their similarity is a little below the threshold.
    #[serde(default)]
    pub near_miss: bool,
    /// Their similarity by the measure of the run.
    pub similarity: f64,
    /// In how many super-shingles they agree, if the run compared these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_super_shingle_count: Option<u32>,
}

/// A label: a line of `labels.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Label {
    /// The pair that is labeled.
    #[serde(flatten)]
    pub facts: PairFacts,
    /// The answer; none if it was taken back.
    pub label: Option<Answer>,
    /// True if the removed document has something that is lost with it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub something_lost: bool,
    /// True if the worse of the two was kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub worse_kept: bool,
    /// Free-text remark.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Name of the labeler; if missing, the name of the file is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labeler: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Identifies a pair: the positions of both documents, left and right.
pub(crate) type PairKey = (Place, Place);

impl PairFacts {
    pub(crate) fn key(&self) -> PairKey {
        let place =
            |is_reference: bool, file: &str, position: u64| Place { is_reference, file: file.to_owned(), position };
        (
            place(false, &self.left_file, self.left_position),
            place(self.right_in_reference, &self.right_file, self.right_position),
        )
    }
}

/// The labels of all labelers: for each, the last one on every pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    by_labeler: BTreeMap<String, BTreeMap<PairKey, Label>>,
}

impl Labels {
    /// Reads label files in order.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self> {
        let mut labels = Self::default();
        for path in paths {
            let name = path.file_stem().map_or_else(|| "labels".into(), |stem| stem.to_string_lossy().into_owned());
            for label in read(path)? {
                labels.add(&name, label);
            }
        }
        Ok(labels)
    }

    /// Adds a label; `file` identifies a labeler without a name.
    pub(crate) fn add(&mut self, file: &str, label: Label) {
        let labeler = label.labeler.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| file.to_owned());
        let of_labeler = self.by_labeler.entry(labeler).or_default();
        match label.label {
            Some(_) => of_labeler.insert(label.facts.key(), label),
            None => of_labeler.remove(&label.facts.key()),
        };
    }

    /// The labels of each labeler who has any, by name.
    pub(crate) fn labelers(&self) -> impl Iterator<Item = (&str, &BTreeMap<PairKey, Label>)> {
        self.by_labeler.iter().filter(|(_, labels)| !labels.is_empty()).map(|(name, labels)| (&**name, labels))
    }

    /// All labels of a pair.
    pub(crate) fn of(&self, key: &PairKey) -> impl Iterator<Item = &Label> {
        self.by_labeler.values().filter_map(move |labels| labels.get(key))
    }

    /// The majority answer for a pair; none without labels.
    pub(crate) fn answer(&self, key: &PairKey) -> Option<Answer> {
        majority(self.of(key).filter_map(|label| label.label))
    }

    /// All pairs that have a label, in order.
    pub(crate) fn pairs(&self) -> BTreeMap<&PairKey, &PairFacts> {
        self.by_labeler.values().flatten().map(|(key, label)| (key, &label.facts)).collect()
    }
}

/// The labels of a file, in order.
fn read(path: &Path) -> Result<Vec<Label>> {
    let cannot = |cause| lookalike_io::Error::Unreadable { path: path.to_owned(), cause };
    // A crash may have split a character.
    let text = std::fs::read(path).map_err(cannot)?;
    let mut labels = Vec::new();
    let lines = (1..).zip(text.split_inclusive(|byte| *byte == b'\n'));
    let mut lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty()).peekable();
    while let Some((number, line)) = lines.next() {
        match serde_json::from_slice(line) {
            Ok(label) => labels.push(label),
            // A crash truncated it before it was acknowledged.
            Err(_) if lines.peek().is_none() && !line.ends_with(b"\n") => {}
            Err(error) => {
                let (path, reason) = (path.to_owned(), error.to_string());
                return Err(Error::NotALabel { path, line: number, reason });
            }
        }
    }
    Ok(labels)
}

/// A file to which labels are appended.
#[derive(Debug)]
pub(crate) struct LabelFile {
    path: PathBuf,
    file: File,
}

impl LabelFile {
    /// Opens or creates the file. An incomplete last line left by a crash is removed.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let cannot = |cause| lookalike_io::Error::Unwritable { path: path.to_owned(), cause };
        let is_new = !path.exists();
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(cannot)?;
        end_last_line(&mut file).map_err(cannot)?;
        if is_new {
            // Sync the folder too: otherwise a new file can be lost in a power failure.
            sync_folder(path).map_err(cannot)?;
        }
        Ok(Self { path: path.to_owned(), file })
    }

    /// Appends a label. When this returns, the label is on disk.
    pub(crate) fn append(&mut self, label: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(label).expect("strings and numbers have a JSON form");
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.map_err(|cause| lookalike_io::Error::Unwritable { path: self.path.clone(), cause }.into())
    }
}

fn end_last_line(file: &mut File) -> io::Result<()> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut text)?;
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    match &text[end..] {
        [] => Ok(()),
        line if serde_json::from_slice::<serde_json::Value>(line).is_ok() => file.write_all(b"\n"),
        _ => file.set_len(end as u64),
    }
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    // On this platform, a folder cannot be opened for syncing.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(at: u64, answer: Option<Answer>) -> Label {
        let facts = PairFacts {
            left_id: format!("left {at}"),
            right_id: format!("right {at} \u{202e}\n"),
            left_file: "a.jsonl".to_owned(),
            left_position: at,
            right_file: "b.jsonl".to_owned(),
            right_position: at,
            left_source: Some("a.example".to_owned()),
            right_source: None,
            right_in_reference: at == 3,
            near_miss: false,
            similarity: 0.875,
            equal_super_shingle_count: None,
        };
        let (something_lost, worse_kept) = (at == 1, false);
        Label { facts, label: answer, something_lost, worse_kept, note: String::new(), labeler: None }
    }

    #[test]
    fn what_was_appended_is_read_and_the_last_answer_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anna.jsonl");
        let mut file = LabelFile::open(&path).unwrap();
        let lines = [
            label(1, Some(Answer::Same)),
            label(2, Some(Answer::Same)),
            label(1, Some(Answer::Different)),
            label(2, None),
        ];
        lines.iter().for_each(|line| file.append(line).unwrap());
        assert_eq!(read(&path).unwrap(), lines);
        let labels = Labels::read(&[path]).unwrap();
        let (name, of_anna) = labels.labelers().next().unwrap();
        assert_eq!((name, of_anna.len()), ("anna", 1));
        assert_eq!(labels.of(&lines[0].facts.key()).next().unwrap().label, Some(Answer::Different));
    }

    #[test]
    fn a_line_that_a_crash_cut_off_is_not_a_label_and_harms_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        LabelFile::open(&path).unwrap().append(&label(1, Some(Answer::Same))).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..whole.len() {
            std::fs::write(&path, [&whole[..], &whole[..cut]].concat()).unwrap();
            let expected = if cut + 1 >= whole.len() { 2 } else { 1 };
            assert_eq!(read(&path).unwrap().len(), expected, "{cut}");
            LabelFile::open(&path).unwrap().append(&label(2, Some(Answer::CannotTell))).unwrap();
            let labels = read(&path).unwrap();
            assert_eq!(labels.len(), expected + 1, "{cut}");
            assert_eq!(labels.last().unwrap().facts.left_position, 2);
        }
    }

    #[test]
    fn a_line_that_is_no_label_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        std::fs::write(&path, "{\"left_id\":\"a\",\"right_id\":\"b\"}\n").unwrap();
        let error = Labels::read(&[path]).unwrap_err().to_string();
        assert!(error.contains("labels.jsonl:1: not a label") && error.contains("left_file"), "{error}");
    }
}
