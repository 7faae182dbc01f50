//! Renders removals as pairs side by side: shared passages, containments, and the reason why the kept one was kept.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lookalike_core::measure::feature_set::Overlap;
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::{Shingle, Shingler};
use lookalike_page::{Budget, Excerpt, Html, SideBySide, SideText, html, name, number};
use rayon::prelude::*;

use super::rows::{Gathered, Group, Place};
use super::texts::{Text, TextSource};
use crate::options::ReportTexts;
use crate::output::rows::Removal;
use crate::report::parameters::Parameters;
use crate::report::summary::Summary;
use crate::shared_text::pieces::{Pieces, pieces};

/// Maximum bytes of all texts of a page, and of all other parts of pairs.
const TEXT_BYTES: usize = 1_000_000;
const PAIR_BYTES: usize = 250_000;

/// Rendered pairs.
pub(super) struct Pairs {
    /// The least certain removals.
    pub(super) least: Html,
    /// A sample of each group.
    pub(super) samples: Vec<(Group, Html)>,
    /// One removal of each of the largest clusters.
    pub(super) of_clusters: HashMap<u32, Html>,
    /// Number of documents shown, and number of those whose text is missing or has changed.
    pub(super) shown: usize,
    pub(super) without_text: usize,
}

/// Renders pairs.
pub(super) struct Maker<'a> {
    parameters: &'a Parameters,
    pub(super) texts: HashMap<Place, Text>,
    /// The texts of each pair in pieces, by the removed document.
    pieces: HashMap<Place, Pieces>,
    pub(super) excerpt: Option<Excerpt>,
    shingle: Shingle,
    fold: Fold,
    text_room: Budget,
    room: Budget,
}

impl Pairs {
    /// Reads the texts of all pairs to be shown, and renders them.
    pub(super) fn new(gathered: &Gathered, summary: &Summary, source: &dyn TextSource, texts: ReportTexts) -> Self {
        let wanted: BTreeSet<Place> = gathered.all().flat_map(places).collect();
        let mut maker = Maker::new(summary, texts);
        if maker.excerpt.is_some() {
            maker.texts = source.texts(&wanted);
        }
        if source.may_have_changed() {
            gathered.all().for_each(|removal| maker.forget_changed(removal));
        }
        maker.cut(gathered.all());
        let without_text = wanted.iter().filter(|place| !maker.texts.contains_key(*place)).count();
        let least = gathered.least().map(|removal| maker.pair(removal)).collect();
        let samples = gathered.samples();
        let samples =
            samples.map(|(group, sample)| (group, sample.into_iter().map(|removal| maker.pair(removal)).collect()));
        let samples = samples.collect();
        let first = |cluster: u32| gathered.members(cluster).first();
        let clusters =
            summary.largest_clusters.iter().filter_map(|cluster| Some((cluster.cluster, first(cluster.cluster)?)));
        let of_clusters = clusters.map(|(cluster, removal)| (cluster, maker.pair(removal))).collect();
        Self { least, samples, of_clusters, shown: wanted.len(), without_text }
    }
}

impl<'a> Maker<'a> {
    pub(super) fn new(summary: &'a Summary, texts: ReportTexts) -> Self {
        let parameters = &summary.parameters;
        Self {
            parameters,
            texts: HashMap::new(),
            pieces: HashMap::new(),
            excerpt: match texts {
                ReportTexts::None => None,
                ReportTexts::Excerpt => Some(Excerpt::Short),
                ReportTexts::Full => Some(Excerpt::Full),
            },
            shingle: parameters.shingle.parse().unwrap_or(Shingle::Word(5)),
            fold: parameters.fold.parse().unwrap_or(Fold::NONE),
            text_room: Budget::new(TEXT_BYTES),
            room: Budget::new(PAIR_BYTES),
        }
    }

    /// Drops texts that differ from those that were compared.
    pub(super) fn forget_changed(&mut self, removal: &Removal) {
        let places = places(removal);
        let [Some(removed), Some(kept)] = places.each_ref().map(|place| self.texts.get(place)) else { return };
        let (Some(jaccard), 0) = (removal.jaccard, removed.more + kept.more) else { return };
        let mut shingler = self.shingler();
        let features = [removed, kept].map(|text| shingler.features(&text.text).all.to_vec());
        if (Overlap::of(&features[0], &features[1]).jaccard() - jaccard).abs() > 1e-9 {
            places.iter().for_each(|place| drop(self.texts.remove(place)));
        }
    }

    fn shingler(&self) -> Shingler {
        Shingler::new(&self.shingle, self.fold).counting_repeats(self.parameters.count_repeats)
    }

