//! Reads a corpus for `tune`: all of it, or parts chosen at random from all over it, until that is enough.
//!
//! Only the sketch and the position of each document are stored: features are recomputed by rereading it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use lookalike_core::hash::{Key, mix};
use lookalike_core::measure::distinct::Distinct;
use lookalike_core::measure::feature_set::{FeatureSet, Overlap};
use lookalike_core::sketch::{FastSketcher, SlotSketcher};
use lookalike_core::text::boilerplate::SourcePlace;
use lookalike_core::text::shingle::Shingler;
use lookalike_io::format::Format;
use lookalike_io::input::discover::{InputFile, LeftOut};
use lookalike_io::input::shelf::{Place, Shelf};
use lookalike_io::read::FileKind;
use lookalike_io::read::{Chunk, Entry, NO_TEXT_FIELD, Parser, SequentialReader, UNIT_BYTES, Unit, json_fields, units};
use lookalike_io::skipped::SkipReason;
use rayon::prelude::*;

use crate::corpus::{Ignoring, Origin, without_effect};
use crate::error::{Error, Result};
use crate::options::{ReadOptions, Scheme};
use crate::progress::{Counted, Progress};

/// Number of slots of a sketch: the maximum of automatically chosen bandings.
pub(super) const SLOTS: usize = lookalike_core::bucket::banding::CHOSEN_SLOTS;

/// Maximum number of documents to read: their sketches take a hundred megabytes.
const MOST_DOCUMENTS: usize = 300_000;

/// Minimum number of parts into which the input is divided, if possible: fewer would not be representative.
const PARTS: u64 = 64;

/// Minimum size of a part.
const LEAST_PART: u64 = 4096;

/// With fewer parts than this, chunks count as parts.
const FEW_PARTS: usize = 16;

/// The part of the corpus that was read.
pub(super) struct Corpus<'a> {
    shelf: Shelf,
    options: &'a ReadOptions,
    similarity: &'a Scheme,
    /// Key for measuring features.
    key: Key,
    documents: Vec<Document>,
    /// The documents of each text, in order.
    pub(super) texts: Vec<Vec<u32>>,
    /// Slots of each text.
    pub(super) slots: Vec<u16>,
    /// The part of each document.
    pub(super) part_of: Vec<u32>,
    pub(super) parts_read: u32,
    /// Approximate total number of parts; equal to the number read if everything was read.
    pub(super) parts: f64,
    /// Number of documents, including those without words, which match nothing.
    pub(super) document_count: u64,
    /// Size of the input as stored, and of the part that was read.
    pub(super) packed_bytes: u64,
    pub(super) bytes_read: u64,
    pub(super) id_bytes: u64,
    /// Seconds of all threads.
    pub(super) seconds: f64,
    pub(super) skipped: u64,
    /// Reason why the first entry was skipped.
    pub(super) first_skipped: Option<String>,
    /// Options that have no effect on files of these formats.
    pub(super) without_effect: Vec<String>,
}

struct Document {
    place: Place,
    kind: Arc<FileKind>,
    token_count: u32,
    /// Number of distinct features.
    size: u32,
    /// Source whose boilerplate is ignored.
    source: Option<SourcePlace>,
}

/// Contents of one unit.
#[derive(Default)]
struct Piece {
    documents: Vec<Document>,
    hashes: Vec<u128>,
    slots: Vec<u16>,
    /// The chunk of each document.
    chunks: Vec<u32>,
    chunk_count: u32,
    document_count: u64,
    /// Documents without an id of their own.
    without_id_count: u64,
    /// The format of its file, if that has a document.
    format: Option<Format>,
    bytes_read: u64,
    id_bytes: u64,
    seconds: f64,
    skipped: u64,
    first_skipped: Option<String>,
    is_cut: bool,
    /// The columns of a table without the text column, or the fields of a record without the text field.
    columns: Option<(u32, String)>,
}

