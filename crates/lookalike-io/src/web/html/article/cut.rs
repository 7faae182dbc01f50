//! Chooses the blocks to keep by the expected share of main content of each block.
//!
//! A fixed threshold is wrong for most pages: if all blocks are uncertain, as in a list of teasers, it keeps nothing.
//! F1 is largest if all blocks above a certain probability are kept. That probability is about half of the F1 that can
//! be reached, so each page has its own cut.

/// True for each block to keep: those above the cut with the largest expected F1.
pub(super) fn best(shares: &[f32], weight: impl Fn(usize) -> f32) -> Vec<bool> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|left, right| shares[*right].total_cmp(&shares[*left]));
    let expected: f32 = order.iter().map(|block| shares[*block] * weight(*block)).sum();
    let (mut right, mut kept) = (0.0, 0.0);
    let mut best = (0, 0.0);
    for (count, &block) in (1..).zip(&order) {
        right += shares[block] * weight(block);
        kept += weight(block);
        let f1 = 2.0 * right / (kept + expected);
        if f1 > best.1 {
            best = (count, f1);
        }
    }
    let mut is_kept = vec![false; shares.len()];
    // If no main content is expected, blocks cannot be distinguished, and all are kept.
    let count = if best.0 == 0 { order.len() } else { best.0 };
    order[..count].iter().for_each(|block| is_kept[*block] = true);
    is_kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_follows_what_a_page_can_reach() {
        assert_eq!(best(&[0.9, 0.05, 0.95], |_| 1.0), [true, false, true]);
        // Among teasers, a block with a probability of a third is worth keeping; beside an article it is not.
        assert_eq!(best(&[0.3, 0.35, 0.3], |_| 1.0), [true; 3]);
        assert_eq!(best(&[0.3, 0.95, 0.95], |_| 1.0), [false, true, true]);
        // A long block is weighted by its length.
        assert_eq!(best(&[0.6, 0.2], |block| [100.0, 1.0][block]), [true, false]);
    }

    #[test]
    fn a_page_without_expectations_stays_whole() {
        assert_eq!(best(&[0.0, 0.0], |_| 1.0), [true; 2]);
        assert_eq!(best(&[], |_| 1.0), [false; 0]);
    }
}
