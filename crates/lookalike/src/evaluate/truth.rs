//! The true pairs: from the exact join, or from a file.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use lookalike_core::decision::Match;
use lookalike_core::ids::{Document, Rank};
use lookalike_core::measure::criterion::Criterion;
use lookalike_core::method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{EvaluateOptions, NamedScheme, Outcome, Read, read_by, run};
use crate::audit::{Answer, Labels, PairFacts};
use crate::candidates::copies::Texts;
use crate::corpus::{Corpus, Described};
use crate::error::{Error, Result};
use crate::options::{MethodOptions, Scheme};
use crate::progress::Progress;

/// The true pairs with one shingle at one threshold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Truth {
    /// What a feature is made of.
    pub shingle: String,
    /// The threshold.
    pub threshold: f64,
    /// Where they come from: `exact join`, or a file.
    pub by: String,
    /// Pairs of distinct texts.
    pub pair_count: u64,
    /// Pairs in the file whose documents have the same words, which every method finds.
    pub same_words_count: u64,
    /// Pairs in the file that name an unknown document.
    pub unknown_count: u64,
    /// Pairs in the file that people labeled different, if it has labels. Precision is then the share of true pairs among
    /// the labeled pairs that were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub different_count: Option<u64>,
    /// Seconds of the exact join; there is one for all thresholds of a shingle.
    pub seconds: Option<f64>,
}

/// What is there to be found, for each shingle and threshold that is asked for.
pub(super) struct Truths {
    pub(super) said: Vec<Truth>,
    /// The true pairs of each.
    pairs: Vec<Pairs>,
}

/// True pairs by the ranks of texts in the order of the input, sorted.
enum Pairs {
    /// Those matches of a join that are similar enough.
    Joined { run: Rc<Outcome>, criterion: Criterion, threshold: f64 },
    /// Those of a file.
    Read(Vec<(Rank, Rank)>),
    /// Those that people labeled the same; and all of which they could tell.
    Labeled { same: Vec<(Rank, Rank)>, all: Vec<(Rank, Rank)> },
}

/// Pairs, one after the other, or why there are no more.
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

impl Truths {
    pub(super) fn find(options: &EvaluateOptions, progress: &dyn Progress) -> Result<Self> {
        let mut targets: Vec<(String, f64)> = Vec::new();
        for target in options.schemes.iter().map(NamedScheme::target) {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        let rows = options.labels.as_deref().map(rows).transpose()?;
        let mut truths = Self { said: Vec::new(), pairs: Vec::new() };
        // Targets of one shingle share its features, and stand together from here on.
        while let Some((shingle, _)) = targets.first().cloned() {
            let thresholds: Vec<f64> =
                targets.extract_if(.., |target| target.0 == shingle).map(|(_, threshold)| threshold).collect();
            let of_shingle = options.schemes.iter().filter(|scheme| scheme.target().0 == shingle);
            let lowest = of_shingle.min_by(|left, right| left.target().1.total_cmp(&right.target().1));
            let similarity = &lowest.expect("a shingle is of a scheme").scheme;
            match (&options.labels, &rows) {
                (Some(file), Some(rows)) => {
                    truths.add_file(options, file, rows, similarity, &thresholds, progress)?;
                }
                _ => truths.add_join(options, similarity, &thresholds, progress)?,
            }
        }
        Ok(truths)
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

    /// Whether it is known of a pair if it is true: always, unless people labeled a sample.
    pub(super) fn judges(&self, shingle: &str, threshold: f64) -> impl Fn(&(Rank, Rank)) -> bool + use<'_> {
        let of = self.of(shingle, threshold);
        move |pair| match of {
            Some(Pairs::Labeled { all, .. }) => all.binary_search(pair).is_ok(),
            _ => true,
        }
    }

    fn of(&self, shingle: &str, threshold: f64) -> Option<&Pairs> {
        let is_wanted = |truth: &Truth| truth.shingle == shingle && truth.threshold.total_cmp(&threshold).is_eq();
        self.said.iter().position(is_wanted).map(|at| &self.pairs[at])
    }

    /// One join at the lowest threshold has the pairs of all others.
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
            let truth = Truth { seconds: Some(seconds), ..Truth::new(lowest, *threshold, "exact join".to_owned()) };
            let run = Rc::clone(&run);
            self.push(truth, Pairs::Joined { run, criterion: lowest.criterion(), threshold: *threshold })?;
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
        for threshold in thresholds {
            let mut truth = Truth::new(similarity, *threshold, file.display().to_string());
            let is_wanted = |row: &&Row| row.similarity.is_none_or(|similarity| similarity >= *threshold);
            let of = |answer: Option<Answer>, truth: &mut Truth| {
                pairs(&corpus, &texts, rows.iter().filter(is_wanted).filter(|row| row.answer == answer), truth)
            };
            let pairs = if rows.iter().all(|row| row.answer.is_none()) {
                Pairs::Read(of(None, &mut truth)?)
            } else {
                let (same, mut all) = (of(Some(Answer::Same), &mut truth)?, of(Some(Answer::Different), &mut truth)?);
                truth.different_count = Some(all.len() as u64);
                all.extend(&same);
                all.sort_unstable();
                Pairs::Labeled { same, all }
            };
            self.push(truth, pairs)?;
        }
        Ok(())
    }

