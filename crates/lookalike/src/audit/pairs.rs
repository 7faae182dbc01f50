//! Pairs to label, with their texts, as shown to people: side by side, in random order and on random sides, without a
//! similarity.

use std::collections::{BTreeSet, HashMap};

use lookalike_core::hash::{Key, draw};
use lookalike_core::kernel::TextSketcher;
use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::sketch::Sketches;
use lookalike_core::text::shingle::Shingler;
use lookalike_page::{Excerpt, Html, SideBySide, SideText, name};

use super::labels::PairFacts;
use crate::options::{MethodOptions, Scheme, SketchKey};
use crate::output::rows::Removal;
use crate::report::page::rows::Place;
use crate::report::page::texts::{Text, TextSource};
use crate::shared_text::pieces::pieces;

/// A pair with both texts, left and right.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) facts: PairFacts,
    pub(crate) texts: [Text; 2],
}

/// The removals whose texts could be read again and are unchanged.
pub(crate) fn with_texts(removals: Vec<Removal>, scheme: &Scheme, source: &dyn TextSource) -> Vec<Pair> {
    let places = |removal: &Removal| [removal.removed_place(), removal.kept_place()];
    let wanted: BTreeSet<Place> = removals.iter().flat_map(places).collect();
    let texts: HashMap<Place, Text> = source.texts(&wanted);
    let mut shingler = scheme.shingler(Key::FIXED);
    let agreeing = Agreeing::new(scheme);
    let pair = |removal: Removal| {
        let [removed, kept] = places(&removal);
        let texts = [texts.get(&removed)?.clone(), texts.get(&kept)?.clone()];
        if !is_unchanged(&removal, &texts, &mut shingler) {
            return None;
        }
        let equal_super_shingle_count = agreeing.as_ref().and_then(|agreeing| agreeing.count(&texts));
        let facts = PairFacts { equal_super_shingle_count, ..facts_of(&removal) };
        Some(Pair { facts, texts })
    };
    removals.into_iter().filter_map(pair).collect()
}

/// The data of a removal in its label.
pub(crate) fn facts_of(removal: &Removal) -> PairFacts {
    PairFacts {
        left_id: removal.removed_id.clone(),
        right_id: removal.kept_id.clone(),
        left_file: removal.removed_file.clone(),
        left_position: removal.removed_position,
        right_file: removal.kept_file.clone(),
        right_position: removal.kept_position,
        left_source: Some(removal.removed_source.clone()),
        right_source: Some(removal.kept_source.clone()),
        right_in_reference: removal.kept_in.is_some(),
        near_miss: false,
        similarity: removal.similarity,
        equal_super_shingle_count: None,
    }
}

/// True if two texts are the ones that were compared, or if this is unknown because they are truncated.
fn is_unchanged(removal: &Removal, texts: &[Text; 2], shingler: &mut Shingler) -> bool {
    let (Some(jaccard), 0) = (removal.jaccard, texts[0].more + texts[1].more) else { return true };
    let features = [0, 1].map(|side: usize| shingler.features(&texts[side].text).all.to_vec());
    (Overlap::of(&features[0], &features[1]).jaccard() - jaccard).abs() < 1e-9
}

/// Counts the super-shingles in which two texts agree.
struct Agreeing<'a> {
    scheme: &'a Scheme,
    method: Box<dyn lookalike_core::method::Method>,
}

impl<'a> Agreeing<'a> {
    /// None for other methods, and if the key of the run is not known.
    fn new(scheme: &'a Scheme) -> Option<Self> {
        let is_meant =
            matches!(scheme.method(), MethodOptions::SuperShingle { .. }) && scheme.key() == SketchKey::Fixed;
        is_meant.then(|| Self { scheme, method: scheme.build_method() })
    }

    /// None if a text is so long that it was truncated.
    fn count(&self, texts: &[Text; 2]) -> Option<u32> {
        if texts[0].more + texts[1].more > 0 {
            return None;
        }
        let mut sketches = Sketches::new(self.method.layout());
        let mut sketcher = TextSketcher::new(self.scheme, &*self.method, Key::FIXED);
        for text in texts {
            sketcher.sketch(&text.text, &mut sketches);
        }
        let equal = sketches.keys(0).iter().zip(sketches.keys(1)).filter(|(left, right)| left == right);
        Some(equal.count() as u32)
    }
}

/// Shuffles pairs; the order depends only on the seed.
pub(crate) fn shuffle(pairs: &mut [Pair], seed: u64) {
    let place = |pair: &Pair| (pair.facts.left_file.clone(), pair.facts.left_position, pair.facts.near_miss);
    pairs.sort_by_cached_key(place);
    let mut numbered: Vec<(u64, usize)> = (0..pairs.len()).map(|at| (draw(seed ^ ORDER, at as u64), at)).collect();
    numbered.sort_unstable();
    let order: Vec<usize> = numbered.into_iter().map(|(_, at)| at).collect();
    let shuffled: Vec<Pair> = order.iter().map(|at| pairs[*at].clone()).collect();
    pairs.clone_from_slice(&shuffled);
}

/// Purposes of draws: the order of pairs, and which document of a pair is on the left.
const ORDER: u64 = 0x6F72_6465_7200_0000;
const SIDES: u64 = 0x7369_6465_7300_0000;

/// True if the left document is shown on the right.
pub(crate) fn is_turned(seed: u64, number: usize) -> bool {
    draw(seed ^ SIDES, number as u64) & 1 == 1
}

impl Pair {
    /// Renders both texts side by side.
    pub(crate) fn render(&self, scheme: &Scheme, is_turned: bool, excerpt: Excerpt) -> Html {
        let mut shingler = scheme.shingler(Key::FIXED);
        let order = if is_turned { [1, 0] } else { [0, 1] };
        let ids = [&self.facts.left_id, &self.facts.right_id];
        let [first, second] = pieces(order.map(|side| &*self.texts[side].text), &mut shingler).pieces;
        let side = |role: &str, side: usize, pieces| SideText {
            role: role.to_owned(),
            name: name(ids[side]),
            place: String::new(),
            pieces,
            more: self.texts[side].more,
        };
        let (left, right) = (side("left", order[0], first), side("right", order[1], second));
        SideBySide { left, right, excerpt, marks_space: false }.render()
    }
}
