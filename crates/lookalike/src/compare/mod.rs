//! Compares two documents: every measure, and shared passages.

use std::path::Path;

use lookalike_core::bucket::hamming::Tables;
use lookalike_core::hash::Key;
use lookalike_core::ids::{Document, Number};
use lookalike_core::measure::distinct::Distinct;
use lookalike_core::measure::edit;
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::measure::likeness::Likeness;
use lookalike_core::measure::similarity::Similarity;
use lookalike_core::method::{Method, SimHash, Weights, Width};
use lookalike_core::sketch::{Sketches, SlotKind, estimate};
use lookalike_core::sources::{FeatureSource, SketchSource, SourceError};
use lookalike_core::text::boilerplate::SourcePlace;
use lookalike_core::text::content::ContentHasher;
use lookalike_io::read::Settings;
use lookalike_io::remote::shown_path;
use lookalike_io::skipped::SkipReason;
use serde::Serialize;

use crate::boilerplate::Learn;
use crate::corpus::Ignoring;
use crate::corpus::walk::{Walked, walk};
use crate::error::{Error, Result};
use crate::options::{CompareOptions, MethodOptions, ReadOptions, Scheme};
use crate::progress::{Progress, Silent};
use crate::shared_text::{Passage, Placed, passages};

/// All measures of two documents.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Comparison {
    /// Whether they are copies, near-duplicates or neither.
    pub verdict: Verdict,
    /// The measure that the threshold applies to: `jaccard` or `containment`.
    pub measure: &'static str,
    /// Minimum similarity of near-duplicates.
    pub threshold: f64,
    /// Their similarity by that measure: the number that is compared with the threshold.
    pub similarity: f64,
    /// Shared shingles divided by all shingles.
    pub jaccard: f64,
    /// The share of the first that is contained in the second.
    pub containment_of_left: f64,
    /// The share of the second that is contained in the first.
    pub containment_of_right: f64,
    /// The least number of words to insert, delete or substitute to make one of the other; none where it would take too
    /// long.
    pub word_edit_count: Option<u64>,
    /// The same in characters, of the texts as exact copies are compared.
    pub character_edit_count: Option<u64>,
    /// The similarity estimated from their slots; `None` for methods without slots.
    pub sketch_estimate: Option<f64>,
    /// Number of slots.
    pub slots: Option<usize>,
    /// The share of bits in which their `SimHash` sketches agree; `None` if one has no shingles.
    pub simhash: Option<f64>,
    /// Number of bits in which these differ.
    pub hamming: Option<u32>,
    /// Bits per sketch: those of the method, or else 64, with counted shingles.
    pub sketch_bits: u32,
    /// Probability that a pair this similar is found; `None` where it does not depend on the similarity.
    pub chance_to_be_found: Option<f64>,
    /// The shingle that was compared.
    pub shingle: String,
    /// The differences that were ignored: accents, digits, both or none.
    pub fold: String,
    /// Distinct shingles in both, without those that are ignored.
    pub shared_shingle_count: u32,
    /// The first document.
    pub left: Side,
    /// The second.
    pub right: Side,
}

/// How two documents relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// One of them has no words, and is similar to nothing.
    NothingToCompare,
    /// Equal, up to the encoding of accents and white space at line ends.
    ExactCopies,
    /// The same words in the same order, but different punctuation, symbols, case or white space.
    SameWords,
    /// At least as similar as the threshold.
    NearDuplicates,
    /// Less similar than the threshold.
    NotNearDuplicates,
}

/// One of two documents.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Side {
    /// Number of tokens.
    pub token_count: usize,
    /// Number of characters of its content, the form in which exact copies are equal.
    pub character_count: usize,
    /// Number of shingles, including repeated ones.
    pub shingle_count: usize,
    /// Number of distinct shingles, without those that are ignored.
    pub distinct_shingle_count: u32,
    /// The share of its distinct shingles that is ignored as boilerplate of its source; none where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<f64>,
    /// The whole text in order, cut where sharing begins and ends.
    pub passages: Vec<Passage>,
}

/// Compares two texts.
///
/// # Errors
///
/// If the sketches of the texts cannot be computed.
pub fn compare(left: &str, right: &str, options: &Scheme) -> Result<Comparison> {
    compare_texts([left, right], [None, None], options)
}

/// Compares two documents of a corpus by their ids, or two files if no corpus is given, without what is ignored as
/// boilerplate of their sources.
///
/// # Errors
///
/// If something cannot be read, or an id is not found.
pub fn compare_documents(options: &CompareOptions, ids: [&str; 2], progress: &dyn Progress) -> Result<Comparison> {
    let found = find_in_corpus(&options.read, ids)?;
    let scheme = match options.learning {
        Some(learning) => {
            Learn::new(learning, &options.read, &options.scheme, options.resources.memory).scheme(progress)?
        }
        None => options.scheme.clone(),
    };
    let ignoring = Ignoring::of(&scheme);
    let place = |document: &Walked| ignoring.as_ref()?.place(document.origin());
    compare_texts(found.each_ref().map(|document| &*document.text), found.each_ref().map(place), &scheme)
}