    fn push(&mut self, truth: Truth, pairs: Pairs) -> Result<()> {
        let count = pairs.in_order()?.try_fold(0, |count, pair| pair.map(|_| count + 1))?;
        self.said.push(Truth { pair_count: count, ..truth });
        self.pairs.push(pairs);
        Ok(())
    }
}

impl Truth {
    fn new(similarity: &Scheme, threshold: f64, by: String) -> Self {
        let shingle = similarity.shingle().to_string();
        Self {
            shingle,
            threshold,
            by,
            pair_count: 0,
            same_words_count: 0,
            unknown_count: 0,
            different_count: None,
            seconds: None,
        }
    }
}

fn pairs<'r>(
    corpus: &Corpus,
    texts: &Texts,
    rows: impl Iterator<Item = &'r Row>,
    truth: &mut Truth,
) -> Result<Vec<(Rank, Rank)>> {
    let mut ids: Vec<String> = Vec::with_capacity(corpus.len());
    let of_run = |run: &mut dyn Iterator<Item = (Document, Described<'_>)>| {
        Ok(run.map(|(_, described)| described.id().into_owned()).collect::<Vec<_>>())
    };
    corpus.each_described(of_run, |of_run| {
        ids.extend(of_run);
        Ok(())
    })?;
    let documents: HashMap<&str, u32> = ids.iter().map(String::as_str).zip(0..).collect();
    // In the order of the input, so that ranks go up with documents.
    let rank = |id: &str| {
        let document = documents.get(id)?;
        texts.items.binary_search(&texts.first_copy[*document as usize]).ok().map(|rank| Rank(rank as u32))
    };
    let mut pairs = Vec::new();
    for row in rows {
        match (rank(&row.left), rank(&row.right)) {
            (Some(left), Some(right)) if left == right => truth.same_words_count += 1,
            (Some(left), Some(right)) => pairs.push((left.min(right), left.max(right))),
            _ => truth.unknown_count += 1,
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// A pair of a file.
struct Row {
    left: String,
    right: String,
    /// As the file says; none where it says nothing, and the pair is true at every threshold.
    similarity: Option<f64>,
    /// What people say, in a file of labels.
    answer: Option<Answer>,
}

/// The pairs of a file: as `pairs` writes them, two or three columns between tabs, or the labels of an audit.
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

/// What most labelers say of each pair. People judge texts and not similarities, so a pair is the same at every threshold.
fn of_labels(file: &Path) -> Result<Vec<Row>> {
    let labels = Labels::read(&[file.to_owned()])?;
    let row = |(pair, facts): (&_, &PairFacts)| Row {
        left: facts.left_id.clone(),
        right: facts.right_id.clone(),
        similarity: None,
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
    let similarity = row.get("similarity").and_then(Value::as_f64);
    Some(Row { left: id("left_id")?, right: id("right_id")?, similarity, answer: None })
}

/// Whether the first line names columns: by the name of the first, or by a third that is no number.
fn is_header(line: &str) -> bool {
    let mut cells = line.split('\t');
    cells.next() == Some("left_id") || cells.nth(1).is_some_and(|cell| cell.trim().parse::<f64>().is_err())
}

fn of_cells(line: &str) -> Option<Row> {
    let mut cells = line.split('\t');
    let (left, right) = (cells.next()?.to_owned(), cells.next()?.to_owned());
    let similarity = cells.next().map(|cell| cell.trim().parse()).transpose().ok()?;
    Some(Row { left, right, similarity, answer: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_read_as_pairs_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("truth");
        for (text, expected) in [
            (
                "left_id\tright_id\tsimilarity\na\tb\t0.9\nc\td\t0.5\n",
                vec![("a", "b", Some(0.9)), ("c", "d", Some(0.5))],
            ),
            ("left_id\tright_id\na\tb\n", vec![("a", "b", None)]),
            ("a\tb\t1\n\nc\td\t0.8\n", vec![("a", "b", Some(1.0)), ("c", "d", Some(0.8))]),
            ("{\"left_id\":\"a\",\"right_id\":7,\"similarity\":0.8}\n", vec![("a", "7", Some(0.8))]),
        ] {
            std::fs::write(&file, text).unwrap();
            let found = rows(&file).unwrap();
            let found: Vec<_> = found.iter().map(|row| (&*row.left, &*row.right, row.similarity)).collect();
            assert_eq!(found, expected, "{text}");
        }
        for wrong in ["a\tb\nonly one cell\n", "a\tb\t0.9\nc\td\tno number\n"] {
            std::fs::write(&file, wrong).unwrap();
            assert!(matches!(rows(&file), Err(Error::NotAPair { line: 2, .. })), "{wrong}");
        }
    }
}
