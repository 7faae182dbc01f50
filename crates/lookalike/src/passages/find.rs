//! Finds the units of documents: their samples, counts, and those that other documents have.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use lookalike_core::hash::{Key, mix};
use lookalike_core::repeat::{
    BYTES_PER_UNIT, Copy, Counting, Occurrence, OccurrenceCounter, Occurrences, Seen, Unit, UnitPlace, Units,
};
use lookalike_io::input::discover::InputFile;
use rayon::prelude::*;

use super::rounds::Bits;
use crate::corpus::walk::{ROUND_BYTES, Skips, Walked, walk_entries};
use crate::error::{Error, Result};
use crate::options::{Action, KeepCopy, PassagesOptions};
use crate::progress::Progress;

/// Reads the input, as often as needed, and finds units in it.
pub(super) struct Finder<'a> {
    pub(super) options: &'a PassagesOptions,
    pub(super) progress: &'a dyn Progress,
    pub(super) files: Vec<InputFile>,
    key: Key,
    /// Number of documents and bytes in the first reading; later readings must find the same.
    size: Mutex<Option<(u64, u64)>>,
}

/// A part of all samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Number of the part, from 0.
    pub(super) number: u64,
    /// The number of parts.
    pub(super) of: u64,
}

impl Part {
    pub(super) const ALL: Self = Self { number: 0, of: 1 };

    fn has(self, sample: u64) -> bool {
        // Other bits than those of the filter decide.
        self.of == 1 || (u128::from(mix(sample)) * u128::from(self.of)) >> 64 == u128::from(self.number)
    }
}

/// The units of a document that other documents have.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    pub(super) copies: Vec<Copy>,
    /// True if the document is the first with some unit.
    pub(super) is_first: bool,
}

/// The first places of units in one document.
struct OwnFirsts {
    number: u32,
    counting: Counting,
    /// Ends of the units, if copies may follow in the same document.
    ends: HashMap<u128, u32>,
}

impl OwnFirsts {
    /// Returns true if a unit is the first of its kind, or overlaps it. The units of the document come in order.
    fn is_first(&mut self, unit: &UnitPlace, found: &Occurrence) -> bool {
        if found.first.document != self.number {
            return false;
        }
        self.counting == Counting::Documents || unit.start < *self.ends.entry(unit.key).or_insert(unit.end)
    }
}

/// Estimated size of a decompressed file per compressed byte.
const UNPACKED: u64 = 4;

impl<'a> Finder<'a> {
    pub(super) fn new(options: &'a PassagesOptions, progress: &'a dyn Progress) -> Result<Self> {
        let files = options.read.discover(options.folder())?.files;
        Ok(Self { options, progress, files, key: Key::random(), size: Mutex::default() })
    }

    /// A quarter of the memory limit.
    pub(super) fn share(&self) -> u64 {
        self.options.resources.memory.bytes() / 4
    }

    /// Notes the samples of all documents; none where all units fit the memory anyway.
    pub(super) fn sample(&self) -> Result<Option<Seen>> {
        let (units, samples) = self.estimate();
        if !matches!(self.options.unit, Unit::Run(_)) && units * BYTES_PER_UNIT <= self.share() / 2 {
            return Ok(None);
        }
        let seen = Seen::new(samples, self.share());
        self.walk("sample", false, |_, round| {
            round.par_iter().for_each_init(
                || self.units(),
                |units, document| units.samples(&document.text, |sample| seen.note(sample)),
            );
            Ok(())
        })?;
        Ok(Some(seen))
    }

    /// Estimates the number of units and samples of the input.
    fn estimate(&self) -> (u64, u64) {
        let is_packed = |file: &InputFile| {
            [".gz", ".zst", ".parquet", ".gzip", ".zstd"]
                .iter()
                .any(|end| file.name.to_ascii_lowercase().ends_with(end))
        };
        let bytes: u64 = self.files.iter().map(|file| file.bytes * if is_packed(file) { UNPACKED } else { 1 }).sum();
        match self.options.unit {
            Unit::Line => (bytes / 24 + 1, bytes / 24 + 1),
            Unit::Paragraph => (bytes / 100 + 1, bytes / 100 + 1),
            // Of a window of N / 2 hashes, two are the smallest of their neighborhood.
            Unit::Run(run) => (bytes / 5 + 1, bytes * 4 / (5 * run as u64) + 1),
        }
    }