fn compare_texts(texts: [&str; 2], sources: [Option<SourcePlace>; 2], options: &Scheme) -> Result<Comparison> {
    // Hashes that decide use an unpredictable key; sketches have their own.
    let key = Key::random();
    // One after the other, freeing memory as early as possible: texts may be long.
    let sketched = [0, 1].map(|side: usize| {
        let mut shingler = options.shingler(options.key().of(key));
        shingler.of_source(sources[side]).features(texts[side]).all.to_vec()
    });
    let (sketch_bits, differing) = simhash(options, &sketched)?;
    let estimated = estimated(options, &sketched);
    drop(sketched);
    let contents = texts.map(|text| ContentHasher::default().content(text).chars().collect::<Vec<char>>());
    let (is_copy, character_counts) = (contents[0] == contents[1], contents.each_ref().map(Vec::len));
    let character_edit_count = edit::distance(&contents[0], &contents[1]);
    drop(contents);
    let places = texts.map(|text| options.shingler(key).places(text));
    let remaining = [0, 1].map(|side: usize| sources[side].map(|source| remaining(texts[side], source, options, key)));
    let compared = |side: usize| remaining[side].as_ref().map_or(&*places[side].features, |(features, _)| features);
    let overlap = Overlap::of(compared(0), compared(1));
    let hashes = [0, 1].map(|side: usize| places[side].tokens.iter().map(|token| token.hash).collect::<Vec<u64>>());
    let method = options.build_method();
    let is_match = match (options.method(), differing) {
        (MethodOptions::SimHash { distance, is_verified: false, .. }, Some(differing)) => differing <= *distance,
        _ => options.criterion().accepts(overlap),
    };
    let verdict = match () {
        () if hashes.iter().any(Vec::is_empty) => Verdict::NothingToCompare,
        () if hashes[0] == hashes[1] && is_copy => Verdict::ExactCopies,
        () if hashes[0] == hashes[1] => Verdict::SameWords,
        () if is_match => Verdict::NearDuplicates,
        () => Verdict::NotNearDuplicates,
    };
    let similarity = Similarity::new(options.criterion().similarity(overlap)).ok();
    let word_edit_count = edit::distance(&hashes[0], &hashes[1]);
    drop(hashes);
    let placed = |side: usize| Placed { text: texts[side], places: &places[side] };
    let side = |own: usize, distinct_shingle_count: u32| Side {
        token_count: places[own].tokens.len(),
        character_count: character_counts[own],
        shingle_count: compared(own).len(),
        distinct_shingle_count,
        ignored: remaining[own].as_ref().map(|(_, ignored)| *ignored),
        passages: passages(placed(own), placed(1 - own)),
    };
    Ok(Comparison {
        verdict,
        measure: options.criterion().measure(),
        threshold: options.criterion().threshold(),
        similarity: options.criterion().similarity(overlap),
        jaccard: overlap.jaccard(),
        containment_of_left: overlap.containment_left(),
        containment_of_right: overlap.containment_right(),
        word_edit_count,
        character_edit_count,
        sketch_estimate: estimated.map(|(estimate, _)| estimate),
        slots: estimated.map(|(_, slots)| slots),
        simhash: differing.map(|differing| f64::from(sketch_bits - differing) / f64::from(sketch_bits)),
        hamming: differing,
        sketch_bits,
        chance_to_be_found: similarity.and_then(|similarity| method.recall_at(similarity)),
        shingle: options.shingle().to_string(),
        fold: options.fold().to_string(),
        shared_shingle_count: overlap.shared,
        left: side(0, overlap.left),
        right: side(1, overlap.right),
    })
}

/// The features of a text that are not boilerplate of its source, and the share of distinct ones that are.
fn remaining(text: &str, source: SourcePlace, options: &Scheme, key: Key) -> (Vec<u64>, f64) {
    let mut shingler = options.shingler(key);
    let features = shingler.of_source(Some(source)).features(text);
    let (all, ignored) = (features.all.to_vec(), f64::from(features.ignored));
    let distinct = f64::from(Distinct::new(&all).size());
    (all, if ignored > 0.0 { ignored / (ignored + distinct) } else { 0.0 })
}

/// Approximate memory needed to compare texts, per byte and per token.
const WORKING_PER_BYTE: u64 = 5;
const WORKING_PER_TOKEN: u64 = 64;

