//! The effect of limits on buckets: the summary's statements are possible, and correct.

use crate::made::{Case, dedup, pairs, pairs_request};
use lookalike::core::bucket::passed_over::PassedOverEstimate;
use lookalike::{Copies, DedupRequest, Group};
use lookalike_judge::{Shingle, measure};

/// Texts with 57 words in common and three of their own: a similarity of 0.9, below the threshold of 0.95.
fn boilerplate(count: usize) -> Vec<String> {
    let words = |from: usize, to: usize| (from..to).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ");
    (0..count).map(|id| format!("{} {}", words(0, 57), words(1000 * id + 1000, 1000 * id + 1003))).collect()
}

/// Bands of one row each, so that nearly all texts share every bucket.
fn request(case: &Case, bands: i64) -> DedupRequest {
    case.request("corpus.jsonl", 0.95).id("id").shingle("word:1").bands(bands).rows(1).keep("first")
}

/// Number of pairs of kept documents that are near-duplicates.
fn left(case: &Case) -> u64 {
    let kept = case.rows("kept/corpus.jsonl");
    let text = |at: usize| kept[at]["text"].as_str().unwrap();
    let is_match =
        |(left, right): &(usize, usize)| measure(text(*left), text(*right), Shingle::Word(1)).jaccard() >= 0.95;
    // Only these were changed to be near-duplicates; the others are not, whatever they share.
    let planted: Vec<usize> = (0..kept.len()).filter(|at| text(*at).contains("planted")).collect();
    let each = planted.iter().flat_map(|left| (0..kept.len()).map(move |right| (*left.min(&right), *left.max(&right))));
    let mut each: Vec<(usize, usize)> = each.filter(|(left, right)| left != right).collect();
    each.sort_unstable();
    each.dedup();
    each.iter().filter(|pair| is_match(pair)).count() as u64
}

#[test]
fn no_more_pairs_are_passed_over_than_there_are() {
    let case = Case::of(&boilerplate(600));
    for group in [Group::Independent, Group::Components] {
        let request = request(&case, 6).group(group);
        let PassedOverEstimate {
            pair_count: pairs,
            pair_count_error: error,
            sampled_count: sampled,
            match_count: matches,
            match_count_at_most: matches_at_most,
            ..
        } = dedup(&request).found.passed_over;
        // All share a bucket, and each is compared with the first 256 of every one. A few texts are missing from each
        // bucket, so that these differ between buckets.
        let after: u64 = 600 - 256;
        let most = after * (after - 1) / 2;
        assert!(pairs <= most && pairs >= most / 2, "{group:?}: {pairs} ± {error} of {most}");
        assert!(error < pairs / 20 && sampled > 100, "{group:?}: {pairs} ± {error}, {sampled}");
        assert_eq!(matches, 0);
        assert!(matches_at_most < pairs / 25, "{group:?}: {matches_at_most}");
    }
}

#[test]
fn near_duplicates_that_were_passed_over_are_counted() {
    let mut texts = boilerplate(305);
    // Near-duplicates of each other that come after the first 256 of every bucket.
    for at in 0..5 {
        texts[300 + at] = format!("{} planted", texts[290 + at]);
    }
    let case = Case::of(&texts);
    let found = dedup(&request(&case, 2)).found;
    let estimate = found.passed_over;
    // So few that all are compared.
    assert_eq!((estimate.pair_count_error, estimate.sampled_count), (0, estimate.pair_count), "{estimate:?}");
    let left = left(&case);
    assert!(left > 0 && found.removed_count + left == 5, "{found:?}");
    assert_eq!((estimate.match_count, estimate.match_count_at_least, estimate.match_count_at_most), (left, left, left));
}

#[test]
fn pairs_say_what_they_passed_over() {
    let case = Case::of(&boilerplate(1100));
    let request = request(&case, 2);
    let all = pairs(&request.read, &request.scheme, Copies::All);
    assert!(all.is_empty());
    let options = pairs_request(&request.read, &request.scheme).check().unwrap();
    let report = lookalike::pairs(&options, &mut Vec::new(), &lookalike::Silent).unwrap();
    let after: u64 = 1100 - 1024;
    assert!((1..=after * (after - 1) / 2).contains(&report.passed_over.pair_count), "{:?}", report.passed_over);
    assert_eq!((report.passed_over.pair_count_error, report.passed_over.match_count), (0, 0));
}
