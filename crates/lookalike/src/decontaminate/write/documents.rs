//! The corpus again, without contaminated documents, with a note on each, or without the passages that are test items.
//!
//! Documents that are left out leave all others as they are, in the format and compression of their file. A document
//! that is changed becomes a line of JSON: one of its file if that has such lines, and else of a file of its name with
//! `.jsonl` at the end.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;

use lookalike_io::compression::Compression;
use lookalike_io::format::Format;
use lookalike_io::input::discover::unique;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{Chunk, Entry, FileKind, Parser, SequentialReader, Settings, Unit};
use lookalike_io::write::{FileWriter, Staging, Written, add_field, with_text};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::decontaminate::Tests;
use crate::decontaminate::decide::Decided;
use crate::decontaminate::search::Searched;
use crate::decontaminate::summary::WrittenDocuments;
use crate::error::{Error, Result};
use crate::options::{CONTAMINATED, CUT_ITEMS, ContaminationAction, DecontaminateOptions};
use crate::progress::Progress;

/// Test items found in a contaminated document.
#[derive(Debug, Default)]
struct Contaminated {
    /// The items found in it.
    items: Vec<String>,
    /// The ranges of its text that belong to them.
    passages: Vec<Range<usize>>,
}

/// Writes documents.
pub(super) struct Documents<'a> {
    corpus: &'a Shelf,
    settings: Settings,
    action: ContaminationAction,
    /// By file and position.
    contaminated: BTreeMap<(u32, u64), Contaminated>,
}

/// Number of bytes that are compressed separately.
const PIECE: usize = 1 << 20;

/// Passages that are cut are joined where less than this stands between them, so that no crumbs remain.
const CRUMBS: usize = 24;

impl<'a> Documents<'a> {
    pub(super) fn new(
        corpus: &'a Shelf,
        tests: &Tests,
        searched: &Searched,
        decided: &Decided,
        options: &DecontaminateOptions,
    ) -> Self {
        let mut contaminated: BTreeMap<(u32, u64), Contaminated> = BTreeMap::new();
        for (hit, _) in searched.hits.iter().zip(&decided.common).filter(|(_, common)| common.is_none()) {
            let document = &searched.documents[hit.document as usize];
            let document = contaminated.entry((document.file, document.position)).or_default();
            document.items.push(tests.items[hit.found.item as usize].id.clone());
            document.passages.extend(hit.found.passages.iter().cloned());
        }
        for document in contaminated.values_mut() {
            document.items.dedup();
            document.passages = joined(std::mem::take(&mut document.passages));
        }
        // The documents were already read within all limits.
        Self { corpus, settings: options.read.settings.unlimited(), action: options.action, contaminated }
    }

    /// Writes all files.
    pub(super) fn write(&self, staging: &Staging, progress: &dyn Progress) -> Result<WrittenDocuments> {
        let files = self.corpus.files();
        let names = match self.action {
            ContaminationAction::Remove => files.iter().map(|file| format!("kept/{}", file.name)).collect(),
            _ => Vec::new(),
        };
        let folder = if self.action == ContaminationAction::Cut { "cut" } else { "annotated" };
        let all = (0..files.len() as u32)
            .into_par_iter()
            .map(|file| match names.get(file as usize) {
                Some(name) => self.write_others(file, name, staging, progress),
                None => self.write_changed(file, folder, staging, progress),
            })
            .collect::<Result<Vec<_>>>()?;
        // Names of files that become JSONL may meet those of others.
        debug_assert_eq!(unique(files.iter().map(|file| file.name.clone()).collect()).len(), files.len());
        Ok(all.into_iter().fold(WrittenDocuments::default(), |sum, file| WrittenDocuments {
            written: sum.written + file.written,
            removed: sum.removed + file.removed,
            cuts: sum.cuts + file.cuts,
        }))
    }