impl<'a> Corpus<'a> {
    /// Reads at most this many bytes of a corpus, as stored.
    pub(super) fn read(
        options: &'a ReadOptions,
        similarity: &'a Scheme,
        most_bytes: u64,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let (shelf, key) = (Shelf::new(options.discover(None)?), Key::random());
        let packed_bytes: u64 = shelf.files().iter().map(|file| file.bytes).sum();
        progress.stage("sample", Some(packed_bytes.min(most_bytes)));
        let part_bytes = (packed_bytes.min(most_bytes) / PARTS).clamp(LEAST_PART, UNIT_BYTES);
        let mut order = units(shelf.files(), &options.settings, part_bytes)?;
        let unit_count = order.len();
        // Random, with a fixed seed.
        order.sort_by_cached_key(|unit| mix(mix(u64::from(unit.file) + 1) ^ u64::from(unit.number)));
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut documents, mut bytes) = (0, 0);
        let is_enough = |documents: usize, bytes: u64| documents >= MOST_DOCUMENTS || bytes >= most_bytes.max(1);
        'all: for some in order.chunks(2 * rayon::current_num_threads()) {
            let read = |unit: &Unit| read_unit(unit, &shelf, options, (similarity, key), most_bytes, progress);
            for piece in some.par_iter().map(read).collect::<Result<Vec<_>>>()? {
                documents += piece.documents.len();
                bytes += piece.bytes_read;
                pieces.push(piece);
                // Anything other threads have read meanwhile is ignored, so that the number of threads makes no
                // difference.
                if is_enough(documents, bytes) {
                    break 'all;
                }
            }
        }
        progress.finish();
        // A table beside data is skipped; one that is the only input was intended.
        if pieces.iter().all(|piece| piece.document_count == 0)
            && let Some((file, fields)) = pieces.iter().find_map(|piece| piece.columns.clone())
        {
            let (input, field) = (&shelf.files()[file as usize], options.settings.fields.text.clone());
            let (path, is_met) = (input.shown(), input.is_met);
            return Err(lookalike_io::Error::NoTextField { path, field, fields, is_met }.into());
        }
        let without_id_count: u64 = pieces.iter().map(|piece| piece.without_id_count).sum();
        let formats: Vec<Format> = pieces.iter().filter_map(|piece| piece.format).collect();
        let mut corpus = Self {
            options,
            similarity,
            key,
            documents: Vec::with_capacity(documents),
            texts: Vec::new(),
            slots: Vec::new(),
            part_of: Vec::with_capacity(documents),
            parts_read: 0,
            parts: 0.0,
            document_count: 0,
            packed_bytes: packed_bytes.max(bytes),
            bytes_read: bytes,
            id_bytes: 0,
            seconds: 0.0,
            skipped: 0,
            first_skipped: None,
            without_effect: without_effect(&options.settings, &formats),
            shelf,
        };
        corpus.gather(pieces, unit_count);
        if corpus.document_count == 0 && corpus.skipped > 0 {
            let first = corpus.first_skipped.unwrap_or_default();
            return Err(Error::NothingRead { count: corpus.skipped, first, remedies: Vec::new() });
        }
        let lacks_all_ids = corpus.document_count > 0 && without_id_count == corpus.document_count;
        if let Some(field) = options.settings.fields.id.clone().filter(|_| lacks_all_ids) {
            return Err(Error::NoIdField { field, known: Vec::new() });
        }
        Ok(corpus)
    }

    /// Combines the units, and joins copies.
    fn gather(&mut self, pieces: Vec<Piece>, unit_count: usize) {
        let is_whole = pieces.len() == unit_count && pieces.iter().all(|piece| !piece.is_cut);
        let by_chunk = pieces.len() < FEW_PARTS;
        let units_read = pieces.len();
        let mut texts: HashMap<u128, u32> = HashMap::new();
        for piece in pieces {
            let first_part = self.parts_read;
            self.parts_read += if by_chunk { piece.chunk_count } else { 1 };
            let of_documents = piece.documents.into_iter().zip(piece.hashes).zip(piece.slots.chunks_exact(SLOTS));
            for (((document, hash), slots), chunk) in of_documents.zip(piece.chunks) {
                let number = self.documents.len() as u32;
                self.part_of.push(first_part + if by_chunk { chunk } else { 0 });
                self.documents.push(document);
                let text = *texts.entry(hash).or_insert_with(|| {
                    self.slots.extend(slots);
                    self.texts.push(Vec::new());
                    self.texts.len() as u32 - 1
                });
                self.texts[text as usize].push(number);
            }
            self.document_count += piece.document_count;
            self.id_bytes += piece.id_bytes;
            self.seconds += piece.seconds;
            self.skipped += piece.skipped;
            self.first_skipped = self.first_skipped.take().or(piece.first_skipped);
        }
        self.parts = match (is_whole, by_chunk) {
            (true, _) => f64::from(self.parts_read),
            (false, true) => f64::from(self.parts_read) * self.scale(),
            (false, false) => (unit_count as f64).max(units_read as f64 + 1.0),
        };
        if is_whole {
            self.bytes_read = self.packed_bytes;
        }
    }

    /// Ratio of the size of the input to the part that was read.
    pub(super) fn scale(&self) -> f64 {
        self.packed_bytes as f64 / self.bytes_read.max(1) as f64
    }

    /// Files and entries of the input that were left out.
    pub(super) fn left_out(&self) -> &LeftOut {
        self.shelf.left_out()
    }

    pub(super) fn file_count(&self) -> u64 {
        self.shelf.files().len() as u64
    }

    /// Number of features of all texts, each text counted once.
    pub(super) fn feature_count(&self) -> u64 {
        self.texts.iter().map(|copies| u64::from(self.documents[copies[0] as usize].size)).sum()
    }

    /// Number of words of the first document of a text.
    pub(super) fn token_count(&self, text: u32) -> u32 {
        self.documents[self.texts[text as usize][0] as usize].token_count
    }

    /// The similarities of sorted pairs of texts, measured exactly.
    pub(super) fn measure(&self, pairs: &[(u32, u32)]) -> Result<Vec<f64>> {
        let by_left: Vec<&[(u32, u32)]> = pairs.chunk_by(|left, right| left.0 == right.0).collect();
        let bench = || {
            let shingler = self.similarity.shingler(self.key);
            (Parser::new(&self.options.settings), shingler, Vec::new())
        };
        let of_left = |bench: &mut (Parser, Shingler, Vec<u8>), pairs: &&[(u32, u32)]| {
            let mut features = |text: u32| self.features(text, bench);
            let left = features(pairs[0].0)?;
            let set = FeatureSet::new(&left);
            let similarity = |(_, right): &(u32, u32)| {
                let right = features(*right)?;
                let size = Distinct::new(&right).size();
                let overlap = Overlap { shared: set.shared_count(&right), left: set.size(), right: size };
                Ok(self.similarity.criterion().similarity(overlap))
            };
            pairs.iter().map(similarity).collect::<Result<Vec<f64>>>()
        };
        Ok(by_left.par_iter().map_init(bench, of_left).collect::<Result<Vec<_>>>()?.concat())
    }

    fn features(&self, text: u32, (parser, shingler, bytes): &mut (Parser, Shingler, Vec<u8>)) -> Result<Vec<u64>> {
        let Document { place, kind, source, .. } = &self.documents[self.texts[text as usize][0] as usize];
        self.shelf.read(*place, bytes)?;
        let changed = || lookalike_io::Error::Changed { path: self.shelf.files()[place.file as usize].shown() };
        let read = parser.document(kind, bytes).ok_or_else(changed)?;
        Ok(shingler.of_source(*source).features(read.text).all.to_vec())
    }
}

