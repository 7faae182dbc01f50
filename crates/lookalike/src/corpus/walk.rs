//! The documents of the input with their texts, in its order, a round at a time: for jobs that look at each text once.
//!
//! Rounds are cut while the one before is dealt with, and parsed by all threads.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;
use std::path::Path;
use std::sync::Arc;

use lookalike_io::format::Format;
use lookalike_io::input::about_data::not_data;
use lookalike_io::input::discover::LeftOut;
use lookalike_io::input::shelf::{Place, Shelf};
use lookalike_io::read::{
    Chunk, Entry, FileKind, HEADER, NO_TEXT_FIELD, NULL_TEXT, Parser, SequentialReader, Settings, json_fields,
};
use lookalike_io::skipped::{SkipReason, SkippedEntry};
use rayon::prelude::*;

use super::described::Origin;
use super::effect::without_effect;
use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::progress::{Counted, Progress};

/// Approximate number of bytes of text per round: enough to keep all threads busy between two writes.
pub(crate) const ROUND_BYTES: u64 = 16 << 20;

/// Maximum number of skipped entries that are named; the rest are only counted.
const NAMED: usize = 1000;

/// Number of records of a file that are examined for the names of its fields.
const LOOKED_AT: usize = 100;

/// A document with its text.
#[derive(Clone, Debug)]
pub(crate) struct Walked {
    /// Its own id, or else its place.
    pub(crate) id: String,
    pub(crate) text: String,
    /// The name of its file, and its position there, counted from 1.
    pub(crate) file: Arc<str>,
    pub(crate) position: u64,
    /// Number of its input file.
    pub(crate) file_number: u32,
    /// True if its file contains only this document.
    pub(crate) is_one_document: bool,
    pub(crate) format: Format,
    /// True if the id is its own, and not derived from its place.
    pub(crate) has_own_id: bool,
    /// The address of a page.
    pub(crate) uri: Option<String>,
    /// Its source, if a field gives one.
    pub(crate) source: Option<String>,
    /// The additional fields that were requested, as a JSON object: those that it has.
    pub(crate) fields: Option<String>,
    /// The kind of its file, and the bytes it was read from, if requested.
    pub(crate) entry: Option<(Arc<FileKind>, Box<[u8]>)>,
}

impl Walked {
    /// Returns everything that identifies its source.
    pub(crate) fn origin(&self) -> Origin<'_> {
        let Self { file, is_one_document, uri, source, .. } = self;
        Origin { file, is_one_document: *is_one_document, uri: uri.as_deref(), field: source.as_deref() }
    }
}

/// Entries other than documents.
#[derive(Debug, Default)]
pub(crate) struct Skips {
    /// The first skipped entries, with reasons.
    pub(crate) named: Vec<SkippedEntry>,
    pub(crate) count: u64,
    /// Number of records without text, or without the text field.
    pub(crate) without_text: u64,
    /// Number of documents without the requested id field.
    pub(crate) without_id: u64,
    pub(crate) documents: u64,
    /// True if there are entries that are neither documents nor skipped.
    has_others: bool,
    /// Contents of each file, until it is clear whether it has texts.
    files: BTreeMap<u32, Lacking>,
    pub(crate) bytes: u64,
    /// Files and entries that were left out.
    pub(crate) left_out: LeftOut,
    /// Options that have no effect on files of these formats.
    pub(crate) without_effect: Vec<String>,
}

/// Tells whether a file has any text at all.
#[derive(Debug, Default)]
struct Lacking {
    format: Option<Format>,
    has_texts: bool,
    /// The columns of a table without the text column.
    columns: Option<String>,
    /// Number of its records without the text field.
    without_field_count: u64,
    /// Places of its first records without the text field, to name the fields they have.
    records: Vec<Place>,
}

impl Skips {
    /// Passes over the files that are next to data and not part of it. Any other file in which no record has the text
    /// field was probably given by mistake.
    fn check_texts(&mut self, shelf: &mut Shelf, field: &str) -> Result<()> {
        let is_without =
            |lacking: &Lacking| !lacking.has_texts && (!lacking.records.is_empty() || lacking.columns.is_some());
        let find = |is_wanted: &dyn Fn(&Lacking) -> bool| {
            let wanted = self.files.iter().filter(|(_, lacking)| is_wanted(lacking));
            wanted.map(|(file, _)| *file as usize).collect::<Vec<usize>>()
        };
        let without = find(&is_without);
        let passed_over = not_data(shelf.files(), find(&|lacking| lacking.has_texts).into_iter(), &without);
        for file in &passed_over {
            shelf.pass_over(*file);
            self.without_text -= self.files[&(*file as u32)].without_field_count;
        }
        let Some(file) = without.into_iter().find(|file| !passed_over.contains(file)) else { return Ok(()) };
        let lacking = &self.files[&(file as u32)];
        let read = |place: &Place| {
            let mut record = Vec::new();
            shelf.read(*place, &mut record).is_ok().then_some(record)
        };
        let records: Vec<Vec<u8>> = lacking.records.iter().filter_map(read).collect();
        let fields = lacking.columns.clone().unwrap_or_else(|| json_fields(records.iter().map(Vec::as_slice)));
        let (input, field) = (&shelf.files()[file], field.to_owned());
        Err(lookalike_io::Error::NoTextField { path: input.shown(), field, fields, is_met: input.is_met }.into())
    }