    pub(super) fn units(&self) -> Units {
        Units::new(self.options.unit, self.key).of_tokens(self.options.tokens)
    }

    /// Counts the units of a part of all samples; `has_units` takes the documents that have such units. None if there
    /// is not enough room.
    pub(super) fn count(&self, seen: Option<&Seen>, part: Part, has_units: &mut Bits) -> Result<Option<Occurrences>> {
        let counter = OccurrenceCounter::new(self.options.counting, self.share() * 2);
        let has_room = AtomicBool::new(true);
        let is_wanted = |sample| part.has(sample) && seen.is_none_or(|seen| seen.is_repeated(sample));
        let walked = self.walk("count", false, |first, round| {
            let add = |(units, wanted): &mut (Units, Vec<_>), (number, document): (usize, &Walked)| {
                wanted.clear();
                units.wanted(&document.text, is_wanted, |unit| wanted.push(unit));
                if !counter.add(first + number as u32, wanted) {
                    has_room.store(false, Relaxed);
                }
                !wanted.is_empty()
            };
            let with_units: Vec<bool> = round
                .par_iter()
                .enumerate()
                .map_init(|| (self.units(), Vec::new()), |bench, document| add(bench, document))
                .collect();
            with_units.into_iter().for_each(|has| has_units.push(has));
            // The same counts cannot be had with less.
            if has_room.load(Relaxed) { Ok(()) } else { Err(Error::Stopped) }
        });
        if !has_room.into_inner() {
            self.progress.go_on()?;
            return Ok(None);
        }
        walked?;
        Ok(Some(counter.finish(self.options.at_least)))
    }

    /// The units of a document that others have.
    pub(super) fn repeats(
        &self,
        units: &mut Units,
        (number, text): (u32, &str),
        (seen, part): (Option<&Seen>, Part),
        occurrences: &Occurrences,
    ) -> Repeats {
        let mut repeats = Repeats::default();
        let mut last_number = None;
        let mut own = OwnFirsts { number, counting: self.options.counting, ends: HashMap::new() };
        let is_wanted = |sample| part.has(sample) && seen.is_none_or(|seen| seen.is_repeated(sample));
        units.wanted(text, is_wanted, |unit| {
            let Some(found) = occurrences.of(unit.key) else { return };
            let is_first = own.is_first(&unit, &found);
            repeats.is_first |= found.first.document == number;
            if is_first && self.options.keep == KeepCopy::First {
                return;
            }
            let copy = Copy { start: unit.start, end: unit.end, first: found.first, documents: found.documents };
            match repeats.copies.last_mut() {
                // Thousands of neighbors are one in the end.
                Some(last)
                    if last_number.is_some_and(|last: u32| last + 1 == unit.number)
                        && last.first.document == copy.first.document
                        && copy.start <= last.end =>
                {
                    last.end = last.end.max(copy.end);
                    last.documents = last.documents.min(copy.documents);
                }
                _ => repeats.copies.push(copy),
            }
            last_number = Some(unit.number);
        });
        repeats
    }

    /// Reads all documents; `take` gets the number of the first of a round, and the round.
    pub(super) fn walk(
        &self,
        stage: &'static str,
        is_last: bool,
        mut take: impl FnMut(u32, Vec<Walked>) -> Result<()> + Send,
    ) -> Result<Skips> {
        let round_bytes = ROUND_BYTES.min(self.options.resources.memory.bytes() / 96);
        let keeps_entries = is_last && self.options.action != Action::Report && self.options.folder.is_some();
        let mut number = 0;
        let (read, output) = (&self.options.read, self.options.folder());
        let skips = walk_entries(read, output, stage, (round_bytes, keeps_entries), self.progress, |round| {
            let first = number;
            number += u32::try_from(round.len()).expect("a round has millions of documents at most");
            take(first, round)
        })?;
        let size = (skips.documents, skips.bytes);
        let mut before = self.size.lock().expect("no thread panicked");
        if *before.get_or_insert(size) != size {
            let path = self.files.first().map(InputFile::shown).unwrap_or_default();
            return Err(lookalike_io::Error::Changed { path }.into());
        }
        Ok(skips)
    }
}
