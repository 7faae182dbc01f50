//! State of a thread that looks for the matches of one set after the other.
//!
//! A candidate is not merged with the query. The tokens of the query are marked in a bit field once, and a candidate's
//! tokens are looked up there: no branch depends on a token.

use std::sync::Mutex;

use crate::measure::criterion::{Criterion, Needs};

/// Number of tokens of a candidate examined between checks whether enough can still be shared.
const TOKENS_AT_ONCE: usize = 16;

/// State of a probe: for all sets found, and for the current query.
#[derive(Debug)]
pub(super) struct Prober {
    pub(super) needs: Needs,
    /// The turn in which each set was last found.
    met: Vec<u32>,
    turn: u32,
    /// One bit per token: set for tokens of the query, once a candidate is measured.
    marks: Vec<u64>,
    is_marked: bool,
    /// Number of postings examined.
    pub(super) steps: u64,
}

impl Prober {
    pub(super) fn new(criterion: Criterion, set_count: usize, token_count: usize) -> Self {
        Self {
            needs: Needs::new(criterion),
            met: vec![0; set_count],
            turn: 0,
            marks: vec![0; token_count.div_ceil(64)],
            is_marked: false,
            steps: 0,
        }
    }

    /// Starts the next query.
    pub(super) fn begin(&mut self) {
        debug_assert!(!self.is_marked, "the set before has ended");
        self.turn = self.turn.wrapping_add(1);
        if self.turn == 0 {
            // After four billion turns, old marks would look like new ones.
            self.met.fill(0);
            self.turn = 1;
        }
    }

    /// True if this set is found for the first time in this turn.
    #[inline]
    pub(super) fn meets(&mut self, set: u32) -> bool {
        let met = &mut self.met[set as usize];
        std::mem::replace(met, self.turn) != self.turn
    }

    /// Number of a candidate's tokens that are among `own`, if it is at least `least`.
    #[inline]
    pub(super) fn shared(&mut self, own: &[u32], candidate: &[u32], least: u32) -> Option<u32> {
        if !self.is_marked {
            own.iter().for_each(|token| self.marks[*token as usize / 64] |= 1 << (token % 64));
            self.is_marked = true;
        }
        let mut shared = 0;
        let mut left = candidate.len() as u32;
        for tokens in candidate.chunks(TOKENS_AT_ONCE) {
            let is_shared = |token: &u32| (self.marks[*token as usize / 64] >> (token % 64)) as u32 & 1;
            shared += tokens.iter().map(is_shared).sum::<u32>();
            left -= tokens.len() as u32;
            if shared + left < least {
                return None;
            }
        }
        (shared >= least).then_some(shared)
    }

    /// Ends the query of the set with these tokens.
    pub(super) fn end(&mut self, own: &[u32]) {
        if self.is_marked {
            own.iter().for_each(|token| self.marks[*token as usize / 64] = 0);
            self.is_marked = false;
        }
    }
}

/// A pool of probers: as many are created as there are concurrent threads.
#[derive(Debug)]
pub(super) struct Probers {
    criterion: Criterion,
    set_count: usize,
    token_count: usize,
    idle: Mutex<Vec<Prober>>,
}

impl Probers {
    pub(super) fn new(criterion: Criterion, set_count: usize, token_count: usize) -> Self {
        Self { criterion, set_count, token_count, idle: Mutex::default() }
    }

    /// Number of postings examined by all probers.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.idle.lock().expect("nobody panics while holding the lock").iter().map(|prober| prober.steps).sum()
    }

    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Prober) -> R) -> R {
        let idle = || self.idle.lock().expect("nobody panics while holding the lock");
        let prober = idle().pop();
        let mut prober = prober.unwrap_or_else(|| Prober::new(self.criterion, self.set_count, self.token_count));
        let result = work(&mut prober);
        idle().push(prober);
        result
    }
}