    /// Writes the documents of a file that have no item, as they are.
    fn write_others(
        &self,
        file: u32,
        name: &str,
        staging: &Staging,
        progress: &dyn Progress,
    ) -> Result<WrittenDocuments> {
        let mut entries = Entries::open(self.corpus, file, &self.settings);
        if !entries.read(self.corpus, progress)? || entries.chunk.kind().is_refused {
            return Ok(WrittenDocuments::default());
        }
        let kind = FileKind::clone(entries.chunk.kind());
        let mut count = WrittenDocuments::default();
        let first = self.run(&mut entries, &mut count);
        if kind.format.is_one_document() && first.is_empty() {
            return Ok(count);
        }
        let path = staging.path().join(name);
        let mut writer = staging.file(name)?;
        let unwritable = |cause| Error::from(lookalike_io::Error::Unwritable { path: path.clone(), cause });
        let is_whole = self.contaminated.range((file, 0)..(file + 1, 0)).next().is_none();
        if is_whole && self.corpus.files()[file as usize].copy_to(&path, &mut writer)? {
            // Only to count them.
            while entries.read(self.corpus, progress)? {
                self.run(&mut entries, &mut count);
            }
            return writer.flush().map(|()| count).map_err(unwritable);
        }
        let runs = std::iter::once(Ok(first)).chain(std::iter::from_fn(|| match entries.read(self.corpus, progress) {
            Ok(true) => Some(Ok(self.run(&mut entries, &mut count))),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }));
        let file_writer =
            FileWriter { shelf: self.corpus, settings: &self.settings, file, kind: &kind, is_annotated: false };
        file_writer.write(runs, &path, &mut writer)?;
        writer.flush().map_err(unwritable)?;
        Ok(count)
    }

    /// The entries of a chunk that stay.
    fn run(&self, entries: &mut Entries<'_>, count: &mut WrittenDocuments) -> Vec<Written> {
        let mut run = Vec::new();
        entries.each(|place, position, entry| {
            if let Entry::Document(_) = entry {
                if self.contaminated.contains_key(&(place.file, position)) {
                    count.removed += 1;
                    return;
                }
                count.written += 1;
            }
            if !matches!(entry, Entry::Skipped(_)) {
                run.push(Written { place, position, annotation: None });
            }
        });
        run
    }

    /// Writes all documents of a file as lines of JSON, with what is to be changed.
    fn write_changed(
        &self,
        file: u32,
        folder: &str,
        staging: &Staging,
        progress: &dyn Progress,
    ) -> Result<WrittenDocuments> {
        let mut entries = Entries::open(self.corpus, file, &self.settings);
        if !entries.read(self.corpus, progress)? || entries.chunk.kind().is_refused {
            return Ok(WrittenDocuments::default());
        }
        let kind = FileKind::clone(entries.chunk.kind());
        let name = &self.corpus.files()[file as usize].name;
        let (name, compression) = match kind.format {
            Format::Jsonl => (format!("{folder}/{name}"), kind.compression),
            _ => (format!("{folder}/{name}.jsonl"), Compression::None),
        };
        let path = staging.path().join(&name);
        let mut writer = staging.file(&name)?;
        let unwritable = |cause| Error::from(lookalike_io::Error::Unwritable { path: path.clone(), cause });
        let (mut lines, mut count) = (Vec::new(), WrittenDocuments::default());
        loop {
            self.change(&mut entries, &kind, &mut lines, &mut count)?;
            let is_last = !entries.read(self.corpus, progress)?;
            if is_last || lines.len() >= PIECE {
                let piece = compression.encode(std::mem::take(&mut lines)).map_err(unwritable)?;
                writer.write_all(&piece).map_err(unwritable)?;
            }
            if is_last {
                return writer.flush().map(|()| count).map_err(unwritable);
            }
        }
    }

