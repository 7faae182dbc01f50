//! A finished run of `dedup` to its precision with a confidence interval: a sample of removals is labeled by people.
//!
//! ```text
//! removed.jsonl → strata → sample ┐
//! input → near misses ────────────┴→ pairs with texts → labels.jsonl → audit.json
//! ```
//!
//! Who labels sees neither the similarity of a pair nor which of both was kept before the answer.

mod agreement;
mod labels;
mod near_misses;
mod page;
mod pairs;
mod population;
mod result;
mod statistics;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use derive_setters::Setters;
use lookalike_io::write::OutputFile;
use lookalike_page::{Excerpt, Html, LabelPage, LabelPlace};
use serde::Serialize;

pub use self::agreement::{Disagreement, Kappa};
pub use self::labels::{Answer, Label, PairFacts};
pub use self::page::report;
pub use self::result::{AuditResult, JudgedRow, labels_by_similarity};
pub use self::statistics::Precision;

pub(crate) use self::labels::Labels;
pub(crate) use self::result::AUDIT;

use self::labels::{LABELS, LabelFile};
use self::near_misses::NearMisses;
use self::pairs::Pair;
use self::population::Population;
use crate::error::Result;
use crate::options::{AuditOptions, ReadOptions, Scheme, SourceBy};
use crate::output::rows::Removal;
use crate::progress::Progress;
use crate::report::page::texts::{InputTexts, LONGEST};
use crate::report::summary::Summary;

/// Pairs to be labeled. Labels may be given by several threads.
#[derive(Debug)]
pub struct Audit {
    folder: PathBuf,
    seed: u64,
    labeler: Option<String>,
    scheme: Scheme,
    pairs: Vec<Pair>,
    without_text: usize,
    compared: u64,
    labels: Mutex<Option<LabelFile>>,
}

/// What a page says about a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, Serialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct Said {
    /// The answer; none to take it back.
    pub label: Option<Answer>,
    /// Whether something is lost with the removed document.
    pub something_lost: bool,
    /// Whether the worse copy was kept.
    pub worse_kept: bool,
    /// A note.
    pub note: String,
}

/// What the source of a document was in a run; none if it was a field that is not known here.
fn source_by(summary: &Summary, read: &ReadOptions) -> Option<SourceBy> {
    SourceBy::parse(&summary.parameters.source)
        .filter(|by| *by != SourceBy::Field || read.settings.fields.source.is_some())
}

impl Audit {
    /// Draws the sample, and reads its texts again.
    ///
    /// # Errors
    ///
    /// [`crate::Error::NotARun`] when the folder has no summary of `dedup` or no evidence; when the input cannot be read;
    /// and [`crate::Error::NothingToLabel`] when there is no pair whose texts are still there.
    pub fn prepare(options: &AuditOptions, progress: &dyn Progress) -> Result<Self> {
        let AuditOptions { folder, sample, near_misses, seed, scheme, .. } = options;
        let summary = Summary::read(folder)?;
        let population = Population::read(folder, *sample, *seed, &HashSet::new())?;
        let removals = population.sample(*sample);
        progress.go_on()?;
        let (drawn, source) = (
            removals.len(),
            InputTexts {
                read: &options.read,
                references: &options.references,
                reference_tables: &[],
                longest: LONGEST,
            },
        );
        let mut pairs = pairs::with_texts(removals, scheme, &source);
        let without_text = drawn - pairs.len();
        progress.go_on()?;
        let by = source_by(&summary, &options.read);
        let misses = NearMisses::find(folder, &options.read, scheme, by, (*near_misses, *seed), progress)?;
        pairs.extend(misses.pairs);
        if pairs.is_empty() {
            return Err(crate::Error::NothingToLabel { folder: folder.clone(), without_text });
        }
        pairs::shuffle(&mut pairs, *seed);
        Ok(Self {
            folder: folder.clone(),
            seed: *seed,
            labeler: options.labeler.clone(),
            scheme: scheme.clone(),
            pairs,
            without_text,
            compared: misses.compared,
            labels: Mutex::new(None),
        })
    }