    /// Divides the texts of all pairs into pieces, on all threads.
    pub(super) fn cut<'r>(&mut self, removals: impl Iterator<Item = &'r Removal>) {
        let pairs: BTreeMap<Place, Place> = removals
            .map(places)
            .filter(|places| places.iter().all(|place| self.texts.contains_key(place)))
            .map(|[removed, kept]| (removed, kept))
            .collect();
        let of_pair = |shingler: &mut Shingler, (removed, kept): (Place, Place)| {
            let pieces = pieces([&removed, &kept].map(|place| &*self.texts[place].text), shingler);
            (removed, pieces)
        };
        self.pieces = pairs.into_par_iter().map_init(|| self.shingler(), of_pair).collect();
    }

    /// Renders a pair; without its texts if they are missing or there is no room for them.
    fn pair(&mut self, removal: &Removal) -> Html {
        let sides = self.sides(removal).map(|sides| sides.render());
        let sides = sides.filter(|sides| self.text_room.take(sides));
        let head = self.head(removal);
        let rest = if sides.is_some() { head } else { html!("{}{}", head, names(removal)) };
        if !self.room.take(&rest) {
            return Html::default();
        }
        html!("<article class=\"pair\">{}{}</article>\n", rest, sides.unwrap_or_default())
    }

    /// Both texts, if they are available and wanted.
    pub(super) fn sides(&self, removal: &Removal) -> Option<SideBySide> {
        let [removed, kept] = places(removal);
        let (cut, excerpt) = self.pieces.get(&removed).zip(self.excerpt)?;
        let side = |role: &str, at: usize, id: &str, its: &Place| SideText {
            role: role.to_owned(),
            name: name(id),
            place: place(its, id),
            pieces: cut.pieces[at].clone(),
            more: self.more(its),
        };
        Some(SideBySide {
            left: side("removed", 0, &removal.removed_id, &removed),
            right: side("kept", 1, &removal.kept_id, &kept),
            excerpt,
            marks_space: removal.same_words,
        })
    }

    /// Their similarity, and the reason why one was kept.
    pub(super) fn head(&self, removal: &Removal) -> Html {
        let [removed, kept] = places(removal);
        let is_whole = self.more(&removed) + self.more(&kept) == 0;
        let counts = self.pieces.get(&removed).filter(|_| is_whole).map(|cut| cut.token_counts);
        html!(
            "<h3><b>{}</b> {}</h3><p>{}</p>",
            number::similarity(removal.similarity),
            what(removal),
            self.sentence(removal, counts)
        )
    }

    /// Number of characters of a text that are left out.
    fn more(&self, place: &Place) -> u64 {
        self.texts.get(place).map_or(0, |text| text.more)
    }

    /// Both containments, and the reason why the kept one was kept.
    fn sentence(&self, removal: &Removal, counts: Option<[usize; 2]>) -> String {
        let containments = removal.containment_of_removed.zip(removal.containment_of_kept);
        let how = match (containments, removal.hamming) {
            _ if removal.exact_copy => "Both are equal in every character. ".to_owned(),
            (Some((of_removed, of_kept)), _) => format!(
                "{} of the removed document is in the kept one, and {} of the kept one is in the removed one. ",
                number::share(of_removed),
                number::share(of_kept)
            ),
            (None, Some(bits)) => format!("Their sketches differ in {}. ", number::of(u64::from(bits), "bit")),
            (None, None) => String::new(),
        };
        let cluster = match removal.cluster_size {
            0..=2 => String::new(),
            size => format!(" Their cluster has {}.", number::of(size.into(), "document")),
        };
        format!("{how}Kept because {}.{cluster}", self.why(removal, counts))
    }

    fn why(&self, removal: &Removal, counts: Option<[usize; 2]>) -> String {
        if removal.kept_in.is_some() {
            return "it belongs to the reference".to_owned();
        }
        let keep = &*self.parameters.keep;
        let word = if self.parameters.shingle.starts_with("char") { "character" } else { "word" };
        if keep.contains(',') || keep.starts_with("source:") {
            return format!("it comes first in keep order ({})", name(keep));
        }
        // The named kept document precedes the removed one in keep order.
        match (keep.split_once(':'), keep, counts) {
            (Some(("max", field)), ..) => format!("its field {} is larger, or equal and it comes first", name(field)),
            (Some(("min", field)), ..) => format!("its field {} is smaller, or equal and it comes first", name(field)),
            (_, "first", _) => "it comes first in the input".to_owned(),
            (_, "last", _) => "it comes last in the input".to_owned(),
            (_, "longest", Some([removed, kept])) if kept > removed => {
                format!("it is longer: {} against {}", number::of(kept as u64, word), number::count(removed as u64))
            }
            (_, "longest", Some([removed, kept])) if kept == removed => {
                format!("both have {}, and it comes first in the input", number::of(kept as u64, word))
            }
            (_, "longest", _) => "it is longer".to_owned(),
            (_, other, _) => format!("it is the first in keep order ({other})"),
        }
    }
}

/// Both names, if texts are not shown.
pub(super) fn names(removal: &Removal) -> Html {
    html!(
        "<p class=\"who\"><span class=\"removed\"><span class=\"role\">removed</span></span> <b dir=\"auto\">{}</b> <span class=\"place\" dir=\"auto\">{}</span> → <span class=\"kept\"><span class=\"role\">kept</span></span> <b dir=\"auto\">{}</b> <span class=\"place\" dir=\"auto\">{}</span></p>",
        name(&removal.removed_id),
        place(&removal.removed_place(), &removal.removed_id),
        name(&removal.kept_id),
        place(&removal.kept_place(), &removal.kept_id)
    )
}

/// The positions of both documents, the removed one first.
pub(super) fn places(removal: &Removal) -> [Place; 2] {
    [removal.removed_place(), removal.kept_place()]
}

/// Describes the kind of a removal.
fn what(removal: &Removal) -> &'static str {
    match removal {
        Removal { exact_copy: true, .. } => "exact copy",
        Removal { same_words: true, .. } => "same words",
        _ => "near-duplicate",
    }
}

/// The position of a document, unless its id contains it.
fn place(place: &Place, id: &str) -> String {
    let shown = format!("{}:{}", place.file, place.position);
    let reference = if place.is_reference { ", reference" } else { "" };
    if shown == id || place.file == id {
        reference.trim_start_matches(", ").to_owned()
    } else {
        format!("{}{reference}", name(&shown))
    }
}
