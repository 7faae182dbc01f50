//! Provides the texts of documents: during a run from the corpus, later by reading the input again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lookalike_core::ids::Document;
use lookalike_io::input::discover::discover_except;
use lookalike_io::input::held::HeldTable;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{Chunk, Entry, Parser, SequentialReader, Unit};

use super::rows::Place;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::ReadOptions;

/// A text, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Number of characters left out at its end.
    pub(crate) more: u64,
}

/// Maximum bytes of a text to examine: a page has no room for more.
pub(crate) const LONGEST: usize = 60_000;

impl Text {
    pub(crate) fn new(text: &str, longest: usize) -> Self {
        let end = (0..=longest.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        Self { text: text[..end].to_owned(), more: text[end..].chars().count() as u64 }
    }
}

/// A source of texts.
pub(crate) trait TextSource {
    /// The texts of documents, as far as they can be read.
    fn texts(&self, wanted: &BTreeSet<Place>) -> HashMap<Place, Text>;

    /// True if they may differ from those that were compared.
    fn may_have_changed(&self) -> bool;
}

/// The documents of a run in progress.
pub(crate) struct CorpusTexts<'a> {
    corpus: &'a Corpus,
    read: &'a ReadOptions,
}

impl<'a> CorpusTexts<'a> {
    pub(crate) fn new(corpus: &'a Corpus, read: &'a ReadOptions) -> Self {
        Self { corpus, read }
    }

    fn text(&self, place: &Place, file: u32, parser: &mut Parser, bytes: &mut Vec<u8>) -> Option<Text> {
        let documents = self.corpus.documents_of_file(file);
        let (mut first, mut end) = (documents.start, documents.end);
        while first < end {
            let middle = u32::midpoint(first, end);
            let row = self.corpus.row(Document(middle)).ok()?;
            match row.position.cmp(&place.position) {
                std::cmp::Ordering::Less => first = middle + 1,
                std::cmp::Ordering::Greater => end = middle,
                std::cmp::Ordering::Equal => {
                    self.corpus.shelf.read(row.place, bytes).ok()?;
                    return parser
                        .document(self.corpus.kind(file), bytes)
                        .map(|document| Text::new(document.text, LONGEST));
                }
            }
        }
        None
    }
}

impl TextSource for CorpusTexts<'_> {
    fn texts(&self, wanted: &BTreeSet<Place>) -> HashMap<Place, Text> {
        let names: BTreeSet<(bool, &str)> = wanted.iter().map(|place| (place.is_reference, &*place.file)).collect();
        let files = self.corpus.shelf.files().iter().zip(0_u32..);
        let name = |(file, number): (&'_ lookalike_io::input::discover::InputFile, u32)| {
            let name = (number as usize >= self.corpus.input_files, file.name.clone());
            names.contains(&(name.0, &*name.1)).then_some((name, number))
        };
        let numbers: HashMap<(bool, String), u32> = files.filter_map(name).collect();
        let (mut parser, mut bytes) = (Parser::new(&self.read.settings), Vec::new());
        let text = |place: &Place| {
            let file = *numbers.get(&(place.is_reference, place.file.clone()))?;
            Some((place.clone(), self.text(place, file, &mut parser, &mut bytes)?))
        };
        wanted.iter().filter_map(text).collect()
    }

    fn may_have_changed(&self) -> bool {
        // A run ends with an error if its input changes.
        false
    }
}

/// The input of a finished run, if it still exists. It may have changed: the caller must check.
pub(crate) struct InputTexts<'a> {
    pub(crate) read: &'a ReadOptions,
    pub(crate) references: &'a [std::path::PathBuf],
    /// Tables in memory that belong to the reference.
    pub(crate) reference_tables: &'a [HeldTable],
    /// Maximum bytes of a text to examine.
    pub(crate) longest: usize,
}

impl TextSource for InputTexts<'_> {
    fn texts(&self, wanted: &BTreeSet<Place>) -> HashMap<Place, Text> {
        let mut found = HashMap::new();
        // Missing texts are left out, and the page says so.
        let _ = self.read(false, wanted, &mut found);
        let _ = self.read(true, wanted, &mut found);
        found
    }

    fn may_have_changed(&self) -> bool {
        true
    }
}

impl InputTexts<'_> {
    /// Passes all texts of the input, or of the reference, file by file. With `before`, files that were changed later
    /// are left out.
    pub(super) fn each(
        &self,
        is_reference: bool,
        before: Option<std::time::SystemTime>,
        take: &mut dyn FnMut(&str, u64, &str),
    ) -> Result<()> {
        let is_there = if is_reference { !self.references.is_empty() } else { self.read.has_inputs() };
        if !is_there {
            return Ok(());
        }
        let shelf = self.shelf(is_reference)?;
        let (mut parser, settings) = (Parser::new(&self.read.settings), self.read.settings.unlimited());
        for (number, file) in (0..).zip(shelf.files()) {
            // Inputs that are not local files have no time, and are not read again.
            let changed = std::fs::metadata(file.shown()).and_then(|facts| facts.modified()).ok();
            if before.is_some_and(|before| changed.is_none_or(|changed| changed > before)) {
                continue;
            }
            let mut reader = SequentialReader::new(shelf.files(), vec![Unit::whole(number)], &settings);
            let (mut chunk, mut behind) = (Chunk::default(), 0);
            while reader.next(&mut chunk)? {
                chunk.settle(&shelf)?;
                behind += parser.entries(&chunk, |placed| {
                    if let Entry::Document(document) = placed.entry {
                        take(&file.name, behind + placed.position + 1, document.text);
                    }
                });
                behind += chunk.damage().map_or(0, |(_, lost)| lost);
            }
        }
        Ok(())
    }

    fn shelf(&self, is_reference: bool) -> Result<Shelf> {
        Ok(Shelf::new(if is_reference {
            discover_except(self.references, &[], None, &self.read.exclude)?.with_tables(self.reference_tables)
        } else {
            self.read.discover(None)?
        }))
    }

    fn read(&self, is_reference: bool, wanted: &BTreeSet<Place>, found: &mut HashMap<Place, Text>) -> Result<()> {
        let mut by_file: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for place in wanted.iter().filter(|place| place.is_reference == is_reference) {
            by_file.entry(&place.file).or_default().insert(place.position);
        }
        if by_file.is_empty() {
            return Ok(());
        }
        let shelf = self.shelf(is_reference)?;
        let (mut parser, settings) = (Parser::new(&self.read.settings), self.read.settings.unlimited());
        for (number, file) in (0..).zip(shelf.files()) {
            let Some(positions) = by_file.get(&*file.name) else { continue };
            let last = positions.last().copied().unwrap_or(0);
            let mut reader = SequentialReader::new(shelf.files(), vec![Unit::whole(number)], &settings);
            let (mut chunk, mut before) = (Chunk::default(), 0);
            while before < last && reader.next(&mut chunk)? {
                chunk.settle(&shelf)?;
                before += parser.entries(&chunk, |placed| {
                    let position = before + placed.position + 1;
                    if let Entry::Document(document) = placed.entry
                        && positions.contains(&position)
                    {
                        let place = Place { is_reference, file: file.name.clone(), position };
                        found.insert(place, Text::new(document.text, self.longest));
                    }
                });
                before += chunk.damage().map_or(0, |(_, lost)| lost);
            }
        }
        Ok(())
    }
}