    /// How many pairs there are to label.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none. There always are.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many of the pairs are near misses.
    pub fn near_misses(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.facts.near_miss).count()
    }

    /// Among how many kept documents near misses were looked for.
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// How many removals of the sample cannot be labeled: a text is not there any more, or has changed.
    pub fn without_text(&self) -> usize {
        self.without_text
    }

    /// The file that labels are appended to.
    pub fn labels_path(&self) -> PathBuf {
        self.folder.join(LABELS)
    }

    /// The facts of a pair, by its number from 0.
    pub fn facts(&self, number: usize) -> Option<&PairFacts> {
        self.pairs.get(number).map(|pair| &pair.facts)
    }

    /// Appends a label of a pair to the file. When this returns, the label is on the disk.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    ///
    /// # Panics
    ///
    /// When there is no pair of this number.
    pub fn label(&self, number: usize, said: Said) -> Result<()> {
        let facts = self.pairs[number].facts.clone();
        let Said { label, something_lost, worse_kept, note } = said;
        let label = Label { facts, label, something_lost, worse_kept, note, labeler: self.labeler.clone() };
        let mut file = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *file {
            Some(file) => file.append(&label),
            none => none.insert(LabelFile::open(&self.labels_path())?).append(&label),
        }
    }

    /// What this labeler said before about each pair, by number.
    ///
    /// # Errors
    ///
    /// When the file is there and cannot be read.
    pub fn said(&self) -> Result<Vec<Option<Said>>> {
        let labels = labels_of(&self.folder, &[])?;
        let own = self.labeler.as_deref().unwrap_or("labels");
        let of_own = labels.labelers().find(|(name, _)| *name == own).map(|(_, labels)| labels.clone());
        let said = |pair: &Pair| {
            let label = of_own.as_ref()?.get(&pair.facts.key())?;
            let (something_lost, worse_kept) = (label.something_lost, label.worse_kept);
            Some(Said { label: label.label, something_lost, worse_kept, note: label.note.clone() })
        };
        Ok(self.pairs.iter().map(said).collect())
    }

    /// Both texts of a pair side by side, as they are labeled.
    pub fn side_by_side(&self, number: usize) -> Option<Html> {
        let pair = self.pairs.get(number)?;
        Some(pair.render(&self.scheme, pairs::is_turned(self.seed, number), Excerpt::Folded))
    }

    /// The page to label on, which asks the address that it came from for pairs.
    ///
    /// # Errors
    ///
    /// When labels are there and cannot be read.
    pub fn page(&self) -> Result<String> {
        Ok(LabelPage { facts: self.island(&self.said()?), place: LabelPlace::Served }.render())
    }

    /// The page to label on for somebody else: one file with all pairs, which saves labels as a download.
    pub fn offline_page(&self) -> String {
        // A browser opens no more than that with ease. Of a pair that is larger, only the differences are shown.
        const MOST_BYTES: usize = 20_000_000;
        let most = MOST_BYTES / self.pairs.len().max(1);
        let pair = |(number, pair): (usize, &Pair)| {
            let is_turned = pairs::is_turned(self.seed, number);
            let whole = pair.render(&self.scheme, is_turned, Excerpt::Folded);
            if whole.len() <= most { whole } else { pair.render(&self.scheme, is_turned, Excerpt::Short) }
        };
        let pairs = self.pairs.iter().enumerate().map(pair).collect();
        let nothing = vec![None; self.pairs.len()];
        LabelPage { facts: self.island(&nothing), place: LabelPlace::File(pairs) }.render()
    }

    /// What the script of a page knows of all pairs, as JSON.
    fn island(&self, said: &[Option<Said>]) -> String {
        let pairs: Vec<IslandPair<'_>> = self
            .pairs
            .iter()
            .zip(said)
            .enumerate()
            .map(|(number, (pair, said))| IslandPair {
                facts: &pair.facts,
                turned: pairs::is_turned(self.seed, number),
                said: said.as_ref(),
            })
            .collect();
        // Offline labels are remembered by the browser under this name.
        let name = format!("{}-{}-{}", self.seed, self.pairs.len(), fingerprint(&self.pairs));
        let island = Island { name, labeler: self.labeler.as_deref(), pairs };
        serde_json::to_string(&island).expect("strings and numbers have a JSON form")
    }

    /// Counts all labels so far, and writes `audit.json`.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read or written.
    pub fn result(&self, progress: &dyn Progress) -> Result<AuditResult> {
        judge(&self.folder, &[], progress)
    }
}

