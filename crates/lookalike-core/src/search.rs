//! Compares one text with stored ones: selects candidates and matches, and sorts them. Indexes in memory and on disk
//! both use this, so that they give the same answers.

use std::sync::OnceLock;

use crate::kernel::{TextSketcher, TextSummary};
use crate::measure::criterion::Criterion;
use crate::measure::feature_filter::FeatureFilter;
use crate::measure::feature_set::{FeatureSet, Overlap};
use crate::measure::likeness::Likeness;
use crate::method::Method;
use crate::sketch::Sketches;
use crate::text::shingle::Shingler;

/// A text to compare with others.
#[derive(Debug)]
pub struct Probe {
    /// The keys of its sketch.
    pub keys: Vec<u64>,
    /// The bytes of its sketch.
    pub bytes: Vec<u8>,
    /// The other data stored about it.
    pub summary: TextSummary,
    set: FeatureSet,
    filter: FeatureFilter,
    /// The text, if a match may depend on a single feature.
    text: Option<Box<str>>,
    /// Its features hashed with the second key, once needed.
    second: OnceLock<FeatureSet>,
}

impl Probe {
    /// Creates the probe of a text; `shingler` has the key that decides.
    pub fn of_text(text: &str, method: &dyn Method, sketcher: &mut TextSketcher, shingler: &mut Shingler) -> Self {
        let mut sketches = Sketches::new(method.layout());
        let summary = sketcher.sketch(text, &mut sketches);
        Self::new(&sketches, summary, shingler.features(text).all)
    }

    /// Creates the probe with this sketch, the only one in `sketches`, and these features, hashed with the key that
    /// decides.
    pub fn new(sketches: &Sketches, summary: TextSummary, features: &[u64]) -> Self {
        Self {
            keys: sketches.all_keys().to_vec(),
            bytes: sketches.all_bytes().to_vec(),
            summary,
            set: FeatureSet::new(features),
            filter: FeatureFilter::new(features),
            text: None,
            second: OnceLock::new(),
        }
    }

    /// The same; matches that depend on a single feature can then be [confirmed](Self::is_confirmed). `text` is the
    /// text of the probe.
    #[must_use]
    pub fn with_text(self, text: &str, criterion: Criterion) -> Self {
        let may_depend_on_one = criterion.accepts(Overlap { shared: 1, left: self.size(), right: 1 });
        Self { text: may_depend_on_one.then(|| text.into()), ..self }
    }

    /// Length of the text in bytes, if it may be needed again.
    pub fn text_length(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.len())
    }

    /// Number of distinct features.
    pub fn size(&self) -> u32 {
        self.set.size()
    }

    /// True if it has no features, so that nothing matches it.
    pub fn is_empty(&self) -> bool {
        self.set.size() == 0
    }

    /// True if a text with this number of features and this sketch could be a match. False only if a match is
    /// practically impossible.
    pub fn allows(&self, criterion: Criterion, method: &dyn Method, size: u32, bytes: &[u8]) -> bool {
        // If the sketches are the measure, sizes do not matter.
        (method.is_measure() || criterion.allows_sizes(self.summary.size, size)) && method.allows(&self.bytes, bytes)
    }

    /// Measures a text with these features, hashed with the key that decides, if it is a match; `size` was stored with
    /// its sketch. The probe is on the left.
    pub fn measure(&self, criterion: Criterion, size: u32, features: &[u64]) -> Option<Likeness> {
        let (left, right) = (self.summary.size, size);
        let most = self.filter.most_shared(features).min(left).min(right);
        if !criterion.accepts(Overlap { shared: most, left, right }) {
            return None;
        }
        let shared = self.set.shared_count(features);
        let overlap = Overlap { shared, left: self.set.size(), right: distinct_count(features) };
        criterion.accepts(overlap).then_some(Likeness::Features(overlap))
    }

    /// False if a text, measured with this result, shares a single feature, and none with the second key. One in 2^64
    /// pairs of shingles has the same feature by chance, and an index may have billions of them. `shingler` has the
    /// second key.
    pub fn is_confirmed(&self, found: Likeness, text: &str, shingler: &mut Shingler) -> bool {
        let (Some(own), Some(Overlap { shared: 1, .. })) = (&self.text, found.overlap()) else { return true };
        let second = self.second.get_or_init(|| FeatureSet::new(shingler.features(own).all));
        second.shared_count(shingler.features(text).all) > 0
    }
}

