//! The documents of the input with their texts, in its order, a round at a time: for jobs that look at each text once.
//!
//! Rounds are cut while the one before is dealt with, and parsed by all threads.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use lookalike_io::input::shelf::{Place, Shelf};
use lookalike_io::read::{Chunk, Entry, NO_TEXT_FIELD, NULL_TEXT, Parser, Settings, Stream, Unit, json_fields};
use rayon::prelude::*;

use crate::error::Result;
use crate::options::ReadOptions;
use crate::progress::{Counted, Progress};
use crate::report::summary::SkippedEntry;

/// How many bytes of texts a round has, about: enough to keep all threads busy between two writings.
pub(crate) const ROUND_BYTES: u64 = 16 << 20;

/// How many skipped entries are named; the rest is counted.
const NAMED: usize = 1000;

/// How many records of a file are looked at for the names of its fields.
const LOOKED_AT: usize = 100;

/// A document with its text.
#[derive(Debug)]
pub(crate) struct Walked {
    /// Its own id, or the place where it lies.
    pub(crate) id: String,
    pub(crate) text: String,
    /// The name of its file, and its position there, counted from 1.
    pub(crate) file: Arc<str>,
    pub(crate) position: u64,
    /// Whether its file is this document alone.
    pub(crate) is_one_document: bool,
    /// The address of a page.
    pub(crate) uri: Option<String>,
    /// Its source, if a field gives one.
    pub(crate) source: Option<String>,
    /// The fields that were asked for besides, as a JSON object: those that it has.
    pub(crate) fields: Option<String>,
}

/// What was met besides documents.
#[derive(Debug, Default)]
pub(crate) struct Skips {
    /// What was skipped, and why: the first of them.
    pub(crate) named: Vec<SkippedEntry>,
    pub(crate) count: u64,
    /// How many records have no text, or no field of that name.
    pub(crate) without_text: u64,
    /// How many documents lack the field of the id that was asked for.
    pub(crate) without_id: u64,
    pub(crate) documents: u64,
    /// What each file has, if that is not clear yet.
    files: BTreeMap<u32, Lacking>,
    pub(crate) bytes: u64,
}

/// Whether a file has any text at all.
#[derive(Debug, Default)]
struct Lacking {
    has_texts: bool,
    /// Where its first records without the field of the text are, to name the fields they have.
    records: Vec<Place>,
}

impl Skips {
    /// A file of records of which none has the field of the text was hardly meant.
    fn check_texts(&self, shelf: &Shelf, field: &str) -> Result<()> {
        let lacks = |lacking: &Lacking| !lacking.has_texts && !lacking.records.is_empty();
        let Some((file, lacking)) = self.files.iter().find(|(_, lacking)| lacks(lacking)) else { return Ok(()) };
        let read = |place: &Place| {
            let mut record = Vec::new();
            shelf.read(*place, &mut record).is_ok().then_some(record)
        };
        let records: Vec<Vec<u8>> = lacking.records.iter().filter_map(read).collect();
        let fields = json_fields(records.iter().map(Vec::as_slice));
        let path = shelf.files()[*file as usize].shown();
        Err(lookalike_io::Error::NoTextField { path, field: field.to_owned(), fields }.into())
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
    mut take: impl FnMut(Vec<Walked>) -> Result<()> + Send,
) -> Result<Skips> {
    let shelf = Shelf::new(options.discover(None)?);
    let settings = options.settings.anew();
    progress.stage(stage, Some(shelf.files().iter().map(|file| file.bytes).sum()));
    let mut cutter =
        Cutter { shelf: &shelf, settings: &settings, round_bytes, next_file: 0, stream: None, spare: Vec::new() };
    let mut skips = Skips::default();
    let mut position = Position::default();
    let mut round = cutter.round()?;
    while !round.is_empty() {
        progress.go_on()?;
        let (next, taken) = rayon::join(
            || cutter.round(),
            || {
                let parsed = parse(&round, &settings);
                let asks_for_id = settings.fields.id.is_some();
                let walked = gather(&round, parsed, &shelf, &mut position, &mut skips, asks_for_id);
                let packed = round.iter().map(Chunk::packed_bytes).sum();
                progress.advance(packed, Counted::Documents(walked.len() as u64));
                take(walked)
            },
        );
        taken?;
        let done = mem::replace(&mut round, next?);
        cutter.spare = done;
    }
    progress.finish();
    skips.check_texts(&shelf, &settings.fields.text)?;
    Ok(skips)
}

/// Cuts files into chunks, one after the other.
struct Cutter<'a> {
    shelf: &'a Shelf,
    settings: &'a Settings,
    round_bytes: u64,
    next_file: usize,
    stream: Option<Stream>,
    /// Chunks that were dealt with, for their buffers.
    spare: Vec<Chunk>,
}

