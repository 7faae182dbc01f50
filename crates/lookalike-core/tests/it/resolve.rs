//! Decisions equal those of a simple loop in keep order, whether candidates are given as buckets or as sets to be
//! joined.

use std::sync::Mutex;

use crate::brute::{Items, Truth, any_items, any_truth};
use lookalike_core::bucket::Buckets;
use lookalike_core::decision::{Match, References, Removed, Scope};
use lookalike_core::ids::{Document, Number, Rank};
use lookalike_core::join::Sets;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::method::Exact;
use lookalike_core::packed::Lists;
use lookalike_core::resolve::{Candidates, components, each_match, independent_set};
use lookalike_core::sketch::{Layout, Sketches};
use lookalike_core::verify::Verifier;
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Case {
    items: Items,
    truth: Truth,
    references: References,
}

fn any_case() -> impl Strategy<Value = Case> {
    let references = (0_u32..6, any::<bool>()).prop_map(|(count, is_everything)| References {
        count,
        scope: if is_everything { Scope::Everything } else { Scope::References },
    });
    (any_items(), any_truth(), references).prop_map(|(items, truth, mut references)| {
        references.count = references.count.min(items.0.len() as u32);
        Case { items, truth, references }
    })
}

type Resolved = Vec<(usize, usize, Likeness)>;

fn plain_match(found: Match<Rank>) -> (usize, usize, Likeness) {
    (found.left.index(), found.right.index(), found.likeness)
}

fn plain_removal(found: Removed<Rank>) -> (usize, usize, Likeness) {
    (found.removed.index(), found.kept.index(), found.likeness)
}

impl Case {
    /// The decisions on all items in one bucket, and on the same sets joined; sorted.
    fn resolve(&self, resolve: impl Fn(Candidates<'_>, &[Document], &Verifier<'_>) -> Resolved) -> [Resolved; 2] {
        // Ranks are the reverse of document numbers, so that mixing them up is detected.
        let by_rank: Vec<Vec<u64>> = self.items.0.iter().rev().cloned().collect();
        let documents: Vec<Document> = self.items.documents().into_iter().rev().collect();
        let sizes = self.items.sizes();
        let mut sketches = Sketches::new(Layout::default());
        sizes.iter().for_each(|_| sketches.push_none());
        let lists: Lists = std::iter::once(0..documents.len() as u32).collect();
        let (buckets, sets) = (Buckets::of_lists(documents.len(), &[lists]), Sets::new(&by_rank));
        [Candidates::Buckets(&buckets), Candidates::Sets(&sets)].map(|candidates| {
            let verifier = Verifier::new(self.truth.criterion(), &sizes, &sketches, &Exact, &self.items, 1 << 20);
            let mut found = resolve(candidates, &documents, &verifier);
            found.sort_unstable_by_key(|(left, right, _)| (*left, *right));
            found
        })
    }

    /// The overlap of two items, by rank.
    fn likeness(&self, left: usize, right: usize) -> Likeness {
        let last = self.items.0.len() - 1;
        Likeness::Features(self.items.overlap(last - left, last - right))
    }

    fn is_match(&self, left: usize, right: usize) -> bool {
        let count = self.references.count as usize;
        let (better, worse) = (left.min(right), left.max(right));
        let is_compared = worse >= count && (self.references.scope == Scope::Everything || better < count);
        is_compared && self.likeness(left, right).overlap().is_some_and(|overlap| self.truth.is_match(overlap))
    }

    /// Every match, the better ranked first.
    fn matches(&self) -> Resolved {
        let count = self.items.0.len();
        let pairs = (0..count).flat_map(|left| (left + 1..count).map(move |right| (left, right)));
        pairs
            .filter(|(left, right)| self.is_match(*left, *right))
            .map(|(left, right)| (left, right, self.likeness(left, right)))
            .collect()
    }

    /// In keep order, each item is kept unless it matches one kept before; it is removed for the most similar
    /// reference, or else the most similar better kept item.
    fn removals(&self) -> Resolved {
        let mut kept: Vec<usize> = Vec::new();
        let mut removed = Vec::new();
        for item in 0..self.items.0.len() {
            if kept.iter().any(|by| self.is_match(*by, item)) { removed.push(item) } else { kept.push(item) }
        }
        let similarity = |left: usize, right: usize| {
            let (part, whole) = self.truth.similarity(self.likeness(left, right).overlap().unwrap());
            f64::from(part) / f64::from(whole)
        };
        let removal = |item: usize| {
            let near = kept.iter().copied().filter(|by| *by < item && self.is_match(*by, item));
            let is_reference = |by: usize| by < self.references.count as usize;
            let order = |by: &usize| (is_reference(*by), similarity(item, *by), std::cmp::Reverse(*by));
            let by = near.max_by(|one, other| order(one).partial_cmp(&order(other)).unwrap()).unwrap();
            (item, by, self.likeness(item, by))
        };
        removed.into_iter().map(removal).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_is_kept_is_decided_from_the_best_item_on(case in any_case()) {
        let found = case.resolve(|candidates, items, verifier| {
            let removed = independent_set(candidates, items, case.references, verifier).unwrap();
            removed.into_iter().map(plain_removal).collect()
        });
        let expected = case.removals();
        prop_assert_eq!(&found[0], &expected);
        prop_assert_eq!(&found[1], &expected);
        // Every removal is justified, and no duplicates remain.
        let is_removed = |item: usize| expected.iter().any(|(removed, ..)| *removed == item);
        prop_assert!(expected.iter().all(|(item, by, _)| !is_removed(*by) && case.is_match(*item, *by)));
        prop_assert!(case.matches().iter().all(|(left, right, _)| is_removed(*left) || is_removed(*right)));
    }

    #[test]
    fn every_match_is_handed_on_once(case in any_case()) {
        let found = case.resolve(|candidates, items, verifier| {
            let all = Mutex::new(Vec::new());
            let take = |some: Vec<Match<Rank>>| {
                all.lock().unwrap().extend(some.into_iter().map(plain_match));
                Ok(())
            };
            each_match(candidates, items, case.references, verifier, &take).unwrap();
            all.into_inner().unwrap()
        });
        prop_assert_eq!(&found[0], &case.matches());
        prop_assert_eq!(&found[1], &case.matches());
    }

    #[test]
    fn of_a_component_the_best_is_kept(case in any_case()) {
        let case = Case { references: References::default(), ..case };
        let mut component: Vec<usize> = (0..case.items.0.len()).collect();
        for (left, right, _) in case.matches() {
            let (from, to) = (component[left].max(component[right]), component[left].min(component[right]));
            component.iter_mut().filter(|at| **at == from).for_each(|at| *at = to);
        }
        let removed = (0..component.len()).filter(|item| component[*item] != *item);
        let expected: Resolved =
            removed.map(|item| (item, component[item], case.likeness(item, component[item]))).collect();
        let found = case.resolve(|candidates, items, verifier| {
            let removed = components(candidates, items, case.references, verifier).unwrap();
            removed.into_iter().map(plain_removal).collect()
        });
        prop_assert_eq!(&found[0], &expected);
        prop_assert_eq!(&found[1], &expected);
    }
}
