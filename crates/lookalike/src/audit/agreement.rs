//! Several labelers: the majority answer for a pair, and the agreement of two labelers beyond chance.

use serde::{Deserialize, Serialize};

use super::labels::{Answer, Labels, PairFacts};

/// Agreement of two labelers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Kappa {
    /// One labeler.
    pub left: String,
    /// The other.
    pub right: String,
    /// Number of pairs that both labeled.
    pub pair_count: u64,
    /// Number of these pairs to which both gave the same answer.
    pub agreed_count: u64,
    /// Cohen's κ: 1 is full agreement, 0 is the agreement expected by chance. None if both gave the same answer to all
    /// pairs.
    pub kappa: Option<f64>,
}

/// A pair on which labelers disagree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Disagreement {
    /// The left document.
    pub left_id: String,
    /// The right one.
    pub right_id: String,
    /// Each labeler with the answer given.
    pub answers: Vec<(String, Answer)>,
}

const ANSWERS: [Answer; 3] = [Answer::Same, Answer::Different, Answer::CannotTell];

/// The answer of the majority; a tie is *cannot tell*.
pub(super) fn majority(answers: impl Iterator<Item = Answer>) -> Option<Answer> {
    let mut counts = [0; ANSWERS.len()];
    answers.for_each(|answer| counts[answer as usize] += 1);
    let most = *counts.iter().max().filter(|most| **most > 0)?;
    let mut with_most = ANSWERS.into_iter().filter(|answer| counts[*answer as usize] == most);
    let first = with_most.next();
    if with_most.next().is_some() { Some(Answer::CannotTell) } else { first }
}

/// κ of every two labelers with pairs in common.
pub(super) fn kappas(labels: &Labels) -> Vec<Kappa> {
    let labelers: Vec<_> = labels.labelers().collect();
    let mut kappas = Vec::new();
    for (at, (left, of_left)) in labelers.iter().enumerate() {
        for (right, of_right) in &labelers[at + 1..] {
            let answers: Vec<[Answer; 2]> =
                of_left.iter().filter_map(|(key, label)| Some([label.label?, of_right.get(key)?.label?])).collect();
            if !answers.is_empty() {
                let agreed = answers.iter().filter(|[left, right]| left == right).count() as u64;
                let (left, right) = ((*left).to_owned(), (*right).to_owned());
                kappas.push(Kappa {
                    left,
                    right,
                    pair_count: answers.len() as u64,
                    agreed_count: agreed,
                    kappa: kappa(&answers),
                });
            }
        }
    }
    kappas
}

/// Agreement beyond chance, which is computed from how often each labeler gives each answer. (Cohen 1960)
fn kappa(answers: &[[Answer; 2]]) -> Option<f64> {
    let count = answers.len() as f64;
    let share = |is_so: &dyn Fn(&[Answer; 2]) -> bool| answers.iter().filter(|pair| is_so(pair)).count() as f64 / count;
    let agreed = share(&|[left, right]| left == right);
    let by_chance: f64 =
        ANSWERS.iter().map(|answer| share(&|[left, _]| left == answer) * share(&|[_, right]| right == answer)).sum();
    (by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
}

/// Pairs on which labelers disagree, in order.
pub(super) fn disagreements(labels: &Labels) -> Vec<Disagreement> {
    let of_pair = |(key, facts): (&super::labels::PairKey, &PairFacts)| {
        let answer = |(name, labels): (&str, &std::collections::BTreeMap<_, super::labels::Label>)| {
            Some((name.to_owned(), labels.get(key)?.label?))
        };
        let answers: Vec<(String, Answer)> = labels.labelers().filter_map(answer).collect();
        let (left_id, right_id) = (facts.left_id.clone(), facts.right_id.clone());
        let is_one = answers.windows(2).all(|two| two[0].1 == two[1].1);
        (!is_one).then_some(Disagreement { left_id, right_id, answers })
    };
    labels.pairs().into_iter().filter_map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs with these answers, in these numbers.
    fn table(counts: &[(usize, Answer, Answer)]) -> Vec<[Answer; 2]> {
        counts.iter().flat_map(|(count, left, right)| vec![[*left, *right]; *count]).collect()
    }

    #[test]
    fn kappa_is_that_of_the_textbook() {
        let (same, different) = (Answer::Same, Answer::Different);
        // 50 pairs: both same 20, both different 15, and 5 and 10 disagreements. Chance agreement is 0.5, observed 0.7.
        let answers =
            table(&[(20, same, same), (5, same, different), (10, different, same), (15, different, different)]);
        assert!((kappa(&answers).unwrap() - 0.4).abs() < 1e-12);
        // Cohen's own example (1960, table 1): three categories, 200 judgments, κ of 0.492.
        let third = Answer::CannotTell;
        let answers = table(&[
            (88, same, same),
            (14, same, different),
            (18, same, third),
            (10, different, same),
            (40, different, different),
            (10, different, third),
            (2, third, same),
            (6, third, different),
            (12, third, third),
        ]);
        assert!((kappa(&answers).unwrap() - 0.492).abs() < 0.0005, "{:?}", kappa(&answers));
    }

    #[test]
    fn kappa_is_1_for_agreement_and_unknown_without_a_difference() {
        let answers = table(&[(3, Answer::Same, Answer::Same), (2, Answer::Different, Answer::Different)]);
        assert!((kappa(&answers).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(kappa(&table(&[(3, Answer::Same, Answer::Same)])), None);
        let opposite = table(&[(3, Answer::Same, Answer::Different), (3, Answer::Different, Answer::Same)]);
        assert!((kappa(&opposite).unwrap() + 1.0).abs() < 1e-12);
    }

    #[test]
    fn most_decide_and_a_tie_is_nobodys() {
        let (same, different) = (Answer::Same, Answer::Different);
        assert_eq!(majority([same, different, same].into_iter()), Some(same));
        assert_eq!(majority([same, different].into_iter()), Some(Answer::CannotTell));
        assert_eq!(majority([different].into_iter()), Some(different));
        assert_eq!(majority(std::iter::empty()), None);
    }
}
