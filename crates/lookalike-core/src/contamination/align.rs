//! Aligns two runs of words from a common start: finds the words that they share, in order, up to the point where they
//! diverge for good.
//!
//! This is the best local alignment with 2 points for a shared word and -1 for a word that only one side has: it
//! bridges a gap if more shared words follow than were lost. Texts with different content share too few words in order
//! to extend an alignment with these scores. Only a band around the diagonal is computed, and a side ends where the
//! score has fallen far below its best, so the time is linear.

/// Maximum drift from the diagonal: the most words by which one side may run ahead of the other.
const BAND: usize = 24;

const SHARED: i32 = 2;
const LOST: i32 = -1;

/// Drop in score after which the rest is given up: a gap of a dozen replaced words.
const FALL: i32 = 24;

const IMPOSSIBLE: i32 = i32::MIN / 2;

/// Previous step of the alignment that a score came from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Nowhere,
    Shared,
    Left,
    Right,
}

/// Aligns words; reuses its buffers.
#[derive(Default)]
pub(super) struct Aligner {
    steps: Vec<From>,
    pairs: Vec<(u32, u32)>,
}

impl Aligner {
    /// Returns the words that `left` and `right` share, as pairs of their positions, in order. `word` returns the words
    /// of each side, and `None` at its end.
    pub(super) fn align(
        &mut self,
        left: impl Fn(usize) -> Option<u64>,
        right: impl Fn(usize) -> Option<u64>,
    ) -> &[(u32, u32)] {
        self.pairs.clear();
        let same = (0..usize::MAX).take_while(|at| left(*at).is_some_and(|word| right(*at) == Some(word))).count();
        self.pairs.extend((0..same as u32).map(|at| (at, at)));
        if left(same).is_some() && right(same).is_some() {
            self.across_gaps(|at| left(same + at), |at| right(same + at));
            // Words found after the gaps come in reverse order.
            self.pairs[same..].reverse();
            self.pairs[same..].iter_mut().for_each(|(left, right)| {
                *left += same as u32;
                *right += same as u32;
            });
        }
        &self.pairs
    }

    fn across_gaps(&mut self, left: impl Fn(usize) -> Option<u64>, right: impl Fn(usize) -> Option<u64>) {
        const WIDTH: usize = 2 * BAND + 1;
        let column = |row: usize, at: usize| (row + at).checked_sub(BAND);
        self.steps.clear();
        let mut above = [IMPOSSIBLE; WIDTH];
        let mut steps = [From::Nowhere; WIDTH];
        for at in BAND..WIDTH {
            above[at] = LOST * (at - BAND) as i32;
            steps[at] = if at == BAND { From::Nowhere } else { From::Right };
        }
        self.steps.extend_from_slice(&steps);
        let (mut best, mut best_at) = (0, None);
        for row in 1.. {
            let Some(word) = left(row - 1) else { break };
            let mut scores = [IMPOSSIBLE; WIDTH];
            let mut most = IMPOSSIBLE;
            for at in 0..WIDTH {
                let Some(column) = column(row, at) else { continue };
                steps[at] = From::Nowhere;
                // The cell above in the matrix is one to the right in the band.
                if let Some(score) = above.get(at + 1).filter(|score| **score > IMPOSSIBLE) {
                    (scores[at], steps[at]) = (score + LOST, From::Left);
                }
                if column > 0 {
                    let Some(other) = right(column - 1) else { continue };
                    if at > 0 && scores[at - 1] + LOST > scores[at] {
                        (scores[at], steps[at]) = (scores[at - 1] + LOST, From::Right);
                    }
                    if word == other && above[at] > IMPOSSIBLE && above[at] + SHARED >= scores[at] {
                        (scores[at], steps[at]) = (above[at] + SHARED, From::Shared);
                    }
                }
                most = most.max(scores[at]);
                if scores[at] > best {
                    (best, best_at) = (scores[at], Some((row, at)));
                }
            }
            self.steps.extend_from_slice(&steps);
            above = scores;
            if most < best - FALL {
                break;
            }
        }
        let Some((mut row, mut at)) = best_at else { return };
        loop {
            match self.steps[row * WIDTH + at] {
                From::Nowhere => return,
                From::Shared => {
                    self.pairs.push((row as u32 - 1, (row + at - BAND) as u32 - 1));
                    row -= 1;
                }
                From::Left => (row, at) = (row - 1, at + 1),
                From::Right => at -= 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(left: &str, right: &str) -> String {
        let [left, right] =
            [left, right].map(|text| text.split(' ').map(|word| u64::from(word.as_bytes()[0])).collect::<Vec<_>>());
        let mut aligner = Aligner::default();
        let pairs = aligner.align(|at| left.get(at).copied(), |at| right.get(at).copied());
        assert!(pairs.iter().all(|(l, r)| left[*l as usize] == right[*r as usize]));
        assert!(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        pairs.iter().map(|(l, _)| char::from(left[*l as usize] as u8)).collect()
    }

    #[test]
    fn gaps_are_bridged_where_more_follows() {
        assert_eq!(aligned("a b c d e f g h", "a b c d e f g h"), "abcdefgh");
        assert_eq!(aligned("a b c d e f g h", "a b x d e f y z g h"), "abdefgh");
        assert_eq!(aligned("a b c d e f g h", "a b x y z u v w c d"), "ab");
        assert_eq!(aligned("a b c d e f g h", "a b 1 2 3 c d e f g h"), "abcdefgh");
        assert_eq!(aligned("a b c", "x y z"), "");
        assert_eq!(aligned("a b c", "a"), "a");
        assert_eq!(aligned("x a b c d", "a b c d"), "abcd");
    }

    #[test]
    fn what_is_out_of_step_or_far_away_is_not_reached() {
        let words = |count: usize, from: usize| move |at: usize| (at < count).then_some((from + at) as u64);
        let mut aligner = Aligner::default();
        // Thirty words of the left side are missing on the right.
        let right = |at: usize| (at < 100).then_some(if at < 10 { at } else { at + 30 } as u64);
        assert_eq!(aligner.align(words(130, 0), right).len(), 10);
        // With ten missing words, the gap is bridged.
        let right = |at: usize| (at < 100).then_some(if at < 10 { at } else { at + 10 } as u64);
        assert_eq!(aligner.align(words(130, 0), right).len(), 100);
    }
}
