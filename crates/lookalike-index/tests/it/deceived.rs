//! Texts and ids constructed by an attacker who knows the hash functions: no document replaces another or is rejected.

use lookalike_index::{CreateOptions, Index, NewDocument, Put};

/// Pairs of texts that differ in two letters and have the same XXH3 for about one in a hundred of all seeds.
fn pairs() -> Vec<(&'static str, &'static str)> {
    let texts = include_str!("../../../../fixtures/collisions/texts.tsv");
    texts.lines().map(|line| line.split_once('\t').unwrap()).collect()
}

/// Indexes, each with its own secret.
fn indexes(mut with: impl FnMut(&Index)) {
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        with(&Index::create(&folder.path().join("index"), &CreateOptions::default()).unwrap());
    }
}

#[test]
fn every_version_of_a_document_is_stored() {
    indexes(|index| {
        let writer = index.writer().unwrap();
        let ids: Vec<String> = (0..pairs().len()).map(|at| format!("d{at}")).collect();
        for (side, outcome) in [Put::Added, Put::Replaced, Put::Unchanged].into_iter().enumerate() {
            let text = |(left, right): (&'static str, &'static str)| if side == 0 { left } else { right };
            let documents: Vec<NewDocument<'_>> =
                ids.iter().zip(pairs()).map(|(id, pair)| NewDocument::new(id, text(pair))).collect();
            let outcomes = writer.put_many(&documents).unwrap();
            assert!(outcomes.iter().all(|found| *found == outcome), "{outcomes:?}");
        }
        let snapshot = index.snapshot().unwrap();
        for (id, (_, right)) in ids.iter().zip(pairs()) {
            assert_eq!(snapshot.document(id).unwrap().unwrap().text.as_deref(), Some(right));
        }
    });
}

#[test]
fn ids_are_compared_in_full() {
    indexes(|index| {
        let writer = index.writer().unwrap();
        for (left, right) in pairs() {
            let documents = [NewDocument::new(left, "of the left"), NewDocument::new(right, "of the right")];
            assert_eq!(writer.put_many(&documents).unwrap(), [Put::Added, Put::Added]);
        }
        assert_eq!(index.snapshot().unwrap().len(), 2 * pairs().len() as u64);
        for (left, right) in pairs() {
            writer.delete(&[left]).unwrap();
            let snapshot = index.snapshot().unwrap();
            assert!(snapshot.document(left).unwrap().is_none());
            assert!(snapshot.document(right).unwrap().is_some());
        }
    });
}
