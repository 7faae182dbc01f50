//! Two documents: every measure, and what they share.

use std::path::PathBuf;

use lookalike_core::feature_set::{FeatureSet, Overlap};
use lookalike_core::likeness::Likeness;
use lookalike_core::shingle::{Places, Shingler};
use lookalike_core::similarity::Similarity;
use lookalike_core::sketch::{SketchSource, Sketches, SlotKind, estimate};
use lookalike_core::verify::{FeatureSource, SourceError};
use lookalike_io::place::Shelf;
use lookalike_io::read::{Chunk, Entry, NO_TEXT_FIELD, NULL_TEXT, Parser, Settings, Stream, Unit};

use crate::error::{Error, Result};
use crate::options::{MethodOptions, ReadOptions, SimilarityOptions};

/// All measures of two documents.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The first document.
    pub left: Side,
    /// The second.
    pub right: Side,
    /// What they share, in features.
    pub overlap: Overlap,
    /// The similarity that their slots show, and how many there are; none for methods without slots.
    pub estimate: Option<(f64, usize)>,
    /// In how many bits of how many their sketches differ, where these are bits.
    pub bits: Option<(u32, u32)>,
    /// Whether they have the same tokens in the same order.
    pub is_copy: bool,
    /// The chance that a pair this much alike is found; none where similarity does not tell.
    pub chance: Option<f64>,
    /// Whether they are near-duplicates.
    pub is_match: bool,
}

/// One of two documents.
#[derive(Clone, Debug)]
pub struct Side {
    /// How many tokens it has.
    pub token_count: usize,
    /// How many shingles, repeated ones included.
    pub shingle_count: usize,
    /// The whole text in order, cut where sharing begins and ends.
    pub passages: Vec<Passage>,
}

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Whether the other document has it too.
    pub is_shared: bool,
    /// The text itself.
    pub text: String,
}

/// Compares two texts.
///
/// # Errors
///
/// When the method's parameters are not possible.
pub fn compare(left: &str, right: &str, options: &SimilarityOptions) -> Result<Comparison> {
    let mut shingler = Shingler::new(&options.shingle, options.fold);
    let places = [left, right].map(|text| shingler.places(text));
    let sets = [0, 1].map(|side| FeatureSet::new(&places[side].features));
    let overlap = Overlap::of(&places[0].features, &places[1].features);
    let hashes = |places: &Places| places.tokens.iter().map(|token| token.hash).collect::<Vec<_>>();

    let method = options.method.method(options.criterion)?;
    let mut sketches = Sketches::new(method.layout());
    let mut sketcher = method.sketcher();
    (0..2).for_each(|side| sketcher.sketch(&places[side].features, &sets[side], &mut sketches));
    // Weights by rarity are those of a corpus of these two.
    let sizes = [sets[0].size(), sets[1].size()];
    let again = method.sketch_again(&sizes, &Both(&places)).map_err(Error::of_source)?;
    let sketches = again.unwrap_or(sketches);
    let [left_sketch, right_sketch] = [0, 1].map(|side| sketches.bytes(side));
    let (left_sketch, right_sketch) = (left_sketch.map_err(Error::of_source)?, right_sketch.map_err(Error::of_source)?);
    let bits = match method.likeness(&left_sketch, &right_sketch) {
        Some(Likeness::Bits { differing, of }) => Some((differing, of)),
        _ => None,
    };
    let similarity = options.criterion.similarity(overlap);
    let is_match =
        if bits.is_some() { method.allows(&left_sketch, &right_sketch) } else { options.criterion.accepts(overlap) };
    Ok(Comparison {
        overlap,
        estimate: estimated(options, &places),
        bits,
        is_copy: !places[0].tokens.is_empty() && hashes(&places[0]) == hashes(&places[1]),
        chance: Similarity::new(similarity).ok().and_then(|similarity| method.recall_at(similarity)),
        is_match,
        left: side(left, &places[0], &sets[1]),
        right: side(right, &places[1], &sets[0]),
    })
}

/// The features of both.
struct Both<'a>(&'a [Places; 2]);

impl FeatureSource for Both<'_> {
    fn features(&self, item: u32) -> std::result::Result<Vec<u64>, SourceError> {
        Ok(self.0[item as usize].features.clone())
    }
}

