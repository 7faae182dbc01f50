//! The output folder of a finished run, part by part, for pages that show more of it than a report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lookalike_page::{Excerpt, Html};
use serde::Serialize;

use super::pairs::{Maker, names, places};
use super::rows::{Gathered, Group};
use super::texts::{InputTexts, TextSource as _};
use super::{SUMMARY, clusters, date_of, overview, run, similarity, sources};
use crate::error::Result;
use crate::options::{ReadOptions, ReportTexts};
use crate::output::rows::Removal;
use crate::report::summary::Summary;

/// A finished run of `dedup`, opened for display. The rows of `removed.jsonl` are read when a part needs them, and
/// never held.
#[derive(Debug)]
pub struct FinishedRun {
    folder: PathBuf,
    summary: Summary,
    read: ReadOptions,
    references: Vec<PathBuf>,
    gathered: OnceLock<Gathered>,
}

/// A removed document and the one kept instead, for display.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShownPair {
    /// Their similarity, and the reason why the kept one was kept.
    pub head: Html,
    /// The positions of shared passages; empty without texts.
    pub strip: Html,
    /// Both texts side by side; without texts, both names.
    pub sides: Html,
    /// True if the texts are shown: false if the input is missing or has changed.
    pub has_texts: bool,
    /// Number of characters left out of both.
    pub more: u64,
}

/// The position of a document: its file, and its number there, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextPlace<'a> {
    /// True if it belongs to the reference.
    pub is_reference: bool,
    /// The name of the file.
    pub file: &'a str,
    /// The position in it.
    pub position: u64,
}

/// Number of documents of one source that were removed because of documents of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SourceFlow {
    /// The source of the removed documents.
    pub removed_source: String,
    /// The source of the kept documents.
    pub kept_source: String,
    /// The number of documents.
    pub document_count: u64,
}

impl FinishedRun {
    /// Opens a folder. `read` and `references` are the input of the run, if known, from which texts are read again.
    ///
    /// # Errors
    ///
    /// [`crate::Error::NotARun`] if the folder has no summary of `dedup`.
    pub fn open(folder: &Path, read: Option<ReadOptions>, references: Vec<PathBuf>) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            summary: Summary::read(folder)?,
            read: read.unwrap_or_else(ReadOptions::nothing),
            references,
            gathered: OnceLock::new(),
        })
    }

    /// The summary of the run.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The start of the report: a name and the date, a sentence, six numbers, and what needs attention.
    pub fn lead(&self, title: &str) -> Html {
        overview::lead(&self.summary, title, &date_of(&self.folder))
    }

    /// Removed documents by similarity. A bar links to the address of its band, named by its lower end in percent
    /// (`80`), or `copies`.
    pub fn similarity(&self, address: &dyn Fn(&str) -> String) -> Html {
        let of_group = |group: Group| match group {
            Group::Band(band) => address(&(5 * u32::from(band)).to_string()),
            Group::Copies => address("copies"),
            Group::Numbers => address("numbers"),
        };
        similarity::bars(&self.summary, &of_group)
    }

    /// The S-curve with threshold and recall.
    pub fn recall(&self) -> Html {
        similarity::curve(&self.summary)
    }

    /// From documents to removals.
    pub fn funnel(&self) -> Html {
        run::funnel(&self.summary)
    }

    /// Seconds and memory by stage.
    pub fn stages(&self) -> Html {
        run::stages(&self.summary)
    }

    /// The parameters, the command to repeat the run, and skipped entries.
    pub fn parameters(&self) -> Html {
        run::parameters(&self.summary)
    }

    /// The number of clusters by number of documents.
    pub fn clusters_by_size(&self) -> Html {
        clusters::by_size(&self.summary)
    }

    /// The numbers of occurrences of kept documents.
    pub fn copies(&self) -> Html {
        clusters::copies(&self.summary.kept_by_copy_count)
    }

    /// The losses of each source, to which source, and which source copies which. A count links to the removals of a
    /// source, or to those of them that are kept in another. The first call reads all rows.
    ///
    /// # Errors
    ///
    /// If `removed.jsonl` cannot be read.
    pub fn sources(&self, address: &dyn Fn(&str, Option<&str>) -> String) -> Result<Html> {
        Ok(sources::section(&self.summary, self.gathered()?, Some(address)))
    }

    /// Removals between the largest sources, at most this many of them. The first call reads all rows.
    ///
    /// # Errors
    ///
    /// If `removed.jsonl` cannot be read.
    pub fn flows(&self, most_sources: usize) -> Result<Vec<SourceFlow>> {
        let (names, flows) = self.gathered()?.flows.largest(most_sources);
        let flow = |(from, to, documents): (usize, usize, u64)| SourceFlow {
            removed_source: names[from].clone(),
            kept_source: names[to].clone(),
            document_count: documents,
        };
        Ok(flows.into_iter().map(flow).collect())
    }

    /// Reads the input again and passes the beginning of every text to `take`, with the position of its document. Files
    /// that were changed after the run are left out, since their texts may be different now.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn each_start(&self, most_bytes: usize, mut take: impl FnMut(TextPlace<'_>, &str)) -> Result<()> {
        let ended = std::fs::metadata(self.folder.join(SUMMARY)).and_then(|facts| facts.modified()).ok();
        let source =
            InputTexts { read: &self.read, references: &self.references, reference_tables: &[], longest: most_bytes };
        for is_reference in [false, true] {
            source.each(is_reference, ended, &mut |file, position, text| {
                let end = (0..=most_bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                take(TextPlace { is_reference, file, position }, &text[..end]);
            })?;
        }
        Ok(())
    }

    fn gathered(&self) -> Result<&Gathered> {
        if let Some(gathered) = self.gathered.get() {
            return Ok(gathered);
        }
        // Two concurrent calls both read, and one result is dropped.
        let gathered = Gathered::read(&self.folder, &self.summary)?;
        Ok(self.gathered.get_or_init(|| gathered))
    }

    /// Renders a removal as a pair. Texts are read again, at most the first `longest` bytes of each.
    pub fn pair(&self, removal: &Removal, longest: usize) -> ShownPair {
        let mut maker = Maker::new(&self.summary, ReportTexts::Full);
        maker.excerpt = Some(Excerpt::Blocks);
        let source = InputTexts { read: &self.read, references: &self.references, reference_tables: &[], longest };
        maker.texts = source.texts(&BTreeSet::from(places(removal)));
        maker.forget_changed(removal);
        maker.cut([removal].into_iter());
        let sides = maker.sides(removal);
        ShownPair {
            head: maker.head(removal),
            strip: sides.as_ref().map(lookalike_page::SideBySide::strip).unwrap_or_default(),
            has_texts: sides.is_some(),
            more: sides.as_ref().map_or(0, |sides| sides.left.more + sides.right.more),
            sides: sides.map_or_else(|| names(removal), |sides| sides.render()),
        }
    }
}
