//! Boilerplate: what a source says on most of its pages, such as navigation and shipping terms, learned from a sample of
//! them and then ignored.
//!
//! A table keeps the text of boilerplate and not its hashes: a run makes features with a key that nobody knows beforehand,
//! and so it makes the features of the table, from the same text with the same key.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::hash::{Key, bytes_hash};
use crate::measure::feature_set::FeatureSet;
use crate::text::fold::Fold;
pub use crate::text::ignored::{Ignored, SourcePlace};
use crate::text::ignored::{Limits, OfSource};
use crate::text::shingle::{Shingle, Shingler};

/// The minimum number of distinct pages on which a shingle occurs to be boilerplate of their source: in a folder of
/// fifteen pages, eight versions of one text are not boilerplate.
pub const LEAST_PAGES: usize = 10;

/// Maximum number of keys for which the features of a table are cached: those of the sketches, of the run, and the
/// second key of the run.
const HELD_KEYS: usize = 4;

/// Text that each source has on most of its pages.
///
/// Two tables are equal if they leave out the same.
#[derive(Debug, Serialize, Deserialize)]
#[serde(from = "Record", into = "Record")]
pub struct Boilerplate {
    about: About,
    sources: Vec<SourceBoilerplate>,
    content_hash: u64,
    /// Cached features of the table, by key.
    held: Mutex<Vec<(Key, Arc<Ignored>)>>,
}

/// Settings with which a table was learned. Only a run with the same shingle and fold can use it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Kind of shingle that a feature is the hash of.
    pub shingle: String,
    /// Identifies the stop words of the shingle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_words: Option<String>,
    /// The differences that are ignored.
    pub fold: String,
    /// Definition of the source of a document, as written in a summary.
    pub source: String,
    /// Shingles on more than this share of a source's pages are its boilerplate.
    pub share: f64,
}

/// Text that one source has on most of its pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceBoilerplate {
    /// Its name.
    pub source: String,
    /// Number of its distinct pages.
    pub page_count: u64,
    /// Number of pages that were looked at.
    pub sample_count: u64,
    /// The part of the sampled pages' shingles that is boilerplate.
    pub share: f64,
    /// Number of sampled pages of which nearly nothing remains.
    pub undecided_count: u64,
    /// Its boilerplate. The shingles of these texts are ignored.
    pub passages: Vec<String>,
}

impl About {
    /// Describes a table for documents with sources of this definition.
    pub fn new(shingle: &Shingle, fold: Fold, source: String, share: f64) -> Self {
        let stop_words = match shingle {
            Shingle::StopWord(words) => Some(format!("{:016x}", words.content_hash())),
            Shingle::Word(_) | Shingle::Char(_) | Shingle::Token(_) | Shingle::Code(..) => None,
        };
        Self { shingle: shingle.to_string(), stop_words, fold: fold.to_string(), source, share }
    }
}

/// A table as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    about: About,
    sources: Vec<SourceBoilerplate>,
}

impl From<Record> for Boilerplate {
    fn from(record: Record) -> Self {
        Self::new(record.about, record.sources)
    }
}

impl From<Boilerplate> for Record {
    fn from(table: Boilerplate) -> Self {
        Self { about: table.about, sources: table.sources }
    }
}

impl Clone for Boilerplate {
    fn clone(&self) -> Self {
        let Self { about, sources, content_hash, .. } = self;
        Self { about: about.clone(), sources: sources.clone(), content_hash: *content_hash, held: Mutex::default() }
    }
}

impl Boilerplate {
    /// A table of these sources; those without boilerplate are left out.
    pub fn new(about: About, mut sources: Vec<SourceBoilerplate>) -> Self {
        sources.retain(|source| !source.passages.is_empty());
        sources.sort_unstable_by(|left, right| left.source.cmp(&right.source));
        sources.dedup_by(|later, first| later.source == first.source);
        let content_hash = content_hash(&about, &sources);
        Self { about, sources, content_hash, held: Mutex::default() }
    }

    /// Settings with which it was learned.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// All sources with boilerplate, by name.
    pub fn sources(&self) -> &[SourceBoilerplate] {
        &self.sources
    }

    /// Identifies what it leaves out.
    pub fn content_hash(&self) -> u64 {
        self.content_hash
    }

