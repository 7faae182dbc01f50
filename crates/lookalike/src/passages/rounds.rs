//! Counts units in as many parts as the memory limit requires. Passages found in all parts but the last are stored; the
//! last part is searched while the output is written.

use std::cell::RefCell;

use lookalike_core::repeat::{Copy, First, Occurrences, Seen, Unit, Units, join};
use lookalike_io::work::Log;
use rayon::prelude::*;

use super::find::{Finder, Part, Repeats};
use super::gather::Gathered;
use super::write::{Found, Target};
use crate::corpus::walk::{Skips, Walked};
use crate::error::{Error, Result};
use crate::resources::spill::Spill;
use crate::resources::words::{both, pair};
use crate::resources::work::Work;

/// Maximum number of parts. If more are needed, a single sample has too many units.
const MOST_PARTS: u64 = 1 << 16;

/// Words of a unit that waits.
const COPY_WORDS: usize = 3;

/// The last part of all units, counted, and what the parts before it have found.
pub(super) struct Counted<'s> {
    seen: Option<&'s Seen>,
    part: Part,
    occurrences: Occurrences,
    /// Documents with units of the last part.
    has_units: Bits,
    aside: Aside,
}

impl<'s> Counted<'s> {
    /// Counts all units, part by part.
    pub(super) fn new(finder: &Finder<'_>, seen: Option<&'s Seen>) -> Result<Self> {
        let mut part = Part::ALL;
        let mut aside = Aside::default();
        let work = Work::of_texts(finder.options.resources.memory, finder.progress.unfinished());
        let spill = Spill::new(&work, "passages", (finder.share() / 2) as usize);
        loop {
            let mut has_units = Bits::default();
            let Some(occurrences) = finder.count(seen, part, &mut has_units)? else {
                part = Part { number: 2 * part.number, of: 2 * part.of };
                if part.of > MOST_PARTS {
                    let bytes = finder.options.resources.memory.bytes();
                    return Err(Error::MemoryTooSmallForMethod { bytes, method: "passages", needed: 2 * bytes });
                }
                continue;
            };
            if part.number + 1 == part.of {
                aside.log = spill.into_log();
                aside.work = Some(work);
                return Ok(Self { seen, part, occurrences, has_units, aside });
            }
            aside.add(finder, (seen, part), &occurrences, &has_units, &spill)?;
            part.number += 1;
        }
    }

    /// Finds the passages of all documents, and writes the requested output.
    pub(super) fn write(&self, finder: &Finder<'_>, target: &mut Target<'_>, gathered: &mut Gathered) -> Result<Skips> {
        let mut round_number = 0;
        finder.walk("write", true, |first, round| {
            let aside = self.aside.round(round_number)?;
            round_number += 1;
            let find = |units: &mut Units, (number, document): (usize, &Walked)| {
                let number = first + number as u32;
                let mut repeats = Repeats::default();
                if self.has_units.has(number) {
                    repeats =
                        finder.repeats(units, (number, &document.text), (self.seen, self.part), &self.occurrences);
                }
                repeats.is_first |= self.aside.is_first.has(number);
                repeats.copies.extend(aside.of(number));
                repeats.copies.sort_by_key(|copy| (copy.start, copy.end));
                found(finder, units, document, &repeats)
            };
            let found: Vec<Found> = round
                .par_iter()
                .enumerate()
                .map_init(|| finder.units(), |units, document| find(units, document))
                .collect();
            target.write(finder, first, &round, &found, gathered)
        })
    }
}

/// The passages of a document, and what is left of it.
fn found(finder: &Finder<'_>, units: &mut Units, document: &Walked, repeats: &Repeats) -> Found {
    let gap = finder.options.gap as usize;
    let text = &*document.text;
    // Between two runs of words may stand whatever is no word; between two lines only white space.
    let counts_words = gap > 0 || matches!(finder.options.unit, Unit::Run(_));
    let bench = RefCell::new(&mut *units);
    let is_bridged = |start: u32, end: u32| {
        let between = &text[start as usize..end as usize];
        between.trim().is_empty() || counts_words && bench.borrow_mut().word_count(between) <= gap
    };
    let passages = join(&repeats.copies, is_bridged);
    let words_left = (!passages.is_empty()).then(|| units.word_count(&without(text, &passages)) as u64);
    let fingerprint = |passage: &Copy| units.fingerprint(&text[passage.start as usize..passage.end as usize]);
    let fingerprints = passages.iter().map(fingerprint).collect();
    Found { is_first: repeats.is_first, passages, fingerprints, words_left }
}

