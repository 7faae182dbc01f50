//! The equal error rate of scores of pairs of the same finger and of different fingers.

/// The error rate at the threshold where the share of rejected pairs of the same finger equals the share of accepted
/// pairs of different fingers. `None` if there is nothing to compare.
///
/// The two rates are step functions and need not meet. Then the result is the mean of both where they are closest, as
/// in the Fingerprint Verification Competitions (Maio et al., FVC2000, section 4).
///
/// ```
/// use lookalike_core::prints::accuracy::equal_error_rate;
///
/// assert_eq!(equal_error_rate(&[0.9, 0.8, 0.7, 0.2], &[0.1, 0.1, 0.3, 0.2]), Some(0.25));
/// ```
pub fn equal_error_rate(genuine: &[f64], impostor: &[f64]) -> Option<f64> {
    if genuine.is_empty() || impostor.is_empty() {
        return None;
    }
    let sorted = |scores: &[f64]| {
        let mut scores = scores.to_vec();
        scores.sort_unstable_by(f64::total_cmp);
        scores
    };
    let (genuine, impostor) = (sorted(genuine), sorted(impostor));
    let rates = |threshold: f64| {
        let refused = genuine.partition_point(|score| score.total_cmp(&threshold).is_lt());
        let accepted = impostor.len() - impostor.partition_point(|score| score.total_cmp(&threshold).is_lt());
        (refused as f64 / genuine.len() as f64, accepted as f64 / impostor.len() as f64)
    };
    // Above the highest score nothing is accepted.
    let thresholds = genuine.iter().chain(&impostor).copied().chain([f64::INFINITY]);
    let nearest = thresholds.map(rates).min_by(|left, right| {
        let apart = |rates: &(f64, f64)| (rates.0 - rates.1).abs();
        apart(left).total_cmp(&apart(right)).then((left.0 + left.1).total_cmp(&(right.0 + right.1)))
    });
    nearest.map(|(refused, accepted)| f64::midpoint(refused, accepted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_do_not_overlap_have_no_error() {
        assert_eq!(equal_error_rate(&[0.5, 0.6], &[0.1, 0.2, 0.4]), Some(0.0));
    }

    #[test]
    fn scores_that_tell_nothing_have_an_error_of_one_half() {
        let same = [0.1, 0.2, 0.3, 0.4];
        assert_eq!(equal_error_rate(&same, &same), Some(0.5));
        assert_eq!(equal_error_rate(&[0.0; 9], &[0.0; 5]), Some(0.5));
    }

    #[test]
    fn scores_the_wrong_way_round_have_an_error_of_one() {
        assert_eq!(equal_error_rate(&[0.1, 0.2], &[0.5, 0.6]), Some(1.0));
    }

    #[test]
    fn the_order_of_the_lists_does_not_matter_and_counts_may_differ() {
        // At 0.4, one of four genuine pairs is rejected, and two of eight impostor pairs are accepted.
        let genuine = [0.9, 0.3, 0.5, 0.8];
        let impostor = [0.1, 0.4, 0.2, 0.6, 0.0, 0.0, 0.1, 0.2];
        assert_eq!(equal_error_rate(&genuine, &impostor), Some(0.25));
    }

    #[test]
    fn nothing_has_no_error_rate() {
        assert_eq!(equal_error_rate(&[], &[0.1]), None);
        assert_eq!(equal_error_rate(&[0.1], &[]), None);
    }
}
