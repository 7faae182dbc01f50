//! Computes the shingle set of each text, with a number as the name of each shingle.
//!
//! A name is looked up, not hashed: two shingles have the same name if and only if they are the same strings. Names
//! have no other meaning; they are assigned in order of first occurrence.

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use crate::shingle::{Shingle, tokens};

/// Number of texts held as strings at a time: enough for every core, with little memory.
const BATCH_TEXT_COUNT: usize = 256;

/// The shingle sets of many texts.
pub(crate) struct NamedSets {
    /// For each text, the names of its shingles, ascending and distinct.
    pub(crate) sets: Vec<Vec<u32>>,
    /// All names are less than this.
    pub(crate) name_count: usize,
}

/// Assigns names: the next number for a new value, the same number for a known one.
struct Names<T> {
    known: HashMap<T, u32>,
    next: u32,
}

impl<T: Eq + Hash> Names<T> {
    fn starting_at(next: u32) -> Self {
        Self { known: HashMap::new(), next }
    }

    fn name(&mut self, thing: T) -> u32 {
        *self.known.entry(thing).or_insert_with(|| {
            let name = self.next;
            self.next = name.checked_add(1).expect("a corpus that fits in memory has fewer than 2^32 shingles");
            name
        })
    }
}

/// Names the shingles of all texts.
pub(crate) fn name_shingles(texts: &[impl AsRef<str> + Sync], shingle: Shingle) -> NamedSets {
    let token_count = shingle.token_count();
    let (mut sets, mut next) = name_tokens(texts, shingle);
    let short_texts = take_short_texts(&mut sets, token_count);

    // The name of a wide window represents the names of two narrower ones that cover it and may overlap: windows grow
    // 1, 2, 4, 5 tokens wide. (Karp, Miller and Rosenberg, Rapid identification of repeated patterns, 1972)
    let mut width = 1;
    while width < token_count {
        let wider = (2 * width).min(token_count);
        next = widen_windows(&mut sets, width, wider);
        width = wider;
    }

    // The only shingle of a short text is shorter than any window, so its name must differ from those of all windows.
    let mut short_names = Names::starting_at(next);
    for (place, tokens) in short_texts {
        sets[place] = vec![short_names.name(tokens)];
    }

    sets.par_iter_mut().for_each(|set| {
        set.sort_unstable();
        set.dedup();
        set.shrink_to_fit();
    });
    NamedSets { sets, name_count: short_names.next as usize }
}

/// The names of the tokens of each text, in the order of the text, and the first unused name.
fn name_tokens(texts: &[impl AsRef<str> + Sync], shingle: Shingle) -> (Vec<Vec<u32>>, u32) {
    let mut names = Names::starting_at(0);
    let mut named_texts = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH_TEXT_COUNT) {
        let tokens_of_texts: Vec<_> = batch.par_iter().map(|text| tokens(text.as_ref(), shingle)).collect();
        for tokens in tokens_of_texts {
            named_texts.push(tokens.into_iter().map(|token| names.name(token)).collect());
        }
    }
    (named_texts, names.next)
}

/// Takes out the texts that have tokens, but too few for a window, with their positions.
fn take_short_texts(texts: &mut [Vec<u32>], token_count: usize) -> Vec<(usize, Vec<u32>)> {
    texts
        .iter_mut()
        .enumerate()
        .filter(|(_, tokens)| !tokens.is_empty() && tokens.len() < token_count)
        .map(|(place, tokens)| (place, std::mem::take(tokens)))
        .collect()
}

/// Converts names of windows of one width to names of wider ones; returns the first unused name.
///
/// `wider` is at most twice `width`, or the two windows would leave a gap.
fn widen_windows(texts: &mut [Vec<u32>], width: usize, wider: usize) -> u32 {
    let step = wider - width;
    let mut names = Names::starting_at(0);
    for windows in texts {
        let wider_count = windows.len().saturating_sub(step);
        for place in 0..wider_count {
            let both = (windows[place], windows[place + step]);
            windows[place] = names.name(both);
        }
        windows.truncate(wider_count);
    }
    names.next
}
