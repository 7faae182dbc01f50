//! Measures the precision of a finished run of `dedup`, with a confidence interval: people label a sample of its
//! removals.
//!
//! ```text
//! removed.jsonl → strata → sample ┐
//! input → near misses ────────────┴→ pairs with texts → labels.jsonl → audit.json
//! ```
//!
//! Labelers see neither the similarity of a pair nor which document was kept before they answer.

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

pub(crate) use self::labels::{LabelFile, Labels};
pub(crate) use self::result::AUDIT;

use self::labels::LABELS;
use self::near_misses::NearMisses;
use self::pairs::Pair;
use self::population::Population;
use crate::error::Result;
use crate::options::{AuditOptions, ReadOptions, Scheme, SourceBy};
use crate::output::rows::Removal;
use crate::progress::Progress;
use crate::report::page::texts::{InputTexts, LONGEST};
use crate::report::summary::Summary;

/// A set of pairs to label. Several threads may add labels.
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

/// A label for a pair, as given on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize, Serialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct Said {
    /// The answer; none to undo it.
    pub label: Option<Answer>,
    /// True if the removed document has something the kept one lacks.
    pub something_lost: bool,
    /// True if the worse copy was kept.
    pub worse_kept: bool,
    /// A note.
    pub note: String,
}

/// The source field of a run; none if it is not known here.
fn source_by(summary: &Summary, read: &ReadOptions) -> Option<SourceBy> {
    SourceBy::parse(&summary.parameters.source)
        .filter(|by| *by != SourceBy::Field || read.settings.fields.source.is_some())
}

impl Audit {
    /// Draws the sample, and reads its texts again.
    ///
    /// # Errors
    ///
    /// [`crate::Error::NotARun`] if the folder has no summary of `dedup` or no evidence; if the input cannot be read;
    /// and [`crate::Error::NothingToLabel`] if there is no pair whose texts still exist.
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

    /// Number of pairs to label.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// True if there are none, which never happens.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Number of pairs that are near misses.
    pub fn near_misses(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.facts.near_miss).count()
    }

    /// Number of kept documents among which near misses were searched.
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// Number of sampled removals that cannot be labeled because a text is missing or has changed.
    pub fn without_text(&self) -> usize {
        self.without_text
    }

    /// The file to which labels are appended.
    pub fn labels_path(&self) -> PathBuf {
        self.folder.join(LABELS)
    }

    /// The metadata of a pair, by its number from 0.
    pub fn facts(&self, number: usize) -> Option<&PairFacts> {
        self.pairs.get(number).map(|pair| &pair.facts)
    }

    /// Appends a label of a pair to the file. When this returns, the label is on disk.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    ///
    /// # Panics
    ///
    /// If there is no pair with this number.
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

    /// The earlier labels of this labeler on each pair, by number.
    ///
    /// # Errors
    ///
    /// If the file exists and cannot be read.
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

    /// Both texts of a pair side by side, as shown for labeling.
    pub fn side_by_side(&self, number: usize) -> Option<Html> {
        let pair = self.pairs.get(number)?;
        Some(pair.render(&self.scheme, pairs::is_turned(self.seed, number), Excerpt::Folded))
    }

    /// The page for labeling, which requests pairs from its own server.
    ///
    /// # Errors
    ///
    /// If labels exist and cannot be read.
    pub fn page(&self) -> Result<String> {
        Ok(LabelPage { facts: self.island(&self.said()?), place: LabelPlace::Served }.render())
    }

    /// The page for labeling as a single file with all pairs, which saves labels as a download.
    pub fn offline_page(&self) -> String {
        // Browsers have difficulty opening larger files. For a pair that is larger, only the differences are shown.
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

    /// The data of all pairs for the script of a page, as JSON.
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
        // The browser stores offline labels under this name.
        let name = format!("{}-{}-{}", self.seed, self.pairs.len(), fingerprint(&self.pairs));
        let island = Island { name, labeler: self.labeler.as_deref(), pairs };
        serde_json::to_string(&island).expect("strings and numbers have a JSON form")
    }

    /// Evaluates all labels so far, and writes `audit.json`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read or written.
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

/// Evaluates the labels in a folder and in further files, and writes `audit.json` to the folder.
///
/// # Errors
///
/// [`crate::Error::NotARun`] if the folder has no summary of `dedup` or no evidence, [`crate::Error::NotALabel`] if a
/// file contains anything except labels, [`crate::Error::NoLabels`] if there are none; and if the file cannot be
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

/// Labels a removal of the run in a folder: the label is appended to `labels.jsonl`, like those of [`Audit::label`].
/// Without an answer, an earlier label is undone. When this returns, the label is on disk.
///
/// # Errors
///
/// If the file cannot be written.
pub fn label_removal(folder: &Path, removal: &Removal, answer: Option<Answer>, labeler: Option<String>) -> Result<()> {
    let facts = pairs::facts_of(removal);
    let label = Label { facts, label: answer, something_lost: false, worse_kept: false, note: String::new(), labeler };
    LabelFile::open(&folder.join(LABELS))?.append(&label)
}

/// The majority answer for a removal; none without labels.
///
/// # Errors
///
/// [`crate::Error::NotALabel`] if the file contains anything except labels.
pub fn label_of_removal(folder: &Path, removal: &Removal) -> Result<Option<Answer>> {
    Ok(labels_of(folder, &[])?.answer(&pairs::facts_of(removal).key()))
}

/// The labels in a folder, if there are any, and those of further files.
fn labels_of(folder: &Path, files: &[PathBuf]) -> Result<Labels> {
    let own = folder.join(LABELS);
    let paths: Vec<PathBuf> = own.is_file().then_some(own).into_iter().chain(files.iter().cloned()).collect();
    Labels::read(&paths)
}