    /// True if an id was requested, and no document so far has one.
    fn lacks_all_ids(&self, settings: &Settings) -> bool {
        settings.fields.id.is_some() && self.documents > 0 && self.without_id == self.documents
    }
}

/// Gives all documents to `take`, a round at a time, in the order of the input.
pub(crate) fn walk(
    options: &ReadOptions,
    stage: &'static str,
    progress: &dyn Progress,
    take: impl FnMut(Vec<Walked>) -> Result<()> + Send,
) -> Result<Skips> {
    walk_rounds(options, stage, ROUND_BYTES, progress, take)
}

/// The same, with rounds of about `round_bytes`.
pub(crate) fn walk_rounds(
    options: &ReadOptions,
    stage: &'static str,
    round_bytes: u64,
    progress: &dyn Progress,
    take: impl FnMut(Vec<Walked>) -> Result<()> + Send,
) -> Result<Skips> {
    walk_entries(options, None, stage, (round_bytes, false), progress, take)
}

/// The same without what is in the folder `output`, and with the bytes that documents were read from if
/// `keeps_entries`.
pub(crate) fn walk_entries(
    options: &ReadOptions,
    output: Option<&Path>,
    stage: &'static str,
    (round_bytes, keeps_entries): (u64, bool),
    progress: &dyn Progress,
    take: impl FnMut(Vec<Walked>) -> Result<()> + Send,
) -> Result<Skips> {
    let mut shelf = Shelf::new(options.discover(output)?);
    progress.stage(stage, Some(shelf.files().iter().map(|file| file.bytes).sum()));
    walk_shelf(&mut shelf, &options.settings, (round_bytes, keeps_entries), progress, take)
}

/// The same of files that were found, in a stage that has begun.
pub(crate) fn walk_shelf(
    shelf: &mut Shelf,
    settings: &Settings,
    (round_bytes, keeps_entries): (u64, bool),
    progress: &dyn Progress,
    mut take: impl FnMut(Vec<Walked>) -> Result<()> + Send,
) -> Result<Skips> {
    let settings = settings.anew();
    let reader = SequentialReader::whole(shelf.files(), &settings);
    let mut cutter = Cutter { reader, round_bytes, spare: Vec::new() };
    let mut skips = Skips::default();
    let mut position = Position::default();
    let mut round = cutter.round()?;
    while !round.is_empty() {
        progress.go_on()?;
        let (next, waiting) = rayon::join(
            || cutter.round(),
            || {
                let parsed = parse(&round, &settings, keeps_entries);
                let asks_for_id = settings.fields.id.is_some();
                let walked = gather(&round, parsed, shelf, &mut position, &mut skips, asks_for_id);
                let packed = round.iter().map(Chunk::packed_bytes).sum();
                progress.advance(packed, Counted::Documents(walked.len() as u64));
                // Perhaps the field of the id is a typing error: then nothing is to be done with these.
                if skips.lacks_all_ids(&settings) { Ok(Some(walked)) } else { take(walked).map(|()| None) }
            },
        );
        let (next, waiting) = (next?, waiting?);
        if next.is_empty() && skips.lacks_all_ids(&settings) {
            let field = settings.fields.id.clone().unwrap_or_default();
            return Err(Error::NoIdField { field, known: Vec::new() });
        }
        waiting.map_or(Ok(()), &mut take)?;
        cutter.spare = mem::replace(&mut round, next);
    }
    progress.finish();
    let formats: Vec<Format> = skips.files.values().filter_map(|file| file.format).collect();
    skips.without_effect = without_effect(&settings, &formats);
    skips.check_texts(shelf, &settings.fields.text)?;
    if skips.count > 0 && skips.documents == 0 && skips.without_text == 0 && !skips.has_others {
        return Err(Error::nothing_read(skips.count, skips.named.first()));
    }
    skips.left_out = shelf.left_out().clone();
    Ok(skips)
}

/// Collects the chunks of all files into rounds.
struct Cutter<'a> {
    reader: SequentialReader<'a>,
    round_bytes: u64,
    /// Chunks that were dealt with, for their buffers.
    spare: Vec<Chunk>,
}

impl Cutter<'_> {
    /// The next chunks; none when all files are read.
    fn round(&mut self) -> Result<Vec<Chunk>> {
        let (mut round, mut bytes) = (Vec::new(), 0);
        while bytes < self.round_bytes {
            let mut chunk = self.spare.pop().unwrap_or_default();
            if !self.reader.next(&mut chunk)? {
                break;
            }
            chunk.settle_nowhere();
            bytes += chunk.byte_count();
            round.push(chunk);
        }
        Ok(round)
    }
}

/// Contents of a chunk.
struct Parsed {
    /// With positions inside of the chunk, from 0.
    documents: Vec<Walked>,
    skipped: Vec<(u64, SkipReason, u64)>,
    without_text: u64,
    has_others: bool,
    /// Number of records without the text field, and the places of the first of them.
    without_field_count: u64,
    lacking: Vec<Place>,
    positions: u64,
}