/// Approximate bytes of memory needed to compare two texts.
pub fn comparing_bytes(texts: [&str; 2], options: &Scheme) -> u64 {
    let mut shingler = options.shingler(Key::FIXED);
    let tokens: usize = texts.iter().map(|text| shingler.token_count(text)).sum();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    WORKING_PER_BYTE * bytes as u64 + WORKING_PER_TOKEN * tokens as u64
}

/// The features of both texts.
struct Both<'a>(&'a [Vec<u64>; 2]);

impl FeatureSource for Both<'_> {
    fn features(&self, document: Document) -> std::result::Result<Vec<u64>, SourceError> {
        Ok(self.0[document.index()].clone())
    }
}

/// The number of bits of the `SimHash` sketches, and the number of differing bits, if both have a sketch.
fn simhash(options: &Scheme, features: &[Vec<u64>; 2]) -> Result<(u32, Option<u32>)> {
    let (width, weights) = match options.method() {
        MethodOptions::SimHash { width, weights, .. } => (*width, *weights),
        _ => (Width::Bits64, Weights::Count),
    };
    let method = SimHash::new(width, weights, SimHash::DISTANCE, Tables::Blocks, false)?;
    if features.iter().any(Vec::is_empty) {
        return Ok((width.bits(), None));
    }
    let distinct = features.each_ref().map(|features| Distinct::new(features));
    let mut sketches = Sketches::new(method.layout());
    let mut sketcher = method.sketcher();
    (0..2).for_each(|side| sketcher.sketch(&features[side], &distinct[side], &mut sketches));
    // Rarity weights are those of a corpus of these two.
    let again =
        method.sketch_again(&[distinct[0].size(), distinct[1].size()], &Both(features)).map_err(Error::of_source)?;
    let sketches = again.unwrap_or(sketches);
    let [left, right] = [0, 1].map(|side| sketches.bytes(Document(side)));
    let (left, right) = (left.map_err(Error::of_source)?, right.map_err(Error::of_source)?);
    Ok(match method.likeness(&left, &right) {
        Some(Likeness::Bits { differing, of }) => (of, Some(differing)),
        _ => (width.bits(), None),
    })
}

fn estimated(options: &Scheme, features: &[Vec<u64>; 2]) -> Option<(f64, usize)> {
    let slots = match options.method() {
        MethodOptions::MinHash { slots, .. } | MethodOptions::SuperShingle { slots, .. } => *slots,
        _ => SlotKind::Fast,
    };
    let slot_count = options.method().banding()?.slot_count();
    let mut sketcher = slots.sketcher(slot_count);
    let [left, right] = [0, 1].map(|side| sketcher.sketch(&features[side]).map(<[u64]>::to_vec));
    Some((left.zip(right).map_or(0.0, |(left, right)| estimate(&left, &right)), slot_count))
}

/// Finds the documents with these ids, or these files if no corpus is given.
fn find_in_corpus(options: &ReadOptions, ids: [&str; 2]) -> Result<[Walked; 2]> {
    if options.inputs.is_empty() {
        return Ok([single(ids[0], &options.settings)?, single(ids[1], &options.settings)?]);
    }
    let mut found: [Option<Walked>; 2] = [None, None];
    walk(options, "read", &Silent, |round| {
        for document in round {
            for (_, found) in ids.iter().zip(&mut found).filter(|(wanted, _)| **wanted == document.id) {
                found.get_or_insert_with(|| document.clone());
            }
        }
        Ok(())
    })?;
    let [left, right] = found;
    let missing = |id: &str| Error::NoSuchDocument { id: id.to_owned() };
    Ok([left.ok_or_else(|| missing(ids[0]))?, right.ok_or_else(|| missing(ids[1]))?])
}

/// The document of a file that is a single one.
fn single(path: &str, settings: &Settings) -> Result<Walked> {
    let options = ReadOptions::of_file(path, settings.clone());
    let (mut first, mut count) = (None, 0);
    let skips = walk(&options, "read", &Silent, |round| {
        count += round.len();
        first = first.take().or_else(|| round.into_iter().next());
        Ok(())
    })?;
    let field = &settings.fields.text;
    let lacking = || SkipReason::Other(format!("no text in the field '{field}': name another field"));
    let skipped = skips.named.into_iter().next().map(|skipped| skipped.reason);
    match (first, skipped.or_else(|| (skips.without_text > 0).then(lacking))) {
        (Some(document), _) if count == 1 => Ok(document),
        (None, Some(reason)) => Err(Error::NotADocument { path: shown_path(Path::new(path)), reason }),
        _ => Err(Error::NotOneDocument { path: shown_path(Path::new(path)), count }),
    }
}