    /// Appends the documents of a chunk, changed.
    fn change(
        &self,
        entries: &mut Entries<'_>,
        kind: &FileKind,
        lines: &mut Vec<u8>,
        count: &mut WrittenDocuments,
    ) -> Result<()> {
        let (mut bytes, mut failed) = (Vec::new(), None);
        let (corpus, file_name) = (self.corpus, self.corpus.files()[entries.file as usize].name.clone());
        entries.each(|place, position, entry| {
            let Entry::Document(document) = entry else { return };
            let contaminated = self.contaminated.get(&(place.file, position));
            if let Err(error) = corpus.read(place, &mut bytes) {
                failed.get_or_insert(error);
                return;
            }
            let text = match contaminated {
                Some(contaminated) if self.action == ContaminationAction::Cut => {
                    without(document.text, &contaminated.passages)
                }
                _ => document.text.to_owned(),
            };
            if text.len() < document.text.len() && !text.contains(char::is_alphanumeric) {
                count.removed += 1;
                return;
            }
            let object = with_text(kind, &bytes, &self.settings.fields.text, &text);
            let mut object = object.unwrap_or_else(|| {
                let id = document.id.as_deref().map_or_else(|| kind.format.id(&file_name, position), str::to_owned);
                let mut object = json!({ "id": id });
                if let Some(uri) = &document.uri {
                    object["uri"] = Value::from(&**uri);
                }
                object["text"] = Value::from(text);
                object.to_string().into_bytes()
            });
            self.note(&mut object, contaminated);
            lines.extend_from_slice(&object);
            lines.push(b'\n');
            count.written += 1;
            if self.action == ContaminationAction::Cut {
                count.cuts += contaminated.map_or(0, |document| document.passages.len() as u64);
            }
        });
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Adds what was found to a document.
    fn note(&self, object: &mut Vec<u8>, contaminated: Option<&Contaminated>) {
        let items = || contaminated.map_or(Value::Array(Vec::new()), |document| document.items.clone().into());
        match self.action {
            ContaminationAction::Annotate => {
                let [is_contaminated, by] = CONTAMINATED;
                add_field(object, is_contaminated, &contaminated.is_some().into());
                add_field(object, by, &items());
            }
            ContaminationAction::Cut if contaminated.is_some() => add_field(object, CUT_ITEMS, &items()),
            _ => {}
        }
    }
}

/// The entries of a file, a chunk at a time.
struct Entries<'a> {
    file: u32,
    reader: SequentialReader<'a>,
    parser: Parser,
    chunk: Chunk,
    /// Number of entries before the chunk.
    before: u64,
}

impl<'a> Entries<'a> {
    fn open(corpus: &'a Shelf, file: u32, settings: &'a Settings) -> Self {
        let reader = SequentialReader::new(corpus.files(), vec![Unit::whole(file)], settings);
        Self { file, reader, parser: Parser::new(settings), chunk: Chunk::default(), before: 0 }
    }

    /// Reads the next chunk; says whether there is one.
    fn read(&mut self, corpus: &Shelf, progress: &dyn Progress) -> Result<bool> {
        progress.go_on()?;
        let is_there = self.reader.next(&mut self.chunk)?;
        if is_there {
            self.chunk.settle(corpus)?;
        }
        Ok(is_there)
    }

    /// Shows all entries of the chunk with their places, and their positions in the file.
    fn each(&mut self, mut each: impl FnMut(lookalike_io::input::shelf::Place, u64, Entry<'_>)) {
        let before = self.before;
        let positions =
            self.parser.entries(&self.chunk, |placed| each(placed.place, before + placed.position + 1, placed.entry));
        self.before += positions + self.chunk.damage().map_or(0, |(_, lost)| lost);
    }
}

/// Ranges in order, those that overlap or nearly touch as one.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end + CRUMBS => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// A text without some of its parts, which start and end at whole characters.
fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut end = 0;
    for part in parts {
        left.push_str(&text[end..part.start]);
        end = part.end;
    }
    left.push_str(&text[end..]);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one cut is meant")]
    fn cuts_that_nearly_touch_are_one() {
        assert_eq!(joined(vec![50..60, 0..10, 12..20, 90..95]), [0..20, 50..60, 90..95]);
        assert_eq!(without("one two three", &[4..8, 12..13]), "one thre");
        assert_eq!(without("größe", &[2..6]), "gre");
    }
}
