//! Synthetic corpora, and running jobs on them: shared by several test files.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use lookalike::{
    Copies, DedupOptions, DedupRequest, PairsRequest, ReadRequest, Result, Scheme, SchemeRequest, Silent, Summary,
};
use proptest::prelude::*;
use serde_json::Value;

/// A file or folder of the labeled data, for tests that `cargo xtask test` runs where the data is: it says where.
pub fn labeled(name: &str) -> PathBuf {
    let folder = std::env::var_os("LOOKALIKE_DATA").expect("LOOKALIKE_DATA names the folder of the labeled data");
    PathBuf::from(folder).join(name)
}

/// A folder with a corpus in it.
pub struct Case {
    pub folder: tempfile::TempDir,
}

impl Case {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A case with a file of JSONL documents.
    pub fn of(texts: &[impl AsRef<str>]) -> Self {
        let case = Self::new();
        case.write("corpus.jsonl", jsonl(texts));
        case
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A request to deduplicate one file or folder of the case into `out`.
    pub fn request(&self, input: &str, threshold: f64) -> DedupRequest {
        DedupRequest::new([self.path(input)]).threshold(threshold).output(self.path("out")).force(true)
    }

    /// The options of this request.
    pub fn options(&self, input: &str, threshold: f64) -> DedupOptions {
        self.request(input, threshold).check().unwrap()
    }

    /// The lines of a JSONL file in `out`.
    pub fn rows(&self, name: &str) -> Vec<Value> {
        rows(&self.path("out").join(name))
    }
}

pub fn rows(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn dedup(request: &DedupRequest) -> Summary {
    try_dedup(request).unwrap()
}

/// Runs a valid request that may fail.
pub fn try_dedup(request: &DedupRequest) -> Result<Summary> {
    lookalike::dedup(&request.clone().check().unwrap(), &Silent)
}

/// The pairs that `pairs` writes, as `left_id`, `right_id`, jaccard.
pub fn pairs(read: &ReadRequest, scheme: &SchemeRequest, copies: Copies) -> Vec<(String, String, f64)> {
    let options = pairs_request(read, scheme).copies(copies).check().unwrap();
    let mut bytes = Vec::new();
    lookalike::pairs(&options, &mut bytes, &Silent).unwrap();
    String::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            let id = |name: &str| row[name].as_str().unwrap().to_owned();
            (id("left_id"), id("right_id"), row["jaccard"].as_f64().unwrap())
        })
        .collect()
}

/// A request for all pairs of what is read.
pub fn pairs_request(read: &ReadRequest, scheme: &SchemeRequest) -> PairsRequest {
    let mut request = PairsRequest::default();
    (request.read, request.scheme) = (read.clone(), scheme.clone());
    request
}

/// With a recall of 1, the probability of a miss is negligible.
pub fn scheme(shingle: &str, threshold: f64, recall: f64) -> SchemeRequest {
    SchemeRequest::default().shingle(shingle).threshold(threshold).recall(recall)
}

/// The same, checked.
pub fn similarity(shingle: &str, threshold: f64, recall: f64) -> Scheme {
    scheme(shingle, threshold, recall).check().unwrap()
}

/// Documents with the ids 0, 1, 2 … as JSONL.
pub fn jsonl(texts: &[impl AsRef<str>]) -> String {
    let line = |(id, text): (usize, _)| serde_json::json!({ "id": id.to_string(), "text": text }).to_string() + "\n";
    texts.iter().map(AsRef::as_ref).enumerate().map(line).collect()
}

/// An edit of a text.
#[derive(Clone, Debug)]
pub enum Edit {
    Substitute(usize),
    Insert(usize),
    Delete(usize),
    Header(usize),
    SwapParagraphs,
    RepeatParagraph(usize),
    Shout,
    Truncate(usize),
}

pub fn any_edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0_usize..1000).prop_map(Edit::Substitute),
        (0_usize..1000).prop_map(Edit::Insert),
        (0_usize..1000).prop_map(Edit::Delete),
        (0_usize..1000).prop_map(Edit::Header),
        Just(Edit::SwapParagraphs),
        (0_usize..10).prop_map(Edit::RepeatParagraph),
        Just(Edit::Shout),
        (0_usize..40).prop_map(Edit::Truncate),
    ]
}

/// Families of texts: each starts with a new text, and each further one edits the previous one, which makes chains.
pub fn any_corpus() -> impl Strategy<Value = Vec<String>> {
    let family =
        (any::<u32>(), 1_usize..120, proptest::collection::vec(proptest::collection::vec(any_edit(), 0..4), 0..6));
    proptest::collection::vec(family, 1..7).prop_map(|families| {
        let mut texts = Vec::new();
        for (seed, length, members) in families {
            let mut words: Vec<String> = (0..length).map(|at| word(seed, at)).collect();
            texts.push(paragraphs(&words));
            for edits in members {
                edits.iter().for_each(|edit| apply(edit, &mut words));
                texts.push(paragraphs(&words));
            }
        }
        // Shuffled, so that families are not adjacent.
        let count = texts.len();
        (0..count).map(|at| texts[at * 7919 % count].clone()).take(count).collect()
    })
}

fn word(seed: u32, at: usize) -> String {
    // Few enough words that shingles recur by chance, many enough that texts differ.
    let mixed = (u64::from(seed) << 20 ^ at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    format!("w{}", (mixed >> 40) % 500)
}

fn apply(edit: &Edit, words: &mut Vec<String>) {
    let count = words.len().max(1);
    match *edit {
        Edit::Substitute(at) if !words.is_empty() => words[at % count] = format!("other{at}"),
        Edit::Insert(at) => words.insert(at % count.min(words.len() + 1), format!("new{at}")),
        Edit::Delete(at) if words.len() > 1 => drop(words.remove(at % count)),
        Edit::Header(at) => drop(words.splice(0..0, (0..6).map(|word| format!("header{at}x{word}")))),
        Edit::SwapParagraphs => words.rotate_left(count / 2 % count),
        Edit::RepeatParagraph(at) => {
            let start = at * 10 % count;
            let again: Vec<String> = words[start..].iter().take(10).cloned().collect();
            words.extend(again);
        }
        Edit::Shout => words.iter_mut().for_each(|word| *word = word.to_uppercase()),
        Edit::Truncate(length) => words.truncate(words.len().saturating_sub(length)),
        Edit::Substitute(_) | Edit::Delete(_) => {}
    }
}

fn paragraphs(words: &[String]) -> String {
    words.chunks(10).map(|paragraph| paragraph.join(" ")).collect::<Vec<_>>().join(".\n\n")
}