impl Cutter<'_> {
    /// The next chunks; none when all files are read.
    fn round(&mut self) -> Result<Vec<Chunk>> {
        let (mut round, mut bytes) = (Vec::new(), 0);
        while bytes < self.round_bytes {
            let stream = if let Some(stream) = &mut self.stream {
                stream
            } else {
                let Some(file) = self.shelf.files().get(self.next_file) else { break };
                let unit = Unit::whole(self.next_file as u32);
                self.next_file += 1;
                self.stream.insert(Stream::open(&unit, file, self.settings)?)
            };
            let mut chunk = self.spare.pop().unwrap_or_default();
            if stream.next(&mut chunk)? {
                chunk.settle_nowhere();
                bytes += chunk.byte_count();
                round.push(chunk);
            } else {
                self.stream = None;
                self.spare.push(chunk);
            }
        }
        Ok(round)
    }
}

/// What a chunk has.
struct Parsed {
    /// With positions inside of the chunk, from 0.
    documents: Vec<Walked>,
    skipped: Vec<(u64, String, u64)>,
    without_text: u64,
    lacking: Vec<Place>,
    positions: u64,
}

fn parse(round: &[Chunk], settings: &Settings) -> Vec<Parsed> {
    // Names and positions in the whole file are known when chunks are back in order.
    let nowhere: Arc<str> = "".into();
    let of_chunk = |parser: &mut Parser, chunk: &Chunk| {
        let (mut documents, mut skipped, mut without_text) = (Vec::new(), Vec::new(), 0);
        let mut lacking = Vec::new();
        let mut positions = parser.entries(chunk, |placed| match placed.entry {
            Entry::Document(document) => {
                let fields = object(&settings.fields.others, &document.others);
                let names = [document.id, document.uri, document.source];
                let [id, uri, source] = names.map(|name| name.map(Cow::into_owned));
                let text = document.text.to_owned();
                let (file, position) = (Arc::clone(&nowhere), placed.position);
                let (id, is_one_document) = (id.unwrap_or_default(), chunk.kind().format.is_one_document());
                documents.push(Walked { id, text, file, position, is_one_document, uri, source, fields });
            }
            Entry::Skipped(reason) => skipped.push((placed.position, reason, 1)),
            Entry::Carried(NULL_TEXT) => without_text += 1,
            Entry::Carried(NO_TEXT_FIELD) => {
                without_text += 1;
                if lacking.len() < LOOKED_AT {
                    lacking.push(placed.place);
                }
            }
            Entry::Carried(_) => {}
        });
        if let Some((reason, lost)) = chunk.damage() {
            skipped.push((positions, reason.to_owned(), lost.max(1)));
            positions += lost;
        }
        Parsed { documents, skipped, without_text, lacking, positions }
    };
    round.par_iter().map_init(|| Parser::new(settings), of_chunk).collect()
}

/// Fields as a JSON object; none if there are none.
fn object(names: &[String], fields: &[(usize, String)]) -> Option<String> {
    let field = |(at, value): &(usize, String)| format!("{}:{value}", serde_json::Value::from(&*names[*at]));
    let fields: Vec<String> = fields.iter().map(field).collect();
    (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(",")))
}

/// How many entries of a file came before.
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
        of_file.has_texts |= !parsed.documents.is_empty() || parsed.without_text > parsed.lacking.len() as u64;
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
            // Nobody is known by an empty id.
            if document.id.is_empty() {
                skips.without_id += u64::from(asks_for_id);
                document.id = format.id(&file.name, document.position);
            }
            walked.push(document);
        }
        for (at, reason, count) in parsed.skipped {
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
        skips.bytes += chunk.byte_count();
        position.before += parsed.positions;
    }
    skips.documents += walked.len() as u64;
    walked
}
