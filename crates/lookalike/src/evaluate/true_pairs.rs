//! The true pairs: from the exact join, or from a file.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use lookalike_core::decision::Match;
use lookalike_core::ids::{Document, Rank};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::method;
use serde::Serialize;
use serde_json::Value;

use super::score::SameWords;
use super::{EvaluateOptions, NamedScheme, Outcome, Read, read_by, run};
use crate::audit::{Answer, Labels, PairFacts};
use crate::candidates::copies::Texts;
use crate::corpus::{Corpus, Described};
use crate::error::{Error, Result};
use crate::options::{MethodOptions, Scheme};
use crate::progress::Progress;

/// The true pairs with one shingle at one threshold.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TruePairs {
    /// The kind of features.
    pub shingle: String,
    /// The threshold.
    pub threshold: f64,
    /// Origin of the pairs: `exact join`, or a file.
    pub by: String,
    /// True pairs: those of distinct texts by the exact join, or all usable pairs of the file, which are the same for
    /// every shingle and threshold.
    pub pair_count: u64,
    /// Pairs in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_count: Option<u64>,
    /// True pairs of the file whose documents have the same words, which every method finds.
    pub same_words_count: u64,
    /// Pairs in the file that name an unknown document. They are not used.
    pub unknown_count: u64,
    /// Further pairs in the file that are not used: a repeated pair, a document paired with itself, a document without
    /// words, or a pair labeled *cannot tell*.
    pub unusable_count: u64,
    /// Pairs in the file that people labeled different, if it has labels. Precision is then the share of true pairs
    /// among the labeled pairs that were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub different_count: Option<u64>,
    /// Seconds of the exact join, which is shared by all thresholds of a shingle.
    pub seconds: Option<f64>,
}

/// The true pairs for each requested shingle and threshold.
pub(super) struct AllTruePairs {
    pub(super) said: Vec<TruePairs>,
    /// The true pairs of each.
    pairs: Vec<Pairs>,
    /// Pairs that all methods find.
    same_words: Vec<SameWords>,
}

/// True pairs by the ranks of texts in the order of the input, sorted.
enum Pairs {
    /// The matches of a join that are similar enough.
    Joined { run: Rc<Outcome>, criterion: Criterion, threshold: f64 },
    /// Pairs from a file.
    Read(Vec<(Rank, Rank)>),
    /// Pairs that people labeled the same; and all pairs labeled same or different.
    Labeled { same: Vec<(Rank, Rank)>, all: Vec<(Rank, Rank)> },
}

/// Pairs, or the error that ends them.
type BoxedPairs<'a> = Box<dyn Iterator<Item = Result<(Rank, Rank)>> + 'a>;

impl Pairs {
    fn in_order(&self) -> Result<BoxedPairs<'_>> {
        Ok(match self {
            Self::Joined { run, criterion, threshold } => {
                let pair = |found: Match<Rank>| {
                    (found.likeness.similarity(*criterion) >= *threshold).then_some((found.left, found.right))
                };
                Box::new(run.matches.in_order()?.filter_map(move |found| found.map(pair).transpose()))
            }
            Self::Read(pairs) | Self::Labeled { same: pairs, .. } => Box::new(pairs.iter().copied().map(Ok)),
        })
    }
}

impl AllTruePairs {
    pub(super) fn find(options: &EvaluateOptions, progress: &dyn Progress) -> Result<Self> {
        let mut targets: Vec<(String, f64)> = Vec::new();
        for target in options.schemes.iter().map(NamedScheme::target) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        let rows = options.labels.as_deref().map(rows).transpose()?;
        let mut all_true_pairs = Self { said: Vec::new(), pairs: Vec::new(), same_words: Vec::new() };
        // Targets with the same shingle share its features, and are adjacent from here on.
        while let Some((shingle, _)) = targets.first().cloned() {
            let thresholds: Vec<f64> =
                targets.extract_if(.., |target| target.0 == shingle).map(|(_, threshold)| threshold).collect();
            let of_shingle = options.schemes.iter().filter(|scheme| scheme.target().0 == shingle);
            let lowest = of_shingle.min_by(|left, right| left.target().1.total_cmp(&right.target().1));
            let similarity = &lowest.expect("a shingle is of a scheme").scheme;
            match (&options.labels, &rows) {
                (Some(file), Some(rows)) => {
                    all_true_pairs.add_file(options, file, rows, similarity, &thresholds, progress)?;
                }
                _ => all_true_pairs.add_join(options, similarity, &thresholds, progress)?,
            }
        }
        Ok(all_true_pairs)
    }

