//! Pairs to rows, in the order of sets.
//!
//! Note that hardly any row is formatted. An id is written out once for all rows that have it, and
//! what follows the ids, the same few quotients over and over, is looked up.

use std::io::Write;
use std::ops::Range;

use lookalike_core::join::{Measure, Near};
use lookalike_core::packed::Strings;
use rayon::prelude::*;

use super::SIMILARITY_STEPS;
use super::find::Finder;
use crate::error::{Error, Result};
use crate::options::RowFormat;
use crate::progress::Progress;

/// How many sets a thread takes at once, at most.
const MOST_AT_ONCE: usize = 512;

/// How many turns of threads are written together, at most.
const MOST_TURNS: usize = 32;

/// How many bytes are written together, about: there are sets with very many pairs, and a turn ends where it has its share of these.
const TOGETHER: usize = 8 << 20;

/// How many sets are taken together: so many turns, of so many sets each.
#[derive(Clone, Copy)]
struct Pace {
    turns: usize,
    at_once: usize,
}

impl Pace {
    fn start() -> Self {
        Self { turns: rayon::current_num_threads().min(MOST_TURNS), at_once: MOST_AT_ONCE / 8 }
    }

    /// The next one, when this one gave so many bytes, and turns ended early or not.
    fn next(self, bytes: usize, is_cut: bool) -> Self {
        let Self { turns, at_once } = self;
        if is_cut && at_once > 1 {
            Self { at_once: at_once / 2, ..self }
        } else if is_cut {
            Self { turns: (turns / 2).max(Self::start().turns), ..self }
        } else if bytes > TOGETHER / 4 {
            self
        } else if turns < MOST_TURNS {
            Self { turns: (2 * turns).min(MOST_TURNS), ..self }
        } else {
            Self { at_once: (2 * at_once).min(MOST_AT_ONCE), ..self }
        }
    }
}

/// Writes rows.
pub(super) struct Rows {
    /// Ids as they stand in a row.
    ids: Strings,
    measure: Measure,
    format: RowFormat,
}

impl Rows {
    pub(super) fn new(ids: &Strings, measure: Measure, format: RowFormat) -> Self {
        let ids = match format {
            RowFormat::Jsonl => ids.iter().map(|id| serde_json::Value::from(id).to_string()).collect(),
            RowFormat::Tsv | RowFormat::Csv => ids.iter().map(|id| format.cell(id)).collect(),
        };
        Self { ids, measure, format }
    }

    /// Writes the pairs of these sets, and counts them by similarity.
    pub(super) fn write(
        &self,
        finder: &dyn Finder,
        mut sets: Range<u32>,
        writer: &mut (dyn Write + Send),
        progress: &dyn Progress,
    ) -> Result<BySimilarity> {
        if self.format != RowFormat::Jsonl {
            let mut names = vec!["left_id", "right_id", self.measure.word(), "shared"];
            names.extend(self.tells_both().then_some(["containment_left", "containment_right"]).into_iter().flatten());
            let names = names.join(&self.format.separator().to_string());
            writeln!(writer, "{names}").map_err(Error::unwritable)?;
        }
        let (mut counted, mut pace) = (NONE, Pace::start());
        let mut rendered: Vec<Rendered> = Vec::new();
        // While one thread writes what is there, the others make what comes next.
        while !sets.is_empty() || !rendered.is_empty() {
            progress.go_on()?;
            let Pace { turns, at_once } = pace;
            let end = sets.start.saturating_add((at_once * turns) as u32).min(sets.end);
            let block: Vec<u32> = (sets.start..end).collect();
            let write_all = || rendered.iter().try_for_each(|part| writer.write_all(&part.bytes));
            let render = |some| self.render(finder, some, TOGETHER / turns, progress);
            let render_all = || -> Vec<Rendered> { block.par_chunks(at_once).map(render).collect() };
            let (written, mut next) = rayon::join(write_all, render_all);
            written.map_err(Error::unwritable)?;
            progress.go_on()?;
            // What comes after a turn that ended early is made again, since rows are in the order of sets.
            let cut = block.chunks(at_once).zip(&next).position(|(some, part)| part.sets < some.len());
            next.truncate(cut.map_or(next.len(), |cut| cut + 1));
            sets.start += next.iter().map(|part| part.sets as u32).sum::<u32>();
            pace = pace.next(next.iter().map(|part| part.bytes.len()).sum(), cut.is_some());
            for part in &next {
                counted.iter_mut().zip(part.counted).for_each(|(all, of_part)| *all += of_part);
            }
            rendered = next;
        }
        writer.flush().map_err(Error::unwritable)?;
        Ok(counted)
    }