/// Number of features from which they are sorted to be counted: this is slower than a table, but takes a quarter of its
/// memory.
const SORTED: usize = 1 << 20;

/// Number of distinct features.
fn distinct_count(features: &[u64]) -> u32 {
    if features.len() < SORTED {
        return FeatureSet::new(features).size();
    }
    let mut sorted = features.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    u32::try_from(sorted.len()).unwrap_or(u32::MAX)
}

/// Keeps each number that occurs at least this many times, once and in order.
pub fn agreeing(met: &mut Vec<u32>, times: usize) {
    met.sort_unstable();
    if times <= 1 {
        return met.dedup();
    }
    *met = met.chunk_by(|left, right| left == right).filter(|same| same.len() >= times).map(|same| same[0]).collect();
}

/// Sorts matches: most similar first, and those of equal similarity by their order.
pub fn best_first<T, O: Ord>(matches: &mut [T], similarity: impl Fn(&T) -> f64, order: impl Fn(&T) -> O) {
    matches.sort_by(|left, right| {
        similarity(right).total_cmp(&similarity(left)).then_with(|| order(left).cmp(&order(right)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Key;
    use crate::scheme::Scheme;

    #[test]
    fn those_that_were_met_often_enough_are_left() {
        let met = || vec![5, 1, 5, 9, 1, 5];
        let left = |times| {
            let mut met = met();
            agreeing(&mut met, times);
            met
        };
        assert_eq!([left(1), left(2), left(3), left(4)], [vec![1, 5, 9], vec![1, 5], vec![5], vec![]]);
    }

    #[test]
    fn features_are_counted_alike_however_many_there_are() {
        let features: Vec<u64> = (0..SORTED as u64 + 10).map(|at| crate::hash::mix(at % 1000)).collect();
        assert_eq!([distinct_count(&features), distinct_count(&features[..5000])], [1000, 1000]);
    }

    #[test]
    fn a_text_measures_one_with_itself_and_strangers_are_none() {
        let scheme = Scheme::default();
        let method = scheme.build_method();
        let mut sketcher = TextSketcher::new(&scheme, &*method, Key::new(1));
        let mut shingler = scheme.shingler(Key::new(1));
        let mut of = |text: &str| Probe::of_text(text, &*method, &mut sketcher, &mut shingler);
        let (one, other) = (of("one two three four five six seven"), of("eight nine ten eleven twelve thirteen"));
        assert!(one.allows(scheme.criterion(), &*method, one.summary.size, &one.bytes));
        assert!(!one.allows(scheme.criterion(), &*method, other.summary.size, &other.bytes));
        let features = |text: &str| scheme.shingler(Key::new(1)).features(text).all.to_vec();
        let same = one.measure(scheme.criterion(), one.summary.size, &features("One two three four five six seven"));
        assert_eq!(same, Some(Likeness::Features(Overlap::of_equals(3))));
        assert_eq!(one.measure(scheme.criterion(), 2, &features("eight nine ten eleven twelve thirteen")), None);
        assert!(of(" ").is_empty());
    }

    #[test]
    fn a_match_that_depends_on_one_feature_shares_one_with_the_second_key_too() {
        for scheme in [Scheme::jaccard(0.8).unwrap(), Scheme::containment(0.1).unwrap()] {
            let method = scheme.build_method();
            let mut sketcher = TextSketcher::new(&scheme, &*method, Key::new(1));
            let [mut shingler, mut second] = [Key::new(1), Key::new(1).second()].map(|key| scheme.shingler(key));
            let (text, other) = ("one two three four five", "six seven eight nine ten");
            let shared = shingler.features(text).all.to_vec();
            let mut sketches = Sketches::new(method.layout());
            let summary = sketcher.sketch(text, &mut sketches);
            let probe = Probe::new(&sketches, summary, &shared);
            // The same feature, as if the hashes of both texts were equal.
            let found = probe.measure(scheme.criterion(), 1, &shared).unwrap();
            assert!(probe.is_confirmed(found, other, &mut second), "without its text, there is no second look");
            let probe = probe.with_text(text, scheme.criterion());
            assert!(!probe.is_confirmed(found, other, &mut second), "{scheme}");
            assert!(probe.is_confirmed(found, text, &mut second), "{scheme}");
            let several = Likeness::Features(Overlap { shared: 2, left: 2, right: 2 });
            assert!(probe.is_confirmed(several, other, &mut second), "{scheme}");
        }
    }
}