    /// The true pairs of a shingle and a threshold.
    pub(super) fn pairs_of(
        &self,
        shingle: &str,
        threshold: f64,
    ) -> Result<impl Iterator<Item = Result<(Rank, Rank)>> + use<'_>> {
        let pairs = self.of(shingle, threshold).map(Pairs::in_order).transpose()?;
        Ok(pairs.into_iter().flatten())
    }

    /// True for pairs whose truth is known: all, unless people labeled a sample.
    pub(super) fn judges(&self, shingle: &str, threshold: f64) -> impl Fn(&(Rank, Rank)) -> bool + use<'_> {
        let of = self.of(shingle, threshold);
        move |pair| match of {
            Some(Pairs::Labeled { all, .. }) => all.binary_search(pair).is_ok(),
            _ => true,
        }
    }

    /// The given pairs of documents with the same words.
    pub(super) fn same_words(&self, shingle: &str, threshold: f64) -> SameWords {
        self.position(shingle, threshold).map_or_else(SameWords::default, |at| self.same_words[at])
    }

    fn of(&self, shingle: &str, threshold: f64) -> Option<&Pairs> {
        self.position(shingle, threshold).map(|at| &self.pairs[at])
    }

    fn position(&self, shingle: &str, threshold: f64) -> Option<usize> {
        let is_wanted = |true_pairs: &TruePairs| {
            true_pairs.shingle == shingle && true_pairs.threshold.total_cmp(&threshold).is_eq()
        };
        self.said.iter().position(is_wanted)
    }

    /// One join at the lowest threshold includes the pairs of all others.
    fn add_join(
        &mut self,
        options: &EvaluateOptions,
        lowest: &Scheme,
        thresholds: &[f64],
        progress: &dyn Progress,
    ) -> Result<()> {
        let exact = lowest.clone().with_method(MethodOptions::Exact)?;
        let run = Rc::new(run(options, &exact, progress)?);
        let seconds = run.stages.iter().map(|stage| stage.seconds).sum();
        for threshold in thresholds {
            let true_pairs =
                TruePairs { seconds: Some(seconds), ..TruePairs::new(lowest, *threshold, "exact join".to_owned()) };
            let run = Rc::clone(&run);
            self.push(true_pairs, Pairs::Joined { run, criterion: lowest.criterion(), threshold: *threshold })?;
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        options: &EvaluateOptions,
        file: &Path,
        rows: &[Row],
        similarity: &Scheme,
        thresholds: &[f64],
        progress: &dyn Progress,
    ) -> Result<()> {
        let Read { corpus, texts, run } = read_by(Box::new(method::Copies), options, similarity, progress)?;
        let _work = run.end();
        let by = file.display().to_string();
        let given = Given::new(&corpus, &texts, rows)?;
        let is_labeled = rows.iter().any(|row| row.answer.is_some());
        let true_answer = is_labeled.then_some(Answer::Same);
        let (same, same_words) = given.of(true_answer);
        let (different, different_same_words) =
            if is_labeled { given.of(Some(Answer::Different)) } else { (Vec::new(), 0) };
        let pair_count = same.len() as u64 + same_words;
        let different_count = different.len() as u64 + different_same_words;
        if pair_count + different_count == 0 {
            return Err(Error::NoUsablePairs { path: by, given: rows.len() as u64, unknown: given.unknown_count });
        }
        for threshold in thresholds {
            let true_pairs = TruePairs {
                pair_count,
                given_count: Some(rows.len() as u64),
                same_words_count: same_words,
                unknown_count: given.unknown_count,
                unusable_count: rows.len() as u64 - given.unknown_count - pair_count - different_count,
                different_count: is_labeled.then_some(different_count),
                ..TruePairs::new(similarity, *threshold, by.clone())
            };
            let mut all = [&same[..], &different[..]].concat();
            all.sort_unstable();
            let same = same.clone();
            self.said.push(true_pairs);
            self.pairs.push(if is_labeled { Pairs::Labeled { same, all } } else { Pairs::Read(same) });
            self.same_words.push(SameWords { true_count: same_words, different_count: different_same_words });
        }
        Ok(())
    }

    fn push(&mut self, true_pairs: TruePairs, pairs: Pairs) -> Result<()> {
        let count = pairs.in_order()?.try_fold(0, |count, pair| pair.map(|_| count + 1))?;
        self.said.push(TruePairs { pair_count: count, ..true_pairs });
        self.pairs.push(pairs);
        self.same_words.push(SameWords::default());
        Ok(())
    }
}

impl TruePairs {
    fn new(similarity: &Scheme, threshold: f64, by: String) -> Self {
        let shingle = similarity.shingle().to_string();
        Self {
            shingle,
            threshold,
            by,
            pair_count: 0,
            given_count: None,
            same_words_count: 0,
            unknown_count: 0,
            unusable_count: 0,
            different_count: None,
            seconds: None,
        }
    }
}

/// The pairs of a file as pairs of texts: one for each given pair of documents.
struct Given {
    /// The ranks of both texts, which are equal for documents with the same words; and the label.
    pairs: Vec<((Rank, Rank), Option<Answer>)>,
    unknown_count: u64,
}

