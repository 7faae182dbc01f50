//! Who is near whom: the matches of a corpus by document, sorted, in memory or in the work folder.
//!
//! What does not fit the memory is written as sorted runs, which are merged when all are there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lookalike_core::likeness::Likeness;
use lookalike_core::resolve::Match;
use lookalike_io::work::Log;
use rayon::prelude::*;

use crate::copies::Texts;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::Copies;
use crate::verified::{match_of, match_words};
use crate::work::Work;

/// Takes matches, batch after batch.
pub(crate) struct Near<'a> {
    work: &'a Work,
    copies: CopiesOf,
    which: Copies,
    /// Documents below this one are of the input: only what is near them is asked for.
    input_count: u32,
    /// From a document to a text, and how alike they are: both ways round.
    held: Vec<Match>,
    most_held: usize,
    log: Option<Log>,
    runs: Vec<Run>,
}

/// The pieces of a sorted run: where they are, and their words.
type Run = Vec<(u64, usize)>;

/// How many matches are written together.
const PIECE: usize = 4096;

impl<'a> Near<'a> {
    pub(crate) fn new(corpus: &Corpus, texts: &Texts, which: Copies, work: &'a Work) -> Self {
        let most_held = (corpus.shares.matches() / size_of::<Match>()).max(PIECE);
        let copies = CopiesOf::new(corpus, texts);
        let input_count = corpus.input_count() as u32;
        Self { work, copies, which, input_count, held: Vec::new(), most_held, log: None, runs: Vec::new() }
    }

    /// Takes matches of texts by rank.
    pub(crate) fn add(&mut self, texts: &Texts, matches: &[Match]) -> Result<()> {
        for Match { left, right, likeness } in matches {
            let [left, right] = [left, right].map(|rank| texts.items[*rank as usize]);
            self.push(left, right, *likeness)?;
            self.push(right, left, likeness.swapped())?;
        }
        Ok(())
    }

    /// Takes the text `to` as near all copies of the text `from`, if that is of the input.
    pub(crate) fn push(&mut self, from: u32, to: u32, likeness: Likeness) -> Result<()> {
        if from >= self.input_count {
            return Ok(());
        }
        let near = |copy| Match { left: copy, right: to, likeness };
        match self.which {
            Copies::All => self.held.extend(self.copies.of(from).iter().map(|(_, copy)| near(*copy))),
            Copies::Star => self.held.push(near(from)),
        }
        if self.held.len() >= self.most_held { self.file() } else { Ok(()) }
    }

    fn file(&mut self) -> Result<()> {
        sort(&mut self.held);
        let log = match &mut self.log {
            Some(log) => log,
            none => none.insert(self.work.folder()?.log("match")?),
        };
        let piece = |piece: &[Match]| {
            let words: Vec<u64> = piece.iter().flat_map(|found| match_words(*found)).collect();
            Ok((log.append(&words)?, words.len()))
        };
        self.runs.push(self.held.chunks(PIECE).map(piece).collect::<Result<_>>()?);
        self.held.clear();
        Ok(())
    }

    /// All matches, to be asked for by document.
    pub(crate) fn finish(mut self) -> Result<SortedNear> {
        sort(&mut self.held);
        let mut sorted = SortedNear { copies: self.copies, log: self.log, runs: Vec::new(), next: BinaryHeap::new() };
        sorted.runs.push(Cursor { matches: self.held, at: 0, pieces: Vec::new().into_iter() });
        for run in self.runs {
            sorted.runs.push(Cursor { matches: Vec::new(), at: 0, pieces: run.into_iter() });
        }
        for run in 0..sorted.runs.len() {
            sorted.advance(run)?;
        }
        Ok(sorted)
    }
}

fn sort(matches: &mut [Match]) {
    matches.par_sort_unstable_by_key(|found| (found.left, found.right));
}

/// Matches from a document to texts, for documents in ascending order.
pub(crate) struct SortedNear {
    copies: CopiesOf,
    log: Option<Log>,
    runs: Vec<Cursor>,
    /// The next match of each run: from whom, to whom, and which run.
    next: BinaryHeap<Reverse<(u32, u32, usize)>>,
}

/// How far a run was read.
struct Cursor {
    matches: Vec<Match>,
    at: usize,
    pieces: std::vec::IntoIter<(u64, usize)>,
}

impl SortedNear {
    /// The texts near a document, and how alike they are. Documents before it cannot be asked for any more.
    pub(crate) fn of(&mut self, document: u32) -> Result<Vec<(u32, Likeness)>> {
        let mut near = Vec::new();
        while let Some(Reverse((left, right, run))) = self.next.peek().copied().filter(|next| next.0.0 <= document) {
            self.next.pop();
            let cursor = &mut self.runs[run];
            if left == document {
                near.push((right, cursor.matches[cursor.at].likeness));
            }
            cursor.at += 1;
            self.advance(run)?;
        }
        Ok(near)
    }

    /// The copies of a text, itself among them.
    pub(crate) fn copies(&self, text: u32) -> &[(u32, u32)] {
        self.copies.of(text)
    }

    /// Puts the next match of a run with those of the others.
    fn advance(&mut self, run: usize) -> Result<()> {
        let cursor = &mut self.runs[run];
        if cursor.at == cursor.matches.len()
            && let (Some((offset, length)), Some(log)) = (cursor.pieces.next(), &self.log)
        {
            let mut words = vec![0; length];
            log.read(offset, &mut words)?;
            cursor.matches = words.as_chunks().0.iter().map(|words| match_of(*words)).collect();
            cursor.at = 0;
        }
        if let Some(found) = cursor.matches.get(cursor.at) {
            self.next.push(Reverse((found.left, found.right, run)));
        }
        Ok(())
    }
}

/// The copies of every text.
struct CopiesOf {
    /// Text and copy, sorted. A text is a copy of itself.
    copies: Vec<(u32, u32)>,
}

impl CopiesOf {
    fn new(corpus: &Corpus, texts: &Texts) -> Self {
        let is_empty = |document: u32| corpus.token_counts[document as usize] == 0;
        let mut copies: Vec<(u32, u32)> = (0..)
            .zip(&texts.first_copy)
            .filter(|(copy, _)| !is_empty(*copy))
            .map(|(copy, first)| (*first, copy))
            .collect();
        copies.par_sort_unstable();
        Self { copies }
    }

    fn of(&self, text: u32) -> &[(u32, u32)] {
        let start = self.copies.partition_point(|(first, _)| *first < text);
        let length = self.copies[start..].iter().take_while(|(first, _)| *first == text).count();
        &self.copies[start..start + length]
    }
}
