//! Lists of candidates, divided into batches that share no item: each is verified separately, so that only one is in
//! memory, and a resumed run does not verify one twice.
//!
//! ```text
//! lists → union of what shares an item → batches of whole families
//! ```

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Mutex;

use lookalike_core::bucket::Union;
use lookalike_core::hash::bytes_hash;
use lookalike_core::packed::Lists;
use lookalike_io::work::Log;

use crate::error::Result;
use crate::resources::memory::Shares;
use crate::resources::spill::Spill;
use crate::resources::words::{both, pair};
use crate::resources::work::Work;

/// Approximate memory per entry of a list while its family is verified.
const ENTRY_BYTES: usize = 40;

/// Memory per entry of one large family: its bucket, the inverse lookup, and its share of the data on each member.
const FAMILY_ENTRY_BYTES: u64 = 16;

/// Minimum number of batches for a run that may be resumed, unless there are few candidates.
const RESUMED_BATCHES: usize = 16;

/// Minimum number of entries of a batch.
const LEAST_ENTRIES: usize = 1 << 16;

/// Number of shards for the hashes of lists.
const SEEN_PARTS: usize = 64;

/// Memory of a list's hash just after its table has grown.
const SEEN_BYTES: usize = 20;

/// Collects lists as they are found, from all threads. Documents that agree in twelve bands give twelve equal lists, of
/// which one is enough.
pub(crate) struct Collector<'a> {
    /// Hashes of the lists so far, sharded by hash, so that threads seldom wait for each other.
    seen: Vec<Mutex<HashSet<u64>>>,
    state: Mutex<State>,
    spill: Spill<'a>,
}

#[derive(Default)]
struct State {
    held: Vec<Lists>,
    entries: usize,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(work: &'a Work, most_held: usize) -> Self {
        let seen = (0..SEEN_PARTS).map(|_| Mutex::default()).collect();
        Self { seen, state: Mutex::default(), spill: Spill::new(work, "bucket", most_held) }
    }

    /// Adds lists of two or more ranks, best first.
    pub(crate) fn push(&self, lists: &Lists) -> Result<()> {
        let lists: Lists = lists.iter().filter(|list| self.is_new(list)).map(|list| list.iter().copied()).collect();
        let mut state = self.state.lock().expect("no thread panicked");
        state.entries += lists.values().len();
        let has_room = self.spill.hold(lists.byte_count());
        state.held.push(lists);
        if has_room {
            return Ok(());
        }
        // Other threads wait here.
        self.spill.let_go();
        std::mem::take(&mut state.held).iter().try_for_each(|lists| self.file(lists))
    }

    /// True if no equal list was added before. If there is no memory to know, it counts as new, and is verified twice.
    fn is_new(&self, list: &[u32]) -> bool {
        let hash = bytes_hash(bytemuck::cast_slice(list)) as u64;
        let mut seen = self.seen[hash as usize % SEEN_PARTS].lock().expect("no thread panicked");
        if seen.len() * SEEN_PARTS * SEEN_BYTES < self.spill.most_held() {
            seen.insert(hash)
        } else {
            !seen.contains(&hash)
        }
    }

    fn file(&self, lists: &Lists) -> Result<()> {
        // In pieces that are small compared with the memory.
        let mut piece = Vec::new();
        for list in lists.iter() {
            push_list(list, &mut piece);
            if piece.len() >= PIECE {
                self.spill.append(&words(&piece))?;
                piece.clear();
            }
        }
        self.spill.append(&words(&piece)).map(drop)
    }

    /// Divides all lists into batches that fit in memory. Of `item_count` items, those in no list are in no batch.
    ///
    /// # Errors
    ///
    /// If a family is too large for the whole memory, or the work folder fails.
    pub(crate) fn finish(self, item_count: usize, shares: Shares) -> Result<Batches> {
        let memory = shares.lists();
        drop(self.seen);
        let State { held, entries } = self.state.into_inner().expect("no thread panicked");
        let work = self.spill.work();
        let logged = self.spill.into_log();
        let each = |take: &mut dyn FnMut(&[u32]) -> Result<()>| -> Result<()> {
            held.iter().flat_map(Lists::iter).try_for_each(&mut *take)?;
            match &logged {
                Some(log) => log.scan(|_, words| each_list(words, take)),
                None => Ok(()),
            }
        };
        let mut most_entries = memory / ENTRY_BYTES;
        if work.named().is_some() {
            most_entries = most_entries.min(entries / RESUMED_BATCHES);
        }
        let most_entries = most_entries.max(LEAST_ENTRIES);
        if entries <= most_entries && logged.is_none() {
            let all = (entries > 0).then_some(0..item_count as u32);
            return Ok(Batches { roots: all.into_iter().collect(), stored: Stored::Held(held) });
        }

        let mut union = Union::new(item_count);
        each(&mut |list| {
            list.iter().for_each(|member| union.join(list[0], *member));
            Ok(())
        })?;
        let mut weights = vec![0_u32; item_count];
        each(&mut |list| {
            let weight = &mut weights[union.root(list[0]) as usize];
            *weight = weight.saturating_add(list.len() as u32);
            Ok(())
        })?;
        let largest = weights.iter().max().copied().unwrap_or(0);
        shares.check_family(u64::from(largest) * FAMILY_ENTRY_BYTES)?;
        let roots = cut(&weights, most_entries);
        drop(weights);
        let log = work.folder()?.log("batch")?;
        let mut filed: Vec<Vec<(u64, usize)>> = vec![Vec::new(); roots.len()];
        let mut pieces: Vec<Vec<u32>> = vec![Vec::new(); roots.len()];
        let most_of_piece = (memory / 2 / size_of::<u32>() / roots.len().max(1)).clamp(64, PIECE);
        let mut file = |batch: usize, piece: &mut Vec<u32>| -> Result<()> {
            let words = words(piece);
            filed[batch].push((log.append(&words)?, words.len()));
            piece.clear();
            Ok(())
        };
        each(&mut |list| {
            let root = union.root(list[0]);
            let batch = roots.partition_point(|batch| batch.end <= root);
            push_list(list, &mut pieces[batch]);
            if pieces[batch].len() >= most_of_piece { file(batch, &mut pieces[batch]) } else { Ok(()) }
        })?;
        for (batch, piece) in pieces.iter_mut().enumerate() {
            file(batch, piece)?;
        }
        Ok(Batches { roots, stored: Stored::Filed { log, filed } })
    }
}