    /// Bytes of all passages.
    pub fn text_bytes(&self) -> u64 {
        self.sources.iter().flat_map(|source| &source.passages).map(|passage| passage.len() as u64).sum()
    }

    /// Place of a source in the table, if it has boilerplate.
    pub fn place(&self, source: &str) -> Option<SourcePlace> {
        let place = self.sources.binary_search_by(|known| known.source.as_str().cmp(source)).ok()?;
        Some(SourcePlace(place as u32))
    }

    /// The features to leave out, made with this key for a scheme with this shingle and fold.
    pub fn ignored(&self, shingle: &Shingle, fold: Fold, key: Key) -> Arc<Ignored> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ignored)) = held.iter().find(|(known, _)| *known == key) {
            return Arc::clone(ignored);
        }
        let of_source = |shingler: &mut Shingler, source: &SourceBoilerplate| {
            OfSource::of_passages(source.passages.iter().map(|passage| passage_features(passage, shingler)))
        };
        let mut shingler = Shingler::keyed(shingle, fold, key);
        let sources = self.sources.iter().map(|source| of_source(&mut shingler, source)).collect();
        let ignored = Arc::new(Ignored::new(sources, Limits::of(shingle)));
        if held.len() == HELD_KEYS {
            held.remove(0);
        }
        held.push((key, Arc::clone(&ignored)));
        ignored
    }
}

impl PartialEq for Boilerplate {
    fn eq(&self, other: &Self) -> bool {
        self.content_hash == other.content_hash
    }
}

/// The features of a passage. Characters are compared with the blanks between them, but those at the ends of a text are
/// none: a passage of them is surrounded by letters, and the windows with these are left out.
fn passage_features(passage: &str, shingler: &mut Shingler) -> Vec<u64> {
    let is_blank = |end: Option<char>| end.is_some_and(char::is_whitespace);
    let [before, after] = [passage.chars().next(), passage.chars().next_back()].map(is_blank);
    if !before && !after {
        return shingler.features(passage).all.to_vec();
    }
    let letter = |is_needed: bool| if is_needed { "x" } else { "" };
    let features = shingler.own_features(&format!("{}{passage}{}", letter(before), letter(after)));
    // Of a passage shorter than a shingle, nothing remains: only a table that somebody wrote by hand has one.
    features.get(usize::from(before)..features.len() - usize::from(after)).unwrap_or_default().to_vec()
}

/// Counts are not part of it: they change nothing.
fn content_hash(about: &About, sources: &[SourceBoilerplate]) -> u64 {
    let mut all = format!("{}\0{:?}\0{}\0{}\0", about.shingle, about.stop_words, about.fold, about.source);
    for SourceBoilerplate { source, passages, .. } in sources {
        all.push_str(source);
        for passage in passages {
            all.push('\0');
            all.push_str(passage);
        }
        all.push('\u{1}');
    }
    bytes_hash(all.as_bytes()) as u64
}

/// Learns what pages of one source have in common: the passages whose shingles occur on more than `share` of them, and on
/// at least [`LEAST_PAGES`]. The pages must be distinct.
///
/// ```
/// use lookalike_core::text::boilerplate::learn;
/// use lookalike_core::text::fold::Fold;
/// use lookalike_core::text::shingle::{Shingle, Shingler};
///
/// let pages: Vec<String> = (0..12).map(|page| format!("Home Products Contact Log in now. Page {page} of the book")).collect();
/// let learned = learn(&pages, 0.3, &mut Shingler::new(&Shingle::Word(3), Fold::NONE));
/// assert_eq!(learned.passages, ["Home Products Contact Log in now. Page", "of the book"]);
/// ```
pub fn learn<T: AsRef<str>>(pages: &[T], share: f64, shingler: &mut Shingler) -> Learned {
    let features: Vec<Vec<u64>> = pages.iter().map(|page| shingler.own_features(page.as_ref())).collect();
    let Counted { common, common_count, all_count } = Counted::new(&features, share);
    let common = FeatureSet::new(&common);
    let mut covered = Covered::default();
    let mut passages = Vec::new();
    for (page, features) in pages.iter().zip(&features) {
        if covered.lacks_any(features, &common) {
            cover(page.as_ref(), &common, &mut covered, shingler, &mut passages);
        }
    }
    let own = OfSource::of_passages(passages.iter().map(|passage| passage_features(passage, shingler)));
    let limits = Limits::of(shingler.kind());
    let bare_count = features.iter().filter(|page| own.is_all_of(page, limits)).count();
    Learned { passages, all_count, common_count, bare_count }
}

