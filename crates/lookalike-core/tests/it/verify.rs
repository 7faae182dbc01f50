//! Verification agrees with counting, whatever it has held, filtered or read again.

use crate::brute::{Items, Truth, any_items, any_truth};
use lookalike_core::bucket::Buckets;
use lookalike_core::bucket::banding::Banding;
use lookalike_core::decision::References;
use lookalike_core::ids::{Document, FamilyPlace, Number, Rank};
use lookalike_core::join;
use lookalike_core::measure::distinct::Distinct;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::measure::similarity::Threshold;
use lookalike_core::method::{Exact, Method, MinHash, Sketched};
use lookalike_core::packed::Lists;
use lookalike_core::sketch::{Sketches, SlotKind};
use lookalike_core::sources::{FeatureSource, SourceError};
use lookalike_core::verify::Verifier;
use proptest::prelude::*;
use rayon::iter::ParallelIterator;

fn sketches(items: &Items, method: &dyn Method) -> Sketches {
    let (mut sketches, mut sketcher) = (Sketches::new(method.layout()), method.sketcher());
    items.0.iter().for_each(|features| sketcher.sketch(features, &Distinct::new(features), &mut sketches));
    sketches
}

/// Compares all pairs of one family with the counted result.
fn check(items: &Items, truth: Truth, method: &dyn Method, held_bytes: usize) -> Result<(), TestCaseError> {
    let (documents, sizes, sketches) = (items.documents(), items.sizes(), sketches(items, method));
    let count = documents.len() as u32;
    let verifier = Verifier::new(truth.criterion(), &sizes, &sketches, method, items, held_bytes);
    let lists: Lists = std::iter::once(0..count).collect();
    let buckets = Buckets::of_lists(documents.len(), &[lists]);
    let outcomes: Vec<Result<u64, TestCaseError>> = buckets
        .families()
        .map(|family| {
            let mut bench = verifier.bench(family, &documents);
            let mut matches = 0;
            for right in 0..count {
                let on_bench = bench.put(FamilyPlace(right));
                for left in 0..right {
                    let overlap = items.overlap(left as usize, right as usize);
                    let expected = truth.is_match(overlap).then_some(Likeness::Features(overlap));
                    prop_assert_eq!(bench.verify(&bench.put(FamilyPlace(left)), &on_bench).unwrap(), expected);
                    let likeness = bench.likeness(&bench.put(FamilyPlace(left)), &on_bench).unwrap();
                    prop_assert_eq!(likeness, Likeness::Features(overlap));
                    let is_match = verifier.is_match(documents[left as usize], documents[right as usize]).unwrap();
                    prop_assert_eq!(is_match, expected.is_some());
                    matches += u64::from(is_match);
                }
                bench.make_room();
            }
            Ok(matches)
        })
        .collect();
    let [Ok(matches)] = outcomes[..] else { return Err(outcomes.into_iter().find_map(Result::err).unwrap()) };
    let counts = verifier.counts();
    prop_assert_eq!(counts.candidates, u64::from(count) * u64::from(count - 1) / 2);
    prop_assert_eq!(counts.matches, matches);
    prop_assert!(counts.matches <= counts.measured && counts.measured <= counts.candidates);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_pair_is_a_match_if_counting_says_so(items in any_items(), truth in any_truth(), held in 0_usize..2000) {
        check(&items, truth, &Exact, held)?;
    }

    #[test]
    fn sketches_rule_out_no_match(items in any_items()) {
        // They could by chance, with one in a billion for each pair: with these seeds, they do not.
        let banding = Banding::new(20, 5).unwrap();
        let method = MinHash::new(banding, SlotKind::Fast, Threshold::new(0.5).unwrap());
        check(&items, Truth::HalfJaccard, &method, 1 << 20)?;
    }
}

/// Items that share a single feature with the first key, and their features with the second.
struct TwoKeys(Items, Vec<Vec<u64>>);

impl FeatureSource for TwoKeys {
    fn features(&self, document: Document) -> Result<Vec<u64>, SourceError> {
        self.0.features(document)
    }

    fn second_features(&self, document: Document) -> Result<Option<Vec<u64>>, SourceError> {
        Ok(Some(self.1[document.index()].clone()))
    }
}

#[test]
fn a_match_that_rests_on_one_feature_must_rest_on_one_by_a_second_key() {
    let first = Items(vec![vec![7], vec![7], vec![7]]);
    let (sizes, sketches) = (first.sizes(), sketches(&first, &Exact));
    let both = TwoKeys(first, vec![vec![1], vec![1], vec![2]]);
    let verifier = Verifier::new(Truth::MostJaccard.criterion(), &sizes, &sketches, &Exact, &both, 1 << 20);
    assert!(verifier.is_match(Document(0), Document(1)).unwrap());
    assert!(!verifier.is_match(Document(0), Document(2)).unwrap());
}

#[test]
fn a_join_does_not_take_two_shingles_with_one_feature_for_the_same() {
    // The first two are equal; the third only has the same feature with the first key.
    let (first, second) = (Items(vec![vec![7]; 3]), vec![vec![1], vec![1], vec![2]]);
    let (items, sizes, sketches) = (first.documents(), first.sizes(), sketches(&first, &Exact));
    let ranks: Vec<Rank> = (0..3).map(Rank).collect();
    let criterion = Truth::MostJaccard.criterion();
    let both = TwoKeys(first, second);
    let sketched = Sketched {
        items: &items,
        ranks: &ranks,
        sketches: &sketches,
        source: &both,
        deciding: &both,
        sizes: &sizes,
        criterion,
        memory: 1 << 20,
    };
    let sets = Exact.candidates(sketched, &|_| Ok(())).unwrap().unwrap();
    let found = join::matches(&sets, criterion, References::default());
    assert_eq!(found.iter().map(|found| (found.left, found.right)).collect::<Vec<_>>(), [(0, 1)]);
}
