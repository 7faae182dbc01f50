#![no_main]
use libfuzzer_sys::fuzz_target;
use lookalike_core::contamination::{Reader, Scanner, TestItemsBuilder, Words};
use lookalike_core::hash::Key;

// Fields of an item and a document, with NUL between them.
fuzz_target!(|text: &str| {
    let parts: Vec<&str> = text.splitn(4, '\0').collect();
    let [question, choices, answer, document] = [0, 1, 2, 3].map(|part| parts.get(part).copied().unwrap_or_default());
    for text in [question, document] {
        let mut words = Words::default();
        Reader::new(Key::FIXED).read(text, &mut words);
        assert_eq!(words.hashes.len(), words.places.len());
        assert!(words.places.iter().all(|(start, end)| text.get(*start as usize..*end as usize).is_some()));
    }
    let mut builder = TestItemsBuilder::new(Key::FIXED, 4, 3);
    builder.add(&[question, choices, answer]);
    builder.add(&[choices, question, answer]);
    let items = builder.finish();
    for document in [document, question, text] {
        for found in Scanner::new(&items, 0.5).scan(document).found {
            assert!(document.get(found.bytes.clone()).is_some());
            assert!(found.passages.iter().all(|passage| document.get(passage.clone()).is_some()));
            assert!(found.coverage >= 0.0 && found.coverage <= 1.0 + 1e-9);
        }
    }
});