fn parse(round: &[Chunk], settings: &Settings, keeps_entries: bool) -> Vec<Parsed> {
    // Names and positions in the whole file are known when chunks are back in order.
    let nowhere: Arc<str> = "".into();
    let of_chunk = |parser: &mut Parser, chunk: &Chunk| {
        let (mut documents, mut skipped, mut without_text, mut without_field_count) = (Vec::new(), Vec::new(), 0, 0);
        let (mut lacking, mut has_others) = (Vec::new(), false);
        let mut positions = parser.entries(chunk, |placed| match placed.entry {
            Entry::Document(document) => {
                let fields = object(&settings.fields.others, &document.others);
                let names = [document.id, document.uri, document.source];
                let [id, uri, source] = names.map(|name| name.map(Cow::into_owned));
                let text = document.text.to_owned();
                let (file, position) = (Arc::clone(&nowhere), placed.position);
                let (id, format) = (id.unwrap_or_default(), chunk.kind().format);
                // Nobody is known by an empty id.
                let (has_own_id, is_one_document) = (!id.is_empty(), format.is_one_document());
                documents.push(Walked {
                    id,
                    text,
                    file,
                    position,
                    file_number: chunk.file(),
                    is_one_document,
                    format,
                    has_own_id,
                    uri,
                    source,
                    fields,
                    entry: keeps_entries.then(|| (Arc::clone(chunk.kind()), placed.bytes.into())),
                });
            }
            Entry::Skipped(reason) => skipped.push((placed.position, reason, 1)),
            Entry::Carried(NULL_TEXT) => without_text += 1,
            Entry::Carried(NO_TEXT_FIELD) => {
                without_text += 1;
                without_field_count += 1;
                if lacking.len() < LOOKED_AT {
                    lacking.push(placed.place);
                }
            }
            Entry::Carried(kind) => has_others |= kind != HEADER,
        });
        if let Some((reason, lost)) = chunk.damage() {
            skipped.push((positions, reason.clone(), lost.max(1)));
            positions += lost;
        }
        Parsed { documents, skipped, without_text, has_others, without_field_count, lacking, positions }
    };
    round.par_iter().map_init(|| Parser::new(settings), of_chunk).collect()
}

/// Fields as a JSON object; none if there are none. What follows the named ones is such an object, or of no use.
fn object(names: &[String], fields: &[(usize, String)]) -> Option<String> {
    if names.is_empty() {
        return fields
            .first()
            .map(|(_, value)| value.clone())
            .filter(|value| value.starts_with('{') && value.len() > 2);
    }
    let field = |(at, value): &(usize, String)| format!("{}:{value}", serde_json::Value::from(&*names[*at]));
    let fields: Vec<String> = fields.iter().map(field).collect();
    (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(",")))
}

/// Number of preceding entries of a file.
#[derive(Default)]
struct Position {
    file: u32,
    before: u64,
}

/// Documents with their ids, which take positions in the whole file.
fn gather(
    round: &[Chunk],
    parsed: Vec<Parsed>,
    shelf: &Shelf,
    position: &mut Position,
    skips: &mut Skips,
    asks_for_id: bool,
) -> Vec<Walked> {
    let mut walked = Vec::with_capacity(parsed.iter().map(|parsed| parsed.documents.len()).sum());
    for (chunk, parsed) in round.iter().zip(parsed) {
        if chunk.file() != position.file {
            *position = Position { file: chunk.file(), before: 0 };
        }
        let (file, format) = (&shelf.files()[chunk.file() as usize], chunk.kind().format);
        let of_file = skips.files.entry(chunk.file()).or_default();
        of_file.format.get_or_insert(format);
        of_file.has_texts |= !parsed.documents.is_empty() || parsed.without_text > parsed.without_field_count;
        of_file.without_field_count += parsed.without_field_count;
        if of_file.has_texts {
            of_file.records.clear();
        } else {
            let room = LOOKED_AT - of_file.records.len();
            of_file.records.extend(parsed.lacking.into_iter().take(room));
        }
        let name: Arc<str> = file.name.as_str().into();
        for mut document in parsed.documents {
            document.file = Arc::clone(&name);
            document.position += position.before + 1;
            if !document.has_own_id {
                skips.without_id += u64::from(asks_for_id);
                document.id = format.id(&file.name, document.position);
            }
            walked.push(document);
        }
        for (at, reason, count) in parsed.skipped {
            if let SkipReason::NoTextField(columns) = reason {
                of_file.columns = Some(columns);
                continue;
            }
            skips.count += count;
            if skips.named.len() < NAMED {
                skips.named.push(SkippedEntry {
                    file: file.shown().display().to_string(),
                    entry: format.entry_name(),
                    position: position.before + at + 1,
                    reason,
                    count,
                });
            }
        }
        skips.without_text += parsed.without_text;
        skips.has_others |= parsed.has_others;
        skips.bytes += chunk.byte_count();
        position.before += parsed.positions;
    }
    skips.documents += walked.len() as u64;
    walked
}