/// The features on more than `share` of these pages, and on at least [`LEAST_PAGES`].
pub fn common_features(pages: &[Vec<u64>], share: f64) -> Vec<u64> {
    Counted::new(pages, share).common
}

/// Features that are on many pages, and counts of features.
struct Counted {
    common: Vec<u64>,
    common_count: usize,
    all_count: usize,
}

impl Counted {
    fn new(pages: &[Vec<u64>], share: f64) -> Self {
        let mut all: Vec<u64> = Vec::new();
        for page in pages {
            let start = all.len();
            all.extend(page);
            all[start..].sort_unstable();
            let mut end = start;
            for at in start..all.len() {
                if end == start || all[at] != all[end - 1] {
                    all[end] = all[at];
                    end += 1;
                }
            }
            all.truncate(end);
        }
        all.sort_unstable();
        let is_common = |same: &&[u64]| same.len() >= LEAST_PAGES && same.len() as f64 > share * pages.len() as f64;
        let (mut common, mut common_count) = (Vec::new(), 0);
        for same in all.chunk_by(|left, right| left == right).filter(is_common) {
            common.push(same[0]);
            common_count += same.len();
        }
        Self { common, common_count, all_count: all.len() }
    }
}

/// Text that pages of one source have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The texts whose shingles are boilerplate.
    pub passages: Vec<String>,
    /// Distinct features of each page, counted together.
    pub all_count: usize,
    /// Of these, the boilerplate.
    pub common_count: usize,
    /// Pages of which nearly nothing remains.
    pub bare_count: usize,
}

/// The common features that passages have, and the pairs of them that follow each other in one.
#[derive(Default)]
struct Covered {
    features: HashSet<u64>,
    pairs: HashSet<(u64, u64)>,
}

impl Covered {
    /// True if a page has a common feature, or two that follow each other, that no passage has.
    fn lacks_any(&self, features: &[u64], common: &FeatureSet) -> bool {
        let is_common = |feature: &u64| common.contains(*feature);
        features.iter().any(|feature| is_common(feature) && !self.features.contains(feature))
            || features.windows(2).any(|pair| pair.iter().all(is_common) && !self.pairs.contains(&(pair[0], pair[1])))
    }
}

