//! The output folder of a finished run, part by part: for whoever shows more of it than a report has room for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lookalike_page::{Excerpt, Html};
use serde::Serialize;

use super::pairs::{Maker, names};
use super::rows::{Gathered, Group, Removal};
use super::texts::{InputTexts, TextSource as _};
use super::told::Told;
use super::{clusters, overview, run, similarity, sources};
use crate::error::{Error, Result};
use crate::options::{ReadOptions, ReportTexts};

/// A finished run of `dedup`, opened to be shown. The rows of `removed.jsonl` are read when a part needs them, and never held.
#[derive(Debug)]
pub struct FinishedRun {
    folder: PathBuf,
    told: Told,
    read: ReadOptions,
    references: Vec<PathBuf>,
    gathered: OnceLock<Gathered>,
}

/// A removed document and the one kept in its place, to be shown.
#[derive(Clone, Debug)]
pub struct ShownPair {
    /// The id of the removed document.
    pub removed_id: String,
    /// The id of the kept one.
    pub kept_id: String,
    /// Their similarity by the measure of the run.
    pub similarity: f64,
    /// How similar they are, and why the kept one was kept.
    pub head: Html,
    /// Where both share passages; nothing without texts.
    pub strip: Html,
    /// Both texts side by side; without texts, both by name.
    pub sides: Html,
    /// Whether the texts are shown: none where the input is gone, or has changed since.
    pub has_texts: bool,
    /// How many characters of both are left out.
    pub more: u64,
}

/// How many documents of one source were removed because of documents of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceFlow {
    /// The source that lost them.
    pub removed_from: String,
    /// The source of what is kept in their place.
    pub kept_in: String,
    /// How many.
    pub documents: u64,
}

impl FinishedRun {
    /// Opens a folder. `read` and `references` are what the run read, if that is known: texts are read again from there.
    ///
    /// # Errors
    ///
    /// [`Error::NotARun`] when the folder has no summary of `dedup`.
    pub fn open(folder: &Path, read: Option<ReadOptions>, references: Vec<PathBuf>) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            told: Told::read(folder)?,
            read: read.unwrap_or_else(|| ReadOptions::new(Vec::<PathBuf>::new())),
            references,
            gathered: OnceLock::new(),
        })
    }

    /// The measure of the run: `jaccard`, `containment` and so on.
    pub fn measure(&self) -> &str {
        &self.told.parameters.measure
    }

    /// How many documents were removed.
    pub fn removed(&self) -> u64 {
        self.told.found.removed
    }

    /// How many documents were kept.
    pub fn kept(&self) -> u64 {
        self.told.found.kept
    }

    /// How many documents came in.
    pub fn documents(&self) -> u64 {
        self.told.input.documents
    }

    /// The first screen: a sentence, six numbers, and what needs somebody's eye.
    pub fn lead(&self, title: &str) -> Html {
        overview::lead(&self.told, title)
    }

    /// Removed documents by similarity. A bar leads to the address of its band, which is named by its lower end in percent (`80`), or
    /// to that of `copies`.
    pub fn similarity(&self, address: &dyn Fn(&str) -> String) -> Html {
        let of_group = |group: Group| match group {
            Group::Band(band) => address(&(5 * u32::from(band)).to_string()),
            Group::Copies => address("copies"),
        };
        similarity::bars(&self.told, &of_group)
    }

    /// The S-curve with threshold and recall.
    pub fn recall(&self) -> Html {
        similarity::curve(&self.told)
    }

    /// From documents to removals.
    pub fn funnel(&self) -> Html {
        run::funnel(&self.told)
    }

    /// Seconds and memory by stage.
    pub fn stages(&self) -> Html {
        run::stages(&self.told)
    }

    /// What was asked for, how to repeat it, and what was skipped.
    pub fn parameters(&self) -> Html {
        run::parameters(&self.told)
    }

    /// How many clusters have how many documents.
    pub fn clusters_by_size(&self) -> Html {
        clusters::by_size(&self.told)
    }

    /// How often kept documents occur.
    pub fn copies(&self) -> Html {
        clusters::copies(&self.told.kept_by_copies)
    }

    /// How much each source lost, to whom, and who copies whom. The first call reads all rows.
    ///
    /// # Errors
    ///
    /// When `removed.jsonl` cannot be read.
    pub fn sources(&self) -> Result<Html> {
        Ok(sources::section(&self.told, self.gathered()?))
    }

    /// What went between the largest sources, at most so many of them. The first call reads all rows.
    ///
    /// # Errors
    ///
    /// When `removed.jsonl` cannot be read.
    pub fn flows(&self, most_sources: usize) -> Result<Vec<SourceFlow>> {
        let (names, flows) = self.gathered()?.flows.largest(most_sources);
        let flow = |(from, to, documents): (usize, usize, u64)| SourceFlow {
            removed_from: names[from].clone(),
            kept_in: names[to].clone(),
            documents,
        };
        Ok(flows.into_iter().map(flow).collect())
    }

    fn gathered(&self) -> Result<&Gathered> {
        if let Some(gathered) = self.gathered.get() {
            return Ok(gathered);
        }
        // Two who ask at once read twice, and one of them for nothing.
        let gathered = Gathered::read(&self.folder, &self.told)?;
        Ok(self.gathered.get_or_init(|| gathered))
    }

    /// A line of `removed.jsonl` as a pair. Texts are read again, at most the first `longest` bytes of each.
    ///
    /// # Errors
    ///
    /// [`Error::NotARun`] when the line is not one of `dedup`.
    pub fn pair(&self, line: &[u8], longest: usize) -> Result<ShownPair> {
        let not_a_run = |error: serde_json::Error| Error::NotARun {
            path: self.folder.clone(),
            reason: format!("removed.jsonl: {error}"),
        };
        let removal = Removal::parse(line, self.measure()).map_err(not_a_run)?;
        let mut maker = Maker::new(&self.told, ReportTexts::Full);
        maker.excerpt = Some(Excerpt::Blocks);
        let source = InputTexts { read: &self.read, references: &self.references, longest };
        maker.texts = source.texts(&BTreeSet::from([&removal.removed, &removal.kept]));
        maker.forget_changed(&removal);
        maker.cut([&removal].into_iter());
        let sides = maker.sides(&removal);
        Ok(ShownPair {
            head: maker.head(&removal),
            strip: sides.as_ref().map(lookalike_page::SideBySide::strip).unwrap_or_default(),
            has_texts: sides.is_some(),
            more: sides.as_ref().map_or(0, |sides| sides.left.more + sides.right.more),
            sides: sides.map_or_else(|| names(&removal), |sides| sides.render()),
            similarity: removal.similarity,
            removed_id: removal.removed_id,
            kept_id: removal.kept_id,
        })
    }
}