impl Given {
    fn new(corpus: &Corpus, texts: &Texts, rows: &[Row]) -> Result<Self> {
        let mut ids: Vec<String> = Vec::with_capacity(corpus.len());
        let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
            Ok(run.map(|(_, described)| described.id().into_owned()).collect::<Vec<_>>())
        };
        corpus.each_described(of_run, |of_run| {
            ids.extend(of_run);
            Ok(())
        })?;
        let documents: HashMap<&str, u32> = ids.iter().map(String::as_str).zip(0..).collect();
        // In input order, so that ranks increase with document numbers.
        let rank = |document: u32| {
            texts.items.binary_search(&texts.first_copy[document as usize]).ok().map(|rank| Rank(rank as u32))
        };
        let mut given = Self { pairs: Vec::new(), unknown_count: 0 };
        let mut seen = HashSet::new();
        for row in rows {
            let both = documents.get(&*row.left).copied().zip(documents.get(&*row.right).copied());
            let Some((left, right)) = both else {
                given.unknown_count += 1;
                continue;
            };
            if left == right || !seen.insert((left.min(right), left.max(right))) {
                continue;
            }
            if let Some((left, right)) = rank(left).zip(rank(right)) {
                given.pairs.push(((left.min(right), left.max(right)), row.answer));
            }
        }
        given.pairs.sort_unstable_by_key(|(pair, _)| *pair);
        Ok(given)
    }

    /// The pairs with this answer: those of distinct texts, sorted, and the number of those with the same words.
    fn of(&self, answer: Option<Answer>) -> (Vec<(Rank, Rank)>, u64) {
        let wanted = self.pairs.iter().filter(|(_, said)| *said == answer).map(|(pair, _)| *pair);
        let (same_words, pairs): (Vec<_>, Vec<_>) = wanted.partition(|(left, right)| left == right);
        (pairs, same_words.len() as u64)
    }
}

/// A pair of a file.
struct Row {
    left: String,
    right: String,
    /// The label, in a file of labels.
    answer: Option<Answer>,
}

/// Reads the pairs of a file: the output of `pairs`, two or three tab-separated columns, or the labels of an audit.
fn rows(file: &Path) -> Result<Vec<Row>> {
    let cannot = |cause| lookalike_io::Error::Unreadable { path: file.to_owned(), cause };
    let text = std::fs::read_to_string(file).map_err(cannot)?;
    if text.lines().next().is_some_and(is_label) {
        return of_labels(file);
    }
    let mut rows = Vec::new();
    for (number, line) in (1_u64..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let row = if line.starts_with('{') {
            of_json(line)
        } else if number == 1 && is_header(line) {
            continue;
        } else {
            of_cells(line)
        };
        rows.push(row.ok_or_else(|| Error::NotAPair { path: file.display().to_string(), line: number })?);
    }
    Ok(rows)
}

fn is_label(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|row| row.get("label").is_some())
}

/// The majority answer for each pair. People judge texts and not similarities, so the answer is the same at every
/// threshold.
fn of_labels(file: &Path) -> Result<Vec<Row>> {
    let labels = Labels::read(&[file.to_owned()])?;
    let row = |(pair, facts): (&_, &PairFacts)| Row {
        left: facts.left_id.clone(),
        right: facts.right_id.clone(),
        answer: labels.answer(pair).or(Some(Answer::CannotTell)),
    };
    Ok(labels.pairs().into_iter().map(row).collect())
}

fn of_json(line: &str) -> Option<Row> {
    let row: Value = serde_json::from_str(line).ok()?;
    let id = |name: &str| match row.get(name)? {
        Value::String(id) => Some(id.clone()),
        other => Some(other.to_string()),
    };
    Some(Row { left: id("left_id")?, right: id("right_id")?, answer: None })
}

/// True if the first line is a header: by the name of the first column, or by a third one that is not a number.
fn is_header(line: &str) -> bool {
    let mut cells = line.split('\t');
    cells.next() == Some("left_id") || cells.nth(1).is_some_and(|cell| cell.trim().parse::<f64>().is_err())
}

fn of_cells(line: &str) -> Option<Row> {
    let mut cells = line.split('\t');
    let (left, right) = (cells.next()?.to_owned(), cells.next()?.to_owned());
    // A third cell is the similarity. A given pair is true at every threshold, whatever its similarity.
    cells.next().map(|cell| cell.trim().parse::<f64>()).transpose().ok()?;
    Some(Row { left, right, answer: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_pairs_are_read_as_pairs_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("true_pairs");
        for (text, expected) in [
            ("left_id\tright_id\tsimilarity\na\tb\t0.9\nc\td\t0.5\n", vec![("a", "b"), ("c", "d")]),
            ("left_id\tright_id\na\tb\n", vec![("a", "b")]),
            ("a\tb\t1\n\nc\td\t0.8\n", vec![("a", "b"), ("c", "d")]),
            ("{\"left_id\":\"a\",\"right_id\":7,\"similarity\":0.8}\n", vec![("a", "7")]),
        ] {
            std::fs::write(&file, text).unwrap();
            let found = rows(&file).unwrap();
            let found: Vec<_> = found.iter().map(|row| (&*row.left, &*row.right)).collect();
            assert_eq!(found, expected, "{text}");
        }
        for wrong in ["a\tb\nonly one cell\n", "a\tb\t0.9\nc\td\tno number\n"] {
            std::fs::write(&file, wrong).unwrap();
            assert!(matches!(rows(&file), Err(Error::NotAPair { line: 2, .. })), "{wrong}");
        }
    }
}