/// Adds the passages of a page whose features are common and not covered yet. What follows what is covered as well, so
/// that the text around an edit of one page is connected by the other pages.
fn cover(page: &str, common: &FeatureSet, covered: &mut Covered, shingler: &mut Shingler, passages: &mut Vec<String>) {
    let places = shingler.places(page);
    // A text that is shorter than a shingle is one.
    let width = places.width.min(places.tokens.len());
    let features = &places.features;
    let mut at = 0;
    while at < features.len() {
        let start = at;
        let is_new = common.contains(features[at]) && covered.features.insert(features[at]);
        while at + 1 < features.len()
            && common.contains(features[at])
            && common.contains(features[at + 1])
            && covered.pairs.insert((features[at], features[at + 1]))
        {
            at += 1;
            covered.features.insert(features[at]);
        }
        if is_new || at > start {
            let (first, last) = (places.firsts[start], places.firsts[at] + width - 1);
            passages.push(page[places.tokens[first].start..places.tokens[last].end].to_owned());
        }
        at += usize::from(at == start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::code::Language;

    fn shingler(width: usize) -> Shingler {
        Shingler::new(&Shingle::Word(width), Fold::NONE)
    }

    fn table(passages: &[&str], width: usize) -> Arc<Boilerplate> {
        let about = About::new(&Shingle::Word(width), Fold::NONE, "host".to_owned(), 0.3);
        let passages = passages.iter().map(|passage| (*passage).to_owned()).collect();
        let source = SourceBoilerplate {
            source: "a.example".to_owned(),
            page_count: 20,
            sample_count: 20,
            share: 0.5,
            undecided_count: 0,
            passages,
        };
        Arc::new(Boilerplate::new(about, vec![source]))
    }

    #[test]
    fn passages_that_nobody_learned_ignore_nothing() {
        let text = "one two three four five";
        for passages in [&[" "][..], &[" one "], &["\u{3000}"], &["", " a", "b "], &[" x\n"]] {
            for shingle in [Shingle::Word(5), Shingle::Char(5), Shingle::Code(3, Language::Any)] {
                for key in [Key::FIXED, Key::new(7)] {
                    let ignored = table(passages, 5).ignored(&shingle, Fold::NONE, key);
                    let mut shingler = Shingler::keyed(&shingle, Fold::NONE, key);
                    let all = shingler.own_features(text);
                    let mut left = all.clone();
                    ignored.leave_out(SourcePlace(0), &mut left);
                    assert_eq!(left, all, "{passages:?} {shingle}");
                }
            }
        }
    }

    #[test]
    fn what_pages_share_is_learned_and_leaves_their_own_text_with_any_key() {
        let pages: Vec<String> = (0..20)
            .map(|page| {
                let own = format!("own{page} ").repeat(6);
                format!("Home Products Contact Log in now {own} All rights are reserved by us")
            })
            .collect();
        let learned = learn(&pages, 0.3, &mut shingler(3));
        assert_eq!(learned.passages, ["Home Products Contact Log in now", "All rights are reserved by us"]);
        let passages: Vec<&str> = learned.passages.iter().map(String::as_str).collect();
        let table = table(&passages, 3);
        for key in [Key::FIXED, Key::new(7)] {
            let ignored = table.ignored(&Shingle::Word(3), Fold::NONE, key);
            let mut shingler = Shingler::keyed(&Shingle::Word(3), Fold::NONE, key).ignoring(ignored);
            let whole = shingler.features(&pages[0]).all.len();
            assert_eq!(whole, 16);
            let rest = shingler.of_source(table.place("a.example")).features(&pages[0]);
            assert_eq!((rest.all.len(), rest.ignored), (8, 8), "4 and 4 windows are boilerplate");
            let other = shingler.of_source(table.place("b.example")).features(&pages[0]);
            assert_eq!((other.all.len(), other.ignored), (16, 0));
        }
    }

    #[test]
    fn of_a_text_the_parts_remain_that_are_compared() {
        let table = table(&["Home Products Contact Log in now", "All rights are reserved by us"], 3);
        let mut shingler = Shingler::new(&Shingle::Word(3), Fold::NONE).ignoring(table.ignored(
            &Shingle::Word(3),
            Fold::NONE,
            Key::FIXED,
        ));
        let source = table.place("a.example").unwrap();
        let mut of = |text: &str| -> Vec<String> {
            shingler.remaining(source, text).into_iter().map(|part| text[part].to_owned()).collect()
        };
        // Words of the menu beside own ones are in shingles with these.
        let own = "a red lamp, of glass and of brass, for 30 euros";
        let page = format!("Home Products Contact | Log in now! {own}. All rights are reserved by us");
        assert_eq!(of(&page), [format!("in now! {own}. All rights")]);
        let twice = format!("{own} Home Products Contact Log in now {own}");
        assert_eq!(of(&twice), [format!("{own} Home Products"), format!("in now {own}")]);
        assert!(of("Home Products Contact Log in now").is_empty());
        assert_eq!(of("a short text"), ["a short text"]);
    }

    #[test]
    fn text_on_few_pages_is_no_boilerplate_however_small_the_source_is() {
        let version = |page: usize| format!("the same press release of the same company with number {page}");
        let own = |page: usize| format!("page{page} says{page} something{page} else{page}");
        let pages: Vec<String> = (0..8).map(version).chain((8..15).map(own)).collect();
        assert!(learn(&pages, 0.3, &mut shingler(3)).passages.is_empty());
        let pages: Vec<String> = (0..20).map(version).chain((20..80).map(own)).collect();
        assert!(learn(&pages, 0.3, &mut shingler(3)).passages.is_empty(), "20 of 80 are less than 0.3");
        let pages: Vec<String> = (0..40).map(version).chain((40..80).map(own)).collect();
        let learned = learn(&pages, 0.3, &mut shingler(3));
        assert_eq!(learned.passages, ["the same press release of the same company with number"]);
        assert_eq!(learned.bare_count, 40, "one window remains of each version");
    }

    #[test]
    fn a_document_of_which_nearly_nothing_remains_has_no_features() {
        let table = table(&["one two three four five six"], 3);
        let ignored = table.ignored(&Shingle::Word(3), Fold::NONE, Key::FIXED);
        let mut shingler = shingler(3).ignoring(ignored);
        shingler.of_source(table.place("a.example"));
        let features = shingler.features("one two three four five six seven");
        assert_eq!((features.all.len(), features.ignored, features.token_count()), (0, 5, 7));
        assert_eq!(shingler.features("short text").all.len(), 1, "nothing is left out of it");
        assert_eq!(shingler.features("one two three a b c d e f g").all.len(), 7);
    }

    /// Sixty words of one text, of which this page has edited some.
    fn version(page: usize, edits: &[usize]) -> String {
        let word = |at: usize| if edits.contains(&at) { format!("edit{page}x{at}") } else { format!("t{at}") };
        (0..60).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn edits_of_boilerplate_are_not_text_of_a_page_itself() {
        // Three words that are far from each other leave nine shingles, and more than is enough if they are its own.
        let edits = |page: usize| [(7 * page) % 20, 20 + (11 * page) % 20, 40 + (13 * page) % 20];
        let mut pages: Vec<String> = (0..20).map(|page| version(page, &edits(page))).collect();
        pages.extend((20..40).map(|page| format!("page{page} ").repeat(60)));
        let learned = learn(&pages, 0.3, &mut shingler(3));
        assert_eq!(learned.bare_count, 20);
        let passages: Vec<&str> = learned.passages.iter().map(String::as_str).collect();
        let table = table(&passages, 3);
        for key in [Key::FIXED, Key::new(7)] {
            let ignored = table.ignored(&Shingle::Word(3), Fold::NONE, key);
            let mut shingler = Shingler::keyed(&Shingle::Word(3), Fold::NONE, key).ignoring(ignored);
            shingler.of_source(table.place("a.example"));
            assert!(pages[..20].iter().all(|page| shingler.features(page).all.is_empty()));
            // A sentence that is left out, and a page with text of its own at one place.
            let without = version(0, &[]).replace("t20 t21 t22 t23 t24 t25 t26 t27 t28 t29 ", "");
            assert!(shingler.features(&without).all.is_empty());
            let own = version(0, &[]).replace("t20 ", "a sentence that no other page of this source has ");
            assert_eq!(shingler.features(&own).all.len(), 12);
        }
    }

    #[test]
    fn text_between_the_passages_of_a_template_is_of_the_page_itself() {
        let item = |page: usize| format!("a{page} b{page} c{page}");
        let page = |page: usize| {
            format!(
                "Home Products Contact Log in {} Price and shipping are {} All rights reserved",
                item(page),
                item(99 * page)
            )
        };
        let pages: Vec<String> = (0..20).map(page).collect();
        let learned = learn(&pages, 0.3, &mut shingler(3));
        assert_eq!((learned.passages.len(), learned.bare_count), (3, 0));
    }

    #[test]
    fn blanks_at_the_ends_of_passages_of_characters_count() {
        let shingle = Shingle::Char(4);
        let mut shingler = Shingler::new(&shingle, Fold::NONE);
        let pages: Vec<String> = ('a'..='z').map(|own| format!("{own}{own} menu entry {own}{own}")).collect();
        let learned = learn(&pages, 0.3, &mut shingler);
        assert_eq!(learned.passages, [" menu entry "]);
        let kept = passage_features(" menu entry ", &mut shingler);
        let page = shingler.features(&pages[0]).all.to_vec();
        assert_eq!(kept, page[2..page.len() - 2]);
    }

    #[test]
    fn tables_that_leave_out_the_same_are_equal() {
        let first = table(&["one two three"], 3);
        let record = Record::from((*first).clone());
        let mut counted = record.clone();
        counted.sources[0].page_count = 99;
        assert_eq!(Boilerplate::from(counted), *first);
        let mut other = record;
        other.sources[0].passages.push("four five six".to_owned());
        assert_ne!(Boilerplate::from(other), *first);
        assert_ne!(*table(&["one two three"], 4), *first);
    }
}