/// Maximum number of values written at a time.
const PIECE: usize = 1 << 18;

/// Batches of candidates: families that share no item, in the order of their best members.
pub(crate) struct Batches {
    /// The roots of each batch's families.
    roots: Vec<Range<u32>>,
    stored: Stored,
}

enum Stored {
    /// All of them in memory, as one batch.
    Held(Vec<Lists>),
    /// For each batch, the pieces of its lists: positions and numbers of words.
    Filed { log: Log, filed: Vec<Vec<(u64, usize)>> },
}

impl Batches {
    /// The roots of every batch.
    pub(crate) fn roots(&self) -> &[Range<u32>] {
        &self.roots
    }

    /// Takes the lists of a batch; call it once for each.
    pub(crate) fn take(&mut self, batch: usize) -> Result<Vec<Lists>> {
        match &mut self.stored {
            Stored::Held(lists) => Ok(std::mem::take(lists)),
            Stored::Filed { log, filed } => {
                let mut lists = Lists::default();
                let mut words = Vec::new();
                for (offset, length) in &filed[batch] {
                    words.resize(*length, 0);
                    log.read(*offset, &mut words)?;
                    each_list(&words, &mut |list| {
                        lists.push(list.iter().copied());
                        Ok(())
                    })?;
                }
                Ok(vec![lists])
            }
        }
    }
}

/// Divides roots into batches with this many entries each, as far as whole families allow.
fn cut(weights: &[u32], most_entries: usize) -> Vec<Range<u32>> {
    let mut roots = Vec::new();
    let (mut start, mut entries) = (0, 0);
    for (root, weight) in (0..).zip(weights).filter(|(_, weight)| **weight > 0) {
        if entries > 0 && entries + *weight as usize > most_entries {
            roots.push(start..root);
            (start, entries) = (root, 0);
        }
        entries += *weight as usize;
    }
    if entries > 0 {
        roots.push(start..weights.len() as u32);
    }
    roots
}

/// Appends a list: its length, and its contents.
fn push_list(list: &[u32], numbers: &mut Vec<u32>) {
    numbers.push(list.len() as u32);
    numbers.extend(list);
}

/// Packs numbers into words, two each. An odd one at the end is followed by no list.
fn words(numbers: &[u32]) -> Vec<u64> {
    numbers.chunks(2).map(|two| pair(two[0], two.get(1).copied().unwrap_or(0))).collect()
}

/// Passes every list of a piece to `take`.
fn each_list(words: &[u64], take: &mut dyn FnMut(&[u32]) -> Result<()>) -> Result<()> {
    let mut numbers: Vec<u32> = Vec::with_capacity(2 * words.len());
    numbers.extend(words.iter().flat_map(|word| both(*word)));
    let mut rest = &*numbers;
    while let Some((length, after)) = rest.split_first().filter(|(length, _)| **length > 0) {
        let (list, after) = after.split_at(*length as usize);
        take(list)?;
        rest = after;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_whole_families_and_about_as_many_entries_as_are_asked_for() {
        assert_eq!(cut(&[0, 3, 0, 4, 2, 0, 9, 1], 6), [0..3, 3..6, 6..7, 7..8]);
        assert_eq!(cut(&[0, 3, 0, 4, 2, 0, 9, 1], 100).as_slice(), std::slice::from_ref(&(0..8)));
        assert!(cut(&[0, 0], 5).is_empty());
    }

    #[test]
    fn lists_come_back_as_they_were() {
        for lists in [vec![vec![1, 2, 3], vec![4, 5]], vec![vec![7, 8]], vec![]] {
            let mut numbers = Vec::new();
            lists.iter().for_each(|list| push_list(list, &mut numbers));
            let mut again = Vec::new();
            each_list(&words(&numbers), &mut |list| {
                again.push(list.to_vec());
                Ok(())
            })
            .unwrap();
            assert_eq!(again, lists);
        }
    }
}