    /// The rows of the first of these sets, until they have so many bytes or the job should stop.
    fn render(&self, finder: &dyn Finder, sets: &[u32], most_bytes: usize, progress: &dyn Progress) -> Rendered {
        let (mut seeker, mut near, mut ends) = (finder.seeker(), Vec::new(), Ends::new());
        let mut rendered = Rendered { bytes: Vec::new(), counted: NONE, sets: 0 };
        let [before, between, after]: [&[u8]; 3] = match self.format {
            RowFormat::Jsonl => [b"{\"left_id\":", b",\"right_id\":", b",\""],
            RowFormat::Tsv => [b"", b"\t", b"\t"],
            RowFormat::Csv => [b"", b",", b","],
        };
        for set in sets {
            if rendered.bytes.len() >= most_bytes || progress.is_stopped() {
                break;
            }
            rendered.sets += 1;
            finder.near(*set, &mut seeker, &mut near);
            let left = self.ids.get(*set as usize).as_bytes();
            for near in &near {
                rendered.counted[step(near.similarity)] += 1;
                let right = self.ids.get(near.item as usize).as_bytes();
                let sizes = if self.tells_both() { [finder.size(*set), finder.size(near.item)] } else { [0; 2] };
                let shared = finder.shared(*set, near);
                let end = ends.of(near, shared, sizes, || self.end(near, shared, sizes));
                for part in [before, left, between, right, after, end] {
                    rendered.bytes.extend_from_slice(part);
                }
            }
        }
        rendered
    }

    /// Whether a row tells how much of each set lies in the other.
    fn tells_both(&self) -> bool {
        self.measure == Measure::Containment
    }

    /// What follows the ids of a row.
    fn end(&self, near: &Near, shared: f64, sizes: [u64; 2]) -> String {
        let similarity = near.similarity;
        let [left, right] = sizes.map(|size| near.shared as f64 / size as f64);
        match (self.format, self.tells_both()) {
            (RowFormat::Jsonl, tells_both) => {
                let [similarity, left, right] = [similarity, left, right].map(serde_json::Value::from);
                let more = format!(",\"containment_left\":{left},\"containment_right\":{right}");
                let more = if tells_both { more } else { String::new() };
                format!("{}\":{similarity},\"shared\":{shared}{more}}}\n", self.measure.word())
            }
            (format, tells_both) => {
                let between = format.separator();
                let more = if tells_both { format!("{between}{left}{between}{right}") } else { String::new() };
                format!("{similarity}{between}{shared}{more}\n")
            }
        }
    }
}

/// How many pairs there are of each step of similarity.
type BySimilarity = [u64; SIMILARITY_STEPS + 1];

const NONE: BySimilarity = [0; SIMILARITY_STEPS + 1];

/// The step that a similarity belongs to. What is added is less than two quotients of sets differ by, and more than rounding.
fn step(similarity: f64) -> usize {
    ((similarity * SIMILARITY_STEPS as f64 + 1e-9) as usize).min(SIMILARITY_STEPS)
}

/// Rows that are ready.
struct Rendered {
    bytes: Vec<u8>,
    counted: BySimilarity,
    /// How many sets these are the rows of.
    sets: usize,
}

/// Ends of rows that were made before: of those that fall to one place, the last.
struct Ends(Vec<(Key, String)>);

/// What the end of a row is made from: similarity, what is shared, and the sizes of both sets where they are told.
type Key = (u64, u64, [u64; 2]);

impl Ends {
    const BITS: u32 = 10;

    fn new() -> Self {
        Self(vec![((0, 0, [0; 2]), String::new()); 1 << Self::BITS])
    }

    fn of(&mut self, near: &Near, shared: f64, sizes: [u64; 2], make: impl FnOnce() -> String) -> &[u8] {
        let (bits, shared) = (near.similarity.to_bits(), shared.to_bits());
        let key = (bits, shared, sizes);
        // The golden ratio spreads neighbours (Knuth, The Art of Computer Programming 3, 6.4).
        let place = (bits ^ shared ^ sizes[0] << 20 ^ sizes[1] << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            >> (u64::BITS - Self::BITS);
        let end = &mut self.0[place as usize];
        // Nothing is written of pairs that share nothing, so that an unused place matches none.
        if end.0 != key {
            *end = (key, make());
        }
        end.1.as_bytes()
    }
}