fn estimated(options: &SimilarityOptions, places: &[Places; 2]) -> Option<(f64, usize)> {
    let slots = match &options.method {
        MethodOptions::MinHash { slots, .. } | MethodOptions::SuperShingle { slots, .. } => *slots,
        _ => SlotKind::Fast,
    };
    let slot_count = options.method.banding()?.slot_count();
    let mut sketcher = slots.sketcher(slot_count);
    let [left, right] = [0, 1].map(|side| sketcher.sketch(&places[side].features).map(<[u64]>::to_vec));
    Some((left.zip(right).map_or(0.0, |(left, right)| estimate(&left, &right)), slot_count))
}

fn side(text: &str, places: &Places, other: &FeatureSet) -> Side {
    let Places { tokens, features, firsts, width } = places;
    // A token is shared when one of the shingles over it is.
    let mut shared = vec![false; tokens.len()];
    for (first, _) in firsts.iter().zip(features).filter(|(_, feature)| other.contains(**feature)) {
        let end = (first + width).min(tokens.len());
        shared[*first..end].fill(true);
    }
    let mut passages: Vec<Passage> = Vec::new();
    let mut at = 0;
    let mut next_token = 0;
    for run in shared.chunk_by(|left, right| left == right) {
        next_token += run.len();
        // What stands between two tokens goes with the one before, and what stands before the first with it.
        // (Tokens of one unit that had to be normalised as a whole have one place, hence `max`.)
        let end = tokens.get(next_token).map_or(text.len(), |token| token.start).max(at);
        passages.push(Passage { is_shared: run[0], text: text[at..end].to_owned() });
        at = end;
    }
    Side { token_count: tokens.len(), shingle_count: features.len(), passages }
}

/// The texts of documents with these ids, or of these files when no corpus is given.
///
/// # Errors
///
/// When something cannot be read, or an id is not there.
pub fn find_in_corpus(options: &ReadOptions, ids: [&str; 2]) -> Result<[String; 2]> {
    if options.inputs.is_empty() {
        return Ok([single(ids[0], &options.settings)?, single(ids[1], &options.settings)?]);
    }
    let mut found: [Option<String>; 2] = [None, None];
    for_each_document(options, |id, text| {
        for (_, found) in ids.iter().zip(&mut found).filter(|(wanted, _)| **wanted == id) {
            found.get_or_insert_with(|| text.to_owned());
        }
    })?;
    let [left, right] = found;
    let missing = |id: &str| Error::NoSuchDocument { id: id.to_owned() };
    Ok([left.ok_or_else(|| missing(ids[0]))?, right.ok_or_else(|| missing(ids[1]))?])
}

/// The text of a file that is one document.
fn single(path: &str, settings: &Settings) -> Result<String> {
    let options = ReadOptions { inputs: vec![PathBuf::from(path)], listed: Vec::new(), settings: settings.clone() };
    let (mut first, mut count) = (None, 0);
    let skipped = for_each_document(&options, |_, text| {
        first.get_or_insert_with(|| text.to_owned());
        count += 1;
    })?;
    match (first, skipped) {
        (Some(text), _) if count == 1 => Ok(text),
        (None, Some(reason)) => Err(Error::NotADocument { path: path.to_owned(), reason }),
        _ => Err(Error::NotOneDocument { path: path.to_owned(), count }),
    }
}

/// Goes through all documents with their ids, in the order of the input. Gives the first reason why one was skipped.
fn for_each_document(options: &ReadOptions, mut each: impl FnMut(&str, &str)) -> Result<Option<String>> {
    let mut skipped = None;
    let shelf = Shelf::new(options.discover(None)?);
    let mut parser = Parser::new(&options.settings);
    let mut chunk = Chunk::default();
    for (number, file) in (0..).zip(shelf.files()) {
        let mut stream = Stream::open(&Unit::whole(number), file, &options.settings)?;
        let mut before = 0;
        while stream.next(&mut chunk)? {
            chunk.settle(&shelf)?;
            before += parser.entries(&chunk, |placed| match placed.entry {
                Entry::Document(document) => {
                    let by_place = || chunk.kind().format.id(&file.name, before + placed.position + 1).into();
                    each(&document.id.unwrap_or_else(by_place), document.text);
                }
                Entry::Skipped(reason) => drop(skipped.get_or_insert(reason)),
                Entry::Carried(NULL_TEXT | NO_TEXT_FIELD) => {
                    let field = &options.settings.fields.text;
                    skipped.get_or_insert_with(|| format!("no text in the field '{field}'; name another with --text"));
                }
                Entry::Carried(_) => {}
            });
            if let Some((reason, lost)) = chunk.damage() {
                before += lost;
                skipped.get_or_insert_with(|| reason.to_owned());
            }
        }
    }
    Ok(skipped)
}
