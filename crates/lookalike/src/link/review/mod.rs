//! Pairs of a finished result for a person to label, the least certain first, until more labels no longer change the
//! answer.
//!
//! After each answer the weights are learned anew, so that what is asked next is what these leave open. Pairs that
//! agree in the same way are not asked for again and again. Each answer is a line of `labels.jsonl` before the next
//! pair is shown.

mod asked;
mod page;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use lookalike_core::ids::Number;
use lookalike_core::link::key::try_find_candidates;
use lookalike_core::link::weigh::try_compare_all;
use serde::{Deserialize, Serialize};

use self::asked::{Asked, Pool};
use super::output::Columns;
use super::result::Finished;
use super::tables::Tables;
use super::{Bounds, Linking, bounds, need};
use crate::audit::{Answer, LabelFile};
use crate::error::{Error, Result};
use crate::options::ReviewOptions;
use crate::progress::Progress;
use crate::run::stages::Stages;

/// Name of the labels in the folder of a result.
const LABELS: &str = "labels.jsonl";

/// A review of a finished result of [`link`](crate::link()).
///
/// ```no_run
/// use lookalike::{Answer, Review, ReviewRequest, Silent};
///
/// let review = Review::open(&ReviewRequest::new("linked").check()?, &Silent)?;
/// while let Some(question) = review.state().question {
///     for field in &question.fields {
///         println!("{}: {} | {}", field.name, field.left, field.right);
///     }
///     review.answer(question.number, Answer::Same)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Review {
    folder: PathBuf,
    tables: Tables,
    ids: Vec<String>,
    config: lookalike_core::link::config::Config,
    pool: Pool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    asked: Asked,
    file: Option<LabelFile>,
    /// True to keep asking although more labels change nothing.
    asks_on: bool,
}

/// Progress of a review.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ReviewState {
    /// Pairs labeled as the same.
    pub same_count: u64,
    /// Pairs labeled as different.
    pub different_count: u64,
    /// Pairs of which nobody can tell.
    pub unclear_count: u64,
    /// The share of the matches that the last labels changed; none if there are too few labels.
    pub changed: Option<f64>,
    /// True if more labels would change almost nothing.
    pub settled: bool,
    /// The next pair; none if the review is settled, or no pair is left.
    pub question: Option<Question>,
}

/// A pair to label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Question {
    /// Its number, from 0: how many answers there were before it.
    pub number: u64,
    /// The id of one record.
    pub left_id: String,
    /// The id of the other.
    pub right_id: String,
    /// All columns of both.
    pub fields: Vec<QuestionField>,
}

/// A column of a pair to label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct QuestionField {
    /// The name of the column.
    pub name: String,
    /// The cell of one record.
    pub left: String,
    /// The cell of the other.
    pub right: String,
}

/// A line of `labels.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RecordLabel {
    /// The id of one record.
    pub left_id: String,
    /// The id of the other.
    pub right_id: String,
    /// The number of the left record's table, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_table: Option<u64>,
    /// The number of the right record's table, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right_table: Option<u64>,
    /// The answer; none if it was taken back.
    pub label: Option<Answer>,
}

impl Review {
    /// Reads a finished result, and finds the pairs that may be a match again. Labels that are there already are kept.
    ///
    /// # Errors
    ///
    /// Fails if the folder has no result, if no pair in it may be a match, or if its labels cannot be read.
    pub fn open(options: &ReviewOptions, progress: &dyn Progress) -> Result<Self> {
        let (folder, memory) = (options.folder.clone(), options.resources.memory);
        let refuse = |folder: &Path, reason: String| Error::NothingToReview {
            folder: lookalike_io::remote::shown_path(folder),
            reason,
        };
        let finished = Finished { folder: &folder, memory, refuse };
        let mut stages = Stages::start(progress);
        let (mut config, decided) = (finished.config()?, finished.decided()?);
        // There, both tables have the columns of the first.
        config.columns.iter_mut().for_each(|column| column.other_name = None);
        config.id_right = None;
        let (tables, _) = stages.run("read", None, || finished.records(&config))?;
        let ids = tables.ids(&config)?;
        let most = tables.need().check(&config, memory)?;
        let records = stages.run("prepare", None, || super::prepare(&tables, &config))?;
        let value_counts: Vec<usize> = records.fields().iter().map(|field| field.values.len()).collect();
        let frequencies = finished.frequencies(&value_counts)?;
        finished.check(&decided.model, &records)?;
        let go_on = || progress.go_on();
        let bounds = Bounds { most, ..bounds(&records, &config) };
        let candidates = stages.run("bucket", None, || try_find_candidates(&records, &bounds, go_on))?;
        need::check_candidates(&candidates, memory)?;
        let patterns = stages.run("compare", None, || try_compare_all(&records, &candidates, go_on))?;
        let linking = stages.run("score", None, || {
            Linking::score(records, candidates, &patterns, decided.model, frequencies, progress)
        })?;
        stages.finish();
        let pool = Pool::new(linking, &config);
        if pool.is_empty() {
            return Err(finished.refused("no two records in it may be the same"));
        }
        let asked = Asked::read(&folder.join(LABELS), memory, &tables, &ids, &pool)?;
        let state = Mutex::new(State { asked, file: None, asks_on: false });
        Ok(Self { folder, tables, ids, config, pool, state })
    }

