//! Joins units that other documents share to passages: units that overlap or touch become one, and small gaps are
//! bridged.

use super::First;

/// A stretch of a document that other documents share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Its first byte.
    pub start: u32,
    /// The byte after it.
    pub end: u32,
    /// The first place of its first unit.
    pub first: First,
    /// The smallest number of documents that have one of its units.
    pub documents: u32,
}

/// Joins the units of one document, in order. Units that touch and occur first in the same document become one passage;
/// if the first copy is in a different document, a new passage begins. A gap between two units belongs to the passage
/// before it if `is_bridged` returns true for its start and end.
pub fn join(units: &[Copy], is_bridged: impl Fn(u32, u32) -> bool) -> Vec<Copy> {
    let mut passages: Vec<Copy> = Vec::new();
    for unit in units {
        let Some(last) = passages.last_mut() else {
            passages.push(*unit);
            continue;
        };
        if unit.start > last.end && is_bridged(last.end, unit.start) {
            last.end = unit.start;
        }
        if unit.start > last.end {
            passages.push(*unit);
        } else if unit.first.document == last.first.document {
            last.end = last.end.max(unit.end);
            last.documents = last.documents.min(unit.documents);
        } else if unit.end > last.end {
            let start = last.end;
            passages.push(Copy { start, ..*unit });
        }
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(start: u32, end: u32, document: u32, documents: u32) -> Copy {
        Copy { start, end, first: First { document, start }, documents }
    }

    fn places(passages: &[Copy]) -> Vec<(u32, u32, u32, u32)> {
        passages.iter().map(|copy| (copy.start, copy.end, copy.first.document, copy.documents)).collect()
    }

    #[test]
    fn units_that_touch_are_one_passage() {
        let units = [copy(0, 10, 1, 3), copy(5, 15, 1, 2), copy(15, 20, 1, 4), copy(25, 30, 1, 2)];
        assert_eq!(places(&join(&units, |_, _| false)), [(0, 20, 1, 2), (25, 30, 1, 2)]);
    }

    #[test]
    fn another_first_document_begins_another_passage() {
        let units = [copy(0, 10, 1, 2), copy(5, 15, 2, 2), copy(6, 16, 1, 3)];
        assert_eq!(places(&join(&units, |_, _| false)), [(0, 10, 1, 2), (10, 15, 2, 2), (15, 16, 1, 3)]);
    }

    #[test]
    fn a_gap_is_bridged_if_it_is_small() {
        let units = [copy(0, 10, 1, 2), copy(12, 20, 1, 2), copy(30, 40, 1, 2)];
        assert_eq!(places(&join(&units, |start, end| end - start < 5)), [(0, 20, 1, 2), (30, 40, 1, 2)]);
    }
}
