//! A corpus has of each document what counting its words says, whether blocks are held or filed.

use std::collections::HashSet;
use std::path::Path;

use lookalike_core::ids::Document;
use lookalike_core::scheme::Scheme;
use lookalike_core::sources::FeatureSource;
use lookalike_io::work::WorkOptions;
use proptest::prelude::*;

use super::What;
use crate::options::Resources;
use crate::progress::Silent;
use crate::request::ReadRequest;
use crate::resources::memory::Memory;
use crate::run::{Files, Run};

/// Texts of few words, so that shingles and whole texts recur.
fn any_texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    proptest::collection::vec(proptest::collection::vec(0_u8..3, 0..9), 1..30)
}

fn line(id: usize, words: &[u8]) -> String {
    let text: Vec<String> = words.iter().map(|word| format!("w{word}")).collect();
    format!("{{\"id\":\"document {id}\",\"text\":\"{}\"}}\n", text.join(" "))
}

fn check(texts: &[Vec<u8>], folder: &Path, work: &WorkOptions) -> Result<(), TestCaseError> {
    let scheme = Scheme::default().with_shingle("word:3".parse().unwrap());
    let read = ReadRequest::new([folder.join("in")]).id("id").check(&Resources::default()).unwrap();
    let files = Files::find(&read, None, None, work).unwrap();
    let run = Run::start(&files, &scheme, (Memory::default(), work), &[], &Silent).unwrap();
    let corpus = run.read(files, &read).unwrap();
    let reread = run.reread(&corpus, &read).deciding;

    prop_assert_eq!((corpus.len(), corpus.input_count()), (texts.len(), texts.len()));
    let mut hashes = Vec::new();
    corpus.each_text_hash(&mut |_, words, content| hashes.push((words, content))).unwrap();
    for (at, words) in texts.iter().enumerate() {
        let document = Document(at as u32);
        let described = corpus.describe(document).unwrap();
        prop_assert_eq!(&*described.id(), format!("document {at}"));
        prop_assert_eq!(described.position(), (at % 7) as u64 + 1);
        prop_assert_eq!(corpus.token_counts[at] as usize, words.len());
        // A text of fewer words than a shingle has is one shingle.
        let shingles: Vec<&[u8]> = match words.len() {
            0 => Vec::new(),
            1 | 2 => vec![words],
            _ => words.windows(3).collect(),
        };
        let features = reread.features(document).unwrap();
        prop_assert_eq!(features.len(), shingles.len());
        prop_assert_eq!(corpus.sizes[at] as usize, shingles.iter().collect::<HashSet<_>>().len());
        prop_assert_eq!(features.iter().collect::<HashSet<_>>().len(), corpus.sizes[at] as usize);
        for (other, words_of_other) in texts.iter().enumerate().filter(|(_, other)| !other.is_empty()) {
            prop_assert_eq!(hashes[at] == hashes[other], words == words_of_other, "{} and {}", at, other);
        }
    }
    let entries = (0..corpus.shelf.files().len() as u32).flat_map(|file| corpus.blocks_of_file(file));
    let documents: Vec<Document> = entries
        .flat_map(|block| corpus.entries(block).unwrap())
        .filter_map(|entry| if let What::Document(document) = entry.what { Some(document) } else { None })
        .collect();
    prop_assert!(documents.into_iter().eq((0..texts.len() as u32).map(Document)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn documents_are_counted_named_and_read_again_as_they_are(texts in any_texts()) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        // Seven documents a file.
        for (file, some) in texts.chunks(7).enumerate() {
            let lines: String = some.iter().enumerate().map(|(at, words)| line(file * 7 + at, words)).collect();
            std::fs::write(folder.path().join(format!("in/{file:02}.jsonl")), lines).unwrap();
        }
        check(&texts, folder.path(), &WorkOptions::default())?;
        // With a folder of its own, all blocks go there.
        let work = WorkOptions { folder: Some(folder.path().join("work")), ..WorkOptions::default() };
        check(&texts, folder.path(), &work)?;
    }
}