    /// Returns the path of the labels.
    pub fn labels_path(&self) -> PathBuf {
        self.folder.join(LABELS)
    }

    /// Returns the progress of the review, and the next question.
    pub fn state(&self) -> ReviewState {
        self.state_of(&self.locked())
    }

    /// Labels the pair of a question. When this returns, the label is on disk.
    ///
    /// # Errors
    ///
    /// [`Error::NotAsked`] if another pair is asked for now, or none; or if the label cannot be written.
    pub fn answer(&self, number: u64, answer: Answer) -> Result<ReviewState> {
        let mut state = self.locked();
        let next = state.asked.next(&self.pool, state.asks_on);
        let Some(pair) = next.filter(|_| state.asked.number() == number) else {
            return Err(Error::NotAsked { number });
        };
        self.write(&mut state, pair, Some(answer))?;
        state.asked.add(&self.pool, pair, answer);
        Ok(self.state_of(&state))
    }

    /// Takes back the last answer of this review; does nothing if there is none.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be written.
    pub fn undo(&self) -> Result<ReviewState> {
        let mut state = self.locked();
        if let Some(pair) = state.asked.last() {
            self.write(&mut state, pair, None)?;
            state.asked.undo();
        }
        Ok(self.state_of(&state))
    }

    /// Asks on, though more labels would change next to nothing.
    pub fn ask_on(&self) -> ReviewState {
        let mut state = self.locked();
        state.asks_on = true;
        self.state_of(&state)
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        // A panic in another thread has written whole answers only.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn write(&self, state: &mut State, pair: usize, label: Option<Answer>) -> Result<()> {
        let pair = self.pool.pair(pair);
        let table = |record: usize| self.tables.are_several().then(|| self.tables.number_of(record) as u64);
        let [left, right] = [pair.left, pair.right].map(Number::index);
        let label = RecordLabel {
            left_id: self.ids[left].clone(),
            right_id: self.ids[right].clone(),
            left_table: table(left),
            right_table: table(right),
            label,
        };
        if state.file.is_none() {
            state.file = Some(LabelFile::open(&self.labels_path())?);
        }
        state.file.as_mut().map_or(Ok(()), |file| file.append(&label))
    }

    fn state_of(&self, state: &State) -> ReviewState {
        let next = state.asked.next(&self.pool, state.asks_on);
        let [same_count, different_count, unclear_count] = state.asked.counts();
        ReviewState {
            same_count,
            different_count,
            unclear_count,
            changed: state.asked.changed(),
            settled: state.asked.is_settled(),
            question: next.map(|pair| self.question(pair, state.asked.number())),
        }
    }

    fn question(&self, pair: usize, number: u64) -> Question {
        let (first, second) = self.tables.both();
        let columns = Columns::new(first, second, &self.config);
        let pair = self.pool.pair(pair);
        let [left, right] = [pair.left, pair.right].map(Number::index);
        let is_shown = |name: &str| self.config.id.as_deref() != Some(name);
        let field = |(column, name): (usize, &&str)| QuestionField {
            name: (*name).to_owned(),
            left: columns.cell(left, column).to_owned(),
            right: columns.cell(right, column).to_owned(),
        };
        let fields = columns.names.iter().enumerate().filter(|(_, name)| is_shown(name)).map(field);
        Question {
            number,
            left_id: self.ids[left].clone(),
            right_id: self.ids[right].clone(),
            fields: fields.filter(|field| !field.left.is_empty() || !field.right.is_empty()).collect(),
        }
    }
}
