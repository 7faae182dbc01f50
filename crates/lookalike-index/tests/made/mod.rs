//! Synthetic documents for the tests of an index, which depend only on the seed.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::collections::BTreeMap;

use lookalike_index::{Answer, Hit, Snapshot};

/// A stream of pseudorandom numbers.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    /// A text of `words` words.
    pub(crate) fn text(&mut self, words: u64) -> String {
        let words: Vec<String> = (0..words).map(|_| format!("w{}", self.below(5000))).collect();
        words.join(" ")
    }

    /// The same text with `changes` words changed.
    pub(crate) fn changed(&mut self, text: &str, changes: u64) -> String {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        for _ in 0..changes {
            let at = self.below(words.len() as u64) as usize;
            words[at] = format!("x{}", self.below(5000));
        }
        words.join(" ")
    }
}

/// Expected contents of an index: texts and fields by id, in the order of insertion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    documents: BTreeMap<u64, (String, String, String)>,
    numbers: BTreeMap<String, u64>,
    next: u64,
}

impl Model {
    pub(crate) fn put(&mut self, id: &str, fields: &str, text: &str) {
        if let Some(number) = self.numbers.get(id) {
            let (_, old_fields, old_text) = &self.documents[number];
            if old_fields == fields && old_text == text {
                return;
            }
        }
        self.delete(id);
        self.numbers.insert(id.to_owned(), self.next);
        self.documents.insert(self.next, (id.to_owned(), fields.to_owned(), text.to_owned()));
        self.next += 1;
    }

    pub(crate) fn delete(&mut self, id: &str) -> bool {
        let number = self.numbers.remove(id);
        number.is_some_and(|number| self.documents.remove(&number).is_some())
    }

    pub(crate) fn len(&self) -> u64 {
        self.documents.len() as u64
    }

    /// Id, fields and text, in the order of insertion.
    pub(crate) fn documents(&self) -> Vec<(String, String, String)> {
        self.documents.values().cloned().collect()
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.numbers.keys().cloned().collect()
    }

    pub(crate) fn text(&self, id: &str) -> Option<&str> {
        self.numbers.get(id).map(|number| &*self.documents[number].2)
    }
}

/// All documents of a snapshot: id, fields, text.
pub(crate) fn documents(snapshot: &Snapshot) -> Vec<(String, String, String)> {
    let document = |document: lookalike_index::Result<lookalike_index::Document>| {
        let document = document.unwrap();
        (document.id, document.fields, document.text.unwrap_or_default())
    };
    snapshot.documents().map(document).collect()
}

/// Checks an answer against brute force: every hit has the judge's similarity, the order is right, and no document far
/// above the threshold is missing.
pub(crate) fn check_answer(model: &Model, text: &str, answer: &Answer, threshold: f64, certain: f64) {
    let shingle = "word:5".parse().unwrap();
    let mut expected: Vec<(String, f64)> = Vec::new();
    for (id, _, other) in model.documents() {
        let similarity = lookalike_judge::measure(text, &other, shingle).jaccard();
        if similarity >= threshold {
            expected.push((id, similarity));
        }
    }
    expected.sort_by(|left, right| right.1.total_cmp(&left.1));
    let found: Vec<(&str, f64)> = answer.hits.iter().map(|hit: &Hit| (&*hit.id, hit.similarity)).collect();
    for (id, similarity) in &found {
        let expected = expected.iter().find(|(expected, _)| expected == id);
        let expected = expected.unwrap_or_else(|| panic!("{id} is found and should not be"));
        assert!((expected.1 - similarity).abs() < 1e-12, "{id}: {similarity} and not {}", expected.1);
    }
    let in_order: Vec<&str> =
        expected.iter().filter(|(id, _)| found.iter().any(|(found, _)| found == id)).map(|(id, _)| &**id).collect();
    assert_eq!(found.iter().map(|(id, _)| *id).collect::<Vec<_>>(), in_order, "in order");
    for (id, similarity) in expected.iter().filter(|(_, similarity)| *similarity >= certain) {
        assert!(found.iter().any(|(found, _)| found == id), "{id} with {similarity} is missing");
    }
}