fn read_unit(
    unit: &Unit,
    shelf: &Shelf,
    options: &ReadOptions,
    (similarity, key): (&Scheme, Key),
    most_bytes: u64,
    progress: &dyn Progress,
) -> Result<Piece> {
    let file: &InputFile = &shelf.files()[unit.file as usize];
    let start = Instant::now();
    let mut piece = Piece::default();
    let mut reader = SequentialReader::new(shelf.files(), vec![unit.clone()], &options.settings);
    let (mut parser, mut chunk) = (Parser::new(&options.settings), Chunk::default());
    let mut shingler = similarity.shingler(similarity.key().of(key));
    let ignoring = Ignoring::of(similarity);
    let (mut sketcher, mut distinct) = (FastSketcher::new(SLOTS), Distinct::default());
    while reader.next(&mut chunk)? {
        // There is another chunk, but this is enough.
        if piece.documents.len() >= MOST_DOCUMENTS || piece.bytes_read >= most_bytes.max(1) {
            piece.is_cut = true;
            break;
        }
        progress.go_on()?;
        chunk.settle(shelf)?;
        let before = piece.document_count;
        parser.entries(&chunk, |placed| match placed.entry {
            Entry::Document(document) => {
                piece.document_count += 1;
                piece.format = Some(chunk.kind().format);
                let id_bytes = document.id.as_ref().map_or(0, |id| id.len() as u64);
                piece.id_bytes += id_bytes;
                // Nobody is known by an empty id.
                piece.without_id_count += u64::from(id_bytes == 0);
                let [uri, field] = [&document.uri, &document.source].map(Option::as_deref);
                let is_one_document = chunk.kind().format.is_one_document();
                let origin = Origin { file: &file.name, is_one_document, uri, field };
                let source = ignoring.as_ref().and_then(|ignoring| ignoring.place(origin));
                let features = shingler.of_source(source).features(document.text);
                if let Some(sketch) = sketcher.sketch(features.all) {
                    piece.slots.extend(sketch.iter().map(|slot| mix(*slot) as u16));
                    piece.hashes.push(features.text_hash());
                    piece.chunks.push(piece.chunk_count);
                    let token_count = u32::try_from(features.token_count()).unwrap_or(u32::MAX);
                    distinct.fill(features.all);
                    let (place, kind, size) = (placed.place, Arc::clone(chunk.kind()), distinct.size());
                    piece.documents.push(Document { place, kind, token_count, size, source });
                }
            }
            Entry::Skipped(reason) => piece.skip(file, &reason, 1),
            Entry::Carried(NO_TEXT_FIELD) => {
                piece.columns.get_or_insert_with(|| (unit.file, json_fields(std::iter::once(placed.bytes))));
            }
            Entry::Carried(_) => {}
        });
        match chunk.damage() {
            Some((SkipReason::NoTextField(columns), _)) => piece.columns = Some((unit.file, columns.clone())),
            Some((reason, lost)) => piece.skip(file, reason, lost.max(1)),
            None => {}
        }
        piece.bytes_read += chunk.packed_bytes();
        piece.chunk_count += 1;
        progress.advance(chunk.packed_bytes(), Counted::Documents(piece.document_count - before));
    }
    piece.seconds = start.elapsed().as_secs_f64();
    Ok(piece)
}

impl Piece {
    fn skip(&mut self, file: &InputFile, reason: &SkipReason, count: u64) {
        self.skipped += count;
        self.first_skipped.get_or_insert_with(|| format!("{}: {reason}", file.shown().display()));
    }
}
