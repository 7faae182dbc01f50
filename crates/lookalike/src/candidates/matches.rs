//! The matches of a corpus by document, sorted.

use lookalike_core::decision::Match;
use lookalike_core::ids::{Document, Number, Rank};
use lookalike_core::measure::likeness::Likeness;
use rayon::prelude::*;

use crate::candidates::copies::Texts;
use crate::candidates::sorted::{Reader, Sorted, Sorting};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::Copies;
use crate::resources::work::Work;

/// Collects matches, a few at a time.
pub(crate) struct Near<'a> {
    copies: CopiesOf,
    which: Copies,
    /// Documents below this number are of the input: only their matches are needed.
    input_count: u32,
    /// From a document to a text, with the measurement, in both directions.
    sorting: Sorting<'a, Document>,
}

impl<'a> Near<'a> {
    pub(crate) fn new(corpus: &Corpus, texts: &Texts, which: Copies, work: &'a Work) -> Self {
        let copies = CopiesOf::new(corpus, texts);
        let input_count = corpus.input_count() as u32;
        Self { copies, which, input_count, sorting: Sorting::new(work, "match", corpus.shares.matches()) }
    }

    /// Adds matches of texts by rank.
    pub(crate) fn add(&mut self, texts: &Texts, matches: &[Match<Rank>]) -> Result<()> {
        for Match { left, right, likeness } in matches {
            let [left, right] = [left, right].map(|rank| texts.items[rank.index()]);
            self.push(left, right, *likeness)?;
            self.push(right, left, likeness.swapped())?;
        }
        Ok(())
    }

    /// Adds the text `to` as a match of all copies of the text `from`, if that is of the input.
    pub(crate) fn push(&mut self, from: Document, to: Document, likeness: Likeness) -> Result<()> {
        if from.0 >= self.input_count {
            return Ok(());
        }
        match self.which {
            Copies::All => {
                let Self { copies, sorting, .. } = self;
                let mut copies = copies.of(from).iter();
                copies.try_for_each(|(_, copy)| sorting.push(Match { left: *copy, right: to, likeness }))
            }
            Copies::Star => self.sorting.push(Match { left: from, right: to, likeness }),
        }
    }

    /// Returns all matches for lookup by document.
    pub(crate) fn finish(self) -> Result<SortedNear> {
        let sorted = self.sorting.finish()?;
        Ok(SortedNear { copies: self.copies, reader: sorted.reader()?, sorted })
    }
}

/// Matches from a document to texts, for documents in ascending order.
pub(crate) struct SortedNear {
    copies: CopiesOf,
    sorted: Sorted<Document>,
    reader: Reader<Document>,
}

impl SortedNear {
    /// The texts that match a document, with measurements. Documents must be requested in ascending order.
    pub(crate) fn of(&mut self, document: Document) -> Result<Vec<(Document, Likeness)>> {
        let mut near = Vec::new();
        while let Some(Match { left, right, likeness }) = self.reader.next_up_to(document, &self.sorted)? {
            if left == document {
                near.push((right, likeness));
            }
        }
        Ok(near)
    }

    /// The copies of a text, including itself.
    pub(crate) fn copies(&self, text: Document) -> &[(Document, Document)] {
        self.copies.of(text)
    }
}

/// The copies of every text.
struct CopiesOf {
    /// Text and copy, sorted. A text is a copy of itself.
    copies: Vec<(Document, Document)>,
}

impl CopiesOf {
    fn new(corpus: &Corpus, texts: &Texts) -> Self {
        let is_empty = |document: u32| corpus.token_counts[document as usize] == 0;
        let mut copies: Vec<(Document, Document)> = (0..)
            .zip(&texts.first_copy)
            .filter(|(copy, _)| !is_empty(*copy))
            .map(|(copy, first)| (*first, Document(copy)))
            .collect();
        copies.par_sort_unstable();
        Self { copies }
    }

    fn of(&self, text: Document) -> &[(Document, Document)] {
        let start = self.copies.partition_point(|(first, _)| *first < text);
        let length = self.copies[start..].iter().take_while(|(first, _)| *first == text).count();
        &self.copies[start..start + length]
    }
}