/// A text without its passages.
pub(super) fn without(text: &str, passages: &[Copy]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut end = 0;
    for passage in passages {
        left.push_str(&text[end..passage.start as usize]);
        end = passage.end as usize;
    }
    left.push_str(&text[end..]);
    left
}

/// Passages found in all parts but the last.
#[derive(Default)]
struct Aside {
    /// Documents that are the first with some unit.
    is_first: Bits,
    /// Passages by round of reading, in memory or in the log.
    rounds: Vec<Vec<Stored>>,
    log: Option<Log>,
    /// The folder of the log.
    work: Option<Work>,
}

/// Units that wait, in words.
enum Stored {
    Held(Vec<u64>),
    Logged { offset: u64, words: usize },
}

impl Aside {
    /// Finds the units of a part, and puts them aside.
    fn add(
        &mut self,
        finder: &Finder<'_>,
        (seen, part): (Option<&Seen>, Part),
        occurrences: &Occurrences,
        has_units: &Bits,
        spill: &Spill<'_>,
    ) -> Result<()> {
        let mut round_number = 0;
        let is_first = &mut self.is_first;
        let rounds = &mut self.rounds;
        finder.walk("find", false, |first, round| {
            let find = |units: &mut Units, (number, document): (usize, &Walked)| {
                let number = first + number as u32;
                if !has_units.has(number) {
                    return Repeats::default();
                }
                finder.repeats(units, (number, &document.text), (seen, part), occurrences)
            };
            let found: Vec<Repeats> = round
                .par_iter()
                .enumerate()
                .map_init(|| finder.units(), |units, document| find(units, document))
                .collect();
            let mut words = Vec::new();
            for (number, repeats) in (first..).zip(&found) {
                is_first.set(number, repeats.is_first);
                words.extend(repeats.copies.iter().flat_map(|copy| to_words(number, copy)));
            }
            if rounds.len() <= round_number {
                rounds.resize_with(round_number + 1, Vec::new);
            }
            if !words.is_empty() {
                let stored = if spill.hold(words.len() * size_of::<u64>()) {
                    Stored::Held(words)
                } else {
                    Stored::Logged { offset: spill.append(&words)?, words: words.len() }
                };
                rounds[round_number].push(stored);
            }
            round_number += 1;
            Ok(())
        })?;
        Ok(())
    }

    /// The passages of a round of reading.
    fn round(&self, number: usize) -> Result<RoundAside> {
        let mut words = Vec::new();
        for stored in self.rounds.get(number).into_iter().flatten() {
            match stored {
                Stored::Held(held) => words.extend_from_slice(held),
                Stored::Logged { offset, words: count } => {
                    let mut logged = vec![0; *count];
                    self.log.as_ref().expect("there is a log if something is in it").read(*offset, &mut logged)?;
                    words.extend(logged);
                }
            }
        }
        let mut copies: Vec<(u32, Copy)> = words.chunks_exact(COPY_WORDS).map(of_words).collect();
        copies.sort_by_key(|(document, _)| *document);
        Ok(RoundAside { copies })
    }
}

/// The passages of a round of reading, by document.
struct RoundAside {
    copies: Vec<(u32, Copy)>,
}

impl RoundAside {
    fn of(&self, document: u32) -> impl Iterator<Item = Copy> {
        let from = self.copies.partition_point(|(other, _)| *other < document);
        self.copies[from..].iter().take_while(move |(other, _)| *other == document).map(|(_, copy)| *copy)
    }
}

fn to_words(document: u32, copy: &Copy) -> [u64; COPY_WORDS] {
    let First { document: first, start } = copy.first;
    [pair(document, copy.start), pair(copy.end, copy.documents), pair(first, start)]
}

fn of_words(words: &[u64]) -> (u32, Copy) {
    let [document, start] = both(words[0]);
    let [end, documents] = both(words[1]);
    let [first, first_start] = both(words[2]);
    (document, Copy { start, end, first: First { document: first, start: first_start }, documents })
}

/// A bit for each document.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    len: u32,
}

impl Bits {
    pub(super) fn push(&mut self, bit: bool) {
        self.set(self.len, bit);
        self.len += 1;
    }

    /// Sets a bit if `bit`; one that is set stays.
    fn set(&mut self, at: u32, bit: bool) {
        let word = at as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= u64::from(bit) << (at % 64);
    }

    pub(super) fn has(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}