#[derive(Serialize)]
struct Island<'a> {
    name: String,
    labeler: Option<&'a str>,
    pairs: Vec<IslandPair<'a>>,
}

#[derive(Serialize)]
struct IslandPair<'a> {
    facts: &'a PairFacts,
    turned: bool,
    said: Option<&'a Said>,
}

fn fingerprint(pairs: &[Pair]) -> String {
    let places: String = pairs.iter().map(|pair| format!("{:?}", pair.facts.key())).collect();
    format!("{:016x}", lookalike_core::hash::Key::FIXED.bytes_hash(places.as_bytes()) as u64)
}

/// Counts the labels in a folder and in further files, and writes `audit.json` to the folder.
///
/// # Errors
///
/// [`crate::Error::NotARun`] when the folder has no summary of `dedup` or no evidence, [`crate::Error::NotALabel`] when a
/// file has something else than labels, [`crate::Error::NoLabels`] when there are none; and when the file cannot be
/// written.
pub fn judge(folder: &Path, files: &[PathBuf], progress: &dyn Progress) -> Result<AuditResult> {
    let summary = Summary::read(folder)?;
    let labels = labels_of(folder, files)?;
    if labels.labelers().next().is_none() {
        return Err(crate::Error::NoLabels { folder: folder.to_owned() });
    }
    let result = AuditResult::new(folder, &summary, &labels)?;
    let path = folder.join(AUDIT);
    let mut file = OutputFile::new(&path, true, &progress.unfinished())?;
    let written = serde_json::to_writer_pretty(file.writer(), &result).map_err(io::Error::from);
    let written = written.and_then(|()| file.writer().write_all(b"\n"));
    written.map_err(|cause| lookalike_io::Error::Unwritable { path, cause })?;
    file.commit()?;
    Ok(result)
}

/// Labels a removal of the run in a folder: the label is appended to `labels.jsonl`, as those of [`Audit::label`] are. Without an answer,
/// an earlier label is taken back. When this returns, the label is on the disk.
///
/// # Errors
///
/// When the file cannot be written.
pub fn label_removal(folder: &Path, removal: &Removal, answer: Option<Answer>, labeler: Option<String>) -> Result<()> {
    let facts = pairs::facts_of(removal);
    let label = Label { facts, label: answer, something_lost: false, worse_kept: false, note: String::new(), labeler };
    LabelFile::open(&folder.join(LABELS))?.append(&label)
}

/// What most labelers say of a removal; none if nobody says anything.
///
/// # Errors
///
/// [`crate::Error::NotALabel`] when the file has something else than labels.
pub fn label_of_removal(folder: &Path, removal: &Removal) -> Result<Option<Answer>> {
    Ok(labels_of(folder, &[])?.answer(&pairs::facts_of(removal).key()))
}

/// The labels in a folder, if there are any, and those of further files.
fn labels_of(folder: &Path, files: &[PathBuf]) -> Result<Labels> {
    let own = folder.join(LABELS);
    let paths: Vec<PathBuf> = own.is_file().then_some(own).into_iter().chain(files.iter().cloned()).collect();
    Labels::read(&paths)
}
